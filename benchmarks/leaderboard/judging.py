"""Ratios, shares and medians with standard errors clustered by run, and what they say of a bar."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.leaderboard.pools import Entry

from fewlabels.core.arrays import Array

MET, MISSED, NOT_SHOWN = "met", "missed", "not shown"
BEYOND, BEYOND_WORST = 2.0, 3.0  # standard errors beyond a bar that miss it; the second for the worst of many
SHOWN = 0.1  # a standard error of more than this share of the bar shows nothing
_RESAMPLES = 200


@dataclass(frozen=True)
class Figure:
    """A number of one pool at one look."""

    entry: Entry
    look: str
    value: float
    se: float
    beside: str = ""  # the rival, or how many cases
    verdict: str = ""


@dataclass(frozen=True)
class Bar:
    """What a figure may be at most, or must be at least."""

    limit: float
    at_least: bool = False
    worst: bool = True  # of many figures

    def judge(self, value: float, se: float) -> str:
        """Missed where clearly beyond the bar; met where not, and the error is small enough to tell."""
        if not (np.isfinite(value) and np.isfinite(se)):
            return NOT_SHOWN
        beyond = self.limit - value if self.at_least else value - self.limit
        if beyond > (BEYOND_WORST if self.worst else BEYOND) * se:
            return MISSED
        return NOT_SHOWN if se > SHOWN * self.limit else MET

    @property
    def words(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.limit:g}"


def ratio_of_means(ours: Array, theirs: Array) -> tuple[float, float]:
    """mean(ours) / mean(theirs) of paired runs, with its standard error by the delta method."""
    n, below = len(ours), theirs.mean()
    if n < 2 or below == 0:
        return float("nan"), float("nan")
    ratio = ours.mean() / below
    residual = ours - ratio * theirs
    return float(ratio), float(np.sqrt((residual**2).sum() / (n * (n - 1))) / below)


def ratio_of_rms(ours: Array, theirs: Array) -> tuple[float, float]:
    """The ratio of root mean squares over paired runs, with its standard error."""
    ratio, se = ratio_of_means(ours**2, theirs**2)
    return (float(np.sqrt(ratio)), float(se / (2 * np.sqrt(ratio)))) if ratio > 0 else (ratio, se)


def share(hits: Array) -> tuple[float, float, int]:
    """The mean over cases that are a number, its standard error with runs (the first axis) as clusters, how many."""
    flat = hits.reshape(len(hits), -1)
    counts = (~np.isnan(flat)).sum(axis=1)
    sums = np.nansum(flat, axis=1)
    total, runs = counts.sum(), int((counts > 0).sum())
    if total == 0:
        return float("nan"), float("nan"), 0
    mean = sums.sum() / total
    if runs < 2:
        return float(mean), float("nan"), int(total)
    residual = sums - mean * counts
    return float(mean), float(np.sqrt((residual**2).sum() * runs / (runs - 1)) / total), int(total)


def judged(figures: Sequence[Figure], bar: Bar) -> list[Figure]:
    """The figures with what each says of the bar."""
    return [Figure(f.entry, f.look, f.value, f.se, f.beside, bar.judge(f.value, f.se)) for f in figures]


def median_of(figures: Sequence[Figure]) -> tuple[float, float]:
    """The median of figures, with the standard error that their own errors give it: from figures drawn again, those of
    one pool off by as many of their errors, for they are looks at the same runs."""
    values, errors = (np.array([getattr(f, name) for f in figures]) for name in ("value", "se"))
    known = np.isfinite(values) & np.isfinite(errors)
    if not known.any():
        return float("nan"), float("nan")
    values, errors = values[known], errors[known]
    pools = {f.entry: i for i, f in enumerate(figures)}
    pool = np.array([pools[f.entry] for f in figures])[known]
    drawn = values + errors * np.random.default_rng(0).standard_normal((_RESAMPLES, len(figures)))[:, pool]
    return float(np.median(values)), float(np.median(drawn, axis=1).std())


def worst_of(figures: Sequence[Figure], bar: Bar) -> Figure | None:
    """The figure farthest on the wrong side of the bar, in standard errors if beyond it."""
    known = [f for f in figures if np.isfinite(f.value)]
    if not known:
        return None
    sign = -1 if bar.at_least else 1
    return max(known, key=lambda f: (f.verdict == MISSED, sign * f.value))


def overall_verdict(figures: Sequence[Figure]) -> str:
    """Of many figures together: missed where one is; not shown where one is not; met where all are."""
    verdicts = {f.verdict for f in figures}
    return next((v for v in (MISSED, NOT_SHOWN) if v in verdicts), MET if verdicts else NOT_SHOWN)


def resampled(statistic: Array) -> float:
    """The standard error of a statistic from its values in resampled runs."""
    known = statistic[np.isfinite(statistic)]
    return float(known.std()) if len(known) > 1 else float("nan")
