"""The cost of one step of ACIS on large pools: cells of scores against every item by itself.

    python benchmarks/f_score.py

Prints the time of choosing 20 draws by cells and item by item, interleaved in one run and as a ratio; how much larger
the variance of the estimate is under the cells' distribution than under the items' own (computed, not drawn); and the
ratio of the step at 10 million items to that at 1.2 million. `ask(20)` is a whole study step, items looked up and
written to memory. Last, what a query costs after 1,280 and after 5,120 draws, asked one by one and answered in between;
each is the mean of a quarter of a round, the round's own planning apart.
"""

import statistics
import time
from typing import NoReturn

import numpy as np

import fewlabels as fl
from fewlabels.assessment import Assessment, assess
from fewlabels.core.design import design_named
from fewlabels.core.evidence import Draws, Evidence
from fewlabels.core.importance import FSample, optimal_distribution
from fewlabels.core.keyed import Keyed
from fewlabels.engines import gathered
from fewlabels.strategies import State

SMALL, LARGE, DRAWS, LABELS, TIMES = 1_200_000, 10_000_000, 20, 150, 7
EARLY, LATE = 1_280, 5_120
QUESTION = fl.Estimate("f1", positive="rare")


def scores(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores of a model for a class of one item in a thousand, over-confident, and the truth."""
    rng = np.random.default_rng(0)
    true = rng.uniform(size=count) < 0.001
    log_odds = np.where(true, rng.normal(1.5, 2.0, count), rng.normal(-7.0, 2.0, count))
    return 1 / (1 + np.exp(-log_odds)), true


def labelled(score: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Items labelled so far: half among the highest scores, half anywhere."""
    rng = np.random.default_rng(1)
    top = np.argsort(-score)[: 20 * LABELS]
    return np.unique(np.concatenate([rng.choice(top, LABELS // 2, False), rng.choice(len(true), LABELS // 2, False)]))


def by_cells(pool: fl.Pool, known: np.ndarray, true: np.ndarray) -> tuple[Assessment, Evidence]:
    """The question on the pool's cells, and the labels as evidence of a first round."""
    made = assess(fl.StudySettings(QUESTION), QUESTION, pool, "model")
    cell = gathered(pool.engine.scan("model", made.cells.axes)).cell[known]
    rounds = np.ones(len(known), dtype=np.int64)
    draws = Draws(np.arange(len(known)), rounds, np.full(len(known), 1 / len(true)), {1: 0})
    label = true[known].astype(np.int64)
    rows = (known.tolist(), cell, label, label, np.zeros(len(known)))
    evidence = Evidence(*rows, frozenset({design_named("round")}), rounds, drawn=draws)
    return made, evidence


def by_items(score: np.ndarray, true: np.ndarray, known: np.ndarray) -> FSample:
    """The same with every item a cell of its own."""
    rounds = np.ones(len(known), dtype=np.int64)
    return FSample(
        alpha=0.5,
        size=np.ones(len(score), dtype=np.int64),
        score=score,
        predicted=(score >= 0.5).astype(np.float64),
        stratum=np.unique(score, return_inverse=True)[1],
        cell=known,
        positive=true[known].astype(np.float64),
        since=rounds,
        row=np.arange(len(known)),
        round=rounds,
        probability=np.full(len(known), 1 / len(score)),
    )


def variance(q: np.ndarray, sample: FSample, chance: np.ndarray, g: float) -> float:
    """Of the estimate from one draw, up to a factor that is the same for every q: sum over items of E[v²(l - G)²] / q,
    over the items that can be drawn."""
    weight = optimal_distribution(chance, sample.predicted, g, sample.alpha) ** 2
    reached = q > 0
    return float((weight[reached] / q[reached]).sum())


def extra_variance(made: Assessment, evidence: Evidence, pool: fl.Pool, sample: FSample) -> float:
    """By how much the cells' distribution is worse than the items' own, the labels' calibration taken for the truth."""
    strategy, number, g = fl.Acis(), 2, 0.6
    coarse = made.f_samples(evidence)[0]
    cell = gathered(pool.engine.scan("model", made.cells.axes)).cell
    chance = strategy.calibrated(sample, number)
    fine_q = strategy.distribution(sample, number)
    coarse_q = strategy.distribution(coarse, number)[cell]
    in_reach = (coarse.stratum >= strategy.frame(coarse, coarse.size, number, DRAWS))[cell]
    fine_q, coarse_q = (np.where(in_reach, q, 0.0) for q in (fine_q, coarse_q))
    spreads = [variance(q / q.sum(), sample, chance, g) for q in (coarse_q, fine_q)]
    return spreads[0] / spreads[1] - 1


def clock(work: object, *arguments: object) -> float:
    """Milliseconds of processor time."""
    start = time.process_time()
    work(*arguments)  # type: ignore[operator]
    return 1e3 * (time.process_time() - start)


def _nothing() -> NoReturn:
    """An F-score is chosen for by its sample alone."""
    raise AssertionError


def query_cost(study: fl.Study, true: np.ndarray, after: int) -> float:
    """Milliseconds of ask(1) after so many draws."""
    while study._history.draws < after:
        study.tell({query.item: bool(true[query.item]) for query in study.ask(10)})
    times = []
    for _ in range(after // 4):
        found: list[fl.Query] = []
        times.append(clock(lambda found=found: found.extend(study.ask(1))))
        study.tell(found[0], bool(true[found[0].item]))
    return statistics.mean(times)


def main() -> None:
    score, true = scores(SMALL)
    known = labelled(score, true)
    pool = fl.Pool.from_arrays(positive_score=score, positive="rare")
    made, evidence = by_cells(pool, known, true)
    sample = by_items(score, true, known)
    large_score, large_true = scores(LARGE)
    large = by_cells(
        fl.Pool.from_arrays(positive_score=large_score, positive="rare"), labelled(large_score, large_true), large_true
    )
    items_left = np.where(np.isin(np.arange(SMALL), known), 0, 1)
    times: dict[str, list[float]] = {"items": [], "cells": [], "large": []}
    for turn in range(TIMES):
        keyed = Keyed(turn, 2)
        state = State(items_left, 1, DRAWS, 1, _nothing, lambda: sample, _nothing)
        times["items"].append(clock(fl.Acis().choose, state, keyed))
        for name, (assessment, told) in {"cells": (made, evidence), "large": large}.items():
            count = assessment.cells.count
            taken = told.labels_per_cell(count).astype(np.int64)
            times[name].append(clock(assessment.choose, told, np.zeros(count), taken, keyed, DRAWS))
    items, cells, ten = (statistics.median(times[name]) for name in ("items", "cells", "large"))
    print(
        f"{SMALL:,} items in {made.cells.count:,} cells, {len(known)} labels, {DRAWS} draws a step; medians of {TIMES}"
    )
    print(f"item by item {items:8.1f} ms   by cells {cells:6.2f} ms   ratio {items / cells:6.0f} (goal 30)")
    extra = extra_variance(made, evidence, pool, sample)
    print(f"variance by cells over item by item: {extra:+.2%} (goal at most 1.5 %)")
    print(f"{LARGE:,} items in {large[0].cells.count:,} cells: {ten:6.2f} ms, {ten / cells:.2f} times (goal 1.5)")
    study = fl.create_study(pool, QUESTION, seed=1)
    study.ask(1)
    print(f"ask({DRAWS}) of a study of {SMALL:,} items: {clock(study.ask, DRAWS):.1f} ms")
    early, late = (query_cost(study, true, draws) for draws in (EARLY, LATE))
    print(
        f"a query after {EARLY:,} draws {early:.2f} ms, after {LATE:,} {late:.2f}: {late / early:.1f} times (goal 1.5)"
    )


if __name__ == "__main__":
    main()
