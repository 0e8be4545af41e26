"""Nothing is claimed that the labels do not bear: goals, headlines, labels behind a figure, differences."""

from dataclasses import replace

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.answers import Finding
from fewlabels.core.beta import BetaBelief
from fewlabels.core.dirichlet import DirichletBelief, at_least
from fewlabels.core.keyed import Keyed, Use
from fewlabels.demo import demo_pool
from fewlabels.stopping.base import reached

N = 400
RNG = np.random.default_rng(3)
REGION = np.array(["north", "south", "east", "inland"])[RNG.integers(0, 4, N)]
PREDICTED = np.array(["yes", "no"])[RNG.integers(0, 2, N)]
TRUE = np.where(RNG.random(N) < 0.97, PREDICTED, np.where(PREDICTED == "yes", "no", "yes"))
POOL = fl.Pool.from_arrays(predicted=PREDICTED, score=np.full(N, 0.995), columns={"region": REGION}, labels=TRUE)


def label(study: fl.Study, labels: int, step: int = 1) -> fl.Study:
    while len(study.labels) < labels and (queries := study.ask(step)):
        study.tell({query.item: str(TRUE[query.item]) for query in queries})
    return study


GOALS = {
    "compare": (fl.Compare("accuracy", by="region", a="north", b="south", rope=0.2), fl.Probability(0.95)),
    "identify": (fl.Identify("accuracy", by="region", top=3), fl.Probability(0.5)),
    "half-width": (fl.Estimate("accuracy", by="region"), fl.HalfWidth(0.4)),
    "half-width of a difference": (fl.Compare("accuracy", by="region", a="north", b="south"), fl.HalfWidth(0.6)),
    "overall": (fl.Estimate("accuracy", by="region"), fl.HalfWidth(0.4, of="overall")),
}


@pytest.mark.usefixtures("fewer_draws", "compiled_fits")
@pytest.mark.parametrize("estimator", ["auto", "beta"])
@pytest.mark.parametrize(("question", "goal"), GOALS.values(), ids=GOALS.keys())
def test_no_goal_is_reached_before_every_group_has_labels_of_its_own(question, goal, estimator):
    for seed in range(3):
        study = fl.create_study(POOL, question, until=goal, seed=seed, estimator=estimator)
        while not study.done:
            label(study, len(study.labels) + 1)
        answer = study.answer()
        spoken_of = [answer.overall] if goal == fl.HalfWidth(0.4, of="overall") else answer.findings
        if getattr(answer, "certified", None):  # a certificate has a floor of its own: every group may be an exception
            assert all(f.labels >= 3 or f.left == 0 for f in spoken_of)
            continue
        assert all(f.labels >= 10 or f.left == 0 for f in spoken_of)
        by_labels = isinstance(answer, fl.Comparison) or all(f.holds == "a stop" for f in spoken_of)
        assert by_labels or all(f.prior_share < 0.1 for f in spoken_of)


def test_what_is_missing_for_a_claim_is_said():
    goal = fl.Probability(0.6)  # of more than the pool nothing is shown at every look: the probability decides
    study = fl.create_study(POOL, GOALS["compare"][0], until=goal, estimator="beta", target="population")
    reason = study.progress.reason
    assert "a verdict takes 20 labels that count on each side" in reason
    assert "has none" in reason
    assert study.progress.labels_left.likely > 0


def test_a_group_whose_items_are_all_labelled_needs_no_ten_labels():
    def small(labels: int, left: int | None, prior: float) -> Finding:
        return Finding(0.5, 0.4, 0.6, 0.95, "Beta", "pool", labels, prior, left=left)

    assert reached([small(4, 0, 0.0)], "so", 10).done
    assert not reached([small(4, 3, 0.0)], "so", 10).done
    assert not reached([small(9, None, 0.0)], "so", 10).done
    assert not reached([small(50, 100, 0.1)], "so", 10).done
    assert reached([small(50, 100, 0.09)], "so", 10).done


def test_done_is_the_same_as_in_a_fresh_process_and_redraws_one_cell(monkeypatch, tmp_path):
    pool, drawn = demo_pool(), list[int]()
    truth = dict(zip(pool.ids, pool.known_labels, strict=True))
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    plain = Keyed.generator

    def counted(self: Keyed, use: Use, attempt: int = 0) -> np.random.Generator:
        if use == Use.ANSWER and attempt >= 1_000:  # of a cell
            drawn.append(attempt - 1_000)
        return plain(self, use, attempt)

    monkeypatch.setattr(Keyed, "generator", counted)
    question = fl.Identify("accuracy", by="predicted_class", top=3)
    goal = fl.Probability(0.9)
    study = fl.create_study(pool, question, strategy="thompson", until=goal, seed=1, storage=storage)
    study.tell({query.item: truth[query.item] for query in study.ask(30)})
    _ = study.done
    for _ in range(3):
        (query,) = study.ask()
        study.tell(query, truth[query.item])
        drawn.clear()
        progress = study.progress
        assert drawn == [query.cell]
        assert progress == fl.load_study(storage=storage, pool=pool).progress


