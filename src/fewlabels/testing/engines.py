"""What every engine promises: the cells a slow loop finds, and the same cells and order as the one in memory."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias, cast

import numpy as np

from fewlabels.core.cells import Cells
from fewlabels.core.groups import ClassMap, Column, Grouping, OfModel, PredictedClass, PredictedIs, ScoreBins
from fewlabels.core.groups import ScoreLevels as Levels
from fewlabels.core.keyed import item_hashes
from fewlabels.engines import Engine, MemoryEngine, PoolItem, gathered
from fewlabels.pool import Pool
from fewlabels.testing.promises import Promise, assert_close, assert_drawn_with, check_all

Making: TypeAlias = Callable[[MemoryEngine], Engine]  # the engine to be checked, of the items of one in memory
Axes: TypeAlias = tuple[Grouping, ...]
CLASSES = ("a", "b", "c", "never")
OTHER = ("other",)  # a true class no model predicts
MODELS = ("one", "two")
AXES: Mapping[str, Axes] = MappingProxyType(
    {
        "whole pool": (),
        "predicted class": (PredictedClass(),),
        "positive or not": (PredictedIs("b"),),
        "bins": (ScoreBins(7),),
        "bins of equal mass": (ScoreBins(7, "mass"),),
        "levels": (PredictedClass(), Levels(4)),
        "column": (Column("region"),),
        "superclass": (ClassMap({"a": "x", "b": "x", "c": "y", "never": "y"}),),
        "crossing": (Column("region"), PredictedClass(), ScoreBins(3)),
        "of another model": (Column("region"), OfModel("two", PredictedClass())),
    }
)
BY_COLUMN = AXES["column"]


def check_engine(make: Making) -> None:
    """Raise where an engine breaks a promise; `make` gives one that holds the same items as an engine in memory."""
    check_all("the engine", _promises(make))


def _promises(make: Making) -> Iterator[Promise]:
    for axes in AXES.values():
        for model in MODELS:
            yield partial(cells_are_sums_over_items, make, axes, model)
            yield partial(outputs_are_those_of_the_rows, make, axes, model)
            yield partial(a_scan_says_what_the_rows_say, make, axes, model)
        yield partial(probabilities_only_when_asked_for, make, axes)
        yield partial(an_order_holds_each_item_once, make, axes)
        yield partial(a_row_says_what_the_model_said, make, axes)
        yield partial(unknown_items_are_not_found, make, axes)
        for key in (1, 2):
            yield partial(same_as_in_memory, make, axes, key)
    yield partial(it_says_what_it_holds, make)
    yield partial(the_order_follows_the_seed_alone, make)
    yield partial(the_order_is_uniform, make)
    yield partial(the_fingerprint_of_texts_changes_with_them, make)
    yield partial(the_fingerprint_changes_with_the_items, make)
    yield partial(many_items_are_all_there, make)


def label_of(item: str) -> str:
    """The true class of an item."""
    return ("a", "b", *OTHER)[int(item[1:]) % 3]


def some_items(key: int = 0, items: int = 90) -> MemoryEngine:
    """Random items of two models, with their true classes, a column that misses some values, and texts."""
    rng = np.random.default_rng(key)
    ids = [f"i{n}" for n in rng.permutation(items)]
    region = rng.choice(np.array(["N", "S", None], dtype=object), items)
    pools = {}
    for name in MODELS:
        table = np.concatenate([rng.dirichlet([1, 1, 1], items), np.zeros((items, 1))], axis=1)
        pools[name] = Pool.from_arrays(
            probabilities=table,
            ids=ids,
            classes=CLASSES,
            other_labels=OTHER,
            labels=[label_of(item) for item in ids],
            columns={"region": region},
            payload={"text": ids},
        )
    return cast(MemoryEngine, Pool.join(pools).engine)


def shuffled(items: MemoryEngine) -> MemoryEngine:
    """The same items, in another order."""
    order = np.random.default_rng(9).permutation(items.count)
    models = {
        name: replace(said, predicted=said.predicted[order], score=said.score[order], probabilities=_all(said)[order])
        for name, said in items.models.items()
    }
    columns = {name: values[order] for name, values in items.columns.items()}
    payload = {name: [values[i] for i in order] for name, values in items.payload.items()}
    labels = None if items.labels is None else items.labels[order]
    return replace(items, ids=items.ids[order], models=models, columns=columns, payload=payload, labels=labels)


def _all(said: Any) -> Any:
    """The probabilities of all classes, which the items here have."""
    return said.probabilities


def _coordinate(items: MemoryEngine, model: str, item: int, axis: Grouping) -> str | None:
    """The group of an item along one axis; None for bins of equal mass and levels, whose names depend on all items."""
    said = items.models[model]
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
            value = items.columns[name][item]
            return "(missing)" if value is None else str(value)
        case ClassMap():
            return axis.superclass(predicted)
        case OfModel(other, inner):
            return _coordinate(items, other, item, inner)
    return None


def _rows(engine: Engine, model: str, axes: Axes, ids: list[Any]) -> list[PoolItem]:
    """The rows of items, all of which there are."""
    found = engine.find(model, axes, ids)
    missing = [item for item, row in zip(ids, found, strict=True) if row is None]
    assert not missing, f"{missing[:3]} are not found"
    return cast(list[PoolItem], found)


# -- one promise each ----------------------------------------------------------------------------------------------


def cells_are_sums_over_items(make: Making, axes: Axes, model: str = "one") -> None:
    """Cells are the sums a slow loop over the items finds, and each item is in the cell of its groups."""
    items = some_items()
    engine, said = make(items), items.models[model]
    cells = engine.summarise(model, axes, probabilities=True)
    assert cells.axes == axes, f"axes are {cells.axes}"
    assert (cells.size > 0).all(), "there are cells without items"
    names = [tuple(cells.names[k][v] for k, v in enumerate(row)) for row in cells.coordinates.tolist()]
    assert len(set(names)) == len(names) == cells.count, f"cells are not distinct: {names}"
    cell = np.array([row.cell for row in _rows(engine, model, axes, items.ids.tolist())])
    for item, c in enumerate(cell.tolist()):
        expected = [_coordinate(items, model, item, axis) for axis in axes]
        same = all(e in (None, found) for e, found in zip(expected, names[c], strict=True))
        assert same, f"an item of {expected} is in the cell of {names[c]}"
    for c in range(cells.count):
        members = np.flatnonzero(cell == c)
        assert cells.size[c] == len(members), f"{names[c]} has {cells.size[c]} items, and {len(members)} are in it"
        assert_close(cells.score_sum[c], sum(said.score[members].tolist()), 1e-6)
        assert_close(_sums(cells)[c], [*_all(said)[members].sum(axis=0), 0.0])
    assert_close(_sums(cells).sum(axis=1), cells.size, 1e-6)


def _sums(cells: Cells) -> Any:
    """The sums of probabilities, which were asked for."""
    assert cells.probability_sum is not None, "sums of probabilities were asked for, and there are none"
    return cells.probability_sum


def probabilities_only_when_asked_for(make: Making, axes: Axes) -> None:
    """Probabilities are summed only when that is asked for."""
    cells = make(some_items()).summarise("one", axes, probabilities=False)
    assert cells.probability_sum is None, "sums of probabilities were not asked for"


def an_order_holds_each_item_once(make: Making, axes: Axes) -> None:
    """The order of a cell holds each of its items once, in blocks of any size, and then nothing."""
    items = some_items()
    engine, found = make(items), []
    for cell, size in enumerate(engine.summarise("one", axes, probabilities=False).size.tolist()):
        draw = partial(engine.draw, "one", axes, 5, cell)
        rows = draw(0, size)
        assert all(row.cell == cell for row in rows), f"cell {cell} has items of others"
        blocks = [row for after in range(0, size, 7) for row in draw(after, 7)]
        assert blocks == rows, f"the items of cell {cell} are others where they are drawn in blocks of seven"
        assert draw(1, size + 7) == rows[1:], f"past the end of cell {cell} there is more"
        assert [*draw(size, 2), *draw(size + 7, 2)] == [], f"past the end of cell {cell} there is more"
        found += [row.item for row in rows]
    assert sorted(found) == sorted(items.ids.tolist()), "items come twice, or never"


def a_scan_says_what_the_rows_say(make: Making, axes: Axes, model: str = "one") -> None:
    """A scan says of every item what its row says, always in the same order; a whole one all that is known."""
    items = some_items()
    engine = make(items)
    found = gathered(engine.scan(model, axes, whole=True))
    ids = found.items.tolist()
    rows = _rows(engine, model, axes, ids)
    assert sorted(ids) == sorted(items.ids.tolist()), "items come twice, or never"
    assert (found.hashes == item_hashes(ids)).all(), "other hashes than those of the ids"
    said = list(zip(found.cell.tolist(), [CLASSES[k] for k in found.predicted], found.score.tolist(), strict=True))
    assert said == [(row.cell, row.predicted, row.score) for row in rows], "a scan says something else than the rows"
    assert found.probabilities is not None, "a whole scan lacks the probabilities"
    assert found.probabilities.max(axis=1).tolist() == found.score.tolist(), "the highest probability is not the score"
    assert found.labels is not None, "a scan lacks the labels"
    assert found.labels.tolist() == [label_of(item) for item in ids], "labels are other items'"
    assert list(found.columns) == ["region"], f"columns are {list(found.columns)}"
    assert list(found.payload["text"]) == ids, "texts are other items'"
    plain = gathered(engine.scan(model, axes))
    assert (plain.items.tolist(), plain.cell.tolist()) == (ids, found.cell.tolist()), "another scan, another order"


def it_says_what_it_holds(make: Making) -> None:
    """An engine says how many items it holds, of which classes, models and columns, and what is known of them."""
    engine = make(some_items())
    held = (engine.count, engine.classes, engine.other_labels, [*engine.models], [*engine.columns])
    assert held == (90, CLASSES, OTHER, [*MODELS], ["region"]), f"it says that it holds {held}"
    known = (engine.whole_ids, engine.full_probabilities)
    assert known == (False, True), f"whole ids and full probabilities are {known}"


def a_row_says_what_the_model_said(make: Making, axes: Axes) -> None:
    """A row says what the model said of its item, and what labellers are shown."""
    items = some_items()
    engine = make(items)
    for model, said in items.models.items():
        for item, row in enumerate(_rows(engine, model, axes, items.ids.tolist())):
            expected = (items.ids[item], CLASSES[said.predicted[item]], said.score[item], {"text": items.ids[item]})
            found = (row.item, row.predicted, row.score, row.payload)
            assert found == expected, f"{found} where {expected} was expected"


def unknown_items_are_not_found(make: Making, axes: Axes) -> None:
    """Items that are not there are not found, and those that are, are."""
    engine = make(some_items())
    known, unknown = engine.find("one", axes, ["i0", "zzz"])
    assert known is not None and known.item == "i0", f"i0 is found as {known}"  # noqa: PT018 - one thought
    assert unknown is None, f"what is not there is found as {unknown}"
    assert engine.find("one", axes, []) == [], "of no items some are found"


def outputs_are_those_of_the_rows(make: Making, axes: Axes, model: str = "one") -> None:
    """The outputs of items are those of their rows, an item asked for twice coming twice."""
    engine, ids = make(some_items()), [f"i{n}" for n in (17, 3, 88, 3)]
    cell, predicted, score = engine.outputs_of(model, axes, ids)
    rows = _rows(engine, model, axes, ids)
    found = list(zip(cell.tolist(), [CLASSES[k] for k in predicted], score.tolist(), strict=True))
    expected = [(row.cell, row.predicted, row.score) for row in rows]
    assert found == expected, f"{found} where {expected} was expected"
    assert [len(column) for column in engine.outputs_of(model, axes, [])] == [0, 0, 0], "no items have outputs"


def same_as_in_memory(make: Making, axes: Axes, key: int = 1) -> None:
    """On random pools cells and orders are those of the engine in memory, sums to the bit."""
    items = some_items(key, items=int(np.random.default_rng(key).integers(1, 60)))
    engine = make(items)
    one, two = (e.summarise("one", axes, probabilities=True) for e in (engine, items))
    assert (one.axes, one.names) == (two.axes, two.names), f"axes of {one.names} where {two.names} was expected"
    for field in ("coordinates", "size", "score_sum", "probability_sum"):
        found, expected = getattr(one, field), getattr(two, field)
        assert found.tolist() == expected.tolist(), f"{field} is {found} where {expected} was expected, to the bit"
    for cell, size in enumerate(two.size.tolist()):
        drawn, as_here = (e.draw("one", axes, key, cell, 0, size) for e in (engine, items))
        assert drawn == as_here, f"the order of cell {cell} is {drawn} where {as_here} was expected"


def the_order_follows_the_seed_alone(make: Making) -> None:
    """The order depends on the seed, not on how items are stored; that of a part is the whole's, others left out."""
    items = some_items()
    engine = make(items)

    def order(source: Engine, seed: int, axes: Axes = (), cell: int = 0, size: int = items.count) -> list[Any]:
        return [row.item for row in source.draw("one", axes, seed, cell, 0, size)]

    whole = order(engine, 1)
    assert order(engine, 1) == whole, "the same seed gives another order"
    assert order(engine, 2) != whole, "another seed gives the same order"
    assert order(make(shuffled(items)), 1) == whole, "items stored in another order are drawn in another"
    for cell, size in enumerate(engine.summarise("one", BY_COLUMN, probabilities=False).size.tolist()):
        inside = order(engine, 1, BY_COLUMN, cell, size)
        expected = [item for item in whole if item in set(inside)]
        assert inside == expected, f"{inside} inside a cell; without the others the whole order is {expected}"


