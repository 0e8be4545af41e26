"""What an experiment is, what it is run with, and what it finds. The seed is 0."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from fewlabels.core.arrays import Array
from fewlabels.pool import Pool
from fewlabels.questions import Question
from fewlabels.reproduction.base.data import load_pool
from fewlabels.reproduction.base.labelled_pool import model_of
from fewlabels.reproduction.base.panels import Panel
from fewlabels.reproduction.base.reproduction import Compared
from fewlabels.simulation import Method, SimulationResult, simulate
from fewlabels.simulation.workers import work

Case = TypeVar("Case")


@dataclass(frozen=True)
class Setup:
    """A folder of pools, a number of runs and of processes, and whom to tell as the runs of a simulation finish."""

    data: str | Path | None
    runs: int
    workers: int | None
    progress: Callable[[int, int], None] | None = None
    pools: dict[str, Pool] = field(default_factory=dict, repr=False, compare=False)  # read once each

    def pool(self, name: str) -> Pool:
        """The pool of this name."""
        if name not in self.pools:
            self.pools[name] = load_pool(name, self.data)
        return self.pools[name]

    def simulate(
        self,
        pool: Pool,
        question: Question,
        methods: Iterable[str | Method],
        budgets: Iterable[int],
        measures: Sequence[str],
        *,
        runs: int | None = None,
    ) -> SimulationResult:
        """The papers' estimates are posterior means of the population's rates, so that is the target."""
        return simulate(
            pool,
            None,
            question,
            methods,
            budgets,
            runs or self.runs,
            measures=measures,
            model=model_of(pool),
            target="population",
            workers=self.workers,
            progress=self.progress,
        )

    def each(self, part: Callable[[Case], Array], cases: Sequence[Case]) -> list[Array]:
        """What is found of each case, in order, shared by the processes; the first ones are begun first."""
        found, numbers = dict[int, Array](), list(range(len(cases)))
        with closing(work(_Parts(part, cases), numbers, self.workers or os.cpu_count() or 1)) as finished:
            for number, values in finished:
                found[number] = values
                if self.progress:
                    self.progress(len(found), len(cases))
        return [found[number] for number in numbers]


@dataclass(frozen=True)
class _Parts(Generic[Case]):
    """A function of each of several cases as work that can be shared; it is sent to each process once."""

    part: Callable[[Case], Array]
    cases: Sequence[Case]

    def run(self, number: int) -> Array:
        return self.part(self.cases[number])


class Found(NamedTuple):
    """What an experiment finds: numbers, what is to be said of them, and curves."""

    rows: Sequence[Compared] = ()
    notes: Sequence[str] = ()
    panels: Sequence[Panel] = ()


@dataclass(frozen=True)
class Experiment:
    """A table or figure: what makes it, and what it is called."""

    make: Callable[[Setup], Found]
    about: str  # in a few words
    title: str
    pool: str  # what it is computed on
    runs: int = 1000  # as many as the paper's
    aliases: tuple[str, ...] = ()
    once: bool = False  # no runs are made: all labels are known


METHODS = {"UPrior": "uprior", "IPrior": "iprior", "IPrior+TS": "iprior+ts"}
METHODS_AS_STATED = METHODS | {"UPrior": "uprior2"}


def steps(step: int, last: int) -> list[int]:
    """Every so many labels, and the last of all."""
    return sorted({*range(step, last + 1, step), last})
