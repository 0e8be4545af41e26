"""Intervals that are to hold at every look: whether they ever miss on a whole path, and how wide they are."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from benchmarks.stops.labels import begin, wilson
from benchmarks.stops.pools import Case

import fewlabels as fl
from fewlabels.core.anytime import Capital
from fewlabels.core.arrays import Array
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
    capital, ends = _on_path(look, np.full(at.assessment.cells.count, 1 / at.items), looks)
    low, high = wilson(at.items, np.array(looks, dtype=np.float64), at.accuracy * np.array(looks))
    widths = {str(n): float((b - a) / w) for n, (a, b), w in zip(looks, ends, high - low, strict=True)}
    labelled, of_groups = np.unique(groups.index[evidence.cell]).tolist(), look.of_rows(at.assessment.lens, along=True)
    missed = np.mean([_missed(of_groups[group], float(at.truth.values[group])) for group in labelled])
    whole = _missed(capital, at.accuracy)
    return {"labels": evidence.count, "missed": whole, "groups": float(missed), "widths": widths}


def _missed(capital: Capital, value: float) -> bool:
    """Whether the value was ever given up; so it was where all were."""
    assert capital.most_won is not None
    low, high = replace(capital, log_won=capital.most_won).interval(LEVEL)
    return not low - _SLACK <= value <= high + _SLACK or bool(capital.most_won.min() >= -np.log(1 - LEVEL))


def _on_path(look: EveryLook, per_hit: Array, looks: Sequence[int]) -> tuple[Capital, list[tuple[float, float]]]:
    """What is won by bets on the whole pool, and the ends after so many draws."""
    bets, ends = look.path.bets(per_hit), []
    for n, (_, worth, told) in enumerate(look.path.terms(per_hit), start=1):
        bets.add(worth, told)
        if n in looks:
            ends.append(bets.capital.interval(LEVEL))
    return bets.capital, ends
