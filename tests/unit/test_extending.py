"""A pool that grows: what was asked stays as it was, parts are never mixed, and what cannot be honest is refused."""

from dataclasses import replace

import numpy as np
import pytest

import fewlabels as fl
from card_studies import BY_CLASS, CLASSES, POOL, TRUTH, make_study, tell_all, timeless
from fewlabels.core import kept_fold
from fewlabels.core.by_design import Shares, together
from fewlabels.core.events import Extended
from fewlabels.core.joined import joined, part_of
from fewlabels.engines import GrownEngine
from fewlabels.reporting.receipt import receipt_of
from fewlabels.storages import MemoryStorage
from fewlabels.verification import verify

pytestmark = pytest.mark.usefixtures("fewer_draws")  # what replays does so with as many draws or fewer

REGIONS = ("S", "W")  # "W" is new


def more_items(items: int = 40, start: int = 100, seed: int = 8, **more) -> fl.Pool:
    made = {
        "probabilities": np.random.default_rng(seed).dirichlet([2, 1, 1], items),
        "ids": [f"i{n}" for n in range(start, start + items)],
        "classes": CLASSES,
        "columns": {"region": [REGIONS[n % 2] for n in range(items)]},
        "payload": {"text": [f"text {n}" for n in range(start, start + items)]},
    }
    return fl.Pool.from_arrays(**{**made, **more})


MORE = more_items()
ALL = {**TRUTH, **{f"i{n}": CLASSES[c] for n, c in enumerate(np.random.default_rng(5).integers(0, 3, 40), start=100)}}


def extended(question: object = BY_CLASS, before: int = 15, after: int = 25, **more) -> fl.Study:
    study = make_study(question, **more)
    tell_all(study, study.ask(before))
    study.extend(MORE, by="ann")
    tell_all(study, study.ask(after), ALL)
    return study


# -- cells -----------------------------------------------------------------------------------------------------------


def test_cells_of_parts_stand_side_by_side_and_those_of_the_first_keep_their_places():
    axes = fl.Estimate("accuracy", by=("region", "predicted_class")).axes
    parts = [pool.engine.summarise("model", axes, probabilities=True) for pool in (POOL, MORE)]
    found = joined(parts)
    first = parts[0].count
    assert found.of_part[0].tolist() == list(range(first))
    assert found.cells.size[:first].tolist() == parts[0].size.tolist()
    for cells, places in zip(parts, found.of_part, strict=True):
        for own, place in enumerate(places.tolist()):
            names = [n[c] for n, c in zip(found.cells.names[1:], found.cells.coordinates[place, 1:], strict=True)]
            assert names == [n[c] for n, c in zip(cells.names, cells.coordinates[own], strict=True)]
            assert found.cells.size[place] == cells.size[own]
            assert found.cells.score_sum[place] == cells.score_sum[own]
            assert found.cells.probability_sum[place].tolist() == cells.probability_sum[own].tolist()
    ordered = found.cells.partition(found.cells.axes)
    assert ordered.index.tolist() == list(range(found.cells.count))  # arms that are cells are in the order of cells


def test_a_grown_engine_draws_and_finds_what_its_parts_do():
    axes, engine = BY_CLASS.axes, GrownEngine((POOL.engine, MORE.engine))
    cells = engine.summarise("model", axes, probabilities=False)
    drawn = [engine.draw("model", cells.axes, 7, cell, 0, 100) for cell in range(cells.count)]
    assert [len(rows) for rows in drawn] == cells.size.tolist()
    assert {row.item for rows in drawn for row in rows} == set(POOL.ids) | set(MORE.ids)
    own = [POOL.engine.draw("model", axes, 7, cell, 0, 100) for cell in range(3)]
    assert drawn[:3] == own
    rows = engine.find("model", cells.axes, ["i3", "i103", "nobody"])
    assert [row and row.item for row in rows] == ["i3", "i103", None]
    cell, predicted, score = engine.outputs_of("model", cells.axes, ["i3", "i103"])
    assert [(r.cell, CLASSES.index(r.predicted), r.score) for r in rows[:2]] == list(
        zip(cell.tolist(), predicted.tolist(), score.tolist(), strict=True)
    )
    chunks = list(engine.scan("model", cells.axes))
    assert np.bincount(np.concatenate([c.cell for c in chunks])).tolist() == cells.size.tolist()


# -- the study -------------------------------------------------------------------------------------------------------


def test_what_was_asked_before_stays_and_new_items_are_asked_too():
    study, alone = extended(), make_study()
    before = alone.ask(15)
    assert timeless(list(study._history.queries.values())[:15]) == timeless(before)
    asked = {query.item for query in study._history.queries.values()}
    assert asked & set(MORE.ids)
    assert asked & set(POOL.ids) - {query.item for query in before}
    assert len(study.pool) == 100
    assert any("pool of 60 items was extended by 40 after 15 labels" in note for note in study.answer().notes)


