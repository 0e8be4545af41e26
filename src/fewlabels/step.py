"""One more event: the step that a live study and a simulation both drive."""

from collections.abc import Callable

from fewlabels.assessment import Assessment
from fewlabels.core.choice import Choice, cell_within
from fewlabels.core.events import Item, Planned, Query
from fewlabels.core.evidence import WEIGHTED, History
from fewlabels.core.keyed import Keyed, Use
from fewlabels.engines import Row

ItemAt = Callable[[int, int], Row | None]  # the item at a position of a cell's keyed order
MOST_AHEAD = 64  # items of a cell drawn at once


def ahead(draw: Callable[[int, int, int], list[Row]]) -> ItemAt:
    """Items drawn in blocks, each as large as all of its cell before it: few are drawn for nothing.

    `draw` gives so many items of a cell, from a position on.
    """
    blocks: dict[int, tuple[int, list[Row]]] = {}  # the last of each cell, and the position it starts at

    def item_at(cell: int, position: int) -> Row | None:
        start, rows = blocks.get(cell, (0, []))
        if not start <= position < start + len(rows):
            start, rows = position, draw(cell, position, min(position + 1, MOST_AHEAD))
            blocks[cell] = start, rows
        return rows[position - start] if rows else None

    return item_at


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
    """The next query, or before it the round it belongs to where that has several; None when no item is left.

    `wanted` is how many items somebody waits for: a round planned for them may be larger than it would be otherwise.
    """
    possible = (c for c in history.planned() if _possible(assessment, history, c))
    if (choice := next(possible, None)) is not None:
        return _query(assessment, history, choice, history.rounds, item_at, seed, now)
    number = history.rounds + 1
    choices = assessment.choose(
        history.evidence(),
        history.pending,
        history.taken,
        Keyed(seed, number),
        None if budget is None else budget - history.spent,
        wanted,
    )
    if not choices:
        return None
    if len(choices) > 1 or choices[0].design in WEIGHTED:
        known = tuple(c.probability for c in choices if c.probability is not None)
        return Planned(number, tuple(c.arm for c in choices), choices[0].design, now, known, choices[0].floor)
    return _query(assessment, history, choices[0], number, item_at, seed, now)


def _possible(assessment: Assessment, history: History, choice: Choice) -> bool:
    """Whether a planned choice has an item left, or can return one asked already where draws are with replacement."""
    design, arm = choice.design, choice.arm
    if assessment.remaining_in(arm, history.taken) > 0:
        return True
    return design in ("round", "whole") and history.urn(arm, int(assessment.cells.size[arm]), design).drawn > 0


def _query(
    assessment: Assessment, history: History, choice: Choice, round_: int, item_at: ItemAt, seed: int, now: str
) -> Query:
    number = history.draws + 1
    row, among = _item(assessment, history, choice, Keyed(seed, number), item_at)
    return Query(
        item=row.item,
        group=assessment.view.groups.labels[assessment.view.groups.index[row.cell]],
        arm=choice.arm,
        cell=row.cell,
        predicted=row.predicted,
        score=row.score,
        number=number,
        round=round_,
        design=choice.design,
        probability=None if choice.probability is None else choice.probability / among,
        payload=row.payload,
        at=now,
    )


def _item(assessment: Assessment, history: History, choice: Choice, keyed: Keyed, item_at: ItemAt) -> tuple[Row, int]:
    """The item of the chosen arm, and among how many of equal chance it was drawn."""
    size, arm = assessment.cells.size, choice.arm
    if choice.design == "once":
        return _first_free(history, arm, item_at), int(size[arm] - history.taken_before[arm])
    if choice.design in ("round", "whole"):
        urn = history.urn(arm, int(size[arm]), choice.design)
        place = int(keyed.uniform(Use.CELL) * urn.items)
        if place < urn.drawn or size[arm] == history.taken[arm]:
            again = history.queries[urn.again(place % urn.drawn)]
            return Row(again.item, again.cell, again.predicted, again.score, again.payload), urn.items
        return _first_free(history, arm, item_at), urn.items
    left = size - history.taken
    cell = cell_within(assessment.arms.index, arm, left, keyed)
    return _first_free(history, cell, item_at), assessment.remaining_in(arm, history.taken)


def _first_free(history: History, cell: int, item_at: ItemAt) -> Row:
    """The next item of the cell in keyed order that is neither asked nor labelled by a uniform draw outside."""
    position = int(history.asked[cell])
    while True:
        row = item_at(cell, position)
        assert row is not None  # the cell has items left
        if not is_taken(history, row.item):
            return row
        position += 1


def is_taken(history: History, item: Item) -> bool:
    """Whether the item was asked, or told with a known origin: it is not free to be drawn."""
    return item in history.queries or (item in history.labels and item not in history.apart)
