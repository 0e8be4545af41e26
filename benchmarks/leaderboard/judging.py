"""Ratios, shares and medians with standard errors clustered by run, and what they say of a bar."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from benchmarks.leaderboard.pools import Entry
from scipy import stats

from fewlabels.core.arrays import Array

MET, MISSED, NOT_SHOWN = "met", "missed", "not shown"
BEYOND, BEYOND_WORST = 2.0, 3.0  # standard errors beyond a bar that miss it; the second for the worst of many
SHOWN = 0.05  # the error of a one-sided limit: a bar is met where the 95 % limit of the figure meets it
ONE_SIDED = float(stats.norm.isf(SHOWN))
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
    limit: float | None = None  # the one-sided 95 % limit of a share from below; None where the standard error gives it


@dataclass(frozen=True)
class Bar:
    """What a figure may be at most, or must be at least."""

    limit: float
    at_least: bool = False
    worst: bool = True  # of many figures

    def judge(self, value: float, se: float, limit: float | None = None) -> str:
        """Met where the one-sided 95 % limit of the figure meets the bar; missed where the figure lies clearly beyond
        it; else neither is shown. The limit is given, or follows from the standard error."""
        if not (np.isfinite(value) and np.isfinite(se)):
            return NOT_SHOWN
        beyond = self.limit - value if self.at_least else value - self.limit
        if beyond > (BEYOND_WORST if self.worst else BEYOND) * se:
            return MISSED
        shown = self.shown(value, se) if limit is None else limit
        return MET if (shown >= self.limit if self.at_least else shown <= self.limit) else NOT_SHOWN

    def shown(self, value: float, se: float) -> float:
        """The one-sided 95 % limit of a figure, on the side of the bar."""
        return value + (-1 if self.at_least else 1) * ONE_SIDED * se

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
    return [replace(f, verdict=bar.judge(f.value, f.se, f.limit)) for f in figures]


def share_limit(value: float, se: float, cases: int, runs: int) -> float:
    """The one-sided 95 % limit of a share from below, by Clopper and Pearson. It takes as many cases for independent as
    would have this standard error, and where all cases agree one of each run."""
    if cases == 0 or not np.isfinite(value):
        return float("nan")
    spread = value * (1 - value)
    independent = min(cases, spread / se**2) if spread > 0 and se > 0 else min(cases, runs)
    right = value * independent
    return float(stats.beta.ppf(SHOWN, right, independent - right + 1)) if right > 0 else 0.0


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
    """The figure farthest on the wrong side of the bar; one that misses it before any other."""
    known = [f for f in figures if np.isfinite(f.value)]
    if not known:
        return None
    sign = -1 if bar.at_least else 1
    return max(known, key=lambda f: (f.verdict == MISSED, sign * f.value))


def one_sided(figure: Figure, bar: Bar) -> float:
    """The one-sided 95 % limit of a figure."""
    return bar.shown(figure.value, figure.se) if figure.limit is None else figure.limit


def overall_verdict(figures: Sequence[Figure]) -> str:
    """Of many figures together: missed where one is; not shown where one is not; met where all are."""
    verdicts = {f.verdict for f in figures}
    return next((v for v in (MISSED, NOT_SHOWN) if v in verdicts), MET if verdicts else NOT_SHOWN)


def resampled(statistic: Array) -> float:
    """The standard error of a statistic from its values in resampled runs."""
    known = statistic[np.isfinite(statistic)]
    return float(known.std()) if len(known) > 1 else float("nan")
