"""Whether the study has what it was for, in the words of a report."""

from dataclasses import dataclass
from typing import Literal

from fewlabels.study.look import Look


@dataclass(frozen=True)
class Verdict:
    """How the goal stands, and why."""

    kind: Literal["reached", "not yet", "ended", "no goal"]
    head: str
    reason: str
    promise: str  # what a stop here promises; nothing before one


def verdict(seen: Look) -> Verdict:
    """The verdict on a study's goal: reached; not yet, with about how many more labels; ended without it; or none
    set."""
    progress, stop = seen.progress, seen.answer.stop or ""
    if seen.reached:
        return Verdict("reached", "Goal reached", _without(progress.reason, "Goal reached: "), stop)
    if progress.done:
        return Verdict("ended", "Ended" if seen.reached is None else "Ended short of the goal", progress.reason, "")
    if seen.reached is None:
        return Verdict("no goal", "No goal is set", progress.reason, "")
    left = progress.labels_left
    more = f": {left}" if left is not None and left.likely else ""
    again = "" if left is None else left.sentence  # which the head says already
    reason = progress.reason.removesuffix(f" About{again}").removesuffix(again)
    return Verdict("not yet", f"Not yet{more}", _without(reason, "Not yet: "), "")


def _without(reason: str, beginning: str) -> str:
    """A sentence that does not begin with what the head says."""
    rest = reason.removeprefix(beginning)
    return f"{rest[:1].upper()}{rest[1:]}"
