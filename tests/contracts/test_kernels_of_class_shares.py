"""Class shares are drawn by other random numbers: compiled runs promise the plain step's distribution of choices."""

import math

import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import chi2_contingency, kstest

import fewlabels as fl
from fewlabels.assessment import Assessment
from fewlabels.core.dirichlet import dirichlet_draws
from fewlabels.core.evidence import Counted
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.objectives import Extreme
from fewlabels.simulation.oracle import Known
from fewlabels.simulation.run import run_plain
from fewlabels.strategies.base import State, best

pytest.importorskip("numba", reason="the extra 'fast' is not installed")

from fewlabels.core.compiling import compiled
from fewlabels.simulation.kernels.chosen import SharesRun, kernel_for
from fewlabels.simulation.kernels.shares import SMALL, choose_rows, set_rows, split
from kernel_cases import BY, assess


def few_costs(classes: int) -> np.ndarray:
    """[true, predicted]: nothing, one, or ten where the true class is one of the first two."""
    costs = np.where(np.arange(classes)[:, None] < 2, 10.0, np.ones((classes, classes)))
    np.fill_diagonal(costs, 0.0)
    return costs


def all_costs(classes: int) -> np.ndarray:
    """All different, some negative."""
    return np.random.default_rng(7).uniform(-3, 5, (classes, classes))


CLASSES = 6
SHARES = {
    "confusion": fl.Estimate("confusion"),
    "few costs": fl.Identify(fl.Cost(few_costs(CLASSES)), by=BY),
    "three of few costs": fl.Identify(fl.Cost(few_costs(CLASSES)), by=BY, top=3),
    "all costs": fl.Identify(fl.Cost(all_costs(CLASSES)), by=BY),
    "two cheapest of all costs": fl.Identify(fl.Cost(all_costs(CLASSES)), by=BY, which="best", top=2),
    "any mistake": fl.Identify(fl.Cost(), by=BY),
    "variance of few costs": fl.Estimate(fl.Cost(few_costs(CLASSES)), by=BY),
    "variance of all costs": fl.Estimate(fl.Cost(all_costs(CLASSES))),
}
IDENTIFIED = [name for name, question in SHARES.items() if isinstance(question, fl.Identify)]


def shares_case(name: str, seed: int, strength: float | None = None):
    """Rows of class shares with priors far below one, sizes uneven."""
    rng = np.random.default_rng(seed)
    n = 40 * CLASSES
    predicted = np.concatenate([np.arange(CLASSES), rng.choice(CLASSES, n, p=rng.dirichlet(np.full(CLASSES, 3.0)))])
    labels = np.where(rng.random(len(predicted)) < 0.7, predicted, rng.integers(0, CLASSES, len(predicted)))
    score = rng.uniform(0.4, 1, len(predicted))
    pool = fl.Pool.from_arrays(predicted=predicted, score=score, classes=[str(c) for c in range(CLASSES)])
    strength = float(rng.choice([0.3, 1.0, 3.0])) if strength is None else strength
    return assess(pool, labels, SHARES[name], "thompson", "flat", strength)


DRAWS, COMPILED = 1600, 24_000  # choices by the plain step and the kernel: they tell as much as 3,000 of each


@compiled
def choose_often(rows, rng, chosen):
    """One choice of the kernel for each row of the last, without a call from Python for each."""
    for i in range(len(chosen)):
        choose_rows(rows, rng, chosen[i])


def state_after(assessment: Assessment, counts: np.ndarray) -> State:
    """What the plain step shows to the strategy after these labels."""
    taken = counts.sum(axis=1).astype(np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(assessment.strategy), "choose", lambda _, state, __: state)
        return assessment.choose(Counted(counts), np.zeros(len(taken)), taken, Keyed(2, 0))


