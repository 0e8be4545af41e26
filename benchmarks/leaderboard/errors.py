"""Errors against the rivals': the ratios of the table of bars, and how many labels a rival needs for the same error."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.leaderboard.judging import Figure, ratio_of_means, ratio_of_rms
from benchmarks.leaderboard.pools import Entry
from benchmarks.leaderboard.records import Board, Records, together

from fewlabels.core.arrays import Array

PAPERS, PLAIN = "thompson+beta", "uniform+frequency"
_Ratio = Callable[[Array, Array], tuple[float, float]]
_Curve = tuple[str, Records, Array]  # what it is called, its records, its errors (n_runs, n_looks)


@dataclass(frozen=True)
class Kind:
    """One kind of error: in which study, how runs are put together, and what it is held against."""

    name: str
    study: str
    ratio: _Ratio
    mean: Callable[[Array], Array]  # over runs
    ours: Callable[[Records], Array]
    rivals: tuple[tuple[str, str, Callable[[Records], Array]], ...]  # (shown as, method, errors)


def _rms(errors: Array) -> Array:
    return np.asarray(np.sqrt((errors**2).mean(axis=0)))


def _mean(errors: Array) -> Array:
    return np.asarray(errors.mean(axis=0))


def _class_rmse(records: Records) -> Array:
    return records.class_rmse


def _overall(records: Records) -> Array:
    return records.overall_error()


def _ece(records: Records) -> Array:
    return records.ece_error()


CLASSES_PAPERS = Kind("classes", "classes", ratio_of_means, _mean, _class_rmse, ((PAPERS, PAPERS, _class_rmse),))
CLASSES_PLAIN = Kind("classes", "classes", ratio_of_means, _mean, _class_rmse, ((PLAIN, PLAIN, _class_rmse),))
OVERALL = Kind(
    "overall", "overall", ratio_of_rms, _rms, _overall,
    (("uniform", PLAIN, lambda r: r.overall_error("wilson")), ("PPI++", PLAIN, lambda r: r.overall_error("ppi"))),
)  # fmt: skip
OVERALL_PLAIN = Kind("overall", "overall", ratio_of_rms, _rms, _overall, ((PLAIN, PLAIN, _overall),))
ECE = Kind(
    "ECE", "calibration", ratio_of_means, _mean, _ece,
    (
        (PAPERS, PAPERS, _ece),
        (f"{PAPERS}, plug-in", PAPERS, lambda r: r.ece_error(plug_in=True)),
        (PLAIN, PLAIN, _ece),
    ),
)  # fmt: skip
ECE_PLAIN = Kind("ECE", "calibration", ratio_of_means, _mean, _ece, ((PLAIN, PLAIN, _ece),))


def curves(board: Board, entry: Entry, kind: Kind, subject: str) -> list[_Curve]:
    """The subject's errors and its rivals', of the runs that all have; the subject first, or nothing."""
    asked = (("subject", subject, kind.ours), *kind.rivals)
    loaded = [(shown, board.get(entry, kind.study, method), errors) for shown, method, errors in asked]
    if loaded[0][1] is None:
        return []
    there = [(shown, found, errors) for shown, found, errors in loaded if found is not None]
    paired = together(found for _, found, _ in there)
    if paired is None:
        return []
    return [(shown, records, errors(records)) for (shown, _, errors), records in zip(there, paired, strict=True)]


def ratios(board: Board, entry: Entry, kind: Kind, subject: str, looks: Sequence[tuple[str, int]]) -> list[Figure]:
    """The subject's error over that of its best rival, at looks given by name and number."""
    found = curves(board, entry, kind, subject)
    if len(found) < 2:
        return []
    (_, records, ours), *rivals = found
    out = []
    for name, look in looks:
        if look not in records.looks:
            continue
        at = records.looks.index(look)
        best = min(rivals, key=lambda rival: float(kind.mean(rival[2])[at]))
        value, se = kind.ratio(ours[:, at], best[2][:, at])
        out.append(Figure(entry, name, value, se, best[0]))
    return out


def labels_for_equal_error(looks: Sequence[int], theirs: Array, error: float) -> tuple[float, str]:
    """How many labels a rival needs for an error, its curve being a line between looks on logarithmic scales; with "≥"
    or "≤" where that lies beyond the last look or before the first."""
    curve = np.minimum.accumulate(theirs)  # an error that rises again by chance does not help
    if error >= curve[0]:
        return float(looks[0]), "≤"
    if error < curve[-1]:
        return float(looks[-1]), "≥"
    after = int(np.argmax(curve <= error))
    x, y = np.log(looks[after - 1 : after + 1]), np.log(curve[after - 1 : after + 1])
    part = 1.0 if y[0] == y[1] else (y[0] - np.log(error)) / (y[0] - y[1])
    return float(np.exp(x[0] + part * (x[1] - x[0]))), ""


def equal_error(board: Board, entry: Entry, kind: Kind, subject: str, looks: Sequence[int]) -> list[tuple[int, str]]:
    """At each look, how many times as many labels the best rival needs, in words."""
    found = curves(board, entry, kind, subject)
    if len(found) < 2:
        return []
    (_, records, ours), *rivals = found
    out = []
    for look in looks:
        if look not in records.looks:
            continue
        error = float(kind.mean(ours)[records.looks.index(look)])
        needs = [labels_for_equal_error(r.looks, kind.mean(errors), error) for _, r, errors in rivals]
        least, sign = min(needs)
        out.append((look, f"{sign}{least / look:.1f}"))
    return out
