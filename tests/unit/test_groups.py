"""How items fall into groups: classes, bins, columns, superclasses, crossings."""

import sys

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.groups import (
    ClassMap,
    Column,
    OfModel,
    PredictedClass,
    PredictedIs,
    ScoreBins,
    TrueClass,
    grouping_from_json,
    grouping_to_json,
    parse_by,
)
from fewlabels.engines.binning import bin_scores


def pool_of(score, predicted=None, **more) -> fl.Pool:
    return fl.Pool.from_arrays(predicted=["x"] * len(score) if predicted is None else predicted, score=score, **more)


def sizes(pool: fl.Pool, by: object, **more) -> dict[str, int]:
    """Items in each group, as an answer reports them."""
    findings = fl.create_study(pool, fl.Estimate("accuracy", by=by), **more).answer().findings
    return {f.group: round(f.weight * len(pool)) for f in findings}


# -- equal width -------------------------------------------------------------------------------------------------------


def test_a_score_of_one_lies_in_the_last_bin():
    assert sizes(pool_of([0.95, 1.0, 1.0, 0.0]), "score_bin") == {"0.0–0.1": 1, "0.9–1.0": 3}


def test_bins_without_items_are_not_reported():
    assert list(sizes(pool_of([0.05, 0.55]), fl.ScoreBins(10))) == ["0.0–0.1", "0.5–0.6"]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 10, 15, 20, 100, 1000])
def test_every_edge_belongs_to_the_bin_it_opens(count):
    """Also where the product of score and number of bins is rounded down, such as 0.29 with 100 bins."""
    edges = np.arange(count + 1) / count
    index, names = bin_scores(edges, ScoreBins(count))
    assert index.tolist() == [*range(count), count - 1]
    assert len(set(names)) == count


@pytest.mark.parametrize("count", [10, 15, 100])
def test_the_score_just_below_an_edge_belongs_to_the_bin_before(count):
    edges = np.arange(1, count + 1) / count
    index, _ = bin_scores(np.nextafter(edges, 0), ScoreBins(count))
    assert index.tolist() == list(range(count))


def test_a_score_of_0_29_lies_in_the_bin_from_0_29_with_a_hundred_bins():
    assert sizes(pool_of([0.29, 0.289999]), fl.ScoreBins(100)) == {"0.28–0.29": 1, "0.29–0.30": 1}


def test_scores_of_single_precision_are_binned_by_their_exact_value():
    """0.7 in single precision is 0.69999998…, below the edge; 0.5 and 0.75 are exact."""
    scores = np.array([0.7, 0.5, 0.75, 1.0], dtype=np.float32)
    assert sizes(pool_of(scores), fl.ScoreBins(10)) == {"0.5–0.6": 1, "0.6–0.7": 1, "0.7–0.8": 1, "0.9–1.0": 1}
    assert sizes(pool_of(scores), fl.ScoreBins(10)) == sizes(pool_of(scores.astype(np.float64)), fl.ScoreBins(10))


def test_bin_names_have_digits_enough_to_tell_them_apart():
    for count in (3, 10, 11, 15, 64, 100, 101, 1000):
        _, names = bin_scores((np.arange(count) + 0.5) / count, ScoreBins(count))
        assert len(set(names)) == count, count


# -- equal mass --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("items", "count"), [(100, 10), (97, 10), (103, 10), (50, 7), (10, 10), (1000, 15)])
def test_bins_of_equal_mass_differ_by_at_most_one_item(items, count):
    scores = np.random.default_rng(1).permutation((np.arange(items) + 1) / (items + 1))
    found = list(sizes(pool_of(scores), fl.ScoreBins(count, "mass")).values())
    assert len(found) == count
    assert sum(found) == items
    assert max(found) - min(found) <= 1


def test_equal_scores_stay_together():
    scores = np.array([0.1, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.3, 0.4, 0.5])
    index, _ = bin_scores(scores, ScoreBins(5, "mass"))
    for value in np.unique(scores):
        assert len(set(index[scores == value].tolist())) == 1
    assert (np.diff(index) >= 0).all()


def test_a_score_shared_by_most_items_is_one_bin_and_a_note_says_so():
    pool = pool_of([1.0] * 90 + [n / 20 for n in range(10)])
    answer = fl.create_study(pool, fl.Estimate("accuracy", by=fl.ScoreBins(10, "mass"))).answer()
    assert [round(f.weight, 2) for f in answer.findings] == [0.1, 0.9]
    assert any("10 bins" in note and "2 are possible" in note for note in answer.notes)


def test_one_score_for_all_is_one_bin():
    assert list(sizes(pool_of([0.5] * 7), fl.ScoreBins(10, "mass")).values()) == [7]


def test_more_bins_than_items_leaves_one_item_a_bin():
    assert list(sizes(pool_of([0.1, 0.5, 0.9]), fl.ScoreBins(10, "mass")).values()) == [1, 1, 1]


