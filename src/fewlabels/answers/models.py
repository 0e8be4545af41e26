"""What is answered of several models on the same items."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from fewlabels.answers.answer import Answer
from fewlabels.answers.comparison import Comparison, Proof, Region
from fewlabels.answers.words import percent
from fewlabels.core.arrays import Array

Verdict: TypeAlias = Literal["better", "worse", "tied", "open"]


def verdict_of(shown: tuple[Region, ...], *, higher_is_better: bool) -> Verdict:
    """What is shown of the first of two models.

    >>> verdict_of(("more",), higher_is_better=True), verdict_of(("more", "equal"), higher_is_better=True)
    ('better', 'tied')
    """
    if not shown:
        return "open"
    if "equal" in shown:
        return "tied"
    return "better" if (shown[0] == "more") == higher_is_better else "worse"


@dataclass(frozen=True)
class ModelComparison(Comparison):
    """value(a) - value(b) of two models on the same items, of all of them (`difference`) and by groups (findings)."""

    a: str = ""
    b: str = ""
    items: int = 0
    differ: int = 0  # items on which the two do not say the same: only these tell them apart
    higher_is_better: bool = True
    per_item: Array | None = field(default=None, repr=False, compare=False)  # see core/needed.py, for_models
    proofs: tuple[Proof | None, ...] = field(default=(), repr=False, compare=False)  # of each finding
    fewest: int = 0  # labels that a claim takes at least, where its interval needs more than usual to hold
    counted: int = 0  # labels that count in the metric
    at_one_look: Verdict | None = None  # by the interval, of figures for which nothing holds at every look

    @property
    def sides(self) -> tuple[str, str]:
        return self.a, self.b

    @property
    def claims(self) -> tuple[tuple[str, Proof | None], ...]:
        if len(self.findings) == 1:
            return (("", self.proof),)
        return tuple((f.group, proof) for f, proof in zip(self.findings, self.proofs, strict=True))

    @property
    def verdict(self) -> Verdict:
        """Whether a is better than b, worse, tied within the rope, or whether that is open, whoever looks after each
        label; of F-scores by the interval, for one look."""
        if self.at_one_look is not None:
            return self.at_one_look
        return verdict_of(self.proved, higher_is_better=self.higher_is_better)


@dataclass(frozen=True)
class BestOfModels(Answer):
    """Which of several models is best, or next to it. Findings are how far each is from the one named, the best first;
    of a model that was dropped, as of then."""

    best: str = ""  # the likeliest to be within the margin of the best
    p_best: Mapping[str, float] = field(default_factory=dict)  # of each model, those dropped having none
    expected_loss: Mapping[str, float] = field(default_factory=dict)  # of choosing each
    dropped: Mapping[str, int] = field(default_factory=dict)  # at which label
    within: float = 0.0
    decided: bool = False  # whether the sentence names a model, or says that none can be named yet
    p_near: float = 0.0  # that the one named is within the margin of the best
    labels: int = 0  # of items on which models left differ
    shown: bool = False  # whether the one named is within the margin of the best, whoever looks after each label
    items: int = 0
    differ: int = 0  # items on which the models do not all say the same

    @property
    def probability(self) -> float:
        """That the model named is the best."""
        return self.p_best[self.best]

    @property
    def left(self) -> tuple[str, ...]:
        """Models that may yet be the best."""
        return tuple(name for name in self.p_best if name not in self.dropped)

    @property
    def columns(self) -> dict[str, list[str]]:
        """How likely each is the best, what choosing it is expected to cost, and when it was dropped."""
        points = self.findings[0].unit == "points"
        loss = [f"{100 * x:.2f} points" if points else f"{x:.3g}" for x in self.expected_loss.values()]
        gone = [f"at label {self.dropped[name]}" if name in self.dropped else "–" for name in self.p_best]
        return {"p(best)": [percent(p) for p in self.p_best.values()], "expected loss": loss, "dropped": gone}
