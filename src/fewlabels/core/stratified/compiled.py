"""The loops that take the time, compiled: the same sums as in counts.py, certificate.py and lowering.py.

Whoever imports this has Numba.
"""

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import njit

from fewlabels.core.arrays import Array, Bools, Ints

F = TypeVar("F", bound=Callable[..., Any])
_FAINT = 1e-14  # chances, beside that of the mode, that the sums end at
_LEAST_CHANCE = 1e-5  # of a node, as in lowering.py


def _compiled(function: F) -> F:
    made: F = njit(cache=True, nogil=True, error_model="numpy")(function)
    return made


@_compiled
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


@_compiled
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


@_compiled
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


@_compiled
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


@_compiled
def draw(share: Array, upto: Array, ends: Ints, uniforms: Array, scale: float, shift: Array, out: Array) -> None:
    """As in belief.py: figures drawn by the inverse of each group's distribution, written to the last."""
    for g in range(len(ends) - 1):
        below = upto[ends[g] : ends[g + 1]]
        for i in range(len(uniforms)):
            place = min(np.searchsorted(below, uniforms[i, g] * below[-1]), len(below) - 1)
            out[i, g] = scale * share[ends[g] + place] + shift[g]


@_compiled
def certificate(
    share: Array,
    upto: Array,
    ends: Ints,
    named: Bools,
    within: float,
    scale: float,
    shift: Array,
    same: float,
    nothing: float,
) -> tuple[float, Array]:
    """As in certificate.py; `upto` has one entry more a group than `share`."""
    groups, total = len(named), 0
    for g in range(groups):
        if named[g]:
            total += ends[g + 1] - ends[g]
    at, n = np.empty(total), 0
    for g in range(groups):
        if named[g]:
            for i in range(ends[g], ends[g + 1]):
                if upto[i + g + 1] - upto[i + g] > nothing:
                    at[n] = scale * share[i] + shift[g]
                    n += 1
    at = np.unique(at[:n])
    n = len(at)
    below = np.empty((groups, n))
    for g in range(groups):
        first, last, i = ends[g], ends[g + 1], 0
        size = last - first
        for j in range(n):
            limit = at[j] + same if named[g] else at[j] - within - same
            while i < size:
                place = first + i if scale > 0 else last - 1 - i
                value = scale * share[place] + shift[g]
                if value > limit or (value == limit and not named[g]):
                    break
                i += 1
            below[g, j] = upto[first + g + i] if scale > 0 else 1 - upto[last + g - i]
    up, clear, open_ = np.ones(n), np.ones(n), np.zeros(groups)
    for g in range(groups):
        for j in range(n):
            if named[g]:
                up[j] *= below[g, j]
            else:
                clear[j] *= 1 - below[g, j]
    found = 0.0
    for j in range(n):
        found += (up[j] - (up[j - 1] if j else 0.0)) * clear[j]
    for g in range(groups):
        for j in range(n):
            if named[g]:
                open_[g] += (below[g, j] - (below[g, j - 1] if j else 0.0)) * (1 - clear[j])
            else:
                open_[g] += (up[j] - (up[j - 1] if j else 0.0)) * below[g, j]
    return min(max(found, 0.0), 1.0), open_


@_compiled
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
    nodes, cells = alpha.shape
    mean, variance = np.zeros(nodes), np.zeros(nodes)
    flat_total, rest = flat_alpha + flat_beta, left.sum()
    now_p, now_m, now_q = exception, 0.0, 0.0
    m = rest * flat_alpha / flat_total
    v = rest * (rest + flat_total) * flat_alpha * flat_beta / (flat_total**2 * (flat_total + 1))
    now_m, now_q = exception * m, exception * (v + m * m)
    for j in range(nodes):
        p = (1 - exception) * node[j]
        if p < _LEAST_CHANCE:
            continue
        for c in range(cells):
            a, s, n = alpha[j, c], strength[c], left[c]
            mean[j] += n * a / s
            variance[j] += n * (n + s) * a * (s - a) / (s * s * (s + 1))
        now_p += p
        now_m += p * mean[j]
        now_q += p * (variance[j] + mean[j] ** 2)
    now = now_q - now_m * now_m / now_p
    out = np.empty(cells)
    for c in range(cells):
        if left[c] <= 0:
            out[c] = -np.inf
            continue
        after = 0.0
        for hit in range(2):
            fa, fs, fl = flat_alpha + hit, flat_total + 1, rest - 1
            p = exception * (flat_alpha if hit else flat_beta) / flat_total
            m = fl * fa / fs + hit
            v = fl * (fl + fs) * fa * (fs - fa) / (fs * fs * (fs + 1))
            total, first, second = p, p * m, p * (v + m * m)
            for j in range(nodes):
                p = (1 - exception) * node[j]
                if p < _LEAST_CHANCE:
                    continue
                a, s, n = alpha[j, c], strength[c], left[c]
                m = mean[j] - n * a / s
                v = variance[j] - n * (n + s) * a * (s - a) / (s * s * (s + 1))
                p *= (a if hit else s - a) / s
                a, s, n = a + hit, s + 1, n - 1
                m += n * a / s + hit
                v += n * (n + s) * a * (s - a) / (s * s * (s + 1))
                total += p
                first += p * m
                second += p * (v + m * m)
            after += second - first * first / total
        out[c] = (now - after) / (items * items)
    return out
