"""One table or figure by its name."""

import difflib
import time
from collections.abc import Callable
from pathlib import Path

from fewlabels.errors import QuestionError, listed
from fewlabels.pool import Pool
from fewlabels.reproduction.base import Reproduction, Setup


def reproduce(
    name: str,
    *,
    data: str | Path | None = None,
    runs: int | None = None,
    workers: int | None = None,
    pool: Pool | None = None,
    kept: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Reproduction:
    """The paper's numbers beside ours. `data` is the folder of pools; `runs` as many as the paper's by default.

    `pool` is one of your own, with known labels, that the experiment is done on in place of the papers' data sets.
    `kept` is a folder that keeps finished runs: called again, or for more runs, only the rest is done.
    `progress(done, runs)` is called as the runs of each simulation finish; a table may take several simulations.
    """
    from fewlabels.reproduction.experiments import EXPERIMENTS
    from fewlabels.reproduction.shapes.figure_pools import INSTEAD

    found = next((n for n, e in EXPERIMENTS.items() if name in (n, *e.aliases)), None)
    if found is None:
        near = difflib.get_close_matches(name, [n for key, e in EXPERIMENTS.items() for n in (key, *e.aliases)], n=3)
        known = f"did you mean {' or '.join(near)}?" if near else f"known are {listed(EXPERIMENTS, 60)}."
        raise QuestionError(f"no table or figure called {name!r}; {known}")
    made, start = EXPERIMENTS[found], time.perf_counter()
    done = 1 if made.once else runs or made.runs
    if pool is not None and not made.any_pool:
        able = ", ".join(name for name, experiment in EXPERIMENTS.items() if experiment.any_pool)
        raise QuestionError(f"{found} is of the papers' own pools; on a pool of yours can be done {able}.")
    setup = Setup(data, done, workers, progress, pool, None if kept is None else Path(kept) / found)
    rows, notes, panels = made.make(setup)
    about = made.pool if pool is None else f"your pool of {len(pool):,} items and {len(pool.classes):,} classes"
    judged = () if pool is not None else made.judged(rows)
    notes = [note for note in notes if pool is None or note != INSTEAD]  # which is about the papers' pools
    seconds = time.perf_counter() - start
    return Reproduction(
        found, made.title, about, done, tuple(rows), tuple(notes), tuple(panels), seconds, judged, made.across
    )