def test_open_queries_survive_and_the_round_in_progress_ends():
    study = make_study(fl.Estimate("accuracy"))
    open_ = study.ask(7)
    study.extend(MORE)
    assert study.open_queries == open_
    tell_all(study, open_, ALL)
    assert study.answer().overall.labels == 7


def test_with_every_item_labelled_the_answer_is_exact():
    study = extended(fl.Estimate("accuracy", by="region"))
    tell_all(study, study.ask(100), ALL)
    said = study.answer()
    predicted = {**dict(zip(POOL.ids, outcomes(POOL), strict=True)), **dict(zip(MORE.ids, outcomes(MORE), strict=True))}
    right = np.mean([predicted[item] == ALL[item] for item in predicted])
    assert said.overall.value == pytest.approx(right)
    assert (said.overall.low, said.overall.high) == pytest.approx((right, right))
    assert {f.group for f in said.findings} == {"N", "S", "W"}


def outcomes(pool: fl.Pool) -> list[str]:
    return [CLASSES[c] for c in pool.engine.models["model"].predicted]


@pytest.mark.parametrize(
    ("question", "more"),
    [
        (BY_CLASS, {}),
        (fl.Estimate("accuracy"), {}),
        (BY_CLASS, {"strategy": "thompson", "estimator": "beta"}),
        (BY_CLASS, {"strategy": "uniform_groups", "estimator": "frequency"}),
        (BY_CLASS, {"until": fl.HalfWidth(0.1)}),
        (fl.Identify("accuracy", by="region"), {}),
        (fl.Below("accuracy", 0.5, by="region"), {}),
        (fl.Estimate("confusion"), {"strategy": "uniform"}),
    ],
    ids=lambda value: value.describe() if hasattr(value, "describe") else ",".join(map(str, value)),
)
def test_events_replay_and_a_receipt_is_verified_with_both_pools_and_without(tmp_path, question, more):
    study = extended(question, 6, 9, **more)
    again = fl.Study(study.made, study._storage, [POOL, MORE])
    assert str(again.answer()) == str(study.answer())
    assert timeless(again.ask(3)) == timeless(study.open_queries)
    receipt = tmp_path / "receipt.json"
    receipt.write_text(receipt_of(study).to_json())
    for pools in ([POOL, MORE], None):
        found = verify(receipt, pools)
        assert found.ok, str(found)
    assert "2 files or pools" in str(verify(receipt, POOL))


def test_an_extension_that_is_not_what_it_says_is_noticed(tmp_path):
    study = extended()
    made = receipt_of(study)
    events = [replace(e, pool={**e.pool, "count": 41}) if isinstance(e, Extended) else e for e in made.events]
    receipt = tmp_path / "receipt.json"
    receipt.write_text(replace(made, events=tuple(events)).to_json())
    assert "its cells hold 40 items, and it is said to be of 41" in str(verify(receipt))
    assert not verify(receipt, [POOL, more_items(seed=9)]).ok


def test_a_study_can_be_extended_more_than_once():
    study = extended()
    third = more_items(20, 200, seed=10)
    study.extend(third)
    asked = study.ask(15)
    assert {q.item for q in asked} & set(third.ids)
    assert len(study.pool) == 120
    again = fl.Study(study.made, study._storage, [POOL, MORE, third])
    assert len(again.pool) == 120


def test_what_folding_came_to_is_kept_with_its_parts():
    study = extended()
    study.extend(more_items(20, 200, seed=10))
    history = study._history
    kept = kept_fold.from_bytes(study._fresh(), kept_fold.to_bytes(history), lambda _: pytest.fail("not looked at"))
    assert kept._joined == history._joined
    assert kept.taken.tolist() == history.taken.tolist()
    assert kept.changes == history.changes
    odds = kept.evidence().order.odds
    assert odds == history.evidence().order.odds
    assert {len(one.worth) for one in odds.values()} == {len(history.taken)}


def test_another_question_is_read_from_the_same_labels():
    study = extended()
    by_region = study.answer(fl.Estimate("accuracy", by="region"))
    assert {f.group for f in by_region.findings} == {"N", "S", "W"}
    assert sum(f.labels for f in by_region.findings) == 40


def test_another_copy_of_the_study_notices():
    storage = MemoryStorage()
    one = make_study(storage=storage)
    other = fl.load_study(storage=storage, pool=POOL)
    tell_all(one, one.ask(5))
    assert other.answer().overall.labels == 5
    one.extend(MORE)
    assert any("extended" in note for note in other.answer().notes)
    with pytest.raises(fl.StudyError, match="did not come from a file"):
        other.ask(80)
    assert len(one.ask(80)) == 80  # nothing of the other's call was kept


