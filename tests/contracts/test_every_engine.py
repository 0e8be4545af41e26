"""The promises of engines/base.py, kept by every engine: a slow loop over the items says what is right."""

from collections import Counter, defaultdict

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.groups import ClassMap, Column, OfModel, PredictedClass, PredictedIs, ScoreBins
from fewlabels.core.keyed import item_hashes
from fewlabels.engines import Chunk, gathered

CLASSES = ["a", "b", "c", "never"]
MODELS = ["one", "two"]
LABEL = {f"i{n}": ("a", "b", "other")[n % 3] for n in range(90)}


def make_pool(key: int = 0, items: int = 90) -> fl.Pool:
    rng = np.random.default_rng(key)
    ids = [f"i{n}" for n in rng.permutation(items)]
    region = rng.choice(np.array(["N", "S", None], dtype=object), items)
    pools = {}
    for name in MODELS:
        table = np.concatenate([rng.dirichlet([1, 1, 1], items), np.zeros((items, 1))], axis=1)
        pools[name] = fl.Pool.from_arrays(
            probabilities=table, ids=ids, classes=CLASSES, columns={"region": region}, payload={"text": ids},
            labels=[LABEL.get(item, "a") for item in ids], other_labels=["other"],
        )  # fmt: skip
    return fl.Pool.join(pools)


ENGINES = {"memory": lambda pool: pool.engine}
AXES = {
    "whole pool": (),
    "predicted class": (PredictedClass(),),
    "positive or not": (PredictedIs("b"),),
    "bins": (ScoreBins(7),),
    "bins of equal mass": (ScoreBins(7, "mass"),),
    "column": (Column("region"),),
    "superclass": (ClassMap({"a": "x", "b": "x", "c": "y", "never": "y"}),),
    "crossing": (Column("region"), PredictedClass(), ScoreBins(3)),
    "of another model": (Column("region"), OfModel("two", PredictedClass())),
}


@pytest.fixture(params=ENGINES)
def engine(request):
    return ENGINES[request.param](make_pool())


@pytest.fixture(params=AXES)
def axes(request):
    return AXES[request.param]


def coordinate(engine, model: str, item: int, axis) -> str | None:
    """The group of an item along one axis; None for bins of equal mass, whose names depend on all items."""
    said = engine.models[model]
    predicted = CLASSES[said.predicted[item]]
    match axis:
        case PredictedClass():
            return predicted
        case PredictedIs(positive):
            return positive if predicted == positive else f"not {positive}"
        case ScoreBins(count, "width"):
            number = min(int(said.score[item] * count), count - 1)
            return f"{number / count:.1f}–{(number + 1) / count:.1f}"
        case Column(name):
            value = engine.columns[name][item]
            return "(missing)" if value is None else str(value)
        case ClassMap():
            return axis.superclass(predicted)
        case OfModel(other, inner):
            return coordinate(engine, other, item, inner)
    return None


@pytest.mark.parametrize("model", MODELS)
def test_cells_are_the_sums_a_slow_loop_finds(engine, axes, model):
    cells = engine.summarise(model, axes, probabilities=True)
    assert cells.axes == axes
    assert cells.size.sum() == engine.count
    assert (cells.size > 0).all()
    names = [tuple(cells.names[k][v] for k, v in enumerate(row)) for row in cells.coordinates.tolist()]
    assert len(set(names)) == len(names) == cells.count
    rows = engine.find(model, axes, engine.ids.tolist())
    size, score = Counter(), defaultdict(float)
    for item, row in enumerate(rows):
        expected = [coordinate(engine, model, item, axis) for axis in axes]
        assert all(e in (None, found) for e, found in zip(expected, names[row.cell], strict=True))
        size[row.cell] += 1
        score[row.cell] += engine.models[model].score[item]
    assert [size[c] for c in range(cells.count)] == cells.size.tolist()
    np.testing.assert_allclose([score[c] for c in range(cells.count)], cells.score_sum)
    np.testing.assert_allclose(cells.probability_sum.sum(axis=1), cells.size)
    for c in range(cells.count):
        members = [item for item, row in enumerate(rows) if row.cell == c]
        np.testing.assert_allclose(
            engine.models[model].probabilities[members].sum(axis=0), cells.probability_sum[c, :4], atol=1e-12
        )