class EachItsOwn:
    """Variates of so many keys, those of each by its own generator."""

    def __init__(self, keys: int) -> None:
        self.generators = [Keyed(2, i).generator(Use.ARM_DRAW) for i in range(keys)]

    def standard_gamma(self, alpha: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
        return np.stack([rng.standard_gamma(alpha, size=size[1:]) for rng in self.generators])

    def standard_exponential(self, size: tuple[int, ...]) -> np.ndarray:
        return np.stack([rng.standard_exponential(size[1:]) for rng in self.generators])


def plain_draws(state: State) -> np.ndarray:
    """What the plain step draws of the class shares, one entry a key."""
    return dirichlet_draws(state.objective.belief.alpha, DRAWS, EachItsOwn(DRAWS))


def plain_choices(_: Assessment, state: State) -> list[tuple[int, ...]]:
    """Those of Thompson sampling, its rewards of all keys at once."""
    objective, drawn = state.objective, plain_draws(state)
    rewards = objective.sign * objective.values(drawn) if isinstance(objective, Extreme) else objective._at(drawn)
    return [best(row, state.remaining, state.plays) for row in rewards]


def next_choices(assessment: Assessment, known: Known, before: int, tilt: float = 1.0, choices=plain_choices):
    """How often each row, or row of rows, is labelled next after `before` labels: by the plain step and the kernel.

    `tilt` multiplies what the kernel takes for the weight of row 0.
    """
    deck, n = known.deal(1), assessment.cells.count
    counts = run_plain(assessment, deck, np.array([before]), 1).counts[0]
    belief = assessment.prior_belief.after(counts)
    left = assessment.remaining(counts.sum(axis=1).astype(np.int64))
    plays = min(assessment.settings.plays, np.count_nonzero(left))
    plain = choices(assessment, state_after(assessment, counts))
    kernel = kernel_for(assessment)
    assert isinstance(kernel, SharesRun)
    rows = kernel.rows(belief.alpha, left)
    rows.rows["weight"][0] *= tilt
    set_rows(rows, kernel.worth)
    by_kernel = np.zeros((COMPILED, plays), dtype=np.int64)
    choose_often(rows, np.random.default_rng(3), by_kernel)
    ways = (np.array(chosen) @ n ** np.arange(plays) for chosen in (plain, by_kernel))
    return np.stack([np.bincount(way, minlength=n**plays) for way in ways])


def choices_without_rounding(assessment: Assessment, state: State) -> list[tuple[int, ...]]:
    """Those of the plain step for costs, but for the rounding errors of its sums, which break ties."""
    objective, costs = state.objective, assessment.metric.per_unit(assessment.view)
    alike = [[(cost, np.flatnonzero(row == cost).tolist()) for cost in np.unique(row).tolist()] for row in costs]

    def reward(of_cost: list[tuple[float, list[int]]], shares: list[float]) -> float:
        return sum(cost * math.fsum([shares[j] for j in where]) for cost, where in of_cost) / math.fsum(shares)

    found = []
    for drawn in plain_draws(state).tolist():
        rewards = np.array([reward(of_cost, shares) for of_cost, shares in zip(alike, drawn, strict=True)])
        found.append(best(objective.sign * rewards, state.remaining, state.plays))
    return found


@pytest.mark.parametrize("name", SHARES)
def test_choices_of_one_state_are_those_of_the_plain_step(name):
    assessment, _ = shares_case(name, 30)
    counts = np.eye(CLASSES) * 2
    found = plain_choices(assessment, state_after(assessment, counts))
    taken, none = counts.sum(axis=1).astype(np.int64), np.zeros(CLASSES)
    steps = [assessment.choose(Counted(counts), none, taken, Keyed(2, i)).arms for i in range(50)]
    assert found[:50] == steps


def differ(counts: np.ndarray) -> float:
    """The p-value of a chi-square test that two samples are of one distribution; rows that the smaller one is expected
    to have less than ten times are put together."""
    rare = counts.sum(axis=0) * counts[0].sum() < 10 * counts.sum()
    table = np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)])
    return float(chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue)


FALSE_ALARM = 1 / 3000  # of each test; the control shows what is caught


@pytest.mark.parametrize("before", [0, 30, 150])
@pytest.mark.parametrize("name", SHARES)
def test_rows_of_class_shares_are_chosen_with_the_probabilities_of_the_plain_step(name, before):
    assert differ(next_choices(*shares_case(name, before), before)) > FALSE_ALARM


