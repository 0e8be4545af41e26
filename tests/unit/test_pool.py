"""Pools from arrays, scikit-learn and other pools; and what is said about arrays that are no pool."""

import numpy as np
import pytest

import fewlabels as fl

PROBABILITIES = np.array([[0.7, 0.2, 0.1], [0.25, 0.25, 0.5], [0.1, 0.8, 0.1], [0.6, 0.3, 0.1]])
CLASSES = ["cat", "dog", "owl"]
IDS = ["a", "b", "c", "d"]


def said(pool: fl.Pool, model: str = "model") -> list[tuple]:
    """What the pool holds of each item: id, predicted class, score, payload."""
    rows = pool.engine.find(model, (), pool.engine.ids.tolist())
    return [(r.item, r.predicted, round(r.score, 6), dict(r.payload)) for r in rows]


# -- the forms model outputs come in -----------------------------------------------------------------------------------


def test_a_table_of_probabilities_gives_the_top_class_and_its_score():
    pool = fl.Pool.from_arrays(probabilities=PROBABILITIES, ids=IDS, classes=CLASSES)
    assert said(pool) == [("a", "cat", 0.7, {}), ("b", "owl", 0.5, {}), ("c", "dog", 0.8, {}), ("d", "cat", 0.6, {})]
    assert pool.classes == ("cat", "dog", "owl")
    assert len(pool) == 4
    assert pool.engine.full_probabilities


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_probabilities_of_any_float_type_are_taken(kind):
    pool = fl.Pool.from_arrays(probabilities=PROBABILITIES.astype(kind), classes=CLASSES)
    assert [row[1] for row in said(pool)] == ["cat", "owl", "dog", "cat"]


def test_one_hot_rows_of_whole_numbers_are_probabilities():
    pool = fl.Pool.from_arrays(probabilities=[[1, 0], [0, 1]])
    assert [(row[1], row[2]) for row in said(pool)] == [("0", 1.0), ("1", 1.0)]


def test_without_class_names_classes_are_numbered():
    assert fl.Pool.from_arrays(probabilities=PROBABILITIES).classes == ("0", "1", "2")


def test_the_first_of_two_equal_probabilities_is_predicted():
    assert said(fl.Pool.from_arrays(probabilities=[[0.5, 0.5]], classes=["x", "y"]))[0][1] == "x"


def test_predicted_names_and_scores_make_a_pool():
    pool = fl.Pool.from_arrays(predicted=["dog", "cat", "dog"], score=[0.9, 0.4, 1.0])
    assert pool.classes == ("cat", "dog")
    assert [(row[1], row[2]) for row in said(pool)] == [("dog", 0.9), ("cat", 0.4), ("dog", 1.0)]
    assert not pool.engine.full_probabilities


def test_predicted_numbers_index_the_class_names():
    pool = fl.Pool.from_arrays(predicted=np.array([2, 0], dtype=np.uint8), score=[0.9, 0.4], classes=CLASSES)
    assert [row[1] for row in said(pool)] == ["owl", "cat"]


def test_predicted_numbers_without_class_names_name_themselves_and_no_others():
    assert fl.Pool.from_arrays(predicted=[10, 0, 9], score=[0.9, 0.4, 0.5]).classes == ("0", "9", "10")
    assert fl.Pool.from_arrays(predicted=[90210, 10001], score=[0.9, 0.4]).classes == ("10001", "90210")
    assert fl.Pool.from_arrays(predicted=[2_000_000_000, 1], score=[0.9, 0.4]).classes == ("1", "2000000000")


def test_predicted_numbers_that_are_class_names_are_names():
    pool = fl.Pool.from_arrays(predicted=[10, 20], score=[0.9, 0.4], classes=[20, 10])
    assert [row[1] for row in said(pool)] == ["10", "20"]


def test_a_positive_score_at_the_threshold_is_positive():
    pool = fl.Pool.from_arrays(positive_score=[0.29, 0.3, 0.9], threshold=0.3, positive="fraud")
    assert [(row[1], row[2]) for row in said(pool)] == [("not fraud", 0.71), ("fraud", 0.3), ("fraud", 0.9)]
    assert pool.positive == "fraud"
    assert pool.classes == ("not fraud", "fraud")


def test_both_classes_of_a_positive_score_can_be_named():
    pool = fl.Pool.from_arrays(positive_score=[0.2, 0.9], positive="fraud", classes=["fraud", "fine"])
    assert [row[1] for row in said(pool)] == ["fine", "fraud"]
    assert pool.classes == ("fraud", "fine")


