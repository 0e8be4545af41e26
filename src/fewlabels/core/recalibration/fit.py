"""What the labels say of the regression, at every point of the grid: modes by Newton's method, evidence by Laplace's.

A group's effect is integrated under both of its priors, as one of most groups and as an exception. Each has its own
mode, and their share is what the labels leave of the chance that the group is an exception.
"""

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType

import numpy as np
from scipy.special import expit

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.recalibration.model import Model
from fewlabels.core.recalibration.told import Told, compiled

_MOST_STEPS = 60
_NEAR = 1e-3  # a step smaller than this is the last: what it leaves is about its square
_LARGE = 0.3  # steps larger than this are halved until they do not lead downhill
_LEAST_STEP = 1e-3
_HOPELESS = 20.0  # a point whose evidence is behind the best by a factor of e to this is not searched to the end


@dataclass(frozen=True)
class Fit:
    """The mode and curvature of every point of the grid; effects of groups without labels are their prior's mean."""

    beta: Array  # (n_points, n_terms)
    effect: Array  # (n_points, n_groups) posterior mode, averaged over both priors
    exception: Array  # (n_points, n_groups) P(the group is an exception | labels)
    curvature: Array  # (n_points, n_terms, n_terms) S: minus the second derivative by beta, effects integrated out
    weight: Array  # (n_points,) posterior


def fit(model: Model, hits: Array, labels: Array) -> Fit:
    """What hits among labels, of each cell in the model's order, say. A pure function of them: it starts at nought."""
    shape, told = (len(model.tau), model.groups), Told.of(model, hits, labels)
    effect, exception = model.trust.exception * model.away[model.reading], np.full(shape, model.trust.exception)
    beta, curvature, log_evidence = np.zeros(model.precision.shape), _diagonals(model.precision), np.zeros(shape[0])
    if len(told.cells):
        found = _searched_fast(model, told, loops) if (loops := compiled()) else _searched(model, told)
        beta, curvature, log_evidence = found.beta, found.curvature, found.log_evidence
        effect[:, told.groups], exception[:, told.groups] = found.effect, found.exception
    log_weight = log_evidence + model.log_prior
    weight = np.exp(log_weight - log_weight.max())
    return Fit(beta, effect, exception, curvature, weight / weight.sum())


def _diagonals(values: Array) -> Array:
    return values[:, :, None] * np.eye(values.shape[1])


@dataclass(frozen=True)
class Found:
    """What a search found at each point."""

    beta: Array  # (n_points, n_terms)
    effect: Array  # (n_points, n_groups), as the next: of groups with labels
    exception: Array
    curvature: Array  # (n_points, n_terms, n_terms)
    log_evidence: Array  # (n_points,)

    @classmethod
    def blank(cls, model: Model, told: Told) -> "Found":
        """To be filled."""
        (points, terms), groups = model.precision.shape, len(told.groups)
        effect, exception = np.empty((2, points, groups))
        return cls(np.empty((points, terms)), effect, exception, np.empty((points, terms, terms)), np.empty(points))


def _searched_fast(model: Model, told: Told, loops: ModuleType) -> Found:
    """As below, compiled."""
    found = Found.blank(model, told)
    terms = np.ascontiguousarray(model.terms[:, told.cells].transpose(0, 2, 1))
    by_reading = (model.offset[:, told.cells].copy("C"), terms, model.away[:, told.groups].copy("C"))
    by_point = (model.reading, model.leads, model.precision, model.sds, model.log_prior)
    log_share = np.log([1 - model.trust.exception, model.trust.exception])
    rules = (_MOST_STEPS, _NEAR, _LARGE, _LEAST_STEP, _HOPELESS)
    into = (found.beta, found.effect, found.exception, found.curvature, found.log_evidence)
    loops.search((told.hits, told.labels, told.ends), by_reading, by_point, log_share, rules, into)
    return found


def _searched(model: Model, told: Told) -> Found:
    """Newton's method: from nought at the first point of each reading, and from where those end at the others."""
    found, leads = Found.blank(model, told), model.leads
    beta, effect = np.zeros(model.precision.shape), np.zeros((2, len(model.tau), len(told.groups)))
    best = -np.inf
    for points in (np.unique(leads), np.flatnonzero(leads != np.arange(len(leads)))):
        start = (beta[leads[points]], effect[:, leads[points]])
        beta[points], effect[:, points], best = _climbed(_Search(model, told, points), *start, best, found)
    return found


