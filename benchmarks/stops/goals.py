"""What is asked of every pool, by which methods."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.stops import anytime, below, compare, identify, widths
from benchmarks.stops.pools import Case

MANY = 200  # groups from which on there are too few labels of each to speak of all of them


@dataclass(frozen=True)
class Goal:
    """A goal, and the runs it takes."""

    name: str
    methods: tuple[str, ...]
    run: Callable[..., dict[str, Any]]  # case, method, number, batch
    every_group: bool  # something is said of each


GOALS = {
    goal.name: goal
    for goal in (
        Goal("identify", tuple(identify.METHODS), identify.run, every_group=True),
        Goal("compare", tuple(compare.METHODS), compare.run, every_group=False),
        Goal("below", tuple(below.METHODS), below.run, every_group=True),
        Goal("groups", tuple(widths.METHODS_GROUPS), widths.run_groups, every_group=True),
        Goal("overall", tuple(widths.METHODS_ALL), widths.run_all, every_group=False),
        Goal("anytime", tuple(anytime.METHODS), anytime.run, every_group=False),
    )
}


def asked(goal: Goal, case: Case) -> bool:
    """Whether the goal is for this pool: pairs are for comparisons, and of very many groups not each is spoken of."""
    if case.kind == "pair":
        return goal.name == "compare"
    return not (goal.every_group and case.groups > MANY)
