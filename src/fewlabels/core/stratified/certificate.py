"""How sure it is that the groups named are the ones asked for, or at most a margin away from them."""

from collections.abc import Sequence

import numpy as np

from fewlabels.core.arrays import Array, Bools
from fewlabels.core.certificate import LEAST_OF_EACH, Certificate, Figures
from fewlabels.core.stratified.counts import GroupCounts
from fewlabels.core.stratified.layout import FEW_EXCEPTIONS, MANY_EXCEPTIONS
from fewlabels.core.stratified.told import compiled

_SAME = 1e-12  # figures closer than this are equal
_NOTHING = 1e-13  # chances that are left out


def certificate(
    counts: Sequence[GroupCounts], items: Array, labels: Array, named: Bools, within: float, figures: Figures
) -> Certificate:
    """For the groups `named` of all, their items and labels being known."""
    many, open_ = _at(counts, named, within, figures, MANY_EXCEPTIONS)
    few, _ = _at(counts, named, within, figures, FEW_EXCEPTIONS)
    return Certificate(many, few, open_, np.maximum(np.minimum(LEAST_OF_EACH, items) - labels, 0.0))


def _at(
    counts: Sequence[GroupCounts], named: Bools, within: float, figures: Figures, exceptions: float
) -> tuple[float, Array]:
    """P(largest of the named <= least of the others + within), groups being independent, and of each group by itself
    the chance that it stands in the way."""
    rising = [(figures.of(g, c.share), c.upto(exceptions)) for g, c in enumerate(counts)]
    if figures.scale < 0:
        rising = [(value[::-1], 1 - upto[::-1]) for value, upto in rising]
    kept = [value[np.diff(upto) > _NOTHING] for (value, upto), is_named in zip(rising, named, strict=True) if is_named]
    at = np.unique(np.concatenate(kept))
    below = _looked_up(rising, named, at, within)
    inside, outside = below[named], below[~named]
    up = np.diff(np.concatenate([[0.0], inside.prod(axis=0)]))  # of the largest of the named
    clear = (1 - outside).prod(axis=0)  # no other is lower by more than the margin
    open_ = np.empty(len(counts))
    open_[~named] = outside @ up
    of_each = np.diff(np.concatenate([np.zeros((len(inside), 1)), inside], axis=1), axis=1)
    open_[named] = of_each @ (1 - clear)
    return float(np.clip((up * clear).sum(), 0.0, 1.0)), open_


def _looked_up(rising: Sequence[tuple[Array, Array]], named: Bools, at: Array, within: float) -> Array:
    """Of each group named the chance to be at most `at`, of any other to be lower than that by more than the margin,
    (n_groups, n_values)."""
    if (loops := compiled()) is not None:
        out = np.empty((len(rising), len(at)))
        for g, (value, upto) in enumerate(rising):
            loops.look_up(value, upto, at + _SAME if named[g] else at - within - _SAME, bool(named[g]), out[g])
        return out
    return np.array(
        [
            upto[np.searchsorted(value, at + _SAME, "right")]
            if is_named
            else upto[np.searchsorted(value, at - within - _SAME, "left")]
            for (value, upto), is_named in zip(rising, named, strict=True)
        ]
    )