def test_probabilities_are_summed_only_when_asked_for(engine, axes):
    assert engine.summarise("one", axes, probabilities=False).probability_sum is None


def test_the_order_of_a_cell_holds_each_of_its_items_once(engine, axes):
    cells = engine.summarise("one", axes, probabilities=False)
    found = []
    for cell, size in enumerate(cells.size.tolist()):
        rows = engine.draw("one", axes, 5, cell, 0, size)
        assert all(row.cell == cell for row in rows)
        assert [row for after in range(0, size, 7) for row in engine.draw("one", axes, 5, cell, after, 7)] == rows
        assert engine.draw("one", axes, 5, cell, 1, size + 7) == rows[1:]
        assert engine.draw("one", axes, 5, cell, size, 2) == engine.draw("one", axes, 5, cell, size + 7, 2) == []
        found += [row.item for row in rows]
    assert sorted(found) == sorted(engine.ids.tolist())


def test_a_row_says_what_the_model_said(engine, axes):
    for model in MODELS:
        rows = engine.find(model, axes, engine.ids.tolist())
        assert [row.item for row in rows] == engine.ids.tolist()
        for item, row in enumerate(rows):
            assert row.predicted == CLASSES[engine.models[model].predicted[item]]
            assert row.score == engine.models[model].score[item]
            assert row.payload == {"text": row.item}


def test_a_scan_says_of_every_item_what_its_row_says(engine, axes):
    for model in MODELS:
        found = gathered(engine.scan(model, axes, whole=True))
        rows = engine.find(model, axes, found.items.tolist())
        assert sorted(found.items.tolist()) == sorted(f"i{n}" for n in range(90))
        assert found.hashes.tolist() == item_hashes(found.items.tolist()).tolist()
        assert found.cell.tolist() == [row.cell for row in rows]
        assert [CLASSES[k] for k in found.predicted] == [row.predicted for row in rows]
        assert found.score.tolist() == found.probabilities.max(axis=1).tolist() == [row.score for row in rows]
        assert found.labels.tolist() == [LABEL[item] for item in found.items]
        assert list(found.columns) == ["region"]
        assert list(found.payload["text"]) == found.items.tolist()
        plain = gathered(engine.scan(model, axes))
        assert (plain.items.tolist(), plain.cell.tolist()) == (found.items.tolist(), found.cell.tolist())


@pytest.mark.parametrize("size", [1, 7, 89])
def test_chunks_are_gathered_in_their_order(engine, size):
    whole = gathered(engine.scan("one", AXES["crossing"], whole=True))

    def part(values, start):
        if isinstance(values, dict):
            return {name: part(entries, start) for name, entries in values.items()}
        return values[start : start + size]

    parts = [Chunk(**{k: part(v, start) for k, v in vars(whole).items()}) for start in range(0, engine.count, size)]
    again = gathered(parts)
    for name in ("items", "hashes", "cell", "predicted", "score", "labels", "probabilities"):
        assert getattr(again, name).tolist() == getattr(whole, name).tolist()
    assert again.columns["region"].tolist() == whole.columns["region"].tolist()
    assert list(again.payload["text"]) == list(whole.payload["text"])


def test_an_engine_says_what_it_holds(engine):
    assert (engine.count, engine.classes, engine.other_labels) == (90, tuple(CLASSES), ("other",))
    assert (list(engine.models), list(engine.columns)) == (MODELS, ["region"])
    assert (engine.whole_ids, engine.full_probabilities) == (False, True)


def test_items_that_are_not_there_are_not_found(engine, axes):
    assert engine.find("one", axes, ["i0", "zzz"])[1] is None
    assert engine.find("one", axes, ["i0", "zzz"])[0].item == "i0"
    assert engine.find("one", axes, []) == []


def test_the_order_depends_on_the_seed_and_on_nothing_else(engine):
    def order(seed, source=engine, axes=()):
        return [row.item for row in source.draw("one", axes, seed, 0, 0, source.count)]

    assert order(1) == order(1)
    assert order(1) != order(2)
    shuffled = make_shuffled(engine)
    assert order(1, shuffled) == order(1)
    # the order inside a finer cell is the same order with the others left out
    axes = AXES["column"]
    cells = engine.summarise("one", axes, probabilities=False)
    whole = order(1)
    for cell, size in enumerate(cells.size.tolist()):
        inside = [row.item for row in engine.draw("one", axes, 1, cell, 0, size)]
        assert inside == [item for item in whole if item in set(inside)]


