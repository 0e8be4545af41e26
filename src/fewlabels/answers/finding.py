"""A number with all that is needed to trust or distrust it."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, cast

from fewlabels.answers.words import Target, count_of, percent, percent_of_draws

# What an interval is made for: labels of a number fixed beforehand, a stop once it is short enough, or any look at all.
Holds: TypeAlias = Literal["one look", "a stop", "every look"]
Unit: TypeAlias = Literal["share", "points", "number"]  # points: a difference of shares
LEAST_LABELS = 10  # a claim about a group needs so many labels of its own, or those of all its items,
LEAST_FOR_A_VERDICT = 20  # a verdict for one look needs so many on each side that count in the metric
LEAST_FOR_A_RANK = 3  # labels of its own, or all there are, below which no group is named lowest or highest
MOST_PRIOR = 0.1  # and less than this of it may rest on the prior; otherwise it is a claim of the prior


@dataclass(frozen=True, slots=True)
class Beside:
    """The same figure under another assumption."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Unsearched:
    """The items that a model scores lowest. Few labels are drawn there, each item being as likely as any other."""

    assumed: float  # at most this share of the class is among them
    searched: int  # items above them
    below: int  # these items
    checked: int  # of these, labelled
    positive: int  # of those, in the class
    weight: float  # how far one more of the class lowers the figure, as a share of it, while there are few

    def needed(self, value: float, half_width: float) -> float:
        """About how many labels below let the interval be longer than that of the items searched by so much. While no
        label shows a positive, at most about 2.8 M / k of them are below, as an interval made for a stop has it."""
        share = 2 * half_width / value if value > 0 else 1.0
        if share >= 1 or self.weight <= 0:
            return 0.0
        return min(2.8 * self.below * self.weight * (1 - share) / share, self.below) if share > 0 else self.below


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
    searched: Beside | None = None  # of an F-score: the same figure of the items searched alone,
    labels_alone: Beside | None = None  # and by the labels alone, whatever hides below them
    hidden: Unsearched | None = None  # what is assumed, and labelled, of the items below
    pooled_value: float | None = None  # what the model makes of it, labelled or not; None where there are no groups
    ranked_from: int = 0  # labels of its own from which on a group may be said to be lowest or highest

    @property
    def unlabelled(self) -> bool:
        """Whether it is of a group that has no label yet: there is no figure then, and no interval."""
        return self.pooled_value is not None and self.labels == 0 and math.isnan(self.low)

    @property
    def few(self) -> bool:
        """Whether there are labels, and too few for a rank or a verdict."""
        return 0 < self.labels < self.ranked_from and self.left != 0

    @property
    def ranked(self) -> bool:
        """Whether it may be said to be lowest or highest."""
        return not math.isnan(self.value) and (self.certain or not (self.few or self.unlabelled))

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
        if self.unlabelled:
            return str(self)
        if math.isnan(self.low):
            return self.how_few
        few = f" ({self.how_few})" if self.few else ""
        return f"{self.show(self.low)} – {self.show(self.high)}{few}"

    @property
    def how_few(self) -> str:
        """How few labels there are, in words.

        >>> Finding(0.8, 0.3, 1.0, 0.95, "", "pool", 3, 0.0, left=9, ranked_from=5).how_few
        'only 3 labels'
        """
        return f"only {count_of(self.labels, 'label')}"

    @property
    def half_width(self) -> float:
        """To as many digits as sums of floats are good for: that of 40 in 400 items is 0.05, not a hair more."""
        return round((self.high - self.low) / 2, 12)

    def __str__(self) -> str:
        if math.isnan(self.value):
            if self.left == 0:
                return "not defined: there is no such item"
            if self.unlabelled:
                pooled = cast(float, self.pooled_value)
                known = "" if math.isnan(pooled) else f" ({self._roughly(pooled)} from {self._pooling})"
                return f"not labelled yet{known}"
            known = "not known yet" if self.labels else "no labels yet"
            return f"{known} (anything from {self.show(self.low)} to {self.show(self.high)})"
        if self.certain:
            return f"{self.show(self.value)} ({self.interval})"
        if math.isnan(self.low):
            return f"{self.show(self.value)} ({self.how_few})"
        low, high = self.show(self.low), self.show(self.high)
        few = f", {self.how_few}" if self.few else ""
        return f"{self.show(self.value)} ({level_words(self.level)} interval {low} to {high}{few})"

    @property
    def _pooling(self) -> str:
        return "the prior" if self.borrowed is None else "pooling"

    def _roughly(self, number: float) -> str:
        """A number without the digits of one that was measured."""
        return f"{number:.0%}" if self.unit == "share" else self.show(number)

    def show(self, number: float) -> str:
        """A number in this finding's unit; a dash where it is not known."""
        if math.isnan(number):
            return "–"
        if self.unit == "points":
            return f"{100 * number:+z.{1 if abs(number) >= 0.0005 or number == 0 else 2}f} points"
        return f"{number:z.1%}" if self.unit == "share" else f"{number:z.3g}"


_BESIDE = ("searched", "labels_alone", "hidden")


def finding_data(finding: Finding) -> dict[str, Any]:
    """A finding as plain data; what only F-scores have is left out of others."""
    return {key: value for key, value in asdict(finding).items() if value is not None or key not in _BESIDE}


@dataclass(frozen=True, slots=True)
class RankedFinding(Finding):
    """A group's place among the groups: its rank by value, the interval of its rank, and how likely it is one of those
    asked for."""

    rank: int | None = None  # 1 for the first of those asked for; None of a group with too few labels of its own
    rank_low: int | None = None
    rank_high: int | None = None
    p_top: float = 0.0


@dataclass(frozen=True, slots=True)
class BinFinding(Finding):
    """A score bin: its value is to be held against the mean score of its items."""

    mean_score: float = math.nan


def unlabelled_last(findings: Sequence[Finding]) -> list[int]:
    """The places of findings, those of groups without a label behind the others; bins keep the order of scores."""
    if any(isinstance(finding, BinFinding) for finding in findings):
        return list(range(len(findings)))
    return sorted(range(len(findings)), key=lambda place: findings[place].unlabelled)


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


def proven_words(level: float) -> str:
    """How sure a proof is, in the words that are the same everywhere.

    >>> proven_words(0.95)
    'proven at 95%, however often you check'
    """
    return f"proven at {level_words(level)}, however often you check"
