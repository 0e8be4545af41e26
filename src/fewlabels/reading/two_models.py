"""What is read of two models on the same items, whatever they are judged by: of each group asked for, and of all."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, cast

from fewlabels.answers import LEAST_FOR_A_VERDICT, Finding, Holds, Proof
from fewlabels.model_questions import CompareModels
from fewlabels.reading.base import Reading
from fewlabels.reading.directions import Duel, Side

ALL = "all items"


@dataclass(frozen=True)
class TwoModels(Reading):
    """How far one is from the other: of each group asked for, and last of all items."""

    holds: Holds = "one look"

    shared: ClassVar[bool] = True
    fewest: ClassVar[int] = LEAST_FOR_A_VERDICT  # labels that a verdict for one look takes

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the groups asked for, and of all items."""
        return (*self.assessment.view.groups.labels, ALL) if self.assessment.question.by else (ALL,)

    @abstractmethod
    def _finding(self, row: int) -> Finding:
        """The difference in one of these."""

    @cached_property
    def _all_findings(self) -> tuple[Finding, ...]:
        return tuple(self._finding(row) for row in range(len(self.names)))

    @property
    @abstractmethod
    def proofs(self) -> tuple[Proof | None, ...]:
        """The bets on each difference; None where there are none."""

    @abstractmethod
    def regions(self, row: int) -> tuple[float, float, float]:
        """The probabilities that a is lower by more than the rope, about the same, higher."""

    @abstractmethod
    def signs(self, row: int) -> tuple[float, float]:
        """The probabilities that a is lower at all, and higher."""

    def counted(self, row: int) -> int:
        """Labels that count in the metric, of one of these: each speaks of both models."""
        return self._all_findings[row].labels

    def duel_of(self, row: int) -> Duel:
        """The verdict in one of these."""
        question, until = cast(CompareModels, self.assessment.question), self.assessment.settings.until
        found = self._all_findings[row]
        side = Side(found.group, self.counted(row), found.left == 0)
        return Duel(
            str(question.a),
            str(question.b),
            self.assessment.metric,
            (side,),
            found,
            self.regions(row),
            self.signs(row),
            self.proofs[row],
            question.rope,
            of_models=True,
            fewest=self.fewest,
            early=until is not None and until.sure is not None,
        )

    @cached_property
    def duel(self) -> Duel:
        """The verdict on all items."""
        return self.duel_of(-1)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The difference in each group asked for; without any, of all items."""
        return self._all_findings[:-1] or self._all_findings

    @property
    def overall(self) -> Finding:
        return self._all_findings[-1]

    @property
    def notes(self) -> tuple[str, ...]:
        return ()
