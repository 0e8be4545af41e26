"""What is answered of two things set against one another."""

import math
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from fewlabels.answers.answer import Answer
from fewlabels.answers.finding import Finding
from fewlabels.answers.words import margin_words
from fewlabels.core.anytime import Capital

_NOTHING = 1e-12  # a difference that is rounding

Region: TypeAlias = Literal["less", "equal", "more"]


@dataclass(frozen=True, slots=True)
class Proof:
    """Between what a difference lies, whoever looks after each label: wrong at any look with at most the chance that
    the level leaves."""

    bets: Capital  # against each value of the difference

    def interval(self, level: float) -> tuple[float, float]:
        return self.bets.interval(level)

    def of(self, level: float, rope: float) -> tuple[Region, ...]:
        """What is shown: that a is lower, that the two differ by no more than the rope, that a is higher. A small
        difference may be shown to be both one and small."""
        return regions_of(*self.interval(level), rope)


def regions_of(low: float, high: float, rope: float) -> tuple[Region, ...]:
    """What follows for a difference that lies between these.

    >>> regions_of(0.001, 0.004, 0.01)
    ('more', 'equal')
    """
    shown: list[Region] = ["less"] if high < -_NOTHING else ["more"] if low > _NOTHING else []
    within = -rope - _NOTHING <= low and high <= rope + _NOTHING
    return (*shown, "equal") if within else tuple(shown)


@dataclass(frozen=True)
class Comparison(Answer):
    """value(a) - value(b): p_less, p_equal and p_more against the region of practical equivalence, for one look (nan
    where one side has no labels); and what is shown at every look."""

    p_less: float = 0.0
    p_equal: float = 0.0
    p_more: float = 0.0
    rope: float = 0.0
    difference: Finding | None = None
    decided: Region | None = None  # the verdict of the sentence; None while there is none
    proof: Proof | None = field(
        default=None, repr=False, compare=False
    )  # None where there is no such thing of this metric

    @property
    def known(self) -> bool:
        """Whether labels of both sides say anything of the difference."""
        return self.difference is not None and not math.isnan(self.difference.value)

    @property
    def margin(self) -> str:
        """The rope, in words."""
        return margin_words(self.rope, points=self.difference is None or self.difference.unit != "number")

    @property
    def sides(self) -> tuple[str, str]:
        """What is compared with what."""
        a, b = (finding.group for finding in self.findings)
        return a, b

    @property
    def claims(self) -> tuple[tuple[str, Proof | None], ...]:
        """What is to be shown of each part of the pool, "" being all of it."""
        return (("", self.proof),)

    @property
    def proved(self) -> tuple[Region, ...]:
        """What holds whoever looks after each label, at the answer's level; nothing as long as that is open."""
        level = self.findings[0].level
        return () if self.proof is None else self.proof.of(level, self.rope)

    @property
    def probability(self) -> float:
        """lambda: the probability of the likeliest of the three regions."""
        return max(self.p_less, self.p_equal, self.p_more)

    @property
    def region(self) -> Region:
        """eta: the likeliest of the three regions."""
        if self.p_equal >= max(self.p_less, self.p_more):
            return "equal"
        return "less" if self.p_less > self.p_more else "more"