def test_bins_of_equal_mass_that_round_alike_have_different_names():
    scores = np.array([0.50001, 0.50002, 0.50003, 0.50004])
    assert len(sizes(pool_of(scores), fl.ScoreBins(4, "mass"))) == 4


def calls_to_bin(scores: np.ndarray, bins: ScoreBins) -> int:
    """How many functions and methods, built-in ones too, binning calls."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        bin_scores(scores, bins)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("by", ["width", "mass"])
def test_twice_as_many_bins_are_twice_the_work(by):
    scores = np.random.default_rng(0).random(3000)
    few, many = (calls_to_bin(scores, ScoreBins(count, by)) for count in (500, 1000))
    assert many < 3 * few


def names_by_search(scores: np.ndarray, count: int) -> list[str]:
    """Names of bins of equal mass, each bin's scores and each name's namesakes searched one by one."""
    values, counts = np.unique(scores, return_counts=True)
    number = np.minimum(((np.cumsum(counts) - counts / 2) / len(scores) * count).astype(int), count - 1)
    out: list[str] = []
    for n in np.unique(number):
        name = f"{values[number == n].min():.3f}–{values[number == n].max():.3f}"
        alike = [other for other in out if other == name or other.startswith(f"{name} (")]
        out.append(f"{name} ({len(alike) + 1})" if alike else name)
    return out


@pytest.mark.parametrize("key", range(8))
@pytest.mark.parametrize("digits", [1, 3, 12])
def test_bins_of_equal_mass_have_the_names_a_search_gives_them(key, digits):
    rng = np.random.default_rng(key)
    scores = (rng.random(300) ** rng.choice([0.2, 1.0, 9.0])).round(digits)
    for count in (1, 7, 100, 999):
        assert list(bin_scores(scores, ScoreBins(count, "mass"))[1]) == names_by_search(scores, count)


@pytest.mark.parametrize("by", ["width", "mass"])
def test_a_hundred_thousand_bins_have_names_of_their_own(by):
    number, names = bin_scores(np.linspace(0, 1, 100_000), ScoreBins(100_000, by))
    assert len(set(names)) == len(names) == 100_000
    assert (np.diff(number) >= 0).all()


def test_the_naive_bayes_pool_has_one_bin_of_nine_tenths(data_folder):
    folder = data_folder / "text"
    pool = fl.open_pool(folder / "banking77__tfidf_nb.parquet", classes=f"{folder / 'classes.json'}:banking77")
    scores = pool.engine.models["model"].score
    shared = (scores == 1.0).mean()
    assert shared > 0.85
    answer = fl.create_study(pool, fl.Estimate("accuracy", by=fl.ScoreBins(10, "mass"))).answer()
    assert answer.findings[-1].weight == pytest.approx(shared, abs=0.05)
    assert answer.findings[-1].weight >= shared
    assert sum(f.weight for f in answer.findings) == pytest.approx(1)
    assert any("share one score" in note for note in answer.notes)


# -- classes, columns, superclasses ------------------------------------------------------------------------------------


def test_groups_by_predicted_class_leave_out_classes_never_predicted():
    pool = pool_of([0.5] * 3, predicted=["b", "a", "b"], classes=["a", "b", "c"])
    assert sizes(pool, "predicted_class") == {"a": 1, "b": 2}


def test_the_whole_pool_is_one_group():
    assert sizes(pool_of([0.5] * 4), None) == {"whole pool": 4}


def test_groups_by_column_are_its_values_as_text():
    pool = pool_of([0.5] * 5, columns={"year": [2020, 2021, 2021, None, 2020], "ok": [True, False, True, True, True]})
    assert sizes(pool, "year") == {"(missing)": 1, "2020": 2, "2021": 2}
    assert sizes(pool, "ok") == {"False": 1, "True": 4}


def test_crossed_groups_are_the_combinations_that_occur():
    pool = pool_of(
        [0.5] * 4, predicted=["a", "a", "b", "b"], columns={"region": ["N", "S", "S", "S"], "sex": ["F", "M", "F", "F"]}
    )
    assert sizes(pool, ("predicted_class", "region")) == {"a × N": 1, "a × S": 1, "b × S": 2}
    assert sizes(pool, ("region", "sex", "predicted_class")) == {"N × F × a": 1, "S × M × a": 1, "S × F × b": 2}


def test_crossings_may_hold_bins():
    pool = pool_of([0.15, 0.95, 0.95], columns={"region": ["N", "S", "S"]})
    assert sizes(pool, ("region", fl.ScoreBins(2))) == {"N × 0.0–0.5": 1, "S × 0.5–1.0": 2}


def test_a_column_named_like_a_grouping_is_reached_with_its_prefix():
    pool = pool_of(
        [0.5] * 3,
        predicted=["a", "a", "b"],
        columns={"predicted_class": ["u", "v", "v"], "score_bin": ["low", "low", "high"], "column:x": ["p", "q", "q"]},
    )
    assert sizes(pool, "predicted_class") == {"a": 2, "b": 1}
    assert sizes(pool, "column:predicted_class") == {"u": 1, "v": 2}
    assert sizes(pool, "column:score_bin") == {"high": 1, "low": 2}
    assert sizes(pool, "column:column:x") == {"p": 1, "q": 2}
    assert sizes(pool, ("predicted_class", "column:predicted_class")) == {"a × u": 1, "a × v": 1, "b × v": 1}


def test_superclasses_group_by_prediction_and_judge_by_class():
    """An oak called a pine is in the group of trees, and wrong."""
    pool = pool_of([0.5] * 4, predicted=["oak", "pine", "boy", "oak"], ids=list("abcd"))
    trees = fl.ClassMap({"oak": "trees", "pine": "trees", "boy": "people"})
    study = fl.create_study(pool, fl.Estimate("accuracy", by=trees), estimator="frequency")
    truth = {"a": "oak", "b": "oak", "c": "boy", "d": "boy"}
    for query in study.ask(4):
        assert query.group == {"oak": "trees", "pine": "trees", "boy": "people"}[query.predicted]
        study.tell(query, truth[query.item])
    answer = study.answer()
    assert {f.group: f.value for f in answer.findings} == {"people": 1.0, "trees": pytest.approx(1 / 3)}


def test_superclasses_may_be_numbers():
    pool = pool_of([0.5] * 3, predicted=[0, 1, 2])
    assert sizes(pool, fl.ClassMap({0: 7, 1: 7, 2: 8})) == {"7": 2, "8": 1}


def test_a_class_without_superclass_is_an_error_naming_it():
    pool = pool_of([0.5] * 2, predicted=["oak", "pine"])
    with pytest.raises(fl.QuestionError, match=r"'pine'.*map every class"):
        fl.create_study(pool, fl.Estimate("accuracy", by=fl.ClassMap({"oak": "trees"})))


def test_an_unknown_column_lists_the_known_ones():
    pool = pool_of([0.5] * 2, columns={"region": ["N", "S"]})
    for by in ("regio", "column:regio", ("predicted_class", "regio")):
        with pytest.raises(fl.QuestionError, match=r"'regio'.*predicted_class.*region"):
            fl.create_study(pool, fl.Estimate("accuracy", by=by))


def test_a_pool_without_columns_says_so():
    with pytest.raises(fl.QuestionError, match=r"'region'.*none"):
        fl.create_study(pool_of([0.5]), fl.Estimate("accuracy", by="region"))


# -- naming groupings --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", [3, 0.5, "", object(), {"region"}, (None, 3)])
def test_what_is_no_grouping_is_an_error_listing_what_is(by):
    with pytest.raises(fl.QuestionError, match=r"not a grouping.*predicted_class.*score_bin.*column"):
        fl.Estimate("accuracy", by=by)


def test_a_grouping_named_twice_is_an_error():
    with pytest.raises(fl.QuestionError, match="twice"):
        fl.Estimate("accuracy", by=("region", "column:region"))


@pytest.mark.parametrize("count", [0, -3, 2.5, "ten", None])
def test_a_number_of_bins_is_a_whole_number(count):
    with pytest.raises(fl.QuestionError, match=r"at least 1"):
        fl.ScoreBins(count)


def test_bins_are_of_equal_width_or_mass():
    with pytest.raises(fl.QuestionError, match=r"'width'.*'mass'.*'size'"):
        fl.ScoreBins(10, "size")


def test_a_map_of_no_classes_is_an_error():
    with pytest.raises(fl.QuestionError, match=r"\{class: superclass\}"):
        fl.ClassMap({})
    with pytest.raises(fl.QuestionError, match=r"\{class: superclass\}"):
        fl.ClassMap(["trees", "people"])


def test_names_stand_for_groupings():
    assert parse_by(None) == ()
    assert parse_by("score_bin") == (ScoreBins(10, "width"),)
    assert parse_by(["predicted_class", "true_class", "region"]) == (PredictedClass(), TrueClass(), Column("region"))
    assert parse_by((("a", "b"), "c")) == (Column("a"), Column("b"), Column("c"))


@pytest.mark.parametrize(
    "grouping",
    [
        PredictedClass(),
        PredictedIs("fraud"),
        TrueClass(),
        ScoreBins(15, "mass"),
        Column("region"),
        ClassMap({"oak": "trees"}),
        OfModel("other", ScoreBins(3)),
    ],
    ids=lambda g: type(g).__name__,
)
def test_groupings_survive_json(grouping):
    assert grouping_from_json(grouping_to_json(grouping)) == grouping
