"""F-scores from weighted draws: the optimal distribution, the weighted estimate, its variance. Equations are those of
[ACIS21] Poms et al., *Low-Shot Validation: Active Importance Sampling for Estimating Classifier Performance on Rare
Categories*, ICCV 2021; v = alpha ŷ + (1 - alpha) y is what an item counts, l = 1 where ŷ = y."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints

Reuse: TypeAlias = Literal["stratum", "printed"]
HALF_A_MISS = 0.5  # Jeffreys' pseudo-count
TIE = 0.1  # of the items predicted negative: so many share a score that it tells little of each


@dataclass(frozen=True)
class FSample:
    """All that is known about one F-score: cells, the labelled items, and the draws that found them.

    Items of a cell share score and prediction as far as choosing is concerned. `since` is the round in which an item
    was first asked (or the number of rounds there were when its label came from outside); `probability` the chance
    which that very item had in that draw.
    """

    alpha: float
    size: Ints  # (n_cells,) items
    score: Array  # (n_cells,) mean score of the positive class
    predicted: Array  # (n_cells,) ŷ, 0 or 1
    stratum: Ints  # (n_cells,) of the score that decides what is in reach, lowest first
    cell: Ints  # (n_rows,) of each labelled item
    positive: Array  # (n_rows,) y, 0 or 1
    since: Ints  # (n_rows,)
    row: Ints  # (n_draws,) which labelled item was drawn
    round: Ints  # (n_draws,)
    probability: Array  # (n_draws,) nan where every item had the same
    whole: bool = False  # draws were from the whole pool, labelled items too
    frames: Mapping[int, int] = field(default_factory=dict)  # the lowest stratum in reach of each round, 0 for all
    by_now: Array | None = None  # (n_rows,) the chance of each labelled item to be labelled by now, where it is known
    of_all: Array | None = None  # (n_models, n_cells) ŷ of each of several models set against one another
    maps: dict[bytes, Array] = field(default_factory=dict, repr=False, compare=False)  # calibrated scores by what is
    # predicted, for all samples of the same labels: made when first asked for
    rank: Ints | None = None  # (n_cells,) stratum of the score, where the average precision of its ranking is asked
    reach: int | None = None  # the lowest stratum that rounds searched; None where it is that of their frames

    @property
    def items(self) -> int:
        """|X|, the items of the pool."""
        return int(self.size.sum())

    @cached_property
    def said(self) -> Array:
        """ŷ of each cell by every model that draws were made for, (n_models, n_cells)."""
        return self.predicted[None] if self.of_all is None else self.of_all

    @cached_property
    def can_count(self) -> Bools:
        """Cells whose items can count: for precision, those predicted positive."""
        return np.asarray(self.said.any(axis=0) | (self.alpha < 1))

    @cached_property
    def lowest(self) -> int:
        """The lowest stratum that a round with labels searched."""
        if self.reach is not None:
            return self.reach
        return min((self.frames.get(int(number), 0) for number in self.rounds), default=0)

    @cached_property
    def tied(self) -> Bools:
        """Cells of predicted negatives a tenth or more of which share one score."""
        negative = np.where(self.said.any(axis=0), 0, self.size)
        held = np.bincount(self.stratum, weights=negative)
        return np.asarray((held >= max(TIE * held.sum(), 2))[self.stratum] & (negative > 0))

    @cached_property
    def labelled(self) -> Array:
        """Labelled items of each cell."""
        return np.asarray(np.bincount(self.cell, minlength=len(self.size)), dtype=np.float64)

    @cached_property
    def counts(self) -> Array:
        """v of each labelled item."""
        return np.asarray(self.alpha * self.predicted[self.cell] + (1 - self.alpha) * self.positive)

    @cached_property
    def right(self) -> Array:
        """l of each labelled item."""
        return np.asarray(self.predicted[self.cell] == self.positive, dtype=np.float64)

    @property
    def complete(self) -> bool:
        """Whether every item that can count is labelled."""
        return bool((self.labelled >= self.size)[self.can_count].all())

    def out_of_reach(self, number: int, known: Bools) -> float:
        """Items predicted positive that a round could not draw, but for those known (a flag a row)."""
        below = self.stratum < self.frames.get(number, 0)
        counted = known & below[self.cell]
        return float(self.size[below] @ self.predicted[below] - self.predicted[self.cell[counted]].sum())

    @property
    def rounds(self) -> Ints:
        """The rounds of which at least one draw is labelled."""
        return np.unique(self.round)


def optimal_distribution(probability: Array, predicted: Array, g: float, alpha: float) -> Array:
    """q*(x) / p(x), up to a factor: Eq. 3 with c(s) in place of p(y=1|x), Eq. 4.

    >>> optimal_distribution(np.array([0.5, 0.5]), np.array([1.0, 0.0]), 0.5, 0.5).round(4).tolist()
    [0.3953, 0.1768]
    """
    hit = np.sqrt(probability * (1 - g) ** 2 + alpha**2 * (1 - probability) * g**2)
    miss = (1 - alpha) * np.sqrt(probability * g**2)
    return np.where(predicted > 0, hit, miss)


def inside(values: Array | float, epsilon: float) -> Array:
    """Values of [0, 1] moved linearly into [epsilon, 1 - epsilon], so that no item is out of reach."""
    return np.asarray(epsilon + (1 - 2 * epsilon) * np.asarray(values))


@dataclass(frozen=True)
class Rounds:
    """One estimate a round, each from its own draws and what was labelled before it."""

    value: Array  # Ĝ_i, nan where nothing drawn counts
    variance: Array  # S²/n of Eq. 6
    crowding: Array  # sum of squared shares of the draws: one over Kish's effective sample size
    spread: Array  # sum v² (l - Ĝ)² / (sum v)² over the pool, estimated: Eq. 6 for all items labelled
    counted: Array  # sum of v over the pool, estimated
    weight: Array  # |W_i|_1
    draws: Ints

    def shares(self, window: int | None = None, *, by_weight: bool = False) -> Array:
        """The weights of Eq. 5, over the last `window` rounds that have an estimate; normalised over these same terms
        (the printed denominator runs over all of them). By the number of draws, or with `by_weight` by |W_i|_1.

        Rounds grow, so a last round smaller than the one before is under way; a window leaves it out.
        """
        share = np.where(np.isnan(self.value), 0.0, self.weight if by_weight else self.draws)
        if window is not None:
            known = np.flatnonzero(share > 0)
            if len(known) > 1 and self.draws[known[-1]] < self.draws[known[-2]]:
                share[known[-1]] = 0.0
                known = known[:-1]
            share[: known[-window] if len(known) >= window else 0] = 0.0
        total = share.sum()
        return share / total if total > 0 else share


@dataclass(frozen=True)
class Weighed:
    """The draws of one round with weights 1/(n q) in items, and the items labelled before, each for itself."""

    rows: Ints  # the labelled item of each draw
    weight: Array  # of each draw
    before: Bools  # (n_rows,) labelled in an earlier round: counted for itself
    before_weight: float
    beyond: float  # what items out of reach count


def weigh(sample: FSample, number: int, reuse: Reuse) -> Weighed:
    """The weights of one round: a draw stands for 1/(n q) items, an item labelled before for itself.

    Restricting a round to the highest scores takes items below to be negative; those of them that are predicted
    positive, by another model or threshold mostly, then are false positives, and their number is known.

    With reuse="printed" an item labelled before weighs |L|/|X| against p/q of a draw, as Sec. 3.3 prints it; that is
    right only where |L| equals the number of draws. Draws from the whole pool stand for labelled items as well.
    """
    mine = sample.round == number
    n = int(mine.sum())
    before = np.zeros(len(sample.cell), dtype=np.bool_) if sample.whole else sample.since < number
    each = float(before.sum()) / n if reuse == "printed" else 1.0
    beyond = sample.alpha * sample.out_of_reach(number, before)
    return Weighed(sample.row[mine], 1 / (n * sample.probability[mine]), before, each, beyond)


def round_estimates(sample: FSample, reuse: Reuse = "stratum") -> Rounds:
    """Eq. 2 and Eq. 6 for each round. The items labelled before are not random, so only draws add variance."""
    found = [_round(sample, weigh(sample, int(number), reuse), reuse) for number in sample.rounds]
    value, variance, crowding, spread, counted, weight, draws = np.array(found, dtype=np.float64).reshape(-1, 7).T
    return Rounds(value, variance, crowding, spread, counted, weight, draws.astype(np.int64))


def _round(sample: FSample, weighed: Weighed, reuse: Reuse) -> tuple[float, ...]:
    v, right, n = sample.counts, sample.right, len(weighed.rows)
    drawn, known = weighed.weight * v[weighed.rows], weighed.before_weight * v[weighed.before]
    total = drawn.sum() + known.sum() + weighed.beyond
    mass = n * (weighed.weight.sum() + weighed.before_weight * weighed.before.sum()) / sample.items
    if drawn.sum() + known.sum() <= 0:
        return np.nan, np.nan, np.nan, np.nan, 0.0, mass, n
    g = min(((drawn * right[weighed.rows]).sum() + (known * right[weighed.before]).sum()) / total, 1.0)
    w, hit = drawn, right[weighed.rows]
    if reuse == "printed":
        w, hit = np.concatenate([w, known]), np.concatenate([hit, right[weighed.before]])
    squares = v**2 * (right - g) ** 2
    spread = (weighed.weight @ squares[weighed.rows] + weighed.before_weight * squares[weighed.before].sum()) / total**2
    return g, ratio_variance(w, hit, g, total), ((w / total) ** 2).sum(), spread, total, mass, n


def hidden_miss_variance(sample: FSample, value: float, *, by_scores: bool) -> float:
    """The variance that misses not seen yet add to the average of rounds; Eq. 6 says there are none before one is seen.

    The draws allow half a positive more among those predicted negative (to F-scores what half a pseudo-count is to a
    rate). A miss hides where a draw is likely, so its weight is the harmonic mean of those of the draws; where there is
    no such draw, all such items in reach. With `by_scores` it is no more than what the scores expect among the items
    not labelled, which is taken to be uncertain by as much as it is.
    """
    rounds, negative = round_estimates(sample), sample.predicted == 0
    share, found = rounds.shares(), 0.0
    for place in np.flatnonzero(share > 0):
        number = int(sample.rounds[place])
        weighed = weigh(sample, number, "stratum")
        weight = weighed.weight[negative[sample.cell[weighed.rows]]]
        in_reach = negative & (sample.stratum >= sample.frames.get(number, 0))
        hidden = len(weight) / (1 / weight).sum() if len(weight) else float(sample.size[in_reach].sum())
        found += HALF_A_MISS * float(share[place] * hidden / rounds.counted[place]) ** 2
    if by_scores:
        expected = float((sample.score * (sample.size - sample.labelled))[negative].sum())
        found = min(found, (expected / float(share @ rounds.counted)) ** 2)
    return ((1 - sample.alpha) * value) ** 2 * found


def ratio_variance(weight: Array, hit: Array, g: float, total: float) -> float:
    """S²/n of Eq. 6: the variance of a weighted mean g of hits, with the correction C = 1 - sum w² / total²."""
    share = weight / total
    c = 1 - (share**2).sum()
    return float((share**2 * (hit - g) ** 2).sum() / c) if c > 0 else np.nan


def combined_variance(variance: Array, share: Array, *, worst_case: bool = False) -> float:
    """The variance of the average over rounds: no covariance (Sec. 3.4), or a correlation of one (Figure 12)."""
    used = share > 0
    v, a = np.nan_to_num(variance[used], nan=0.25), share[used]
    return float((a @ np.sqrt(v)) ** 2) if worst_case else float(a**2 @ v)
