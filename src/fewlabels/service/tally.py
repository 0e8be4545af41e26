"""Who was given which item, and who said something of it: folded from a study's events as they come."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import Any, TypeAlias

from fewlabels.core.events import Corrected, Event, Item, Leased, Query, Skipped, Told, Withdrawn

_LATELY = 200  # labels of somebody that their pace is read off
Act: TypeAlias = tuple[str, str | None]  # such as ("tell", "cat")
WITHDRAWN: Act = ("withdraw", None)
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
        self._lock, self._reading = threading.Lock(), threading.Lock()
        self._had: dict[Item, set[str]] = {}  # to whom an item was given
        self._acts: dict[Item, dict[str, Act]] = {}  # what each one last did with an item, the latest last
        self._work: dict[str, Work] = {}
        self._counted: set[tuple[Item, str]] = set()  # labels, skips among them, that count as somebody's work
        self._shown: dict[Item, Mapping[str, Any]] = {}  # of items that want several labels
        self.seen = 0

    def catch_up(self) -> int:
        """Read what is new; how many events there are."""
        with self._reading:
            new = self._events_after(self.seen)
            with self._lock:  # nobody waits for it while events are read
                for event in new:
                    self._fold(event)
                    self.seen += 1
            return self.seen

    def had(self, item: Item, by: str) -> bool:
        """Whether an item was given to somebody: by this service, or as far as events were read."""
        with self._lock:
            return by in self._had.get(item, ())

    def said(self, item: Item, by: str) -> bool:
        """Whether a label, or skip, of an item is theirs."""
        return self._acts_of(item).get(by, WITHDRAWN) != WITHDRAWN

    def did(self, item: Item, by: str, act: Act) -> bool:
        """Whether that is what they last did with an item."""
        return self._acts_of(item).get(by) == act

    def did_last(self, item: Item, by: str, act: Act) -> bool:
        """Whether that is what they last did with an item, and nobody did anything since."""
        return [*self._acts_of(item).items()][-1:] == [(by, act)]

    def wants_several(self, item: Item) -> bool:
        """Whether an item wants labels of several people."""
        return item in self._shown

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

    def _acts_of(self, item: Item) -> dict[str, Act]:
        self.catch_up()
        with self._lock:
            return dict(self._acts.get(item, {}))

    def _fold(self, event: Event) -> None:
        match event:
            case Query() if event.labels > 1:
                self._shown[event.item] = event.payload
            case Leased():
                self._had.setdefault(event.item, set()).add(event.by)
            case Told():
                self._note(event, ("tell", event.label))
            case Skipped():
                self._note(event, ("skip", event.reason))
            case Corrected():
                self._note(event, ("correct", event.label))
            case Withdrawn():
                self._withdraw(event)

    def _note(self, event: Told | Skipped | Corrected, act: Act) -> None:
        by = event.by or ""
        did, acts = self._work.setdefault(by, Work()), self._acts.setdefault(event.item, {})
        standing = {who for who, what in acts.items() if what != WITHDRAWN}
        if by not in standing and not (standing and isinstance(event, Corrected)):
            did.labels += 1
            self._counted.add((event.item, by))
        did.skips += (act[0] == "skip") - (acts.get(by, WITHDRAWN)[0] == "skip")
        if not isinstance(event, Corrected):
            did.times.append(event.at)
        acts.pop(by, None)
        acts[by] = act

    def _withdraw(self, event: Withdrawn) -> None:
        by, acts = event.by or "", self._acts.setdefault(event.item, {})
        own = self.wants_several(event.item) and acts.get(by, WITHDRAWN) != WITHDRAWN  # one's own among several
        for who in [by] if own else list(acts):
            if acts[who] != WITHDRAWN:
                if (event.item, who) in self._counted:
                    self._work[who].labels -= 1
                    self._counted.remove((event.item, who))
                self._work[who].skips -= acts[who][0] == "skip"
                acts[who] = WITHDRAWN
        acts.pop(by, None)
        acts[by] = WITHDRAWN
