"""What a terminal can show: hidden characters made visible, and plain letters for signs its encoding lacks.

Texts, names and ids come from files of others: an escape sequence in them must not colour, move or rename anything.
"""

import codecs
import json
import sys
import unicodedata
from typing import Any

_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))  # controls, formats such as bidi overrides, half characters, breaks
_JOINERS = "\u200c\u200d"  # part of how Persian, Hindi and some pictures are written
_IN_ASCII = {
    "→": "->", "–": "-", "—": "-", "−": "-", "…": "...", "±": "+/-", "✓": "ok", "×": "x", "·": "|",
    "“": '"', "”": '"', "‘": "'", "’": "'", "≤": "<=", "≥": ">=", "\xa0": " ",
}  # fmt: skip
READABLE = "fewlabels.readable"  # what a stream is told to do with a character it cannot carry


def visible(text: str, encoding: str | None = None) -> str:
    r"""The text with hidden characters written out, and in characters that the encoding can carry.

    >>> visible("\x1b[31mred\r"), visible("3 → 4 é", "ascii")
    ('\\x1b[31mred\\r', '3 -> 4 \\xe9')
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(_escaped(c) if _is_hidden(c) else c for c in text)
    return text if encoding is None else text.encode(encoding, READABLE).decode(encoding)


def visible_json(data: Any, encoding: str | None = None) -> str:
    """The data as JSON in which hidden characters, and those the encoding cannot carry, are JSON's own escapes."""
    whole = (encoding or "utf-8").lower().startswith("utf")
    text = json.dumps(data, ensure_ascii=not whole, allow_nan=False, indent=2)
    return "".join(json.dumps(c)[1:-1] if c != "\n" and _is_hidden(c) else c for c in text) if whole else text


def make_streams_readable() -> None:
    """Let stdout and stderr write other words for what they cannot carry, and stdin read what is no text in its
    encoding as such, rather than fail in mid-sentence."""
    for stream, errors in ((sys.stdout, READABLE), (sys.stderr, READABLE), (sys.stdin, "backslashreplace")):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=errors)


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN and character not in _JOINERS


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _readable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(_IN_ASCII.get(c) or _escaped(c) for c in lost), error.end


codecs.register_error(READABLE, _readable)
