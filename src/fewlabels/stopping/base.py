"""What a stopping rule is: it reads an answer and says whether that is enough."""

from typing import Any, ClassVar, Protocol

from fewlabels.answers import Answer, Progress


class Stopping(Protocol):
    """Reads an answer. The probabilities and intervals are the answer's own: looking after every label is allowed in
    the sense in which a posterior is (it does not depend on when one looks), and makes no promise about error rates
    under repeated looking at one fixed truth."""

    name: ClassVar[str]

    def progress(self, answer: Answer, remaining: int) -> Progress:
        """Whether the goal is reached, in a sentence; `remaining` items could still be labelled."""

    def to_json(self) -> dict[str, Any]:
        """The arguments it was made with."""