@pytest.mark.parametrize("strength", [1e-6, 20.0])
@pytest.mark.parametrize("before", [0, 12, 60])
@pytest.mark.parametrize("name", IDENTIFIED)
def test_rows_are_chosen_alike_under_next_to_no_prior_and_a_strong_one(name, before, strength):
    """Under next to none rows tie all the time: the first of equals wins."""
    assert differ(next_choices(*shares_case(name, before, strength), before)) > FALSE_ALARM


@pytest.mark.parametrize("strength", [1e-3, 0.03])
@pytest.mark.parametrize("before", [0, 12, 60])
@pytest.mark.parametrize("name", IDENTIFIED)
def test_rows_are_chosen_alike_under_weak_priors_but_for_rounding(name, before, strength):
    """Shares down to 1e-300 decide between rows that seem never wrong; ties the plain step breaks by rounding errors
    go to the first."""
    found = next_choices(*shares_case(name, before, strength), before, choices=choices_without_rounding)
    assert differ(found) > FALSE_ALARM


@pytest.mark.parametrize("name", IDENTIFIED)
def test_rows_are_chosen_alike_when_others_have_run_out(name):
    assessment, known = shares_case(name, 5)
    before = int(known.cells.size.sum() - np.sort(known.cells.size)[:3].sum())
    left = known.cells.size - run_plain(assessment, known.deal(1), np.array([before]), 1).counts[0].sum(axis=1)
    assert (left == 0).any()
    assert np.count_nonzero(left) > 1
    assert differ(next_choices(assessment, known, before)) > FALSE_ALARM


@pytest.mark.parametrize("name", SHARES)
def test_rows_of_class_shares_with_a_wrong_weight_are_noticed(name):
    """One tenth off for variances, a half for costs, whose draws spread more."""
    before, tilt = (0, 1.5) if name in IDENTIFIED else (30, 1.1)
    assert differ(next_choices(*shares_case(name, 30), before, tilt)) < FALSE_ALARM


@pytest.mark.parametrize("a", [0.02, SMALL, 0.9, 1.0, 40.0])
@pytest.mark.parametrize("b", [0.02, SMALL, 0.9, 1.0, 40.0])
def test_a_stick_and_its_rest_are_beta(a, b):
    """Compared by their logarithms, which tell shares next to nothing apart."""
    rng = np.random.default_rng(0)
    share, rest = np.array([split(a, b, rng) for _ in range(3000)]).T
    below = np.where(share < 0.5, betainc(a, b, share), 1 - betainc(b, a, rest))
    assert np.allclose(share + rest, 1)
    assert kstest(below, "uniform").pvalue > FALSE_ALARM


def test_sticks_of_next_to_nothing_are_numbers():
    rng, sizes = np.random.default_rng(0), (1e-12, 1e-9, 1e-6, 1e-3, 1.0, 1e4)
    drawn = np.array([split(a, b, rng) for a in sizes for b in sizes for _ in range(200)])
    assert ((drawn >= 0) & (drawn <= 1)).all()
    assert np.allclose(drawn.sum(axis=1), 1)


@pytest.mark.parametrize("name", SHARES)
def test_runs_on_class_shares_end_alike(name):
    """Labels of each row after 20 and 61, 90 plain runs and 450 compiled ones, which tell as much as 150 of each: means
    within 4.5 standard errors; and all when all are asked for."""
    assessment, known = shares_case(name, 4)
    kernel, total = kernel_for(assessment), int(known.cells.size.sum())
    budgets = np.array([20, 61, total])
    plain = np.array([run_plain(assessment, known.deal(s), budgets[:2], s).counts.sum(axis=2) for s in range(90)])
    compiled = np.array([kernel(known.deal(s), budgets, s).counts.sum(axis=2) for s in range(90, 540)])
    error = np.sqrt(plain.var(axis=0) / 90 + compiled[:, :2].var(axis=0) / 450 + 1e-9)
    assert (np.abs(plain.mean(axis=0) - compiled[:, :2].mean(axis=0)) < 4.5 * error).all()
    assert (compiled[:, 2] == known.cells.size).all()