def make_shuffled(engine):
    """The same items, rows in another order."""
    from dataclasses import replace

    order = np.random.default_rng(9).permutation(engine.count)
    models = {
        name: replace(m, predicted=m.predicted[order], score=m.score[order], probabilities=m.probabilities[order])
        for name, m in engine.models.items()
    }
    columns = {name: values[order] for name, values in engine.columns.items()}
    payload = {name: [values[i] for i in order] for name, values in engine.payload.items()}
    labels = engine.labels[order]
    return replace(engine, ids=engine.ids[order], models=models, columns=columns, payload=payload, labels=labels)


def test_the_order_is_uniform():
    """Over 2,000 seeds each of ten items comes first about 200 times: chi-squared with 9 degrees of freedom stays
    below 27.9 but once in 1,000."""
    engine = make_pool(items=10).engine
    first = Counter(engine.draw("one", (), seed, 0, 0, 1)[0].item for seed in range(2000))
    assert sum((first[f"i{n}"] - 200) ** 2 / 200 for n in range(10)) < 27.9


def test_the_fingerprint_of_the_payload_changes_with_any_text_and_not_with_their_order(engine):
    from dataclasses import replace

    print_ = engine.payload_fingerprint
    assert make_shuffled(engine).payload_fingerprint == print_
    texts = list(engine.payload["text"])
    changed = [
        {"text": ["other", *texts[1:]]},
        {"text": [texts[1], texts[0], *texts[2:]]},
        {"text": [None, *texts[1:]]},
        {},
        {"text": texts, "url": texts},
    ]
    found = {print_, *(replace(engine, payload=payload).payload_fingerprint for payload in changed)}
    assert len(found) == 1 + len(changed)


@pytest.mark.parametrize("model", MODELS)
def test_the_outputs_of_items_are_those_of_their_rows(engine, axes, model):
    items = [f"i{n}" for n in (17, 3, 88, 3)]
    cell, predicted, score = engine.outputs_of(model, axes, items)
    rows = engine.find(model, axes, items)
    assert cell.tolist() == [row.cell for row in rows]
    assert [CLASSES[k] for k in predicted] == [row.predicted for row in rows]
    assert score.tolist() == [row.score for row in rows]
    assert [len(column) for column in engine.outputs_of(model, axes, [])] == [0, 0, 0]


def test_the_fingerprint_changes_with_any_id_prediction_score_or_group_and_not_with_their_order(engine):
    from dataclasses import replace

    axes = AXES["column"]
    print_ = engine.fingerprint("one", axes)
    assert make_shuffled(engine).fingerprint("one", axes) == print_
    assert engine.fingerprint("two", axes) != print_
    said = engine.models["one"]
    ids = engine.ids.copy()
    ids[3] = "other"
    score = said.score.copy()
    score[3] = np.nextafter(score[3], 0)
    predicted = said.predicted.copy()
    predicted[3] = (predicted[3] + 1) % 3
    swapped = said.score.copy()
    swapped[[3, 4]] = swapped[[4, 3]]
    region = engine.columns["region"].copy()
    region[3] = "W"
    changed = [
        replace(engine, ids=ids),
        replace(engine, columns={"region": region}),
        *(
            replace(engine, models={**engine.models, "one": replace(said, **field)})
            for field in ({"score": score}, {"predicted": predicted}, {"score": swapped})
        ),
    ]
    assert len({print_, *(other.fingerprint("one", axes) for other in changed)}) == 6


def test_more_items_than_two_chunks_of_any_reader_are_all_there():
    items = 5000
    pool = fl.Pool.from_arrays(predicted=np.arange(items) % 7, score=(np.arange(items) % 100) / 100)
    cells = pool.engine.summarise("model", (PredictedClass(), ScoreBins(10)), probabilities=True)
    assert cells.size.sum() == items
    # with the top score alone, what is left is spread evenly over the other classes
    np.testing.assert_allclose(cells.probability_sum.sum(axis=1), cells.size)
    where = [int(v) for v in cells.coordinates[:, 0]]
    np.testing.assert_allclose(cells.probability_sum[np.arange(cells.count), where], cells.score_sum)
