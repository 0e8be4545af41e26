"""The papers' tables and figures, again: `fl.reproduce("aaai-table-3")`, or `fewlabels reproduce --list`."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from fewlabels.errors import QuestionError, listed
from fewlabels.reproduce.accuracy_tables import table_3, table_8
from fewlabels.reproduce.base import Reproduction, Row
from fewlabels.reproduce.calibration_tables import table_5
from fewlabels.reproduce.data import SOURCES, load_pool
from fewlabels.reproduce.identification_tables import table_6


@dataclass(frozen=True)
class Experiment:
    """A table or figure by name."""

    run: Callable[[str | Path | None, int, int | None], Reproduction]
    about: str
    runs: int = 1000  # as many as the paper's
    aliases: tuple[str, ...] = ()


EXPERIMENTS: dict[str, Experiment] = {
    "aaai-table-3": Experiment(table_3, "RMSE of accuracy by predicted class"),
    "aaai-table-5": Experiment(table_5, "percentage error of the expected calibration error"),
    "aaai-table-6": Experiment(table_6, "labels needed to identify the least accurate classes"),
    "aaai-table-8": Experiment(table_8, "RMSE of accuracy by score bin", aliases=("supplement-table-1",)),
}


def reproduce(
    name: str, *, data: str | Path | None = None, runs: int | None = None, workers: int | None = None
) -> Reproduction:
    """The paper's numbers beside ours. `data` is the folder of pools; `runs` as many as the paper's by default."""
    found = next((n for n, e in EXPERIMENTS.items() if name in (n, *e.aliases)), None)
    if found is None:
        raise QuestionError(f"no table or figure called {name!r}; known are {listed(EXPERIMENTS, 40)}.")
    start = time.perf_counter()
    done = EXPERIMENTS[found].run(data, runs or EXPERIMENTS[found].runs, workers)
    return replace(done, seconds=time.perf_counter() - start)


__all__ = ["EXPERIMENTS", "SOURCES", "Experiment", "Reproduction", "Row", "load_pool", "reproduce"]
