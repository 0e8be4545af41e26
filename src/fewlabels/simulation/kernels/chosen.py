"""Compiled runs: `run.run_plain` in machine code, label by label, with the same keyed numbers and so the same choices.

Class shares alone (confusion, costs) are drawn by other random numbers, from the same distributions. Needs Numba (the
extra `fast`), which nothing else imports. Tests hold every case to the plain step.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, cast

import numpy as np
from scipy.special import betainc, betaincinv, betaln

from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.beta import BetaBelief
from fewlabels.core.comparison import probability_below
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.evidence import Counted
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.objectives import AccuracyVariance, ClassVariance, Confidence, Extreme
from fewlabels.core.rewards import DIGITS
from fewlabels.core.verdicts import beside
from fewlabels.questions import Identify
from fewlabels.simulation.compiled import Runner
from fewlabels.simulation.drawn import DrawnRun
from fewlabels.simulation.kernels import adaptive, bins, told
from fewlabels.simulation.kernels.comparison import DUEL
from fewlabels.simulation.kernels.keyed import Records
from fewlabels.simulation.kernels.lazy import CHOSEN, GATE, RACE, SEEN, SHORT, Arms, take_exact
from fewlabels.simulation.kernels.points import ARM, INNER, SLACK
from fewlabels.simulation.kernels.settled import SettleRun, can_be_settled
from fewlabels.simulation.kernels.shares import CATEGORY, CONFUSION, COST, COST_VARIANCE, ROW, Rows, run_shares
from fewlabels.simulation.kernels.uniform import run_uniform
from fewlabels.simulation.kernels.upper import UpperRun
from fewlabels.simulation.oracle import Deck
from fewlabels.simulation.run import Trace, outcomes_of
from fewlabels.strategies.thompson import MOST_RESAMPLES

_ADAPTIVE = {
    "thompson": adaptive.THOMPSON,
    "top_two": adaptive.TOP_TWO,
    "epsilon_greedy": adaptive.EPSILON_GREEDY,
}
_TOLD = {"widest": told.WIDEST, "nearest": told.NEAREST}
FAINTEST = 1e-3  # comparisons of priors fainter than this, nearly all at 0 and 1, are left to the plain step
_FIRST_U = np.array([1e-3, 0.01, 0.1, 0.3, 0.7, 0.9, 0.99, 0.999])  # where points are made before the first label


def kernel_for(assessment: Assessment) -> Runner | None:
    """The compiled twin of this assessment's runs, or None where there is none.

    There is one for uniform sampling (items or groups) of any question; for the widest group and the one nearest to a
    verdict; for settling which groups are the ones asked for; for Thompson sampling, top-two, epsilon-greedy and the
    upper bound where an arm is one cell with a Beta belief and rewards are linear in its draw: estimates of accuracy
    and of calibration, and finding the groups of extreme accuracy or calibration bias; for Thompson sampling
    to find the groups of extreme calibration error, to compare two groups, and of class shares (confusion, balanced
    accuracy, macro-F1, expected cost where an arm is one predicted class).
    """
    twin, belief, arms = assessment.strategy.kernel, assessment.prior_belief, assessment.arms
    if twin in ("uniform", "uniform_groups"):
        return UniformRun(assessment)
    if (drawn := _drawn(assessment)) is not None:
        return drawn
    if _is_of_bins(assessment):
        return BinsRun(assessment, cast(BetaBelief, belief))
    if twin not in (*_ADAPTIVE, "upper_bound") or not np.array_equal(arms.index, np.arange(arms.count)):
        return None
    if not belief.rates:
        return _of_shares(assessment, cast(DirichletBelief, belief)) if twin == "thompson" else None
    if assessment.metric.weights_change:
        return None  # weights of true-positive rates change with the belief
    objective = assessment.objective(belief)
    if isinstance(objective, Confidence):
        return _of_two(assessment, objective) if twin == "thompson" else None
    reward = np.zeros((arms.count, 4))
    if isinstance(objective, AccuracyVariance):
        reward[:, 0] = objective.weight
    elif isinstance(objective, Extreme) and objective.monotone is not None:
        # Exactly: sign (scale theta + shift) is w (v - (theta h + (1 - theta) m)), w = -sign scale, v = -shift / scale.
        scale = assessment.metric.scale or 1.0
        reward[:, 0] = -objective.sign * scale
        reward[:, 1] = -assessment.metric.shift(assessment.view) / scale
        reward[:, 2] = 1.0
    else:
        return None
    variance = isinstance(objective, AccuracyVariance)
    if twin == "upper_bound":
        return UpperRun(assessment, cast(BetaBelief, belief), reward, variance)
    kind = adaptive.VARIANCE if variance else adaptive.SAMPLED_RATE
    return LazyRun(assessment, cast(BetaBelief, belief), reward, kind)


def _drawn(assessment: Assessment) -> DrawnRun | None:
    """For strategies whose draws are told by their cells."""
    twin, one = assessment.strategy.kernel, assessment.settings.plays == 1
    if twin in _TOLD and assessment.outcome.rates and one and not assessment.two_cells:
        return ToldRun(assessment)
    return SettleRun(assessment) if twin == "settle" and can_be_settled(assessment) else None


def _of_shares(assessment: Assessment, belief: DirichletBelief) -> Runner | None:
    """For rows of class shares."""
    objective, metric, view = assessment.objective(belief), assessment.metric, assessment.view
    if isinstance(objective, ClassVariance):
        worth = CONFUSION if objective.cost is None else COST_VARIANCE
        return SharesRun(assessment, belief, objective.weight, objective.cost, worth)
    if isinstance(objective, Extreme) and (costs := metric.costs(view)) is not None:
        sign = np.full(belief.prior.shape[0], objective.sign)
        return SharesRun(assessment, belief, sign, costs, COST)
    return None


def _of_two(assessment: Assessment, objective: Confidence) -> Runner | None:
    """For a comparison of two groups."""
    belief, pair = objective.belief, objective.cells
    if min(belief.alpha[pair].min(), belief.beta[pair].min()) < FAINTEST:
        return None
    reward = np.zeros((assessment.arms.count, 4))
    reward[:, 0] = -1.0
    return LazyRun(assessment, belief, reward, adaptive.CONFIDENCE, _duel(objective))


def _is_of_bins(assessment: Assessment) -> bool:
    """Whether this is Thompson sampling to find the groups of extreme calibration error."""
    thompson, mean_gap = assessment.strategy.kernel == "thompson", assessment.metric.mean_gap
    return thompson and mean_gap and isinstance(assessment.question, Identify) and assessment.view.units.single


def _duel(objective: Confidence) -> Records:
    duel, cells = np.zeros(1, dtype=DUEL), objective.cells
    duel["arms"] = cells
    duel["at"] = [-objective.rope - objective.shift, objective.rope - objective.shift]
    alpha, beta = objective.belief.alpha[cells], objective.belief.beta[cells]
    duel["below"] = [probability_below(alpha, beta, float(x)) for x in duel["at"][0]]
    return duel


def _key(seed: int) -> np.uint64:
    return np.uint64(seed & 0xFFFFFFFFFFFFFFFF)


def _remaining(assessment: Assessment) -> Ints:
    return assessment.remaining(np.zeros(assessment.cells.count, dtype=np.int64)).copy()


def _cells_of_arms(assessment: Assessment) -> tuple[Ints, Ints, Ints]:
    """Cells by arm, where each arm's begin, and the items left in each."""
    index = assessment.arms.index
    members = np.argsort(index, kind="stable")
    begins = np.searchsorted(index[members], np.arange(assessment.arms.count + 1))
    return members, begins, assessment.cells.size.astype(np.int64)


