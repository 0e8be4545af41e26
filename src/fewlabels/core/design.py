"""How the draws of a round come about, as facts. What may be made of their labels follows from the facts alone."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from fewlabels.errors import QuestionError, StudyError

# Whether a draw may return an item asked before: never; one asked in the same round; one asked at any time.
Replacement: TypeAlias = Literal["never", "in the round", "always"]
# What decides a draw. "equal": every item in reach has the same chance; "equal arms": every arm has; "unequal": chances
# by which nobody weighs a label, known or not; "weights": unequal ones, known, by which each draw is weighed; "none":
# a rule without chance.
Chances: TypeAlias = Literal["equal", "equal arms", "unequal", "weights", "none"]


@dataclass(frozen=True, slots=True)
class Design:
    """How items come to be drawn."""

    replacement: Replacement = "never"
    chances: Chances = "unequal"

    @property
    def equal(self) -> bool:
        """Whether labels are a simple random sample of what was in reach, so that nothing has to be undone."""
        return self.chances == "equal"

    @property
    def weighs(self) -> bool:
        """Whether every single draw has a weight, that of an item drawn again too."""
        return self.chances == "weights"

    @property
    def weighable(self) -> bool:
        """Whether what weighs labels by their chances may read them."""
        return self.chances not in ("equal arms", "unequal")

    @property
    def repeats(self) -> bool:
        """Whether a draw may return an item asked before."""
        return self.replacement != "never"

    @property
    def whole(self) -> bool:
        """Whether the items labelled in earlier rounds are in reach too."""
        return self.replacement == "always"

    @property
    def word(self) -> str:
        """The name under which events keep these facts."""
        return _WORDS[self]

    def __post_init__(self) -> None:
        known = self.replacement in get_args(Replacement) and self.chances in get_args(Chances)
        if not known or (self.repeats and not self.weighs):
            raise QuestionError(
                f"replacement is one of {get_args(Replacement)}, chances one of {get_args(Chances)}, and draws with "
                f"replacement are read by their weights; got {self.replacement!r} with {self.chances!r}."
            )


DESIGNS = {
    "uniform": Design(chances="equal"),
    "uniform_groups": Design(chances="equal arms"),
    "adaptive": Design(),
    "once": Design(chances="weights"),
    "round": Design("in the round", "weights"),
    "whole": Design("always", "weights"),
    "fixed": Design(chances="none"),
}
_WORDS = {design: word for word, design in DESIGNS.items()}


def design_named(word: str) -> Design:
    """The facts that events keep under a name."""
    if word not in DESIGNS:
        raise StudyError(f"unknown design {word!r}; known are {', '.join(DESIGNS)}.")
    return DESIGNS[word]
