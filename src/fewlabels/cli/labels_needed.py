"""What `fewlabels simulate --until MEASURE=X` says: how many labels each method needs."""

import math
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

import fewlabels as fl
from fewlabels.cli.errors import WrongUse
from fewlabels.cli.printing import count_of, print_rows, say
from fewlabels.simulation import FALLING, Needed


class Goal(NamedTuple):
    """A measure and the threshold it is to pass."""

    measure: str
    threshold: float

    def __str__(self) -> str:
        return f"{self.measure} {'falls below' if self.measure in FALLING else 'exceeds'} {self.threshold:g}"


def read_goal(text: str) -> Goal:
    """What --until was given.

    >>> read_goal("mrr=0.99")
    Goal(measure='mrr', threshold=0.99)
    """
    measure, _, number = text.partition("=")
    try:
        goal = Goal(measure.strip(), float(number))
    except ValueError:
        goal = Goal(measure, math.nan)
    if not math.isfinite(goal.threshold):
        raise WrongUse(f"--until takes a measure and a number, such as mrr=0.99 or rmse=0.05; got {text!r}.")
    return goal


def needed_json(result: fl.SimulationResult, goal: Goal | None) -> dict[str, Any]:
    """The labels needed as plain data; a number that is not known becomes null."""
    if goal is None:
        return {}
    found = result.needed(*goal)
    sentence = needed_sentence(found, result.runs)
    return {"until": str(goal), "needed": [asdict(needed) for needed in found], "sentence": sentence}


def print_needed(result: fl.SimulationResult, goal: Goal) -> None:
    """A table, a line a method, and how many labels the best saves in a sentence."""
    found, last = result.needed(*goal), result.budgets[-1]
    rows = []
    for needed in found:
        at, low, high = (_labels(n, last) for n in (needed.average.labels, needed.average.low, needed.average.high))
        first, settled = _mean(needed.first, needed.first_se, last), _mean(needed.settled, needed.settled_se, last)
        rows.append((needed.method, first, settled, f"{at} ({low}–{high})"))
    say()
    say(f"Labels needed until {goal}", "bold")
    print_rows(("method", "a run, first", "a run, for good", "the average of the runs, first"), rows)
    say()
    say(needed_sentence(found, result.runs), "bold")
    say(
        f"Looked at {count_of(len(result.budgets), 'time')}, up to {last:,} labels. Means over runs ± standard errors; "
        "where the average passes depends on how many runs there are, and has a 99 % bootstrap interval.",
        "dim",
    )


def _mean(count: float, error: float, last: int) -> str:
    return _labels(count, last) + (f" ± {error:,.0f}" if np.isfinite(error) else "")


def _labels(count: float, last: int) -> str:
    return f"{count:,.0f}" if np.isfinite(count) else f"> {last:,}"


def needed_sentence(found: tuple[Needed, ...], runs: int) -> str:
    """Which method needs fewest labels to stay past the threshold, and how many times as many the next needs."""
    limit = f"This is one pool and {count_of(runs, 'run')}: on another pool the order may be another."
    known = sorted((needed for needed in found if np.isfinite(needed.settled)), key=lambda needed: needed.settled)
    if not known:
        return f"No method gets there for good in every run. {limit}"
    best = known[0]
    if len(found) == 1:
        return f"{best.method} needs {best.settled:,.0f} labels to get there for good. {limit}"
    if len(known) == 1:
        return f"Only {best.method} gets there for good in every run, with {best.settled:,.0f} labels. {limit}"
    later = known[1]
    if not later.settled - best.settled > 2 * np.hypot(later.settled_se, best.settled_se):
        return f"Whether {best.method} or {later.method} needs fewer labels cannot be told from these runs. {limit}"
    needs = f"{best.method} needs {best.settled:,.0f} labels to get there for good"
    return f"{needs}, the next, {later.method}, {later.settled / best.settled:.1f} times as many. {limit}"
