"""What an engine keeps: made once, freed with the pool, and never more than there is room for."""

import gc
import pickle
import threading
import weakref
from dataclasses import dataclass

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.groups import PredictedClass, ScoreBins
from fewlabels.core.keyed import item_hashes, item_order
from fewlabels.engines import kept, memory
from fewlabels.engines.kept import FIRST, ByCell, Crossing, Kept, KeyedOrder


def make_pool(items: int = 3000, classes: int = 3) -> fl.Pool:
    rng = np.random.default_rng(0)
    predicted = [f"c{k}" for k in rng.integers(0, classes, items)]
    return fl.Pool.from_arrays(predicted=predicted, score=rng.uniform(size=items))


@dataclass
class Work:
    """How often items were put in order, and how many."""

    times: int = 0
    items: int = 0


@pytest.fixture
def sorting(monkeypatch) -> Work:
    work = Work()

    def counted(seed, hashes):
        work.times += 1
        work.items += len(hashes)
        return item_order(seed, hashes)

    for module in (kept, memory):  # wherever an engine may sort
        if hasattr(module, "item_order"):
            monkeypatch.setattr(module, "item_order", counted)
    return work


def test_twenty_studies_asking_in_turn_sort_twenty_times(sorting):
    pool = make_pool()
    how = {"strategy": "uniform", "estimator": "beta"}
    studies = [fl.create_study(pool, fl.Estimate("accuracy"), seed=s, **how) for s in range(20)]
    for _ in range(30):
        for study in studies:
            study.ask(1)
    assert sorting.times <= 20
    assert sorting.items <= 20 * len(pool)


def test_twenty_studies_of_groups_sort_each_group_once_at_most(sorting):
    pool = make_pool()
    by = fl.Estimate("accuracy", by="predicted_class")
    studies = [fl.create_study(pool, by, seed=s) for s in range(20)]
    for _ in range(30):
        for study in studies:
            study.ask(1)
    assert sorting.items <= 20 * len(pool)


def test_studies_on_twenty_questions_group_the_items_once_for_each(monkeypatch):
    made = []

    class Counted(ByCell):
        @classmethod
        def of(cls, found):
            made.append(len(found.coordinates))
            return ByCell.of(found)

    monkeypatch.setattr(memory, "ByCell", Counted)
    pool = make_pool()
    asked = [fl.Estimate("accuracy", by=fl.ScoreBins(2 + s)) for s in range(20)]
    studies = [fl.create_study(pool, question, estimator="beta") for question in asked]
    for _ in range(5):
        for study in studies:
            study.ask(1)
    assert sorted(made) == list(range(2, 22))


def test_a_pool_nobody_holds_is_freed_with_all_that_was_kept_for_it():
    pool = make_pool()
    study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"))
    study.tell(study.ask(1)[0], "c0")
    study.answer(fl.Estimate("calibration_error"))
    gone = weakref.ref(pool.engine)
    del pool, study
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("axes", [(), (PredictedClass(),), (PredictedClass(), ScoreBins(4))], ids=str)
def test_items_come_in_the_order_a_full_sort_gives_them(axes):
    engine = make_pool(4 * FIRST + 5).engine
    (rows,) = engine.scan("model", axes)
    cell = rows.cell
    order = np.lexsort((item_order(7, engine.hashes), cell))
    for c in range(int(cell.max()) + 1):
        right = order[cell[order] == c].tolist()
        assert [row.item for row in engine.draw("model", axes, 7, c, 0, len(right))] == right
        assert [row.item for p in range(len(right)) for row in engine.draw("model", axes, 7, c, p, 1)] == right
        assert engine.draw("model", axes, 7, c, len(right), 3) == []


def one_cell(items: int) -> ByCell:
    return ByCell.of(Crossing(np.zeros(items, dtype=np.int32), np.zeros((1, 0), dtype=np.int64), ()))


@pytest.mark.parametrize("position", [0, FIRST - 1, FIRST, 4 * FIRST, 40 * FIRST - 1])
def test_items_of_equal_keys_come_as_in_the_pool(position):
    hashes = np.arange(40 * FIRST, dtype=np.uint64) % np.uint64(3)  # ids that share their 64 bits
    whole = np.argsort(item_order(1, hashes), kind="stable")
    by_cell = one_cell(len(hashes))
    assert KeyedOrder(1).items(by_cell, hashes, 0, position, 1) == whole[position]


def test_an_order_holds_no_more_than_a_few_times_what_was_asked_for():
    items = 400 * FIRST
    hashes = item_hashes(str(i) for i in range(items))
    order, by_cell = KeyedOrder(1), one_cell(items)
    for position in range(10):
        order.items(by_cell, hashes, 0, position, 1)
    assert order.nbytes == 4 * FIRST
    order.items(by_cell, hashes, 0, 10 * FIRST, 1)
    assert order.nbytes <= 4 * 4 * (10 * FIRST + 1)


def test_what_was_not_used_for_longest_goes_first():
    room, made = Kept(300), []

    def of(key):
        return room.get(key, lambda: made.append(key) or np.zeros(100, dtype=np.int8))

    for key in "abcadabd":  # d drives out b, since a was used after it; b then drives out c
        of(key)
    assert made == list("abcdb")


def test_a_result_larger_than_all_room_is_kept_until_the_next():
    room, made = Kept(10), []
    for key in "aabb":
        room.get(key, lambda key=key: made.append(key) or np.zeros(100, dtype=np.int8))
    assert made == ["a", "b"]


def test_threads_asking_at_once_get_what_one_alone_would(monkeypatch):
    monkeypatch.setattr(memory, "KEPT_BYTES_AN_ITEM", 5)  # so that they keep driving out one another's orders
    monkeypatch.setattr(memory, "KEPT_BYTES", 0)
    pool, alone = make_pool(), make_pool()
    axes = (PredictedClass(),)

    def items(engine, seed):
        return [row.item for p in range(1500) for row in engine.draw("model", axes, seed, p % 3, p // 3, 1)]

    found: dict[int, list] = {}
    threads = [threading.Thread(target=lambda s=s: found.update({s: items(pool.engine, s)})) for s in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {seed: items(alone.engine, seed) for seed in range(6)}


def test_a_pool_can_be_pickled_after_it_was_asked():
    pool = make_pool(50)
    before = pool.engine.draw("model", (), 3, 0, 0, 5)
    assert pickle.loads(pickle.dumps(pool)).engine.draw("model", (), 3, 0, 0, 5) == before
