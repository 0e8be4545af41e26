"""How items fall into groups: the groupings a question may name.

A grouping is a small frozen value; engines turn it into an array index (or SQL), settings into JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from fewlabels.errors import QuestionError

MISSING = "(missing)"  # the group of items whose attribute is empty


@dataclass(frozen=True, slots=True)
class PredictedClass:
    """Groups by the class the model predicts."""

    @property
    def label(self) -> str:
        return "predicted class"


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

    @property
    def label(self) -> str:
        return "true class"


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

    @property
    def label(self) -> str:
        return "score bin"


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

    @property
    def label(self) -> str:
        return "predicted superclass"


@dataclass(frozen=True, slots=True)
class OfModel:
    """A grouping by what another model says: labels drawn for one model, read for another."""

    model: str
    grouping: "Grouping"

    @property
    def label(self) -> str:
        return f"{self.grouping.label} of {self.model}"


Grouping: TypeAlias = (
    PredictedClass | PredictedIs | TrueClass | ScoreBins | ScoreStrata | ScoreCuts | Column | ClassMap | OfModel
)


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


def grouping_to_json(grouping: Grouping) -> dict[str, Any]:
    """A grouping as plain data."""
    match grouping:
        case OfModel(model, inner):
            return {"kind": "of_model", "model": model, "grouping": grouping_to_json(inner)}
        case PredictedIs(positive):
            return {"kind": "predicted_is", "positive": positive}
        case ScoreBins(count, by):
            return {"kind": "score_bins", "count": count, "by": by}
        case ScoreStrata(positive, fineness):
            return {"kind": "score_strata", "positive": positive, "fineness": fineness}
        case ScoreCuts(positive, thresholds):
            return {"kind": "score_cuts", "positive": positive, "thresholds": list(thresholds)}
        case Column(name):
            return {"kind": "column", "name": name}
        case ClassMap():
            return {"kind": "class_map", "pairs": [list(pair) for pair in grouping.pairs]}
        case TrueClass():
            return {"kind": "true_class"}
        case _:
            return {"kind": "predicted_class"}


def grouping_from_json(data: Mapping[str, Any]) -> Grouping:
    """The grouping that `grouping_to_json` wrote."""
    match data["kind"]:
        case "of_model":
            return OfModel(data["model"], grouping_from_json(data["grouping"]))
        case "predicted_is":
            return PredictedIs(data["positive"])
        case "score_bins":
            return ScoreBins(data["count"], data["by"])
        case "score_strata":
            return ScoreStrata(data["positive"], data["fineness"])
        case "score_cuts":
            return ScoreCuts(data["positive"], tuple(data["thresholds"]))
        case "column":
            return Column(data["name"])
        case "class_map":
            return ClassMap(dict(data["pairs"]))
        case "true_class":
            return TrueClass()
        case "predicted_class":
            return PredictedClass()
    raise QuestionError(f"unknown grouping {data['kind']!r} in stored settings; was it written by a newer fewlabels?")
