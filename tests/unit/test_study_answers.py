"""What a study answers, and when it stops."""

import numpy as np
import pytest

import fewlabels as fl
from card_studies import CLASSES, TRUTH, make_study, tell_all

# -- answering ---------------------------------------------------------------------------------------------------------


def test_before_any_label_the_answer_is_the_prior_and_says_so():
    answer = make_study().answer()
    assert answer.overall.labels == 0
    assert answer.overall.prior_share == 1
    assert "no labels" in answer.sentence
    assert any("100%" in note and "scores" in note for note in answer.notes)


def test_a_frequency_without_labels_is_not_a_number_rather_than_zero():
    answer = make_study(estimator="frequency").answer()
    assert all(np.isnan([f.value, f.low, f.high, f.pooled_value]).all() for f in answer.findings)
    assert all(str(f) == "not labelled yet" for f in answer.findings)


@pytest.mark.parametrize("estimator", ["beta", "frequency"])
def test_everything_labelled_gives_the_exact_values_without_uncertainty(estimator):
    study = make_study(estimator=estimator)
    queries = study.ask(60)
    tell_all(study, queries)
    right = np.array([query.predicted == TRUTH[query.item] for query in queries])
    answer = study.answer()
    assert answer.overall.value == pytest.approx(right.mean(), abs=1e-12)
    assert answer.overall.low == pytest.approx(answer.overall.high, abs=1e-12)
    for finding in answer.findings:
        of_group = np.array([query.group == finding.group for query in queries])
        assert finding.value == pytest.approx(right[of_group].mean(), abs=1e-12)
        assert finding.labels == of_group.sum()
        assert finding.low == pytest.approx(finding.high, abs=1e-12)


def test_an_answer_can_be_had_at_another_level():
    study = make_study()
    tell_all(study, study.ask(20))
    narrow, wide = study.answer(level=0.8).overall, study.answer(level=0.99).overall
    assert (narrow.level, wide.level) == (0.8, 0.99)
    assert wide.low < narrow.low < narrow.high < wide.high


def test_the_answer_is_a_sentence_a_table_and_rows():
    study = make_study()
    tell_all(study, study.ask(20))
    answer = study.answer()
    assert "from 20 labels" in str(answer).splitlines()[0]
    assert [row["group"] for row in answer.to_dicts()] == sorted(CLASSES)
    assert {"group", "value", "low", "high", "labels", "weight", "method", "target", "prior_share"} <= set(
        answer.to_frame().columns
    )
    assert answer.to_arrow().num_rows == 3
    assert sum(row["labels"] for row in answer.to_dicts()) == 20


# -- stopping ----------------------------------------------------------------------------------------------------------


def test_a_budget_counts_open_queries_and_labels_but_not_skips():
    study = make_study(budget=5)
    first, second, *rest = study.ask(9)
    assert len(rest) == 3
    assert study.ask(1) == []
    assert not study.done
    study.skip(first)
    study.tell(second, "refund")
    assert len(study.ask(9)) == 1
    tell_all(study, study.open_queries)
    assert study.done
    assert "budget of 5" in study.progress.reason
    assert study.ask(1) == []
    assert study.progress.labels_left.high == 0


def test_a_budget_is_for_labels_still_to_be_paid_for():
    """Labels one already had cost nothing, whichever way they came about."""
    for drawn in ("uniform", "unknown"):
        study = make_study(budget=5)
        study.tell({f"i{n}": TRUTH[f"i{n}"] for n in range(20)}, drawn=drawn)
        assert len(study.ask(60)) == 5, drawn


def test_without_goal_and_budget_a_study_ends_with_its_pool():
    study = make_study()
    tell_all(study, study.ask(59))
    assert not study.done
    last = study.ask()[0]
    assert not study.done
    study.skip(last)
    assert study.done
    assert "Every item" in study.progress.reason


def test_a_study_until_a_half_width_stops_when_every_interval_is_short():
    study = make_study(until=fl.HalfWidth(0.12))
    assert not study.done
    assert study.progress.labels_left.likely > 0
    while not study.done:
        tell_all(study, study.ask(2))
    assert all(f.half_width <= 0.12 for f in study.answer().findings)
    assert "Goal reached" in study.progress.reason
    assert len(study.labels) < 60


def test_a_half_width_of_the_overall_figure_needs_fewer_labels():
    studies = [make_study(until=fl.HalfWidth(0.1, of=of)) for of in ("overall", "groups")]
    for study in studies:
        while not study.done:
            tell_all(study, study.ask(2))
    assert len(studies[0].labels) < len(studies[1].labels)


@pytest.mark.parametrize(
    "question",
    [
        fl.Identify("accuracy", by="predicted_class"),
        fl.Compare("accuracy", by="region", a="N", b="S", rope=0.01),
    ],
    ids=["identify", "compare"],
)
def test_a_study_until_a_probability_stops_when_it_is_reached(question):
    study = make_study(question, until=fl.Probability(0.9))
    while not study.done:
        assert "Not yet" in study.progress.reason
        tell_all(study, study.ask(2))
    answer = study.answer()
    sure = (
        answer.probability
        if isinstance(answer, fl.Identification)
        else max(answer.p_less, answer.p_equal, answer.p_more)
    )
    assert sure >= 0.9


def test_progress_without_goal_counts_the_labels_left_in_the_budget():
    study = make_study(budget=10)
    tell_all(study, study.ask(4))
    assert study.progress.labels_left.likely == 6
    assert not study.progress.done
    assert str(study.progress) == study.progress.reason


def test_a_group_all_of_whose_labels_are_right_may_be_right_to_the_last_digit():
    for seed in range(8):
        pool = fl.synthetic_pool(9000, ["cat", "dog", "eel"], accuracy=[1.0, 1.0, 1.0], seed=seed)
        study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), seed=seed)
        study.tell({query.item: query.predicted for query in study.ask(30)})
        assert [found.high for found in study.answer().findings] == [1.0] * 3