def test_pools_handed_in_must_be_those_of_the_study():
    study = extended()
    with pytest.raises(fl.StudyError, match="not the pool the study was created with"):
        fl.Study(study.made, study._storage, [POOL, more_items(seed=9)])
    with pytest.raises(fl.StudyError, match="3 pools were handed in"):
        fl.Study(study.made, study._storage, [POOL, MORE, MORE])


# -- chances ---------------------------------------------------------------------------------------------------------


def test_the_chance_of_a_part_is_that_of_all_its_items_together():
    """By the odds of a round, counted once more; before the extension there is one part."""
    study = extended(fl.Estimate("accuracy"), 15, 25)
    history, cells = study._history, study._assessment.cells
    queries = list(history.queries.values())
    assert {query.of_part for query in queries[:15]} == {1.0}
    part, taken, seen = part_of(cells), np.zeros(cells.count), 0
    for place, query in enumerate(queries):
        if place >= 15:
            left = cells.size - taken
            odds = history._odds[query.round]
            chances = odds.chances(left)
            assert query.of_part == pytest.approx(chances[part == part[query.cell]].sum())
            assert query.probability == pytest.approx(chances[query.cell] / left[query.cell])
            seen += 1
        taken[query.cell] += 1
    assert seen == 25


def test_what_labels_say_by_design_is_summed_over_parts_by_their_sizes():
    """Of a uniform sample of each part, with slope and floor left aside: the mean of each, by sizes."""
    one, other = (Shares(np.array([v]), np.array([e]), np.array([30.0])) for v, e in ((0.9, 0.05), (0.5, 0.1)))
    found = together([one, other], [np.array([300]), np.array([100])])
    assert found.value == pytest.approx([0.8])
    assert found.error == pytest.approx([np.hypot(0.75 * 0.05, 0.25 * 0.1)])
    assert 31 < found.worth[0] < 60
    nothing = Shares(*np.full((3, 1), np.nan))
    assert np.isnan(together([one, nothing], [np.array([300]), np.array([100])]).value).all()
    assert together([one, nothing], [np.array([300]), np.array([0])]).value == pytest.approx([0.9])


# -- refused ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        (more_items(start=59), r"item 'i59' is in the study's pool already; extend takes new items only"),
        (more_items(classes=[*CLASSES[:2], "other"]), "class 'other' is not among those of the study"),
        (more_items(ids=list(range(40))), "ids are text in the study's pool and whole numbers here"),
        (more_items(columns={}), "no column 'region'"),
        (fl.Pool.from_arrays(predicted=["refund"], score=[0.5], ids=["new"]), "only that of the one predicted"),
        (fl.Pool.join({"other": MORE}), "this study is about model 'model'; the new items have other"),
        ("more.csv", "extend takes a pool of new items"),
    ],
    ids=["known id", "class", "ids", "column", "probabilities", "model", "file"],
)
def test_items_that_do_not_fit_are_refused_and_nothing_is_recorded(pool, words):
    study = make_study(fl.Estimate("accuracy", by="region"))
    with pytest.raises(fl.FewlabelsError, match=words):
        study.extend(pool)
    assert study.events == []
    assert len(study.pool) == 60


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (fl.Estimate("f1", positive="refund"), "weighed by the chances they had in the pool"),
        (fl.Estimate("accuracy", by=fl.ScoreBins(4, "mass")), "with other items the bins would be others"),
    ],
    ids=["f1", "mass"],
)
def test_questions_that_cannot_be_honest_of_a_larger_pool_are_refused(question, words):
    study = make_study(question)
    with pytest.raises(fl.QuestionError, match=words):
        study.extend(MORE)
    assert study.events == []


def test_models_set_against_one_another_are_refused():
    both = fl.Pool.join({"a": POOL, "b": POOL})
    study = fl.create_study(both, fl.CompareModels("accuracy", a="a", b="b"), strategy="uniform")
    with pytest.raises(fl.QuestionError, match="on which the models differed then"):
        study.extend(fl.Pool.join({"a": MORE, "b": MORE}))


def test_items_that_predict_fewer_classes_may_join():
    first = fl.Pool.from_arrays(predicted=["a", "b", "c"] * 10, score=[0.5] * 30, ids=list(range(30)))
    study = fl.create_study(first, fl.Estimate("accuracy", by="predicted_class"))
    new = fl.Pool.from_arrays(predicted=["c", "a"], score=[0.5] * 2, ids=[30, 31])
    study.extend(new)
    assert {q.predicted for q in study.ask(32) if q.item >= 30} == {"a", "c"}
    again = fl.Study(study.made, study._storage, [first, new])
    assert len(again.pool) == 32
