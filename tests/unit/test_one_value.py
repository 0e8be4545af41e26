"""One group has one value and one interval at one moment, whatever is asked about it."""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.answers import Finding
from fewlabels.figures.accuracy_calibration import accuracy_calibration
from fewlabels.study.look import look

BY = "predicted_class"
ESTIMATE = fl.Estimate("accuracy", by=BY)
WORST = fl.Identify("accuracy", by=BY)
THREE = fl.Identify("accuracy", by=BY, top=2)
COMPARE = fl.Compare("accuracy", by=BY, a="a", b="c")


def pool_of(kind: str) -> tuple[fl.Pool, list[str]]:
    """Scores that tell, scores that mislead in one class, and scores that are all alike."""
    rng = np.random.default_rng(len(kind))
    size = 900
    predicted = rng.choice(list("abcd"), size, p=[0.4, 0.3, 0.2, 0.1])
    score = {
        "telling": np.clip(rng.beta(6, 1.5, size), 0.3, 0.999),
        "misleading": np.clip(rng.beta(6, 1.5, size), 0.3, 0.999),
        "alike": np.full(size, 0.8),
    }[kind]
    chance = np.where((predicted == "c") & (kind == "misleading"), 0.4, score)
    true = np.where(rng.random(size) < chance, predicted, np.where(predicted == "a", "b", "a"))
    side = rng.choice(["left", "right"], size, p=[0.7, 0.3])
    return fl.Pool.from_arrays(predicted=predicted, score=score.round(3), columns={"side": side}), true.tolist()


def labelled(question: object, kind: str = "telling", count: int = 90, **how: object) -> fl.Study:
    pool, true = pool_of(kind)
    study = fl.create_study(pool, question, seed=3, **how)
    while len(study.labels) < count:
        study.tell({query.item: true[query.item] for query in study.ask(10)})
    return study


def numbers(findings: tuple[Finding, ...]) -> dict[str, tuple[float, float, float, int]]:
    return {f.group: (f.value, f.low, f.high, f.labels) for f in findings}


def whole(answer: fl.Answer) -> tuple[float, float, float]:
    assert answer.overall is not None
    return answer.overall.value, answer.overall.low, answer.overall.high


@pytest.mark.parametrize("kind", ["telling", "misleading", "alike"])
@pytest.mark.parametrize("strategy", ["auto", "uniform"])
@pytest.mark.parametrize("own", [ESTIMATE, WORST, THREE, COMPARE], ids=["estimate", "worst", "two", "compare"])
def test_all_questions_of_one_study_show_the_same_figures(own, strategy, kind):
    study = labelled(own, kind, strategy=strategy)
    asked = {"own": study.answer(), "estimate": study.answer(ESTIMATE), "worst": study.answer(WORST)}
    asked["two"] = study.answer(THREE)
    expected = numbers(asked["estimate"].findings)
    for name, answer in asked.items():
        for group, found in numbers(answer.findings).items():
            assert found == expected[group], (name, group)
    assert numbers(study.answer(COMPARE).findings) == {group: expected[group] for group in "ac"}
    assert len({whole(asked[name]) for name in ("estimate", "worst", "two")}) == 1


@pytest.mark.parametrize("metric", ["accuracy", "calibration_error", "balanced_accuracy"])
@pytest.mark.parametrize("strategy", ["auto", "uniform"])
def test_the_whole_pool_has_the_figure_that_is_shown_beside_groups(metric, strategy):
    study = labelled(fl.Estimate(metric, by="side"), strategy=strategy)
    assert whole(study.answer()) == whole(study.answer(fl.Estimate(metric)))


@pytest.mark.parametrize("own", [ESTIMATE, WORST], ids=["estimate", "worst"])
def test_groups_that_the_study_was_not_made_for_have_one_figure_too(own):
    study = labelled(own)
    by = {"by": "side"}
    expected = numbers(study.answer(fl.Estimate("accuracy", **by)).findings)
    assert numbers(study.answer(fl.Identify("accuracy", **by)).findings) == expected
    assert numbers(study.answer(fl.Compare("accuracy", a="left", b="right", **by)).findings) == expected


def test_intervals_for_a_stop_are_those_of_every_question_about_these_figures():
    study = labelled(ESTIMATE, until=fl.HalfWidth(0.1, of="groups"))
    expected = numbers(study.answer().findings)
    assert numbers(study.answer(WORST).findings) == expected
    assert numbers(study.answer(ESTIMATE).findings) == expected


