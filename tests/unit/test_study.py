"""A study: asking, and telling it labels in all their forms."""

import numpy as np
import pytest

import fewlabels as fl
from card_studies import CLASSES, TRUTH, make_pool, make_study, tell_all, timeless

# -- asking ------------------------------------------------------------------------------------------------------------


def test_ask_always_gives_a_list():
    study = make_study()
    assert len(study.ask()) == 1
    assert study.ask(0) == []
    assert len(study.ask(3)) == 3


@pytest.mark.parametrize("strategy", ["auto", "uniform", "uniform_groups", "thompson", "epsilon_greedy", "upper_bound"])
@pytest.mark.parametrize("sizes", [[60], [1] * 60, [7, 50, 2, 9]])
def test_no_item_is_asked_twice_and_none_is_left_out(strategy, sizes):
    study = make_study(strategy=strategy)
    asked = [query.item for n in sizes for query in study.ask(n)]
    assert sorted(asked) == sorted(TRUTH)
    assert study.ask(5) == []


def test_a_query_tells_what_a_labeller_needs():
    query = make_study().ask()[0]
    number = int(query.item.removeprefix("i"))
    assert query.payload == {"text": f"text {number}"}
    assert query.group == query.predicted
    assert query.number == 1
    assert 1 / 3 <= query.score <= 1


def test_open_queries_are_listed_oldest_first_and_not_asked_again():
    study = make_study()
    first, second, third = study.ask(3)
    assert study.open_queries == [first, second, third]
    study.tell(second, "refund")
    study.skip(first)
    assert study.open_queries == [third]
    later = {query.item for query in study.ask(30)}
    assert not later & {first.item, second.item, third.item}


def test_the_same_seed_asks_the_same_and_another_does_not():
    def asked(seed):
        study = make_study(seed=seed)
        found = []
        for _ in range(6):
            queries = study.ask(3)
            tell_all(study, queries)
            found += [query.item for query in queries]
        return found

    assert asked(1) == asked(1)
    assert asked(1) != asked(2)


@pytest.mark.parametrize("n", [-1, 1.5, "3", None])
def test_a_number_of_queries_is_a_whole_number(n):
    with pytest.raises(fl.FewlabelsError, match=r"whole number|at least"):
        make_study().ask(n)


def test_a_number_of_queries_may_come_from_numpy():
    assert len(make_study().ask(np.int64(2))) == 2


def test_uniform_queries_know_their_probability():
    study = make_study(strategy="uniform")
    for n, query in enumerate(study.ask(5)):
        assert query.design == "uniform"
        assert query.probability == pytest.approx(1 / (60 - n))


def test_a_comparison_asks_only_about_its_two_groups():
    question = fl.Compare("accuracy", by="predicted_class", a="refund", b="lost_card")
    study = make_study(question)
    asked = study.ask(100)
    assert {query.group for query in asked} == {"refund", "lost_card"}
    tell_all(study, asked)
    assert study.done
    assert "labelled" in study.progress.reason


def test_several_plays_ask_distinct_groups_in_each_round():
    study = make_study(fl.Identify("accuracy", by="predicted_class", top=2), strategy="thompson")
    queries = study.ask(20)
    rounds = {}
    for query in queries:
        rounds.setdefault(query.round, []).append(query.group)
    assert all(len(set(groups)) == len(groups) == 2 for groups in rounds.values())


def test_a_round_interrupted_between_two_asks_is_finished_first():
    question = fl.Identify("accuracy", by="predicted_class", top=2)
    together, apart = (make_study(question, strategy="thompson") for _ in range(2))
    one = together.ask(7)
    two = [query for _ in range(7) for query in apart.ask(1)]
    assert timeless(one) == timeless(two)


# -- telling -----------------------------------------------------------------------------------------------------------


def test_a_query_an_item_or_many_can_be_told():
    study = make_study()
    a, b, c, d = study.ask(4)
    study.tell(a, "refund")
    study.tell(b.item, "refund", by="ann")
    study.tell({c.item: "lost_card", d.item: "refund"})
    expected = {a.item: "refund", b.item: "refund", c.item: "lost_card", d.item: "refund"}
    assert study.labels == expected
    assert study.answer().overall.labels == 4
    assert [event.by for event in study.events[-4:]] == [None, "ann", None, None]


