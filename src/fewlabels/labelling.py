"""Reading what somebody typed as a label."""

import difflib
from typing import Any

from fewlabels.errors import LabelError, listed


def read_label(value: object, classes: tuple[str, ...], positive: str | None = None) -> str:
    """The class a label names. A whole number that is no name is an index, as in the pool's predictions; in a pool of
    one positive class, True and 1 mean it, False and 0 the other.

    >>> read_label(1, ("not fraud", "fraud"), "fraud")
    'fraud'
    """
    plain: Any = value.item() if hasattr(value, "item") else value
    name = str(plain)
    if name in classes:
        return name
    if positive is not None and len(classes) == 2 and name in ("0", "1", "True", "False"):
        return positive if name in ("1", "True") else next(c for c in classes if c != positive)
    if isinstance(plain, int) and not isinstance(plain, bool) and 0 <= plain < len(classes):
        return classes[plain]
    near = difflib.get_close_matches(name, classes, n=3)
    hint = f"did you mean {' or '.join(repr(n) for n in near)}?" if near else f"classes are {listed(classes)}."
    raise LabelError(
        f"unknown label {plain!r}: {hint} A true class no model predicts goes into other_labels= of the pool."
    )
