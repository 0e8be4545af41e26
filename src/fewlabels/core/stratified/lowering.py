"""What one more label in each cell of a group is expected to take off the variance of the group's share."""

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.stratified.counts import GroupCounts
from fewlabels.core.stratified.layout import MANY_EXCEPTIONS

_LEAST_CHANCE = 1e-5  # of a node: below, it is left out


def lowering(group: GroupCounts, left: Array, items: float) -> Array:
    """One step ahead, exact over nodes, exception and both outcomes, (n_cells,); minus infinity where a cell has no
    items left. `left` are those of each cell."""
    exception = group.exception(MANY_EXCEPTIONS)
    used = np.flatnonzero((1 - exception) * group.node >= _LEAST_CHANCE)
    chance = (1 - exception) * group.node[used]
    alpha, strength = group.alpha[used], group.strength
    mean, variance = _cells(alpha, strength, left)  # (n_nodes, n_cells)
    m, v = mean.sum(axis=1), variance.sum(axis=1)
    a, b, rest = group.flat_alpha, group.flat_beta, float(left.sum())
    flat_m, flat_v = _cells(np.array(a), np.array(a + b), np.array(rest))
    now = _variance(chance, m, v, exception, float(flat_m), float(flat_v))
    after = np.zeros(len(left))
    for hit in (1, 0):
        p = chance[:, None] * (alpha if hit else strength - alpha) / strength
        mean_1, variance_1 = _cells(alpha + hit, strength + 1, left - 1)
        m_1, v_1 = m[:, None] - mean + mean_1 + hit, v[:, None] - variance + variance_1
        flat_p = exception * (a if hit else b) / (a + b)
        flat_m, flat_v = _cells(np.array(a + hit), np.array(a + b + 1), np.array(rest - 1))
        after += _variance(p, m_1, v_1, flat_p, float(flat_m) + hit, float(flat_v))
    return np.where(left > 0, (now - after) / items**2, -np.inf)


def _cells(alpha: Array, strength: Array, left: Array) -> tuple[Array, Array]:
    """Mean and variance of how many of the items `left` are right, cell by cell."""
    variance = left * (left + strength) * alpha * (strength - alpha) / (strength**2 * (strength + 1))
    return np.asarray(left * alpha / strength), np.asarray(variance)


def _variance(p: Array, m: Array, v: Array, flat_p: float, flat_m: float, flat_v: float) -> Array:
    """Of a mixture, times how likely it is: over the first axis, and the exception."""
    total = p.sum(axis=0) + flat_p
    first = (p * m).sum(axis=0) + flat_p * flat_m
    second = (p * (v + m * m)).sum(axis=0) + flat_p * (flat_v + flat_m**2)
    return np.asarray(second - first**2 / total)
