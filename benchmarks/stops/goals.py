"""What is asked of every pool, by which methods."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.stops import anytime, below, compare, identify, widths
from benchmarks.stops.labels import Labelling
from benchmarks.stops.pools import Case

MANY = 200  # groups from which on there are too few labels of each to speak of all of them


@dataclass(frozen=True)
class Goal:
    """A goal, and the runs it takes."""

    name: str
    methods: tuple[str, ...]
    run: Callable[..., dict[str, Any]]  # case, method, number, batch
    every_group: bool  # something is said of each
    study: Callable[..., Labelling] | None  # before the first label, where it may be asked how many it will take

    @property
    def foretold(self) -> str:
        """What forecasts are kept as, apart from the runs: another forecast asks for no other run."""
        return f"{self.name}-foretold"


GOALS = {
    goal.name: goal
    for goal in (
        Goal("identify", tuple(identify.METHODS), identify.run, True, identify.study),
        Goal("compare", tuple(compare.METHODS), compare.run, False, compare.study),
        Goal("below", tuple(below.METHODS), below.run, True, below.study),
        Goal("groups", tuple(widths.METHODS_GROUPS), widths.run_groups, True, widths.study_of_groups),
        Goal("overall", tuple(widths.METHODS_ALL), widths.run_all, False, widths.study_of_all),
        Goal("anytime", tuple(anytime.METHODS), anytime.run, False, None),
    )
}


def asked(goal: Goal, case: Case) -> bool:
    """Whether the goal is for this pool: pairs are for comparisons, and of very many groups not each is spoken of."""
    if case.kind == "pair":
        return goal.name == "compare"
    return not (goal.every_group and case.groups > MANY)
