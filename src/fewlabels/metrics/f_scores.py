"""Several F-scores of one class, precision and recall among them, from one set of labels."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.cells import Cells, View
from fewlabels.core.groups import Grouping
from fewlabels.errors import QuestionError
from fewlabels.metrics.base import Metric, Rows
from fewlabels.metrics.f_score import F1, PRECISION, RECALL, FScore, OfOneClass, named


class Several(OfOneClass):
    """Several figures, or curves, of one class and the same cells."""

    one_a_group: ClassVar[bool] = False
    of_groups: ClassVar[bool] = False
    ratio: ClassVar[bool] = True

    @property
    @abstractmethod
    def each(self) -> Sequence[OfOneClass]:
        """One by one."""

    @property
    def axes(self) -> tuple[Grouping, ...]:
        return self.each[0].axes

    @property
    def overall(self) -> Metric | None:
        return None

    def predicted(self, cells: Cells) -> Array:
        return self.each[0].predicted(cells)

    def values(self, theta: Array, view: View) -> Array:
        return np.concatenate([one.values(theta, view) for one in self.each], axis=1)


@dataclass(frozen=True)
class FScores(Several):
    """One row for each alpha; labels are drawn so that the figure served worst is served best.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate(["f1", "precision", "recall"], positive="dog"))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer()["recall"])
    66.7% (all 4 labelled)
    """

    positive: str
    alphas: tuple[float, ...] = (F1, PRECISION, RECALL)
    threshold: float | None = None

    name: ClassVar[str] = "f_scores"
    few: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "positive", str(self.positive))
        object.__setattr__(self, "alphas", tuple(self.alphas))
        if not self.alphas or len(set(self.alphas)) < len(self.alphas):
            raise QuestionError(f"several F-scores have an alpha each, no two the same; got {self.alphas!r}.")
        assert self.each  # which checks every alpha

    @cached_property
    def each(self) -> tuple[FScore, ...]:
        """The figures one by one."""
        return tuple(FScore(alpha, self.positive, self.threshold) for alpha in self.alphas)

    @property
    def alpha(self) -> float:  # type: ignore[override]  # nobody sets it
        """That of the figure which minds misses most."""
        return min(self.alphas)

    @property
    def title(self) -> str:
        return f"{', '.join(named(alpha) for alpha in self.alphas)} of {self.positive!r}{self.each[0].at}"

    def figures(self, cells: Cells) -> list[tuple[float, Array]]:
        return [(alpha, self.predicted(cells)[0]) for alpha in self.alphas]

    def rows(self, view: View) -> Rows:
        return Rows(tuple(map(named, self.alphas)), view.groups, np.zeros(len(self.alphas), dtype=np.int64))
