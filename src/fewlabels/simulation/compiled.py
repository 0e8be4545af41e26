"""Which code takes a run: compiled where Numba is installed (extra `fast`) and has a kernel, else the plain step."""

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TypeAlias

from fewlabels.assessment import Assessment
from fewlabels.core import anytime, recalibration, stratified
from fewlabels.core.arrays import Ints
from fewlabels.core.evidence import Evidence
from fewlabels.simulation.drawn import DrawnRun
from fewlabels.simulation.oracle import Deck
from fewlabels.simulation.run import Trace, run_draws, run_plain

# Numba takes a second to import, so it is imported when a simulation runs, not with fewlabels.
FAST = importlib.util.find_spec("numba") is not None


Runner: TypeAlias = Callable[[Deck, Ints, int], Trace]  # from an order, budgets and a seed to what is known at each


@contextmanager
def fast() -> Iterator[None]:
    """Inside, beliefs are fitted and bets are made by compiled code where Numba is installed. For runs that nobody goes
    on with: in a live study the last digit of a chance that is kept does not depend on what is installed."""
    with ExitStack() as entered:
        if FAST:
            from fewlabels.core.anytime import compiled as of_bets
            from fewlabels.core.recalibration import compiled
            from fewlabels.core.stratified import compiled as of_strata

            entered.enter_context(anytime.using(of_bets))
            entered.enter_context(recalibration.using(compiled))
            entered.enter_context(stratified.using(of_strata))
        yield


def runner_for(assessment: Assessment) -> Runner:
    """The fastest code for this assessment's runs."""
    if FAST:
        from fewlabels.simulation.kernels.chosen import kernel_for

        if (kernel := kernel_for(assessment)) is not None:
            return kernel
    return partial(run_plain, assessment)


def evidence_for(assessment: Assessment) -> Callable[[Deck, Ints, int], list[Evidence]]:
    """The fastest code for runs of which all is kept that a live study would know."""
    cell_by_cell = not (assessment.estimator.reads_draws or assessment.question.of_models)
    found = runner_for(assessment) if cell_by_cell and assessment.strategy.kernel is not None else None
    return found.evidence if isinstance(found, DrawnRun) else partial(run_draws, assessment)
