"""One table or figure by its name."""

import difflib
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fewlabels.errors import QuestionError, listed
from fewlabels.reproduction.base import Reproduction


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
    from fewlabels.reproduction.setup import PROGRESS

    found = next((n for n, e in EXPERIMENTS.items() if name in (n, *e.aliases)), None)
    if found is None:
        near = difflib.get_close_matches(name, [n for key, e in EXPERIMENTS.items() for n in (key, *e.aliases)], n=3)
        known = f"did you mean {' or '.join(near)}?" if near else f"known are {listed(EXPERIMENTS, 60)}."
        raise QuestionError(f"no table or figure called {name!r}; {known}")
    start = time.perf_counter()
    token = PROGRESS.set(progress)
    try:
        done = EXPERIMENTS[found].run(data, runs or EXPERIMENTS[found].runs, workers)
    finally:
        PROGRESS.reset(token)
    return replace(done, seconds=time.perf_counter() - start)