def test_independent_sigmoids_are_taken_when_said_to_be_so():
    pool = fl.Pool.from_arrays(probabilities=[[0.9, 0.8], [0.1, 0.2]], probabilities_are="independent")
    assert [(row[1], row[2]) for row in said(pool)] == [("0", 0.9), ("1", 0.2)]


def test_rounding_within_the_tolerance_is_clipped_not_refused():
    pool = fl.Pool.from_arrays(probabilities=[[1.0000004, -0.0000004], [0.5004, 0.5]])
    assert said(pool)[0][2] == 1.0


def test_the_score_of_a_predicted_class_never_leaves_the_unit_interval():
    assert said(fl.Pool.from_arrays(predicted=["a"], score=[1 + 5e-7]))[0][2] == 1.0


# -- ids, columns, payload ---------------------------------------------------------------------------------------------


def test_without_ids_items_are_numbered_from_zero():
    pool = fl.Pool.from_arrays(probabilities=PROBABILITIES)
    assert [row[0] for row in said(pool)] == [0, 1, 2, 3]
    assert pool.engine.whole_ids


@pytest.mark.parametrize("ids", [[7, 3, 9, 1], np.array([7, 3, 9, 1], dtype=np.int32), np.array([7, 3, 9, 1])])
def test_whole_numbers_stay_whole_numbers(ids):
    items = [row[0] for row in said(fl.Pool.from_arrays(probabilities=PROBABILITIES, ids=ids))]
    assert items == [7, 3, 9, 1]
    assert all(type(item) is int for item in items)


@pytest.mark.parametrize("ids", [IDS, np.array(IDS), np.array(IDS, dtype=object), tuple(IDS)])
def test_text_ids_stay_text(ids):
    items = [row[0] for row in said(fl.Pool.from_arrays(probabilities=PROBABILITIES, ids=ids))]
    assert items == IDS
    assert all(type(item) is str for item in items)


def test_ids_with_leading_zeros_are_not_numbers():
    pool = fl.Pool.from_arrays(probabilities=PROBABILITIES[:2], ids=["007", "07"])
    assert [row[0] for row in said(pool)] == ["007", "07"]


def test_ids_of_sixty_four_unsigned_bits_can_be_asked_and_told():
    pool = fl.Pool.from_arrays(probabilities=PROBABILITIES[:2], ids=np.array([2**63 + 1, 2**64 - 1], dtype=np.uint64))
    study = fl.create_study(pool, fl.Estimate("accuracy"))
    for query in study.ask(2):
        study.tell(query, "0")
    assert sorted(int(item) for item in study.labels) == [2**63 + 1, 2**64 - 1]


def test_missing_attributes_are_a_group_of_their_own():
    pool = fl.Pool.from_arrays(
        probabilities=PROBABILITIES, columns={"region": ["N", None, float("nan"), "S"], "age": [1, 2, None, 1]}
    )
    groups = fl.create_study(pool, fl.Estimate("accuracy", by="region")).answer().findings
    assert {f.group: f.weight for f in groups} == {"(missing)": 0.5, "N": 0.25, "S": 0.25}
    ages = fl.create_study(pool, fl.Estimate("accuracy", by="age")).answer().findings
    assert {f.group: f.weight for f in ages} == {"(missing)": 0.25, "1": 0.5, "2": 0.25}


def test_missing_values_of_pandas_columns_are_a_group_of_their_own():
    pd = pytest.importorskip("pandas")
    columns = {
        "text": pd.Series(["N", None, "S", "S"]),
        "category": pd.Series(pd.Categorical(["N", None, "S", "S"])),
        "string": pd.array(["N", None, "S", "S"], dtype="string"),
        "flag": pd.array([True, None, False, False], dtype="boolean"),
        "day": pd.Series(pd.to_datetime(["2024-01-01", None, "2024-01-02", "2024-01-02"])),
        "number": pd.array([1, None, 2, 2], dtype="Int64"),
    }
    pool = fl.Pool.from_arrays(probabilities=PROBABILITIES, columns=columns)
    for name in columns:
        found = fl.create_study(pool, fl.Estimate("accuracy", by=name)).answer().findings
        assert {f.group: f.weight for f in found}.get("(missing)") == 0.25, name
        assert len(found) == 3, name


def test_payload_reaches_the_labeller_unchanged():
    texts = ["one", "two", "three", "four"]
    pool = fl.Pool.from_arrays(probabilities=PROBABILITIES, ids=IDS, payload={"text": texts, "url": np.array(texts)})
    for query in fl.create_study(pool, fl.Estimate("accuracy")).ask(4):
        assert query.payload == {"text": texts[IDS.index(query.item)], "url": texts[IDS.index(query.item)]}


