"""One more event: the step that a live study and a simulation both drive."""

from collections.abc import Callable

from fewlabels.assessment import Assessment
from fewlabels.core.design import Design
from fewlabels.core.events import Item, Planned, Query
from fewlabels.core.evidence import History
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.round import Round, cell_within
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
    plan = history.plan
    for place in range(history.place, len(plan.arms)):
        if _possible(assessment, history, plan.design, plan.arms[place]):
            return _query(assessment, history, plan, place, history.rounds, item_at, seed, now)
    number = history.rounds + 1
    chosen = assessment.choose(
        history.evidence(),
        history.pending,
        history.taken,
        Keyed(seed, number),
        None if budget is None else budget - history.spent,
        wanted,
    )
    if not chosen.arms:
        return None
    if chosen.planned:
        return Planned(number, chosen.arms, chosen.design.word, now, chosen.probabilities, chosen.frame)
    return _query(assessment, history, chosen, 0, number, item_at, seed, now)


def _possible(assessment: Assessment, history: History, design: Design, arm: int) -> bool:
    """Whether a planned arm has an item left, or can return one asked already where draws are with replacement."""
    if assessment.remaining_in(arm, history.taken) > 0:
        return True
    return design.repeats and history.urn(arm, int(assessment.cells.size[arm]), design).drawn > 0


def _query(
    assessment: Assessment,
    history: History,
    chosen: Round,
    place: int,
    round_: int,
    item_at: ItemAt,
    seed: int,
    now: str,
) -> Query:
    number, arm, probability = history.draws + 1, chosen.arms[place], chosen.probability(place)
    row, among = _item(assessment, history, chosen.design, arm, Keyed(seed, number), item_at)
    return Query(
        item=row.item,
        group=assessment.view.groups.labels[assessment.view.groups.index[row.cell]],
        arm=arm,
        cell=row.cell,
        predicted=row.predicted,
        score=row.score,
        number=number,
        round=round_,
        design=chosen.design.word,
        probability=None if probability is None else probability / among,
        payload=row.payload,
        at=now,
    )


def _item(
    assessment: Assessment, history: History, design: Design, arm: int, keyed: Keyed, item_at: ItemAt
) -> tuple[Row, int]:
    """The item of the chosen arm, and among how many of equal chance it was drawn."""
    size = assessment.cells.size
    if design.repeats:
        urn = history.urn(arm, int(size[arm]), design)
        place = int(keyed.uniform(Use.CELL) * urn.items)
        if place < urn.drawn or size[arm] == history.taken[arm]:
            again = history.queries[urn.again(place % urn.drawn)]
            return Row(again.item, again.cell, again.predicted, again.score, again.payload), urn.items
        return _first_free(history, arm, item_at), urn.items
    cell = cell_within(assessment.arms.index, arm, size - history.taken, keyed)
    taken = history.taken_before if design.weighs else history.taken  # weights are chances in the round as a whole
    return _first_free(history, cell, item_at), assessment.remaining_in(arm, taken)


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
