"""Reading what somebody typed as an item's id."""

import re
from typing import Any

import numpy as np

from fewlabels.core.events import Item
from fewlabels.errors import LabelError, shortened

_WRITTEN = re.compile(r"0|-?[1-9][0-9]{0,18}")  # the one way in which a whole number is written
_NEARLY = re.compile(r"\s*([+-]?[0-9]{1,19})(\.0*)?\s*")


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