def test_known_labels_are_kept_for_simulation_by_name_or_number():
    by_number = fl.Pool.from_arrays(probabilities=PROBABILITIES, classes=CLASSES, labels=np.array([0, 1, 1, 2]))
    by_name = fl.Pool.from_arrays(probabilities=PROBABILITIES, classes=CLASSES, labels=["cat", "dog", "dog", "owl"])
    assert by_number.known_labels.tolist() == by_name.known_labels.tolist() == ["cat", "dog", "dog", "owl"]


def test_a_known_label_of_one_is_the_positive_class_as_it_is_when_told():
    pool = fl.Pool.from_arrays(positive_score=[0.9, 0.2], positive="fraud", classes=["fraud", "fine"], labels=[1, 0])
    assert pool.known_labels.tolist() == ["fraud", "fine"]


def test_a_study_never_reads_the_known_labels():
    one, two = (fl.Pool.from_arrays(probabilities=PROBABILITIES, labels=labels) for labels in ([0] * 4, [2] * 4))
    answers = [str(fl.create_study(pool, fl.Estimate("accuracy")).answer()) for pool in (one, two)]
    assert answers[0] == answers[1]


def test_a_pool_shows_its_size_and_models():
    assert repr(fl.Pool.from_arrays(probabilities=PROBABILITIES)) == "<Pool: 4 items, 3 classes>"


# -- scikit-learn ------------------------------------------------------------------------------------------------------


def test_a_fitted_classifier_makes_a_pool():
    linear = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.array(["no", "yes"])[(X[:, 0] > 0).astype(int)]
    model = linear.LogisticRegression().fit(X, y)
    pool = fl.Pool.from_sklearn(model, X, ids=[f"x{i}" for i in range(60)])
    assert pool.classes == ("no", "yes")
    assert [row[1] for row in said(pool)] == model.predict(X).tolist()
    np.testing.assert_allclose([row[2] for row in said(pool)], model.predict_proba(X).max(axis=1), atol=1e-6)


def test_a_classifier_without_probabilities_is_refused_with_advice():
    svm = pytest.importorskip("sklearn.svm")
    with pytest.raises(fl.PoolError, match=r"LinearSVC has no predict_proba.*predicted= and score="):
        fl.Pool.from_sklearn(svm.LinearSVC(), [[0.0]])


# -- several models ----------------------------------------------------------------------------------------------------


def test_joined_models_may_list_items_and_classes_in_another_order():
    one = fl.Pool.from_arrays(probabilities=PROBABILITIES, ids=IDS, classes=CLASSES, columns={"r": [1, 2, 3, 4]})
    order, swap = [3, 1, 0, 2], [2, 0, 1]
    two = fl.Pool.from_arrays(
        probabilities=PROBABILITIES[order][:, swap],
        ids=[IDS[i] for i in order],
        classes=[CLASSES[j] for j in swap],
        columns={"q": ["d", "b", "a", "c"]},
        payload={"text": ["D", "B", "A", "C"]},
    )
    pool = fl.Pool.join({"one": one, "two": two})
    assert pool.models == ("one", "two")
    assert [row[:3] for row in said(pool, "one")] == [row[:3] for row in said(pool, "two")]
    assert [row[3]["text"] for row in said(pool, "one")] == ["A", "B", "C", "D"]
    assert pool.engine.columns["q"].tolist() == IDS
    np.testing.assert_array_equal(
        pool.engine.models["two"].probabilities, pool.engine.models["one"].probabilities, strict=True
    )


def test_joined_models_may_come_in_different_forms():
    one = fl.Pool.from_arrays(probabilities=PROBABILITIES, classes=CLASSES)
    two = fl.Pool.from_arrays(predicted=["owl"] * 4, score=[0.5] * 4, classes=CLASSES)
    pool = fl.Pool.join({"one": one, "two": two})
    assert not pool.engine.full_probabilities
    assert {row[1] for row in said(pool, "two")} == {"owl"}


def test_other_labels_of_any_joined_pool_can_be_told():
    one = fl.Pool.from_arrays(probabilities=PROBABILITIES, classes=CLASSES)
    two = fl.Pool.from_arrays(probabilities=PROBABILITIES, classes=CLASSES, other_labels=["oos"])
    assert fl.Pool.join({"one": one, "two": two}).true_classes == ("cat", "dog", "owl", "oos")