@dataclass(frozen=True)
class UniformRun:
    """Strategies that read no belief, whatever the question."""

    assessment: Assessment

    def __call__(self, deck: Deck, budgets: Ints, seed: int) -> Trace:
        """What `run_plain` returns, to the last count."""
        assessment = self.assessment
        width = assessment.outcome.width
        noted = np.zeros((len(budgets), assessment.cells.count, width))
        cells = _cells_of_arms(assessment)
        groups, outcomes = assessment.strategy.kernel == "uniform_groups", outcomes_of(assessment, deck)
        run_uniform(groups, _remaining(assessment), cells, outcomes, deck.starts, budgets, _key(seed), noted)
        return Trace(noted)


class ToldRun(DrawnRun):
    """Strategies that go by each arm's own labels."""

    def drawn(self, deck: Deck, count: int, seed: int) -> Ints:
        assessment, arms = self.assessment, self.assessment.arms
        size, drawn = arms.size.astype(np.float64), np.zeros(count, dtype=np.int64)
        cells = (*_cells_of_arms(assessment), arms.index)
        cards, rule = (outcomes_of(assessment, deck), deck.starts), _TOLD[str(assessment.strategy.kernel)]
        sides, about = assessment.sides, (size, size, size, 0.0, True)
        if sides is not None:
            about = (sides.score, *beside(size, sides.threshold, sides.within), sides.enough, sides.of_hits)
        left, key = _remaining(assessment), _key(seed)
        return drawn[: told.run_told(rule, size, about, left, cells, cards, self.batch, key, drawn)]


