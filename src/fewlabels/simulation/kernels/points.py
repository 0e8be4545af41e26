"""Brackets of keyed Beta draws, without inverting the distribution function.

Every arm keeps a few points t with u = F(t) and the density p there, under its present Beta distribution F. A keyed
uniform between two points has its draw between them. Where the density only rises or only falls from one to the other,
F lies on one side of the chord and on the other side of both tangents, which narrows the bracket to second order. A
label does not void the points: the density changes by a factor and F by one closed-form term,

    F(t; a + 1, b) = F(t; a, b) - t (1 - t) p(t) / a,
    F(t; a, b + 1) = F(t; a, b) + t (1 - t) p(t) / b.

A further point comes from a neighbour by the Taylor series of the density, whose coefficients obey a recurrence.
"""

import math

import numpy as np

from fewlabels.core.compiling import compiled, inlined
from fewlabels.simulation.kernels.keyed import Record

POINTS = 8  # points kept for each arm
ARM = np.dtype(
    [
        ("a", "f8"),
        ("b", "f8"),  # the present Beta distribution
        ("hits", "f8"),
        ("misses", "f8"),
        ("left", "i8"),  # items without a label
        ("w", "f8"),
        ("v", "f8"),
        ("h", "f8"),
        ("m", "f8"),  # the reward of a draw is w (v - (theta h + (1 - theta) m))
        ("slack", "f8"),  # by how much bounds of the reward are widened
        ("rising", "i8"),  # whether the reward rises with the draw
        ("drawn", "f8"),
        ("stamp", "i8"),  # the exact reward, and of which draw
        ("kept", "i8"),  # points kept,
        ("u", "f8", POINTS),
        ("t", "f8", POINTS),
        ("p", "f8", POINTS),  # by rising t
    ],
    align=True,
)
# SciPy's inverse errs by less than SLACK in u or in theta (a test measures it), and so do the points' u (a test
# measures that too): brackets are widened by both.
SLACK = 1e-9
INNER = 1e-6  # points are kept this far from 0 and 1, where F(t) and u agree to the last digits
SPLIT = 1e-4  # points closer than this in u are not narrowed between, so that rounding stays far below SLACK
REACH, SPREADS = 0.4, 2.0  # a series goes this share of the way to 0 or 1 at most, and so many standard deviations
TERMS = 90  # at such distances sixty terms are enough; with more something is wrong, and the point is not made
NEAR = 0.001  # a point closer than this in u may bracket a draw by itself
CLOSE = 1e-10  # new points this close to an old one tell nothing


@inlined
def bend(a: float, b: float, left: float, right: float) -> int:
    """Whether the density rises (1) or falls (-1) all the way from left to right; 0 if neither is sure."""
    at_left, at_right = (a - 1) * (1 - left) - (b - 1) * left, (a - 1) * (1 - right) - (b - 1) * right
    if at_left >= 0 and at_right >= 0:
        return 1
    return -1 if at_left <= 0 and at_right <= 0 else 0


@inlined
def around(arm: Record, u: float) -> tuple[int, int]:
    """The last point surely below u, and the first surely above it; -1 and `kept` where there is none."""
    below, above, left = u - 2 * SLACK, u + 2 * SLACK, -1
    for i in range(arm.kept):
        if arm.u[i] < below:
            left = i
        elif arm.u[i] > above:
            return left, i
    return left, arm.kept


@inlined
def draw_near(at: float, t: float, p: float, a: float, b: float, u: float) -> tuple[float, float]:
    """Between what a draw near the point (at, t, p) lies.

    With d = (u - F(t)) / p and |(log p)'| <= q as far as 2 |d| from t, where 2 |d| q <= 1/2, the draw is t + d to
    within q d^2. A bound of (log p)'' on the way gives q.
    """
    d = (u - at) / p
    if 4 * abs(d) > min(t, 1 - t):
        return 0.0, 1.0
    second = 4 * (abs(a - 1) / (t * t) + abs(b - 1) / ((1 - t) * (1 - t)))
    q = abs((a - 1) / t - (b - 1) / (1 - t)) + 2 * abs(d) * second
    if 4 * abs(d) * q > 1:
        return 0.0, 1.0
    error = q * d * d + 8 * SLACK / p
    return t + d - error, t + d + error


