"""What may be told of an item, given what is known of it."""

from collections.abc import Iterable, Mapping
from typing import get_args

from fewlabels.core.events import Drawn, Item, Told
from fewlabels.core.evidence import History
from fewlabels.engines import PoolItem
from fewlabels.errors import LabelError


def telling(
    history: History,
    item: Item,
    label: str,
    by: str | None,
    drawn: Drawn | None,
    rows: Mapping[Item, PoolItem],
    now: str,
) -> Told | None:
    """The event of a label; None where it is known already, an error where it cannot be.

    `rows` says where items that were never asked lie in the pool.
    """
    if item in history.open:
        return Told(item, label, by, at=now)
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


def names_of(items: Iterable[Item]) -> str:
    """The first few items, in words."""
    names = [repr(item) for item in items]
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") if names else "none"
