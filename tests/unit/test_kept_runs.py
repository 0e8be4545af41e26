"""Runs of the boards: kept as they were found, gone on with, and of pools cut down to what is asked."""

import numpy as np
import pytest
from benchmarks.f_score_board import against_the_rest
from benchmarks.kept_runs import KeptRuns, packed, unpacked

import fewlabels as fl
from fewlabels.demo import demo_pool


def test_runs_are_kept_and_added_to(tmp_path):
    kept = KeptRuns(tmp_path / "board" / "case.jsonl.xz")
    assert kept.read() == {}
    kept.add({1: [1, None], 0: [3, 4]})
    kept.add({})
    kept.add({2: None})
    assert kept.read() == {0: [3, 4], 1: [1, None], 2: None}
    assert list(kept.read()) == [0, 1, 2]
    assert [path.name for path in kept.path.parent.iterdir()] == ["case.jsonl.xz"]


def test_a_run_that_another_process_has_done_meanwhile_is_kept_once(tmp_path):
    kept = KeptRuns(tmp_path / "case.jsonl.xz")
    kept.add({0: "first"})
    kept.add({0: "again", 1: "new"})
    assert [(line["run"], line["found"]) for line in kept.lines()] == [(0, "first"), (1, "new")]


def test_figures_come_back_to_so_many_digits_and_none_as_none():
    figures = np.array([[0.123456, np.nan], [1.0, -0.5]])
    assert unpacked(packed(figures, 4), 4) == pytest.approx(np.array([[0.1235, np.nan], [1.0, -0.5]]), nan_ok=True)
    assert packed(figures, 2) == [[12, None], [100, -50]]


@pytest.mark.parametrize("strategy", ["doubt", "acis"])
def test_a_class_against_the_rest_is_asked_and_answered_as_among_all_classes(strategy):
    pool, name = demo_pool(), "lost_or_stolen_card"
    truth, found = dict(zip(pool.ids, pool.known_labels, strict=True)), []
    for one in (pool, against_the_rest(pool, name)):
        study = fl.create_study(one, fl.Estimate("f1", positive=name), strategy=strategy, seed=1)
        other = next(label for label in one.classes if label != name)
        items = []
        for _ in range(4):
            queries = study.ask(10)
            items += [query.item for query in queries]
            study.tell({query.item: name if truth[query.item] == name else other for query in queries})
        overall = study.answer().overall
        found.append((items, overall.value, overall.low, overall.high))
    assert found[0] == found[1]
