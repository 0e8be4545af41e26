"""The loops that take the time, compiled: the same sums as in counts.py, certificate.py and lowering.py.

Whoever imports this has Numba.
"""

import math
from typing import TypeAlias

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.compiling import compiled

_FAINT = 1e-14  # chances, beside that of the mode, that the sums end at
_LEAST_CHANCE = 1e-5  # of a node, as in lowering.py
# What is asked of groups: which are named, the margin, scale and shift of their figures, how close figures are equal,
# and which chances are left out.
About: TypeAlias = tuple[Bools, float, float, Array, float, float]


@compiled
def katz(steps: int, mean: Array, variance: Array, weight: Array) -> Array:
    """As in counts.py, from the mode outwards until chances are next to nothing."""
    out, one = np.zeros(steps + 1), np.empty(steps + 1)
    for j in range(len(mean)):
        flipped = mean[j] > steps / 2
        m = max(steps - mean[j] if flipped else mean[j], 1e-9)
        v = max(variance[j], 1e-9)
        a, b = m * m / v, 1 - m / v
        start = min(int(m), steps)
        while start > 0 and a + b * (start - 1) <= 0:
            start -= 1
        one[start], total, low, high = 1.0, 1.0, start, start
        p = 1.0
        for i in range(start, steps):
            ratio = (a + b * i) / (i + 1.0)
            if ratio <= 0:
                break
            p *= ratio
            one[i + 1], high = p, i + 1
            total += p
            if p < _FAINT and ratio < 1:
                break
        p = 1.0
        for i in range(start - 1, -1, -1):
            ratio = (i + 1.0) / (a + b * i)
            p *= ratio
            one[i], low = p, i
            total += p
            if p < _FAINT and ratio < 1:
                break
        scale = weight[j] / total
        for i in range(low, high + 1):
            out[steps - i if flipped else i] += scale * one[i]
    return out


@compiled
def as_one_of_most(
    log_chance: Array, alpha: Array, strength: Array, left: Array, steps: int, pool: bool, least: float
) -> tuple[Array, Array, float]:
    """As in counts.py."""
    top = log_chance.max()
    node = np.exp(log_chance - top)
    total = node.sum()
    node /= total
    if steps == 0:
        return np.ones(1), node, top + np.log(total)
    mean, variance, weight, n = np.zeros(len(node)), np.zeros(len(node)), np.empty(len(node)), 0
    scale = steps / left.sum()
    for j in range(len(node)):
        if node[j] < least:
            continue
        for c in range(len(left)):
            a, s, items = alpha[j, c], strength[c], left[c]
            mean[n] += scale * items * a / s
            spread = items * (items + s) if pool else items * items
            variance[n] += scale * scale * spread * a * (s - a) / (s * s * (s + 1))
        weight[n] = node[j]
        n += 1
    usual = katz(steps, mean[:n], variance[:n], weight[:n])
    return usual / usual.sum(), node, top + np.log(total)


@compiled
def beta_binomial(steps: int, alpha: float, beta: float) -> Array:
    """As in counts.py, from near the mode outwards."""
    out = np.zeros(steps + 1)
    start = min(int(steps * alpha / (alpha + beta)), steps)
    out[start], total = 1.0, 1.0
    p = 1.0
    for i in range(start, steps):
        p *= (steps - i) / (i + 1.0) * (alpha + i) / (beta + steps - i - 1.0)
        out[i + 1] = p
        total += p
    p = 1.0
    for i in range(start - 1, -1, -1):
        p /= (steps - i) / (i + 1.0) * (alpha + i) / (beta + steps - i - 1.0)
        out[i] = p
        total += p
    return out / total


@compiled
def log_chances(alpha: Array, firm: float, labels: Array, hits: Array) -> Array:
    """As in told.py: the logarithm of the chance of the labels of some cells at each node, (n_nodes,)."""
    out = np.zeros(len(alpha))
    whole = 0.0
    for c in range(len(labels)):
        whole += math.lgamma(firm) - math.lgamma(firm + labels[c])
    for j in range(len(alpha)):
        out[j] = whole
        for c in range(len(labels)):
            a, n, k = alpha[j, c], labels[c], hits[c]
            out[j] += math.lgamma(a + k) - math.lgamma(a)
            out[j] += math.lgamma(firm - a + n - k) - math.lgamma(firm - a)
    return out


@compiled
def draw(share: Array, upto: Array, ends: Ints, uniforms: Array, scale: float, shift: Array, out: Array) -> None:
    """As in belief.py: figures drawn by the inverse of each group's distribution, written to the last."""
    for g in range(len(ends) - 1):
        below = upto[ends[g] : ends[g + 1]]
        for i in range(len(uniforms)):
            place = min(np.searchsorted(below, uniforms[i, g] * below[-1]), len(below) - 1)
            out[i, g] = scale * share[ends[g] + place] + shift[g]


@compiled
def _named_values(share: Array, upto: Array, ends: Ints, about: About) -> Array:
    """The figures that groups named may have, rising; `upto` has one entry more a group than `share`."""
    (named, _, scale, shift, _, nothing), out, n = about, np.empty(ends[-1]), 0
    for g in range(len(named)):
        if named[g]:
            for i in range(ends[g], ends[g + 1]):
                if upto[i + g + 1] - upto[i + g] > nothing:
                    out[n] = scale * share[i] + shift[g]
                    n += 1
    return np.unique(out[:n])


