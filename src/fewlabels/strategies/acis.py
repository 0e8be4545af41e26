"""Active calibration and importance sampling [ACIS21], Algorithm 1: rounds of draws for one F-score."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.calibration_map import Calibration, fit_map
from fewlabels.core.design import Design
from fewlabels.core.importance import FSample, inside, optimal_distribution, round_estimates
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.round import Round
from fewlabels.core.systematic import inclusion, systematic
from fewlabels.errors import QuestionError
from fewlabels.strategies.base import State, Strategy

FIRST_GUESS = 0.5  # Ĝ_0
MOST_DOUBLINGS = 60  # after so many rounds a round is larger than any pool
BATCH_SCORES = 0.5  # the scores' share of the calibration prior of a round enlarged for a batch
MOST_DRAWS = 16  # for each item wanted: where few items have nearly all the chance, a round ends without the others
LEAST_NEW = 1e-3  # draws from the whole pool end once so little of their probability lies on items not asked yet


ONCE, IN_ROUND, ANEW = Design("never", "weights"), Design("in the round", "weights"), Design("always", "weights")


class DrawsForF(Strategy):
    """Draws of cells for one F-score, to be read draw by draw."""

    of_cells: ClassVar[bool] = True
    by_cells: ClassVar[bool] = False
    by_draws: ClassVar[bool] = True
    estimator: ClassVar[str | None] = "weighted"


@dataclass(frozen=True)
class Acis(DrawsForF):
    """Each round calibrates the scores with the labels so far, draws from the distribution that is optimal under them,
    and is twice as large as the one before. Every part can be switched off.

    What the paper leaves open: `epsilon` keeps calibrated scores and the estimate off 0 and 1; `mixing` is the weight
    of the calibration prior in round 1, 2, …, zero after the last; `replacement=False` draws each round without
    replacement, by systematic sampling with unequal probabilities. `caution` is the number of imagined draws, half of
    them right, that a round's estimate is mixed with before the next round is planned by it: ten labels that all agree
    would otherwise have it look at predicted negatives alone. `top_k` restricts round i to the top_k (i + 1) npos
    highest scores, None to none. `reuse=False` draws every round from the whole pool, labelled items too.
    """

    calibration: Calibration = "isotonic"
    epsilon: float = 1e-3
    caution: float = 2.0
    mixing: tuple[float, ...] = (1.0, 2 / 3, 1 / 3)
    top_k: float | None = 3.0
    reuse: bool = True
    replacement: bool = True
    first: int = 10
    growth: float = 2.0

    name: ClassVar[str] = "acis"
    reason: ClassVar[str] = (
        "active calibration and importance sampling: items that weigh most in the F-score are drawn more often, with "
        "known probabilities"
    )
    estimator: ClassVar[str | None] = "acis"

    def __post_init__(self) -> None:
        if not 0 < self.epsilon < 0.5:
            raise QuestionError(f"Acis needs an epsilon above 0 and below 0.5, such as 0.001; got {self.epsilon!r}.")
        if self.calibration not in ("isotonic", "platt", "none"):
            raise QuestionError(f"calibration is 'isotonic', 'platt' or 'none'; got {self.calibration!r}.")
        if not (isinstance(self.first, int) and self.first >= 1 and 1 <= self.growth <= 100):
            raise QuestionError(
                f"first is at least 1 draw, growth from 1 to 100; got first={self.first!r}, growth={self.growth!r}."
            )
        if any(not 0 <= share <= 1 for share in self.mixing) or (self.top_k is not None and self.top_k <= 0):
            raise QuestionError(
                f"mixing are shares from 0 to 1, top_k is positive; got {self.mixing!r} and {self.top_k!r}."
            )
        if not self.caution >= 0:
            raise QuestionError(f"caution is a number of imagined draws, 0 or more; got {self.caution!r}.")
        if not (self.replacement or self.reuse):
            raise QuestionError("reuse=False draws labelled items again, so it needs replacement=True.")

    def choose(self, state: State, keyed: Keyed) -> Round:
        """The draws of the next round; no more than the budget allows, but where they are wanted.

        Departure from the paper, which has no batches: where more items are `wanted` at once than the schedule has, the
        round is so large, as otherwise the next rounds would be planned before this one has a label. So much being at
        stake at once, it takes the model's own scores for half of the calibration prior, reaches as far as the last of
        the rounds it stands for, and so sees misses that the predictions alone would have it pass by.
        """
        sample, remaining, wanted = state.sample, state.remaining, state.wanted
        scheduled = min(round(self.first * self.growth ** min(keyed.step - 1, MOST_DOUBLINGS)), state.most)
        urn = remaining if self.reuse else sample.size
        frame = self.frame(sample, urn, self._rounds_worth(keyed.step, wanted), max(scheduled, wanted))
        scores = BATCH_SCORES if wanted > scheduled else 0.0
        mass = np.where(sample.stratum >= frame, urn, 0) * self.distribution(sample, keyed.step, scores)
        n = scheduled if wanted <= scheduled else _enough(mass, urn, remaining, wanted) if self.replacement else wanted
        n = min(n, int(urn[mass > 0].sum()))
        if n <= 0 or not remaining[mass > 0].any():
            return Round()
        if self.replacement:
            return draw_cells(mass, remaining, n, keyed, IN_ROUND if self.reuse else ANEW, frame)
        return _systematic(mass, urn, n, keyed, frame)

    def _rounds_worth(self, number: int, wanted: int) -> int:
        """The number of the last of the scheduled rounds, from this one on, that so many draws would fill: as far as
        that one a large round reaches."""
        left = wanted - self.first * self.growth ** min(number - 1, MOST_DOUBLINGS)
        while left > 0:
            number += 1
            left -= self.first * self.growth ** min(number - 1, MOST_DOUBLINGS)
        return number

    def frame(self, sample: FSample, urn: Ints, number: int, n: int) -> int:
        """The lowest stratum of the top_k (i + 1) npos highest scores, Sec. 3.3, as far as ties allow; 0, that is all
        of them, once the restricted ones hold no full round."""
        npos = sample.size @ sample.predicted
        if self.top_k is None or npos == 0:
            return 0
        items = np.bincount(sample.stratum, weights=sample.size)
        frame = int(np.argmax(items[::-1].cumsum()[::-1] <= self.top_k * (number + 1) * npos))
        return frame if urn[sample.stratum >= frame].sum() >= n else 0

    def distribution(self, sample: FSample, number: int, scores: float = 0.0) -> Array:
        """q_i / p of one item of each cell, up to a factor, Eq. 4."""
        g = float(np.clip(last_estimate(sample, self.caution), self.epsilon, 1 - self.epsilon))
        return optimal_distribution(self.calibrated(sample, number, scores), sample.predicted, g, sample.alpha)

    def calibrated(self, sample: FSample, number: int, scores: float = 0.0) -> Array:
        """beta c_0 + (1 - beta) c_i in [epsilon, 1 - epsilon]: the labels' map, mixed with that of the predictions, in
        which the scores themselves have the share `scores`."""
        if self.calibration == "none":
            return inside(sample.score, self.epsilon)
        prior = fit_map(self.calibration, sample.score, sample.predicted, sample.size.astype(np.float64))(sample.score)
        prior = (1 - scores) * prior + scores * sample.score
        if len(sample.cell) == 0:
            return inside(prior, self.epsilon)
        learnt = fit_map(self.calibration, sample.score[sample.cell], sample.positive)(sample.score)
        beta = self.mixing[number - 1] if number <= len(self.mixing) else 0.0
        return inside(beta * prior + (1 - beta) * learnt, self.epsilon)


def last_estimate(sample: FSample, caution: float) -> float:
    """Ĝ_{i-1}: of the last round that has an estimate, mixed with the first guess as if `caution` draws had made it."""
    rounds = round_estimates(sample)
    known = np.flatnonzero(~np.isnan(rounds.value))
    if len(known) == 0:
        return FIRST_GUESS
    n = rounds.draws[known[-1]]
    return float((n * rounds.value[known[-1]] + caution * FIRST_GUESS) / (n + caution))


def _enough(mass: Array, urn: Ints, remaining: Ints, wanted: int) -> int:
    """How many draws with replacement return so many new, different items, but for about once in a thousand times."""
    reach = np.flatnonzero((mass > 0) & (remaining > 0))
    chance, items = np.minimum(mass[reach] / mass.sum() / urn[reach], 1 - 1e-12), remaining[reach]

    def found(draws: int) -> float:
        seen = -np.expm1(draws * np.log1p(-chance))  # the chance of each item to be drawn at all
        return float(items @ seen - 3 * np.sqrt(items @ (seen * (1 - seen))))

    low, high = wanted - 1, wanted
    while found(high) < wanted and high < MOST_DRAWS * wanted:
        low, high = high, 2 * high
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) >= wanted else (middle, high)
    return high


def draw_cells(mass: Array, remaining: Ints, n: int, keyed: Keyed, design: Design, frame: int = 0) -> Round:
    """n independent draws of cells with probabilities proportional to mass; none where hardly any could be new."""
    q = mass / mass.sum()
    if q[remaining > 0].sum() < LEAST_NEW:
        return Round()
    upto = np.cumsum(q)
    cells = np.searchsorted(upto, keyed.uniforms(Use.ARM_PICK, n) * upto[-1], side="right")
    cells = np.minimum(cells, len(q) - 1)
    return Round(tuple(cells.tolist()), tuple(q[cells].tolist()), design, frame)


def _systematic(mass: Array, urn: Ints, n: int, keyed: Keyed, frame: int) -> Round:
    """n items without replacement, with chances proportional to mass but at most one: systematic sampling over the
    cells in random order. An arm's probability is the cell's expected count over n, as of one draw of n."""
    expected = inclusion(mass, urn, n)
    order = np.argsort(keyed.uniforms(Use.ARM_DRAW, len(mass)))
    cells = systematic(expected, order, n, keyed)
    return Round(tuple(cells.tolist()), tuple((expected[cells] / n).tolist()), ONCE, frame)
