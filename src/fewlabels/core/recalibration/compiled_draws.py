"""The effects of groups in draws, compiled: the same sums as in draws.py, group by group. Whoever imports this has
Numba."""

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.compiling import compiled

_FULL = 1e200  # products are taken the logarithm of before they are larger


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
    part, product = _log_and_product(odds, labels, np.exp(mode))
    level = right * mode - 0.5 * inverse * (mode - about) ** 2 - part - np.log(product)
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