def test_known_labels_of_any_joined_pool_are_kept():
    one = fl.Pool.from_arrays(probabilities=PROBABILITIES, ids=IDS)
    two = fl.Pool.from_arrays(probabilities=PROBABILITIES[::-1], ids=IDS[::-1], labels=[0, 1, 2, 0])
    assert fl.Pool.join({"one": one, "two": two}).known_labels.tolist() == ["0", "2", "1", "0"]


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"ids": ["a", "b", "c", "z"]}, ["'one'", "'two'", "'d' is missing"]),
        ({"classes": ["cat", "dog", "elk"]}, ["'one'", "'two'", "'elk'", "classes="]),
        ({"ids": IDS[:3], "probabilities": PROBABILITIES[:3]}, ["4 items", "(3)", "'d'"]),
        ({"ids": [*IDS, "e"], "probabilities": PROBABILITIES[[0, 1, 2, 3, 3]]}, ["4 items", "(5)"]),
    ],
)
def test_models_over_other_items_or_classes_are_not_joined(other, words):
    one = {"probabilities": PROBABILITIES, "ids": IDS, "classes": CLASSES}
    pools = {"one": fl.Pool.from_arrays(**one), "two": fl.Pool.from_arrays(**{**one, **other})}
    with pytest.raises(fl.PoolError) as caught:
        fl.Pool.join(pools)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_joining_nothing_says_what_to_pass():
    with pytest.raises(fl.PoolError, match=r"no pools.*\{model name: pool"):
        fl.Pool.join({})


def test_a_pool_of_several_models_needs_one_named_for_a_study():
    one = fl.Pool.from_arrays(probabilities=PROBABILITIES)
    pool = fl.Pool.join({"one": one, "two": one})
    with pytest.raises(fl.QuestionError, match=r"several models.*model=.*one, two"):
        fl.create_study(pool, fl.Estimate("accuracy"))
    with pytest.raises(fl.QuestionError, match=r"no model 'three'.*one, two"):
        fl.create_study(pool, fl.Estimate("accuracy"), model="three")


# -- what is no pool ---------------------------------------------------------------------------------------------------