def the_order_is_uniform(make: Making) -> None:
    """Over 2,000 seeds each of ten items comes first equally often, by chi-square."""
    items = some_items(items=10)
    engine, place = make(items), {item: i for i, item in enumerate(items.ids.tolist())}
    first = Counter(place[engine.draw("one", (), seed, 0, 0, 1)[0].item] for seed in range(2000))
    assert_drawn_with(first, dict.fromkeys(range(10), 0.1), 2000)


def the_fingerprint_of_texts_changes_with_them(make: Making) -> None:
    """The fingerprint of what is shown changes with any text, not with the order of the items; without, it says so."""
    items = some_items()
    texts = list(items.payload["text"])
    changed: list[dict[str, Any]] = [
        {"text": ["other", *texts[1:]]},
        {"text": [texts[1], texts[0], *texts[2:]]},
        {"text": [None, *texts[1:]]},
        {},
        {"text": texts, "url": texts},
    ]
    same = make(items).payload_fingerprint
    assert make(shuffled(items)).payload_fingerprint == same, "the order of the items matters"
    found = {same, *(make(replace(items, payload=payload)).payload_fingerprint for payload in changed)}
    assert len(found) == 1 + len(changed), "texts changed, and the fingerprint did not"
    nothing = make(replace(items, payload={})).payload_fingerprint
    assert nothing.startswith("0-"), f"nothing is shown, and the fingerprint {nothing} does not begin with 0-"