@inlined
def draw_between(arm: Record, u: float) -> tuple[float, float]:
    """Between what the draw lies, given its uniform, up to SLACK."""
    a, b = arm.a, arm.b
    u1, t1, p1, u2, t2, p2 = 0.0, 0.0, 0.0, 1.0, 1.0, 0.0  # before the first point is 0, after the last 1
    left, right = around(arm, u)
    if left >= 0:
        u1, t1, p1 = arm.u[left], arm.t[left], arm.p[left]
    if right < arm.kept:
        u2, t2, p2 = arm.u[right], arm.t[right], arm.p[right]
    low, high = t1, t2
    for i in range(max(left, 0), min(right + 1, arm.kept)):
        if abs(u - arm.u[i]) < NEAR:
            x, y = draw_near(arm.u[i], arm.t[i], arm.p[i], a, b, u)
            low, high = max(low, x), min(high, y)
    way = bend(a, b, t1, t2)
    if way == 0 or u2 - u1 < SPLIT or right > left + 1:
        return low, high
    below, above, chord = u - 2 * SLACK, u + 2 * SLACK, (t2 - t1) / (u2 - u1)
    if way > 0:
        low = max(low, t1 + (below - u1) * chord)
        if p1 > 0:
            high = min(high, t1 + (above - u1) / p1)
        if p2 > 0:
            high = min(high, t2 - (u2 - above) / p2)
    else:
        high = min(high, t1 + (above - u1) * chord)
        if p1 > 0:
            low = max(low, t1 + (below - u1) / p1)
        if p2 > 0:
            low = max(low, t2 - (u2 - below) / p2)
    return low, high


@inlined
def share_between(arm: Record, t: float) -> tuple[float, float]:
    """Between what F(t) lies, up to SLACK."""
    u1, t1, p1, u2, t2, p2 = 0.0, 0.0, -1.0, 1.0, 1.0, -1.0
    for i in range(arm.kept):
        at = arm.t[i]
        if at >= t:
            u2, t2, p2 = arm.u[i], at, arm.p[i]
            break
        u1, t1, p1 = arm.u[i], at, arm.p[i]
    way = bend(arm.a, arm.b, t1, t2)
    if way == 0 or u2 - u1 < SPLIT or t2 - t1 < INNER:
        return u1, u2
    chord, nothing = u1 + (t - t1) * (u2 - u1) / (t2 - t1), u1 if way > 0 else u2
    after = u1 + (t - t1) * p1 if p1 >= 0 else nothing
    before = u2 - (t2 - t) * p2 if p2 >= 0 else nothing
    return (max(u1, after, before), chord) if way > 0 else (chord, min(u2, after, before))


@inlined
def carry(arm: Record, outcome: int) -> None:
    """The points after one more label: 0 a hit, 1 a miss. `a` and `b` are still those before it."""
    share, sign = (1 / arm.a, -1.0) if outcome == 0 else (1 / arm.b, 1.0)
    for i in range(arm.kept):
        t, p = arm.t[i], arm.p[i]
        arm.u[i] += sign * p * t * (1 - t) * share
        arm.p[i] = p * (t if outcome == 0 else 1 - t) * (arm.a + arm.b) * share


@compiled
def crowded(arm: Record) -> int:
    """The point that is missed least: where its neighbours' chances of a good draw are closest in ratio."""
    least, where = np.inf, 0
    for i in range(arm.kept):
        below = arm.u[i - 1] if i > 0 else 0.0
        above = arm.u[i + 1] if i < arm.kept - 1 else 1.0
        few, many = (1 - above, 1 - below) if arm.rising else (below, above)
        ratio = (many + 1e-3) / (few + 1e-3)
        if ratio < least:
            least, where = ratio, i
    return where


