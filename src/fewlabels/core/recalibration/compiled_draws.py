"""The effects of groups in draws, compiled: the same sums as in draws.py, group by group, of several draws side by side
so that the processor does them at once. Whoever imports this has Numba."""

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.compiling import compiled, inner

_FULL = 1e200  # products are taken the logarithm of before they are larger
_MOST_TIMES = 20  # that a factor is multiplied by itself, which is faster than its logarithm
_STEEPEST = 200.0  # logarithm of a density, beside that at its mode, that is reached by products
_BY_INVERSION = 30.0  # expected hits up to which NumPy draws a binomial by inversion
_SIDE_BY_SIDE = 64  # draws


@inner
def _modes(
    told: tuple[Array, Array, float],
    prior: tuple[Array, Array],
    rules: tuple[int, float, float],
    found: tuple[Array, Array, Array],
    used: tuple[Array, Array, Array, Bools],
) -> None:
    """Of one group's effect in each draw, its exponential and the curvature there: _Rates.mode. Of the group are told
    the odds (n_cells, n_draws) without it, the labels of each cell and how many are hits."""
    (odds, labels, right), (inverse, about), (most_steps, longest, near) = told, prior, rules
    (effect, scale, curvature), (bent, step, _, searched) = found, used
    for i in range(len(effect)):
        effect[i], scale[i], searched[i] = 0.0, 1.0, True
    for _ in range(most_steps):
        for i in range(len(effect)):
            bent[i], step[i] = inverse[i], right - inverse[i] * (effect[i] - about[i])
        for c in range(len(odds)):
            own, count = odds[c], labels[c]
            for i in range(len(effect)):
                odd = own[i] * scale[i]
                less = 1 / (1 + odd)
                likely = count * odd * less
                bent[i] += likely * less
                step[i] -= likely
        going = False
        for i in range(len(effect)):
            if searched[i]:
                curvature[i], by = bent[i], step[i] / bent[i]
                effect[i] += min(max(by, -longest), longest)
                scale[i], searched[i] = np.exp(effect[i]), abs(by) >= near
                going = going or searched[i]
        if not going:
            return


@inner
def _logs_and_products(odds: Array, labels: Array, scale: Array, part: Array, product: Array) -> None:
    """The sum of labels * log(1 + odds * scale), as a part of it and the product that the rest is the logarithm of."""
    part[:], product[:] = 0.0, 1.0
    for c in range(len(odds)):
        own, times = odds[c], int(labels[c])
        if times != labels[c] or times > _MOST_TIMES:
            for i in range(len(scale)):
                part[i] += labels[c] * np.log(1 + own[i] * scale[i])
            continue
        for _ in range(times):
            full = 0
            for i in range(len(scale)):
                product[i] *= 1 + own[i] * scale[i]
                full += product[i] > _FULL
            if full:
                for i in range(len(scale)):
                    if product[i] > _FULL:
                        part[i] += np.log(product[i])
                        product[i] = 1.0


@inner
def _densities(
    told: tuple[Array, Array, float],
    prior: tuple[Array, Array],
    peak: tuple[Array, Array, Array],
    places: Array,
    density: Array,
    level: Array,
    used: tuple[Array, Array, Array, Bools],
) -> None:
    """The posterior of one group's effect in each draw at the nodes, (n_nodes, n_draws), relative to that at its mode;
    and the logarithm of that, but for what does not depend on the effect. Both are written."""
    (odds, labels, right), (inverse, about), (mode, scale, wide) = told, prior, peak
    at, part, product, steep = used
    steps, spacing, among_few, among_many = (len(places) - 1) // 2, places[1] - places[0], False, False
    _logs_and_products(odds, labels, scale, part, product)
    for i in range(len(mode)):
        level[i] = right * mode[i] - 0.5 * inverse[i] * (mode[i] - about[i]) ** 2 - part[i] - np.log(product[i])
        tilt = wide[i] * spacing * (right - inverse[i] * (mode[i] - about[i]))
        steep[i] = part[i] != 0.0 or abs(tilt) * steps >= _STEEPEST
        among_many, among_few = among_many or steep[i], among_few or not steep[i]
    if among_few:
        _outwards(told, (inverse, about, mode, scale, wide), places, density, (at, part, product))
    if not among_many:
        return
    for n in range(len(places)):
        for i in range(len(mode)):
            at[i] = np.exp(mode[i] + places[n] * wide[i])
        _logs_and_products(odds, labels, at, part, product)
        for i in range(len(mode)):
            if steep[i]:
                node = mode[i] + places[n] * wide[i]
                above = right * node - 0.5 * inverse[i] * (node - about[i]) ** 2 - part[i] - level[i]
                density[n, i] = np.exp(above) / product[i]


