"""A page, word by word, against the page as it should be."""

import html
import re
from collections.abc import Iterator

from fewlabels.figures import FIGURES
from fewlabels.verification.replay import Difference

_PICTURE = re.compile(r'<section id="picture-(?P<name>[a-z_-]+)">')
_LEFT_OUT = "pictures-left-out"


def pictures_apart(page: str, due: str) -> tuple[str, ...]:
    """The pictures that one of two pages has and the other has not: some need the pool."""
    one, other = (set(_PICTURE.findall(text)) for text in (page, due))
    return tuple(sorted((one ^ other) & set(FIGURES)))


def other_words(page: str, due: str) -> Iterator[Difference]:
    """Where the page reads otherwise than it should, but for pictures that cannot be drawn here."""
    apart = pictures_apart(page, due)
    gone = [f"picture-{name}" for name in apart] + ([_LEFT_OUT] if apart else [])
    stated, expected = (_without(text, gone).splitlines() for text in (page, due))
    for number, (one, other) in enumerate(zip(stated, expected, strict=False), start=1):
        if one != other:
            yield Difference(f"the page, line {number}", f"it reads {_words(one)!r}, and should read {_words(other)!r}")
    if len(stated) != len(expected):
        yield Difference("the page", f"it has {len(stated):,} lines, and should have {len(expected):,}")


def _without(page: str, sections: list[str]) -> str:
    for name in sections:
        page = re.sub(rf'<section id="{name}">.*?</section>\n?', "", page, count=1, flags=re.DOTALL)
    return page


def _words(line: str) -> str:
    """What a reader sees of a line, or where that is nothing, the line."""
    seen = html.unescape(re.sub(r"<[^>]*>", " ", line))
    text = " ".join(seen.split()) or line.strip()
    return text if len(text) <= 120 else f"{text[:117]}…"
