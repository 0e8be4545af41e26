"""What the labels tell of one question: a finding for each row of its metric, one overall, and how that is said."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from fewlabels.answers import Finding, count_of
from fewlabels.answers.finding import Beside
from fewlabels.assessment import Assessment
from fewlabels.core.evidence import Evidence
from fewlabels.core.intervals import IntervalKind
from fewlabels.core.needed import Outlook
from fewlabels.core.skips import Skips
from fewlabels.reading.extremes import extremes

BY_ITSELF = "Intervals hold for each threshold by itself."
FEW_OF_ITS_OWN = 20  # labels below which it is said of a group that others speak for it


@dataclass(frozen=True)
class Reading(ABC):
    """Everything an answer needs, computed once."""

    assessment: Assessment
    evidence: Evidence
    level: float
    interval: IntervalKind = "equal-tailed"
    skips: Skips | None = field(default=None, kw_only=True)  # items nobody could label; None where they are left out

    shared: ClassVar[bool] = False  # every label stands behind every finding
    posterior: ClassVar[bool] = False  # there are joint draws of what is believed
    of_these_labels: ClassVar[tuple[str, ...]] = ()  # what is at hand of the evidence, and of no other

    def having(self, evidence: Evidence) -> Self:
        """The same, if skipped items had labels."""
        others: dict[str, Any] = dict.fromkeys(self.of_these_labels)
        return replace(self, evidence=evidence, skips=None, **others)

    @cached_property
    def supposed(self) -> tuple[Self, ...]:
        """The same for each of the labels that skipped items may have and that decide an interval."""
        return () if self.skips is None else tuple(self.having(told) for told in extremes(self.assessment, self.skips))

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
        known = [f for f in self.findings if f.ranked and f.labels > 0]
        if question.by and len(known) > 1 and not beside:
            ends = sorted(known, key=lambda f: f.value)
            few = any(f.few for f in self.findings)
            among = f" with {ends[0].ranked_from} labels or more" if few else ""
            low, high = (f"{end.group}: {self.named(end)}" for end in (ends[0], ends[-1]))
            text += f" Lowest{among}: {low}. Highest{among}: {high}." if few else f" Lowest {low}. Highest {high}."
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
        known = [f for f in self.findings if f.ranked]
        if not known:
            return "not known yet."
        best = max(known, key=lambda f: f.value)
        return f"highest at {best.group}, {best}. {BY_ITSELF}"


def united(own: tuple[Finding, ...], others: Sequence[Sequence[Finding]]) -> tuple[Finding, ...]:
    """The findings with intervals that hold all of those that skipped items leave possible."""
    if not others:
        return own
    return tuple(_over(finding, more) for finding, *more in zip(own, *others, strict=True))


def _beside_over(every: Sequence[Beside]) -> Beside:
    """The first figure, with an interval that holds those of all."""
    return replace(every[0], low=min(one.low for one in every), high=max(one.high for one in every))


def _over(own: Finding, others: Sequence[Finding]) -> Finding:
    if math.isnan(own.low):
        return own
    ends = np.array([(f.low, f.high) for f in (own, *others)])
    found = replace(own, low=float(np.nanmin(ends[:, 0])), high=float(np.nanmax(ends[:, 1])))
    if own.searched is not None and own.labels_alone is not None:
        found = replace(
            found,
            searched=_beside_over([f.searched for f in (own, *others) if f.searched is not None]),
            labels_alone=_beside_over([f.labels_alone for f in (own, *others) if f.labels_alone is not None]),
        )
    by_design = [f for f in (own, *others) if f.by_design_low is not None and f.by_design_high is not None]
    if own.by_design is None or not by_design:
        return found
    low, high = min(f.by_design_low or 0.0 for f in by_design), max(f.by_design_high or 0.0 for f in by_design)
    return replace(found, by_design_low=low, by_design_high=high)