def the_fingerprint_changes_with_the_items(make: Making) -> None:
    """The fingerprint changes with any id, prediction, score or group, and not with the order of the items."""
    items = some_items()
    said, ids, region = items.models["one"], items.ids.copy(), items.columns["region"].copy()
    ids[3], region[3] = "other", "W"
    score, predicted, swapped = said.score.copy(), said.predicted.copy(), said.score.copy()
    score[3] = np.nextafter(score[3], 0)
    predicted[3] = (predicted[3] + 1) % 3
    swapped[[3, 4]] = swapped[[4, 3]]
    outputs = (replace(said, score=score), replace(said, predicted=predicted), replace(said, score=swapped))
    changed = [replace(items, ids=ids), replace(items, columns={"region": region})]
    changed += [replace(items, models={**items.models, "one": other}) for other in outputs]
    engine = make(items)
    same = engine.fingerprint("one", BY_COLUMN)
    assert make(shuffled(items)).fingerprint("one", BY_COLUMN) == same, "the order of the items matters"
    assert engine.fingerprint("two", BY_COLUMN) != same, "two models have the same fingerprint"
    found = {same, *(make(other).fingerprint("one", BY_COLUMN) for other in changed)}
    assert len(found) == 1 + len(changed), "items changed, and the fingerprint did not"


def many_items_are_all_there(make: Making) -> None:
    """More items than two chunks of any reader are all there; where only the top score is known, the rest is spread
    evenly over the other classes."""
    count = 5000
    pool = Pool.from_arrays(predicted=np.arange(count) % 7, score=(np.arange(count) % 100) / 100)
    engine = make(cast(MemoryEngine, pool.engine))
    cells = engine.summarise("model", (PredictedClass(), ScoreBins(10)), probabilities=True)
    assert cells.size.sum() == engine.count == count, f"{cells.size.sum()} of {count} items are in cells"
    assert_close(_sums(cells).sum(axis=1), cells.size, 1e-6)
    assert_close(_sums(cells)[np.arange(cells.count), cells.coordinates[:, 0]], cells.score_sum, 1e-6)
