"""What every strategy promises: only arms with items left, distinct items, and the same choice for the same key."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

import fewlabels as fl
from fewlabels.core.importance import FSample
from fewlabels.core.keyed import Keyed, Use
from fewlabels.strategies import STRATEGIES, State

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
    "F1 by column": fl.Estimate("f1", by="side", positive="bee"),
}
F_QUESTIONS = {  # of the whole pool
    "F1": fl.Estimate("f1", positive="bee"),
    "precision": fl.Estimate("precision", positive="bee"),
    "recall": fl.Estimate("recall", positive="bee"),
    "F of alpha 0.3": fl.Estimate(fl.FScore(0.3, "bee")),
    "F1 at a threshold": fl.Estimate(fl.FScore(0.5, "bee", threshold=0.2)),
    "F1 by threshold": fl.Estimate(fl.FCurve("bee", (0.2, 0.5))),
}
QUESTIONS |= F_QUESTIONS


FOR_F_SCORES = [name for name, made in STRATEGIES.items() if not made.by_cells]


def state(remaining: np.ndarray, most: int, seen: Any) -> State:
    """What a strategy looks at: rewards, or the sample of an F-score."""
    return State(remaining, most, most, 1, lambda: seen, lambda: seen)


def is_legal(strategy: str, name: str) -> bool:
    question = QUESTIONS[name]
    if strategy in FOR_F_SCORES:
        return name in F_QUESTIONS
    return strategy != "top_two" or (isinstance(question, fl.Identify) and question.top == 1)


LEGAL = [(strategy, name) for strategy in STRATEGIES for name in QUESTIONS if is_legal(strategy, name)]
ILLEGAL = [(strategy, name) for strategy in STRATEGIES for name in QUESTIONS if not is_legal(strategy, name)]
FIXED = ("top_k", "herding")  # without chance
every_pair = pytest.mark.parametrize(("strategy", "name"), LEGAL)
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES)
every_belief_strategy = pytest.mark.parametrize("strategy", [s for s in STRATEGIES if s not in FOR_F_SCORES])
every_f_strategy = pytest.mark.parametrize("strategy", FOR_F_SCORES)


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


def asked_about(name: str, strategy: str = "thompson") -> set[int]:
    """The items a question asks about: for a comparison of two of three classes, theirs; for the precision of bees,
    where it is read off draws, what is predicted a bee."""
    predicted = outputs()[2]
    wanted = {"comparison": ("ant", "cat"), "precision": ("bee",) if strategy in FOR_F_SCORES else CLASSES}
    return {i for i in range(N) if CLASSES[predicted[i]] in wanted.get(name, CLASSES)}


@pytest.mark.parametrize(("strategy", "name"), ILLEGAL)
def test_a_strategy_that_does_not_fit_the_question_is_refused_by_name(strategy, name):
    with pytest.raises(fl.QuestionError, match=f"'{strategy}'"):
        study_of(strategy, name)


@pytest.mark.parametrize(("strategy", "name"), [pair for pair in LEGAL if pair[0] != "sawade"])
def test_every_item_is_asked_once_and_then_none(strategy, name):
    """Asked in batches of 7, told between; no arm without items is ever chosen, as an item would come twice."""
    study = study_of(strategy, name, seed=1)
    seen: list[int] = []
    while batch := study.ask(7):
        items = [q.item for q in batch]
        assert len(set(items)) == len(items) == min(7, len(asked_about(name, strategy)) - len(seen))
        assert not set(items) & set(seen)
        seen += items
        study.tell({q.item: label(q.item) for q in batch})
    assert set(seen) == asked_about(name, strategy)


def sawade_distribution(name: str) -> list[float]:
    """q of each item by Eq. 3, the model's own scores in place of p(y=1|x), G what they lead one to expect."""
    probabilities, _, predicted, _ = outputs()
    metric = QUESTIONS[name].metric
    c = [0.001 + 0.998 * p for p in probabilities[:, 1]]
    cut = (
        metric.thresholds[1] if isinstance(metric, fl.FCurve) else metric.threshold
    )  # of several, the one in the middle
    hit = [k == 1 if cut is None else p >= cut for p, k in zip(probabilities[:, 1], predicted, strict=True)]
    found = sum(p for p, h in zip(c, hit, strict=True) if h)
    g = found / (metric.alpha * sum(hit) + (1 - metric.alpha) * sum(c))
    g = min(max(g, 0.001), 0.999)
    q = [
        (p * (1 - g) ** 2 + metric.alpha**2 * (1 - p) * g**2) ** 0.5 if h else (1 - metric.alpha) * (p * g**2) ** 0.5
        for p, h in zip(c, hit, strict=True)
    ]
    return [x / sum(q) for x in q]


