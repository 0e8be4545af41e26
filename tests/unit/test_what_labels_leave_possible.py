"""Intervals and ranks hold what the labels leave possible, and nothing that they rule out."""

from typing import Any

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.reading.proven_groups import _Drawn

REGIONS = ("isle", "north", "south")


def pool_of(items: int = 900, isle: int = 30) -> tuple[fl.Pool, dict[int, str]]:
    """Two classes, a small region that is often wrong, and two large ones that seldom are."""
    rng = np.random.default_rng(5)
    region = np.where(np.arange(items) < isle, "isle", np.where(rng.random(items) < 0.5, "north", "south"))
    right = rng.random(items) < np.where(region == "isle", 0.4, 0.9)
    predicted = rng.choice(["a", "b"], items)
    true = np.where(right, predicted, np.where(predicted == "a", "b", "a"))
    pool = fl.Pool.from_arrays(predicted=predicted, score=rng.uniform(0.6, 1, items), columns={"region": region})
    return pool, dict(zip(pool.ids, true.tolist(), strict=True))


@pytest.mark.parametrize("more", [{}, {"anytime": True}], ids=["one look", "every look"])
def test_an_interval_of_a_group_with_one_open_item_has_the_two_values_it_may_have(more: dict[str, Any]) -> None:
    pool, truth = pool_of()
    study = fl.create_study(pool, fl.Estimate("accuracy", by="region"), strategy="uniform", seed=1)
    told = {item: truth[item] for item in pool.ids if item != 29}
    study.tell(told, drawn="uniform")
    predicted = dict(zip(pool.ids, np.array(pool.classes)[pool.engine.models["model"].predicted], strict=True))
    hits = sum(truth[item] == predicted[item] for item in range(29))
    found = study.answer(**more)["isle"]
    assert found.left == 1
    assert hits / 30 - 1e-9 <= found.low
    assert found.high <= (hits + 1) / 30 + 1e-9


def test_of_a_study_that_compares_two_groups_nothing_is_said_of_the_whole_pool_without_a_model() -> None:
    pool, truth = pool_of()
    study = fl.create_study(pool, fl.Compare("accuracy", by="region", a="isle", b="north"), seed=1)
    for _ in range(6):
        study.tell({query.item: truth[query.item] for query in study.ask(10)})
    for question in (None, fl.Estimate("accuracy", by="region"), fl.Estimate("accuracy")):
        answer = study.answer(question)
        assert answer.overall is None or answer.overall.by_design is None
        assert not any("The model is wrong" in note for note in answer.notes)


def test_how_sure_it_is_of_one_group_allows_for_skipped_items_where_ranks_are_exact_too() -> None:
    rng = np.random.default_rng(1)
    predicted = np.repeat(["a", "b", "c"], 300)
    pool = fl.Pool.from_arrays(predicted=predicted, score=np.full(900, 0.8), classes=["a", "b", "c"])
    wrong = {item: rng.random() < {"a": 0.5, "b": 0.1, "c": 0.05}[predicted[item]] for item in range(900)}
    chances = []
    for skips in ("worst", "ignorable"):
        question = fl.Identify("accuracy", by="predicted_class", within=0)
        how: dict[str, Any] = {"strategy": "uniform", "estimator": "beta", "target": "population", "skips": skips}
        study = fl.create_study(pool, question, seed=2, **how)
        for query in study.ask(90):
            if predicted[query.item] == "b" and query.number % 2:
                study.skip(query)
            else:
                study.tell(query, "abc"[("abc".index(query.predicted) + wrong[query.item]) % 3])
        chances.append(study.answer().probability)
    assert chances[0] < chances[1] - 0.05


def test_what_a_proof_stakes_does_not_depend_on_which_items_of_a_batch_are_skipped() -> None:
    """Else whoever skips could look at the whole batch first, and the bets would not be fair."""
    pool, truth = pool_of()
    question = fl.Identify("accuracy", by="region", proven=True)
    staked = []
    for skipped in ((), (2, 3, 7), (0, 9, 11)):
        study = fl.create_study(pool, question, seed=4)
        study.tell({query.item: truth[query.item] for query in study.ask(12)})
        for place, query in enumerate(study.ask(12)):
            study.skip(query) if place in skipped else study.tell(query, truth[query.item])
        known = study._known()
        draws = list(_Drawn(known.terms.assessment, known.evidence).draws())
        staked.append([(d.group, d.lowest.spread, d.lowest.asked_low, d.highest.asked_high) for d in draws])
        assert all(d.lowest.asked_low <= d.lowest.x + 1e-12 for d in draws)
        assert all(d.highest.x <= d.highest.asked_high + 1e-12 for d in draws)
    np.testing.assert_allclose(staked[1], staked[0])
    np.testing.assert_allclose(staked[2], staked[0])