@inner
def _outwards(
    told: tuple[Array, Array, float],
    about_peak: tuple[Array, Array, Array, Array, Array],
    places: Array,
    density: Array,
    used: tuple[Array, Array, Array],
) -> None:
    """The same, by products: nodes are equally far apart, and each is the one before times what the step is worth."""
    (odds, labels, right), (inverse, about, mode, scale, wide), (at, part, among) = told, about_peak, used
    steps, spacing = (len(places) - 1) // 2, places[1] - places[0]
    growth, tilted, height, bent, bend, first = np.empty((6, len(mode)))
    for i in range(len(mode)):
        apart = wide[i] * spacing
        growth[i], tilted[i] = np.exp(apart), np.exp(apart * (right - inverse[i] * (mode[i] - about[i])))
        first[i], bend[i] = among[i], np.exp(-0.5 * inverse[i] * apart * apart)
    density[steps, :] = 1.0
    for way in (1, -1):
        for i in range(len(mode)):
            height[i], at[i], bent[i] = first[i], scale[i], bend[i]
            if way < 0:
                growth[i], tilted[i] = 1 / growth[i], 1 / tilted[i]
        for m in range(1, steps + 1):
            for i in range(len(mode)):
                height[i] = height[i] * tilted[i] * bent[i]
                at[i] *= growth[i]
                bent[i] *= bend[i] * bend[i]
            _logs_and_products(odds, labels, at, part, among)
            row = density[steps + way * m]
            for i in range(len(mode)):
                row[i] = height[i] / among[i]
            for i in range(len(mode)):
                if part[i] != 0.0:
                    row[i] = height[i] * np.exp(-part[i]) / among[i]


@inner
def _odds(linear: Array, hits: Array, furthest: float, odds: Array, at_nought: Array) -> float:
    """Of each cell of a group without its effect, and the logarithm of the likelihood of hits there, written to the
    last two; and how many hits there are."""
    at_nought[:] = 0.0
    for c in range(len(hits)):
        for i in range(len(linear)):
            eta = min(max(linear[i, c], -furthest), furthest)
            odds[c, i] = np.exp(eta)
            at_nought[i] += hits[c] * eta
    return float(hits.sum())


@inner
def _side_by_side(
    linear: Array,
    told: tuple[Array, Array, Ints],
    prior: tuple[Array, Array, Array],
    how: tuple[Array, float, int, float, float, float],
    found: tuple[Array, Array, Array, Array],
) -> None:
    """The same as below, of a few draws."""
    (hits, labels, ends), (sds, centre, log_shares) = told, prior
    (places, spacing, most_steps, longest, near, furthest), (middle, width, upto, log_likelihood) = how, found
    count, constant = len(linear), np.log(spacing) - 0.5 * np.log(2 * np.pi)
    odds_of, density = np.empty((np.max(ends[1:] - ends[:-1]), count)), np.empty((2, len(places), count))
    inverse, height, level = np.empty((2, count)), np.empty((2, count)), np.empty(count)
    at_nought, about, mode, scale, wide, curvature, a, b, c = np.empty((9, count))
    used = (a, b, c, np.empty(count, dtype=np.bool_))
    for k in range(2):
        for i in range(count):
            inverse[k, i] = sds[k, i] ** -2.0
    for g in range(len(ends) - 1):
        cells = slice(ends[g], ends[g + 1])
        odds, own = odds_of[: ends[g + 1] - ends[g]], labels[cells]
        right = _odds(linear[:, cells], hits[cells], furthest, odds, at_nought)
        for k in range(2):
            for i in range(count):
                about[i] = centre[i, g] if k else 0.0
            given = (inverse[k], about)
            _modes((odds, own, right), given, (most_steps, longest, near), (mode, scale, curvature), used)
            for i in range(count):
                wide[i] = 1 / np.sqrt(curvature[i])
                middle[i, k, g], width[i, k, g] = mode[i], wide[i]
            _densities((odds, own, right), given, (mode, scale, wide), places, density[k], level, used)
            for i in range(count):
                height[k, i] = level[i] + at_nought[i] + np.log(wide[i] / sds[k, i]) + constant + log_shares[k, i]
        for i in range(count):
            top, summed = max(height[0, i], height[1, i]), 0.0
            for k in range(2):
                beside = np.exp(height[k, i] - top)
                for n in range(len(places)):
                    summed += beside * density[k, n, i]
                    upto[i, g, k * len(places) + n] = summed
            log_likelihood[i] += top + np.log(summed)


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
    (sds, centre, log_shares), (middle, width, upto, log_likelihood) = prior, found
    log_likelihood[:] = 0.0
    for start in range(0, len(linear), _SIDE_BY_SIDE):
        some = slice(start, min(start + _SIDE_BY_SIDE, len(linear)))
        beforehand = (sds[:, some], centre[some], log_shares[:, some])
        into = (middle[some], width[some], upto[some], log_likelihood[some])
        _side_by_side(linear[some], told, beforehand, (*nodes, *rules), into)


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


