"""Intervals that are to hold at every look: whether they ever miss on a whole path, and how wide they are."""

from collections.abc import Sequence

import numpy as np
from benchmarks.stops.labels import Labelling, begin, wilson
from benchmarks.stops.pools import Case

import fewlabels as fl
from fewlabels.core.anytime import of_share
from fewlabels.core.arrays import Array, Ints
from fewlabels.reading.every_look import EveryLook

LEVEL, LABELS = 0.95, 1000
LOOKS = (50, 100, 200, 500, 1000)
METHODS = {"auto": fl.Method(), "uniform": fl.Method("uniform", "hierarchical")}
_SLACK = 1e-9


def run(case: Case, method: str, number: int, batch: int, most: int = LABELS) -> dict[str, object]:
    """One path. Whoever looks seldomer misses no more often."""
    at = begin(case.pool(number), fl.Estimate("accuracy", by=case.by), METHODS[method], number, batch)
    evidence = at.take(min(most, at.items))
    look, groups = EveryLook(at.assessment, evidence), at.assessment.view.groups
    looks = [n for n in LOOKS if n <= min(evidence.count, 0.9 * at.items)]
    ends = _on_path(look, np.full(at.assessment.cells.count, 1 / at.items), None, looks)
    low, high = wilson(at.items, np.array(looks, dtype=np.float64), at.accuracy * np.array(looks))
    widths = {str(n): float((b - a) / w) for n, (a, b), w in zip(looks, ends.tolist(), high - low, strict=False)}
    values = at.truth.values
    missed = [
        _missed(_of_group(at, look, group), float(values[group]))
        for group in np.unique(groups.index[evidence.cell]).tolist()
    ]
    whole = _missed(ends, at.accuracy)
    return {"labels": evidence.count, "missed": whole, "groups": float(np.mean(missed)), "widths": widths}


def _missed(ends: Array, value: float) -> bool:
    return bool(((ends[:, 0] > value + _SLACK) | (ends[:, 1] < value - _SLACK)).any())


def _of_group(study: Labelling, look: EveryLook, group: int) -> Array:
    """The ends after each of a group's labels, as from an urn, where its items had equal chances; else after all."""
    made, index = study.assessment, study.assessment.view.groups.index
    cells, size = index == group, made.cells.size
    if not look.evidence.equal_chances:
        return _on_path(look, np.where(cells, 1 / size[cells].sum(), 0.0), np.zeros(len(cells), dtype=np.int64))
    hits = look.path.hit[cells[look.path.cell]].cumsum().astype(np.int64)
    score = float(made.outcome.expected(made.view)[cells] @ size[cells] / size[cells].sum())
    found = [of_share(int(size[cells].sum()), n, h, score).interval(LEVEL) for n, h in enumerate(hits.tolist(), 1)]
    return np.array(found)


def _on_path(look: EveryLook, per_hit: Array, group: Ints | None, looks: Sequence[int] = ()) -> Array:
    """The ends after so many of the draws that a figure speaks of, and after all, by bets on it. What is ruled out
    stays so: whoever ever misses does in the end. Where nothing is left no value lies between the ends."""
    bets, ends = look.path.bets(per_hit), []
    for n, (_, x, low, high) in enumerate(look.path.terms(per_hit, group), start=1):
        bets.add(x, low, high)
        if n in looks:
            ends.append(bets.capital.interval(LEVEL))
    most = bets.capital.most_won
    assert most is not None
    ends.append(bets.capital.interval(LEVEL) if most.min() < -np.log(1 - LEVEL) else (np.inf, -np.inf))
    return np.array(ends)