@dataclass(frozen=True)
class SharesRun:
    """Thompson sampling of rows of class shares: distributed as `run_plain`, by random numbers of its own."""

    assessment: Assessment
    belief: DirichletBelief  # before the first label
    weight: Array  # of each row
    cost: Array | None  # (n_rows, n_true)
    worth: int
    own_draws: ClassVar[bool] = True  # runs are not those of a live study, only distributed alike

    def __call__(self, deck: Deck, budgets: Ints, seed: int) -> Trace:
        """Counts at each budget."""
        alpha = self.belief.alpha
        noted = np.zeros((len(budgets), *alpha.shape))
        rows, rng = self.rows(alpha, _remaining(self.assessment)), Keyed(seed, 0).generator(Use.ARM_DRAW)
        how = (self.worth, self.assessment.settings.plays)
        run_shares(how, rows, (deck.label, deck.starts), budgets, rng, noted)
        return Trace(noted)

    def rows(self, alpha: Array, left: Ints) -> Rows:
        """Rows with these beliefs and items left."""
        of_class, costs = self._categories
        (n, width), many = costs.shape, of_class.max(axis=1) + 1
        summed = np.where(np.arange(width) < many[:, None], 0.0, -np.inf)
        np.add.at(summed, (np.arange(n)[:, None], of_class), alpha)
        rows, sticks = np.zeros(n, dtype=ROW), np.zeros((n, width), dtype=CATEGORY)
        rows["weight"], rows["left"], rows["width"] = self.weight, left, many
        sticks["number"] = np.argsort(-summed, axis=1, kind="stable")
        for name, values in (("alpha", summed), ("cost", costs)):
            sticks[name] = np.take_along_axis(values, sticks["number"], axis=1)
        return Rows(rows, sticks, of_class, np.zeros(n))

    @cached_property
    def _categories(self) -> tuple[Ints, Array]:
        """The category of each class (n_rows, n_true), and what each category costs: classes of one cost are one."""
        n, n_true = self.belief.prior.shape
        if self.cost is None:
            return np.tile(np.arange(n_true), (n, 1)), np.zeros((n, n_true))
        found = [np.unique(row, return_inverse=True) for row in self.cost]
        costs = np.zeros((n, max(len(values) for values, _ in found)))
        for row, (values, _) in zip(costs, found, strict=True):
            row[: len(values)] = values
        return np.stack([inverse for _, inverse in found]).astype(np.int64), costs


@dataclass(frozen=True)
class LazyRun:
    """Strategies that read Beta beliefs, an arm being one cell."""

    assessment: Assessment
    belief: BetaBelief  # before the first label
    reward: Array  # (n_arms, 4) w, v, h, m
    worth: int
    duel: Records | None = None  # for a comparison, its two arms

    def __call__(self, deck: Deck, budgets: Ints, seed: int) -> Trace:
        """What `run_plain` returns, to the last count."""
        plays, arms, key = self.assessment.settings.plays, self._arms(), _key(seed)
        noted = np.zeros((len(budgets), len(arms.arms), 2))
        at, plan = np.zeros(9, dtype=np.int64), np.zeros(max(plays, 2), dtype=np.int64)
        at[adaptive.OPEN] = np.count_nonzero(arms.arms["left"])
        adaptive.begin_adaptive(arms, self.worth)
        strategy = self.assessment.strategy
        how = (_ADAPTIVE[str(strategy.kernel)], self.worth, plays, strategy.tuned)
        cards = (outcomes_of(self.assessment, deck), deck.starts)
        while not adaptive.run_adaptive(how, arms, at, plan, cards, budgets, key, noted):
            _draw_exactly(arms, at, seed)
        return Trace(noted)

    @cached_property
    def first_arms(self) -> Records:
        """The arms before the first label."""
        arms = _first_arms(self.belief)
        arms["left"] = _remaining(self.assessment)
        for column, name in enumerate("wvhm"):
            arms[name] = self.reward[:, column]
        return arms

    def _arms(self) -> Arms:
        n = len(self.first_arms)
        race = np.zeros(1, dtype=RACE)
        race["level"], race["until"], race["digits"] = -np.inf, SHORT, 0.0 if self.duel is None else 10.0**DIGITS
        gates, seen = np.zeros(n, dtype=GATE), np.zeros(n + 1, dtype=SEEN)
        duel = np.zeros(1, dtype=DUEL) if self.duel is None else self.duel.copy()
        return Arms(self.first_arms.copy(), gates, np.zeros(n + 1, dtype=np.int64), seen, race, duel)


