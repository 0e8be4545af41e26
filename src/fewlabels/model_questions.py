"""What can be asked of several models on the same items: CompareModels."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from fewlabels.core.groups import Column, Grouping, OfModel, PredictedClass
from fewlabels.errors import QuestionError, listed
from fewlabels.metrics import Metric
from fewlabels.questions import Question, check_rope


def _of_models(metric: Metric, by: tuple[Grouping, ...]) -> None:
    """Raise where models cannot be set against one another so."""
    if not metric.mean_of_items:
        raise QuestionError(
            f"models are compared by what is a mean over items, such as accuracy, not by the {metric.title}; ask "
            "fl.Estimate of each model for it."
        )
    for grouping in by:
        if not isinstance(grouping, Column):
            raise QuestionError(f"models are compared by a column of the items, not by {grouping.label}; name one.")


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
        return (*self.groups, *(OfModel(name, PredictedClass()) for name in self.models))

    def describe(self) -> str:
        against = f" of {self.a} against {self.b}" if len(self.models) == 2 else " of one model against another"
        return f"{self.metric.title}{against}{self.by_words}"

    def _more(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "rope": self.rope}
