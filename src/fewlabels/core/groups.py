"""How items fall into groups: the groupings a question may name.

A grouping is a small frozen value; engines turn it into an array index (or SQL), settings into JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, TypeAlias, cast

from fewlabels.errors import QuestionError

MISSING = "(missing)"  # the group of items whose attribute is empty


@dataclass(frozen=True, slots=True)
class PredictedClass:
    """Groups by the class the model predicts."""

    label: ClassVar[str] = "predicted class"


@dataclass(frozen=True, slots=True)
class PredictedIs:
    """Two groups: the model predicts this class, or another."""

    positive: str

    @property
    def label(self) -> str:
        return f"predicted {self.positive}"


@dataclass(frozen=True, slots=True)
class TrueClass:
    """Groups by the true class: known only after labelling, so reached through the confusion matrix."""

    label: ClassVar[str] = "true class"


@dataclass(frozen=True, slots=True)
class ScoreBins:
    """Groups by the score of the predicted class.

    `by="width"`: equal parts of [0, 1], each closed below and open above, but for the last, which holds 1.0.
    `by="mass"`: equal numbers of items. Equal scores stay together, so where many items share a score there are fewer,
    unequal bins: a score shared by 90 % of the items is one bin of 90 %.
    """

    count: int = 10
    by: Literal["width", "mass"] = "width"

    def __post_init__(self) -> None:
        if not isinstance(self.count, int) or self.count < 1:
            raise QuestionError(f"ScoreBins needs a whole number of bins, at least 1; got {self.count!r}.")
        if self.by not in ("width", "mass"):
            raise QuestionError(f"ScoreBins are of equal 'width' or equal 'mass'; got {self.by!r}.")

    label: ClassVar[str] = "score bin"


@dataclass(frozen=True, slots=True)
class ScoreLevels:
    """Groups by the score of the predicted class, for estimators: levels that hold equal shares of the items and of
    doubt, sqrt(s (1 - s)), by default half each. Equal scores stay together."""

    count: int = 10
    doubt: float = 0.5  # what equal shares of doubt count, beside those of items

    label: ClassVar[str] = "score level"


@dataclass(frozen=True, slots=True)
class ScoreEdges:
    """Groups by the score of the predicted class, cut at these edges: what equal shares of one pool came to, for
    another. A score on an edge lies above it."""

    edges: tuple[float, ...]

    label: ClassVar[str] = "score level"


@dataclass(frozen=True, slots=True)
class ScoreStrata:
    """Groups by the score of one class, whichever is predicted: finest where it is highest.

    Items are ranked by that score; the first `fineness` ranks are strata of their own, further down each stratum holds
    one part in `fineness` of the ranks above it. Equal scores stay together. A pool of n items has about
    fineness (1 + log(n / fineness)) strata.
    """

    positive: str
    fineness: int = 500

    @property
    def label(self) -> str:
        return f"score of {self.positive}"


@dataclass(frozen=True, slots=True)
class ScoreCuts:
    """Groups by how many of these thresholds the score of one class reaches."""

    positive: str
    thresholds: tuple[float, ...]

    @property
    def label(self) -> str:
        return f"score of {self.positive}"


@dataclass(frozen=True, slots=True)
class Column:
    """Groups by the values of an attribute column."""

    name: str

    @property
    def label(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, init=False)
class ClassMap:
    """Groups by the superclass of the *predicted* class; whether a prediction is right is still judged by class.

    >>> ClassMap({"oak": "trees", "pine": "trees", "boy": "people"}).superclass("oak")
    'trees'
    """

    pairs: tuple[tuple[str, str], ...]

    def __init__(self, superclass_of: Mapping[Any, Any]) -> None:
        if not isinstance(superclass_of, Mapping) or not superclass_of:
            raise QuestionError(f"ClassMap takes {{class: superclass}} for every class; got {superclass_of!r}.")
        object.__setattr__(self, "pairs", tuple((str(c), str(s)) for c, s in superclass_of.items()))

    def superclass(self, name: str) -> str:
        for known, group in self.pairs:
            if known == name:
                return group
        raise QuestionError(f"ClassMap says nothing of class {name!r}; map every class of the pool.")

    label: ClassVar[str] = "predicted superclass"


@dataclass(frozen=True, slots=True)
class OfModel:
    """A grouping by what another model says: labels drawn for one model, read for another."""

    model: str
    grouping: "Grouping"

    @property
    def label(self) -> str:
        return f"{self.grouping.label} of {self.model}"


@dataclass(frozen=True, slots=True)
class PoolPart:
    """Groups by when items came into the pool: those it was made of, and what it was extended by, "1", "2", …"""

    label: ClassVar[str] = "part of the pool"


def of_model(model: str, grouping: "Grouping") -> "Grouping":
    """A grouping by what this model says, unless it says itself by which, or goes by none."""
    return grouping if isinstance(grouping, OfModel | Column | PoolPart) else OfModel(model, grouping)


Grouping: TypeAlias = (
    PredictedClass
    | PredictedIs
    | TrueClass
    | ScoreBins
    | ScoreLevels
    | ScoreEdges
    | ScoreStrata
    | ScoreCuts
    | Column
    | ClassMap
    | OfModel
    | PoolPart
)

OF_SCORES = (
    ScoreBins | ScoreLevels | ScoreEdges | ScoreStrata | ScoreCuts
)  # groupings by the score of the model asked about

OF_PREDICTIONS = PredictedClass | PredictedIs | ClassMap  # groupings by what the model predicts


def parse_by(by: object) -> tuple[Grouping, ...]:
    """The groupings that the argument `by` of a question names; none for the whole pool.

    >>> parse_by(("predicted_class", "column:region"))
    (PredictedClass(), Column(name='region'))
    """
    if by is None:
        return ()
    if isinstance(by, tuple | list):
        parts = tuple(part for one in by for part in parse_by(one))
        if len(set(parts)) != len(parts):
            raise QuestionError(f"by={by!r} names a grouping twice; name each once.")
        return parts
    if isinstance(by, PredictedClass | PredictedIs | TrueClass | ScoreBins | Column | ClassMap):
        return (by,)
    if isinstance(by, str) and by:
        named: dict[str, Grouping] = {
            "predicted_class": PredictedClass(),
            "true_class": TrueClass(),
            "score_bin": ScoreBins(),
        }
        return (named[by] if by in named else Column(by.removeprefix("column:")),)
    raise QuestionError(
        f"by={by!r} is not a grouping; use None, 'predicted_class', 'true_class', 'score_bin', a column's name, "
        "fl.ScoreBins, fl.ClassMap, or a tuple of these."
    )


_KINDS: dict[str, Any] = {
    "of_model": OfModel,
    "predicted_is": PredictedIs,
    "score_bins": ScoreBins,
    "score_levels": ScoreLevels,
    "score_edges": ScoreEdges,
    "score_strata": ScoreStrata,
    "score_cuts": ScoreCuts,
    "column": Column,
    "class_map": ClassMap,
    "true_class": TrueClass,
    "predicted_class": PredictedClass,
    "pool_part": PoolPart,
}
_NAMES = {made: kind for kind, made in _KINDS.items()}


def grouping_to_json(grouping: Grouping) -> dict[str, Any]:
    """A grouping as plain data."""
    return {"kind": _NAMES[type(grouping)], **{f.name: plain(getattr(grouping, f.name)) for f in fields(grouping)}}


def grouping_from_json(data: Mapping[str, Any]) -> Grouping:
    """The grouping that `grouping_to_json` wrote."""
    kind, given = data["kind"], {name: frozen(value) for name, value in data.items() if name != "kind"}
    if kind not in _KINDS:
        raise QuestionError(f"unknown grouping {kind!r} in stored settings; was it written by a newer fewlabels?")
    return ClassMap(dict(given["pairs"])) if kind == "class_map" else cast(Grouping, _KINDS[kind](**given))


def plain(value: Any) -> Any:
    """An argument of a part as JSON has it: groupings as dictionaries, tuples as lists."""
    if type(value) in _NAMES:
        return grouping_to_json(value)
    return [plain(v) for v in value] if isinstance(value, tuple) else value


def frozen(value: Any) -> Any:
    """The argument that `plain` wrote."""
    if isinstance(value, dict):
        return grouping_from_json(value)
    return tuple(frozen(v) for v in value) if isinstance(value, list) else value