@dataclass(frozen=True)
class BinsRun:
    """Thompson sampling to find groups by their calibration error, an arm being the bins of a group."""

    assessment: Assessment
    belief: BetaBelief  # before the first label

    def __call__(self, deck: Deck, budgets: Ints, seed: int) -> Trace:
        """What `run_plain` returns, to the last count."""
        assessment, groups, keyed = self.assessment, self._groups(), _key(seed)
        noted = np.zeros((len(budgets), assessment.cells.count, 2))
        at, plan = np.zeros(5, dtype=np.int64), np.zeros(assessment.settings.plays, dtype=np.int64)
        cards = (outcomes_of(assessment, deck), deck.starts)
        while not bins.run_bins(groups, at, plan, cards, budgets, keyed, noted):
            counts = np.stack([groups.bins["hits"], groups.bins["misses"]], axis=-1)
            step, taken, now = (
                Keyed(seed, int(at[bins.STEP])),
                counts.sum(axis=1).astype(int),
                self.belief.after(counts),
            )
            chosen = assessment.choose(Counted(counts), np.zeros(len(taken)), taken, step).arms
            plan[: len(chosen)], at[bins.END] = chosen, len(chosen)
            uniforms = step.uniforms(Use.ARM_DRAW, len(taken))
            bins.add_points(groups, _points(now.alpha, now.beta, uniforms))
        return Trace(noted)

    @cached_property
    def first_bins(self) -> Records:
        """The bins before the first label."""
        return _first_arms(self.belief)

    def _groups(self) -> bins.Groups:
        view, question = self.assessment.view, self.assessment.question
        assert isinstance(question, Identify)
        members, n_groups = np.argsort(view.groups.index, kind="stable"), view.groups.count
        share, score = view.unit_share[view.units.index], view.units.mean_score[view.units.index]
        most = share * np.maximum(score, 1 - score)
        return bins.Groups(
            bins=self.first_bins.copy(),
            left=self.assessment.cells.size.astype(np.int64),
            members=members,
            begins=np.searchsorted(view.groups.index[members], np.arange(n_groups + 1)),
            first=np.lexsort((-most, view.groups.index)),
            most=most,
            share=share,
            score=score,
            sign=-1.0 if question.lowest_first else 1.0,
            gaps=np.zeros((len(members), 2)),
            bounds=np.zeros((n_groups, 2)),
            open=np.zeros(n_groups, dtype=np.int64),
        )


def _first_arms(belief: BetaBelief) -> Records:
    """One arm a cell before the first label, with some points of their distributions."""
    alpha, beta = belief.prior_alpha, belief.prior_beta
    arms = np.zeros(len(alpha), dtype=ARM)
    arms["a"], arms["b"], arms["stamp"] = alpha, beta, -1
    for u in _FIRST_U:
        found = _points(alpha, beta, np.full(len(alpha), u))
        to = np.flatnonzero(found[:, 2] > 0)
        for column, name in enumerate("utp"):
            arms[name][to, arms["kept"][to]] = found[to, column]
        arms["kept"][to] += 1
    return arms


def _points(alpha: Array, beta: Array, u: Array) -> Array:
    """(n, 3) u, t and density near the quantiles of these u; a density of 0 where there is no point to be had."""
    t = betaincinv(alpha, beta, u)
    inner = (t > INNER) & (t < 1 - INNER)
    t = np.where(inner, t, 0.5)
    p = np.exp((alpha - 1) * np.log(t) + (beta - 1) * np.log1p(-t) - betaln(alpha, beta))
    u = betainc(alpha, beta, t)
    return np.stack([u, t, np.where(inner & (u > SLACK) & (u < 1 - SLACK), p, 0.0)], axis=1)


def _draw_exactly(arms: Arms, at: Ints, seed: int) -> None:
    """The draws a run waits for; arms that have few points get one."""
    seen = arms.seen[: at[adaptive.WAITING]]
    seen = seen[seen["state"] != CHOSEN]
    waiting = seen["arm"][seen["high"] >= seen["low"].max()]  # the others are not next, whatever comes out
    step, attempt = int(at[adaptive.STEP]), int(at[adaptive.ATTEMPT])
    uniforms = Keyed(seed, step).uniforms(Use.ARM_DRAW, waiting, attempt)
    alpha, beta = arms.arms["a"][waiting], arms.arms["b"][waiting]
    stamp = step * (MOST_RESAMPLES + 1) + attempt
    take_exact(arms, waiting, betaincinv(alpha, beta, uniforms), _points(alpha, beta, uniforms), stamp)
