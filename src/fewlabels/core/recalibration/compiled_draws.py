"""The effects of groups in draws, compiled: the same sums as in draws.py, group by group. Whoever imports this has
Numba."""

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.compiling import compiled

_FULL = 1e200  # products are taken the logarithm of before they are larger
_STEEPEST = 200.0  # logarithm of a density, beside that at its mode, that is reached by products
_BY_INVERSION = 30.0  # expected hits up to which NumPy draws a binomial by inversion


@compiled
def _mode(
    odds: Array, labels: Array, right: float, inverse: float, about: float, most_steps: int, longest: float, near: float
) -> tuple[float, float]:
    """Of one group's effect, and the curvature there: _Rates.mode."""
    effect, curvature = 0.0, inverse
    for _ in range(most_steps):
        scale, curvature, step = np.exp(effect), inverse, right - inverse * (effect - about)
        for c in range(len(odds)):
            odd = odds[c] * scale
            less = 1 / (1 + odd)
            likely = labels[c] * odd * less
            curvature += likely * less
            step -= likely
        step /= curvature
        effect += min(max(step, -longest), longest)
        if abs(step) < near:
            break
    return effect, curvature


@compiled
def _log_and_product(odds: Array, labels: Array, scale: float) -> tuple[float, float]:
    """The sum of labels * log(1 + odds * scale), as a part of it and the product that the rest is the logarithm of."""
    part, product = 0.0, 1.0
    for c in range(len(odds)):
        more = 1 + odds[c] * scale
        if labels[c] == 1.0:
            product *= more
            if product > _FULL:
                part += np.log(product)
                product = 1.0
        else:
            part += labels[c] * np.log(more)
    return part, product


@compiled
def _densities(
    odds: Array,
    labels: Array,
    right: float,
    about: float,
    inverse: float,
    mode: float,
    wide: float,
    places: Array,
    density: Array,
) -> float:
    """The posterior of one group's effect at the nodes, relative to that at its mode, written to the last; and the
    logarithm of that, but for what does not depend on the effect."""
    scale = np.exp(mode)
    part, product = _log_and_product(odds, labels, scale)
    level = right * mode - 0.5 * inverse * (mode - about) ** 2 - part - np.log(product)
    apart = wide * (places[1] - places[0])
    tilt, steps = apart * (right - inverse * (mode - about)), (len(places) - 1) // 2
    if part == 0.0 and abs(tilt) * steps < _STEEPEST:
        # nodes are equally far apart: outwards, each is the one before times what the step is worth
        bend, density[steps] = np.exp(-0.5 * inverse * apart * apart), 1.0
        for way in (-1, 1):
            growth, tilted, height, at, bent = np.exp(way * apart), np.exp(way * tilt), product, scale, bend
            for m in range(1, steps + 1):
                height, at = height * tilted * bent, at * growth
                bent *= bend * bend
                part, among = _log_and_product(odds, labels, at)
                density[steps + way * m] = height * np.exp(-part) / among if part != 0.0 else height / among
        return float(level)
    for n in range(len(places)):
        node = mode + places[n] * wide
        part, product = _log_and_product(odds, labels, np.exp(node))
        density[n] = np.exp(right * node - 0.5 * inverse * (node - about) ** 2 - part - level) / product
    return float(level)


@compiled
def effects(
    linear: Array,
    told: tuple[Array, Array, Ints],
    prior: tuple[Array, Array, Array],
    nodes: tuple[Array, float],
    rules: tuple[int, float, float, float],
    found: tuple[Array, Array, Array, Array],
) -> None:
    """What the effects of groups may be given each draw of beta, written to the last four: draws._Effects."""
    (hits, labels, ends), (sds, centre, log_shares), (places, spacing) = told, prior, nodes
    (most_steps, longest, near, furthest), (middle, width, upto, log_likelihood) = rules, found
    odds_of, constant = np.empty(linear.shape[1]), np.log(spacing) - 0.5 * np.log(2 * np.pi)
    density, height = np.empty((2, len(places))), np.empty(2)
    log_likelihood[:] = 0.0
    for row in range(len(linear)):
        for g in range(len(ends) - 1):
            right, at_nought = 0.0, 0.0
            for c in range(ends[g], ends[g + 1]):
                eta = min(max(linear[row, c], -furthest), furthest)
                odds_of[c] = np.exp(eta)
                right += hits[c]
                at_nought += hits[c] * eta
            odds, own = odds_of[ends[g] : ends[g + 1]], labels[ends[g] : ends[g + 1]]
            for k in range(2):
                inverse, about = sds[k, row] ** -2.0, centre[row, g] if k else 0.0
                mode, curvature = _mode(odds, own, right, inverse, about, most_steps, longest, near)
                wide = 1 / np.sqrt(curvature)
                middle[row, k, g], width[row, k, g] = mode, wide
                level = _densities(odds, own, right, about, inverse, mode, wide, places, density[k])
                height[k] = level + at_nought + np.log(wide / sds[k, row]) + constant + log_shares[k, row]
            top, summed = max(height[0], height[1]), 0.0
            for k in range(2):
                scale = np.exp(height[k] - top)
                for n in range(len(places)):
                    summed += scale * density[k, n]
                    upto[row, g, k * len(places) + n] = summed
            log_likelihood[row] += top + np.log(summed)


@compiled
def picked(upto: Array, rows: Ints, at: Array, pick: Ints) -> None:
    """The first node of every group of these rows at which its sum reaches `at` of the whole, written to the last."""
    for i in range(len(rows)):
        for g in range(upto.shape[1]):
            sums = upto[rows[i], g]
            level, n = at[i, g] * sums[-1], 0
            while sums[n] < level:
                n += 1
            pick[i, g] = n


@compiled
def _inverted(rng: np.random.Generator, n: int, p: float) -> int:
    """A binomial draw as NumPy makes it where few hits are expected, from the same random numbers."""
    none, base, rest = 1.0, 1 - p, n
    while rest:  # (1 - p) ** n
        if rest & 1:
            none *= base
        base *= base
        rest >>= 1
    odds, u, k, chance = p / (1 - p), rng.random(), 0, none
    while u > chance:
        k += 1
        if k > n or (k > 10 and k > n * p + 10 * np.sqrt(n * p * (1 - p) + 1)):
            k, u, chance = 0, rng.random(), none
        else:
            u -= chance
            chance *= odds * (n - k + 1) / k
    return k


@compiled
def items_right(rng: np.random.Generator, left: Ints, theta: Array, out: Array) -> None:
    """How many of the items left in each cell are right, at each draw of its rate, written to the last: the same as
    rng.binomial's."""
    for i in range(len(theta)):
        for c in range(len(left)):
            n, flipped = left[c], theta[i, c] > 0.5
            p = 1 - theta[i, c] if flipped else theta[i, c]
            if n == 0 or theta[i, c] == 0:
                k = 0
            elif n * p <= _BY_INVERSION:
                k = _inverted(rng, n, p)
            else:
                k = rng.binomial(n, p)
            out[i, c] = n - k if flipped else k
