"""What clients send, and what they get."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, StringConstraints

from fewlabels.service.access import Role

_CLEAN = r"^[^\x00-\x1f\x7f]*$"  # no control characters
Name: TypeAlias = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=100, pattern=_CLEAN)]
Key: TypeAlias = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=100, pattern=_CLEAN)]
Text: TypeAlias = Annotated[str, StringConstraints(strict=True, max_length=2000, pattern=r"^[^\x00]*$")]
ItemId: TypeAlias = (
    Annotated[StrictStr, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")]
    | Annotated[StrictInt, Field(ge=-(2**63), lt=2**63)]
)


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Ask(Body):
    """How many items; `by` is the owner's to say, a labeller's name stands in the link."""

    n: Annotated[int, Field(ge=1, le=50)] = 1
    by: Name | None = None


class OfItem(Body):
    """Which item: its id, or what `ask` called the query. `key` is made by the client: sent again with the same one,
    the same thing is done once."""

    item: ItemId | None = None
    query: Key | Annotated[str, StringConstraints(max_length=4000)] | None = None
    key: Key | None = None
    by: Name | None = None


class Tell(OfItem):
    label: Text


class Skip(OfItem):
    reason: Text | None = None


class Release(Body):
    items: Annotated[list[ItemId], Field(max_length=200)]
    by: Name | None = None


class Goal(Body):
    """When it is enough: one of these."""

    half_width: float | None = None
    of: Literal["groups", "overall"] = "groups"  # of a half-width
    probability: float | None = None
    variance: float | None = None


class Change(Body):
    """What is to be different from here on; null takes a limit away."""

    budget: Annotated[StrictInt, Field(ge=-(2**53), le=2**53)] | None = None
    until: Goal | None = None


class Link(Body):
    """Access for somebody, for so many hours."""

    by: Name
    role: Role = "labeller"
    hours: Annotated[float, Field(gt=0, le=24 * 366)] = 24 * 7


class Asked(BaseModel):
    """An item to label. Group and guess are there only where labellers are to see them."""

    item: str | int
    query: str
    payload: dict[str, Any]
    lease_until: str
    group: str | None = None
    guess: str | None = None


class Left(BaseModel):
    low: int
    likely: int
    high: int


class ProgressData(BaseModel):
    """How far the study is; `of` says after how many of its labels that was looked at."""

    labels: int
    done: bool
    reason: str
    left: str | None
    labels_left: Left | None
    budget: int | None
    mine: int


class Queries(BaseModel):
    queries: list[Asked]
    done: bool
    reason: str


class Recorded(BaseModel):
    """`recorded` is true when it is on disk."""

    recorded: Literal[True] = True
    labels: int
    progress: ProgressData


class Classes(BaseModel):
    classes: list[str]
    positive: str | None


class Error(BaseModel):
    error: str
