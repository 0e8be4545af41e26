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
def search(
    hits: Array,
    labels: Array,
    ends: Ints,
    offset: Array,
    terms: Array,
    reading: Ints,
    precision: Array,
    sds: Array,
    away: Array,
    log_share: Array,
    log_prior: Array,
    most_steps: int,
    near: float,
    large: float,
    least_step: float,
    hopeless: float,
    beta: Array,
    averaged: Array,
    exception: Array,
    curvature: Array,
    log_evidence: Array,
) -> None:
    """Newton's method at every point, in step, written to the last five: fit._searched."""
    n_points, n_terms, n_groups, n_cells = len(reading), precision.shape[1], len(ends) - 1, len(hits)
    of_cells, of_groups = (n_points, 2, n_cells), (n_points, 2, n_groups)
    weight, rest, linear = np.empty(of_cells), np.empty(of_cells), np.empty(n_cells)
    effect, centre, share = np.zeros(of_groups), np.zeros(of_groups), np.empty(of_groups)
    log_part, own, slope, step_of = np.empty(of_groups), np.empty(of_groups), np.empty(of_groups), np.empty(of_groups)
    cross, step = np.empty((2, n_groups, n_terms)), np.empty((n_points, n_terms))
    longest, climb, active = np.empty(n_points), np.empty(n_points), np.ones(n_points, dtype=np.bool_)
    beta[:] = 0.0
    for p in range(n_points):
        centre[p, 1] = away[reading[p]]
        _look(offset[reading[p]], effect[p], hits, labels, ends, sds[:, p], centre[p], weight[p], rest[p], own[p],
              slope[p], log_part[p])  # fmt: skip
    best = -np.inf
    for steps in range(most_steps):
        for p in range(n_points):
            if not active[p]:
                continue
            curvature[p], step[p] = np.diag(precision[p]), -precision[p] * beta[p]
            normal = 0.5 * (np.log(precision[p]) - precision[p] * beta[p] ** 2).sum()
            evidence = _shares(own[p], log_part[p], log_share, share[p]) + normal
            _eliminate(weight[p], rest[p], own[p], slope[p], share[p], ends, terms[reading[p]], cross, curvature[p],
                       step[p])  # fmt: skip
            pull = step[p].copy()
            log_evidence[p] = evidence - _solved(curvature[p], step[p])
            climb[p], longest[p] = 0.5 * (pull * step[p]).sum(), np.abs(step[p]).max()
            for k in range(2):
                for g in range(n_groups):
                    value = slope[p, k, g]
                    for i in range(n_terms):
                        value -= cross[k, g, i] * step[p, i]
                    step_of[p, k, g] = value / own[p, k, g]
                    longest[p] = max(longest[p], abs(step_of[p, k, g]))
            best = max(best, log_evidence[p] + log_prior[p])
        for p in range(n_points):
            if not active[p]:
                continue
            behind = log_evidence[p] + log_prior[p] + 2 * abs(climb[p]) < best - hopeless
            if behind or longest[p] < near or steps == most_steps - 1:
                active[p] = False
                averaged[p], exception[p] = share[p, 0] * effect[p, 0] + share[p, 1] * effect[p, 1], share[p, 1]
                continue
            far, before = 1.0, _height(share[p], log_part[p], precision[p], beta[p])
            from_beta, from_effect = beta[p].copy(), effect[p].copy()
            while True:
                beta[p], effect[p] = from_beta + far * step[p], from_effect + far * step_of[p]
                _linear(offset[reading[p]], terms[reading[p]], beta[p], linear)
                _look(linear, effect[p], hits, labels, ends, sds[:, p], centre[p], weight[p], rest[p], own[p],
                      slope[p], log_part[p])  # fmt: skip
                worse = _height(share[p], log_part[p], precision[p], beta[p]) < before - 1e-9
                if not (worse and far > least_step and longest[p] > large):
                    break
                far *= 0.5
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
def effects(
    linear: Array,
    hits: Array,
    labels: Array,
    ends: Ints,
    sds: Array,
    centre: Array,
    log_shares: Array,
    places: Array,
    spacing: float,
    most_steps: int,
    longest: float,
    near: float,
    furthest: float,
    middle: Array,
    width: Array,
    upto: Array,
    log_likelihood: Array,
) -> None:
    """What the effects of groups may be given each draw of beta, written to the last four: draws._Effects."""
    n_groups, n_nodes = len(ends) - 1, len(places)
    odds_of, at_middle, log_root = np.empty(linear.shape[1]), n_nodes // 2, 0.5 * np.log(2 * np.pi)
    density, height = np.empty((2, n_nodes)), np.empty(2)
    for row in range(len(linear)):
        total = 0.0
        for g in range(n_groups):
            right, at_nought = 0.0, 0.0
            for c in range(ends[g], ends[g + 1]):
                eta = min(max(linear[row, c], -furthest), furthest)
                odds_of[c] = np.exp(eta)
                right += hits[c]
                at_nought += hits[c] * eta
            odds, own = odds_of[ends[g] : ends[g + 1]], labels[ends[g] : ends[g + 1]]
            for k in range(2):
                sd = sds[k, row]
                inverse, about = 1 / (sd * sd), centre[row, g] if k else 0.0
                effect, curvature = _mode(odds, own, right, inverse, about, most_steps, longest, near)
                wide = 1 / np.sqrt(curvature)
                middle[row, k, g], width[row, k, g] = effect, wide
                part, product = _log_and_product(odds, own, np.exp(effect))
                level = right * effect - 0.5 * inverse * (effect - about) ** 2 - part - np.log(product)
                height[k] = level + at_nought + np.log(spacing * wide / sd) - log_root + log_shares[k, row]
                for n in range(n_nodes):
                    if n == at_middle:
                        density[k, n] = 1.0
                        continue
                    node = effect + places[n] * wide
                    part, product = _log_and_product(odds, own, np.exp(node))
                    apart = right * node - 0.5 * inverse * (node - about) ** 2 - part - level
                    density[k, n] = np.exp(apart) / product
            top, summed = max(height[0], height[1]), 0.0
            for k in range(2):
                scale = np.exp(height[k] - top)
                for n in range(n_nodes):
                    summed += scale * density[k, n]
                    upto[row, g, k * n_nodes + n] = summed
            total += top + np.log(summed)
        log_likelihood[row] = total


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
