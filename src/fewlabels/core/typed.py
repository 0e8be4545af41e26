"""Reading what somebody typed: labels, and items' ids."""

import difflib
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from fewlabels.core.events import Item
from fewlabels.errors import LabelError, listed, shortened

_WRITTEN = re.compile(r"0|-?[1-9][0-9]{0,18}")  # the one way in which a whole number is written
_NEARLY = re.compile(r"\s*([+-]?[0-9]{1,19})(\.0*)?\s*")
_LONGEST = 200  # characters of a label that are held against the names of classes
_YES_OR_NO = {"1": True, "1.0": True, "True": True, "0": False, "0.0": False, "False": False}


def match_label(value: object, classes: tuple[str, ...], positive: str | None = None) -> str | None:
    """The class a label names, None if it names none.

    In a pool of one positive class, True and 1 mean it, False and 0 the other. A whole number that is no name is an
    index, as in the pool's predictions, unless classes are called by numbers, or one of two is positive and the index
    says otherwise.

    >>> match_label(1, ("not fraud", "fraud"), "fraud")
    'fraud'
    """
    plain = _plain(value)
    name = str(plain)
    if name in classes:
        return name
    if positive is not None and name in _YES_OR_NO:
        if len(classes) == 2:
            return positive if _YES_OR_NO[name] else next(c for c in classes if c != positive)
        if classes[1] != positive:  # 1 may mean the positive class, or the second
            return None
    whole = not isinstance(plain, bool) and (isinstance(plain, int) or (isinstance(plain, float) and plain % 1 == 0))
    if whole and 0 <= plain < len(classes) and not any(_is_number(c) for c in classes):
        return classes[int(plain)]
    return None


def _plain(value: Any) -> Any:
    """A NumPy number as one of Python; several at once are no label."""
    try:
        return value.item() if hasattr(value, "item") else value
    except (ValueError, RuntimeError):
        return value


def _is_number(name: str) -> bool:
    return re.fullmatch(r"\s*[+-]?[\d.]+(e[+-]?\d+)?\s*", name, re.IGNORECASE) is not None


def match_labels(values: Iterable[object], classes: tuple[str, ...], positive: str | None = None) -> list[str | None]:
    """The class each of many labels names; equal ones are read once."""
    read: dict[tuple[type, str], str | None] = {}  # 1, 1.0 and True are equal but need not name the same class
    out = []
    for value in values:
        key = (type(value), str(value))
        if key not in read:
            read[key] = match_label(value, classes, positive)
        out.append(read[key])
    return out


def read_label(value: object, classes: tuple[str, ...], positive: str | None = None) -> str:
    """The class a label names; an error with the nearest names where it names none."""
    name = match_label(value, classes, positive)
    if name is not None:
        return name
    near = difflib.get_close_matches(str(value)[:_LONGEST], classes, n=3)
    hint = f"did you mean {' or '.join(repr(n) for n in near)}?" if near else f"classes are {listed(classes)}."
    raise LabelError(
        f"unknown label {shortened(value)}: {hint} A true class no model predicts goes into other_labels= of the pool."
    )


def read_item(item: Any, *, whole: bool) -> Item:
    """The id that is meant, in a pool whose ids are whole numbers, or text; another way of writing it is refused.

    >>> read_item("53", whole=True), read_item("053", whole=False)
    (53, '053')
    """
    if not whole:
        return str(item)
    if isinstance(item, int | np.integer) and not isinstance(item, bool):
        return int(item)
    if isinstance(item, str) and _WRITTEN.fullmatch(item):
        return int(item)
    near = _NEARLY.fullmatch(str(item))
    hint = f"did you mean {int(near[1])}?" if near else "check its id."
    raise LabelError(f"item {shortened(item)} is not in the pool, whose ids are whole numbers; {hint}")
