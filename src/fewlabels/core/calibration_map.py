"""Maps from a score to the probability of being positive, fitted to few labels: isotonic regression, Platt scaling."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import expit

from fewlabels.core.arrays import Array

Calibration: TypeAlias = Literal["isotonic", "platt", "none"]
Map: TypeAlias = Callable[[Array], Array]

_CLIP = 1e-6  # scores closer to 0 or 1 than this are moved there before taking log-odds
_NEWTON_STEPS = 50
OWN_SPREAD = (2.0, 0.5, 1.0)  # of shift, slope and predicted positive, before any label


def isotonic_map(score: Array, outcome: Array, weight: Array | None = None) -> Map:
    """The non-decreasing map of least squared error [Zadrozny and Elkan 2002]; linear between the scores it was
    fitted on, constant beyond them.

    >>> isotonic_map(np.array([0.1, 0.4, 0.6, 0.9]), np.array([0.0, 1.0, 0.0, 1.0]))(np.array([0.0, 0.5, 0.75]))
    array([0.  , 0.5 , 0.75])
    """
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 - as slow to import as all else, and for F-scores only

    levels, index = np.unique(score, return_inverse=True)
    mass = np.bincount(index, weights=weight)
    mean = np.bincount(index, weights=outcome if weight is None else outcome * weight) / mass
    fitted = isotonic_regression(mean, weights=mass).x
    return lambda s: np.interp(s, levels, fitted)


def platt_map(score: Array, outcome: Array, weight: Array | None = None) -> Map:
    """The logistic map of the score's log-odds [Platt 1999], with his targets (n₊+1)/(n₊+2) and 1/(n₋+2), which keep
    it finite where scores separate the classes."""
    mass = np.ones(len(score)) if weight is None else weight
    x = np.stack([np.ones(len(score)), log_odds(score)], axis=1)
    hits, misses = float((mass * outcome).sum()), float((mass * (1 - outcome)).sum())
    target = np.where(outcome > 0.5, (hits + 1) / (hits + 2), 1 / (misses + 2))
    theta = np.array([np.log((hits + 1) / (misses + 1)), 0.0])
    for _ in range(_NEWTON_STEPS):
        p = expit(x @ theta)
        slope = x.T @ (mass * (p - target))
        curvature = (x * (mass * p * (1 - p))[:, None]).T @ x + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, slope)
        step = _no_leap(step, x)
        theta = theta - step
        if float(np.abs(step).max()) < 1e-10:
            break
    return lambda s: np.asarray(expit(theta[0] + theta[1] * log_odds(s)))


def own_score_map(score: Array, predicted: Array, labels: Array, hits: Array) -> Array:
    """The probability of being positive in each cell, after so many labels and hits in each: Bayesian logistic
    regression, centred on the model's own score.

    log-odds = l + a + b l + d ŷ, l the log-odds of the score, with normal priors of the spreads `OWN_SPREAD` on shift,
    slope and what being predicted positive adds; the most probable a, b, d, by Newton's method. Of several models ŷ has
    a row each, and each its own d.
    """
    own, said = log_odds(score), np.atleast_2d(predicted)
    seen = np.flatnonzero(labels > 0)
    x = np.stack([np.ones(len(own)), own, *said], axis=1)
    if len(seen) == 0:
        return np.asarray(expit(own))
    spread = np.array([*OWN_SPREAD[:2], *[OWN_SPREAD[2]] * len(said)])
    at, n, k, precision = x[seen], labels[seen], hits[seen], np.diag(1 / spread**2)
    theta = np.zeros(len(spread))
    for _ in range(_NEWTON_STEPS):
        p = expit(own[seen] + at @ theta)
        slope = at.T @ (n * p - k) + precision @ theta
        step = np.linalg.solve((at * (n * p * (1 - p))[:, None]).T @ at + precision, slope)
        step = _no_leap(step, at)
        theta = theta - step
        if float(np.abs(step).max()) < 1e-10:
            break
    return np.asarray(expit(own + x @ theta))


def _no_leap(step: Array, x: Array) -> Array:
    """As much of a step as moves no log-odds by more than two. Where scores are near 0 or 1 the curve is so flat that a
    whole step of Newton's leads far beyond the optimum, and the next one back."""
    return np.asarray(step * min(1.0, 2.0 / max(float(np.abs(x @ step).max()), 1e-300)))


def log_odds(score: Array) -> Array:
    """log s/(1-s), finite."""
    clipped = np.clip(score, _CLIP, 1 - _CLIP)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def fit_map(kind: Calibration, score: Array, outcome: Array, weight: Array | None = None) -> Map:
    """The map of this kind; "none" leaves scores as they are."""
    if kind == "none":
        return lambda s: s
    return (isotonic_map if kind == "isotonic" else platt_map)(score, outcome, weight)
