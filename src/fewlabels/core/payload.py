"""What labellers are shown of an item, as one text that stands for it."""

import json
from typing import Any


def payload_text(value: Any) -> str:
    """A value as text, the same before and after it was stored; nothing for what is missing.

    >>> payload_text("hello"), payload_text(None), payload_text(["a", 1])
    ('hello', '', '["a", 1]')
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()  # half characters too
    if value is None or value != value:
        return ""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
