"""What an experiment is, what it is run with, and what it finds. The seed is 0."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.pool import Pool
from fewlabels.questions import Question
from fewlabels.reproduction.base.claims import Claim, Judged
from fewlabels.reproduction.base.compared import Compared
from fewlabels.reproduction.base.data import load_pool
from fewlabels.reproduction.base.labelled_pool import model_of
from fewlabels.reproduction.base.panels import Panel
from fewlabels.simulation import Method, SimulationResult, simulate
from fewlabels.simulation.workers import work

Case = TypeVar("Case")
OWN = "own"  # the name of a pool that was brought in place of the papers'


@dataclass(frozen=True)
class Setup:
    """A folder of pools, a number of runs and of processes, and whom to tell as the runs of a simulation finish."""

    data: str | Path | None
    runs: int
    workers: int | None
    progress: Callable[[int, int], None] | None = None
    own: Pool | None = None  # a pool in place of the papers' ones
    kept: Path | None = None  # a folder that keeps finished runs, so that what is broken off goes on
    pools: dict[str, Pool] = field(default_factory=dict, repr=False, compare=False)  # read once each
    asked: list[int] = field(default_factory=list, repr=False, compare=False)  # simulations so far

    def pool(self, name: str) -> Pool:
        """The pool of this name."""
        if name == OWN and self.own is not None:
            return self.own
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
            resume=None if self.kept is None else self.kept / self._number(),
            progress=self.progress,
        )

    def each(self, part: Callable[[Case], Array], cases: Sequence[Case]) -> list[Array]:
        """What is found of each case, in order, shared by the processes; the first ones are begun first."""
        folder = None if self.kept is None else self.kept / f"{self._number()}-{self.runs}"
        found = _kept_parts(folder, len(cases))
        todo = [number for number in range(len(cases)) if number not in found]
        with closing(work(_Parts(part, cases), todo, self.workers or os.cpu_count() or 1)) as finished:
            for number, values in finished:
                found[number] = values
                if folder is not None:
                    np.save(folder / f"{number}.part.npy", values)
                    (folder / f"{number}.part.npy").replace(folder / f"{number}.npy")
                if self.progress:
                    self.progress(len(found), len(cases))
        return [found[number] for number in range(len(cases))]

    def _number(self) -> str:
        """The number of a simulation, or of work in parts, in the order in which an experiment asks for them."""
        self.asked.append(len(self.asked) + 1)
        return f"{self.asked[-1]:03d}"


def _kept_parts(folder: Path | None, count: int) -> dict[int, Array]:
    """The finished parts in a folder, which is made where it is missing."""
    if folder is None:
        return {}
    folder.mkdir(parents=True, exist_ok=True)
    files = {number: folder / f"{number}.npy" for number in range(count)}
    return {number: np.load(file, allow_pickle=False) for number, file in files.items() if file.exists()}


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
    claims: tuple[Claim, ...] = ()  # of the paper, each with the rule that judges it
    across: int | None = None  # panels beside one another, as the paper lays them out
    any_pool: bool = False  # can be done on a pool of somebody's own

    def judged(self, rows: Sequence[Compared]) -> tuple[Judged, ...]:
        """The paper's claims, judged by these numbers."""
        return tuple(claim.judge(rows) for claim in self.claims)


METHODS = {"UPrior": "uprior", "IPrior": "iprior", "IPrior+TS": "iprior+ts"}
METHODS_AS_STATED = METHODS | {"UPrior": "uprior2"}


def steps(step: int, last: int) -> list[int]:
    """Every so many labels, and the last of all."""
    return sorted({*range(step, last + 1, step), last})
