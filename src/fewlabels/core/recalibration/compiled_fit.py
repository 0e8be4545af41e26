"""The search of a fit, compiled: the same sums as in fit.py, group by group. Whoever imports this has Numba."""

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.compiling import compiled, summing

_FULL, _LARGE = 1e200, 1e100  # products are taken the logarithm of before they are larger
_FURTHEST = 30.0  # of a logit: beyond, nothing changes
_FAR = 90.0  # of an effect that a step leads to: beyond, odds are as there, and what they lack is a straight line


@summing
def _linear(offset: Array, terms: Array, beta: Array, out: Array) -> None:
    for c in range(len(offset)):
        out[c] = offset[c]
    for i in range(len(beta)):
        for c in range(len(offset)):
            out[c] += terms[i, c] * beta[i]


@compiled
def _look(
    linear: Array,
    effect: Array,
    told: tuple[Array, Array, Ints],
    sd: Array,
    centre: Array,
    odds_of: Array,
    weight: Array,
    rest: Array,
    own: Array,
    slope: Array,
    part: Array,
    product: Array,
) -> None:
    """At one point, written to the last six: each cell's curvature and residual (2, n_cells), their sums by group with
    the prior's, and the group's part of the posterior: the logarithm of this is `part` less that of `product`."""
    hits, labels, ends = told
    for g in range(len(ends) - 1):
        right, at_nought, told_of = 0.0, 0.0, 0.0
        for c in range(ends[g], ends[g + 1]):
            eta = min(max(linear[c], -_FURTHEST), _FURTHEST)
            odds_of[c] = np.exp(eta)
            right += hits[c]
            told_of += labels[c]
            at_nought += hits[c] * eta
        for k in range(2):
            inverse, apart, scale = sd[k] ** -2.0, effect[k, g] - centre[k, g], np.exp(min(effect[k, g], _FAR))
            own[k, g], slope[k, g] = inverse, -inverse * apart
            part[k, g] = at_nought + right * effect[k, g] - 0.5 * inverse * apart * apart - np.log(sd[k])
            if effect[k, g] > _FAR:
                part[k, g] -= told_of * (effect[k, g] - _FAR)
            product[k, g] = 1.0
            for c in range(ends[g], ends[g + 1]):
                odds = odds_of[c] * scale
                less = 1 / (1 + odds)
                likely = labels[c] * odds * less
                rest[k, c] = hits[c] - likely
                slope[k, g] += rest[k, c]
                weight[k, c] = likely * less + 1e-12
                own[k, g] += weight[k, c]
                if labels[c] == 1.0 or labels[c] == 2.0:
                    product[k, g] *= 1 + odds if labels[c] == 1.0 else (1 + odds) * (1 + odds)
                    if product[k, g] > _FULL:
                        part[k, g] -= np.log(product[k, g])
                        product[k, g] = 1.0
                else:
                    part[k, g] -= labels[c] * np.log1p(odds)


@compiled
def _shares(own: Array, part: Array, product: Array, log_share: Array, share: Array) -> float:
    """Which part of each group is an exception, written to the last; and the logarithm of the sum of both."""
    evidence, together = 0.0, 1.0
    for g in range(own.shape[1]):
        usual, other = log_share[0] + part[0, g], log_share[1] + part[1, g]
        apart = usual - other + np.log(product[1, g] / product[0, g] * np.sqrt(own[1, g] / own[0, g]))
        less, k = np.exp(-abs(apart)), 0 if apart > 0 else 1
        share[1, g] = (1.0 if k else less) / (1 + less)
        share[0, g] = 1 - share[1, g]
        evidence += other if k else usual
        together *= (1 + less) / (product[k, g] * np.sqrt(own[k, g]))
        if together < 1 / _LARGE or together > _LARGE:
            evidence += np.log(together)
            together = 1.0
    return float(evidence + np.log(together))


@summing
def _by_group(weight: Array, ends: Ints, terms: Array, cross: Array) -> None:
    """The sums of weighted terms over the cells of each group, (2, n_terms, n_groups), written to the last."""
    for i in range(len(terms)):
        for g in range(len(ends) - 1):
            usual, other = 0.0, 0.0
            for c in range(ends[g], ends[g + 1]):
                usual += weight[0, c] * terms[i, c]
                other += weight[1, c] * terms[i, c]
            cross[0, i, g], cross[1, i, g] = usual, other


