"""What is answered of several models on the same items."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from fewlabels.answers.answer import Comparison, Proof, Region

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
    proofs: tuple[Proof | None, ...] = field(default=(), repr=False, compare=False)  # of each finding

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
        label."""
        return verdict_of(self.proved, higher_is_better=self.higher_is_better)