@inner
def _inverted(u: float, n: int, p: float, none: float) -> int:
    """A binomial draw as NumPy makes it where few hits are expected, from a random number and the chance of none. NumPy
    draws again where the number is above all chances; but for rounding there is none above."""
    if u <= none:
        return 0
    k, chance, odds = 0, none, p / (1 - p)
    while u > chance and k < n:
        k += 1
        u -= chance
        chance *= odds * (n - k + 1) / k
    return k


@inner
def _at_once(rng: np.random.Generator, theta: Array, left: Ints, used: tuple[Array, Array, Array], right: Ints) -> None:
    """How many of the items left are right where few are of the rarer kind in all cells, so that each takes one random
    number."""
    p, base, none = used
    for c in range(len(left)):
        base[c], none[c] = 1 - p[c], 1.0
    most, bit = left.max() if len(left) else 0, 0
    while most >> bit:  # (1 - p) ** n, in the order of NumPy
        for c in range(len(left)):
            none[c] *= base[c] if (left[c] >> bit) & 1 else 1.0
            base[c] *= base[c]
        bit += 1
    u = rng.random(len(left))
    for c in range(len(left)):
        k = _inverted(u[c], left[c], p[c], none[c])
        right[c] = left[c] - k if theta[c] > 0.5 else k


@inner
def _one_by_one(rng: np.random.Generator, theta: Array, left: Ints, rarer: Array, right: Ints) -> None:
    """The same where they are not few."""
    for c in range(len(left)):
        n, p, k = left[c], rarer[c], 0
        if theta[c] > 0 and n * p > _BY_INVERSION:
            k = rng.binomial(n, p)
        elif theta[c] > 0:
            none, base, rest = 1.0, 1 - p, n
            while rest:
                if rest & 1:
                    none *= base
                base *= base
                rest >>= 1
            k = _inverted(rng.random(), n, p, none)
        right[c] = n - k if theta[c] > 0.5 else k


@compiled
def pool_shares(
    rng: np.random.Generator, logits: tuple[Array, Array, Ints], told: tuple[Ints, Array, Ints], order: Ints, out: Array
) -> None:
    """Of each draw, how many of the items left in each cell are right, as rng.binomial draws them, with those told so
    as a share of all. Written to the last: draws.Logits.pool_shares."""
    (shared, effect, group), (left, hits, size) = logits, told
    places = np.flatnonzero(left)
    some, theta, right = left[places], np.empty(len(places)), np.empty(len(places), dtype=np.int64)
    rarer, a, b = np.empty((3, len(places)))
    for i in range(len(shared)):
        few = 0
        for j in range(len(places)):
            theta[j] = 1 / (1 + np.exp(-(shared[i, places[j]] + effect[i, group[places[j]]])))
        for j in range(len(places)):
            rarer[j] = 1 - theta[j] if theta[j] > 0.5 else theta[j]
            few += (theta[j] > 0) & (some[j] * rarer[j] <= _BY_INVERSION)
        if few == len(places):
            _at_once(rng, theta, some, (rarer, a, b), right)
        else:
            _one_by_one(rng, theta, some, rarer, right)
        for cell in range(len(left)):
            out[i, order[cell]] = hits[cell] / size[cell]
        for j in range(len(places)):
            out[i, order[places[j]]] = (hits[places[j]] + right[j]) / size[places[j]]
