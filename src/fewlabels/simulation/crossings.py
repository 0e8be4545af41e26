"""Where the average over runs first exceeds a threshold, and how sure that point is: a bootstrap over the runs."""

from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array

BOOTSTRAPS = 1000


@dataclass(frozen=True)
class Crossing:
    """The first budget at which the mean exceeds the threshold, with the ends of its interval; inf for never."""

    labels: float
    low: float
    high: float
    level: float


def crossing(
    values: Array,  # (n_runs, n_budgets)
    budgets: Array,  # (n_budgets,)
    threshold: float,
    *,
    level: float = 0.99,
    of_highest: bool = False,
    of: int | None = None,
    seed: int = 0,
) -> Crossing:
    """Where the mean curve first exceeds the threshold, with a bootstrap interval.

    `of_highest` lowers the threshold to that share of the curve's own maximum where the curve never gets so far, as the
    published code does. The ends are order statistics of 1,000 resamples of the runs, so that "never" can be one. Where
    no run is short of the threshold any more, the crossing is that of the last run, which resampling cannot exceed: the
    upper end is then not known, and inf, unless there is nothing left to label. With `of` the interval is where the
    crossing of so many runs, fewer than there are, would lie.

    >>> values = np.array([[0.5, 0.9, 1.0], [0.5, 1.0, 1.0]])
    >>> crossing(values, np.array([10.0, 20.0, 30.0]), 0.92).labels
    20.0
    """
    rng, runs = np.random.default_rng(seed), len(values)
    drawn = (np.bincount(rng.integers(0, runs, of or runs), minlength=runs) for _ in range(BOOTSTRAPS))
    found = [_first(often @ values / (of or runs), budgets, threshold, of_highest) for often in drawn]
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    labels = _first(values.mean(axis=0), budgets, threshold, of_highest)
    if labels < budgets[-1] and (values[:, int(np.searchsorted(budgets, labels))] > threshold).all():
        high = np.inf
    return Crossing(labels, float(low), float(high), level)


def _first(curve: Array, budgets: Array, threshold: float, of_highest: bool) -> float:
    bound = min(threshold, threshold * float(curve.max())) if of_highest else threshold
    above = curve > bound
    return float(budgets[int(above.argmax())]) if above.any() else float("inf")
