"""What every strategy promises: only arms with items left, distinct items, and the same choice for the same key."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

import fewlabels as fl
from fewlabels.core.keyed import Keyed, Use
from fewlabels.strategies import STRATEGIES

CLASSES = ("ant", "bee", "cat")
N = 40
COST = [[0, 1, 10], [2, 0, 3], [5, 1, 0]]
QUESTIONS = {
    "accuracy": fl.Estimate("accuracy"),
    "accuracy by class": fl.Estimate("accuracy", by="predicted_class"),
    "accuracy by a crossing": fl.Estimate("accuracy", by=("side", "predicted_class")),
    "calibration error": fl.Estimate("calibration_error"),
    "confusion": fl.Estimate("confusion"),
    "cost": fl.Estimate(fl.Cost(COST, CLASSES)),
    "macro-F1": fl.Estimate("macro_f1"),
    "true-positive rate": fl.Estimate("true_positive_rate", by="side", positive="bee"),
    "least accurate": fl.Identify("accuracy", by="predicted_class"),
    "two least accurate": fl.Identify("accuracy", by="predicted_class", top=2),
    "most biased": fl.Identify("calibration_bias", by="predicted_class"),
    "least calibrated": fl.Identify("calibration_error", by="predicted_class"),
    "most costly": fl.Identify(fl.Cost(COST, CLASSES), by="predicted_class"),
    "hardest true class": fl.Identify("accuracy", by="true_class"),
    "comparison": fl.Compare("accuracy", by="predicted_class", a="ant", b="cat"),
    "comparison of true-positive rates": fl.Compare(
        "true_positive_rate", by="side", a="left", b="right", positive="bee"
    ),
}
LEGAL = [
    (strategy, name)
    for strategy in STRATEGIES
    for name, question in QUESTIONS.items()
    if strategy != "top_two" or (isinstance(question, fl.Identify) and question.top == 1)
]
every_pair = pytest.mark.parametrize(("strategy", "name"), LEGAL)
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES)


@cache
def outputs():
    rng = np.random.default_rng(3)
    probabilities = rng.dirichlet([0.7, 0.5, 0.3], size=N)
    probabilities[:3] = np.eye(3) * 0.7 + 0.1
    side = np.where(rng.uniform(size=N) < 0.4, "left", "right")
    predicted = probabilities.argmax(axis=1)
    true = np.where(rng.uniform(size=N) < 0.6, predicted, rng.integers(0, 3, size=N))
    return probabilities, side, predicted, true


@cache
def pool() -> fl.Pool:
    probabilities, side, _, _ = outputs()
    return fl.Pool.from_arrays(probabilities=probabilities, classes=CLASSES, columns={"side": side})


def study_of(strategy: str, question: str, **more) -> fl.Study:
    return fl.create_study(pool(), QUESTIONS[question], strategy=strategy, **more)


def label(item: int) -> str:
    return CLASSES[outputs()[3][item]]


def asked_about(name: str) -> set[int]:
    """The items a question asks about: for a comparison of two of three classes, theirs."""
    predicted = outputs()[2]
    return {i for i in range(N) if name != "comparison" or CLASSES[predicted[i]] in ("ant", "cat")}


@every_pair
def test_every_item_is_asked_once_and_then_none(strategy, name):
    """Asked in batches of 7, told between; no arm without items is ever chosen, as an item would come twice."""
    study = study_of(strategy, name, seed=1)
    seen: list[int] = []
    while batch := study.ask(7):
        items = [q.item for q in batch]
        assert len(set(items)) == len(items) == min(7, len(asked_about(name)) - len(seen))
        assert not set(items) & set(seen)
        seen += items
        study.tell({q.item: label(q.item) for q in batch})
    assert set(seen) == asked_about(name)


@every_pair
def test_the_same_seed_asks_the_same_and_another_seed_something_else(strategy, name):
    def asked(seed: int) -> list[int]:
        study = study_of(strategy, name, seed=seed)
        out = []
        for _ in range(6):
            for query in study.ask(2):
                out.append(query.item)
                study.tell(query, label(query.item))
        return out

    assert asked(1) == asked(1)
    assert asked(1) != asked(2)


@every_pair
def test_open_and_skipped_queries_are_not_asked_again(strategy, name):
    study = study_of(strategy, name, seed=2)
    first = study.ask(5)
    study.skip(first[0])
    study.tell(first[1], label(first[1].item))
    second = study.ask(5)
    assert not {q.item for q in first} & {q.item for q in second}
    assert [q.item for q in study.open_queries] == [q.item for q in (*first[2:], *second)]


@pytest.mark.parametrize("name", ["least accurate", "comparison"])
@every_strategy
def test_a_study_taken_up_again_asks_what_it_would_have_asked(strategy, name, tmp_path):
    if (strategy, name) not in LEGAL:
        with pytest.raises(fl.QuestionError, match="top_two"):
            study_of(strategy, name)
        return
    place = f"sqlite:///{tmp_path}/study.db"
    whole, broken = study_of(strategy, name, seed=4), study_of(strategy, name, seed=4, storage=place, name="s")
    for _ in range(8):
        (expected,) = whole.ask(1)
        broken = fl.load_study("s", storage=place, pool=broken.pool)
        (found,) = broken.ask(1)
        assert (found.item, found.round, found.probability) == (expected.item, expected.round, expected.probability)
        whole.tell(expected, label(expected.item))
        broken.tell(found, label(found.item))


@every_pair
def test_probabilities_are_given_by_uniform_choice_only_and_are_right(strategy, name):
    study = study_of(strategy, name, seed=5)
    predicted, side = outputs()[2], outputs()[1]
    left = dict.fromkeys(asked_about(name))
    for query in study.ask(N):
        if strategy == "uniform":
            assert query.probability == pytest.approx(1 / len(left))
        elif strategy == "uniform_groups" and name in ("accuracy by class", "least accurate", "comparison"):
            groups = {predicted[i] for i in left}
            mine = [i for i in left if predicted[i] == predicted[query.item]]
            assert query.probability == pytest.approx(1 / len(groups) / len(mine))
        elif strategy == "uniform_groups" and name == "accuracy by a crossing":
            groups = {(predicted[i], side[i]) for i in left}
            own = (predicted[query.item], side[query.item])
            assert query.probability == pytest.approx(
                1 / len(groups) / sum((predicted[i], side[i]) == own for i in left)
            )
        elif strategy != "uniform_groups":
            assert query.probability is None
        assert query.design == (strategy if strategy.startswith("uniform") else "adaptive")
        del left[query.item]


def test_uniform_choice_takes_every_item_equally_often():
    """The first three items asked over 600 seeds; chi-square fails by chance once in 10,000."""
    counts = np.zeros(N)
    for seed in range(600):
        for query in study_of("uniform", "accuracy by class", seed=seed).ask(3):
            counts[query.item] += 1
    assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("name", ["accuracy by class", "least accurate", "two least accurate"])
@every_strategy
def test_inside_an_arm_every_item_is_first_equally_often(strategy, name):
    """The first item asked, over 400 seeds, in each class asked often enough; chi-square fails once in 10,000."""
    if (strategy, name) not in LEGAL:
        return
    predicted = outputs()[2]
    first = [study_of(strategy, name, seed=seed).ask(1)[0].item for seed in range(400)]
    tested = 0
    for k in range(3):
        counts = [first.count(i) for i in np.flatnonzero(predicted == k)]
        if sum(counts) >= 5 * len(counts):
            tested += 1
            assert stats.chisquare(counts).pvalue > 1e-4
    assert tested


# -- the protocol itself -------------------------------------------------------------------------------------------


@dataclass
class Rewards:
    """An objective of fixed means, with draws about them."""

    means: np.ndarray

    def sampled(self, keyed: Keyed, attempt: int = 0) -> np.ndarray:
        return self.means + keyed.uniforms(Use.ARM_DRAW, np.arange(len(self.means)), attempt)

    def mean(self) -> np.ndarray:
        return self.means

    def upper(self, keyed: Keyed) -> np.ndarray:  # noqa: ARG002 - the protocol's signature
        return self.means + 0.975


@every_strategy
@settings(derandomize=True, max_examples=60, deadline=None)
@given(data=some.data())
def test_a_round_is_of_distinct_arms_with_items_left_and_the_same_for_the_same_key(strategy, data):
    left = np.array(data.draw(some.lists(some.integers(0, 3), min_size=1, max_size=8).filter(any)))
    means = np.array(data.draw(some.lists(some.floats(-1, 1), min_size=len(left), max_size=len(left))))
    plays, step = data.draw(some.integers(1, 4)), data.draw(some.integers(0, 1000))
    chosen = STRATEGIES[strategy]().choose(Rewards(means), left, plays, Keyed(0, step))
    arms = [c.arm for c in chosen]
    assert 1 <= len(arms) <= plays
    assert len(set(arms)) == len(arms)
    assert all(left[a] > 0 for a in arms)
    assert [c.arm for c in STRATEGIES[strategy]().choose(Rewards(means), left, plays, Keyed(0, step))] == arms
    if strategy in ("thompson", "epsilon_greedy", "upper_bound"):
        assert len(arms) == min(plays, int((left > 0).sum()))


@every_strategy
def test_arms_are_chosen_with_the_probabilities_given(strategy):
    """3,000 keys; where probabilities are given the arms chosen agree with them, chi-square at 1 in 10,000."""
    left, means = np.array([5, 0, 1, 14]), np.array([0.1, 0.9, 0.2, 0.3])
    arms, given_as = [], {}
    for step in range(3000):
        (choice,) = STRATEGIES[strategy]().choose(Rewards(means), left, 1, Keyed(9, step))
        arms.append(choice.arm)
        given_as[choice.arm] = choice.probability
    assert 1 not in arms
    if strategy.startswith("uniform"):
        assert sum(given_as.values()) == pytest.approx(1)
        counts = np.bincount(arms, minlength=4)
        assert stats.chisquare(counts[[0, 2, 3]], [3000 * given_as[a] for a in (0, 2, 3)]).pvalue > 1e-4
    else:
        assert set(given_as.values()) == {None}


@every_strategy
def test_every_strategy_says_its_name_and_how_it_chooses(strategy):
    made = STRATEGIES[strategy]()
    assert made.name == strategy
    assert len(made.reason) > 10


@pytest.mark.parametrize("estimator", ["beta", "frequency"])
@pytest.mark.parametrize(
    "strategy", ["thompson", "top_two", "epsilon_greedy", "upper_bound", "uniform", "uniform_groups"]
)
def test_a_group_without_labels_is_not_passed_over(strategy, estimator):
    """Four groups, every label right: the next to be the worst is a group never looked at, whatever the estimator."""
    four = fl.Pool.from_arrays(predicted=["a", "b", "c", "d"] * 30, score=[0.7] * 120)
    question = fl.Identify("accuracy", by="predicted_class")
    study = fl.create_study(four, question, strategy=strategy, estimator=estimator, prior="flat", seed=3)
    groups = []
    for _ in range(30):
        (query,) = study.ask(1)
        groups.append(query.group)
        study.tell(query, query.predicted)
    assert set(groups) == {"a", "b", "c", "d"}
    assert max(groups.count(g) for g in "abcd") <= 18
