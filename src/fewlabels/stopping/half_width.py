"""Stop when intervals are short enough."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fewlabels.answers import (
    LEAST_LABELS,
    Answer,
    Comparison,
    Finding,
    Holds,
    LabelsLeft,
    ModelComparison,
    Progress,
    beside_goal,
    few_of,
)
from fewlabels.core.evidence import NO_EVIDENCE, Evidence
from fewlabels.core.intervals import AT_A_STOP, level_at_a_stop
from fewlabels.core.needed import Needed, for_caution, for_exact_width, for_width, in_all
from fewlabels.errors import QuestionError
from fewlabels.stopping.base import WIDEST, Figures, Reads, Stopping, reached

_ABOUT = 1.5  # a forecast by the width alone is right within this factor
_TELLS, _SAVES = 10, (0.3, 2.0)  # so many labels tell half of what choosing saves, and that is not more than this
_LEAST_ROOM = 0.5  # of a goal, that the items searched may take of it in the end
_GROWS = 1.5  # what it saves by then may be so much more or less


@dataclass(frozen=True)
class HalfWidth(Stopping):
    """Enough when half the interval is at most `goal`: of every group (the default), or of the overall figure."""

    goal: float
    of: Literal["groups", "overall"] = "groups"

    name: ClassVar[str] = "half_width"

    def __post_init__(self) -> None:
        if not self.goal > 0:
            raise QuestionError(f"HalfWidth needs a positive goal such as 0.05; got {self.goal!r}.")
        if self.of not in ("groups", "overall"):
            raise QuestionError(f"HalfWidth is of='groups' or of='overall'; got {self.of!r}.")

    def describe(self) -> str:
        return f"{'the overall' if self.of == 'overall' else 'every'} interval at most ±{self.goal:g}"

    def fits(self, kind: str, *, draws: bool) -> None:  # noqa: ARG002 - however labels are read
        if kind == "best_model":
            raise QuestionError("fl.BestModel stops at fl.Probability(0.95), say; widths are for other questions.")

    def check(self, figures: Figures) -> None:
        compare = figures.kind in ("compare", "compare_models")
        if self.of == "overall" and figures.kind == "compare":
            raise QuestionError("a comparison has no overall figure; use HalfWidth(…, of='groups') for its difference.")
        if self.of == "overall" and not figures.overall:
            raise QuestionError("a curve has no overall figure; use HalfWidth(…, of='groups').")
        widest = figures.range * (2 * WIDEST if compare else WIDEST) if figures.share else math.inf
        if self.goal >= widest:
            what = f"no interval is wider than ±{widest:g}, so the goal" if figures.share else "the goal"
            raise QuestionError(f"{what} ±{self.goal:g} is reached by anything; set a smaller one, such as 0.05.")

    @property
    def reads(self) -> Reads:
        return self.of

    @property
    def every_group(self) -> bool:
        return self.of == "groups"

    @property
    def holds(self) -> Holds:
        return "a stop"

    @property
    def half_width(self) -> float:
        return self.goal

    def progress(self, answer: Answer, remaining: int, evidence: Evidence = NO_EVIDENCE) -> Progress:
        findings = self._read(answer)
        # The overall figure is said here because an answer about ranked groups does not show it.
        overall = f"overall {answer.overall}; " if self.of == "overall" and findings[0] is answer.overall else ""
        open_ones = [f for f in findings if not f.half_width <= self.goal]
        if not open_ones:
            widest = max(f.half_width for f in findings)
            what = "the interval is" if len(findings) == 1 else "intervals are at most"
            shown = f"±{beside_goal(widest, self.goal)} (goal ±{self.goal:g})"
            spoken_of = answer.findings if isinstance(answer, Comparison) else findings  # of a difference, both groups
            return reached(spoken_of, f"{overall}{what} {shown}", remaining)
        if exhausted := [f for f in open_ones if f.left == 0 and f.target == "population"]:
            return self._out_of_reach(exhausted)
        left = self._left(answer, open_ones, remaining, evidence.count if len(findings) == 1 else 0)
        if none := [f for f in open_ones if math.isnan(f.half_width)]:
            return Progress(False, f"Not yet: {self._without(none, len(findings))}{left.sentence}", left)
        worst = max(open_ones, key=lambda f: f.half_width)
        width = beside_goal(worst.half_width, self.goal)
        if len(findings) == 1:
            return Progress(
                False, f"Not yet: {overall}the interval is ±{width} (goal ±{self.goal:g}).{left.sentence}", left
            )
        return Progress(
            False,
            f"Not yet: {len(open_ones):,} of {len(findings):,} intervals are wider than ±{self.goal:g}; the widest is "
            f"{worst.group}, ±{width}.{left.sentence}",
            left,
        )

    def _without(self, none: list[Finding], groups: int) -> str:
        """Which groups have no interval yet."""
        told = sum(f.labels > 0 for f in none)
        few = "no label, or only one or two" if told else "no label"
        which = f"{len(none):,} of {groups:,} groups have no interval yet (goal ±{self.goal:g})"
        return f"{which}: {few_of([f.group for f in none])} {'has' if len(none) == 1 else 'have'} {few}."

    def _half(self, finding: Finding) -> float:
        """That of a finding; the widest there is where there is no interval."""
        return max(WIDEST, 2 * self.goal) if math.isnan(finding.half_width) else finding.half_width

    def _out_of_reach(self, exhausted: list[Finding]) -> Progress:
        """Where more than these items is meant, and none of a group's is left to label."""
        widest = max(f.half_width for f in exhausted)
        of = few_of([f.group for f in exhausted])
        return Progress(
            False,
            f"Out of reach with these items: all of {of} are labelled, and an interval is ±{widest:.3f} still (goal "
            f"±{self.goal:g}). Extend the pool by further items, or set another goal.",
        )

    def _left(self, answer: Answer, open_ones: list[Finding], remaining: int, told: int) -> LabelsLeft:
        """How many labels are likely still to be needed. All that were told tell of one figure, though few may count
        in it, as of a recall."""
        if (needed := self.needs(answer)) is not None:
            labels = sum(f.labels for f in self._read(answer))
            return LabelsLeft.of(np.maximum(needed.chosen - labels, 1.0), remaining, needed.wider)
        if any(f.hidden is not None and f.hidden.assumed > 0 for f in open_ones):
            return about(max(more_of_all(f, self.goal, told) for f in open_ones), remaining)
        # Half-widths fall as one over the root of the number of labels.
        each = [math.ceil(max(f.labels, told, 4) * ((self._half(f) / self.goal) ** 2 - 1)) for f in open_ones]
        return about(max(each) if answer.shared else sum(each), remaining)

    def needs(self, answer: Answer) -> Needed | None:
        seen, (first, *_) = answer.outlook, self._read(answer)
        if seen is None or isinstance(answer, Comparison):
            return None
        if self.of == "groups" and len(seen.size) > 1:
            each = for_exact_width(seen.rates, seen.size, self.goal, level_at_a_stop(first.level))
            return in_all(each, seen.labels, seen.size, LEAST_LABELS)
        # One figure: its interval is shorter than that of a uniform sample by as much as it is now; but how far it is
        # lowered for the few errors seen is left out, as that is over by then, or decides by itself.
        items, level = seen.size.sum(keepdims=True), first.level
        uniform = for_width(seen.whole, items, self.goal, level)[:, 0]
        drawn = float(np.diff(np.quantile(seen.whole, ((1 - level) / 2, (1 + level) / 2)))[0]) / 2
        least, lowered = min(first.half_width, AT_A_STOP.stretch * drawn), AT_A_STOP.fades(first.value, first.labels)
        half = least + (1 - lowered) * (first.half_width - least)
        as_now = for_width(np.array([[first.value]]), items, half, level)[0, 0]
        saved = float(np.clip(first.labels / as_now, *_SAVES)) ** (first.labels / (first.labels + _TELLS))
        chosen = uniform * saved
        if first.holds == "a stop":
            chosen = np.maximum(chosen, for_caution(seen.whole[:, 0], int(items[0]), self.goal, level, AT_A_STOP))
        return Needed(chosen, uniform, _GROWS)

    def promise(self, answer: Answer) -> str:
        if self._read(answer)[0].holds == "a stop":
            return (
                "Such intervals are made for a stop at their width; how often they held at one is measured, not proved "
                "(docs/stops.md)."
            )
        return super().promise(answer)

    def _read(self, answer: Answer) -> list[Finding]:
        if isinstance(answer, Comparison) and not isinstance(answer, ModelComparison) and answer.difference is not None:
            return [answer.difference]
        if self.of == "overall" or not answer.findings:
            if answer.overall is None:
                raise QuestionError("this question has no overall figure; use HalfWidth(…, of='groups').")
            return [answer.overall]
        return list(answer.findings)


