"""The best of several models: the label at which one is shown to be next to the best, against a paired uniform sample
that stops when a posterior says so."""

from typing import Any

import numpy as np
from benchmarks.models.pools import ModelSet

import fewlabels as fl
from fewlabels.answers import BestOfModels
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.best_of import drawn_means
from fewlabels.reading.answer import answer_to_goal
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import prepare, run_seed

MARGIN, GOAL, MOST = 0.01, 0.95, 1500
UNTIL = fl.Probability(GOAL)
_SEED, _EVERY, _FIRST, _DRAWS = 13, 10, 20, 500
_SLACK = 1e-9


def run(one: ModelSet, number: int, batches: tuple[int, ...] = (10,)) -> dict[str, Any]:
    """One study of a sub-pool until a model is shown to be next to the best, and its rival."""
    job = prepare(
        one.pool(number), None, fl.BestModel("accuracy", within=MARGIN), [fl.Method()], np.array([1]), _SEED, None
    )  # fmt: skip
    (made,), (known,), seed = job.assessments, job.known, run_seed(_SEED, number)
    between = made.between
    assert between is not None
    value = between.values(known.label, known.cell)
    truth = value.mean(axis=0)
    budget = min(int(made.cells.size[between.differ].sum()), MOST)
    found, race = None, None
    for looks in _stages(budget):
        for evidence in run_draws(made, known.deal(seed), looks, seed, batches):
            answer = answer_to_goal(made, evidence, GOAL, UNTIL, {})
            assert isinstance(answer, BestOfModels)
            if UNTIL.progress(answer, budget - evidence.count).done:
                found = between.models.index(answer.best), evidence.count
                break
        if found is not None:
            break
    race = between.race(evidence)
    return {
        "models": len(truth),
        "differ": float(made.cells.size[between.differ].sum() / made.cells.size.sum()),
        **_judged(found, truth, budget),
        "proved": bool(race.near.any()),
        "lost": bool(race.dropped[truth.argmax()] > 0),
        "uniform": _judged(_posterior(value, np.random.default_rng([_SEED, number])), truth, MOST),
    }


def _stages(budget: int) -> list[Ints]:
    """Looks, every ten labels; most studies end early, so that first ones are run by themselves."""
    looks = np.unique(np.minimum(np.arange(_FIRST, budget + _EVERY, _EVERY), budget))
    return [looks[looks <= 300], looks] if (looks > 300).any() else [looks]


def _judged(found: tuple[int, int] | None, truth: Array, most: int) -> dict[str, Any]:
    if found is None:
        return {"labels": most, "stopped": False, "right": False}
    return {"labels": found[1], "stopped": True, "right": bool(truth[found[0]] >= truth.max() - MARGIN - _SLACK)}


def _posterior(value: Array, rng: np.random.Generator) -> tuple[int, int] | None:
    """Items drawn uniformly from the pool, until one model is within the margin of the best in so many draws."""
    order = rng.permutation(len(value))
    for n in range(_FIRST, min(MOST, len(value)) + 1, _EVERY):
        drawn = drawn_means(value[order[:n]], len(value) - n, len(value), _DRAWS, rng)
        near = (drawn >= drawn.max(axis=1, keepdims=True) - MARGIN).mean(axis=0)
        if near.max() >= GOAL:
            return int(near.argmax()), n
    return None
