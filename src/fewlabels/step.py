"""The step: choose a draw, and make an event of it. A live study and every simulation take this one step.

`next_draw` is pure: it looks at how far choosing has come, and changes nothing.
"""

from collections.abc import Callable

import numpy as np

from fewlabels.assessment import Assessment
from fewlabels.core.events import Item, Planned, Query
from fewlabels.core.history import History, Standing
from fewlabels.core.joined import part_of
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.round import Draw, Round
from fewlabels.engines import PoolItem

ItemAt = Callable[[int, int], PoolItem | None]  # the item at a position of a cell's keyed order
MOST_AHEAD = 64  # items of a cell drawn at once


def ahead(draw: Callable[[int, int, int], list[PoolItem]]) -> ItemAt:
    """Items drawn in blocks, each as large as all of its cell before it: few are drawn for nothing.

    `draw` gives so many items of a cell, from a position on.
    """
    blocks: dict[int, tuple[int, list[PoolItem]]] = {}  # the last of each cell, and the position it starts at

    def item_at(cell: int, position: int) -> PoolItem | None:
        start, rows = blocks.get(cell, (0, []))
        if not start <= position < start + len(rows):
            start, rows = position, draw(cell, position, min(position + 1, MOST_AHEAD))
            blocks[cell] = start, rows
        return rows[position - start] if rows else None

    return item_at


def next_draw(
    assessment: Assessment, at: Standing, seed: int, most: int | None = None, wanted: int = 1
) -> Round | Draw | None:
    """The next draw, or before it the round it belongs to where that is planned; None when no item is left.

    `most` is what the budget still allows, `wanted` how many items somebody waits for: a round planned for them may be
    larger than it would be otherwise.
    """
    number, chosen = at.rounds, at.plan
    for place in range(at.place, len(chosen.arms)):
        arm, repeats = chosen.arms[place], chosen.design.repeats
        if assessment.remaining_in(arm, at.taken) > 0 or (repeats and at.drawn_in(arm, chosen.design)):
            break
    else:
        number, place = number + 1, 0
        chosen = assessment.choose(at.evidence(), at.pending, at.taken, Keyed(seed, number), most, wanted)
        if chosen.planned or not chosen.arms:
            return chosen if chosen.arms else None
        arm, repeats = chosen.arms[0], False  # what may be drawn again is planned
    return Draw(number, chosen, place, arm if repeats else assessment.cell_in(arm, at.taken, Keyed(seed, at.draws + 1)))


def next_event(
    assessment: Assessment,
    history: History,
    item_at: ItemAt,
    *,
    seed: int,
    budget: int | None,
    now: str = "",
    wanted: int = 1,
) -> Planned | Query | None:
    """The next draw as an event: a query of an item, or the round planned before it; None when no item is left."""
    found = next_draw(assessment, history, seed, None if budget is None else budget - history.spent, wanted)
    if isinstance(found, Round):
        uniform, worth = (0.0, "") if found.odds is None else (found.odds.uniform, found.odds.text)
        about = (found.probabilities, found.frame, uniform, worth, wanted)
        return Planned(history.rounds + 1, found.arms, found.design.word, now, *about)
    if found is None:
        return None
    row, among = _item(assessment, history, found, seed, item_at)
    probability = found.round.probability(found.place)
    return Query(
        item=row.item,
        group=assessment.view.groups.labels[assessment.view.groups.index[row.cell]],
        arm=found.arm,
        cell=row.cell,
        predicted=row.predicted,
        score=row.score,
        number=history.draws + 1,
        round=found.number,
        design=found.round.design.word,
        probability=None if probability is None else probability / among,
        payload=row.payload,
        at=now,
        of_part=_chance_of_part(assessment, history, found) if assessment.grown else 1.0,
    )


def _chance_of_part(assessment: Assessment, history: History, draw: Draw) -> float | None:
    """Of a pool that was extended: the chance that an item of just this part would be drawn."""
    part, odds, arms = part_of(assessment.cells), draw.round.odds, assessment.arms
    mine, here = part == part[draw.cell], np.isin(arms.index, assessment.in_question)
    if odds is not None and arms.single:
        planned = np.bincount(draw.round.arms[: draw.place], minlength=arms.count)
        chances = odds.chances((assessment.remaining(history.taken_before) - planned).astype(np.float64))
        return float(chances[arms.index][mine].sum())
    if not draw.round.design.equal:
        return None
    left = np.where(here, assessment.cells.size - history.taken, 0)
    return float(left[mine].sum() / left.sum())


def _item(assessment: Assessment, history: History, draw: Draw, seed: int, item_at: ItemAt) -> tuple[PoolItem, int]:
    """The item of a draw, and among how many of equal chance it was drawn."""
    design, cell, size = draw.round.design, draw.cell, int(assessment.cells.size[draw.cell])
    if not design.repeats:
        taken = history.taken_before if design.weighs else history.taken  # weights are chances in the round as a whole
        return first_free(history, cell, item_at), assessment.remaining_in(draw.arm, taken)
    among, drawn = size - history.out_of_reach(cell, design), history.drawn_in(cell, design)
    place = int(Keyed(seed, history.draws + 1).uniform(Use.CELL) * among)
    if place < len(drawn) or size == history.taken[cell]:
        again = history.queries[drawn[place % len(drawn)]]
        return PoolItem(again.item, again.cell, again.predicted, again.score, again.payload), among
    return first_free(history, cell, item_at), among


def first_free(history: History, cell: int, item_at: ItemAt) -> PoolItem:
    """The next item of the cell in keyed order that is neither asked nor labelled by a uniform draw outside."""
    position = 0 if cell in history.returned else int(history.asked[cell])  # items before that are taken
    while True:
        row = item_at(cell, position)
        assert row is not None  # the cell has items left
        if not is_taken(history, row.item):
            return row
        position += 1


def is_taken(history: History, item: Item) -> bool:
    """Whether the item was asked, or told with a known origin: it is not free to be drawn."""
    return item in history.queries or (item in history.labels and item not in history.apart)
