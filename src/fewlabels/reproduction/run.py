"""One table or figure by its name."""

import difflib
import time
from collections.abc import Callable
from pathlib import Path

from fewlabels.errors import QuestionError, listed
from fewlabels.reproduction.base import Reproduction, Setup


def reproduce(
    name: str,
    *,
    data: str | Path | None = None,
    runs: int | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Reproduction:
    """The paper's numbers beside ours. `data` is the folder of pools; `runs` as many as the paper's by default.

    `progress(done, runs)` is called as the runs of each simulation finish; a table may take several simulations.
    """
    from fewlabels.reproduction.experiments import EXPERIMENTS

    found = next((n for n, e in EXPERIMENTS.items() if name in (n, *e.aliases)), None)
    if found is None:
        near = difflib.get_close_matches(name, [n for key, e in EXPERIMENTS.items() for n in (key, *e.aliases)], n=3)
        known = f"did you mean {' or '.join(near)}?" if near else f"known are {listed(EXPERIMENTS, 60)}."
        raise QuestionError(f"no table or figure called {name!r}; {known}")
    made, start = EXPERIMENTS[found], time.perf_counter()
    done = 1 if made.once else runs or made.runs
    rows, notes, panels = made.make(Setup(data, done, workers, progress))
    seconds = time.perf_counter() - start
    return Reproduction(found, made.title, made.pool, done, tuple(rows), tuple(notes), tuple(panels), seconds)
