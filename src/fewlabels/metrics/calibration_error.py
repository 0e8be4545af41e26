"""Expected calibration error and its variants, overall or by group."""

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, cast

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief
from fewlabels.core.beta import BetaBelief, mean_absolute_distance
from fewlabels.core.cells import View
from fewlabels.core.groups import Grouping, ScoreBins
from fewlabels.errors import QuestionError
from fewlabels.metrics.base import Metric, being_right
from fewlabels.metrics.true_class_calibration import TrueClassCalibration

Norm = Literal["absolute", "squared", "maximum"]


@dataclass(frozen=True)
class CalibrationError(Metric):
    """ECE_g = sum_b p(b | g) |theta_gb - s_gb|, [Ji21] supplement Eq. 1.

    `norm="squared"`: sum_b p(b|g) (theta_gb - s_gb)^2. `norm="maximum"`: the largest gap of any bin.
    `debias` (plain frequencies, squared norm) subtracts the sampling variance of each bin, [Kumar, Liang, Ma 2019] 4.1.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate("calibration_error"))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer().overall)
    35.0% (all 4 labelled)
    """

    bins: ScoreBins = field(default_factory=ScoreBins)
    norm: Norm = "absolute"
    debias: bool = False

    name: ClassVar[str] = "calibration_error"
    worst: ClassVar[Literal["lowest", "highest"]] = "highest"
    noisy: ClassVar[bool] = True
    measures: ClassVar[tuple[str, ...]] = ("ece_error", "ece_error_of_mean")

    def __post_init__(self) -> None:
        if self.norm not in ("absolute", "squared", "maximum"):
            raise QuestionError(f"a calibration error's norm is 'absolute', 'squared' or 'maximum'; got {self.norm!r}.")
        if self.debias and self.norm != "squared":
            raise QuestionError("debias=True is defined for norm='squared' only; pass norm='squared' too.")

    @property
    def title(self) -> str:
        kind = {"absolute": "", "squared": "squared ", "maximum": "maximum "}[self.norm]
        return f"{kind}calibration error"

    @property
    def axes(self) -> tuple[Grouping, ...]:
        return (self.bins,)

    @property
    def of_frequencies(self) -> bool:
        return self.debias

    @property
    def mean_gap(self) -> bool:
        return self.norm == "absolute"

    @property
    def by_true_class(self) -> Metric | None:
        return TrueClassCalibration(self.bins) if self.norm == "absolute" and not self.debias else None

    def check(self, belief: Belief, view: View) -> None:  # noqa: ARG002 - whatever the cells
        if self.debias and belief.plain is None:
            raise QuestionError(
                "debias=True corrects plain frequencies; pass estimator='frequency' too, or leave it out."
            )

    def values(self, theta: Array, view: View) -> Array:
        gap = np.abs(view.to_units(being_right(theta, view)) - view.units.mean_score)
        if self.norm == "maximum":
            parts = [gap[:, view.group_of_unit == g].max(axis=1) for g in range(view.groups.count)]
            return np.stack(parts, axis=1)
        return view.to_groups(gap if self.norm == "absolute" else gap**2)

    def at_least(self, theta: Array, view: View) -> Array:
        """The net gap of each group, |sum_b p(b | g) (theta_gb - s_gb)|: no norm of the gaps is smaller."""
        net = np.abs(view.to_groups(view.to_units(being_right(theta, view)) - view.units.mean_score))
        return np.asarray(net**2 if self.norm == "squared" else net)

    def pull(self, theta: Array, view: View) -> Array:
        """(n_units,) How much the error grows with the share of an item of each bin that is right, in the mean over
        draws: where the sign of a gap is open, less."""
        gap = view.to_units(being_right(theta, view)) - view.units.mean_score
        if self.norm == "squared":
            return np.asarray(2 * gap.mean(axis=0))
        if self.norm == "absolute":
            return np.asarray(np.sign(gap).mean(axis=0))
        largest = np.arange(gap.shape[1]) == np.abs(gap).argmax(axis=1)[:, None]
        return np.asarray((np.sign(gap) * largest).mean(axis=0) / view.units.size * view.units.size.sum())

    def mean_values(self, belief: Belief, view: View) -> Array | None:
        """The posterior mean in closed form, or the plug-in of plain frequencies; None where only draws tell."""
        if not belief.rates or belief.shared:
            return None
        known = cast(BetaBelief, belief)
        if known.plain is not None:
            return self._plug_in(known, view)
        if not view.units.single or self.norm == "maximum":
            return None
        alpha, beta = view.to_units(known.alpha), view.to_units(known.beta)
        if self.norm == "absolute":
            return view.to_groups(mean_absolute_distance(alpha, beta, view.units.mean_score))
        return view.to_groups(view.to_units(known.variance) + (alpha / (alpha + beta) - view.units.mean_score) ** 2)

    def noise(self, belief: Belief, view: View, rng: np.random.Generator) -> float | None:
        """What a perfectly calibrated model would be expected to show from as many labels in each cell."""
        if not belief.rates or belief.shared or belief.plain is not None:
            return None
        known = cast(BetaBelief, belief)
        score = np.clip(view.cells.score_sum / view.cells.size, 0.0, 1.0)
        hits = rng.binomial(belief.labels.astype(np.int64), score, size=(50, view.cells.count))
        drawn = hits.astype(np.float64)
        shown = self.mean_values(replace(known, hits=drawn, misses=known.labels - drawn), view)
        return 0.0 if shown is None else float(np.mean(shown[:, 0]))

    def _plug_in(self, belief: BetaBelief, view: View) -> Array:
        """Gaps of plain frequencies, over the bins that have labels, weighted by their share of the pool."""
        labels, hits = view.units.sums(belief.labels), view.units.sums(belief.hits)
        seen = labels > 0
        with np.errstate(invalid="ignore", divide="ignore"):
            rate = np.where(seen, hits / labels, 0.0)
            gap = np.abs(rate - view.units.mean_score)
            if self.norm == "squared":
                gap = gap**2
                if self.debias:  # the last factor: nothing is left to sampling once every item is labelled
                    left = 1 - labels / view.units.size
                    gap -= np.where(labels > 1, rate * (1 - rate) / (labels - 1) * left, 0.0)
            if self.norm == "maximum":
                out = np.full(view.groups.count, -np.inf)
                np.maximum.at(out, view.group_of_unit[seen], gap[seen])
                return np.where(np.isinf(out), np.nan, out)
            return np.asarray(view.to_groups(np.where(seen, gap, 0.0)) / view.to_groups(seen.astype(np.float64)))
