"""What labels tell of levels and spreads, which all groups share, and of the shift of each group."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import betaln

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.loops import Loops
from fewlabels.core.stratified.layout import (
    FIRM,
    HIGHEST,
    KAPPAS,
    LEVELS,
    LOWEST,
    MANY_EXCEPTIONS,
    NODE_WEIGHTS,
    NODES,
    SPREAD_PARTS,
    SPREAD_WEIGHTS,
    SPREADS,
)

_LOOPS = Loops("stratified")
compiled, using = _LOOPS.used, _LOOPS.using

ALPHA = (KAPPAS[:, None] * LEVELS).ravel()
BETA = (KAPPAS[:, None] * (1 - LEVELS)).ravel()
BEFORE = np.tile(np.log(LEVELS) + np.log(LEVELS * (1 - LEVELS)), len(KAPPAS))  # Beta(2, 1), on a grid of logits
LOG_NODES = np.log(NODE_WEIGHTS)
_KEPT_ROWS = 4096  # pairs of labels and hits whose likelihoods are kept at hand


@lru_cache(_KEPT_ROWS)
def _likelihoods(labels: float, hits: float) -> Array:
    """The logarithm of the chance of these labels in one cell, at every kappa and level."""
    return np.asarray(betaln(ALPHA + hits, BETA + labels - hits) - betaln(ALPHA, BETA))


def level_of(labels: Array, hits: Array) -> int:
    """The likeliest level of a stratum, as its place on the grid, from the labels of its cells."""
    pairs = Counter(zip(labels.tolist(), hits.tolist(), strict=True))
    total = BEFORE.copy()
    for (n, k), often in sorted(pairs.items()):  # in an order of their own: sums do not depend on that of the cells
        if n:
            total += often * _likelihoods(n, k)
    return int(total.argmax()) % len(LEVELS)


@lru_cache(64)
def rates_at_nodes(levels: tuple[int, ...]) -> Array:
    """The expected rate of a cell of each stratum, (n_spreads * n_nodes, n_strata)."""
    level = LEVELS[list(levels)]
    shift = (SPREADS[:, None] * NODES).ravel()[:, None]
    return np.clip(1 / (1 + np.exp(-(np.log(level / (1 - level)) + shift))), LOWEST, HIGHEST)


@dataclass(frozen=True)
class Own:
    """What a group's own labels say, the levels being given."""

    log_chance: Array  # (n_spreads * n_nodes,) of the labels, at each node
    by_spread: Array  # (n_spreads,) the same, nodes integrated
    if_exception: float  # the logarithm of their chance, if the group is an exception


NOTHING_TOLD = Own(np.zeros(len(SPREADS) * len(NODES)), np.zeros(len(SPREADS)), 0.0)


def own_of(rates: Array, strata: Ints, labels: Array, hits: Array) -> Own:
    """From the labels of a group's cells; `rates` as of `rates_at_nodes`."""
    told = labels > 0
    n, k = labels[told], hits[told]
    if not len(n):
        return NOTHING_TOLD
    alpha, loops = FIRM * rates[:, strata[told]], compiled()
    if loops is None:
        chance = (betaln(alpha + k, FIRM - alpha + n - k) - betaln(alpha, FIRM - alpha)).sum(axis=1)
    else:
        chance = loops.log_chances(alpha, FIRM, n, k)
    at_nodes = LOG_NODES + chance.reshape(len(SPREADS), -1)
    top = at_nodes.max(axis=1)
    by_spread = top + np.log(np.exp(at_nodes - top[:, None]).sum(axis=1))
    total, right = float(n.sum()), float(k.sum())
    return Own(chance, by_spread, float(betaln(1 + right, 1 + total - right)))


def spread_chances(owns: Sequence[Own]) -> tuple[int, ...]:
    """How likely each spread is after all labels, in parts of `SPREAD_PARTS`."""
    like_others = np.array([own.by_spread for own in owns])
    exception = np.array([own.if_exception for own in owns])[:, None]
    each = np.logaddexp(np.log1p(-MANY_EXCEPTIONS) + like_others, np.log(MANY_EXCEPTIONS) + exception)
    total = np.log(SPREAD_WEIGHTS) + each.sum(axis=0)
    chance = np.exp(total - total.max())
    return tuple(np.rint(SPREAD_PARTS * chance / chance.sum()).astype(int).tolist())


def log_weights(parts: tuple[int, ...]) -> Array:
    """The logarithm of the weight of each node, spreads having these chances, (n_spreads * n_nodes,)."""
    with np.errstate(divide="ignore"):
        return np.asarray((np.log(np.array(parts) / sum(parts))[:, None] + LOG_NODES).ravel())
