"""Joint draws of every cell's rate, exact but for the number of draws.

Points of the grid and beta are proposed from their approximation, the effects of groups are drawn from what they are
given those, by quadrature, and draws are weighed by how much more likely the labels make them than they were proposed.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.recalibration.fit import Fit
from fewlabels.core.recalibration.model import Model
from fewlabels.core.recalibration.told import Told, compiled

_PRIOR_SHARE = 0.1  # of proposals, from the grid's prior: no point is out of reach
_FREEDOM, _SCALE = 6.0, 1.15  # Student's, wider than the approximation it stands for
_NODES, _SPACING = 9, 0.8  # of the quadrature over a group's effect, in standard deviations
_MOST_STEPS, _LONGEST, _NEAR = 12, 1.5, 1e-3  # of the search for its mode
_PLACES = (np.arange(_NODES) - (_NODES - 1) / 2) * _SPACING
_LOG_ROOT = 0.5 * np.log(2 * np.pi)
_FURTHEST = 30.0  # of a logit: beyond, nothing changes
_BLOCK = 100_000  # draws times cells that are worked on at once


@dataclass(frozen=True)
class Logits:
    """Joint draws of the logit of every cell's rate, in the model's order."""

    model: Model
    shared: Array  # (count, n_cells) what cells have by their scores
    effect: Array  # (count, n_groups) of their groups

    @property
    def rates(self) -> Array:
        """(count, n_cells)"""
        return np.asarray(expit(self.shared + self.effect[:, self.model.group]))

    def pool_shares(self, left: Ints, hits: Array, size: Ints, rng: np.random.Generator) -> Array:
        """Draws (count, n_cells), in the order of the cells, of the share of each one's items that is right: from the
        items left, those told to be right and all, in the model's order."""
        out, order, loops = np.empty_like(self.shared), self.model.order, compiled()
        if loops is None:
            out[:, order] = (hits + rng.binomial(left, self.rates)) / size
        else:
            loops.pool_shares(rng, (self.shared, self.effect, self.model.group), (left, hits, size), order, out)
        return out


