"""The best of several models: the label at which one is next to the best, against a paired uniform sample that stops
when a posterior says so."""

from typing import Any

import numpy as np
from benchmarks.models.pools import ModelSet

import fewlabels as fl
from fewlabels.between_models import BetweenModels
from fewlabels.core.arrays import Array
from fewlabels.core.best_of import Race, drawn_means
from fewlabels.core.certificate import bar_of_models
from fewlabels.core.evidence import Evidence
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import prepare, run_seed
from fewlabels.stopping.probability import FEWEST_OF_MODELS

MARGIN, GOAL, MOST = 0.01, 0.95, 1500
RIVALS = (0.95, 0.975, 0.99, 0.995)  # how sure the rival has to be
_SEED, _EVERY, _DRAWS = 13, 10, 1000
_STAGES = (200, 600, MOST)  # most studies end early, so that a study is first run so far
_SLACK = 1e-9


def run(one: ModelSet, number: int, batches: tuple[int, ...] = (10,)) -> dict[str, Any]:
    """One study of a sub-pool until a model is next to the best, and its rival."""
    job = prepare(
        one.pool(number), None, fl.BestModel("accuracy", within=MARGIN), [fl.Method()], np.array([1]), _SEED, None
    )  # fmt: skip
    (made,), (known,), seed = job.assessments, job.known, run_seed(_SEED, number)
    between = made.between
    assert between is not None
    value = between.values(known.label, known.cell)
    truth, rng = value.mean(axis=0), np.random.default_rng([_SEED, number])
    budget = int(made.cells.size[between.differ].sum())
    found, by_proof = None, False
    for upto in sorted({min(stage, budget) for stage in _STAGES}):
        evidence = run_draws(made, known.deal(seed), np.array([upto]), seed, batches)[-1]
        race = between.race(evidence)
        found, by_proof = _stop(between, evidence, race, np.random.default_rng([_SEED, number]))
        if found is not None:
            break
    rival = _rival(value, rng)
    return {
        "models": len(truth),
        "differ": budget / len(value),
        **_judged(found, truth, min(budget, MOST)),
        "proved": by_proof,
        "lost": bool(race.dropped[truth.argmax()] > 0),
        "uniform": {str(bar): _judged(rival.get(bar), truth, MOST) for bar in RIVALS},
    }


def _stop(
    between: BetweenModels, evidence: Evidence, race: Race, rng: np.random.Generator
) -> tuple[tuple[int, int] | None, bool]:
    """Where the product stops, looked at every ten labels: by proof, or by a posterior that is surer than the goal.
    What is known at a look are the draws before it."""
    rows, size = evidence.in_order.row, between.cells.size
    for n in range(_EVERY, len(rows) + 1, _EVERY):
        near = np.flatnonzero((race.near > 0) & (race.near <= n))
        if len(near):
            return (int(near[0]), n), True
        left, seen = (race.dropped == 0) | (race.dropped > n), rows[:n]
        cells = between.among(left)
        seen = seen[cells[evidence.cell[seen]]]
        if len(seen) < FEWEST_OF_MODELS:
            continue
        value = between.values(evidence.label[seen], evidence.cell[seen])[:, left]
        drawn = drawn_means(value, int(size[cells].sum()) - len(seen), int(size.sum()), _DRAWS, rng)
        sure = (drawn >= drawn.max(axis=1, keepdims=True) - MARGIN).mean(axis=0)
        if sure.max() >= bar_of_models(GOAL):
            return (int(np.flatnonzero(left)[sure.argmax()]), n), False
    return None, False


def _judged(found: tuple[int, int] | None, truth: Array, most: int) -> dict[str, Any]:
    if found is None:
        return {"labels": most, "stopped": False, "right": False}
    return {"labels": found[1], "stopped": True, "right": bool(truth[found[0]] >= truth.max() - MARGIN - _SLACK)}


def _rival(value: Array, rng: np.random.Generator) -> dict[float, tuple[int, int]]:
    """Items drawn uniformly from the pool, until one model is within the margin of the best in so many draws."""
    order, found = rng.permutation(len(value)), dict[float, tuple[int, int]]()
    for n in range(2 * _EVERY, min(MOST, len(value)) + 1, _EVERY):
        drawn = drawn_means(value[order[:n]], len(value) - n, len(value), _DRAWS // 2, rng)
        near = (drawn >= drawn.max(axis=1, keepdims=True) - MARGIN).mean(axis=0)
        for bar in RIVALS:
            if near.max() >= bar:
                found.setdefault(bar, (int(near.argmax()), n))
        if len(found) == len(RIVALS):
            break
    return found
