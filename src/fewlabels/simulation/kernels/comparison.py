"""Compiled look-ahead of a comparison: lambda after one more label in either of two groups.

G(x) = P(theta_0 - theta_1 < x) at the two ends of the region of practical equivalence gives mu, and lambda = max(mu).
One more label changes a Beta distribution function by a closed-form term (`points.py`), and so G by

    -I_0 / a_0 or +I_0 / b_0,  I_0 = integral of p_0(t) p_1(s) t (1 - t),  t = s + x,
    +I_1 / a_1 or -I_1 / b_1,  I_1 = integral of p_0(t) p_1(s) s (1 - s):

two integrals an end give all four outcomes, and the one that happens brings G up to date; no distribution function is
evaluated. With s = lo + L q, q = 1 / (1 + exp(-y)), y = centre + width sinh(z), the trapezoidal rule in z converges
exponentially, whatever the powers at the ends.
"""

import math

import numpy as np

from fewlabels.core.compiling import compiled, inlined
from fewlabels.simulation.kernels.keyed import Record

DUEL = np.dtype(
    [
        ("arms", "i8", 2),
        ("at", "f8", 2),  # x, the ends of the region
        ("below", "f8", 2),  # G(x)
        ("change", "f8", (2, 2, 2)),  # of G by a label: end, arm, 0 for a hit and 1 for a miss
    ],
    align=True,
)
# Allowed for in bounds. Mostly a look-ahead agrees with quadrature over quantiles far better; with powers well below
# one they have differed by 3e-8, and groups whose rewards are that close may be chosen differently by the plain step.
ERROR = 1e-10
STEP, MOST = 0.17, 140  # of the trapezoidal rule: exp(-2 pi (pi / 4) / STEP) = 2e-13; sinh(24) is far enough
_SINH, _COSH = np.sinh(STEP * np.arange(MOST)), np.cosh(STEP * np.arange(MOST))
NEGLIGIBLE = 1e-17
HALVINGS = 40


@compiled
def top(a0: float, b0: float, a1: float, b1: float, x: float) -> float:
    """Where s^a1 (1 - s)^b1 t^a0 (1 - t)^b0 is largest, as a share q of the way through."""
    size, low, high = 1 - abs(x), 0.0, 1.0
    for _ in range(HALVINGS):
        q = 0.5 * (low + high)
        near, far = size * q, size * (1 - q)  # to the lower and the upper end, of whichever of s and t is closer
        s, t = (near, near + x) if x > 0 else (near - x, near)
        s_far, t_far = (far + x, far) if x > 0 else (far, far - x)
        if a1 / s - b1 / s_far + a0 / t - b0 / t_far > 0:
            low = q
        else:
            high = q
    return 0.5 * (low + high)


@inlined
def at_node(a0: float, b0: float, a1: float, b1: float, x: float, constant: float, y: float) -> tuple[float, float]:
    """The integrands of I_0 and I_1 for dy."""
    size, tail = 1 - abs(x), math.exp(-abs(y))
    both = math.log1p(tail)
    log_q, log_rest = min(y, 0.0) - both, -max(y, 0.0) - both
    q, rest = (1 / (1 + tail), tail / (1 + tail)) if y > 0 else (tail / (1 + tail), 1 / (1 + tail))
    near, far, log_size = size * q, size * rest, math.log(size)
    if x > 0:
        t, s_far = near + x, far + x
        power = a1 * (log_size + log_q) + b1 * math.log(s_far) + a0 * math.log(t) + b0 * (log_size + log_rest)
        value = math.exp(power - constant)
        return value * rest / s_far, value * q / t
    s, t_far = near - x, far - x
    log_s = math.log(s) if x < 0 else log_size + log_q  # at x = 0 s itself may be too small for a float
    log_t_far = math.log(t_far) if x < 0 else log_size + log_rest
    power = a1 * log_s + b1 * (log_size + log_rest) + a0 * (log_size + log_q) + b0 * log_t_far
    value = math.exp(power - constant)
    return value * (q / s if s > 0 else 1.0), value * (rest / t_far if t_far > 0 else 1.0)


@compiled
def integrals(a0: float, b0: float, a1: float, b1: float, x: float) -> tuple[float, float]:
    """I_0 and I_1."""
    if abs(x) >= 1:
        return 0.0, 0.0
    constant = math.lgamma(a0) + math.lgamma(b0) - math.lgamma(a0 + b0)
    constant += math.lgamma(a1) + math.lgamma(b1) - math.lgamma(a1 + b1)
    # Powers below one make long flat tails; the centre is put where the integrand begins to fall, not inside a tail.
    c0, d0, c1, d1 = max(a0, 1.0), max(b0, 1.0), max(a1, 1.0), max(b1, 1.0)
    q, size = top(c0, d0, c1, d1, x), 1 - abs(x)
    s, t = (size * q, size * q + x) if x > 0 else (size * q - x, size * q)
    curve = c1 / (s * s) + d1 / ((1 - s) * (1 - s)) + c0 / (t * t) + d0 / ((1 - t) * (1 - t))
    width = 1 / (math.sqrt(curve) * size * q * (1 - q))
    centre, first, second = math.log(q / (1 - q)), 0.0, 0.0
    for side in (1, -1):
        for i in range(0 if side == 1 else 1, MOST):
            f, g = at_node(a0, b0, a1, b1, x, constant, centre + side * width * _SINH[i])
            f, g = f * _COSH[i], g * _COSH[i]
            first += f
            second += g
            if f < NEGLIGIBLE * first and g < NEGLIGIBLE * second:
                break
    return first * width * STEP, second * width * STEP


@inlined
def confidence(below: float, not_above: float) -> float:
    """lambda from P(D < -e) and P(D <= e)."""
    return max(below, not_above - below, 1 - not_above)  # the middle one, if negative, is not the largest


@compiled
def look_ahead(duel: Record, a0: float, b0: float, a1: float, b1: float) -> None:
    """What G changes by, whichever label comes next."""
    for i in range(2):
        first, second = integrals(a0, b0, a1, b1, duel.at[i])
        duel.change[i, 0, 0], duel.change[i, 0, 1] = -first / a0, first / b0
        duel.change[i, 1, 0], duel.change[i, 1, 1] = second / a1, -second / b1


@inlined
def lambda_after(duel: Record, arm: int, outcome: int) -> float:
    """lambda after one more label in one of the two arms."""
    below = min(max(duel.below[0] + duel.change[0, arm, outcome], 0.0), 1.0)
    not_above = min(max(duel.below[1] + duel.change[1, arm, outcome], 0.0), 1.0)
    return confidence(below, not_above)


@inlined
def note(duel: Record, arm: int, outcome: int) -> None:
    """The label came: G is brought up to date."""
    place = 0 if arm == duel.arms[0] else 1
    for i in range(2):
        duel.below[i] = min(max(duel.below[i] + duel.change[i, place, outcome], 0.0), 1.0)
