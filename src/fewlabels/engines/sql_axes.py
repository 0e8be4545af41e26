"""Groupings as SQL: which group an item is in along an axis, by an expression or by a small table to look it up in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fewlabels.core import groups
from fewlabels.core.groups import MISSING, Grouping
from fewlabels.engines.binning import EXACT, edges_of, runs_of
from fewlabels.engines.layout import Layout
from fewlabels.engines.refusals import (
    MOST_GROUPS,
    check_column_known,
    check_groups,
    class_place,
    no_scores_of,
    not_known_yet,
)
from fewlabels.engines.words import Words, chosen, on_grid, place_among
from fewlabels.tables.values import is_missing


class Database(Protocol):
    """What runs the queries. Results are handed over whole, so that no query may give more than fits in memory."""

    words: Words

    def columns(self, query: str) -> list[list[Any]]:
        """What a query finds, column by column: Python's own values, None where one is missing."""

    def keep(self, columns: Mapping[str, Sequence[Any]]) -> str:
        """A small table of these columns, for other queries; its name."""


@dataclass(frozen=True)
class SqlAxis:
    """The group of an item along one axis: an expression over the pool's rows, which is its place, or, with a table to
    look that up in, the key there; where the table has no such key, `otherwise`."""

    place: str
    names: tuple[str, ...]
    table: str | None = None
    otherwise: int | None = None


def axis_of(database: Database, layout: Layout, model: str, grouping: Grouping) -> SqlAxis:
    """How items fall into groups; a pass over the pool where that depends on all of them."""
    said, classes = layout.models[model], layout.classes
    match grouping:
        case groups.PredictedClass():
            return SqlAxis(said.predicted, classes)
        case groups.PredictedIs(positive):
            hit = f"{said.predicted} = {class_place(classes, positive)}"
            return SqlAxis(f"case when {hit} then 1 else 0 end", (f"not {positive}", positive))
        case groups.ScoreCuts():
            edges, names = edges_of(grouping)
            return SqlAxis(place_among(edges.tolist(), scores_of(layout, model, grouping.positive)), names)
        case groups.ScoreBins(_, "width") | groups.ScoreEdges():
            edges, names = edges_of(grouping)
            return SqlAxis(place_among(edges.tolist(), said.score), names)
        case groups.ScoreStrata():
            return _of_runs(database, layout, scores_of(layout, model, grouping.positive), grouping)
        case groups.ScoreBins() | groups.ScoreLevels():
            return _of_runs(database, layout, said.score, grouping)
        case groups.ClassMap():
            superclass = [grouping.superclass(name) for name in classes]
            names = tuple(sorted(set(superclass)))
            places = {place: names.index(name) for place, name in enumerate(superclass)}
            return SqlAxis(chosen(places, said.predicted), names)
        case groups.Column(name):
            return _of_column(database, layout, name)
        case groups.OfModel(other, inner):
            return axis_of(database, layout, other, inner)
    raise not_known_yet(grouping)


def scores_of(layout: Layout, model: str, name: str) -> str:
    """One class's score of every item."""
    which, said = class_place(layout.classes, name), layout.models[model]
    if said.probabilities is not None:
        return said.probabilities[which]
    if len(layout.classes) == 2:
        return f"case when {said.predicted} = {which} then {said.score} else 1 - {said.score} end"
    raise no_scores_of(name)


def _of_runs(
    database: Database, layout: Layout, score: str, grouping: groups.ScoreBins | groups.ScoreLevels | groups.ScoreStrata
) -> SqlAxis:
    key = score if layout.count <= EXACT else on_grid(score)
    query = f"select {key} as step, count(*) as times from {layout.rows_for(key)} group by 1"
    found = sorted(zip(*database.columns(query), strict=True))
    values, counts = (np.array(column) for column in zip(*found, strict=True))
    of_value, names = runs_of(grouping, values.astype(np.float64), counts.astype(np.int64))
    return SqlAxis(key, names, database.keep({"key": values.tolist(), "place": of_value.tolist()}))


def _of_column(database: Database, layout: Layout, name: str) -> SqlAxis:
    check_column_known(name, layout.columns)
    column = layout.columns[name]
    key = database.words.text.format(column)
    query = f"select {key} as key, min({column}) as value from {layout.rows_for(column)} group by 1"
    keys, values = database.columns(f"{query} limit {MOST_GROUPS + 1}")
    if len(keys) > MOST_GROUPS:
        ((count,),) = database.columns(f"select count(*) from ({query}) as t")
        check_groups(name, int(count))
    shown = [MISSING if is_missing(value) else str(value) for value in values]
    names = sorted(set(shown))
    known = sorted((k, names.index(group)) for k, group in zip(keys, shown, strict=True) if k is not None)
    table = database.keep({"key": [k for k, _ in known], "place": [place for _, place in known]})
    return SqlAxis(key, tuple(names), table, names.index(MISSING) if None in keys else None)
