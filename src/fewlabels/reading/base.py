"""What the labels tell of one question: a finding for each row of its metric, one overall, and how that is said."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from fewlabels.answers import LEAST_FOR_A_RANK, Finding, count_of
from fewlabels.assessment import Assessment
from fewlabels.core.evidence import Evidence
from fewlabels.core.intervals import IntervalKind
from fewlabels.core.needed import Outlook

BY_ITSELF = "Intervals hold for each threshold by itself."
FEW_OF_ITS_OWN = 20  # labels below which it is said of a group that others speak for it


@dataclass(frozen=True)
class Reading(ABC):
    """Everything an answer needs, computed once."""

    assessment: Assessment
    evidence: Evidence
    level: float
    interval: IntervalKind = "equal-tailed"

    shared: ClassVar[bool] = False  # every label stands behind every finding
    posterior: ClassVar[bool] = False  # there are joint draws of what is believed

    @property
    @abstractmethod
    def findings(self) -> tuple[Finding, ...]:
        """One for each row of the metric."""

    @property
    @abstractmethod
    def overall(self) -> Finding | None:
        """That of the whole pool, where there is one."""

    @property
    @abstractmethod
    def extra(self) -> tuple[dict[str, Any], ...]:
        """Further columns, a dictionary for each finding, or none."""

    @property
    def shown(self) -> tuple[Finding, ...]:
        """The findings, each with its further columns where it has a place for them."""
        return self.findings

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """What a reader of the findings must know."""

    @property
    def sentence(self) -> str:
        """What a person reads first."""
        overall, question, whole = self.overall, self.assessment.question, self.assessment.whole
        if whole is None or overall is None:
            return self.beginning + self._best_row()
        beside = whole.metric is not question.metric
        named = "overall accuracy " if beside else "overall " if question.by else ""
        text = f"{self.beginning}{named}{overall}."
        seen = [f for f in self.findings if not math.isnan(f.value) and f.labels > 0]
        known = [f for f in seen if f.labels >= LEAST_FOR_A_RANK or f.left == 0]
        if question.by and len(known) > 1 and not beside:
            ends = sorted(known, key=lambda f: f.value)
            text += f" Lowest {ends[0].group}: {self.named(ends[0])}. Highest {ends[-1].group}: {self.named(ends[-1])}."
        return text

    @property
    def outlook(self) -> Outlook | None:
        """What groups may turn out to be; None where nobody looks ahead."""
        return None

    @property
    def allows_for_error(self) -> bool:
        """Whether figures allow for wrong labels."""
        return False

    @property
    def pooled(self) -> bool:
        """Whether groups are told by the labels of the others too."""
        return False

    def named(self, finding: Finding) -> str:
        """A group's figure in a sentence; where it has few labels of its own and others speak for it, with that."""
        few = self.pooled and finding.labels < FEW_OF_ITS_OWN and finding.left != 0
        return f"{finding}, with {count_of(finding.labels, 'label')} of its own" if few else str(finding)

    @property
    def beginning(self) -> str:
        """The question, and how much is known of it."""
        title = self.assessment.title
        return f"{title[:1].upper()}{title[1:]}, from {count_of(len(self.evidence.items), 'label')}: "

    def _best_row(self) -> str:
        known = [f for f in self.findings if not math.isnan(f.value)]
        if not known:
            return "not known yet."
        best = max(known, key=lambda f: f.value)
        return f"highest at {best.group}, {best}. {BY_ITSELF}"