def about(likely: int, remaining: int) -> LabelsLeft:
    """So many labels, as far as a width tells."""
    likely = min(likely, remaining)
    return LabelsLeft(math.ceil(likely / _ABOUT), likely, min(math.ceil(likely * _ABOUT), remaining))


def more_of_all(finding: Finding, goal: float, told: int) -> int:
    """Labels until the interval of an F-score of all items is so short: those of the items searched, or twice as many
    as are needed below, where half of the draws fall."""
    labels, seen, inside = max(finding.labels, told, 4), finding.hidden, finding.half_width
    if seen is None or finding.searched is None or seen.below == 0:
        return math.ceil(labels * max((inside / goal) ** 2 - 1, 0.0))
    inside = (finding.searched.high - finding.searched.low) / 2
    room = goal - min(inside, goal * _LEAST_ROOM)
    needed = seen.needed(finding.searched.value, room)
    if seen.positive:  # what they leave open falls as one over the root of their number
        needed = min(max(needed, seen.checked * ((finding.half_width - inside) / room) ** 2), seen.below)
    searching = labels * max((inside / (goal * _LEAST_ROOM)) ** 2 - 1, 0.0) if inside > goal else 0.0
    return max(math.ceil(searching), math.ceil(2 * max(needed - seen.checked, 0.0)), 1)
