"""What is read of two models on the same items, whatever they are judged by: of each group asked for, and of all."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from fewlabels.answers import Finding, Holds
from fewlabels.reading.base import Reading, united

ALL = "all items"


@dataclass(frozen=True)
class TwoModels(Reading):
    """How far one is from the other: of each group asked for, and last of all items."""

    holds: Holds = "one look"

    shared: ClassVar[bool] = True
    fewest: ClassVar[int] = 0  # labels that a claim takes at least, where that is more than usual

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the groups asked for, and of all items."""
        return (*self.assessment.view.groups.labels, ALL) if self.assessment.question.by else (ALL,)

    @abstractmethod
    def _finding(self, row: int) -> Finding:
        """The difference in one of these."""

    @cached_property
    def _all_findings(self) -> tuple[Finding, ...]:
        own = tuple(self._finding(row) for row in range(len(self.names)))
        return united(own, [other._all_findings for other in self.supposed])

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