def _climbed(search: "_Search", beta: Array, effect: Array, best: float, found: Found) -> tuple[Array, Array, float]:
    """From there on to the modes, at all points at once, written to the last; those that have come to an end, or to no
    good beside the best so far, are left out. Where each ended, and the best."""
    log_prior, places = search.model.log_prior, np.arange(len(beta))
    ended, ended_of, at = np.empty_like(beta), np.empty_like(effect), search.look(beta, effect)
    for steps in range(_MOST_STEPS):
        slopes = search.slopes(at)
        near, reached = slopes.longest < _NEAR, search.log_evidence(at, slopes)
        likely = reached + log_prior[search.points]
        best = max(best, float(likely.max()))
        ends = (likely + 2 * slopes.rest < best - _HOPELESS) | near | (steps == _MOST_STEPS - 1)
        if ends.any():
            last, rows, share = np.where(near, 1.0, 0.0)[ends], search.points[ends], slopes.share[:, ends]
            found.beta[rows] = ended[places[ends]] = at.beta[ends] + last[:, None] * slopes.step[ends]
            of_group = ended_of[:, places[ends]] = at.effect[:, ends] + last[:, None] * slopes.step_of[:, ends]
            found.effect[rows], found.exception[rows] = (share * of_group).sum(axis=0), share[1]
            found.curvature[rows], found.log_evidence[rows] = slopes.curvature[ends], (reached + slopes.rest)[ends]
            if ends.all():
                break
            search, at, slopes, places = search.only(~ends), at.only(~ends), slopes.only(~ends), places[~ends]
        at = search.moved(at, slopes)
    return ended, ended_of, best


@dataclass(frozen=True)
class _At:
    """Where the search is, at each of its points."""

    beta: Array  # (n_points, n_terms)
    effect: Array  # (2, n_points, n_groups): of most groups, and of exceptions
    rate: Array  # (2, n_points, n_cells)
    log_part: Array  # (2, n_points, n_groups) the logarithm of each group's part of the posterior

    def only(self, rows: Bools) -> "_At":
        return _At(self.beta[rows], self.effect[:, rows], self.rate[:, rows], self.log_part[:, rows])


@dataclass(frozen=True)
class _Slopes:
    """What leads on from there."""

    own: Array  # (2, n_points, n_groups) D, minus the second derivative by the effect
    slope: Array  # (2, n_points, n_groups) the first derivative by it
    share: Array  # (2, n_points, n_groups) of most groups, and of exceptions
    curvature: Array  # (n_points, n_terms, n_terms) S
    pull: Array  # (n_points, n_terms) the first derivative by beta, effects eliminated
    step: Array  # (n_points, n_terms)
    step_of: Array  # (2, n_points, n_groups) of effects

    @cached_property
    def longest(self) -> Array:
        """The largest part of a step, (n_points,)."""
        return np.asarray(np.maximum(np.abs(self.step).max(axis=1), np.abs(self.step_of).max(axis=(0, 2))))

    @cached_property
    def rest(self) -> Array:
        """What is left to climb, about, (n_points,)."""
        of_groups = (self.share * self.slope**2 / self.own).sum(axis=(0, 2))
        return np.asarray(0.5 * ((self.pull * self.step).sum(axis=1) + of_groups))

    def only(self, rows: Bools) -> "_Slopes":
        own, slope, share, step_of = (of[:, rows] for of in (self.own, self.slope, self.share, self.step_of))
        return _Slopes(own, slope, share, self.curvature[rows], self.pull[rows], self.step[rows], step_of)


