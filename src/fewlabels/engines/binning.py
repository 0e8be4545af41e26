"""Score bins: which bin each item falls into, and the bins' names."""

from collections.abc import Iterable
from itertools import groupby, pairwise

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.groups import ScoreBins, ScoreCuts, ScoreLevels, ScoreStrata


def bin_scores(scores: Array, bins: ScoreBins) -> tuple[Ints, tuple[str, ...]]:
    """The bin of each score, and a name for each bin.

    >>> bin_scores(np.array([0.05, 0.95, 1.0]), ScoreBins(2))
    (array([0, 1, 1]), ('0.0–0.5', '0.5–1.0'))
    """
    if bins.by == "width":
        # Compared with the edges b/B themselves: 0.29 * 100 is 28.999… in floating point, 29/100 is 0.29.
        edges = np.arange(1, bins.count) / bins.count
        number = np.searchsorted(edges, scores, side="right")  # so that 1.0 lies in the last bin
        places = max(1, int(np.ceil(np.log10(bins.count))))
        edge = [f"{n / bins.count:.{places}f}" for n in range(bins.count + 1)]
        return number.astype(np.int64), tuple(_distinct(f"{low}–{high}" for low, high in pairwise(edge)))
    values, index, counts = np.unique(scores, return_inverse=True, return_counts=True)
    return _of_equal_mass(values, index.reshape(-1), counts.astype(np.float64), bins.count)


def level_scores(scores: Array, levels: ScoreLevels) -> tuple[Ints, tuple[str, ...]]:
    """The level of each score, and a name for each.

    >>> level_scores(np.array([0.5, 0.9, 1.0, 1.0]), ScoreLevels(2))
    (array([0, 1, 1, 1]), ('0.500–0.500', '0.900–1.000'))
    """
    values, index, counts = np.unique(scores, return_inverse=True, return_counts=True)
    doubt = counts * np.sqrt(values * (1 - values))
    weight = levels.doubt if doubt.any() else 0.0
    mass = (1 - weight) * counts / len(scores) + (weight * doubt / doubt.sum() if weight else 0.0)
    return _of_equal_mass(values, index.reshape(-1), mass, levels.count)


def _of_equal_mass(values: Array, index: Ints, mass: Array, count: int) -> tuple[Ints, tuple[str, ...]]:
    """Runs of distinct values that hold about equal parts of the mass, the run of each item, and a name for each."""
    # Equal scores stay together: each distinct score goes where the middle of its mass falls.
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    number = np.minimum((middle * count).astype(np.int64), count - 1)
    _, first, of_value = np.unique(number, return_index=True, return_inverse=True)
    lows, highs = values[first], values[np.append(first[1:], len(values)) - 1]  # both rise, and so do the numbers
    names = tuple(_distinct(f"{low:.3f}–{high:.3f}" for low, high in zip(lows.tolist(), highs.tolist(), strict=True)))
    return of_value[index].reshape(-1).astype(np.int64), names


def stratify_scores(scores: Array, strata: ScoreStrata) -> tuple[Ints, tuple[str, ...]]:
    """The stratum of each score, counted from the lowest, and a name for each.

    >>> stratify_scores(np.array([0.1, 0.9, 0.8, 0.8]), ScoreStrata("fraud"))
    (array([0, 2, 1, 1]), ('0.1', '0.8', '0.9'))
    """
    values, index, counts = np.unique(scores, return_inverse=True, return_counts=True)
    rank = len(scores) - np.cumsum(counts)  # items of a higher score
    edges = [0]
    while edges[-1] < len(scores):
        edges.append(edges[-1] + max(1, edges[-1] // strata.fineness))
    number = np.searchsorted(np.array(edges), rank, side="right")
    # A run of equal scores takes one stratum; the next score starts another, whatever rank it has.
    fresh = np.flatnonzero(np.diff(number, prepend=number[0] + 1))
    of_value = np.searchsorted(fresh, np.arange(len(values)), side="right") - 1
    names = tuple(_distinct(f"{values[i]:.6g}" for i in fresh.tolist()))
    return of_value[index.reshape(-1)].reshape(-1).astype(np.int64), names


def cut_scores(scores: Array, cuts: ScoreCuts) -> tuple[Ints, tuple[str, ...]]:
    """How many thresholds each score reaches.

    >>> cut_scores(np.array([0.1, 0.2, 0.7]), ScoreCuts("fraud", (0.2, 0.5)))
    (array([0, 1, 2]), ('below 0.2', '0.2 or more', '0.5 or more'))
    """
    number = np.searchsorted(np.array(cuts.thresholds), scores, side="right")
    names = (f"below {cuts.thresholds[0]:g}", *(f"{t:g} or more" for t in cuts.thresholds))
    return number.astype(np.int64), names


def edge_names(edges: tuple[float, ...]) -> tuple[str, ...]:
    """A name for each level between two edges.

    >>> edge_names((0.5, 0.9))
    ('0.000–0.500', '0.500–0.900', '0.900–1.000')
    """
    return tuple(_distinct(f"{low:.3f}–{high:.3f}" for low, high in pairwise((0.0, *edges, 1.0))))


def _distinct(names: Iterable[str]) -> list[str]:
    """Names in rising order, with a count added where rounding made some alike; those follow one another."""
    runs = (list(run) for _, run in groupby(names))
    return [name if times == 1 else f"{name} ({times})" for run in runs for times, name in enumerate(run, start=1)]
