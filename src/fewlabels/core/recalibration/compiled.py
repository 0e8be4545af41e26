"""The loops that take the time, compiled: the same sums as in fit.py and draws.py, group by group. Whoever imports this
has Numba."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import njit

from fewlabels.core.arrays import Array, Ints

F = TypeVar("F", bound=Callable[..., Any])
_FULL = 1e200  # products are taken the logarithm of before they are larger


def _compiled(function: F) -> F:
    made: F = njit(cache=True, nogil=True, error_model="numpy")(function)
    return made


# -- the search of a fit -----------------------------------------------------------------------------------------------


@_compiled
def _look(
    linear: Array,
    effect: Array,
    hits: Array,
    labels: Array,
    ends: Ints,
    sd: Array,
    centre: Array,
    weight: Array,
    rest: Array,
    own: Array,
    slope: Array,
    log_part: Array,
) -> None:
    """At one point, written to the last five: each cell's curvature and residual (2, n_cells), their sums by group with
    the prior's, and the logarithm of the group's part of the posterior."""
    for k in range(2):
        inverse = sd[k] ** -2.0
        log_inverse = 0.5 * np.log(inverse)
        for g in range(len(ends) - 1):
            total, product = 0.0, 1.0
            apart = effect[k, g] - centre[k, g]
            heavy, pulled = inverse, -inverse * apart
            for c in range(ends[g], ends[g + 1]):
                eta = linear[c] + effect[k, g]
                odds = np.exp(-abs(eta))
                rate = (1.0 if eta > 0 else odds) / (1 + odds)
                w, r = labels[c] * rate * (1 - rate) + 1e-12, hits[c] - labels[c] * rate
                weight[k, c], rest[k, c] = w, r
                heavy += w
                pulled += r
                total += hits[c] * eta - labels[c] * max(eta, 0.0)
                if labels[c] == 1.0:
                    product *= 1 + odds
                    if product > _FULL:
                        total -= np.log(product)
                        product = 1.0
                else:
                    total -= labels[c] * np.log1p(odds)
            own[k, g], slope[k, g] = heavy, pulled
            log_part[k, g] = total - np.log(product) - 0.5 * inverse * apart * apart + log_inverse


@_compiled
def _shares(own: Array, log_part: Array, log_share: Array, share: Array) -> float:
    """Which part of each group is an exception, written to the last; and the logarithm of the sum of both."""
    evidence = 0.0
    for g in range(own.shape[1]):
        usual = log_share[0] + log_part[0, g] - 0.5 * np.log(own[0, g])
        other = log_share[1] + log_part[1, g] - 0.5 * np.log(own[1, g])
        less = np.exp(-abs(usual - other))
        evidence += max(usual, other) + np.log1p(less)
        share[1, g] = (less if usual > other else 1.0) / (1 + less)
        share[0, g] = 1 - share[1, g]
    return evidence


@_compiled
def _eliminate(
    weight: Array,
    rest: Array,
    own: Array,
    slope: Array,
    share: Array,
    ends: Ints,
    terms: Array,
    cross: Array,
    curvature: Array,
    pull: Array,
) -> None:
    """Cells and groups added to the curvature (its lower half) and the pull of beta, effects eliminated."""
    n_terms = terms.shape[1]
    cross[:] = 0.0
    for g in range(len(ends) - 1):
        for c in range(ends[g], ends[g + 1]):
            heavy = share[0, g] * weight[0, c] + share[1, g] * weight[1, c]
            pulled = share[0, g] * rest[0, c] + share[1, g] * rest[1, c]
            for i in range(n_terms):
                term = terms[c, i]
                cross[0, g, i] += weight[0, c] * term
                cross[1, g, i] += weight[1, c] * term
                pull[i] += pulled * term
                term *= heavy
                for j in range(i + 1):
                    curvature[i, j] += term * terms[c, j]
        for k in range(2):
            part = share[k, g] / own[k, g]
            for i in range(n_terms):
                term = part * cross[k, g, i]
                pull[i] -= slope[k, g] * term
                for j in range(i + 1):
                    curvature[i, j] -= term * cross[k, g, j]


@_compiled
def _solved(curvature: Array, step: Array) -> float:
    """The curvature's upper half is filled, and the step solved in place; the logarithm of its root's determinant."""
    n, log_root = len(step), 0.0
    root = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            value = curvature[i, j]
            curvature[j, i] = value
            for m in range(j):
                value -= root[i, m] * root[j, m]
            root[i, j] = np.sqrt(value) if i == j else value / root[j, j]
        log_root += np.log(root[i, i])
        for m in range(i):
            step[i] -= root[i, m] * step[m]
        step[i] /= root[i, i]
    for i in range(n - 1, -1, -1):
        for m in range(i + 1, n):
            step[i] -= root[m, i] * step[m]
        step[i] /= root[i, i]
    return log_root


@_compiled
def _height(share: Array, log_part: Array, precision: Array, beta: Array) -> float:
    total = 0.0
    for i in range(len(beta)):
        total -= 0.5 * precision[i] * beta[i] ** 2
    for k in range(2):
        for g in range(share.shape[1]):
            total += share[k, g] * log_part[k, g]
    return total


@_compiled
def _linear(offset: Array, terms: Array, beta: Array, out: Array) -> None:
    for c in range(len(offset)):
        total = offset[c]
        for i in range(len(beta)):
            total += terms[c, i] * beta[i]
        out[c] = total


@_compiled
def _next_step(
    point: tuple[Array, ...], ends: Ints, terms: Array, precision: Array, beta: Array, log_share: Array, cross: Array
) -> tuple[float, float, float]:
    """The next step of a point, written to its last parts; how long it is, what is left to climb, and the evidence."""
    weight, rest, own, slope, log_part, share, curvature, step, step_of = point
    evidence, pull = 0.0, np.empty(len(step))
    for i in range(len(step)):
        for j in range(len(step)):
            curvature[i, j] = precision[i] if i == j else 0.0
        step[i] = -precision[i] * beta[i]
        evidence += np.log(precision[i]) - precision[i] * beta[i] ** 2
    evidence = 0.5 * evidence + _shares(own, log_part, log_share, share)
    _eliminate(weight, rest, own, slope, share, ends, terms, cross, curvature, step)
    for i in range(len(step)):
        pull[i] = step[i]
    evidence -= _solved(curvature, step)
    longest, climb = 0.0, 0.0
    for i in range(len(step)):
        longest = max(longest, abs(step[i]))
        climb += pull[i] * step[i]
    for k in range(2):
        for g in range(len(ends) - 1):
            value = slope[k, g]
            for i in range(len(step)):
                value -= cross[k, g, i] * step[i]
            step_of[k, g] = value / own[k, g]
            longest = max(longest, abs(step_of[k, g]))
    return longest, 0.5 * climb, evidence


@_compiled
def _move(
    point: tuple[Array, ...],
    told: tuple[Array, Array, Ints],
    offset: Array,
    terms: Array,
    precision: Array,
    sd: Array,
    centre: Array,
    beta: Array,
    effect: Array,
    far: float,
    least_step: float,
) -> None:
    """A step onwards; where it leads downhill, the half of it, and so on down to the least."""
    weight, rest, own, slope, log_part, share, _, step, step_of = point
    before, linear = _height(share, log_part, precision, beta), np.empty(len(offset))
    from_beta, from_effect = beta.copy(), effect.copy()
    while True:
        for i in range(len(beta)):
            beta[i] = from_beta[i] + far * step[i]
        for k in range(2):
            for g in range(effect.shape[1]):
                effect[k, g] = from_effect[k, g] + far * step_of[k, g]
        _linear(offset, terms, beta, linear)
        _look(linear, effect, *told, sd, centre, weight, rest, own, slope, log_part)
        if far <= least_step or _height(share, log_part, precision, beta) >= before - 1e-9:
            break
        far *= 0.5


@_compiled
def search(
    told: tuple[Array, Array, Ints],
    by_reading: tuple[Array, Array, Array],
    by_point: tuple[Ints, Array, Array, Array],
    log_share: Array,
    rules: tuple[int, float, float, float, float],
    found: tuple[Array, Array, Array, Array, Array],
) -> None:
    """Newton's method at every point, in step, written to the last five: fit._searched."""
    (offset, terms, away), (reading, precision, sds, log_prior) = by_reading, by_point
    (most_steps, near, large, least_step, hopeless), (beta, averaged, exception, curvature, log_evidence) = rules, found
    n_points, n_cells, n_groups, ends = len(reading), len(told[0]), away.shape[1], told[2]
    weight, rest = np.empty((2, n_points, 2, n_cells))
    own, slope, log_part, share, step_of, effect, centre = np.zeros((7, n_points, 2, n_groups))
    cross, step = np.empty((2, n_groups, precision.shape[1])), np.empty(precision.shape)
    (longest, climb), active = np.empty((2, n_points)), np.ones(n_points, dtype=np.bool_)
    beta[:] = 0.0
    for p in range(n_points):
        v = reading[p]
        for g in range(n_groups):
            centre[p, 1, g] = away[v, g]
        _look(offset[v], effect[p], *told, sds[:, p], centre[p], weight[p], rest[p], own[p], slope[p], log_part[p])
    best = -np.inf
    for steps in range(most_steps):
        for p in range(n_points):
            if not active[p]:
                continue
            point = (weight[p], rest[p], own[p], slope[p], log_part[p], share[p], curvature[p], step[p], step_of[p])
            shared = (terms[reading[p]], precision[p], beta[p], log_share, cross)
            longest[p], climb[p], log_evidence[p] = _next_step(point, ends, *shared)
            best = max(best, log_evidence[p] + log_prior[p])
        for p in range(n_points):
            if not active[p]:
                continue
            behind = log_evidence[p] + log_prior[p] + 2 * abs(climb[p]) < best - hopeless
            if behind or longest[p] < near or steps == most_steps - 1:
                active[p] = False
                for g in range(n_groups):
                    averaged[p, g] = share[p, 0, g] * effect[p, 0, g] + share[p, 1, g] * effect[p, 1, g]
                    exception[p, g] = share[p, 1, g]
                continue
            point = (weight[p], rest[p], own[p], slope[p], log_part[p], share[p], curvature[p], step[p], step_of[p])
            least = least_step if longest[p] > large else 1.0
            v = reading[p]
            at = (precision[p], sds[:, p], centre[p], beta[p], effect[p])
            _move(point, told, offset[v], terms[v], *at, 1.0, least)
        if not active.any():
            break


# -- the effects of groups in draws ------------------------------------------------------------------------------------


@_compiled
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


@_compiled
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


@_compiled
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


@_compiled
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


@_compiled
def picked(upto: Array, rows: Ints, at: Array, pick: Ints) -> None:
    """The first node of every group of these rows at which its sum reaches `at` of the whole, written to the last."""
    for i in range(len(rows)):
        for g in range(upto.shape[1]):
            sums = upto[rows[i], g]
            level, n = at[i, g] * sums[-1], 0
            while sums[n] < level:
                n += 1
            pick[i, g] = n
