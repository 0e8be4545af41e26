"""What every strategy promises: only arms with items left, distinct items, and the same choice for the same key."""

import numpy as np
import pytest
from scipy import stats

import fewlabels as fl
from fewlabels.strategies import STRATEGIES
from fewlabels.testing import choices
from fewlabels.testing import strategies as promises
from fewlabels.testing.promises import same_after_it_was_kept
from fewlabels.testing.strategies import F_QUESTIONS, QUESTIONS, WORLD, label
from fewlabels.testing.world import CLASSES

pytestmark = pytest.mark.usefixtures("fewer_draws")  # what is promised of upper bounds does not depend on their noise

N = promises.ITEMS
FOR_MODELS = [name for name, made in STRATEGIES.items() if made.for_models == "only"]
FOR_F_SCORES = [name for name, made in STRATEGIES.items() if not made.by_cells and name not in FOR_MODELS]


def is_legal(strategy: str, name: str) -> bool:
    question = QUESTIONS[name]
    if strategy in FOR_F_SCORES:
        return name in F_QUESTIONS
    if strategy in FOR_MODELS:
        return False  # see tests/unit/test_compare_models.py and test_contrast.py
    if strategy == "nearest":
        return isinstance(question, fl.Below)
    if strategy in ("settle", "prove"):
        return question.certifiable
    return strategy != "top_two" or (isinstance(question, fl.Identify) and question.top == 1)


LEGAL = [(strategy, name) for strategy in STRATEGIES for name in QUESTIONS if is_legal(strategy, name)]
ILLEGAL = [(strategy, name) for strategy in STRATEGIES for name in QUESTIONS if not is_legal(strategy, name)]
FIXED = ("top_k", "herding")  # without chance
every_pair = pytest.mark.parametrize(("strategy", "name"), LEGAL)
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES)
every_belief_strategy = pytest.mark.parametrize("strategy", [s for s, made in STRATEGIES.items() if made.by_cells])
every_f_strategy = pytest.mark.parametrize("strategy", FOR_F_SCORES)


def study_of(strategy: str, question: str, **more) -> fl.Study:
    return promises.study_of(strategy, QUESTIONS[question], **more)


def asked_about(name: str, strategy: str = "thompson") -> set[int]:
    """The items a question asks about: for a comparison of two of three classes, theirs; for the precision of bees,
    where it is read off draws, what is predicted a bee."""
    predicted = WORLD.predicted
    wanted = {"comparison": ("ant", "cat"), "precision": ("bee",) if strategy in FOR_F_SCORES else CLASSES}
    return {i for i in range(N) if CLASSES[predicted[i]] in wanted.get(name, CLASSES)}


@pytest.mark.parametrize(("strategy", "name"), ILLEGAL)
def test_a_strategy_that_does_not_fit_the_question_is_refused_by_name(strategy, name):
    with pytest.raises(fl.QuestionError, match=f"'{strategy}'"):
        study_of(strategy, name)


@pytest.mark.parametrize(("strategy", "name"), [pair for pair in LEGAL if pair[0] != "sawade"])
def test_every_item_is_asked_once_and_then_none(strategy, name):
    assert promises.frame(strategy, QUESTIONS[name]) == asked_about(name, strategy)
    promises.every_item_asked_once(strategy, QUESTIONS[name])


