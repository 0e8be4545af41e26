"""What may be told of an item, given what is known of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, get_args

from fewlabels.core.events import Drawn, Item, Skipped, Told
from fewlabels.core.history import History
from fewlabels.core.typed import read_label
from fewlabels.engines import PoolItem
from fewlabels.errors import LabelError
from fewlabels.step import is_taken
from fewlabels.study.folding import Folding


class Given(NamedTuple):
    """What somebody says of an item: its label, or that it cannot be told."""

    item: Item
    label: object = None  # None where it is skipped
    by: str | None = None
    reason: str | None = None  # of a skip

    def read(self, classes: tuple[str, ...], positive: str | None, item: Callable[[Item], Item]) -> "Given":
        """The same with item and label as the study writes them."""
        label = None if self.label is None else read_label(self.label, classes, positive)
        return self._replace(item=item(self.item), label=label)


def recording(
    history: History, given: Given, drawn: Drawn | None, rows: Mapping[Item, PoolItem], now: str
) -> Told | Skipped | None:
    """The event of what is given; None where it is known already, an error where it cannot be.

    `rows` says where items that were never asked lie in the pool.
    """
    if given.label is not None:
        return _telling(history, given.item, str(given.label), given.by, drawn, rows, now)
    if given.item not in history.open:
        raise LabelError(
            f"item {given.item!r} is not open, so it cannot be skipped; open are {names_of(history.open)}."
        )
    return Skipped(given.item, given.reason, given.by, now)


def _telling(
    history: History,
    item: Item,
    label: str,
    by: str | None,
    drawn: Drawn | None,
    rows: Mapping[Item, PoolItem],
    now: str,
) -> Told | None:
    if item in history.open:
        return _one_more(history, item, Told(item, label, by, at=now))
    if item in history.labels and not (item in history.apart and drawn == "uniform" and history.labels[item] == label):
        if history.labels[item] != label:
            raise LabelError(
                f"item {item!r} was told {history.labels[item]!r} before and is now told {label!r}; "
                "if the first was wrong, use correct()."
            )
        return None
    if item in history.skipped:
        raise LabelError(f"item {item!r} was skipped; if it can be labelled after all, use correct().")
    if drawn is not None and drawn not in get_args(Drawn):
        raise LabelError(f"drawn is 'uniform' or 'unknown': how the items came about; got {drawn!r}.")
    if drawn is None:
        raise LabelError(
            f"item {item!r} was never asked; open are {names_of(history.open)}. For labels you have already, say how "
            "their items were chosen: drawn='uniform' (a uniform sample of the pool) or drawn='unknown'."
        )
    row = rows[item]
    return Told(item, label, by, drawn, row.cell, row.predicted, row.score, now)


def _one_more(history: History, item: Item, told: Told) -> Told | None:
    """A label of an open query; where it wants those of several labellers, one of each."""
    if history.open[item].labels == 1:
        return told
    if told.by is None:
        raise LabelError(f"item {item!r} wants labels of several people; say whose this is: by='ann'.")
    before = history.opinions.get(item, {}).get(told.by)
    if before is not None and before != told.label:
        raise LabelError(
            f"item {item!r} was told {before!r} by {told.by!r} before and is now told {told.label!r}; if the first was "
            f"wrong, take it back with withdraw({item!r}, by={told.by!r})."
        )
    return told if before is None else None


def never_asked(
    folding: Folding, items: Iterable[Item], find: Callable[[Sequence[Item]], list[PoolItem | None]], count: int
) -> dict[Item, PoolItem]:
    """Where items that were never asked or told lie in the pool; where they are not, an error."""
    with folding.held() as history:
        wanted = [item for item in items if not is_taken(history, item)]
    if wanted:  # others may have asked or told them meanwhile
        with folding.current() as history:
            wanted = [item for item in wanted if not is_taken(history, item)]
    rows = find(wanted) if wanted else []
    for item, row in zip(wanted, rows, strict=True):
        if row is None:
            raise LabelError(f"item {item!r} is not in the pool of {count:,} items; check its id.")
    return {item: row for item, row in zip(wanted, rows, strict=True) if row is not None}


def names_of(items: Iterable[Item]) -> str:
    """The first few items, in words."""
    names = [repr(item) for item in items]
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") if names else "none"