@pytest.mark.parametrize("own", [ESTIMATE, WORST], ids=["estimate", "worst"])
def test_a_picture_shows_the_figures_of_the_answer(own):
    study = labelled(own)
    expected = {f.group: f.show(f.value) for f in study.answer().findings}
    table = accuracy_calibration(look(study)).table
    assert {str(row[0]): str(getattr(row[1], "text", row[1])) for row in table.rows} == expected


def test_the_report_and_the_data_show_them_too():
    from fewlabels.answers import answer_data
    from fewlabels.reporting.data import report_data

    study = labelled(WORST)
    expected = numbers(study.answer(ESTIMATE).findings)
    assert numbers(tuple(row.finding for row in report_data(study).rows)) == expected
    shown = {
        f["group"]: (f["value"], f["low"], f["high"], f["labels"]) for f in answer_data(study.answer())["findings"]
    }
    assert shown == expected


def test_the_table_shows_no_group_below_those_named():
    for seed_count in (30, 60, 120, 300):
        answer = labelled(THREE, "misleading", seed_count).answer()
        values = [f.value for f in answer.findings if f.labels >= 3]
        if not answer.confirmed:
            assert values == sorted(values)
        assert [f.group for f in answer.findings[:2]] == list(answer.groups)
        assert all(f.rank_low <= f.rank <= f.rank_high for f in answer.findings)


def test_a_goal_is_reached_for_the_answer_when_it_is_for_the_study():
    study = labelled(WORST, until=fl.Probability(0.9), count=10)
    _pool, true = pool_of("telling")
    while not study.done:
        assert not study.answer().confirmed
        study.tell({query.item: true[query.item] for query in study.ask(10)})
    assert study.answer().confirmed
    assert look(study).reached


def test_the_judging_belief_alone_would_show_other_figures():
    """The negative control: what was shown before."""
    from fewlabels.reading.answer import read

    study = labelled(WORST, "misleading")
    known = study._known()
    judged = numbers(read(known.terms.assessment, known.evidence).findings)
    assert judged != numbers(study.answer(ESTIMATE).findings)


# -- one metric by two names -------------------------------------------------------------------------------------------

RATE, RECALL = (fl.Estimate(name, positive="yes") for name in ("true_positive_rate", "recall"))


def judged(score: float | None) -> tuple[fl.Pool, list[str]]:
    rng = np.random.default_rng(5)
    true = rng.random(2000) < 0.6
    said = np.where(true, rng.random(2000) < 0.9, rng.random(2000) < 0.15)
    how = np.full(2000, score) if score is not None else np.where(said, 0.6, 0.55) + rng.uniform(0, 0.39, 2000)
    names = np.array(["no", "yes"])
    return fl.Pool.from_arrays(predicted=names[said.astype(int)], score=how), names[true.astype(int)].tolist()


@pytest.mark.parametrize("score", [1.0, 0.9, None])
def test_the_true_positive_rate_of_a_pool_is_its_recall(score):
    pool, true = judged(score)
    found = []
    for question, other in ((RATE, RECALL), (RECALL, RATE)):
        study = fl.create_study(pool, question, seed=1)
        while len(study.labels) < 120:
            study.tell({query.item: true[query.item] for query in study.ask(20)})
        found += [study.answer(), study.answer(other)]
    assert len({whole(answer) for answer in found}) == 1
    assert "True-positive rate" in found[0].sentence


def test_without_scores_of_the_class_the_rate_is_read_off_predictions():
    pool = fl.Pool.from_arrays(predicted=list("abc") * 40, score=[0.9] * 120)
    with pytest.raises(fl.QuestionError, match="needs the score"):
        fl.create_study(pool, fl.Estimate("recall", positive="a"))
    study = fl.create_study(pool, fl.Estimate("true_positive_rate", positive="a"))
    study.tell({query.item: query.predicted for query in study.ask(30)})
    assert study.answer().overall.labels > 0


def test_a_group_with_fewer_than_three_labels_is_not_named_lowest():
    pool, true = pool_of("telling")
    study = fl.create_study(pool, ESTIMATE, strategy="uniform")
    by_class = {
        name: [i for i, said in enumerate(pool.engine.models["model"].predicted.tolist()) if "abcd"[said] == name]
        for name in "abcd"
    }
    labels = {i: true[i] for name in "ab" for i in by_class[name][:30]} | dict.fromkeys(by_class["c"][:2], "z")
    study.tell({i: label if label != "z" else "b" for i, label in labels.items()}, drawn="uniform")
    sentence = study.answer().sentence
    assert "Lowest c" not in sentence
    assert "Lowest d" not in sentence
    assert "c" not in study.answer(WORST).groups
