"""How sure it is that the groups named are the ones asked for, or at most a margin away from them."""

from collections.abc import Sequence

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.certificate import Certificate, Figures
from fewlabels.core.stratified.counts import GroupCounts
from fewlabels.core.stratified.layout import FEW_EXCEPTIONS, MANY_EXCEPTIONS
from fewlabels.core.stratified.told import compiled

SAME = 1e-12  # figures closer than this are equal
NOTHING = 1e-13  # chances that are left out


def certificate(
    counts: Sequence[GroupCounts], named: Bools, missing: Array, within: float, figures: Figures
) -> Certificate:
    """For the groups `named` of all; `missing` are the labels that cells lack."""
    looped = _looped(counts, named, within, figures)
    many, few = looped or [_at(counts, named, within, figures, w) for w in (MANY_EXCEPTIONS, FEW_EXCEPTIONS)]
    return Certificate(many[0], few[0], many[1], missing)


def _looped(
    counts: Sequence[GroupCounts], named: Bools, within: float, figures: Figures
) -> list[tuple[float, Array]] | None:
    """The same by compiled loops."""
    if (loops := compiled()) is None:
        return None
    share, ends = packed(counts)
    about = (named, within, figures.scale, figures.shift, SAME, NOTHING)
    both = (np.concatenate([c.upto(w) for c in counts]) for w in (MANY_EXCEPTIONS, FEW_EXCEPTIONS))
    return [loops.certificate(share, upto, ends, about) for upto in both]


def packed(counts: Sequence[GroupCounts]) -> tuple[Array, Ints]:
    """The shares that groups may have, one group after the other, and where each ends."""
    shares = [c.share for c in counts]
    return np.concatenate(shares), np.cumsum([0, *map(len, shares)])


def _at(
    counts: Sequence[GroupCounts], named: Bools, within: float, figures: Figures, exceptions: float
) -> tuple[float, Array]:
    """P(largest of the named <= least of the others + within), groups being independent, and of each group by itself
    the chance that it stands in the way."""
    rising = [(figures.of(g, c.share), c.upto(exceptions)) for g, c in enumerate(counts)]
    if figures.scale < 0:
        rising = [(value[::-1], 1 - upto[::-1]) for value, upto in rising]
    kept = [value[np.diff(upto) > NOTHING] for (value, upto), is_named in zip(rising, named, strict=True) if is_named]
    at = np.unique(np.concatenate(kept))
    below = np.array(
        [
            upto[np.searchsorted(value, *((at + SAME, "right") if is_named else (at - within - SAME, "left")))]
            for (value, upto), is_named in zip(rising, named, strict=True)
        ]
    )
    inside, outside = below[named], below[~named]
    up = np.diff(np.concatenate([[0.0], inside.prod(axis=0)]))  # of the largest of the named
    clear = (1 - outside).prod(axis=0)  # no other is lower by more than the margin
    open_ = np.empty(len(counts))
    open_[~named] = outside @ up
    of_each = np.diff(np.concatenate([np.zeros((len(inside), 1)), inside], axis=1), axis=1)
    open_[named] = of_each @ (1 - clear)
    return float(np.clip((up * clear).sum(), 0.0, 1.0)), open_