class _Search:
    """Some points of the grid; the effects of groups, two each, are eliminated (an arrow's shaft)."""

    def __init__(self, model: Model, told: Told, points: Ints) -> None:
        self.model, self.told, self.points = model, told, points
        self.precision, self.reading = model.precision[points], model.reading[points]
        self.inverse = model.sds[:, points, None] ** -2.0
        away = model.away[self.reading][:, told.groups]
        self.centre = np.stack([np.zeros_like(away), away])  # of the effects beforehand, (2, n_points, n_groups)
        self.log_share = np.log([1 - model.trust.exception, model.trust.exception])[:, None, None]
        self.rows = [np.flatnonzero(self.reading == v) for v in range(3)]
        self.terms = [model.terms[v, told.cells] for v in range(3)]
        self.products = [(x[:, :, None] * x[:, None, :]).reshape(len(x), -1) for x in self.terms]

    def only(self, rows: Bools) -> "_Search":
        """Of these points."""
        out = copy(self)
        out.points, out.precision, out.reading = self.points[rows], self.precision[rows], self.reading[rows]
        out.inverse, out.centre = self.inverse[:, rows], self.centre[:, rows]
        out.rows = [np.flatnonzero(out.reading == v) for v in range(3)]
        return out

    def look(self, beta: Array, effect: Array) -> _At:
        told = self.told
        eta = self.model.linear(beta, self.reading, told.cells) + effect[..., told.group]
        likelihood = told.sum(told.hits * eta - told.labels * np.logaddexp(0.0, eta))
        apart = 0.5 * self.inverse * (effect - self.centre) ** 2
        return _At(beta, effect, expit(eta), likelihood - apart + 0.5 * np.log(self.inverse))

    def slopes(self, at: _At) -> _Slopes:
        told = self.told
        weight, rest = told.labels * at.rate * (1 - at.rate) + 1e-12, told.hits - told.labels * at.rate
        own, slope = told.sum(weight) + self.inverse, told.sum(rest) - self.inverse * (at.effect - self.centre)
        integral = self.log_share + at.log_part - 0.5 * np.log(own)
        exception = expit(integral[1] - integral[0])
        share = np.stack([1 - exception, exception])
        per_cell = share[..., told.group]
        heavy, pulled = (per_cell * weight).sum(axis=0), (per_cell * rest).sum(axis=0)
        curvature, pull = _diagonals(self.precision), -self.precision * at.beta
        n_groups, n_terms = len(told.groups), at.beta.shape[1]
        cross = np.empty((2, len(at.beta), n_groups, n_terms))
        for points, terms, products in zip(self.rows, self.terms, self.products, strict=True):
            curvature[points] += (heavy[points] @ products).reshape(-1, n_terms, n_terms)
            pull[points] += pulled[points] @ terms
            each = weight[:, points].reshape(-1, len(terms)).T[:, :, None] * terms[:, None, :]
            summed = np.add.reduceat(each, told.ends[:-1], axis=0).reshape(n_groups, 2, len(points), n_terms)
            cross[:, points] = summed.transpose(1, 2, 0, 3)
        scaled = cross * (share / own)[..., None]
        curvature -= (scaled.transpose(0, 1, 3, 2) @ cross).sum(axis=0)
        pull -= (slope[..., None, :] @ scaled)[..., 0, :].sum(axis=0)
        step: Array = np.asarray(np.linalg.solve(curvature, pull[..., None])[..., 0], dtype=np.float64)
        step_of = (slope - (cross @ step[..., None])[..., 0]) / own
        return _Slopes(own, slope, share, curvature, pull, step, step_of)

    def moved(self, at: _At, slopes: _Slopes) -> _At:
        """A step onwards; where it is large, no further than leads uphill."""
        far, before = np.ones(len(at.beta)), self._height(slopes.share, at)
        while True:
            to = self.look(at.beta + far[:, None] * slopes.step, at.effect + far[:, None] * slopes.step_of)
            worse = (self._height(slopes.share, to) < before - 1e-9) & (far > _LEAST_STEP) & (slopes.longest > _LARGE)
            if not worse.any():
                return to
            far[worse] *= 0.5

    def _height(self, share: Array, at: _At) -> Array:
        return np.asarray((share * at.log_part).sum(axis=(0, 2)) - 0.5 * (self.precision * at.beta**2).sum(axis=1))

    def log_evidence(self, at: _At, slopes: _Slopes) -> Array:
        """By Laplace's approximation, up to a constant."""
        integral = self.log_share + at.log_part - 0.5 * np.log(slopes.own)
        normal = 0.5 * (np.log(self.precision) - self.precision * at.beta**2).sum(axis=1)
        log_sum = np.logaddexp(integral[0], integral[1]).sum(axis=1)
        return np.asarray(log_sum + normal - 0.5 * np.linalg.slogdet(slopes.curvature)[1])
