"""What happened in a study. Events are appended, never edited; everything else is folded from them."""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from fewlabels.core.cells import Cells
from fewlabels.core.design import design_named
from fewlabels.core.odds import Odds
from fewlabels.core.round import Round

Item: TypeAlias = str | int
Drawn: TypeAlias = Literal["uniform", "unknown"]


@dataclass(frozen=True, slots=True)
class Query:
    """An item somebody was asked to label, with how it came to be chosen.

    `probability` is the chance this very item had of being this query, given all that went before; None where the
    strategy does not know it (Thompson sampling). Where draws are with replacement an item may be drawn again: that is
    a query of its own, but nobody is asked twice.
    """

    item: Item
    group: str
    arm: int  # what the strategy chose
    cell: int  # of that arm
    predicted: str
    score: float
    number: int  # 1, 2, … in the order of asking
    round: int  # queries of one round share one draw of the belief
    design: str  # how it came to be drawn: a name of facts, see `core/design.py`
    probability: float | None
    payload: Mapping[str, Any] = field(default_factory=dict, hash=False)
    at: str = ""
    labels: int = 1  # of how many labellers it wants one


@dataclass(frozen=True, slots=True)
class Leased:
    """An open query is a labeller's until then; nobody else gets it, unless it wants several labels."""

    item: Item
    by: str
    until: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class Released:
    """A labeller gives an open query back before its time."""

    item: Item
    by: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class Planned:
    """The arms chosen at once for a round of several queries, with the probability of each where it is known."""

    round: int
    arms: tuple[int, ...]
    design: str
    at: str = ""
    probabilities: tuple[float, ...] = ()
    frame: int = 0  # the lowest score stratum that could have been drawn; "floor" where it is kept
    uniform: float = 0.0  # the share of every item alike in the chances of each draw,
    worth: str = ""  # and by what the rest goes; nothing where that is not known
    wanted: int = 1  # how many items somebody waited for

    @property
    def decided(self) -> Round:
        """What was decided for the round."""
        odds = Odds.from_text(self.uniform, self.worth) if self.worth else None
        return Round(self.arms, self.probabilities, design_named(self.design), self.frame, odds)


@dataclass(frozen=True, slots=True)
class Told:
    """The true class of an item. `drawn` is set for items never asked: how they came about."""

    item: Item
    label: str
    by: str | None = None
    drawn: Drawn | None = None
    cell: int | None = None  # for items never asked, what a query would have said of them
    predicted: str | None = None
    score: float | None = None
    at: str = ""


@dataclass(frozen=True, slots=True)
class Corrected:
    """The true class of an item, in place of what was told before or of a skip."""

    item: Item
    label: str
    by: str | None = None
    at: str = ""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A label or a skip taken back: an item that was asked is open again, one that was not is as if never told."""

    item: Item
    by: str | None = None
    at: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """An open query nobody could answer."""

    item: Item
    reason: str | None = None
    by: str | None = None
    at: str = ""


@dataclass(frozen=True, slots=True)
class Relocated:
    """The pool's file, or files, were found in another place."""

    source: str
    items: str | None = None  # the file of texts and attributes, where there are two
    by: str | None = None
    at: str = ""
    part: int = 0  # of a pool that was extended: which of its files


@dataclass(frozen=True, slots=True)
class Extended:
    """New items of the same model: from here on they are a part of the pool, beside what it was before."""

    pool: Mapping[str, Any] = field(hash=False)  # what a study needs of a pool it does not have: see `StudyRecord`
    packed: str  # the cells of the new items by themselves
    by: str | None = None
    at: str = ""

    @classmethod
    def by_cells(cls, pool: Mapping[str, Any], cells: Cells, by: str | None = None, at: str = "") -> "Extended":
        """An extension by items that fall into these cells."""
        return cls(pool, base64.b64encode(cells.to_bytes()).decode(), by, at)

    @property
    def cells(self) -> Cells:
        return Cells.from_bytes(base64.b64decode(self.packed, validate=True))


@dataclass(frozen=True, slots=True)
class Changed:
    """Settings that hold from here on: budget and goal, by name and as plain data."""

    settings: Mapping[str, Any] = field(hash=False)
    by: str | None = None
    at: str = ""


Event: TypeAlias = (
    Query | Leased | Released | Planned | Told | Corrected | Withdrawn | Skipped | Relocated | Changed | Extended
)

_KINDS: dict[str, Callable[..., Event]] = {
    "asked": Query,
    "leased": Leased,
    "released": Released,
    "planned": Planned,
    "told": Told,
    "corrected": Corrected,
    "withdrawn": Withdrawn,
    "skipped": Skipped,
    "relocated": Relocated,
    "changed": Changed,
    "extended": Extended,
}
_UNSAID = ("by", "drawn", "cell", "predicted", "score", "reason")  # left out where they are None, as in most events
_USUALLY = {"labels": 1, "part": 0}  # and these where they are so
_NAMES = {cls: name for name, cls in _KINDS.items()}


def event_to_json(event: Event) -> tuple[str, dict[str, Any]]:
    """An event's kind and its content as plain data."""
    said = ((name, getattr(event, name)) for name in type(event).__slots__)
    data: dict[str, Any] = {name: value for name, value in said if value is not None or name not in _UNSAID}
    for name, usual in _USUALLY.items():
        if data.get(name) == usual:
            del data[name]
    if isinstance(event, Planned):
        data |= {"arms": list(event.arms), "probabilities": list(event.probabilities), "floor": data.pop("frame")}
        if not event.worth:
            del data["uniform"], data["worth"]
        if event.wanted == 1:
            del data["wanted"]
    return _NAMES[type(event)], data


def event_from_json(kind: str, data: Mapping[str, Any]) -> Event:
    """The event that `event_to_json` wrote."""
    if kind != "planned":
        return _KINDS[kind](**data)
    more = {name: tuple(data.get(name, ())) for name in ("arms", "probabilities")}
    return Planned(**{**{name: data[name] for name in data if name != "floor"}, **more, "frame": data.get("floor", 0)})


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
