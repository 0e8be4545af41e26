"""A page, word by word, against the page as it should be."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from fewlabels.reporting.pictures import WITHOUT_POOL
from fewlabels.verification.replay import Difference

_NAME = "[a-z_]+"
_PICTURE = re.compile(rf'<section id="picture-(?P<name>{_NAME})">')
_NO_POOL = re.compile(rf"<li>(?P<name>{_NAME}): {re.escape(WITHOUT_POOL)}</li>")
_NONE_LEFT_OUT = re.compile(
    r'<section id="pictures-left-out">\s*<h3>Pictures that are not here</h3>\s*<ul class="quiet">\s*</ul>\s*</section>'
)


@dataclass(frozen=True)
class Pages:
    """A page as it is handed in, and as it should be."""

    page: str
    due: str

    @property
    def not_drawn(self) -> tuple[str, ...]:
        """The pictures that only one of the two has, because the other was written without the pool."""
        (has, lacks), (due, not_due) = (_pictures(self.page), _pictures(self.due))
        return tuple(sorted((has & not_due) | (due & lacks)))

    def differences(self) -> Iterator[Difference]:
        """Where the page reads otherwise than it should, but for pictures that cannot be drawn here."""
        excused, (has, lacks), (due, not_due) = set(self.not_drawn), _pictures(self.page), _pictures(self.due)
        for name in sorted((due | not_due) - has - lacks):
            yield Difference("the page", f"the picture {name!r} is not there, and should be")
        for name in sorted((has | lacks) - due - not_due):
            yield Difference("the page", f"the picture {name!r} is there, and should not be")
        gone = excused | ((has | lacks) ^ (due | not_due))
        end = (0, "")
        for (number, one), (_, other) in zip_longest(_lines(self.page, gone), _lines(self.due, gone), fillvalue=end):
            if one != other:
                where = f"the page, line {number}" if number else "the page, at its end"
                yield Difference(where, f"it reads {_words(one)!r}, and should read {_words(other)!r}")


def _pictures(page: str) -> tuple[set[str], set[str]]:
    """The pictures of a page, and those it says it lacks for want of the pool."""
    return set(_PICTURE.findall(page)), set(_NO_POOL.findall(page))


def _lines(page: str, gone: set[str]) -> list[tuple[int, str]]:
    """The lines of a page that say something, with their numbers, without these pictures and words of their
    absence."""
    for name in gone:  # each once: a second one of that name is no picture of ours
        page = re.sub(rf'<section id="picture-{name}">.*?</section>', _blank, page, count=1, flags=re.DOTALL)
        page = page.replace(f"<li>{name}: {WITHOUT_POOL}</li>", "", 1)
    page = _NONE_LEFT_OUT.sub(_blank, page, count=1)
    return [(number, line) for number, line in enumerate(page.split("\n"), start=1) if line.strip()]


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _words(line: str) -> str:
    """What a reader sees of a line, or where that is nothing, the line."""
    seen = html.unescape(re.sub(r"<[^>]*>", " ", line))
    text = " ".join(seen.split()) or line.strip()
    return text if len(text) <= 120 else f"{text[:117]}…"
