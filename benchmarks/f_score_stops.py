"""F-scores at the moment one stops, and from twenty labels: how often intervals hold the truth there.

    python -m benchmarks.f_score_stops --runs 25 [--metric recall]

The pools, sub-pools, classes and seeds of benchmarks/f_score_board.py, test pools alone; labels come back in tens, a
look after each ten from 20 to 310. A study stops at the first look at which half of its interval is as short as the
goal. Standard errors are clustered by run.
"""

import argparse
from dataclasses import dataclass, field

import numpy as np
from benchmarks import f_score_board as board
from benchmarks.leaderboard.pools import data_folder, load

from fewlabels.simulation.simulate import run_seed

LOOKS = tuple(range(20, 311, 10))
GOALS = (0.15, 0.1, 0.05)


@dataclass
class Held:
    """Whether intervals held, run by run, and after how many labels that was."""

    of_runs: dict[int, list[bool]] = field(default_factory=dict)
    labels: list[int] = field(default_factory=list)

    def add(self, run: int, look: int, *, held: bool) -> None:
        self.of_runs.setdefault(run, []).append(held)
        self.labels.append(look)

    def __str__(self) -> str:
        if not self.labels:
            return "none"
        every = [one for run in self.of_runs.values() for one in run]
        se = np.std([np.mean(run) for run in self.of_runs.values()]) / np.sqrt(len(self.of_runs))
        return f"{100 * np.mean(every):.1f} ({100 * se:.1f}), {len(every)}, {np.median(self.labels):.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--metric", choices=("f1", "precision", "recall"), default="f1")
    options = parser.parse_args()
    board.LOOKS = board.HELD_AT = LOOKS  # type: ignore[assignment]
    print("pool | held in percent (standard error), studies, median labels: at 20 |", *(f"at ±{g} |" for g in GOALS))
    for entry, rare in board.entries():
        if entry.role != "test" or not (data_folder() / entry.name).exists():
            continue
        first, stops = Held(), {goal: Held() for goal in GOALS}
        for run in range(options.runs):
            pool = load(entry).sub_pool(run)
            for name in board.classes_of(pool, run, rare=rare):
                case = board.Case(entry, rare, options.metric, "difference", "10")
                one = board.against_the_rest(pool, name)
                for _, found in board.studies(one, [case], name, run_seed(0, run)):
                    truth, _, low, high, _ = found[0].T
                    held = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
                    first.add(run, LOOKS[0], held=bool(held[0]))
                    for goal, stop in stops.items():
                        short = np.flatnonzero((high - low) / 2 <= goal)
                        if len(short):
                            stop.add(run, LOOKS[short[0]], held=bool(held[short[0]]))
        print(entry.title, first, *stops.values(), sep=" | ", flush=True)


if __name__ == "__main__":
    main()