@compiled
def _chances_below(
    share: Array, upto: Array, limit: Array, inclusive: bool, scale: float, shift: float, out: Array
) -> None:
    """Of one group, the chance to be below each limit, or at it if that is included, written to the last."""
    i, n = 0, len(share)
    for j in range(len(limit)):
        while i < n:
            value = scale * share[i if scale > 0 else n - 1 - i] + shift
            if value > limit[j] or (value == limit[j] and not inclusive):
                break
            i += 1
        out[j] = upto[i] if scale > 0 else 1 - upto[n - i]


@compiled
def _multiplied(share: Array, upto: Array, ends: Ints, about: About, at: Array, below: Array) -> tuple[Array, Array]:
    """That all of the groups named are at most at each value, and that no other is lower by more than the margin. What
    each is below is written to the last, whose rows may be too few: then each takes the place of one before it."""
    (named, within, scale, shift, same, _), up, clear = about, np.ones(len(at)), np.ones(len(at))
    for g in range(len(named)):
        own, chances, row = share[ends[g] : ends[g + 1]], upto[ends[g] + g : ends[g + 1] + g + 1], below[g % len(below)]
        limit = at + same if named[g] else at - within - same
        _chances_below(own, chances, limit, named[g], scale, shift[g], row)
        for j in range(len(at)):
            if named[g]:
                up[j] *= row[j]
            else:
                clear[j] *= 1 - row[j]
    return up, clear


@compiled
def certificate(share: Array, upto: Array, ends: Ints, about: About) -> tuple[float, Array]:
    """As in certificate.py; `upto` has one entry more a group than `share`."""
    at, named, groups = _named_values(share, upto, ends, about), about[0], len(about[0])
    below = np.empty((groups, len(at)))
    up, clear = _multiplied(share, upto, ends, about, at, below)
    found, open_ = 0.0, np.zeros(groups)
    for j in range(len(at)):
        step = up[j] - (up[j - 1] if j else 0.0)
        found += step * clear[j]
        for g in range(groups):
            if named[g]:
                open_[g] += (below[g, j] - (below[g, j - 1] if j else 0.0)) * (1 - clear[j])
            else:
                open_[g] += step * below[g, j]
    return min(max(found, 0.0), 1.0), open_


@compiled
def certain(share: Array, upto: Array, ends: Ints, about: About) -> float:
    """The first of the two that `certificate` gives."""
    at, found = _named_values(share, upto, ends, about), 0.0
    up, clear = _multiplied(share, upto, ends, about, at, np.empty((1, len(at))))
    for j in range(len(at)):
        found += (up[j] - (up[j - 1] if j else 0.0)) * clear[j]
    return min(max(found, 0.0), 1.0)


@compiled
def _of_cell(alpha: float, strength: float, left: float) -> tuple[float, float]:
    """Mean and variance of how many of the items `left` are right."""
    variance = left * (left + strength) * alpha * (strength - alpha) / (strength * strength * (strength + 1))
    return left * alpha / strength, variance


@compiled
def _after_one(
    chance: Array,
    mean: Array,
    variance: Array,
    alpha: Array,
    strength: float,
    left: float,
    flat: tuple[float, float, float, float],
    hit: int,
) -> float:
    """The variance after a label of one cell, a hit or a miss, times how likely that is; `flat` is the chance of an
    exception, the parameters of its rate, and the items left."""
    p, a, b, rest = flat
    m, v = _of_cell(a + hit, a + b + 1, rest - 1)
    p *= (a if hit else b) / (a + b)
    m += hit
    total, first, second = p, p * m, p * (v + m * m)
    for j in range(len(chance)):
        if chance[j] < _LEAST_CHANCE:
            continue
        m_0, v_0 = _of_cell(alpha[j], strength, left)
        m_1, v_1 = _of_cell(alpha[j] + hit, strength + 1, left - 1)
        m, v = mean[j] - m_0 + m_1 + hit, variance[j] - v_0 + v_1
        p = chance[j] * (alpha[j] if hit else strength - alpha[j]) / strength
        total += p
        first += p * m
        second += p * (v + m * m)
    return second - first * first / total


@compiled
def lowering(
    node: Array,
    alpha: Array,
    strength: Array,
    exception: float,
    flat_alpha: float,
    flat_beta: float,
    left: Array,
    items: float,
) -> Array:
    """As in lowering.py, the first six being what it reads off a group."""
    (nodes, cells), rest, chance = alpha.shape, left.sum(), (1 - exception) * node
    mean, variance = np.zeros(nodes), np.zeros(nodes)
    m, v = _of_cell(flat_alpha, flat_alpha + flat_beta, rest)
    total, first, second = exception, exception * m, exception * (v + m * m)
    for j in range(nodes):
        if chance[j] < _LEAST_CHANCE:
            continue
        for c in range(cells):
            m, v = _of_cell(alpha[j, c], strength[c], left[c])
            mean[j] += m
            variance[j] += v
        total += chance[j]
        first += chance[j] * mean[j]
        second += chance[j] * (variance[j] + mean[j] ** 2)
    now, out, flat = second - first * first / total, np.full(cells, -np.inf), (exception, flat_alpha, flat_beta, rest)
    for c in range(cells):
        if left[c] > 0:
            of_cell = (np.ascontiguousarray(alpha[:, c]), strength[c], left[c])
            hit = _after_one(chance, mean, variance, of_cell[0], of_cell[1], of_cell[2], flat, 1)
            miss = _after_one(chance, mean, variance, of_cell[0], of_cell[1], of_cell[2], flat, 0)
            out[c] = (now - hit - miss) / (items * items)
    return out