def test_the_goal_s_numbers_are_those_of_the_answer():
    for question, goal in GOALS.values():
        study = label(fl.create_study(POOL, question, until=goal), 60, 10)
        in_question = N if not isinstance(question, fl.Compare) else int(np.isin(REGION, ["north", "south"]).sum())
        assert study.progress == goal.progress(study.answer(), in_question - 60)


def test_groups_without_labels_make_no_headline():
    pool = fl.Pool.from_arrays(
        predicted=PREDICTED, score=np.where(REGION == "inland", 0.01, 0.9), columns={"region": REGION}
    )
    study = fl.create_study(pool, fl.Estimate("accuracy", by="region"), strategy="uniform")
    study.tell({i: str(TRUE[i]) for i in np.flatnonzero(REGION != "inland")[:60]}, drawn="uniform")
    answer = study.answer()
    assert answer["inland"].labels == 0
    assert "inland" not in answer.sentence
    named = fl.create_study(pool, fl.Identify("accuracy", by="region"), strategy="uniform")
    assert "not decided after no labels; no group has labels" in named.answer().sentence
    assert "inland" not in named.answer().sentence
    named.tell({i: str(TRUE[i]) for i in np.flatnonzero(REGION != "inland")[:60]}, drawn="uniform")
    assert "inland" not in named.answer().groups
    assert named.answer().findings[-1].group == "inland"


def test_a_difference_is_widened_as_its_groups_are():
    """Demo pool, first two classes, 40 labels: by the papers' posterior every draw of the difference is the same."""
    pool = demo_pool()
    truth = dict(zip(pool.ids, pool.known_labels, strict=True))
    a, b = pool.classes[:2]
    for estimator in ("beta", "auto"):
        question = fl.Compare("calibration_error", by="predicted_class", a=a, b=b)
        study = fl.create_study(pool, question, seed=1, estimator=estimator)
        while len(study.labels) < 40:
            study.tell({query.item: truth[query.item] for query in study.ask(10)})
        answer = study.answer()
        widest = max(f.high - f.low for f in answer.findings)
        assert answer.difference.high - answer.difference.low >= widest


def test_by_true_class_each_row_counts_the_labels_of_its_class():
    study = label(fl.create_study(POOL, fl.Estimate("accuracy", by="true_class"), strategy="uniform"), 80, 20)
    told = list(study.labels.values())
    assert {f.group: f.labels for f in study.answer().findings} == {c: told.count(c) for c in ("no", "yes")}


def test_a_true_positive_rate_counts_the_positives_found():
    question = fl.Estimate("true_positive_rate", by="region", positive="yes")
    study = label(fl.create_study(POOL, question, strategy="uniform"), 80, 20)
    found = study.labels
    for finding in study.answer().findings:
        here = [item for item in found if REGION[item] == finding.group]
        assert finding.labels == sum(found[item] == "yes" for item in here)
    everything = label(study, N, 50).answer()
    assert all(f.left == 0 and f.fully_labelled for f in everything.findings)


def test_draws_without_positives_are_left_out_of_a_true_positive_rate():
    """They say nothing about it; filled in, they would draw the interval together."""
    from fewlabels.core.intervals import defined_interval

    draws = np.array([[0.1], [0.5], [0.9], [np.nan], [np.nan], [np.nan]])
    low, high = defined_interval(draws, 0.9, "equal-tailed")
    assert [low[0], high[0]] == pytest.approx(np.quantile([0.1, 0.5, 0.9], [0.05, 0.95]).tolist())
    assert np.isnan(defined_interval(np.full((5, 1), np.nan), 0.9, "equal-tailed")[0]).all()


def test_what_is_shown_starts_from_half_a_pseudo_count_and_what_is_believed_does_not():
    belief = BetaBelief(
        np.array([1.986]), np.array([0.014]), np.array([20.0]), np.array([0.0]), np.array([500]), least=0.5
    )
    assert belief.spread[0] == pytest.approx([21.986])
    assert belief.spread[1] == pytest.approx([0.5])
    assert belief.mean == pytest.approx([21.986 / 22])
    assert replace(belief, least=0.0).spread[1] == pytest.approx([0.014])


