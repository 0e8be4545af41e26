"""Several writes as one: all are on disk when the block ends, or none."""

import threading
from contextlib import suppress

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.study.telling import Given


@pytest.fixture(params=["memory", "sqlite"])
def study(request, tmp_path):
    pool = fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1, 1], 50))
    storage = None if request.param == "memory" else f"sqlite:///{tmp_path}/s.db"
    return fl.create_study(pool, fl.Estimate("accuracy"), storage=storage)


def test_writes_of_a_block_are_there_when_it_ends_and_not_before(study):
    with study.together():
        one, other = study.ask(2, by="ann")
        study.tell(one, "0", by="ann")
        study.skip(other, by="ann")
        assert study.events_after(0) == []
    assert study.labels == {one.item: "0"}
    kinds = [type(event).__name__ for event in study.events]
    assert [kind for kind in kinds if kind != "Planned"] == ["Query", "Query", "Leased", "Leased", "Told", "Skipped"]


def test_the_same_writes_in_a_block_or_one_by_one_are_the_same_events(study, tmp_path):
    other = fl.create_study(study.pool, fl.Estimate("accuracy"), storage=f"sqlite:///{tmp_path}/other.db")
    with study.together():
        for query in study.ask(3):
            study.tell(query, "1")
        study.ask(2)
    for query in other.ask(3):
        other.tell(query, "1")
    other.ask(2)
    assert study.labels == other.labels
    assert [query.item for query in study.open_queries] == [query.item for query in other.open_queries]


def test_an_error_in_the_block_takes_all_of_it_back(study):
    with suppress(ZeroDivisionError), study.together():
        study.tell(study.ask(1)[0], "0")
        raise ZeroDivisionError
    assert study.events == []
    assert study.labels == {}
    assert len(study.ask(2)) == 2


def test_a_write_that_is_refused_may_be_caught_and_the_others_are_kept(study):
    with study.together():
        (query,) = study.ask(1)
        with pytest.raises(fl.LabelError):
            study.tell(query, "nothing of the kind")
        study.tell(query, "0")
    assert study.labels == {query.item: "0"}


def test_a_write_that_ends_half_way_takes_all_of_the_block_back(study):
    one, other = study.ask(2)

    def block():
        with study.together():
            study.tell(one, "0")
            with suppress(fl.LabelError):
                study.record([Given(other.item, "1"), Given(one.item, "1")])

    with pytest.raises(fl.FewlabelsError, match="half-way"):
        block()
    assert study.labels == {}
    study.tell(other, "2")
    assert study.labels == {other.item: "2"}


def test_a_block_within_a_block_is_part_of_it(study):
    with suppress(ZeroDivisionError), study.together():
        with study.together():
            study.ask(1)
        raise ZeroDivisionError
    assert study.events == []


def test_other_threads_wait_until_the_block_ends(study):
    seen, entered = [], threading.Event()

    def look():
        entered.set()
        seen.append(study.labels)

    thread = threading.Thread(target=look)
    with study.together():
        (query,) = study.ask(1)
        thread.start()
        entered.wait(60)
        study.tell(query, "0")
    thread.join(60)
    assert seen == [{query.item: "0"}]
