"""Is one group treated worse than another: the difference, and the probability of each region."""

import math
from typing import Any, cast

import numpy as np

from fewlabels.answers import Comparison, Finding, Proof
from fewlabels.core.arrays import Array
from fewlabels.core.comparison import draws_region_probabilities, pool_region_probabilities, region_probabilities
from fewlabels.core.intervals import defined_interval, draws_interval
from fewlabels.core.needed import Outlook
from fewlabels.questions import Compare
from fewlabels.reading.cells import CellReading
from fewlabels.reading.directions import Duel, Side
from fewlabels.reading.every_look import EveryLook, softer
from fewlabels.reading.figures import figures_of
from fewlabels.reading.notes import prior_notes
from fewlabels.reading.twin import contradictions

_EXACT_COMPARISON = 100_000  # unlabelled items up to which two finite groups are compared exactly
_WIDEST = 1.0  # half the range of a difference of shares


def comparison(
    reading: CellReading, question: Compare, common: dict[str, Any], shown: CellReading | None = None
) -> Comparison:
    """Whether one group's value is lower than another's, about equal or higher; `shown` is what the two values are
    taken from, where that is no other reading's."""
    a, b = reading.assessment.compared()
    draws = reading.row_draws[:, [a]] - reading.row_draws[:, [b]]
    draws = draws[~np.isnan(draws[:, 0])]
    shown = figures_of(reading) if shown is None else shown
    one, two = shown.findings[a], shown.findings[b]
    sides = (Side.of(one), Side.of(two))
    unseen = any(side.unseen for side in sides)
    difference = _difference(reading, question, (one, two), _difference_interval(reading, draws, a, b), unseen=unseen)
    unknown = (math.nan,) * 3  # of a side without labels only scores speak
    regions = unknown if unseen else tuple(_regions(reading, question.rope, a, b, draws[:, 0]).tolist())
    less, _, more = unknown if unseen else _regions(reading, 0.0, a, b, draws[:, 0]).tolist()
    proof, until = _proof(reading, a, b), reading.assessment.settings.until
    early = until is not None and until.sure is not None
    about = (cast(Any, regions), (less, more), proof, question.rope)
    duel = Duel(question.a, question.b, reading.metric, sides, difference, *about, early=early)
    notes = (*contradictions((one, two)), *prior_notes(shown, (difference,), "the difference", (a, b)))
    common["notes"] = (*notes, *common["notes"])
    seen = common.pop("outlook", None)
    return Comparison(
        findings=(one, two),
        p_less=regions[0],
        p_equal=regions[1],
        p_more=regions[2],
        rope=question.rope,
        difference=difference,
        decided=duel.decided,
        proof=proof,
        outlook=None if seen is None else Outlook(seen.rates[:, [a, b]], seen.labels[[a, b]], seen.size[[a, b]]),
        sentence=duel.sentence,
        **common,
    )


def _difference(
    reading: CellReading, question: Compare, pair: tuple[Finding, Finding], ends: tuple[float, float], *, unseen: bool
) -> Finding:
    """How far the two values are apart; where one has no labels that is not known, and may be anything."""
    one, two = pair
    value, (low, high) = (math.nan, (-_WIDEST, _WIDEST)) if unseen else (one.value - two.value, ends)
    return Finding(
        value=value,
        low=low if math.isnan(value) else min(low, value),
        high=high if math.isnan(value) else max(high, value),
        level=reading.level,
        method=one.method,
        target=one.target,
        labels=one.labels + two.labels,
        prior_share=(one.prior_share + two.prior_share) / 2,
        group=f"{question.a} − {question.b}",
        weight=one.weight + two.weight,
        holds=one.holds,
        borrowed=None if one.borrowed is None or two.borrowed is None else (one.borrowed + two.borrowed) / 2,
        unit="points" if one.unit == "share" else one.unit,
        left=None if one.left is None or two.left is None else one.left + two.left,
    )


def _proof(reading: CellReading, a: int, b: int) -> Proof | None:
    bets = EveryLook(reading.assessment, reading.evidence)
    if bets.why_not is not None:
        return None
    shift = reading.metric.shift(reading.view)
    return Proof(bets.of_difference(a, b).turned(cast(float, reading.metric.scale), float(shift[a] - shift[b])))


def _difference_interval(reading: CellReading, draws: Array, a: int, b: int) -> tuple[float, float]:
    """The interval of a difference from its draws (n, 1), with what the two groups' own were widened by."""
    if reading.holds != "one look":
        bets = cast(Proof, _proof(reading, a, b))
        return bets.interval(reading.level if reading.holds == "every look" else softer(reading.level))
    if not len(draws):
        return -_WIDEST, _WIDEST
    low, high = draws_interval(draws, reading.level, reading.interval)
    plain = defined_interval(reading.row_draws[:, [a, b]], reading.level, reading.interval)
    ends = np.array([[reading.findings[g].low, reading.findings[g].high] for g in (a, b)]).T
    below, above = np.maximum(plain[0] - ends[0], 0.0), np.maximum(ends[1] - plain[1], 0.0)
    return float(low[0] - below[0] - above[1]), float(high[0] + above[0] + below[1])


def _regions(reading: CellReading, rope: float, a: int, b: int, draws: Array) -> Array:
    """The probabilities of less, about equal and more."""
    m = reading.marginals
    if m is None:
        return draws_region_probabilities(draws, rope)
    pair = [a, b]
    shift = float(m.scale * (m.shift[a] - m.shift[b]))
    if not reading.pool:
        mu = region_probabilities(m.alpha[pair], m.beta[pair], rope, shift)
    elif m.rest[pair].max() <= _EXACT_COMPARISON:
        mu = pool_region_probabilities(
            m.known[pair],
            m.rest[pair],
            m.size[pair].astype(np.float64),
            m.alpha[pair],
            m.beta[pair],
            rope,
            shift,
        )
    else:
        return draws_region_probabilities(draws, rope)
    return mu if m.scale > 0 else mu[::-1]
