"""How much faster compiled simulations are: `make bench`, or `python benchmarks/simulate.py` (needs the extra `fast`).

Label-steps per CPU second. The ways of each case take turns in one process, several times over, because machines differ
and are busy: the ratios are what to compare. A compiled run is compared with

- the published code's step, re-created from its description and no weaker. Accuracy: three `scipy.stats.beta.var`
  calls, one `np.random.beta`, one argsort. Least accurate: the last two. Confusion: K^2 + K calls of a Python function
  on K-vectors. Comparison: ten times 10,000 Beta draws. An item is a dictionary taken from its group's queue, its
  prediction the argmax of its scores. Means are noted at every tenth label for the least accurate group, at every label
  otherwise: the published random step takes twice and four times as long there. Whether the re-creation is a fair one
  is checked by its ratio to the random step, known at K = 20 for each case of the published code;
- where arms are drawn lazily, compiled code that draws every arm by the fastest sampler there is (two Gamma variates).
"""

import itertools
import random
import statistics
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy import stats

import fewlabels as fl
from fewlabels.assessment import Assessment
from fewlabels.core.beta import BetaBelief
from fewlabels.engines import gathered
from fewlabels.questions import Question
from fewlabels.settings import StudySettings
from fewlabels.simulation.kernels.chosen import kernel_for
from fewlabels.simulation.oracle import Deck, Known

REPEATS = 7
BY = "predicted_class"
DRAWS = 10_000
FAIR = 0.4  # how far the re-created step's ratio to its random step may be from the published one's


def make_pool(groups: int, items: int) -> tuple[fl.Pool, np.ndarray]:
    """Scores as a strong classifier gives them, group accuracies spread around them."""
    rng = np.random.default_rng(0)
    predicted = rng.choice(groups, items, p=rng.dirichlet(np.full(groups, 30.0)))
    skill = rng.beta(8, 2, groups)
    score = rng.beta(6 * skill[predicted] + 1, 6 * (1 - skill[predicted]) + 0.3)
    right = rng.random(items) < 0.85 * skill[predicted] + 0.1 * score
    labels = np.where(right, predicted, (predicted + rng.integers(1, groups, items)) % groups)
    return fl.Pool.from_arrays(predicted=predicted, score=score, classes=[str(g) for g in range(groups)]), labels


def assess(pool: fl.Pool, labels: np.ndarray, question: Question) -> tuple[Assessment, Known]:
    engine, model = pool.engine, pool.models[0]
    cells = engine.summarise(model, question.axes, probabilities=False)
    prior = "flat" if question.measured.outcome == "class" else "scores"
    settings = StudySettings(question, strategy="thompson", estimator="beta", prior=prior)
    rows = gathered(engine.scan(model, question.axes))
    known = Known(cells, rows.cell, rows.predicted, labels, rows.hashes)
    return Assessment(settings, question, cells, pool.true_classes), known


class Published:
    """Groups with queues of items, and what is believed of them, as the published code keeps them."""

    noted_every = 1

    def __init__(self, assessment: Assessment, deck: Deck) -> None:
        belief = assessment.prior_belief
        self.weight, self.noted = assessment.cells.weight, list[np.ndarray]()
        if isinstance(belief, BetaBelief):
            self.a, self.b = belief.alpha.copy(), belief.beta.copy()
        else:
            self.rows = belief.alpha.copy()
        n = assessment.cells.count
        scores = [np.eye(1, n, g)[0] for g in range(n)]  # one vector a group serves all its items: memory, not time
        self.queues = [
            deque({"score": scores[g], "label": label} for label in deck.label[i:j].tolist())
            for g, (i, j) in enumerate(itertools.pairwise(deck.starts.tolist()))
        ]

    def update(self, group: int, number: int) -> None:
        item = self.queues[group].pop()
        (self.a if np.argmax(item["score"]) == item["label"] else self.b)[group] += 1
        if number % self.noted_every == 0:
            self.noted.append(self.a / (self.a + self.b))

    def take_best(self, reward: np.ndarray, number: int) -> None:
        for group in np.argsort(reward)[::-1]:
            if self.queues[group]:
                self.update(group, number)
                return

    def take_any(self, number: int) -> None:
        """The random step: a list of the items left in each group, and random.choices."""
        groups = list(range(len(self.queues)))
        self.update(random.choices(groups, [len(self.queues[g]) for g in groups])[0], number)


