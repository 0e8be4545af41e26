"""Budgets and goals change, labels are taken back: in the audit trail, and replayed exactly."""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.events import Changed, Query, Withdrawn
from fewlabels.core.history import History
from fewlabels.storages import MemoryStorage

ITEMS = 80
POOL = fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1, 1], ITEMS))
BY_CLASS = fl.Estimate("accuracy", by="predicted_class")


def make(storage: object = None, **more: object) -> fl.Study:
    return fl.create_study(POOL, BY_CLASS, storage=storage, **more)


def label(study: fl.Study, n: int) -> list:
    queries = study.ask(n)
    study.tell({query.item: query.item % 3 for query in queries})
    return [query.item for query in queries]


def evidence_of(history: History) -> dict:
    """The evidence by item, in no order."""
    found = history.evidence()
    columns = (found.cell, found.predicted, found.label, found.score, found.since, found.order.number)
    return {item: tuple(column[row] for column in columns) for row, item in enumerate(found.items)}


def draws_of(history: History) -> list:
    found = history.evidence()
    draws = found.draws
    return sorted(
        (found.items[row], int(n), repr(float(p)))
        for row, n, p in zip(draws.row, draws.round, draws.probability, strict=True)
    )


# -- changes -----------------------------------------------------------------------------------------------------------


def test_a_spent_budget_is_not_final():
    study = make(budget=10)
    label(study, 20)
    assert study.done
    assert study.ask() == []
    study.change(budget=14, by="ann")
    assert not study.done
    assert len(label(study, 20)) == 4
    assert study.progress.reason == "The budget of 14 labels is spent."
    (change,) = (event for event in study.events if isinstance(event, Changed))
    assert (dict(change.settings), change.by) == ({"budget": 14}, "ann")
    assert change.at


def test_none_takes_a_limit_away():
    study = make(budget=10, until=fl.HalfWidth(0.2))
    label(study, 10)
    settings = study.change(budget=None, until=None)
    assert (settings.budget, settings.until) == (None, None)
    assert study.settings == settings
    assert len(study.ask(15)) == 15


def test_another_goal_holds_from_then_on_and_the_answer_says_that_it_was_changed():
    study = make(until=fl.HalfWidth(0.45))
    while not study.done:
        label(study, 5)
    told = len(study.labels)
    study.change(until=fl.HalfWidth(0.05))
    assert not study.done
    notes = " ".join(study.answer().notes)
    assert f"The goal was changed after {told} labels; before, it was every interval at most ±0.45." in notes


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, r"change takes what is to be different"),
        ({"budget": 10}, r"budget is just so already"),
        ({"budget": 0}, r"budget is a whole number"),
        ({"until": 0.05}, r"until|goal"),
        ({"until": fl.Variance(0.01)}, r"Variance|F-score"),
        ({"until": fl.HalfWidth(0.6)}, r"0\.6"),
    ],
)
def test_a_change_that_means_nothing_is_refused_and_nothing_is_recorded(change, words):
    study = make(budget=10)
    before = study.events
    with pytest.raises(fl.FewlabelsError, match=words):
        study.change(**change)
    assert study.events == before
    assert study.settings.budget == 10


def test_a_change_by_one_is_seen_by_all():
    storage = MemoryStorage()
    one, other = make(storage, budget=5), make(storage, budget=5, load_if_exists=True)
    label(one, 5)
    one.change(budget=8)
    assert other.settings.budget == 8
    assert len(label(other, 10)) == 3


def test_a_script_run_again_finds_its_study_though_it_was_changed():
    storage = MemoryStorage()
    make(storage, budget=5).change(budget=8)
    for budget in (5, 8):
        assert make(storage, budget=budget, load_if_exists=True).settings.budget == 8
    with pytest.raises(fl.StudyError, match=r"budget: 8 then, 6 now"):
        make(storage, budget=6, load_if_exists=True)


# -- taken back --------------------------------------------------------------------------------------------------------


def test_a_label_taken_back_is_asked_for_again_in_its_place():
    study = make()
    first, second, third = study.ask(3)
    study.tell({first.item: 0, second.item: 1})
    study.withdraw(first, by="ann")
    assert [query.item for query in study.open_queries] == [first.item, third.item]
    assert study.labels == {second.item: "1"}
    assert study.answer().overall.labels == 1
    study.skip(first, "cannot tell")
    study.withdraw(first)
    study.tell(first, 2)
    assert study.labels == {second.item: "1", first.item: "2"}
    assert [event.by for event in study.events if isinstance(event, Withdrawn)] == ["ann", None]


def test_what_has_no_label_cannot_be_taken_back():
    study = make()
    (query,) = study.ask()
    for item in (query, 79):
        with pytest.raises(fl.LabelError, match="no label and no skip to take back"):
            study.withdraw(item)


def test_labels_from_outside_taken_back_are_free_to_be_drawn():
    """Also those that the keyed order has passed already."""
    study = make(strategy="uniform")
    study.tell(dict.fromkeys(range(0, ITEMS, 2), 0), drawn="uniform")
    label(study, 30)
    for item in range(0, ITEMS, 4):
        study.withdraw(item)
    label(study, ITEMS)
    assert set(study.labels) == set(range(ITEMS))
    assert study.done


def test_a_label_known_before_and_taken_back_is_asked():
    study = make(budget=6)
    study.tell(dict.fromkeys(range(ITEMS), 0), drawn="unknown")
    assert study.ask(3) == []
    item = next(event.item for event in study.events if isinstance(event, Query))
    study.withdraw(item)
    assert [query.item for query in study.open_queries] == [item]
    assert study.spent == 1


@pytest.mark.parametrize("path", range(6))
@pytest.mark.parametrize("of", ["classes", "f1"])
def test_whatever_is_told_taken_back_and_changed_a_replay_is_the_same_and_a_twin_asks_the_same(path, of):
    rng = np.random.default_rng(path)
    question = BY_CLASS if of == "classes" else fl.Estimate("f1", positive="1")
    study, twin = (fl.create_study(POOL, question, seed=path, budget=12) for _ in range(2))
    for _ in range(60):
        match rng.integers(7):
            case 0 | 1:
                act = ("ask", int(rng.integers(1, 4)))
            case 2 | 3 if study.open_queries:
                act = ("tell", rng.choice([query.item for query in study.open_queries]), str(rng.integers(3)))
            case 4 if study.labels:
                act = ("withdraw", rng.choice(list(study.labels)))
            case 5 if study.open_queries:
                act = ("skip", study.open_queries[0].item)
            case _:
                act = ("change", study.settings.budget + int(rng.integers(1, 9)))
        results = []
        for one in (study, twin):
            if act[0] == "change":
                one.change(budget=act[1])
            elif act[0] == "ask":
                results.append([query.item for query in one.ask(act[1])])
            else:
                getattr(one, act[0])(*act[1:])
        assert not results or results[0] == results[1]
    replay = study._fresh()
    for event in study.events:
        replay.apply(event)
    assert evidence_of(replay) == evidence_of(study._history)
    assert draws_of(replay) == draws_of(study._history)
    told_in_order = study._fresh()  # as if nothing had ever been taken back
    taken_back = {e.item for e in study.events if isinstance(e, Withdrawn)}
    for event in study.events:
        if not (hasattr(event, "by") and getattr(event, "item", None) in taken_back):
            told_in_order.apply(event)
    kept = {item: row for item, row in evidence_of(study._history).items() if item not in taken_back}
    assert evidence_of(told_in_order) == kept
    assert replay.taken.tolist() == study._history.taken.tolist()
    assert replay.pending.tolist() == study._history.pending.tolist()