@pytest.mark.parametrize("name", F_QUESTIONS)
def test_draws_from_the_whole_pool_end_once_hardly_any_would_be_new(name):
    """Sawade: less than 0.1 % of the probability lies on items not asked; each item costs one label at most."""
    study, q = study_of("sawade", name, seed=1), sawade_distribution(name)
    seen: list[int] = []
    while batch := study.ask(7):
        seen += [query.item for query in batch]
        assert all(query.probability == pytest.approx(q[query.item], rel=1e-10) for query in batch)
        study.tell({query.item: label(query.item) for query in batch})
    assert len(set(seen)) == len(seen) == study.spent
    assert sum(q[i] for i in range(N) if i not in seen) < 1e-3
    drawn = [event.item for event in study.events if isinstance(event, fl.Query)]
    assert set(drawn) == set(seen)
    assert len(drawn) > len(seen)


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
    assert (asked(1) == asked(2)) == (strategy in FIXED)


@every_pair
def test_open_and_skipped_queries_are_not_asked_again(strategy, name):
    study = study_of(strategy, name, seed=2)
    first = study.ask(5)
    study.skip(first[0])
    study.tell(first[1], label(first[1].item))
    second = study.ask(5)
    assert not {q.item for q in first} & {q.item for q in second}
    assert [q.item for q in study.open_queries] == [q.item for q in (*first[2:], *second)]


@pytest.mark.parametrize(
    ("strategy", "name"), [pair for pair in LEGAL if pair[1] in ("least accurate", "comparison", "F1", "precision")]
)
def test_a_study_taken_up_again_asks_what_it_would_have_asked(strategy, name, tmp_path):
    place = f"sqlite:///{tmp_path}/study.db"
    whole, broken = study_of(strategy, name, seed=4), study_of(strategy, name, seed=4, storage=place, name="s")
    for _ in range(8):
        (expected,) = whole.ask(1)
        broken = fl.load_study("s", storage=place, pool=broken.pool)
        (found,) = broken.ask(1)
        assert (found.item, found.round, found.probability) == (expected.item, expected.round, expected.probability)
        whole.tell(expected, label(expected.item))
        broken.tell(found, label(found.item))


@pytest.mark.parametrize(("strategy", "name"), [pair for pair in LEGAL if pair[0] not in FOR_F_SCORES])
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


@pytest.mark.parametrize(("strategy", "name"), [pair for pair in LEGAL if pair[0] in FOR_F_SCORES])
def test_draws_for_an_f_score_know_their_probability_and_a_rule_without_chance_has_none(strategy, name):
    """Of one round the distinct items' probabilities sum to one at most; tests/unit/test_importance_by_the_paper.py
    has what they are."""
    study = study_of(strategy, name, seed=5)
    for _ in range(4):
        study.tell({query.item: label(query.item) for query in study.ask(6)})
    queries = [event for event in study.events if isinstance(event, fl.Query)]
    design = {"acis": "round", "sawade": "whole"}.get(strategy, "fixed")
    assert {query.design for query in queries} == {design}
    if strategy in FIXED:
        assert {query.probability for query in queries} == {None}
        return
    for number in {query.round for query in queries}:
        of_item = {query.item: query.probability for query in queries if query.round == number}
        assert all(0 < p <= 1 for p in of_item.values())
        assert sum(of_item.values()) <= 1 + 1e-12


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


@every_belief_strategy
@settings(derandomize=True, max_examples=60, deadline=None)
@given(data=some.data())
def test_a_round_is_of_distinct_arms_with_items_left_and_the_same_for_the_same_key(strategy, data):
    left = np.array(data.draw(some.lists(some.integers(0, 3), min_size=1, max_size=8).filter(any)))
    means = np.array(data.draw(some.lists(some.floats(-1, 1), min_size=len(left), max_size=len(left))))
    plays, step = data.draw(some.integers(1, 4)), data.draw(some.integers(0, 1000))
    chosen = STRATEGIES[strategy]().choose(state(left, plays, Rewards(means)), Keyed(0, step))
    arms = [c.arm for c in chosen]
    assert 1 <= len(arms) <= plays
    assert len(set(arms)) == len(arms)
    assert all(left[a] > 0 for a in arms)
    assert [c.arm for c in STRATEGIES[strategy]().choose(state(left, plays, Rewards(means)), Keyed(0, step))] == arms
    if strategy in ("thompson", "epsilon_greedy", "upper_bound"):
        assert len(arms) == min(plays, int((left > 0).sum()))