def test_class_shares_start_from_half_a_pseudo_count_right_and_wrong():
    prior, predicted = np.array([[0.98, 0.015, 0.005]]), np.array([0])
    raised = at_least(prior, predicted, 0.5)
    assert raised[0, 0] == 0.98
    assert raised[0, 1:].sum() == pytest.approx(0.5)
    assert raised[0, 1] / raised[0, 2] == pytest.approx(3.0)
    belief = DirichletBelief(prior, np.zeros((1, 3)), np.array([50]), least=0.5, predicted=predicted)
    assert belief.spread[0].min() == 0.5
    assert belief.mean == pytest.approx(prior)


def test_the_papers_estimator_says_whose_it_is():
    said = {"beta": "as in the papers", "cautious": "at least 0.5 pseudo-labels", "auto": "recalibration of the scores"}
    for estimator, words in said.items():
        answer = fl.create_study(POOL, fl.Estimate("accuracy"), estimator=estimator).answer()
        assert words in answer.overall.method


def test_a_class_no_model_predicts_is_known_by_definition_and_not_for_its_labels():
    rng = np.random.default_rng(0)
    pool = fl.Pool.from_arrays(probabilities=rng.dirichlet([1, 1], 60), classes=["a", "b"], other_labels=["z"])
    for target in ("pool", "population"):
        study = fl.create_study(pool, fl.Estimate("accuracy", by="true_class"), target=target)
        study.tell({q.item: "z" if i % 4 == 0 else q.predicted for i, q in enumerate(study.ask(20))})
        never = next(f for f in study.answer().findings if f.group == "z")
        assert (never.value, never.low, never.high) == (0, 0, 0)
        assert never.labels == 5
        assert not never.fully_labelled
        assert str(never) == "0.0% (by definition)"


def test_groups_without_a_figure_are_not_among_the_first_and_the_sentence_says_so():
    rng = np.random.default_rng(1)
    chances = rng.dirichlet([1, 1, 1], 40)
    part = np.array(["x", "y", "z"])[chances.argmax(axis=1)]  # in y and z nothing is predicted to be an "a"
    pool = fl.Pool.from_arrays(probabilities=chances, classes=["a", "b", "c"], columns={"part": part})
    study = fl.create_study(pool, fl.Identify("precision", by="part", top=2, positive="a"))
    study.tell({q.item: q.predicted for q in study.ask(15)})
    few = study.answer()
    assert few.probability == 0
    assert sum(f.p_top for f in few.findings) <= 1
    assert "only 1 of 3 groups has items that count" in few.sentence
    study.tell({q.item: q.predicted for q in study.ask(40)})
    assert "not known yet" not in study.answer().sentence


def test_what_rests_on_scores_is_said_of_the_groups_that_are_named():
    """One group was asked for its fill and is named; that others have no labels is not its affair."""
    pool = fl.Pool.from_arrays(predicted=["a"] * 200 + ["b"] * 200 + ["c"] * 200, score=[0.7, 0.9] * 300)
    study = fl.create_study(pool, fl.Identify("accuracy", by="predicted_class"), estimator="hierarchical")
    study.tell({item: "a" if item % 3 else "b" for item in range(150)}, drawn="uniform")
    answer = study.answer()
    assert answer.groups == ("a",)
    shares = [int(note.partition("%")[0]) for note in answer.notes if "read off the model's scores" in note]
    assert all(share < 30 for share in shares)


def test_a_class_that_is_never_wrong_does_not_keep_a_study_from_its_goal():
    pool = fl.synthetic_pool(1500, ["a", "b", "c"], accuracy=[1.0, 0.97, 0.9], seed=5)
    truth = dict(zip(pool.ids, pool.known_labels, strict=True))
    goal, question = fl.HalfWidth(0.05), fl.Estimate("accuracy", by="predicted_class")
    study = fl.create_study(pool, question, until=goal, target="population", seed=1)
    while not study.done and len(study.labels) < 1000:
        study.tell({query.item: truth[query.item] for query in study.ask(50)})
    assert study.done
    assert not any("few labels as yet" in note for note in study.answer().notes)


def test_a_goal_that_a_group_has_too_few_items_for_is_said_to_be_out_of_reach():
    pool = fl.Pool.from_arrays(predicted=["a"] * 400 + ["b"] * 12, score=[0.9] * 412)
    question = fl.Estimate("accuracy", by="predicted_class")
    study = fl.create_study(pool, question, until=fl.HalfWidth(0.05), target="population", seed=1)
    while "Out of reach" not in study.progress.reason and (queries := study.ask(4)):
        study.tell({query.item: "a" for query in queries})
    assert "all of b are labelled" in study.progress.reason
    assert "Extend the pool" in study.progress.reason
    assert not study.done