@inlined
def move(arm: Record, source: int, target: int) -> None:
    arm.u[target], arm.t[target], arm.p[target] = arm.u[source], arm.t[source], arm.p[source]


@compiled
def keep(arm: Record, u: float, t: float, p: float) -> None:
    """Add a point, by rising t; of too many, the one missed least goes first."""
    if arm.kept == POINTS:
        arm.kept -= 1
        for i in range(crowded(arm), arm.kept):
            move(arm, i + 1, i)
    at = arm.kept
    while at > 0 and arm.t[at - 1] > t:
        move(arm, at - 1, at)
        at -= 1
    arm.u[at], arm.t[at], arm.p[at] = u, t, p
    arm.kept += 1


@compiled
def series(a: float, b: float, t: float, p: float, h: float) -> tuple[float, float]:
    """The integral of the density from t to t + h, and the density there, from the density p at t.

    p' t (1 - t) = ((a - 1)(1 - t) - (b - 1) t) p gives the coefficients of p(t + h) one after the other.
    """
    slope, fall, r = (a - 1) * (1 - t) - (b - 1) * t, 1 - 2 * t, h / (t * (1 - t))
    before, term, total, area = 0.0, p, p, p
    for n in range(TERMS):
        new = r / (n + 1) * ((slope - fall * n) * term - h * (a + b - 1 - n) * before)
        before, term = term, new
        total += term
        area += term / (n + 2)
        if abs(term) + abs(before) < 1e-17 * abs(area):
            return area * h, total
    return np.nan, np.nan


@compiled
def guess(a: float, b: float, u0: float, t0: float, p0: float, u: float) -> float:
    """Where F reaches u, roughly: the series of the inverse to second order, or far out the power law of the tail."""
    d = (u - u0) / p0
    curve = d * ((a - 1) / t0 - (b - 1) / (1 - t0)) / 2
    if abs(curve) < 0.5:
        return t0 + d * (1 - curve)
    if u < u0:
        return t0 * math.pow(u / u0, 1 / a)
    return 1 - (1 - t0) * math.pow((1 - u) / (1 - u0), 1 / b)


@compiled
def add_point(arm: Record, near: int, t: float) -> bool:
    """Add a point at t, or as far on the way there from a point at hand as its series goes; False if there is none."""
    a, b, t0 = arm.a, arm.b, arm.t[near]
    far = min(REACH * min(t0, 1 - t0), SPREADS * math.sqrt(t0 * (1 - t0) / (a + b)))
    t = min(max(t, t0 - far), t0 + far)
    if not INNER < t < 1 - INNER or abs(t - t0) < CLOSE:
        return False
    area, p = series(a, b, t0, arm.p[near], t - t0)
    if not (p > 0 and abs(area) < 1):
        return False
    keep(arm, arm.u[near] + area, t, p)
    return True


@compiled
def refine(arm: Record, u: float) -> bool:
    """Add a point near the draw of this uniform; False where no further point would tell."""
    left, right = around(arm, u)
    if arm.kept == 0 or right > left + 1:
        return False
    near = right if left < 0 else left
    if left >= 0 and right < arm.kept and (u - arm.u[left]) * arm.p[right] > (arm.u[right] - u) * arm.p[left]:
        near = right
    low, high = draw_between(arm, u)
    t = guess(arm.a, arm.b, arm.u[near], arm.t[near], arm.p[near], u)
    return add_point(arm, near, t if low < t < high else 0.5 * (low + high))


@compiled
def sharpen(arm: Record, t: float) -> None:
    """Add a point at t, where F is to be known well."""
    if arm.kept > 0:
        near = 0
        for i in range(1, arm.kept):
            if abs(arm.t[i] - t) < abs(arm.t[near] - t):
                near = i
        add_point(arm, near, t)
