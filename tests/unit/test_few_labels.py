"""Groups with no label of their own, and with few: what is shown of them, in data and in words."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest

import fewlabels as fl
from command_line import run, run_json
from fewlabels.answers import answer_data
from fewlabels.assessment import assess
from fewlabels.core.evidence import NO_EVIDENCE
from fewlabels.core.few_labels import FLOOR, OF_OTHERS
from fewlabels.core.keyed import Keyed
from fewlabels.learnt import Learnt
from fewlabels.questions import Question
from fewlabels.settings import StudySettings

ITEMS = 600
RNG = np.random.default_rng(3)
REGION = np.array(["north"] * 300 + ["south"] * 200 + ["islands"] * 96 + ["capital"] * 4)
SCORE = RNG.uniform(0.6, 1.0, ITEMS)
PREDICTED = RNG.integers(0, 3, ITEMS)
POOL = fl.Pool.from_arrays(
    predicted=PREDICTED, score=SCORE, classes=["a", "b", "c"], columns={"region": REGION, "half": REGION > "n"}
)
QUESTION = fl.Estimate("accuracy", by="column:region")


def told(question: Question, numbers: dict[str, int], *, wrong: int = 0, **more: object) -> fl.Study:
    """A study that was told so many labels of each region, so many of each wrong."""
    study, labels = fl.create_study(POOL, question, **more), {}
    for group, count in numbers.items():
        for place, item in enumerate(np.flatnonzero(group == REGION)[:count].tolist()):
            labels[str(item)] = "abc"[(PREDICTED[item] + (place < wrong)) % 3]
    study.tell(labels, drawn="uniform")
    return study


SOME = {"north": 40, "south": 25, "islands": 3}


def test_a_group_without_a_label_has_no_figure_that_looks_measured():
    answer = told(QUESTION, SOME, wrong=2).answer()
    none = answer["capital"]
    assert math.isnan(none.value)
    assert math.isnan(none.low)
    assert math.isnan(none.high)
    assert 0.5 < none.pooled_value <= 1
    assert str(none) == f"not labelled yet ({none.pooled_value:.0%} from pooling)"
    assert none.interval == str(none)
    assert none.unlabelled
    assert not none.ranked


def test_in_json_it_is_null_with_the_pooled_figure_beside():
    data = json.loads(json.dumps(answer_data(told(QUESTION, SOME, wrong=2).answer()), allow_nan=False))
    row = next(row for row in data["findings"] if row["group"] == "capital")
    assert (row["value"], row["low"], row["high"], row["labels"]) == (None, None, None, 0)
    assert 0 < row["pooled_value"] <= 1


def test_in_frames_it_is_missing():
    frame = told(QUESTION, SOME).answer().to_frame().set_index("group")
    assert isinstance(frame, pd.DataFrame)
    assert frame.loc["capital", ["value", "low", "high"]].isna().all()


def test_people_see_it_after_the_labelled_ones_in_brackets():
    lines = str(told(QUESTION, SOME).answer()).splitlines()
    rows = [line for line in lines if line.startswith(("north", "south", "islands", "capital"))]
    assert rows[-1].startswith("capital")
    assert "not labelled yet (" in rows[-1]
    assert "from pooling)" in rows[-1]


def test_a_group_with_three_labels_says_so_and_is_neither_lowest_nor_highest():
    answer = told(QUESTION, SOME, wrong=3).answer()
    few = answer["islands"]
    assert few.value < min(answer["north"].value, answer["south"].value)
    assert "only 3 labels" in few.interval
    assert "only 3 labels" in str(few)
    assert not few.ranked
    assert "islands" not in answer.sentence
    assert "capital" not in answer.sentence


def test_all_items_of_a_small_group_are_enough_labels():
    answer = told(QUESTION, {"north": 30, "south": 20, "capital": 4}, wrong=4).answer()
    assert answer["capital"].value == 0
    assert answer["capital"].ranked
    assert "Lowest capital" in answer.sentence


def test_where_no_mistake_was_seen_all_may_be_right():
    for count in (1, 4, 9, 12, 19, 29, 45, 59, 75):
        assert told(QUESTION, {"north": 120, "south": count}).answer()["south"].high == 1.0


def test_predicted_classes_have_no_interval_with_two_labels_and_one_with_three():
    question = fl.Estimate("accuracy", by="predicted_class")
    study = fl.create_study(POOL, question)
    items = {name: np.flatnonzero(code == PREDICTED) for code, name in enumerate("abc")}
    labels = {name: items[name][:count].tolist() for name, count in (("a", 30), ("b", 2), ("c", OF_OTHERS))}
    study.tell({str(item): name for name, mine in labels.items() for item in mine}, drawn="uniform")
    found = study.answer()
    assert math.isnan(found["b"].low)
    assert math.isnan(found["b"].high)
    assert not math.isnan(found["b"].value)
    assert found["b"].interval == "only 2 labels"
    assert not found["b"].ranked
    assert 0 <= found["c"].low < found["c"].high <= 1
    assert found["c"].ranked


def test_crossed_with_a_column_a_class_follows_the_rule_of_columns():
    found = fl.create_study(POOL, fl.Estimate("accuracy", by=("predicted_class", "column:half"))).answer()
    assert {finding.ranked_from for finding in found.findings} == {FLOOR}


def test_no_group_is_found_to_be_worst_with_too_few_labels():
    answer = told(fl.Identify("accuracy", by="column:region"), SOME, wrong=3).answer()
    assert answer.groups in (("north",), ("south",))
    assert [f.group for f in answer.findings[-2:]] == ["islands", "capital"]
    assert [f.rank for f in answer.findings] == [1, 2, None, None]
    assert [f.rank_low is None for f in answer.findings] == [False, False, True, True]
    assert str(answer).count("–  ") >= 2


def test_before_any_group_has_enough_labels_none_is_named():
    answer = told(fl.Identify("accuracy", by="column:region"), {"north": 2, "south": 1}).answer()
    assert answer.groups == ()
    assert "not decided" in answer.sentence
    assert "no group has 5 labels." in answer.sentence


def test_a_difference_from_a_group_without_a_label_may_be_anything():
    question = fl.Compare("accuracy", by="column:region", a="north", b="capital")
    difference = told(question, {"north": 40}).answer().difference
    assert math.isnan(difference.value)
    assert (difference.low, difference.high) == (-1.0, 1.0)


def test_a_goal_for_every_group_is_not_reached_while_one_has_no_interval():
    study = told(QUESTION, {"north": 300, "south": 200, "islands": 96}, until=fl.HalfWidth(0.4))
    assert not study.done
    assert "capital has no label" in study.progress.reason
    study = told(QUESTION, {"north": 300, "south": 200, "islands": 96, "capital": 4}, until=fl.HalfWidth(0.4))
    assert study.done


def test_a_simulation_scores_what_the_model_makes_of_groups_without_labels():
    labelled = fl.Pool.from_arrays(
        predicted=PREDICTED, score=SCORE, classes=["a", "b", "c"], columns={"region": REGION}, labels=PREDICTED
    )
    columns = ("rmse", "coverage", "width")
    found = fl.simulate(labelled, None, QUESTION, budgets=[3], runs=2, measures=columns, workers=1).to_frame()
    assert found[found["measure"] == "rmse"]["mean"].between(0, 0.5).all()


def test_groups_short_of_labels_get_half_of_the_draws():
    study = fl.create_study(POOL, QUESTION, seed=1)
    for _ in range(8):
        study.tell({query.item: query.predicted for query in study.ask(10)})
    labels = {finding.group: finding.labels for finding in study.answer().findings}
    assert labels["capital"] == 4
    assert min(labels.values()) >= 4
    assert labels["islands"] >= FLOOR


@pytest.mark.parametrize(("groups", "share"), [(4, 0.5), (20, 0.5), (50, 0.2)])
def test_groups_short_of_labels_share_draws_alike_whatever_their_size(groups, share):
    column = np.arange(ITEMS) % (groups - 1)
    column[::100] = groups - 1  # six items
    pool = fl.Pool.from_arrays(predicted=PREDICTED, score=SCORE, classes=["a", "b", "c"], columns={"number": column})
    question = fl.Estimate("accuracy", by="column:number")
    made = assess(StudySettings(question), question, pool, pool.models[0])
    none = np.zeros(made.cells.count)
    learnt = Learnt(made, NO_EVIDENCE, none, Keyed(0, 0))
    cell = np.argsort(made.arms.index)
    of_group = np.bincount(made.view.groups.index[cell], learnt.short(none) * made.cells.size[cell])
    assert of_group == pytest.approx(np.full(groups, share / groups))


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("kind", [fl.Estimate, fl.Identify])
def test_a_report_with_groups_that_are_not_labelled_computes_again_and_has_its_figures(kind, tmp_path):
    study = fl.create_study(POOL, kind("accuracy", by="column:region"), seed=4)
    study.tell({query.item: query.predicted for query in study.ask(8)})
    page = fl.report(study, tmp_path / "report.html")
    found = fl.verify(page, POOL)
    assert found.ok, str(found)
    text = page.read_text()
    assert "only " in text
    assert "nan" not in re.sub(r"<script.*?</script>|<style.*?</style>|data value=.[^>]*>", "", text, flags=re.DOTALL)
    for name in ("groups", "reliability", "accuracy_calibration", "by_labels"):
        assert kind is fl.Identify or "nan" not in fl.plot(study, name).svg


def test_the_command_line_says_the_same(tmp_path):
    file, study = tmp_path / "items.csv", tmp_path / "one.study"
    frame = pd.DataFrame({"id": range(ITEMS), "predicted": np.array(list("abc"))[PREDICTED], "score": SCORE})
    frame.assign(region=REGION).to_csv(file, index=False)
    run("new", str(file), "--study", str(study), "--estimate", "accuracy", "--by", "region")
    assert "not labelled yet (" in run("answer", str(study)).stdout
    assert {row["value"] for row in run_json("answer", str(study))["findings"]} == {None}