@summing
def _add_products(scaled: Array, terms: Array, into: Array, sign: float) -> None:
    """The sum of products with each of the first terms, added to the last."""
    for j in range(len(into)):
        total = 0.0
        for c in range(terms.shape[1]):
            total += scaled[c] * terms[j, c]
        into[j] += sign * total


@summing
def _eliminate(
    weight: Array,
    rest: Array,
    own: Array,
    slope: Array,
    share: Array,
    ends: Ints,
    terms: Array,
    cross: Array,
    spare: Array,
    curvature: Array,
    pull: Array,
) -> None:
    """Cells and groups added to the curvature (its lower half) and the pull of beta, effects eliminated."""
    n_cells, n_groups = terms.shape[1], own.shape[1]
    for g in range(n_groups):
        for c in range(ends[g], ends[g + 1]):
            spare[0, c] = share[0, g] * weight[0, c] + share[1, g] * weight[1, c]
            spare[1, c] = share[0, g] * rest[0, c] + share[1, g] * rest[1, c]
    _by_group(weight, ends, terms, cross)
    for i in range(len(pull)):
        pulled = 0.0
        for c in range(n_cells):
            pulled += spare[1, c] * terms[i, c]
            spare[2, c] = spare[0, c] * terms[i, c]
        _add_products(spare[2], terms, curvature[i, : i + 1], 1.0)
        for k in range(2):
            for g in range(n_groups):
                spare[2, g] = share[k, g] / own[k, g] * cross[k, i, g]
                pulled -= slope[k, g] * spare[2, g]
            _add_products(spare[2], cross[k], curvature[i, : i + 1], -1.0)
        pull[i] += pulled


@compiled
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


@compiled
def _height(share: Array, part: Array, product: Array, precision: Array, beta: Array) -> float:
    total = 0.0
    for i in range(len(beta)):
        total -= 0.5 * precision[i] * beta[i] ** 2
    for k in range(2):
        for g in range(share.shape[1]):
            total += share[k, g] * (part[k, g] - np.log(product[k, g]))
    return total


@compiled
def _next_step(
    point: tuple[Array, ...],
    ends: Ints,
    terms: Array,
    precision: Array,
    beta: Array,
    log_share: Array,
    room: tuple[Array, Array],
) -> tuple[float, float, float]:
    """The next step of a point, written to its last parts; how long it is, what is left to climb, and the evidence."""
    weight, rest, own, slope, part, product, share, curvature, step, step_of = point
    (cross, spare), evidence, pull = room, 0.0, np.empty(len(step))
    for i in range(len(step)):
        for j in range(len(step)):
            curvature[i, j] = precision[i] if i == j else 0.0
        step[i] = -precision[i] * beta[i]
        evidence += np.log(precision[i]) - precision[i] * beta[i] ** 2
    evidence = 0.5 * evidence + _shares(own, part, product, log_share, share)
    _eliminate(weight, rest, own, slope, share, ends, terms, cross, spare, curvature, step)
    for i in range(len(step)):
        pull[i] = step[i]
    evidence -= _solved(curvature, step)
    longest, climb = _step_of(cross, step, own, slope, share, step_of)
    for i in range(len(step)):
        longest = max(longest, abs(step[i]))
        climb += pull[i] * step[i]
    return longest, 0.5 * climb, evidence


@summing
def _step_of(cross: Array, step: Array, own: Array, slope: Array, share: Array, step_of: Array) -> tuple[float, float]:
    """That of the effects of groups, written to the last; the longest, and twice what it climbs."""
    longest, climb = 0.0, 0.0
    for k in range(2):
        for g in range(own.shape[1]):
            step_of[k, g] = slope[k, g]
            climb += share[k, g] * slope[k, g] ** 2 / own[k, g]
        for i in range(len(step)):
            for g in range(own.shape[1]):
                step_of[k, g] -= cross[k, i, g] * step[i]
        for g in range(own.shape[1]):
            step_of[k, g] /= own[k, g]
            longest = max(longest, abs(step_of[k, g]))
    return longest, climb


@compiled
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
    least_step: float,
) -> None:
    """A step onwards; where it leads downhill, the half of it, and so on down to the least."""
    weight, rest, own, slope, part, product, share, _, step, step_of = point
    before = _height(share, part, product, precision, beta) if least_step < 1 else 0.0
    (linear, odds), far, gone = np.empty((2, len(offset))), 1.0, 0.0
    while True:
        for i in range(len(beta)):
            beta[i] += (far - gone) * step[i]
        for k in range(2):
            for g in range(effect.shape[1]):
                effect[k, g] += (far - gone) * step_of[k, g]
        _linear(offset, terms, beta, linear)
        _look(linear, effect, told, sd, centre, odds, weight, rest, own, slope, part, product)
        if far <= least_step or _height(share, part, product, precision, beta) >= before - 1e-9:
            break
        far, gone = 0.5 * far, far


