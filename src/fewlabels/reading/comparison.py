"""Is one group treated worse than another: the difference, the probability of each region, and the sentence."""

import math
from typing import Any, cast

import numpy as np

from fewlabels.answers import Comparison, Finding, Proof, Unit, count_of, level_words, percent, sure
from fewlabels.core.arrays import Array
from fewlabels.core.comparison import draws_region_probabilities, pool_region_probabilities, region_probabilities
from fewlabels.core.intervals import defined_interval, draws_interval
from fewlabels.core.needed import Outlook
from fewlabels.model_questions import CompareModels
from fewlabels.questions import Compare
from fewlabels.reading.cells import CellReading
from fewlabels.reading.every_look import EveryLook, softer
from fewlabels.reading.notes import prior_notes
from fewlabels.reading.twin import contradictions

_EXACT_COMPARISON = 100_000  # unlabelled items up to which two finite groups are compared exactly
DECIDED = 0.75  # below this probability a comparison is called undecided
_WIDEST = 1.0  # half the range of a difference of shares


def comparison(reading: CellReading, question: Compare, common: dict[str, Any]) -> Comparison:
    """Whether one group's value is lower than another's, about equal or higher."""
    a, b = reading.assessment.compared()
    one, two = reading.findings[a], reading.findings[b]
    without = _without(one, two)
    (less, equal, more), low, high = _over_skips(reading, question, a, b, known=not without)
    value = math.nan if without else one.value - two.value
    proof = _proof(reading, a, b)
    difference = Finding(
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
    notes = (*contradictions((one, two)), *prior_notes(reading, (difference,), "the difference", (a, b)))
    common["notes"] = (*notes, *common["notes"])
    seen = common.pop("outlook", None)
    said = sentence(question, (less, equal, more), difference, reading.evidence.count)
    said = f"Not decided: no label of {without} tells of its {question.metric.title} yet." if without else said
    return Comparison(
        findings=(one, two),
        p_less=less,
        p_equal=equal,
        p_more=more,
        rope=question.rope,
        difference=difference,
        proof=proof,
        outlook=None if seen is None else Outlook(seen.rates[:, [a, b]], seen.labels[[a, b]], seen.size[[a, b]]),
        sentence=said + at_every_look(question, proof, reading.level, "points"),
        **common,
    )


def _without(one: Finding, two: Finding) -> str:
    """The groups of which no label is known, though there could be one."""
    return " or ".join(f.group for f in (one, two) if f.labels == 0 and f.left != 0)


def _over_skips(
    reading: CellReading, question: Compare, a: int, b: int, *, known: bool
) -> tuple[tuple[float, float, float], float, float]:
    """The least probability of each region whatever skipped items are, and the ends of the difference's interval; the
    whole range where nothing is known of a group."""
    every = [_of(one, question, a, b) for one in (reading, *reading.supposed)]
    less, equal, more = np.min([regions for regions, _, _ in every], axis=0).tolist()
    least, most = reading.assessment.lens.bounds
    low, high = min(low for _, low, _ in every), max(high for _, _, high in every)
    return (less, equal, more), *((low, high) if known else (least - most, most - least))


def _of(reading: CellReading, question: Compare, a: int, b: int) -> tuple[Array, float, float]:
    """The probability of each region, and the ends of the difference's interval."""
    draws = reading.row_draws[:, [a]] - reading.row_draws[:, [b]]
    draws = draws[~np.isnan(draws[:, 0])]
    return _regions(reading, question, a, b, draws[:, 0]), *_difference_interval(reading, draws, a, b)


def _proof(reading: CellReading, a: int, b: int) -> Proof | None:
    bets = EveryLook(reading.assessment, reading.evidence)
    if bets.why_not is not None:
        return None
    shift = reading.metric.shift(reading.view)
    return Proof(bets.of_difference(a, b).turned(cast(float, reading.metric.scale), float(shift[a] - shift[b])))


def at_every_look(question: Compare | CompareModels, proof: Proof | None, level: float, unit: Unit) -> str:
    """What is shown, or that nothing is yet."""
    if proof is None:
        return ""
    a, b, rope, shown = question.a, question.b, question.rope, proof.of(level, question.rope)
    low, high = proof.interval(level)
    far = f" by more than {rope:g}" if max(low, -high) > rope else ""
    near = f" by no more than {rope:g}" if len(shown) == 2 else ""
    what = {
        (): f"it is open which of {a} and {b} is higher, and whether they are the same",
        ("equal",): f"{a} and {b} are the same within {rope:g}",
    }.get(shown) or f"{a} is {'lower' if 'less' in shown else 'higher'} than {b}{far or near}"
    ends = f"{100 * low:+.1f} to {100 * high:+.1f} points" if unit == "points" else f"{low:+.3g} to {high:+.3g}"
    return f" At every look ({level_words(level)}): {what}; the difference is {ends}."


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


def _regions(reading: CellReading, question: Compare, a: int, b: int, draws: Array) -> Array:
    m = reading.marginals
    if m is None:
        return draws_region_probabilities(draws, question.rope)
    pair = [a, b]
    shift = float(m.scale * (m.shift[a] - m.shift[b]))
    if not reading.pool:
        mu = region_probabilities(m.alpha[pair], m.beta[pair], question.rope, shift)
    elif m.rest[pair].max() <= _EXACT_COMPARISON:
        mu = pool_region_probabilities(
            m.known[pair],
            m.rest[pair],
            m.size[pair].astype(np.float64),
            m.alpha[pair],
            m.beta[pair],
            question.rope,
            shift,
        )
    else:
        return draws_region_probabilities(draws, question.rope)
    return mu if m.scale > 0 else mu[::-1]


def sentence(
    question: Compare | CompareModels, mu: tuple[float, ...], difference: Finding, labels: int
) -> str:  # fmt: skip
    """Which is higher, how surely, and by how much."""
    after = count_of(labels, "label")
    if math.isnan(difference.value):
        return (
            f"{question.a} and {question.b} cannot be compared after {after}: in one of them nothing is known of the "
            f"{question.metric.title}."
        )
    region, what = int(np.argmax(mu)), question.metric.title
    if mu[region] < DECIDED:
        return (
            f"Undecided after {after}: the {what} of {question.a} is lower than that of {question.b} by more than "
            f"{question.rope:g} with probability {percent(mu[0])}, about equal {percent(mu[1])}, higher "
            f"{percent(mu[2])}. "
            f"Difference {question.a} − {question.b}: {difference}."
        )
    verdict = (
        f"{question.a} has a lower {what} than {question.b}, by more than {question.rope:g},",
        f"{question.a} and {question.b} have practically the same {what} (within {question.rope:g})",
        f"{question.a} has a higher {what} than {question.b}, by more than {question.rope:g},",
    )[region]
    return (
        f"{verdict} with probability {sure(mu[region], [difference])} after {after}. "
        f"Difference {question.a} − {question.b}: {difference}."
    )
