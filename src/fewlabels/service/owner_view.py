"""What the owner of a study sees: the answer as it is now, what is in doubt, and who labels how fast."""

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from fewlabels.answers import Comparison, Finding, Identification
from fewlabels.core.events import Item, payload_text
from fewlabels.errors import FewlabelsError
from fewlabels.figures import FIGURES, Figure
from fewlabels.reporting.data import labels_behind
from fewlabels.reporting.doubts import Doubt, doubts
from fewlabels.reporting.pictures import quick
from fewlabels.reporting.verdict import Verdict, verdict
from fewlabels.service.rendering import rendered
from fewlabels.service.studies import Served
from fewlabels.study.look import Look, look

_MAIN = ("groups", "difference", "confusion", "models")  # what is known of each part of the question
_MOST_DISAGREEMENTS = 20  # shown at once


@dataclass(frozen=True)
class Person:
    """What somebody did, and how fast."""

    by: str
    labels: int
    skips: int
    an_hour: int | None  # labels, when they work; None where too few are there to tell


@dataclass(frozen=True)
class Open:
    """An item to decide on."""

    item: Item
    shown: str
    opinions: Mapping[str, str]
    label: str  # what it counts as until somebody decides


@dataclass(frozen=True)
class Live:
    """The study at one moment, for its owner."""

    events: int
    labels: int
    sentence: str
    verdict: Verdict
    overall: Finding | None
    difference: Finding | None
    identification: Identification | None
    doubts: tuple[Doubt, ...]
    figures: tuple[Figure, ...]
    people: tuple[Person, ...]
    agreement: tuple[int, float, float] | None  # items that several labelled, share of pairs that agree, beyond chance
    disagreements: tuple[Open, ...]
    more: int  # disagreements that are not shown


def live(served: Served) -> Live:
    """What there is to see now."""
    events = served.tally.catch_up()
    seen = look(served.study)
    answer = seen.answer
    several = isinstance(answer, Identification | Comparison)
    differ = served.study.disagreements
    return Live(
        events,
        seen.evidence.count if seen.question.of_models else labels_behind(answer),
        answer.sentence,
        verdict(seen),
        None if several else answer.overall,
        answer.difference if isinstance(answer, Comparison) else None,
        answer if isinstance(answer, Identification) else None,
        doubts(seen),
        _figures(seen),
        people(served),
        _agreement(served),
        tuple(_open(served, *one) for one in differ[:_MOST_DISAGREEMENTS]),
        max(len(differ) - _MOST_DISAGREEMENTS, 0),
    )


def people(served: Served) -> tuple[Person, ...]:
    """Everybody who labelled, the busiest first; who only decided between others is not among them."""
    found = []
    for by, did in served.tally.work().items():
        if not did.labels:
            continue
        pace = did.seconds_a_label
        found.append(Person(by, did.labels - did.skips, did.skips, round(3600 / pace) if pace else None))
    return tuple(sorted(found, key=lambda person: (-person.labels, person.by)))


def _figures(seen: Look) -> tuple[Figure, ...]:
    """The answer as the labels came in, and by group, as far as they are quickly made."""
    names = ["by_labels", next((name for name in _MAIN if FIGURES[name].fits(seen)), "")]
    found, soon = [], quick(seen)
    for name in names:
        if name not in soon:
            continue
        try:
            found.append(FIGURES[name].make(seen))
        except FewlabelsError:  # there is nothing to be drawn yet
            continue
    return tuple(found)


def _agreement(served: Served) -> tuple[int, float, float] | None:
    found = served.study.agreement
    return None if found.items == 0 or math.isnan(found.raw) else (found.items, found.raw, found.krippendorff)


def _open(served: Served, item: Item, opinions: Mapping[str, str], label: str) -> Open:
    texts = [payload_text(value) for value in served.tally.shown(item).values()]
    return Open(item, " · ".join(text for text in texts if text) or str(item), opinions, label)


class LiveParts:
    """The part of owners' pages that moves: made once for as many as look at it, and again when something happened."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: WeakKeyDictionary[Served, _Made] = WeakKeyDictionary()

    def of(self, served: Served) -> str:
        """Its text as of now."""
        with self._lock:
            made = self._made.setdefault(served, _Made())
        with made.lock:
            if made.events != served.tally.catch_up():
                now = live(served)
                made.text, made.events = rendered("live.html.j2", live=now), now.events
            return made.text


@dataclass
class _Made:
    lock: threading.Lock = field(default_factory=threading.Lock)
    events: int = -1
    text: str = ""