def sawade_distribution(name: str) -> list[float]:
    """q of each item by Eq. 3, the model's own scores in place of p(y=1|x), G what they lead one to expect."""
    probabilities, predicted = WORLD.probabilities, WORLD.predicted
    metric = QUESTIONS[name].metric
    alpha = metric.alphas[0] if isinstance(metric, fl.FScores) else metric.alpha  # of several, the first
    c = [0.001 + 0.998 * p for p in probabilities[:, 1]]
    cut = (
        metric.thresholds[1] if isinstance(metric, fl.FCurve) else metric.threshold
    )  # of several, the one in the middle
    hit = [k == 1 if cut is None else p >= cut for p, k in zip(probabilities[:, 1], predicted, strict=True)]
    found = sum(p for p, h in zip(c, hit, strict=True) if h)
    g = found / (alpha * sum(hit) + (1 - alpha) * sum(c))
    g = min(max(g, 0.001), 0.999)
    q = [
        (p * (1 - g) ** 2 + alpha**2 * (1 - p) * g**2) ** 0.5 if h else (1 - alpha) * (p * g**2) ** 0.5
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
    promises.same_seed_same_queries(strategy, QUESTIONS[name], chance=strategy not in FIXED)


@every_pair
def test_open_and_skipped_queries_are_not_asked_again(strategy, name):
    promises.nothing_asked_again(strategy, QUESTIONS[name])


@pytest.mark.parametrize(
    ("strategy", "name"), [pair for pair in LEGAL if pair[1] in ("least accurate", "comparison", "F1", "precision")]
)
def test_a_study_taken_up_again_asks_what_it_would_have_asked(strategy, name, tmp_path):
    promises.goes_on_as_if_never_interrupted(strategy, QUESTIONS[name], f"sqlite:///{tmp_path}/study.db")


@pytest.mark.parametrize(("strategy", "name"), [pair for pair in LEGAL if pair[0] not in FOR_F_SCORES])
def test_probabilities_are_given_by_uniform_choice_only_and_are_right(strategy, name):
    study = study_of(strategy, name, seed=5)
    predicted, side = WORLD.predicted, WORLD.side
    left = dict.fromkeys(asked_about(name))
    for query in study.ask(N):
        if strategy == "uniform":
            assert query.probability == pytest.approx(1 / len(left))
        elif strategy == "uniform_groups" and name in (
            "accuracy by class",
            "least accurate",
            "comparison",
            "below a threshold",
        ):
            groups = {predicted[i] for i in left}
            mine = [i for i in left if predicted[i] == predicted[query.item]]
            assert query.probability == pytest.approx(1 / len(groups) / len(mine))
        elif strategy == "uniform_groups" and name == "accuracy by a crossing":
            groups = {(predicted[i], side[i]) for i in left}
            own = (predicted[query.item], side[query.item])
            assert query.probability == pytest.approx(
                1 / len(groups) / sum((predicted[i], side[i]) == own for i in left)
            )
        elif strategy in ("gain", "prove"):
            assert 0 < query.probability <= 1
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
    design = {"acis": "round", "sawade": "whole", "doubt": "once"}.get(strategy, "fixed")
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
    if (strategy, name) in LEGAL:
        promises.equal_chances_inside_an_arm(strategy, QUESTIONS[name])


# -- the protocol itself -------------------------------------------------------------------------------------------


PLAYS_ALL = ("thompson", "epsilon_greedy", "upper_bound")  # as many arms as are to be played, where there are


@every_belief_strategy
def test_a_round_is_of_distinct_arms_with_items_left_and_the_same_for_the_same_key(strategy):
    made = STRATEGIES[strategy]()
    choices.rounds_of_arms_with_items_left(made)
    choices.same_key_same_choice(made)
    rewards = choices.Rewards(np.array([0.3, 0.1, 0.1, 0.2]))
    for plays in range(1, 6):
        chosen = made.choose(choices.state_of(np.array([1, 0, 2, 3]), plays, rewards), choices.Keyed(0, plays))
        assert 1 <= len(chosen.arms) <= plays
        assert chosen.probabilities or len(set(chosen.arms)) == len(chosen.arms)
        assert strategy not in PLAYS_ALL or len(chosen.arms) == min(plays, 3)


@every_belief_strategy
def test_arms_are_chosen_with_the_probabilities_given(strategy):
    drawn = choices.draws(STRATEGIES[strategy]())
    choices.drawn_as_said(drawn)
    given = dict(drawn)
    assert 1 not in given
    if strategy.startswith("uniform") or strategy in ("gain", "influence"):
        assert sum(given.values()) == pytest.approx(1)
    else:
        assert set(given.values()) == {None}


@every_f_strategy
def test_a_round_for_an_f_score_is_of_items_left_and_the_same_for_the_same_key(strategy):
    choices.rounds_of_arms_with_items_left(STRATEGIES[strategy]())
    choices.same_key_same_choice(STRATEGIES[strategy]())


@every_f_strategy
def test_cells_are_drawn_for_an_f_score_with_the_probabilities_given(strategy):
    """Equal chances for every item serve as a control that must fail."""
    drawn = choices.draws(STRATEGIES[strategy]())
    choices.drawn_as_said(drawn)
    given = dict(drawn)
    if strategy in FIXED:
        assert set(given.values()) == {None}
        assert len(given) == 1
        return
    assert len(drawn) == choices.KEYS
    assert sum(given.values()) == pytest.approx(1)
    cells = sorted(given)
    assert (1 in cells) == (strategy == "sawade")
    counts = [sum(arm == a for arm, _ in drawn) for a in cells]
    by_size = (choices.F_LEFT if strategy == "acis" else choices.F_SIZE)[cells]
    assert stats.chisquare(counts, len(drawn) * by_size / by_size.sum()).pvalue < 1e-4


@every_strategy
def test_every_strategy_says_its_name_and_how_it_chooses(strategy):
    made = STRATEGIES[strategy]()
    assert made.name == strategy
    choices.says_its_name_and_how_it_chooses(made)


@every_strategy
def test_a_strategy_is_the_same_after_it_was_kept(strategy):
    same_after_it_was_kept(STRATEGIES[strategy](), STRATEGIES)


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
