"""A Beta distribution in steps, compiled: what `core.stratified.counts` takes of SciPy for groups of many items."""

import math

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.compiling import compiled
from fewlabels.core.stratified.counts import MOST_STEPS

_places, _weights = np.polynomial.legendre.leggauss(5)
_AT = (np.arange(1, MOST_STEPS)[:, None] + _places / 2) / MOST_STEPS  # (n_steps - 1, 5) inside of each step
_LOG, _LOG_REST = np.log(_AT), np.log1p(-_AT)
_WEIGHTS = np.asarray(_weights / 2 / MOST_STEPS)
_FAINT = -100.0  # logarithm of a density beside that of the mode: below, it is left out
_LEAST = 1e-17  # of a sum: smaller terms are left out


@compiled
def _first(alpha: float, beta: float, end: float, top: float) -> float:
    """The integral of x^(alpha - 1) (1 - x)^(beta - 1) from 0 to a small end, divided by exp(top): a power series."""
    term, total, n = 1.0, 1 / alpha, 0
    while abs(term) > _LEAST * alpha * total:
        n += 1
        term *= (n - beta) / n * end
        total += term / (alpha + n)
    return total * math.exp(alpha * math.log(end) - top)


@compiled
def beta_steps(steps: int, alpha: float, beta: float) -> Array:
    """As in counts.py, for `MOST_STEPS` and parameters of at least one: each step by quadrature, two at either end
    by their series."""
    out, a, b, end = np.zeros(steps + 1), alpha - 1, beta - 1, 0.5 / steps
    mode = min(max(a / (a + b) if a + b > 0 else 0.5, end), 1 - end)
    top = a * math.log(mode) + b * math.log1p(-mode)
    out[0], out[steps] = _first(alpha, beta, end, top), _first(beta, alpha, end, top)
    out[1], out[steps - 1] = _first(alpha, beta, 3 * end, top) - out[0], _first(beta, alpha, 3 * end, top) - out[steps]
    for i in range(2, steps - 1):
        for j in range(len(_WEIGHTS)):
            exponent = a * _LOG[i - 1, j] + b * _LOG_REST[i - 1, j] - top
            if exponent > _FAINT:
                out[i] += _WEIGHTS[j] * math.exp(exponent)
    out /= out.sum()
    return out