class Variance(Published):
    def step(self, number: int) -> None:
        a, b, beta = self.a, self.b, stats.beta
        theta = np.random.beta(a, b)  # noqa: NPY002 - as published
        after = theta * beta.var(a + 1, b) + (1 - theta) * beta.var(a, b + 1)
        self.take_best(self.weight * (beta.var(a, b) - after), number)


class LeastAccurate(Published):
    noted_every = 10

    def step(self, number: int) -> None:
        self.take_best(-np.random.beta(self.a, self.b), number)  # noqa: NPY002 - as published


def total_variance(alpha: np.ndarray) -> float:
    """By Python numbers where that is faster: the re-created step is to be no weaker than the published one."""
    total, squares = float(np.add.reduce(alpha)), float(alpha @ alpha)
    return (total - squares / total) / (total * (total + 1))


class Confusion(Published):
    def update(self, group: int, number: int) -> None:  # noqa: ARG002 - noted at every label
        item = self.queues[group].pop()
        self.rows[group, np.argmax(item["score"])] += 1
        self.noted = [self.rows / self.rows.sum(axis=1, keepdims=True)]

    def step(self, number: int) -> None:
        n = len(self.rows)
        reward = np.empty(n)
        for k in range(n):
            theta = np.random.dirichlet(self.rows[k] + 1e-6)  # noqa: NPY002 - as published
            after = 0.0
            for j, share in enumerate(theta.tolist()):
                theta[j] = share + 1
                after += share * total_variance(theta)
                theta[j] = share
            reward[k] = self.weight[k] * (total_variance(self.rows[k]) - after)
        self.take_best(reward, number)


class Comparison(Published):
    """Groups 0 and 1; two of the ten vectors of draws are for the log, which the random step keeps too."""

    def __init__(self, assessment: Assessment, deck: Deck) -> None:
        super().__init__(assessment, deck)
        for queue in self.queues[2:]:
            queue.clear()

    def likeliest(self, a: np.ndarray, b: np.ndarray) -> float:
        draw = np.random.beta
        difference = draw(a[0], b[0], DRAWS) - draw(a[1], b[1], DRAWS)
        less, more = np.mean(difference < -0.05), np.mean(difference > 0.05)
        return float(max(less, 1 - less - more, more))

    def update(self, group: int, number: int) -> None:
        super().update(group, number)
        self.noted = [np.array(self.likeliest(self.a, self.b))]

    def step(self, number: int) -> None:
        theta = np.random.beta(self.a, self.b)  # noqa: NPY002 - as published
        reward, one = np.full(len(self.a), -1.0), np.eye(2, len(self.a))
        for g in (0, 1):
            hit, miss = self.likeliest(self.a + one[g], self.b), self.likeliest(self.a, self.b + one[g])
            reward[g] = theta[g] * hit + (1 - theta[g]) * miss
        self.take_best(reward, number)


def timed_steps(state: Published, steps: int, *, at_random: bool) -> float:
    take = state.take_any if at_random else state.step
    start = time.process_time()
    for number in range(steps):
        take(number)
    return time.process_time() - start


@njit
def draw_every_arm(rng, a, b, weight, variance, outcomes, starts, sizes, steps):
    taken = np.zeros(len(a), np.int64)
    for _ in range(steps):
        top, best = -1, -np.inf
        for k in range(len(a)):
            if taken[k] == sizes[k]:
                continue
            x, y = rng.standard_gamma(a[k]), rng.standard_gamma(b[k])
            theta, n = x / (x + y), a[k] + b[k]
            reward = -theta
            if variance:
                after = (theta * (a[k] + 1) * b[k] + (1 - theta) * a[k] * (b[k] + 1)) / ((n + 1) ** 2 * (n + 2))
                reward = weight[k] * (a[k] * b[k] / (n**2 * (n + 1)) - after)
            if reward > best:
                top, best = k, reward
        hit = outcomes[starts[top] + taken[top]]
        a[top] += hit
        b[top] += 1 - hit
        taken[top] += 1


def timed_every_arm(assessment: Assessment, deck: Deck, steps: int) -> float:
    belief = assessment.prior_belief
    assert isinstance(belief, BetaBelief)
    a, b, sizes = belief.alpha.copy(), belief.beta.copy(), np.diff(deck.starts)
    variance, rng = isinstance(assessment.question, fl.Estimate), np.random.default_rng(0)
    start = time.process_time()
    draw_every_arm(rng, a, b, assessment.cells.weight, variance, deck.correct, deck.starts, sizes, steps)
    return time.process_time() - start


