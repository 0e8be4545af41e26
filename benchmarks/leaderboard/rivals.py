"""What others would say of the whole pool's accuracy from a uniform sample: Wilson, Clopper-Pearson, PPI++."""

import importlib
import importlib.util
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy.special import betaincinv

from fewlabels.core.arrays import Array

HAS_PACKAGE = importlib.util.find_spec("ppi_py") is not None
LEVEL = 0.95
Ends = tuple[float, float, float]  # the estimate, and the ends of its interval


def wilson(hits: int, n: int, level: float = LEVEL) -> Ends:
    """The share, with Wilson's score interval."""
    z, share = NormalDist().inv_cdf((1 + level) / 2), hits / n
    scale = 1 + z**2 / n
    middle = (share + z**2 / (2 * n)) / scale
    half = z / scale * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return share, float(max(middle - half, 0.0)), float(min(middle + half, 1.0))


def clopper_pearson(hits: int, n: int, level: float = LEVEL) -> Ends:
    """The share, with the exact binomial interval."""
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else float(betaincinv(hits, n - hits + 1, tail))
    high = 1.0 if hits == n else float(betaincinv(hits + 1, n - hits, 1 - tail))
    return hits / n, low, high


def ppi(right: Array, score: Array, rest: Array, level: float = LEVEL) -> Ends:
    """PPI++ of a mean [Angelopoulos, Duchi, Zrnic 2023], as in ppi-python: `right` and `score` of the labelled items,
    `rest` the scores of the others.

    mean(lam f(rest)) + mean(y - lam f), lam = cov(y, f) / ((1 + n/N) var f) clipped to [0, 1]; the interval is normal.
    """
    n, others = len(right), len(rest)
    covariance = np.mean((right - right.mean()) * (score - score.mean()))
    variance = np.var(np.concatenate([score, rest]), ddof=1)
    lam = 0.0 if variance == 0 else float(np.clip(covariance / ((1 + n / others) * variance), 0, 1))
    value = lam * rest.mean() + np.mean(right - lam * score)
    error = np.sqrt((lam * rest).var() / others + (right - lam * score).var() / n)
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    return float(value), float(value - half), float(value + half)


def ppi_by_package(right: Array, score: Array, rest: Array, level: float = LEVEL) -> Ends:
    """The same by ppi-python itself."""
    package: Any = importlib.import_module("ppi_py")
    if np.ptp(np.concatenate([score, rest])) == 0:  # its tuning parameter would be 0/0
        return ppi(right, score, rest, level)
    value = float(np.squeeze(package.ppi_mean_pointestimate(right, score, rest)))
    low, high = (float(np.squeeze(end)) for end in package.ppi_mean_ci(right, score, rest, alpha=1 - level))
    return value, low, high


def of_a_sample(right: Array, score: Array, rest: Array) -> dict[str, Ends]:
    """All of them, from the same labels."""
    hits, n = int(right.sum()), len(right)
    by = ppi_by_package if HAS_PACKAGE else ppi
    return {"wilson": wilson(hits, n), "clopper_pearson": clopper_pearson(hits, n), "ppi": by(right, score, rest)}