NAN = float("nan")
BAD_ARRAYS = {
    "a missing probability": (
        {"probabilities": [[0.5, 0.5], [NAN, 1.0]], "ids": ["a", "b"]},
        ["'b'", "row 1", "nan", "column 0", "leave the item out"],
    ),
    "a negative probability": ({"probabilities": [[0.5, 0.5], [-0.4, 1.4]]}, ["row 1", "-0.4", "[0, 1]", "logits"]),
    "logits": ({"probabilities": [[0.5, 0.5], [2.5, -1.5]], "ids": [5, 6]}, ["item 6", "2.5", "logits", "softmax"]),
    "sigmoids": (
        {"probabilities": [[0.5, 0.5], [0.9, 0.8]], "ids": ["a", "b"]},
        ["'b'", "1.7", "1 of 2", 'probabilities_are="independent"'],
    ),
    "rows summing to less than one": ({"probabilities": [[0.2, 0.2]]}, ["row 0", "0.4", "sum to one"]),
    "an unknown kind of probabilities": (
        {"probabilities": [[0.5, 0.5]], "probabilities_are": "sigmoid"},
        ["'exclusive'", "'independent'", "'sigmoid'"],
    ),
    "one column of probabilities": ({"probabilities": [[0.5], [0.2]]}, ["(2, 1)", "positive_score="]),
    "a flat list of probabilities": ({"probabilities": [0.5, 0.2]}, ["(2,)", "positive_score="]),
    "a number as probabilities": ({"probabilities": 3}, ["array", "got 3"]),
    "rows of several lengths": ({"probabilities": [[0.5, 0.5], [1.0]]}, ["one length"]),
    "text for probabilities": ({"probabilities": [["high", "low"]]}, ["numbers", "'high'"]),
    "a missing score": (
        {"predicted": ["x", "y"], "score": [0.4, NAN], "ids": ["a", "b"]},
        ["'b'", "nan", "leave the item out"],
    ),
    "a score above one": ({"predicted": ["x", "y"], "score": [0.4, 1.3]}, ["row 1", "1.3", "[0, 1]", "logits"]),
    "a negative score": ({"predicted": ["x", "y"], "score": [-0.1, 0.3]}, ["row 0", "-0.1", "[0, 1]"]),
    "text for a score": ({"predicted": ["x", "y"], "score": ["high", "low"]}, ["score", "numbers", "'high'"]),
    "a prediction without score": ({"predicted": ["x"]}, ["needs score", "pass both"]),
    "a missing prediction": ({"predicted": ["x", None], "score": [0.4, 0.5]}, ["row 1", "no predicted class"]),
    "a prediction among no classes": (
        {"predicted": ["x", "z"], "score": [0.4, 0.5], "classes": ["x", "y"], "ids": ["a", "b"]},
        ["'b'", "'z'", "x, y", "classes="],
    ),
    "a predicted number beyond the classes": (
        {"predicted": [0, 5], "score": [0.4, 0.5], "classes": ["x", "y"]},
        ["row 1", "5", "2 classes"],
    ),
    "a negative predicted number": ({"predicted": [0, -1], "score": [0.4, 0.5]}, ["-1", "from 0"]),
    "a missing positive score": ({"positive_score": [0.4, NAN], "positive": "p"}, ["row 1", "nan"]),
    "a positive score without a name": ({"positive_score": [0.4]}, ["positive="]),
    "a positive class that is no class": (
        {"positive_score": [0.4], "positive": "p", "classes": ["x", "y"]},
        ["'p'", "'x'", "two classes"],
    ),
    "a threshold that is no score": (
        {"positive_score": [0.4], "positive": "p", "threshold": 50},
        ["threshold", "[0, 1]", "50"],
    ),
    "an id given twice": (
        {"probabilities": PROBABILITIES, "ids": ["a", "b", "c", "b"]},
        ["'b'", "2 times", "rows 1 and 3", "unique"],
    ),
    "a number given twice as id": ({"probabilities": PROBABILITIES, "ids": [5, 6, 7, 5]}, ["id 5 ", "rows 0 and 3"]),
    "a missing id": ({"probabilities": PROBABILITIES, "ids": ["a", None, "c", "d"]}, ["row 1", "no id"]),
    "an empty id": ({"probabilities": PROBABILITIES, "ids": ["a", "b", "", "d"]}, ["row 2", "no id"]),
    "a missing number as id": ({"probabilities": PROBABILITIES, "ids": [1.0, NAN, 3.0, 4.0]}, ["row 1", "no id"]),
    "too few ids": ({"probabilities": PROBABILITIES, "ids": ["a"]}, ["ids", "1", "4 items"]),
    "too few scores": ({"predicted": ["x", "y"], "score": [0.4]}, ["score", "1", "2 items"]),
    "a short column": ({"probabilities": PROBABILITIES, "columns": {"region": ["N"]}}, ["region", "1", "4 items"]),
    "a short payload": ({"probabilities": PROBABILITIES, "payload": {"text": ["N"]}}, ["text", "1", "4 items"]),
    "too few labels": ({"probabilities": PROBABILITIES, "labels": [0]}, ["labels", "1", "4 items"]),
    "too few class names": ({"probabilities": PROBABILITIES, "classes": ["x", "y"]}, ["2 names", "3 columns"]),
    "a class named twice": ({"probabilities": PROBABILITIES, "classes": ["x", "y", "x"]}, ["'x'", "twice"]),
    "an other label that is predicted": (
        {"probabilities": PROBABILITIES, "classes": CLASSES, "other_labels": ["dog"]},
        ["'dog'", "other_labels"],
    ),
    "no items": ({"probabilities": np.zeros((0, 3))}, ["empty", "at least one"]),
    "no predictions": ({"predicted": [], "score": []}, ["empty", "at least one"]),
    "nothing at all": ({}, ["probabilities", "predicted with score", "positive_score"]),
    "two forms at once": (
        {"probabilities": PROBABILITIES, "predicted": ["x"] * 4, "score": [0.5] * 4},
        ["exactly one", "Got 2"],
    ),
}


@pytest.mark.parametrize(("arguments", "words"), BAD_ARRAYS.values(), ids=BAD_ARRAYS.keys())
def test_bad_arrays_are_refused_with_the_value_and_what_to_do(arguments, words):
    with pytest.raises(fl.PoolError) as caught:
        fl.Pool.from_arrays(**arguments)
    message = str(caught.value)
    assert all(word in message for word in words), message
    assert message.rstrip()[-1] in ".?)"
    assert "np." not in message


def test_one_text_for_other_labels_is_one_label():
    pool = fl.Pool.from_arrays(probabilities=PROBABILITIES, classes=CLASSES, other_labels="other")
    assert pool.other_labels == ("other",)


def test_every_error_is_a_fewlabels_error_and_a_plain_one():
    assert issubclass(fl.PoolError, fl.FewlabelsError)
    assert issubclass(fl.PoolError, ValueError)
    assert issubclass(fl.QuestionError, ValueError)
    assert issubclass(fl.LabelError, ValueError)
    assert issubclass(fl.StudyError, RuntimeError)
    assert issubclass(fl.MissingExtraError, ImportError)