@dataclass(frozen=True)
class Case:
    """One question on one pool. `few` labels are taken by the published step, `steps` by compiled code."""

    name: str
    question: Question
    published: type[Published]
    groups: int
    items: int
    steps: int
    few: int
    goal: float | None = None  # against the published step
    lazy_goal: float | None = None  # against drawing every arm
    ratio: float | None = None  # of the published step to its random step, as measured on the published code

    def measure(self) -> None:
        assessment, known = assess(*make_pool(self.groups, self.items), self.question)
        kernel = kernel_for(assessment)
        assert kernel is not None
        lazy = isinstance(assessment.prior_belief, BetaBelief) and not isinstance(self.question, fl.Compare)

        def compiled(deck: Deck, steps: int) -> float:
            start = time.process_time()
            kernel(deck, np.array([steps]), 1)
            return time.process_time() - start

        ways: dict[str, tuple[int, Callable[[Deck, int], float]]] = {
            "compiled": (self.steps, compiled),
            "published": (self.few, lambda d, n: timed_steps(self.published(assessment, d), n, at_random=False)),
            "its random step": (self.few, lambda d, n: timed_steps(self.published(assessment, d), n, at_random=True)),
        }
        if lazy:
            ways["every arm drawn"] = (self.steps // 4, lambda d, n: timed_every_arm(assessment, d, n))
        self.report(take_turns(ways, known))

    def report(self, rates: dict[str, list[float]]) -> None:
        print(f"{self.name}, K = {self.groups:,}, {self.steps:,} labels")
        print("  steps/s: " + ", ".join(f"{way} {statistics.median(r):,.0f}" for way, r in rates.items()))
        print_ratio("compiled / published", rates["compiled"], rates["published"], self.goal)
        if "every arm drawn" in rates:
            print_ratio("lazy / every arm drawn", rates["compiled"], rates["every arm drawn"], self.lazy_goal)
        if self.ratio is not None:
            ours = statistics.median(rates["its random step"]) / statistics.median(rates["published"])
            verdict = "fair" if abs(ours / self.ratio - 1) <= FAIR else "NOT FAIR"
            print(f"  published step / its random step: {ours:.1f}, {self.ratio:g} as published: {verdict}", flush=True)


def take_turns(ways: dict[str, tuple[int, Callable[[Deck, int], float]]], known: Known) -> dict[str, list[float]]:
    """Steps per CPU second of each way, REPEATS times."""
    rates: dict[str, list[float]] = {way: [] for way in ways}
    for _, run in ways.values():
        run(known.deal(0), 5)  # compile
    for repeat in range(REPEATS):
        deck = known.deal(repeat)
        for way, (n, run) in ways.items():
            rates[way].append(n / run(deck, n))
    return rates


def print_ratio(name: str, ours: list[float], theirs: list[float], goal: float | None) -> None:
    ratios = sorted(x / y for x, y in zip(ours, theirs, strict=True))
    middle = statistics.median(ratios)
    verdict = "" if goal is None else f", goal {goal:g}: {'met' if middle >= goal else 'SHORT'}"
    print(f"  {name}: {middle:,.1f} [{ratios[0]:,.1f}-{ratios[-1]:,.1f}]{verdict}", flush=True)


def main() -> None:
    accuracy, worst = fl.Estimate("accuracy", by=BY), fl.Identify("accuracy", by=BY)
    confusion, compare = fl.Estimate("confusion"), fl.Compare("accuracy", BY, "0", "1")
    for case in (
        Case("variance of accuracy", accuracy, Variance, 20, 7_500, 5_000, 400, ratio=21),
        Case("variance of accuracy", accuracy, Variance, 100, 10_000, 8_000, 400, 150, 2.5),
        Case("variance of accuracy", accuracy, Variance, 1000, 50_000, 30_000, 300, 70, 7),
        Case("least accurate", worst, LeastAccurate, 20, 7_500, 5_000, 2_000, ratio=3.8),
        Case("least accurate", worst, LeastAccurate, 100, 10_000, 8_000, 2_000, 20, 2.5),
        Case("least accurate", worst, LeastAccurate, 1000, 50_000, 30_000, 500, 20, 7),
        Case("confusion", confusion, Confusion, 20, 7_500, 5_000, 40, 300, ratio=83),
        Case("comparison", compare, Comparison, 20, 7_500, 600, 30, 300, ratio=5),
    ):
        case.measure()


if __name__ == "__main__":
    main()
