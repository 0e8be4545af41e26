"""What can be asked of several models on the same items: CompareModels, BestModel."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, cast

from fewlabels.between_calibrations import axes_of_calibrations
from fewlabels.between_scores import axes_of_scores
from fewlabels.core.groups import Column, Grouping, OfModel, PredictedClass
from fewlabels.errors import QuestionError, listed
from fewlabels.metrics import FScore, Metric
from fewlabels.questions import Question, check_rope

_COMPARED = "accuracy, cost, calibration error, or F1, precision or recall of one class"


def _of_models(metric: Metric, by: tuple[Grouping, ...]) -> None:
    """Raise where models cannot be set against one another so."""
    if not (metric.mean_of_items or metric.noisy or (metric.ratio and metric.one_a_group)):
        raise QuestionError(
            f"models are compared by {_COMPARED}, not by the {metric.title}. Ask fl.Estimate of each model for it."
        )
    if metric.noisy and by:
        raise QuestionError(
            f"the {metric.title} of two models is compared on all items; leave out by=, or ask fl.Estimate of each "
            "model for it."
        )
    if metric.of_frequencies:
        raise QuestionError("debias=True corrects plain frequencies, which models are not compared by; leave it out.")
    for grouping in by:
        if not isinstance(grouping, Column):
            raise QuestionError(f"models are compared by a column of the items, not by {grouping.label}; name one.")


def axes_of(question: Question) -> tuple[Grouping, ...]:
    """Groups, and what each model predicts; of an F-score, whether it predicts the class and how high it scores it."""
    if question.in_bins:
        return axes_of_calibrations(question.metric, question.models)
    if question.weighable:
        return (*question.groups, *axes_of_scores(cast(FScore, question.metric), question.models))
    return (*question.groups, *(OfModel(name, PredictedClass()) for name in question.models))


@dataclass(frozen=True, init=False)
class CompareModels(Question):
    """Is model a better than model b, on the same items, by more than the region of practical equivalence?

    Where the pool has two models, they need not be named.

    >>> CompareModels("accuracy", a="new", b="old").describe()
    'accuracy of new against old'
    """

    a: str | None
    b: str | None
    rope: float

    kind: ClassVar[str] = "compare_models"
    of_models: ClassVar[bool] = True

    def __init__(
        self, metric: str | Metric, a: object = None, b: object = None, rope: float = 0.01, by: object = None, *,
        positive: object = None,
    ) -> None:  # fmt: skip
        check_rope(rope)
        names = [None if name is None else str(name) for name in (a, b)]
        if names[0] is not None and names[0] == names[1]:
            raise QuestionError(f"CompareModels needs two different models; got {names[0]!r} twice.")
        self._set(metric, by, positive, a=names[0], b=names[1], rope=float(rope))
        _of_models(self.metric, self.by)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(name for name in (self.a, self.b) if name is not None)

    @property
    def weighable(self) -> bool:
        return self.metric.ratio

    @property
    def in_bins(self) -> bool:
        return self.metric.noisy

    def on(self, models: tuple[str, ...]) -> "CompareModels":
        for name in self.models:
            if name not in models:
                raise QuestionError(f"the pool has no model {name!r}; models are {listed(models)}.")
        rest = [name for name in models if name not in self.models]
        if len(self.models) < 2 and len(rest) + len(self.models) != 2:
            raise QuestionError(
                f"CompareModels needs two models, a= and b=; the pool has {len(models)}: {listed(models)}."
                + (" Put several together with fl.Pool.join({name: pool, …})." if len(models) < 2 else "")
            )
        a, b = (name or rest.pop(0) for name in (self.a, self.b))
        return CompareModels(self.metric, a, b, self.rope, self.by or None)

    @cached_property
    def axes(self) -> tuple[Grouping, ...]:
        return axes_of(self)

    def describe(self) -> str:
        against = f" of {self.a} against {self.b}" if len(self.models) == 2 else " of one model against another"
        return f"{self.metric.title}{against}{self.by_words}"

    def _more(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "rope": self.rope}


@dataclass(frozen=True, init=False)
class BestModel(Question):
    """Which of several models is the best, on the same items, or at most `within` worse than the best?

    Without names it is about all models of the pool.

    >>> BestModel("accuracy", models=["lr", "nb", "net"]).describe()
    'model of highest accuracy of lr, nb, net'
    """

    among: tuple[str, ...]
    within: float

    kind: ClassVar[str] = "best_model"
    of_models: ClassVar[bool] = True

    def __init__(
        self, metric: str | Metric, models: Iterable[object] | None = None, within: float = 0.01, *, by: object = None,
        positive: object = None,
    ) -> None:  # fmt: skip
        if not (isinstance(within, int | float) and 0 <= within < 1):
            raise QuestionError(f"within is how near to the best is near enough, 0.01 say; got {within!r}.")
        if by is not None:
            raise QuestionError("the best model is that of all items; fl.CompareModels(…, by=…) compares two by group.")
        names = () if models is None else tuple(str(name) for name in models)
        if len(set(names)) < len(names) or len(names) == 1:
            raise QuestionError(f"BestModel needs at least two different models; got {listed(names)}.")
        self._set(metric, None, positive, among=names, within=float(within))
        _of_models(self.metric, ())
        if self.metric.shown_as != "share" or self.metric.noisy:
            raise QuestionError(
                "the best model is found by accuracy, or by F1, precision or recall of one class, not by the "
                f"{self.metric.title}."
            )

    @property
    def models(self) -> tuple[str, ...]:
        return self.among

    @property
    def weighable(self) -> bool:
        return self.metric.ratio

    @property
    def margin(self) -> float:
        return self.within

    def on(self, models: tuple[str, ...]) -> "BestModel":
        missing = [name for name in self.among if name not in models]
        if missing:
            raise QuestionError(f"the pool has no model {missing[0]!r}; models are {listed(models)}.")
        if len(models) < 2:
            raise QuestionError("the pool has one model; put several together with fl.Pool.join({name: pool, …}).")
        return BestModel(self.metric, self.among or models, self.within)

    @cached_property
    def axes(self) -> tuple[Grouping, ...]:
        return axes_of(self)

    def describe(self) -> str:
        end = "highest" if self.metric.worst == "lowest" else "lowest"
        return f"model of {end} {self.metric.title}{f' of {listed(self.among, 20)}' if self.among else ''}"

    def _more(self) -> dict[str, Any]:
        return {"models": list(self.among), "within": self.within}