def test_queries_can_be_the_keys_of_what_is_told():
    study = make_study()
    queries = study.ask(2)
    study.tell(dict.fromkeys(queries, "refund"))
    assert set(study.labels) == {query.item for query in queries}


def test_telling_the_same_again_changes_nothing():
    study = make_study()
    query = study.ask()[0]
    study.tell(query, "refund")
    before = study.events
    study.tell(query, "refund")
    study.tell({query.item: "refund"})
    assert study.events == before


def test_telling_nothing_changes_nothing():
    study = make_study()
    study.tell({})
    assert study.events == []


@pytest.mark.parametrize("label", ["refund", np.str_("refund"), np.array(["refund"])[0]])
def test_labels_may_come_from_numpy(label):
    study = make_study()
    study.tell(study.ask()[0], label)
    assert list(study.labels.values()) == ["refund"]
    assert all(type(value) is str for value in study.labels.values())


@pytest.mark.parametrize(
    ("label", "name"),
    [
        (True, "fraud"),
        (False, "not fraud"),
        (1, "fraud"),
        (0, "not fraud"),
        (np.True_, "fraud"),
        (np.int64(0), "not fraud"),
        (np.uint8(1), "fraud"),
        (np.float64(1.0), "fraud"),
        (0.0, "not fraud"),
        ("1", "fraud"),
        ("fraud", "fraud"),
        ("not fraud", "not fraud"),
    ],
)
def test_a_pool_of_one_positive_class_understands_yes_and_no(label, name):
    pool = fl.Pool.from_arrays(positive_score=[0.2, 0.7], positive="fraud")
    study = make_study(fl.Estimate("accuracy"), pool)
    study.tell(study.ask()[0], label)
    assert list(study.labels.values()) == [name]


@pytest.mark.parametrize("label", [0, np.int64(2), "1"])
def test_numbered_classes_are_told_by_number(label):
    pool = fl.Pool.from_arrays(probabilities=[[0.2, 0.3, 0.5], [0.5, 0.25, 0.25]])
    study = make_study(fl.Estimate("accuracy"), pool)
    study.tell(study.ask()[0], label)
    assert list(study.labels.values()) == [str(label)]


def test_a_number_is_no_index_where_classes_are_called_by_numbers():
    """Ratings from 1 to 3: a 0 is a slip, not the first class."""
    pool = fl.Pool.from_arrays(probabilities=[[0.2, 0.3, 0.5]], classes=[1, 2, 3])
    study = make_study(fl.Estimate("accuracy"), pool)
    query = study.ask()[0]
    with pytest.raises(fl.LabelError, match="0"):
        study.tell(query, 0)
    study.tell(query, 1)
    assert list(study.labels.values()) == ["1"]


def test_whole_number_items_are_told_by_number_or_its_text():
    pool = fl.Pool.from_arrays(probabilities=[[0.2, 0.8], [0.5, 0.5], [0.6, 0.4]], ids=[10, 20, 30])
    study = make_study(fl.Estimate("accuracy"), pool)
    study.ask(3)
    study.tell(np.int64(10), 0)
    study.tell("20", 1)
    study.tell({30: 1})
    assert study.labels == {10: "0", 20: "1", 30: "1"}


@pytest.mark.parametrize("item", [10.7, "abc", None, True])
def test_an_item_that_is_no_whole_number_is_not_rounded_to_one(item):
    pool = fl.Pool.from_arrays(probabilities=[[0.2, 0.8], [0.5, 0.5]], ids=[10, 1])
    study = make_study(fl.Estimate("accuracy"), pool)
    study.ask(2)
    with pytest.raises(fl.LabelError, match=str(item)):
        study.tell(item, 0)
    assert study.labels == {}


def test_a_true_class_no_model_predicts_is_always_wrong():
    pool = make_pool(other_labels=["oos", "spam"])
    study = make_study(fl.Estimate("accuracy"), pool, estimator="frequency")
    study.tell({query.item: ("oos", "spam")[n % 2] for n, query in enumerate(study.ask(60))})
    assert study.answer().overall.value == 0
    assert study.classes == (*CLASSES, "oos", "spam")