def draw(model: Model, fitted: Fit, hits: Array, labels: Array, count: int, rng: np.random.Generator) -> Logits:
    """So many draws after these labels."""
    point, beta, log_proposed = _proposed(model, fitted, count, rng)
    share = rng.permutation(np.repeat(model.trust.exceptions, [count - count // 2, count // 2]))
    effects = _Effects(model, point, beta, share, hits, labels)
    precision = model.precision[point]
    log_prior = model.log_prior[point] + 0.5 * (np.log(precision) - precision * beta**2).sum(axis=1)
    kept = _resampled(effects.log_likelihood + log_prior - log_proposed, rng)
    return Logits(model, model.linear(beta[kept], model.reading[point[kept]]), effects.drawn(kept, rng))


def _proposed(model: Model, fitted: Fit, count: int, rng: np.random.Generator) -> tuple[Ints, Array, Array]:
    """Points of the grid, beta, and the logarithm of the density they were proposed with, up to a constant."""
    chance = (1 - _PRIOR_SHARE) * fitted.weight + _PRIOR_SHARE * np.exp(model.log_prior)
    upto = np.cumsum(chance)
    point = np.searchsorted(upto, (np.arange(count) + rng.random()) / count * upto[-1] * (1 - 1e-12))
    normal = rng.standard_normal((count, model.precision.shape[1]))
    stretch = np.sqrt(_FREEDOM / rng.chisquare(_FREEDOM, count))
    beta, log_density = np.empty_like(normal), np.log(chance[point])
    for which in np.unique(point):
        rows = point == which
        root = np.linalg.cholesky(fitted.curvature[which])
        beta[rows] = fitted.beta[which] + _SCALE * stretch[rows, None] * np.linalg.solve(root.T, normal[rows].T).T
        log_density[rows] += np.log(np.diag(root)).sum()
    distance = (normal**2).sum(axis=1) * stretch**2
    return point, beta, log_density - 0.5 * (_FREEDOM + normal.shape[1]) * np.log1p(distance / _FREEDOM)


class _Effects:
    """What groups may do of their own given draws of beta: integrated for the weights of these, drawn for those kept.

    A draw kept twice has effects of its own each time.
    """

    def __init__(self, model: Model, point: Ints, beta: Array, share: Array, hits: Array, labels: Array) -> None:
        self.share, self.sds, self.away = share, model.sds[:, point], model.away[model.reading[point]]
        count, told = len(point), Told.of(model, hits, labels)
        self.log_likelihood, self.groups = np.zeros(count), told.groups
        if not len(self.groups):
            return
        self.middle, self.width = np.empty((2, count, 2, len(self.groups)))
        self.upto = np.empty((count, len(self.groups), 2 * _NODES))
        log_shares, loops = np.log(np.stack([1 - share, share])), compiled()
        for rows in np.array_split(np.arange(count), -(-count * len(told.cells) // _BLOCK)):
            linear = model.linear(beta[rows], model.reading[point[rows]], told.cells)
            away, sds = self.away[rows][:, self.groups].copy("C"), self.sds[:, rows].copy("C")
            if loops:
                block = slice(rows[0], rows[-1] + 1)
                into = (self.middle[block], self.width[block], self.upto[block], self.log_likelihood[block])
                prior, rules = (sds, away, log_shares[:, rows].copy("C")), (_MOST_STEPS, _LONGEST, _NEAR, _FURTHEST)
                labelled = (told.hits, told.labels, told.ends)
                loops.effects(linear, labelled, prior, (_PLACES, _SPACING), rules, into)
            else:
                self._integrate(rows, _Rates(linear, told), sds[..., None], away, log_shares[:, rows, None])

    def _integrate(self, rows: Ints, rates: "_Rates", sds: Array, away: Array, log_shares: Array) -> None:
        """The posterior of each group's effect at the nodes around both of its modes, summed up."""
        heights = []
        for k, centre in enumerate((np.zeros_like(away), away)):
            middle, width = rates.mode(sds[k], centre)
            outside = np.log(_SPACING * width / sds[k]) - _LOG_ROOT + log_shares[k]
            nodes = (middle + place * width for place in _PLACES)
            heights += [rates.log_likelihood(n) - 0.5 * ((n - centre) / sds[k]) ** 2 + outside for n in nodes]
            self.middle[rows, k], self.width[rows, k] = middle, width
        top = np.max(heights, axis=0)
        self.upto[rows] = upto = np.cumsum(np.exp(np.stack(heights, axis=-1) - top[..., None]), axis=-1)
        self.log_likelihood[rows] = (top + np.log(upto[..., -1])).sum(axis=1)

    def drawn(self, kept: Ints, rng: np.random.Generator) -> Array:
        """Effects (n_kept, n_groups) given these draws of beta."""
        exception = rng.random((len(kept), self.away.shape[1])) < self.share[kept, None]
        sd = np.where(exception, self.sds[1, kept, None], self.sds[0, kept, None])
        effect = np.where(exception, self.away[kept], 0.0) + rng.standard_normal(sd.shape) * sd
        if len(self.groups):
            pick = self._picked(kept, rng.random((len(kept), len(self.groups))))
            middle, width = (np.where(pick < _NODES, of[kept, 0], of[kept, 1]) for of in (self.middle, self.width))
            jitter = (rng.random(pick.shape) - 0.5) * _SPACING
            effect[:, self.groups] = middle + (_PLACES[pick % _NODES] + jitter) * width
        return effect

    def _picked(self, kept: Ints, at: Array) -> Ints:
        """The node that each group's effect is near, where so much of its posterior lies below."""
        if loops := compiled():
            loops.picked(self.upto, kept, at, pick := np.empty(at.shape, dtype=np.int64))
            return pick
        upto = self.upto[kept]
        return np.asarray((upto < at[..., None] * upto[..., -1:]).sum(axis=-1))


class _Rates:
    """Those of the labelled cells under some draws of beta. A cell's odds are those without its group's effect, times
    the effect's exponential: exponentials are taken once a cell, and once a group of every effect that is tried."""

    def __init__(self, linear: Array, told: Told) -> None:
        linear = np.clip(linear, -_FURTHEST, _FURTHEST)
        self.odds, self.told = np.exp(linear), told
        self.hits, self.at_nought = told.sum(told.hits), told.sum(told.hits * linear)

    def log_likelihood(self, effect: Array) -> Array:
        """Of the labels of each group given its effect, (count, n_groups)."""
        odds = self.odds * np.exp(effect)[:, self.told.group]
        return self.at_nought + self.hits * effect - self.told.sum(self.told.labels * np.log(1 + odds))

    def mode(self, sd: Array, centre: Array) -> tuple[Array, Array]:
        """Of each group's effect, normal beforehand: sd (count, 1) about (count, n_groups); and the deviation there.
        Each is searched as far as it takes, whatever the others do."""
        told, inverse = self.told, sd**-2.0
        effect, curvature, searched = np.zeros_like(centre), np.empty_like(centre), np.ones(centre.shape, dtype=bool)
        for _ in range(_MOST_STEPS):
            odds = self.odds * np.exp(effect)[:, told.group]
            likely = told.labels * (odds / (1 + odds))
            curvature = np.where(searched, told.sum(likely / (1 + odds)) + inverse, curvature)
            step = np.where(searched, (self.hits - told.sum(likely) - inverse * (effect - centre)) / curvature, 0.0)
            effect += np.clip(step, -_LONGEST, _LONGEST)
            searched &= np.abs(step) >= _NEAR
            if not searched.any():
                break
        return effect, 1 / np.sqrt(curvature)


def _resampled(log_weight: Array, rng: np.random.Generator) -> Ints:
    """Draws in proportion to their weights, by systematic sampling; no weight counts more than a root of their number
    times the mean."""
    count = len(log_weight)
    weight = np.exp(log_weight - log_weight.max())
    weight = np.minimum(weight, np.sqrt(count) * weight.mean())
    upto = np.cumsum(weight)
    return np.asarray(
        np.minimum(np.searchsorted(upto, (np.arange(count) + rng.random()) / count * upto[-1]), count - 1)
    )