@every_belief_strategy
def test_arms_are_chosen_with_the_probabilities_given(strategy):
    """3,000 keys; where probabilities are given the arms chosen agree with them, chi-square at 1 in 10,000."""
    left, means = np.array([5, 0, 1, 14]), np.array([0.1, 0.9, 0.2, 0.3])
    arms, given_as = [], {}
    for step in range(3000):
        (choice,) = STRATEGIES[strategy]().choose(state(left, 1, Rewards(means)), Keyed(9, step))
        arms.append(choice.arm)
        given_as[choice.arm] = choice.probability
    assert 1 not in arms
    if strategy.startswith("uniform"):
        assert sum(given_as.values()) == pytest.approx(1)
        counts = np.bincount(arms, minlength=4)
        assert stats.chisquare(counts[[0, 2, 3]], [3000 * given_as[a] for a in (0, 2, 3)]).pvalue > 1e-4
    else:
        assert set(given_as.values()) == {None}


def f_sample(size, score, predicted, alpha: float, labelled=(), positive=()) -> FSample:
    """A sample whose labelled items, given by cell, all came from outside."""
    none, cell = np.zeros(0, dtype=np.int64), np.array(labelled, dtype=np.int64)
    return FSample(
        alpha=alpha,
        size=np.array(size),
        score=np.array(score),
        predicted=np.array(predicted, dtype=float),
        stratum=np.unique(score, return_inverse=True)[1],
        cell=cell,
        positive=np.array(positive, dtype=float),
        since=np.zeros(len(cell), dtype=np.int64),
        row=none,
        round=none,
        probability=np.zeros(0),
    )


@every_f_strategy
@settings(derandomize=True, max_examples=80, deadline=None)
@given(data=some.data())
def test_a_round_for_an_f_score_is_of_items_left_and_the_same_for_the_same_key(strategy, data):
    """Draws without chance and those of a round of ACIS fall on cells with items left; Sawade draws labelled ones too.
    Where nothing is left, nothing is chosen."""
    size = np.array(data.draw(some.lists(some.integers(1, 3), min_size=1, max_size=8)))
    n = len(size)
    taken = np.array([data.draw(some.integers(0, int(k))) for k in size])
    score = data.draw(some.lists(some.floats(0, 1), min_size=n, max_size=n))
    hit = data.draw(some.lists(some.booleans(), min_size=n, max_size=n))
    alpha = data.draw(some.sampled_from([0.0, 0.3, 0.5, 0.9]))
    cells = np.repeat(np.arange(n), taken)
    labels = data.draw(some.lists(some.booleans(), min_size=len(cells), max_size=len(cells)))
    sample = f_sample(size, score, hit, alpha, cells, labels)
    plays, step = data.draw(some.integers(1, 40)), data.draw(some.integers(1, 12))
    chosen = STRATEGIES[strategy]().choose(state(size - taken, plays, sample), Keyed(0, step))
    assert chosen == STRATEGIES[strategy]().choose(state(size - taken, plays, sample), Keyed(0, step))
    assert len(chosen) <= plays
    if not (size - taken).any():
        assert not chosen
    elif strategy != "sawade":
        assert chosen
        assert all(size[c.arm] > taken[c.arm] for c in chosen)


@every_f_strategy
def test_cells_are_drawn_for_an_f_score_with_the_probabilities_given(strategy):
    """3,000 keys, one draw each, chi-square at 1 in 10,000; the first key's cells serve as a control that must fail."""
    size, left = [5, 2, 1, 14, 3], np.array([5, 0, 1, 13, 3])
    sample = f_sample(size, [0.1, 0.9, 0.6, 0.05, 0.7], [0, 1, 1, 0, 1], 0.5, [1, 1, 3], [1, 1, 0])
    made = STRATEGIES[strategy]()
    drawn = [c for key in range(3000) for c in made.choose(state(left, 1, sample), Keyed(key, 1))]
    given_as = {c.arm: c.probability for c in drawn}
    if strategy in FIXED:
        assert set(given_as.values()) == {None}
        assert len(given_as) == 1
        return
    assert len(drawn) == 3000
    assert sum(given_as.values()) == pytest.approx(1)
    cells = sorted(given_as)
    assert (1 in cells) == (strategy == "sawade")
    counts = [sum(c.arm == a for c in drawn) for a in cells]
    assert stats.chisquare(counts, [3000 * given_as[a] for a in cells]).pvalue > 1e-4
    by_size = np.array([left[a] if strategy == "acis" else size[a] for a in cells])
    assert stats.chisquare(counts, 3000 * by_size / by_size.sum()).pvalue < 1e-4


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
