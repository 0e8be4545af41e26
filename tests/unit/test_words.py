"""What answers and goals say in words agrees with their numbers."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import fewlabels as fl
from fewlabels.answers import Answer, Comparison, Finding, Identification, LabelsLeft
from fewlabels.reporting.verdict import verdict
from fewlabels.study.look import look

ABOUT = {"question": "q", "sentence": "s"}


def finding(half: float, value: float = 0.5, **more) -> Finding:
    about = {"level": 0.95, "method": "m", "target": "pool", "labels": 40, "prior_share": 0.0}
    return Finding(value, value - half, value + half, **{**about, **more})


def identification(probability: float) -> Identification:
    return Identification(findings=(), overall=finding(0.1), probability=probability, **ABOUT)


@pytest.mark.parametrize("reached", [0.9496, 0.94999, 0.949])
def test_a_probability_short_of_its_goal_is_never_shown_as_the_goal(reached: float) -> None:
    progress = fl.Probability(0.95).progress(identification(reached), 10)
    assert not progress.done
    shown, goal = progress.reason.split("probability ")[1].rstrip(".").rstrip(")").split("% (goal ")
    assert float(shown) < float(goal.rstrip("%"))


def test_a_goal_with_a_fraction_of_a_percent_is_shown_as_it_is() -> None:
    assert "(goal 99.5%)" in fl.Probability(0.995).progress(identification(0.5), 10).reason
    assert "(goal 99.5%)" in fl.Probability(0.995).progress(identification(0.996), 10).reason


@pytest.mark.parametrize("half", [0.0502, 0.05001, 0.0504])
def test_a_half_width_short_of_its_goal_is_never_shown_as_the_goal(half: float) -> None:
    one = Answer(findings=(finding(half),), overall=finding(half), **ABOUT)
    progress = fl.HalfWidth(0.05).progress(one, 10)
    assert not progress.done
    assert float(progress.reason.split("the interval is ±")[1].split()[0]) > 0.05


def test_a_half_width_is_not_called_a_width() -> None:
    one = Answer(findings=(finding(0.027),), overall=finding(0.027), **ABOUT)
    two = replace(one, findings=(finding(0.027, group="a"), finding(0.02, group="b")))
    assert fl.HalfWidth(0.01).progress(one, 10).reason.startswith("Not yet: the interval is ±0.027 (goal ±0.01).")
    assert fl.HalfWidth(0.05).progress(one, 10).reason == "Goal reached: the interval is ±0.027 (goal ±0.05)."
    assert fl.HalfWidth(0.05).progress(two, 10).reason == "Goal reached: intervals are at most ±0.027 (goal ±0.05)."


def test_one_more_label_is_not_labels() -> None:
    one = Answer(findings=(finding(0.027),), overall=finding(0.027), **ABOUT)
    assert fl.HalfWidth(0.01).progress(one, 1).reason.endswith(" 1 more label.")
    assert str(LabelsLeft(1, 1, 2)) == "about 1 more label (1 to 2)"


def test_an_overall_goal_says_the_overall_figure_with_its_interval() -> None:
    pool = fl.Pool.from_arrays(predicted=["a", "b", "c"] * 20, score=[0.9] * 60)
    study = fl.create_study(pool, fl.Identify("accuracy", by="predicted_class"), until=fl.HalfWidth(0.04, of="overall"))
    study.tell({query.item: query.predicted for query in study.ask(6)})
    assert f"Not yet: overall {study.answer().overall}; the interval is ±" in study.progress.reason
    study.tell({query.item: query.predicted for query in study.ask(60)})
    assert "Goal reached: overall 100.0% (all 60 labelled); the interval is ±" in study.progress.reason


def test_a_variance_short_of_its_goal_is_never_shown_as_the_goal() -> None:
    answer = Answer(findings=(finding(0.1),), overall=None, extra=({"cautious_variance": 0.005004},), **ABOUT)
    assert "the variance is 0.005004 (goal 0.005)" in fl.Variance(0.005).progress(answer, 10).reason


def test_a_comparison_says_what_is_proven_and_no_probability() -> None:
    rng = np.random.default_rng(0)
    sex, right = np.repeat(["F", "M"], 400), np.concatenate([rng.random(400) < 0.5, rng.random(400) < 0.95])
    pool = fl.Pool.from_arrays(predicted=["a", "b"] * 400, score=[0.8] * 800, columns={"sex": sex})
    truth = {i: "ab"[i % 2] if ok else "ba"[i % 2] for i, ok in enumerate(right)}
    study = fl.create_study(pool, fl.Compare("accuracy", by="sex", a="F", b="M"))
    study.tell({query.item: truth[query.item] for query in study.ask(300)})
    answer = study.answer()
    assert isinstance(answer, Comparison)
    assert answer.probability > 0.9995
    assert answer.sentence.startswith(
        "The model is right less often for F than for M. Proven at 95%, however often you"
    )
    assert "probability" not in answer.sentence


def test_a_little_less_than_nothing_is_not_called_minus_nothing() -> None:
    assert finding(0.1).show(-0.0004) == "0.0%"
    assert finding(0.1).show(-0.0006) == "-0.1%"


def test_an_interval_of_995_in_a_thousand_is_not_called_certain() -> None:
    assert "(99.5% interval" in str(finding(0.1, level=0.995))


def test_a_share_that_rests_on_the_prior_is_never_rounded_to_all_of_it() -> None:
    pool = fl.Pool.from_arrays(predicted=["a", "b"] * 500, score=[0.9] * 1000)
    study = fl.create_study(pool, fl.Estimate("accuracy"), prior_strength=5000)
    study.tell({query.item: query.predicted for query in study.ask(2)})
    assert 0.995 < study.answer().overall.prior_share < 1
    assert ">99% of the overall figure still rests" in study.answer().notes[0]


def test_what_other_groups_tell_is_not_shown_as_told_by_a_groups_own_labels() -> None:
    pool = fl.Pool.from_arrays(predicted=list("abcde") * 200, score=[0.9] * 1000)
    study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), seed=1)
    study.tell({query.item: query.predicted for query in study.ask(40)})
    answer = study.answer()
    heads, *rows = [line.split() for line in str(answer).splitlines() if line.startswith(("group", *"abcde"))][:6]
    assert heads[4] == "borrowed"
    assert all(f.borrowed is not None and f.borrowed > 0.3 > f.prior_share for f in answer.findings)
    assert [row[-1] for row in rows] == [f"{f.borrowed:.0%}" for f in answer.findings]
    assert "borrowed: how much of a figure" in str(answer)
    assert answer.overall is not None
    assert answer.overall.borrowed is None
    papers = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), estimator="beta")
    papers.tell({query.item: query.predicted for query in papers.ask(40)})
    assert " prior" in str(papers.answer())
    assert "borrowed" not in str(papers.answer())


# -- what a finding carries ------------------------------------------------------------------------------------------


@pytest.fixture
def named() -> Identification:
    pool = fl.Pool.from_arrays(predicted=["a", "b", "c", "d"] * 10, score=[0.9] * 40)
    study = fl.create_study(pool, fl.Identify("accuracy", by="predicted_class", top=2))
    study.tell({q.item: "a" if q.predicted in "ab" else q.predicted for q in study.ask(20)})
    answer = study.answer()
    assert isinstance(answer, Identification)
    return answer


def test_each_group_identified_carries_its_rank_and_how_likely_it_belongs(named: Identification) -> None:
    assert [f.rank for f in named.findings] == [1, 2, 3, 4]
    for one, row in zip(named.findings, named.to_dicts(), strict=True):
        assert one.rank_low <= one.rank <= one.rank_high
        assert {name: getattr(one, name) for name in row} == row
    assert sum(f.p_top for f in named.findings) == pytest.approx(2)
    assert named[named.groups[0]].rank == 1


def test_the_columns_of_an_identification_are_as_they_were(named: Identification) -> None:
    columns = ["group", "value", "low", "high", "level", "method", "target", "labels", "prior_share", "weight", "unit"]
    columns += ["left", "by_design", "by_design_low", "by_design_high", "contradicted", "holds", "borrowed"]
    wanted = [*columns, "rank", "rank_low", "rank_high", "p_top"]
    assert list(named.to_dicts()[0]) == wanted
    frame = named.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == wanted


def test_each_bin_of_a_reliability_diagram_carries_its_mean_score() -> None:
    pool = fl.Pool.from_arrays(predicted=["a", "b"] * 10, score=np.linspace(0.5, 0.99, 20))
    answer = fl.create_study(pool, fl.Estimate("reliability")).answer()
    assert [f.mean_score for f in answer.findings] == [row["mean_score"] for row in answer.to_dicts()]
    assert list(answer.to_dicts()[0])[-1] == "mean_score"


def test_what_the_head_of_a_verdict_says_is_not_said_again_by_half() -> None:
    pool = fl.Pool.from_arrays(predicted=["a", "b", "c"] * 20, score=[0.9] * 60)
    study = fl.create_study(
        pool, fl.Estimate("accuracy"), until=fl.HalfWidth(0.49), strategy="uniform", estimator="beta"
    )
    study.tell({query.item: query.predicted for query in study.ask(3)})
    assert study.progress.reason.endswith(f"and less than 10%). About {study.progress.labels_left}.")
    found = verdict(look(study))
    assert found.head == f"Not yet: {study.progress.labels_left}"
    assert found.reason.endswith("and less than 10%).")
