"""The reliability curve: accuracy in each score bin, beside the mean score there."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief
from fewlabels.core.beta import Marginals
from fewlabels.core.cells import View
from fewlabels.core.groups import OF_SCORES, Grouping, ScoreBins
from fewlabels.metrics.accuracy import Accuracy
from fewlabels.metrics.base import Metric, Rows, beta_marginals


@dataclass(frozen=True)
class Reliability(Metric):
    """theta_b for each bin of the score, [Ji21] supplement, Bayesian Estimates of Reliability Diagrams.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate("reliability"))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer()["0.7–0.8"])
    0.0% (its one item labelled)
    """

    bins: ScoreBins = field(default_factory=ScoreBins)

    name: ClassVar[str] = "reliability"
    linear: ClassVar[bool] = True
    one_a_group: ClassVar[bool] = False

    @property
    def title(self) -> str:
        return "accuracy by score"

    def no_meaning(self, by: tuple[Grouping, ...]) -> str | None:
        if any(isinstance(one, OF_SCORES) for one in by):
            return "its rows are score bins already. Leave out by, or ask for accuracy by score_bin."
        return super().no_meaning(by)

    @property
    def axes(self) -> tuple[Grouping, ...]:
        return (self.bins,)

    def rows(self, view: View) -> Rows:
        return Rows(view.units.labels, view.units, np.arange(view.units.count))

    def values(self, theta: Array, view: View) -> Array:
        return view.to_units(theta)

    def mean_scores(self, view: View) -> Array | None:
        return view.units.mean_score

    def marginals(self, belief: Belief, view: View) -> Marginals | None:
        return beta_marginals(belief, view.units)

    @property
    def overall(self) -> Metric | None:
        return Accuracy()
