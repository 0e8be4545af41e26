"""A number with all that is needed to trust or distrust it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fewlabels.answers.words import Target, percent, percent_of_draws

# What an interval is made for: labels of a number fixed beforehand, a stop once it is short enough, or any look at all.
Holds: TypeAlias = Literal["one look", "a stop", "every look"]
Unit: TypeAlias = Literal["share", "points", "number"]  # points: a difference of shares
LEAST_LABELS = 10  # a claim about a group needs so many labels of its own, or those of all its items,
LEAST_FOR_A_VERDICT = 20  # a verdict for one look needs so many on each side that count in the metric
LEAST_FOR_A_RANK = 3  # labels of its own, or all there are, below which no group is named lowest or highest
MOST_PRIOR = 0.1  # and less than this of it may rest on the prior; otherwise it is a claim of the prior


@dataclass(frozen=True, slots=True)
class Finding:
    """A number with all that is needed to trust or distrust it. Every number shown to a person is one of these."""

    value: float
    low: float
    high: float
    level: float
    method: str
    target: Target
    labels: int
    prior_share: float  # how much of the value rests on the prior rather than on labels, 0 to 1
    group: str = "overall"
    weight: float = 1.0  # share of the pool's items
    unit: Unit = "share"
    left: int | None = None  # items that could still be labelled for it; None where that is not known
    by_design: float | None = None  # the same without a model, by the chances of the draws; None where not known
    by_design_low: float | None = None
    by_design_high: float | None = None
    contradicted: bool = False  # the two are further apart than chance allows: the model is wrong
    holds: Holds = "one look"  # what the interval is made for; see Holds
    borrowed: float | None = None  # how much the scores and other groups' labels tell, where groups learn from another

    @property
    def rests_on_labels(self) -> bool:
        """Whether a claim may be made of it: with labels of its own, and hardly any weight on the prior, unless its
        interval is made to hold at a stop and rests on labels alone."""
        enough = self.labels >= LEAST_LABELS or self.left == 0
        return enough and (self.holds == "a stop" or self.prior_share < MOST_PRIOR)

    @property
    def not_its_own(self) -> float:
        """How much of the value is not told by labels of its own: `what_else` says by what."""
        return self.prior_share if self.borrowed is None else self.borrowed

    @property
    def what_else(self) -> Literal["prior", "borrowed"]:
        return "prior" if self.borrowed is None else "borrowed"

    @property
    def fully_labelled(self) -> bool:
        """Whether nothing is left to learn: the items of this pool are meant, and each has its label."""
        return self.target == "pool" and self.labels > 0 and self.left == 0 and self.certain

    @property
    def certain(self) -> bool:
        """Whether the value is known exactly: from all labels, or by definition, as of a class no model predicts."""
        return abs(self.high - self.low) <= 1e-12

    @property
    def interval(self) -> str:
        """The interval in words; where there is none, why."""
        if self.certain:
            every = "its one item" if self.labels == 1 else f"all {self.labels:,}"
            return f"{every} labelled" if self.fully_labelled else "by definition"
        return f"{self.show(self.low)} – {self.show(self.high)}"

    @property
    def half_width(self) -> float:
        """To as many digits as sums of floats are good for: that of 40 in 400 items is 0.05, not a hair more."""
        return round((self.high - self.low) / 2, 12)

    def __str__(self) -> str:
        if math.isnan(self.value):
            if self.left == 0:
                return "not defined: there is no such item"
            known = "not known yet" if self.labels else "no labels yet"
            return f"{known} (anything from {self.show(self.low)} to {self.show(self.high)})"
        if self.certain:
            return f"{self.show(self.value)} ({self.interval})"
        low, high = self.show(self.low), self.show(self.high)
        return f"{self.show(self.value)} ({level_words(self.level)} interval {low} to {high})"

    def show(self, number: float) -> str:
        """A number in this finding's unit; a dash where it is not known."""
        if math.isnan(number):
            return "–"
        if self.unit == "points":
            return f"{100 * number:+z.{1 if abs(number) >= 0.0005 or number == 0 else 2}f} points"
        return f"{number:z.1%}" if self.unit == "share" else f"{number:z.3g}"


@dataclass(frozen=True, slots=True)
class RankedFinding(Finding):
    """A group's place among the groups: its rank by value, the interval of its rank, and how likely it is one of those
    asked for."""

    rank: int = 0  # 1 for the first of those asked for
    rank_low: int = 0
    rank_high: int = 0
    p_top: float = 0.0


@dataclass(frozen=True, slots=True)
class BinFinding(Finding):
    """A score bin: its value is to be held against the mean score of its items."""

    mean_score: float = math.nan


def sure(probability: float, findings: Sequence[Finding]) -> str:
    """A probability for people: certain only where nothing is left to learn, whatever rounding says."""
    if all(finding.fully_labelled for finding in findings):
        return percent(probability)
    return percent_of_draws(min(probability, 1 - 1e-4))


def interval_words(finding: Finding) -> str:
    """What kind of intervals these are."""
    kinds = {
        "one look": "",
        "a stop": " that hold at a stop by their width",
        "every look": ", whoever looks after each label",
    }
    return f"{level_words(finding.level)} intervals{kinds[finding.holds]}"


def level_words(level: float) -> str:
    """A level such as 0.95 in percent.

    >>> level_words(0.95), level_words(0.995)
    ('95%', '99.5%')
    """
    return f"{100 * level:.6g}%"
