"""The loops that take the time, compiled: the same sums as in counts.py, certificate.py and lowering.py. Whoever imports
this has Numba."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import njit

from fewlabels.core.arrays import Array

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
def look_up(value: Array, upto: Array, at: Array, inclusive: bool, out: Array) -> None:
    """Chances of values up to each of `at`, both rising, written to the last; those equal to it included, or not."""
    i, n = 0, len(value)
    for j in range(len(at)):
        if inclusive:
            while i < n and value[i] <= at[j]:
                i += 1
        else:
            while i < n and value[i] < at[j]:
                i += 1
        out[j] = upto[i]


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
