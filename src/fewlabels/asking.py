"""One more query: the step that a live study and a simulation both drive."""

from collections.abc import Callable

from fewlabels.assessment import Assessment
from fewlabels.core.events import Item, Planned, Query
from fewlabels.core.evidence import History
from fewlabels.core.keyed import Keyed
from fewlabels.core.step import Choice, cell_within
from fewlabels.engines import Row


def next_query(
    assessment: Assessment, history: History, item_at: Callable[[int, int], Row | None], now: str
) -> tuple[Planned | None, Query] | None:
    """The next query, and the round it opens where that has several; None when no item is left.

    `item_at(cell, position)` is the item at that position of the cell's keyed order.
    """
    seed = assessment.settings.seed
    remaining = assessment.remaining(history.taken)
    planned = None
    arms = [arm for arm in history.plan if remaining[arm] > 0]
    if arms:
        choice, round_ = Choice(arms[0], history.plan_design), history.rounds
    else:
        round_ = history.rounds + 1
        choices = assessment.choose(history.evidence(), history.pending, history.taken, Keyed(seed, round_))
        if not choices:
            return None
        choice = choices[0]
        if len(choices) > 1:
            planned = Planned(round_, tuple(c.arm for c in choices), choice.design, now)
    number = len(history.queries) + 1
    left = assessment.cells.size - history.taken
    cell = cell_within(assessment.arms.index, choice.arm, left, Keyed(seed, number))
    row = _first_free(history, cell, item_at)
    query = Query(
        item=row.item,
        group=assessment.view.groups.labels[assessment.view.groups.index[cell]],
        arm=choice.arm,
        cell=cell,
        predicted=row.predicted,
        score=row.score,
        number=number,
        round=round_,
        design=choice.design,
        probability=None if choice.probability is None else choice.probability / int(remaining[choice.arm]),
        payload=row.payload,
        at=now,
    )
    return planned, query


def _first_free(history: History, cell: int, item_at: Callable[[int, int], Row | None]) -> Row:
    """The next item of the cell in keyed order that is neither asked nor labelled by a uniform draw outside."""
    position = int(history.asked[cell])
    while True:
        row = item_at(cell, position)
        assert row is not None  # the cell has items left
        if not _is_taken(history, row.item):
            return row
        position += 1


def _is_taken(history: History, item: Item) -> bool:
    return item in history.queries or (item in history.labels and item not in history.apart)
