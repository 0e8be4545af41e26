"""Another pool, looked at through the cells of a study: one pass over each."""

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.cells import JOIN, Cells
from fewlabels.core.drift import by_bins, drift
from fewlabels.core.groups import Grouping, ScoreBins, ScoreEdges, ScoreLevels
from fewlabels.engines import Engine
from fewlabels.reading.elsewhere import Elsewhere


def look_at(there: Engine, here: Engine, model: str, cells: Cells, units: tuple[Grouping, ...]) -> Elsewhere:
    """The other pool by the cells here. Levels and bins that were made for this pool are cut there where they are cut
    here, so that a cell is the same in both. Figures are of `units`."""
    cut = edges(here, model, cells.axes)
    axes = tuple(cut.get(axis, axis) for axis in cells.axes)
    found = there.summarise(model, axes, probabilities=False)
    own = _renamed(found, cells, {number for number, axis in enumerate(cells.axes) if axis in cut})
    known = {tuple(row): place for place, row in enumerate(cells.coordinates.tolist())}
    place = np.array([known.get(tuple(row), -1) for row in own.tolist()], dtype=np.int64)
    both = place >= 0
    then, now = _by_bins(here, model, cells.axes, cells), _by_bins(there, model, axes, found)
    moved = np.zeros_like(then)
    moved[place[both]] = now[both]
    order = np.argsort(place[both])
    unseen = _unseen(own, place, found.size, cells, units)
    first = found.coordinates[np.flatnonzero(~both)[0]] if not both.all() else ()
    return Elsewhere(
        place[both][order],
        found.size[both][order],
        found.score_sum[both][order],
        unseen,
        int(found.size[~both].sum() - unseen.sum()),
        JOIN.join(names[value] for names, value in zip(found.names, first, strict=False)),
        int(found.size.sum()),
        drift(then, moved),
    )


def _unseen(own: Ints, place: Ints, size: Ints, cells: Cells, units: tuple[Grouping, ...]) -> Ints:
    """Items of cells that are not here, counted with a cell of the same unit that both have, where there is one."""
    columns, out = [cells.axis(axis) for axis in units], np.zeros(cells.count, dtype=np.int64)
    both = place >= 0
    beside: dict[tuple[int, ...], int] = {}
    for row, number in zip(own[both][:, columns].tolist(), place[both].tolist(), strict=True):
        beside.setdefault(tuple(row), number)
    for row, items in zip(own[~both][:, columns].tolist(), size[~both].tolist(), strict=True):
        if (number := beside.get(tuple(row))) is not None:
            out[number] += items
    return out


def edges(here: Engine, model: str, axes: tuple[Grouping, ...]) -> dict[Grouping, ScoreEdges]:
    """Where the levels of this pool are cut: half-way between the scores of two neighbours."""
    made = [a for a in axes if isinstance(a, ScoreLevels) or (isinstance(a, ScoreBins) and a.by == "mass")]
    found: dict[Grouping, ScoreEdges] = {}
    for axis in made:
        levels = len(here.summarise(model, (axis,), probabilities=False).size)
        low, high = np.full(levels, np.inf), np.full(levels, -np.inf)
        for chunk in here.scan(model, (axis,)):
            np.minimum.at(low, chunk.cell, chunk.score)
            np.maximum.at(high, chunk.cell, chunk.score)
        found[axis] = ScoreEdges(tuple(((low[1:] + high[:-1]) / 2).tolist()))
    return found


def _by_bins(engine: Engine, model: str, axes: tuple[Grouping, ...], cells: Cells) -> Array:
    return np.asarray(sum(by_bins(chunk.cell, chunk.score, cells.count) for chunk in engine.scan(model, axes)))


def _renamed(found: Cells, cells: Cells, by_number: set[int]) -> Ints:
    """The coordinates of the cells there in the names here, -1 for those that are not here; levels of scores go by
    their numbers."""
    columns = []
    for axis, (names, own) in enumerate(zip(found.names, cells.names, strict=True)):
        number = {name: i for i, name in enumerate(own)}
        index = range(len(names)) if axis in by_number else (number.get(name, -1) for name in names)
        columns.append(np.array(list(index), dtype=np.int64)[found.coordinates[:, axis]])
    return np.stack(columns, axis=1) if columns else np.zeros((found.count, 0), dtype=np.int64)