@compiled
def _climb(
    points: Ints,
    told: tuple[Array, Array, Ints],
    by_reading: tuple[Array, Array, Array],
    by_point: tuple[Ints, Ints, Array, Array, Array],
    log_share: Array,
    rules: tuple[int, float, float, float, float],
    best: float,
    state: tuple[Array, ...],
    room: tuple[Array, Array],
    found: tuple[Array, Array, Array, Array, Array],
) -> float:
    """Newton's method at some points, in step, from where beta and effects are; the best so far: fit._climbed."""
    (offset, terms, _), (reading, _, precision, sds, log_prior) = by_reading, by_point
    (most_steps, near, large, least_step, hopeless), (beta, averaged, exception, curvature, log_evidence) = rules, found
    weight, rest, own, slope, part, product, share, step_of, effect, centre, step = state
    (longest, climb), active = np.empty((2, len(reading))), np.ones(len(points), dtype=np.bool_)
    linear, odds = np.empty((2, offset.shape[1]))
    for at in points:
        _linear(offset[reading[at]], terms[reading[at]], beta[at], linear)
        seen = (weight[at], rest[at], own[at], slope[at], part[at], product[at])
        _look(linear, effect[at], told, sds[:, at], centre[at], odds, *seen)
    for steps in range(most_steps):
        for n, p in enumerate(points):
            if active[n]:
                seen = (weight[p], rest[p], own[p], slope[p], part[p], product[p])
                point, shared = (*seen, share[p], curvature[p], step[p], step_of[p]), (precision[p], beta[p], log_share)
                longest[p], climb[p], log_evidence[p] = _next_step(point, told[2], terms[reading[p]], *shared, room)
                best = max(best, log_evidence[p] + log_prior[p])
        for n, p in enumerate(points):
            if not active[n]:
                continue
            behind = log_evidence[p] + log_prior[p] + 2 * climb[p] < best - hopeless
            if behind or longest[p] < near or steps == most_steps - 1:
                active[n], last = False, 1.0 if longest[p] < near else 0.0
                log_evidence[p] += climb[p]
                for i in range(len(step[p])):
                    beta[p, i] += last * step[p, i]
                for g in range(own.shape[2]):
                    for k in range(2):
                        effect[p, k, g] += last * step_of[p, k, g]
                    averaged[p, g] = share[p, 0, g] * effect[p, 0, g] + share[p, 1, g] * effect[p, 1, g]
                    exception[p, g] = share[p, 1, g]
                continue
            seen = (weight[p], rest[p], own[p], slope[p], part[p], product[p])
            point, v = (*seen, share[p], curvature[p], step[p], step_of[p]), reading[p]
            least = least_step if longest[p] > large else 1.0
            _move(point, told, offset[v], terms[v], precision[p], sds[:, p], centre[p], beta[p], effect[p], least)
        if not active.any():
            break
    return best


@compiled
def search(
    told: tuple[Array, Array, Ints],
    by_reading: tuple[Array, Array, Array],
    by_point: tuple[Ints, Ints, Array, Array, Array],
    log_share: Array,
    rules: tuple[int, float, float, float, float],
    found: tuple[Array, Array, Array, Array, Array],
) -> None:
    """The first point of each reading, then the others from where those end, written to the last: fit._searched."""
    away, (reading, leads, precision, _, _), beta = by_reading[2], by_point, found[0]
    n_points, n_cells, n_groups, n_terms = len(reading), len(told[0]), away.shape[1], precision.shape[1]
    weight, rest = np.empty((2, n_points, 2, n_cells))
    own, slope, part, product, share, step_of, effect, centre = np.zeros((8, n_points, 2, n_groups))
    state = (weight, rest, own, slope, part, product, share, step_of, effect, centre, np.empty((n_points, n_terms)))
    room = (np.empty((2, n_terms, n_groups)), np.empty((3, n_cells)))
    for point in range(n_points):
        beta[point], centre[point, 1] = 0.0, away[reading[point]]
    lead, best = leads == np.arange(n_points), -np.inf
    for points in (np.flatnonzero(lead), np.flatnonzero(~lead)):
        for p in points:
            beta[p], effect[p] = beta[leads[p]], effect[leads[p]]
        best = _climb(points, told, by_reading, by_point, log_share, rules, best, state, room, found)
