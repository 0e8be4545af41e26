"""F-scores of models that give few different scores: each of them is a cell."""

from typing import ClassVar

from fewlabels.core.groups import Grouping, ScoreStrata
from fewlabels.estimators.cautious import Cautious


class Levels(Cautious):
    """The papers' posteriors with caution, one for each score that the model gives to the class in question: where a
    model only says yes or no, or gives marks from one to five, scores are names rather than numbers, and labels tell
    what each stands for."""

    name: ClassVar[str] = "levels"

    def axes(self, of_class: str | None, by: tuple[Grouping, ...]) -> tuple[Grouping, ...]:  # noqa: ARG002
        return () if of_class is None else (ScoreStrata(of_class),)
