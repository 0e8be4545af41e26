"""What clients send, and what they get."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, StringConstraints

from fewlabels.service.access import Role

_CLEAN = r"^[^\x00-\x1f\x7f]*$"  # no control characters
Name: TypeAlias = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=100, pattern=_CLEAN)]
StudyName: TypeAlias = Annotated[  # part of addresses
    str,
    StringConstraints(strict=True, min_length=1, max_length=100, pattern=r"^[^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*$"),
]
Key: TypeAlias = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=100, pattern=_CLEAN)]
Text: TypeAlias = Annotated[str, StringConstraints(strict=True, max_length=2000, pattern=r"^[^\x00]*$")]
ItemId: TypeAlias = (
    Annotated[StrictStr, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")]
    | Annotated[StrictInt, Field(ge=-(2**63), lt=2**63)]
)
Number: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
Whole: TypeAlias = Annotated[StrictInt, Field(ge=-(2**53), le=2**53)]


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
    query: Annotated[str, StringConstraints(strict=True, max_length=20_000)] | None = None
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

    half_width: Number | None = None
    of: Literal["groups", "overall"] = "groups"  # of a half-width
    probability: Number | None = None
    variance: Number | None = None


class Asking(Body):
    """A question about the model; without `by`, groups are predicted classes where the question needs groups."""

    kind: Literal["estimate", "identify", "compare", "below", "above"] = "estimate"
    metric: Name | Annotated[list[Name], Field(min_length=1, max_length=10)] = "accuracy"
    by: Annotated[list[Name], Field(max_length=5)] | None = None
    positive: Name | None = None
    top: Annotated[StrictInt, Field(ge=-1000, le=1_000_000)] | None = None
    which: Literal["worst", "best", "highest", "lowest"] | None = None
    a: Name | None = None
    b: Name | None = None
    rope: Number | None = None
    threshold: Number | None = None
    within: Number | None = None


class NewStudy(Body):
    """A study to be made of a pool that the owner put into the service's folder."""

    name: StudyName
    pool: Name
    question: Asking = Asking(by=["predicted_class"])
    until: Goal | None = None
    budget: Whole | None = None
    labels_per_item: Annotated[StrictInt, Field(ge=1, le=20)] = 1
    overlap: Number = 1.0
    seed: Annotated[StrictInt, Field(ge=0, lt=2**63)] = 0


class Change(Body):
    """What is to be different from here on; null takes a limit away."""

    budget: Whole | None = None
    until: Goal | None = None
    skips: Literal["worst", "ignorable"] = "worst"


class Link(Body):
    """Access for somebody, for so many hours."""

    by: Name
    role: Role = "labeller"
    hours: Annotated[float, Field(gt=0, le=24 * 366, allow_inf_nan=False)] = 24 * 7


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
    """How far the study is."""

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


class Linked(BaseModel):
    url: str
    token: str
    expires: str


class Session(BaseModel):
    by: str
    role: Role
    study: str | None
    csrf: str


class Classes(BaseModel):
    classes: list[str]
    positive: str | None
