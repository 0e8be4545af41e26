"""What is dear to find of every item, found once: a narrow table of ids, classes and scores.

To find the highest of a thousand columns, or the rows of one item in the files of several models, costs more than all
that is then asked of it. Attributes, texts and the probabilities of all classes stay where they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fewlabels.engines.duckdb_tables import DuckDbTables
from fewlabels.engines.layout import NARROW, WIDE, Layout, ModelColumns
from fewlabels.engines.refusals import not_the_same_ids
from fewlabels.engines.words import chosen
from fewlabels.errors import PoolError


@dataclass(frozen=True)
class _Named:
    """A layout of one model in which all has a name of its own."""

    layout: Layout
    narrow: dict[str, str]  # what these names stand for in the rows as they were
    wide: list[str]


def narrowed(layout: Layout, database: DuckDbTables) -> Layout:
    """The same items of one model, with their classes and scores in a table."""
    named = _named(layout, 0, layout.classes)
    return replace(named.layout, narrow=database.made(f"select {_listed(named.narrow)} from {layout.rows}"))


def joined(layouts: Mapping[str, Layout], database: DuckDbTables) -> Layout:
    """The items of several models, each with a layout of its own; joined once, by ids that read the same."""
    first = next(iter(layouts.values()))
    parts = [_named(layout, n, first.classes) for n, layout in enumerate(layouts.values())]
    narrow, both = database.made(_by_ids(layouts, parts, database)), [part.layout for part in parts]
    ((found,),) = database.columns(f"select count(*) from {narrow}")
    if any(layout.count != found for layout in both):
        raise _odd_ids(layouts, database)
    joins = [
        f"join (select {', '.join([f'{own.row} as at', *part.wide])} from {own.rows}) as w{n} on e.{own.row} = w{n}.at"
        for n, (part, own) in enumerate(zip(parts, both, strict=True))
    ]
    return replace(
        both[0],
        narrow=narrow,
        joins=joins,
        models=dict(zip(layouts, (said for layout in both for said in layout.models.values()), strict=True)),
        other_labels=tuple(dict.fromkeys(name for layout in both for name in layout.other_labels)),
        columns=_first_of([layout.columns for layout in both]),
        payload=_first_of([layout.payload for layout in both]),
        label=next((layout.label for layout in both if layout.label is not None), None),
    )


def _named(layout: Layout, number: int, classes: Sequence[str]) -> _Named:
    """The layout of one model as the `number`th of several, its classes in this order."""
    ((model, said),) = layout.models.items()
    order = [layout.classes.index(name) for name in classes]
    places = {own: place for place, own in enumerate(order)}
    predicted = said.predicted if layout.classes == tuple(classes) else chosen(places, said.predicted)
    table = None if said.probabilities is None else tuple(said.probabilities[own] for own in order)
    known = () if layout.label is None else (layout.label,)
    given = [*(table or ()), *layout.columns.values(), *layout.payload.values(), *known]
    wide = {f"{WIDE}_{number}_{place}": sql for place, sql in enumerate(given)}
    names = iter(wide)
    item, row, at, score = (f"{NARROW}_{number}_{part}" for part in ("item", "row", "predicted", "score"))
    narrow = {item: layout.item, row: layout.row, at: predicted, score: said.score}
    own = replace(
        layout,
        rows=f"(select {_listed({**narrow, **wide})} from {layout.rows}) as every_item",
        classes=tuple(classes),
        item=item,
        row=row,
        models={model: ModelColumns(at, score, table and tuple(next(names) for _ in table))},
        columns={name: next(names) for name in layout.columns},
        payload={name: next(names) for name in layout.payload},
        label=next(names, None),
    )
    return _Named(own, narrow, list(wide))


def _by_ids(layouts: Mapping[str, Layout], parts: Sequence[_Named], database: DuckDbTables) -> str:
    """A query of the narrow columns of all models, of the items that all of them have."""
    selects = [
        f"(select {_listed({**part.narrow, 'key': key})} from {layout.rows}) as j{n}"
        for n, (part, key, layout) in enumerate(zip(parts, _keys(layouts, database), layouts.values(), strict=True))
    ]
    joins = " ".join(f"join {select} on j0.key = j{n}.key" for n, select in enumerate(selects[1:], start=1))
    wanted = [name for part in parts for name in part.narrow if part is parts[0] or name != part.layout.item]
    return f"select {', '.join(wanted)} from {selects[0]} {joins}"


def _keys(layouts: Mapping[str, Layout], database: DuckDbTables) -> list[str]:
    """What items are joined by: as text where not all ids are whole numbers, since CSV files have no others."""
    whole = all(layout.whole_ids for layout in layouts.values())
    return [layout.item if whole else database.words.text.format(layout.item) for layout in layouts.values()]


def _odd_ids(layouts: Mapping[str, Layout], database: DuckDbTables) -> PoolError:
    """The first id that one of the models lacks, in words."""
    (first, base), *others = zip(layouts.items(), _keys(layouts, database), strict=True)
    for other, key in others:
        for (_, here), own, (_, there), theirs in ((first, base, other, key), (other, key, first, base)):
            missing = f"select {theirs} from {there.rows}"
            query = f"select {own} as item from {here.rows} where {own} not in ({missing}) order by {here.row} limit 1"
            if found := database.columns(query)[0]:
                counts = {name: layout.count for name, layout in (first, other)}
                return not_the_same_ids(counts, str(found[0]), first[0] if here is other[1] else other[0])
    raise AssertionError("the models' items are the same, and their number is not")


def _listed(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{expression} as {name}" for name, expression in columns.items())


def _first_of(found: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Of columns that several have, those of the first."""
    out: dict[str, str] = {}
    for columns in found:
        out = {**out, **{name: column for name, column in columns.items() if name not in out}}
    return out
