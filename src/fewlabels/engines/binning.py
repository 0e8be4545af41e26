"""Score bins: which bin each item falls into, and the bins' names.

Bins that depend on all scores are runs of values. Up to `EXACT` items the values are the scores themselves; in larger
pools they are the steps of a fixed fine grid, which every engine can count in one pass: finest near 0 and 1.
"""

from collections.abc import Iterable
from itertools import groupby, pairwise

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.groups import ScoreBins, ScoreCuts, ScoreLevels, ScoreStrata

EXACT = 1_000_000  # items of a pool whose scores are told apart exactly
STEPS, FINEST = 10, 23  # the grid: 2^10 steps from one power of two to the next, down to 2^-23
Runs = tuple[Ints, tuple[str, ...]]  # the run of each value, and the runs' names


def on_grid(scores: Array) -> Array:
    """Each score as the step of the grid it stands for: that below it, or above it from one half on. 0 and 1 stay.

    >>> on_grid(np.array([0.0, 0.3, 0.5, 0.999999, 1.0])).round(7).tolist()
    [0.0, 0.2998047, 0.5, 0.999999, 1.0]
    """
    high = scores >= 0.5
    near = np.where(high, 1 - scores, scores)  # exact, as is all that follows
    power = np.clip(-np.frexp(near)[1], 1, FINEST) + STEPS + 1
    step = np.ldexp(np.floor(np.ldexp(near, power)), -power)
    return np.asarray(np.where(high, 1 - step, step), dtype=np.float64)


def _counted(scores: Array) -> tuple[Array, Ints, Ints]:
    """The distinct values of scores, which of them each score is, and how often there is each."""
    values, index, counts = np.unique(
        scores if len(scores) <= EXACT else on_grid(scores), return_inverse=True, return_counts=True
    )
    return values, index.reshape(-1), counts


def runs_of(grouping: ScoreBins | ScoreLevels | ScoreStrata, values: Array, counts: Ints) -> Runs:
    """Which run each distinct value belongs to, and the runs' names; values in rising order, and how often each is."""
    match grouping:
        case ScoreBins():
            return _of_equal_mass(values, counts.astype(np.float64), grouping.count)
        case ScoreLevels():
            return _levels(values, counts, grouping)
    return _strata(values, counts, grouping)


def _in_runs(scores: Array, grouping: ScoreBins | ScoreLevels | ScoreStrata) -> Runs:
    values, index, counts = _counted(scores)
    of_value, names = runs_of(grouping, values, counts)
    return of_value[index], names


def bin_scores(scores: Array, bins: ScoreBins) -> tuple[Ints, tuple[str, ...]]:
    """The bin of each score, and a name for each bin.

    >>> bin_scores(np.array([0.05, 0.95, 1.0]), ScoreBins(2))
    (array([0, 1, 1]), ('0.0–0.5', '0.5–1.0'))
    """
    if bins.by == "width":
        edges, names = edges_of(bins)
        return np.searchsorted(edges, scores, side="right").astype(np.int64), names
    return _in_runs(scores, bins)


def edges_of(grouping: ScoreBins | ScoreCuts) -> tuple[Array, tuple[str, ...]]:
    """Edges that do not depend on the scores, and the names of the groups between them: a score on an edge belongs to
    the group above it, and 1.0 to the last bin."""
    if isinstance(grouping, ScoreCuts):
        cuts = grouping.thresholds
        return np.array(cuts), (f"below {cuts[0]:g}", *(f"{t:g} or more" for t in cuts))
    count = grouping.count
    places = max(1, int(np.ceil(np.log10(count))))
    edge = [f"{n / count:.{places}f}" for n in range(count + 1)]
    # Compared with the edges b/B themselves: 0.29 * 100 is 28.999… in floating point, 29/100 is 0.29.
    return np.arange(1, count) / count, tuple(_distinct(f"{low}–{high}" for low, high in pairwise(edge)))


def level_scores(scores: Array, levels: ScoreLevels) -> tuple[Ints, tuple[str, ...]]:
    """The level of each score, and a name for each.

    >>> level_scores(np.array([0.5, 0.9, 1.0, 1.0]), ScoreLevels(2))
    (array([0, 1, 1, 1]), ('0.500–0.500', '0.900–1.000'))
    """
    return _in_runs(scores, levels)


def _levels(values: Array, counts: Ints, levels: ScoreLevels) -> Runs:
    doubt = counts * np.sqrt(values * (1 - values))
    weight = levels.doubt if doubt.any() else 0.0
    mass = (1 - weight) * counts / counts.sum() + (weight * doubt / doubt.sum() if weight else 0.0)
    return _of_equal_mass(values, mass, levels.count)


def _of_equal_mass(values: Array, mass: Array, count: int) -> Runs:
    """Runs of distinct values that hold about equal parts of the mass."""
    # Equal scores stay together: each distinct score goes where the middle of its mass falls.
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    number = np.minimum((middle * count).astype(np.int64), count - 1)
    _, first, of_value = np.unique(number, return_index=True, return_inverse=True)
    lows, highs = values[first], values[np.append(first[1:], len(values)) - 1]  # both rise, and so do the numbers
    names = tuple(_distinct(f"{low:.3f}–{high:.3f}" for low, high in zip(lows.tolist(), highs.tolist(), strict=True)))
    return of_value.reshape(-1).astype(np.int64), names


def stratify_scores(scores: Array, strata: ScoreStrata) -> tuple[Ints, tuple[str, ...]]:
    """The stratum of each score, counted from the lowest, and a name for each.

    >>> stratify_scores(np.array([0.1, 0.9, 0.8, 0.8]), ScoreStrata("fraud"))
    (array([0, 2, 1, 1]), ('0.1', '0.8', '0.9'))
    """
    return _in_runs(scores, strata)


def _strata(values: Array, counts: Ints, strata: ScoreStrata) -> Runs:
    total = int(counts.sum())
    rank = total - np.cumsum(counts)  # items of a higher score
    edges = [0]
    while edges[-1] < total:
        edges.append(edges[-1] + max(1, edges[-1] // strata.fineness))
    number = np.searchsorted(np.array(edges), rank, side="right")
    # A run of equal scores takes one stratum; the next score starts another, whatever rank it has.
    fresh = np.flatnonzero(np.diff(number, prepend=number[0] + 1))
    of_value = np.searchsorted(fresh, np.arange(len(values)), side="right") - 1
    names = tuple(_distinct(f"{values[i]:.6g}" for i in fresh.tolist()))
    return of_value.astype(np.int64), names


def cut_scores(scores: Array, cuts: ScoreCuts) -> tuple[Ints, tuple[str, ...]]:
    """How many thresholds each score reaches.

    >>> cut_scores(np.array([0.1, 0.2, 0.7]), ScoreCuts("fraud", (0.2, 0.5)))
    (array([0, 1, 2]), ('below 0.2', '0.2 or more', '0.5 or more'))
    """
    edges, names = edges_of(cuts)
    return np.searchsorted(edges, scores, side="right").astype(np.int64), names


def _distinct(names: Iterable[str]) -> list[str]:
    """Names in rising order, with a count added where rounding made some alike; those follow one another."""
    runs = (list(run) for _, run in groupby(names))
    return [name if times == 1 else f"{name} ({times})" for run in runs for times, name in enumerate(run, start=1)]
