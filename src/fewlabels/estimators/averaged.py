"""The average of the rounds' estimates: [ACIS21] Eq. 5, its variance, and an interval that covers."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from fewlabels.core.importance import FSample, Reuse, combined_variance, round_estimates
from fewlabels.errors import QuestionError
from fewlabels.estimators.f_base import UNIT_FLOOR, FEstimate, FEstimator, known_already
from fewlabels.estimators.weighted import Weighted

FInterval: TypeAlias = Literal["cautious", "eq6", "worst_case", "effective"]
_IN_WORDS = {
    "cautious": "cautious Wilson interval",
    "eq6": "interval from the paper's variance, which is too short at few labels",
    "worst_case": "interval from the paper's worst-case variance",
    "effective": "Wilson interval for the effective sample size",
}


@dataclass(frozen=True)
class Averaged(FEstimator):
    """The last `window` rounds' estimates (all by default), averaged by their draws, or with average_by="weights" by
    |W_i|_1 as Eq. 5 has it, which lets a round with a rare, heavy draw drown the others.

    `interval`: "eq6" is the paper's, ± z times the root of the variance of Eq. 6, no covariance between rounds;
    "worst_case" a correlation of one between them; "effective" Wilson's for Kish's effective sample size; "cautious",
    the default, Wilson's with the larger variance of the last two and Student's quantile for that size: rounds do
    share labels and calibration, and a round whose labels all agree would claim no variance at all. `reuse`: see
    core/importance.py.
    """

    window: int | None = None
    average_by: Literal["draws", "weights"] = "draws"
    interval: FInterval = "cautious"
    reuse: Reuse = "stratum"

    name: ClassVar[str] = "acis"

    def __post_init__(self) -> None:
        if self.window is not None and not (isinstance(self.window, int) and self.window >= 1):
            raise QuestionError(f"window is how many rounds are averaged, None for all; got {self.window!r}.")
        if self.average_by not in ("draws", "weights") or self.reuse not in get_args(Reuse):
            raise QuestionError(
                "average_by is 'draws' or 'weights', reuse 'stratum' or 'printed'; got "
                f"{self.average_by!r} and {self.reuse!r}."
            )
        if self.interval not in get_args(FInterval):
            raise QuestionError(f"interval is one of {', '.join(get_args(FInterval))}; got {self.interval!r}.")

    def read(self, sample: FSample) -> FEstimate:
        """The estimate from the labels so far; where none came by a draw with weights, that of a plain sample."""
        if (known := known_already(sample)) is not None:
            return known
        if np.isnan(sample.probability).any():
            return Weighted().read(sample)
        rounds = round_estimates(sample, self.reuse)
        share = rounds.shares(self.window, by_weight=self.average_by == "weights")
        used = share > 0
        if not used.any():
            return FEstimate(math.nan, math.nan, 0.25, 0.0)
        a = share[used]
        g = float(np.clip(a @ rounds.value[used], 0.0, 1.0))
        variance = combined_variance(rounds.variance, share)
        worst = combined_variance(rounds.variance, share, worst_case=True)
        crowding = float(a**2 @ rounds.crowding[used])  # one over the effective number of draws that count
        effective = max(g * (1 - g), UNIT_FLOOR) * crowding
        wide = {"eq6": variance, "worst_case": worst, "effective": effective, "cautious": max(worst, effective)}
        return FEstimate(
            g,
            worst if self.interval == "worst_case" else variance,
            wide[self.interval],
            float(a @ rounds.counted[used]),
            float(a @ rounds.spread[used]),
            score_interval=self.interval in ("cautious", "effective"),
            freedom=max(1 / crowding - 1, 1.0) if self.interval == "cautious" and crowding > 0 else math.inf,
        )

    def in_words(self) -> str:
        which = "" if self.window is None else f", last {self.window} rounds" if self.window > 1 else ", last round"
        return f"active calibration and importance sampling (ACIS{which}), {_IN_WORDS[self.interval]}"


@dataclass(frozen=True)
class LastRound(Averaged):
    """The estimate of the last round alone: ACIS-LAST of the paper's ablation."""

    window: int | None = 1

    name: ClassVar[str] = "acis_last"
