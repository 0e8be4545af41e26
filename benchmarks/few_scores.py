"""F-scores of models that give few different scores: how often intervals hold, and how near the estimates are.

    python -m benchmarks.few_scores --runs 20 [--metric recall] [--batches 1 10 50] [--pools tfidf] [--kinds rounded]

The design pools, sub-pools, classes and seeds of benchmarks/f_score_board.py, each class against the rest, with scores
made coarse in three ways: "said" has a score of one for what is predicted and of nothing for all else; "rounded" has
scores rounded to 0 and 1, so that some of what is predicted has a score of 0; "marks" has them rounded to quarters.
Standard errors are clustered by run.
"""

import argparse

import numpy as np
from benchmarks import f_score_board as board
from benchmarks.leaderboard.pools import data_folder, load

import fewlabels as fl
from fewlabels.assessment import assess
from fewlabels.core.arrays import Array
from fewlabels.engines import MemoryEngine, ModelOutputs, gathered, in_memory
from fewlabels.reading.answer import read
from fewlabels.simulation.measures import Truth
from fewlabels.simulation.oracle import Known
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import run_seed

LOOKS = (20, 50, 100, 200)
KINDS = ("said", "rounded", "marks")


def coarse(pool: fl.Pool, name: str, kind: str) -> fl.Pool:
    """One class against the rest, with few different scores."""
    engine = in_memory(board.against_the_rest(pool, name).engine)
    (said,) = engine.models.values()
    assert said.probabilities is not None
    score = said.probabilities[:, 0]
    steps = {"rounded": 1, "marks": 4}
    score = (said.predicted == 0).astype(np.float64) if kind == "said" else np.round(score * steps[kind]) / steps[kind]
    both = np.stack([score, 1 - score], axis=1)
    own = both[np.arange(len(score)), said.predicted]
    made = {"model": ModelOutputs(said.predicted, own, both)}
    return fl.Pool(MemoryEngine(engine.ids, engine.classes, (), made, {}, {}, engine.labels))


def study(pool: fl.Pool, name: str, metric: str, batch: int, seed: int) -> Array:
    """(n_looks, 4): the truth, the value and the ends of the interval."""
    question = fl.Estimate(metric, positive=name)
    made = assess(fl.StudySettings(question), question, pool, "model")
    rows = gathered(pool.engine.scan("model", made.cells.axes))
    label = (np.array(pool.known_labels) != name).astype(np.int64)
    known = Known(made.cells, rows.cell, rows.predicted, label, rows.hashes)
    (truth,), out = Truth(made, known).values, []
    for evidence in run_draws(made, known.deal(seed), np.array(LOOKS), seed, (batch,)):
        (found,) = read(made, evidence).findings
        out.append((truth, found.value, found.low, found.high))
    return np.array(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--metric", choices=("f1", "precision", "recall"), default="f1")
    parser.add_argument("--batches", nargs="+", type=int, default=[10])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--pools", nargs="+", default=[""], help="parts of their names")
    options = parser.parse_args()
    print("pool | scores | batches | held in percent (standard error); error, width at", *LOOKS)
    for entry, rare in board.entries():
        wanted = entry.role == "design" and any(part in entry.name for part in options.pools)
        if not wanted or not (data_folder() / entry.name).exists():
            continue
        pools = [load(entry).sub_pool(run) for run in range(options.runs)]
        for kind in options.kinds:
            for batch in options.batches:
                found = [
                    [study(coarse(pool, name, kind), name, options.metric, batch, run_seed(0, run)) for name in names]
                    for run, pool in enumerate(pools)
                    if (names := board.classes_of(pool, run, rare=rare)[:2])
                ]
                print(entry.title, kind, batch, *words(found), sep=" | ", flush=True)


def words(found: list[list[Array]]) -> list[str]:
    """What is said of each look."""
    every = np.array([one for run in found for one in run])
    truth, value, low, high = np.moveaxis(every, -1, 0)
    inside = [[(one[:, 2] - 1e-9 <= one[:, 0]) & (one[:, 0] <= one[:, 3] + 1e-9) for one in run] for run in found]
    held = np.mean([one for run in inside for one in run], axis=0)
    se = np.std([np.mean(run, axis=0) for run in inside], axis=0) / np.sqrt(len(inside))
    error = np.sqrt(((np.nan_to_num(value) - truth) ** 2).mean(axis=0))
    width = (high - low).mean(axis=0)
    columns = zip(held, se, error, width, strict=True)
    return [f"{100 * h:.0f} ({100 * s:.0f}); {e:.3f}, {w:.2f}" for h, s, e, w in columns]


if __name__ == "__main__":
    main()
