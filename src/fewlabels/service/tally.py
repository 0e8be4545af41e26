"""Who was given which item, and who said something of it: folded from a study's events as they come."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import Any

from fewlabels.core.events import Corrected, Event, Item, Leased, Query, Skipped, Told, Withdrawn

_LATELY = 200  # labels of somebody that their pace is read off
_PAUSE = 600.0  # seconds; a longer gap between two labels is a pause, not work


@dataclass
class Work:
    """What one labeller did."""

    labels: int = 0
    skips: int = 0
    times: deque[str] = field(default_factory=lambda: deque(maxlen=_LATELY))

    @property
    def seconds_a_label(self) -> float | None:
        """The middle one of the times between two labels, pauses left out; None where there are too few."""
        at = [datetime.fromisoformat(time) for time in self.times]
        gaps = [(b - a).total_seconds() for a, b in zip(at, list(at)[1:], strict=False)]
        return median(found) if (found := [gap for gap in gaps if gap <= _PAUSE]) else None


class Tally:
    """Safe in threads. It may lag behind the study until it has caught up."""

    def __init__(self, events_after: Callable[[int], Iterable[Event]]) -> None:
        self._events_after = events_after
        self._lock = threading.Lock()
        self._had: dict[Item, set[str]] = {}  # to whom an item was given
        self._said: dict[Item, set[str]] = {}  # whose label or skip of an item stands
        self._work: dict[str, Work] = {}
        self._shown: dict[Item, Mapping[str, Any]] = {}  # of items that want several labels
        self.seen = 0

    def catch_up(self) -> int:
        """Read what is new; how many events there are."""
        with self._lock:
            for event in self._events_after(self.seen):
                self._fold(event)
                self.seen += 1
            return self.seen

    def had(self, item: Item, by: str) -> bool:
        """Whether an item was given to somebody; what was given a moment ago need not be read."""
        return self._known(self._had, item, by)

    def said(self, item: Item, by: str) -> bool:
        """Whether the label, or skip, of an item is theirs, among others."""
        self.catch_up()
        return self._known(self._said, item, by)

    def gave(self, items: Iterable[Item], by: str) -> None:
        """Note what was given just now."""
        with self._lock:
            for item in items:
                self._had.setdefault(item, set()).add(by)

    def labels_of(self, by: str) -> int:
        return self._work[by].labels if by in self._work else 0

    def shown(self, item: Item) -> Mapping[str, Any]:
        """What labellers see of an item that wants several labels."""
        return self._shown.get(item, {})

    def work(self) -> dict[str, Work]:
        """What everybody did, by name."""
        self.catch_up()
        with self._lock:
            return {by: Work(did.labels, did.skips, did.times.copy()) for by, did in self._work.items()}

    def _known(self, kept: Mapping[Item, set[str]], item: Item, by: str) -> bool:
        with self._lock:
            if by in kept.get(item, ()):
                return True
        self.catch_up()
        with self._lock:
            return by in kept.get(item, ())

    def _fold(self, event: Event) -> None:
        match event:
            case Query() if event.labels > 1:
                self._shown[event.item] = event.payload
            case Leased():
                self._had.setdefault(event.item, set()).add(event.by)
            case Told() | Skipped() | Corrected():
                self._note(event)
            case Withdrawn():
                gone = self._said.pop(event.item, set())
                if len(gone) > 1 and event.by in gone:  # one's own label among several
                    self._said[event.item], gone = gone - {event.by}, {event.by}
                for by in gone:
                    self._work[by].labels -= 1

    def _note(self, event: Told | Skipped | Corrected) -> None:
        by = event.by or ""
        did, said = self._work.setdefault(by, Work()), self._said.setdefault(event.item, set())
        if by not in said and not (said and isinstance(event, Corrected)):
            did.labels += 1
        if isinstance(event, Skipped):
            did.skips += 1
        did.times.append(event.at)
        said.add(by)
