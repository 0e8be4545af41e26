"""Studies whose labellers err independently of everything: a tenth of the items asked get two labels each."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

import fewlabels as fl
from fewlabels.study.telling import Given

LABELS = 400  # items asked
Deciding = Literal["all", "differing", "none"]  # which items with two labels somebody decides


def made_up(classes: int, seed: int, items: int = 4000) -> tuple[fl.Pool, dict[Any, str]]:
    """A pool whose predictions are right as often as their scores say, and the true classes of its items."""
    rng = np.random.default_rng(seed)
    predicted, score = rng.integers(0, classes, items), rng.beta(6, 1.2, items)
    other = (predicted + rng.integers(1, classes, items)) % classes
    truth = np.where(rng.random(items) < score, predicted, other)
    pool = fl.Pool.from_arrays(predicted=predicted, score=score, classes=[str(k) for k in range(classes)])
    return pool, {item: str(k) for item, k in enumerate(truth.tolist())}


def share_right(pool: fl.Pool, truth: Mapping[Any, str]) -> float:
    """The true accuracy of a pool's first model."""
    predicted = pool.engine.models[pool.models[0]].predicted
    names = np.array(pool.classes, dtype=object)[predicted]
    return float(np.mean([truth[item] == name for item, name in zip(pool.ids, names, strict=True)]))


def found(
    pool: fl.Pool, truth: Mapping[Any, str], error: float, seed: int, deciding: Deciding = "all"
) -> dict[str, fl.Finding]:
    """The accuracy by overlap, by labels taken for the truth, and by errors whose rate is known."""
    rng = np.random.default_rng(10_000 + seed)
    study = fl.create_study(pool, fl.Estimate("accuracy"), labels_per_item=2, overlap=0.1, seed=seed)

    def label(item: Any) -> str:
        others = [name for name in pool.classes if name != truth[item]]
        return str(rng.choice(others)) if rng.random() < error else truth[item]

    study.record([Given(query.item, label(query.item), "ann") for query in study.ask(LABELS, by="ann")])
    study.record([Given(query.item, label(query.item), "ben") for query in study.open_queries])  # that want two labels
    for item, given in study.opinions.items():
        if deciding == "all" or (deciding == "differing" and len(set(given.values())) > 1):
            study.correct(item, truth[item], by="chief")
    known = study._known()
    assert known.error is not None
    rated = replace(known, error=replace(known.error, given=error))
    return {
        name: study._answer(seen).overall
        for name, seen in {"overlap": known, "naive": replace(known, error=None), "known": rated}.items()
    }


class Coverage(NamedTuple):
    """How often intervals held what is true, how wide they were, and how far off their middle, all on average."""

    covers: float
    width: float
    off: float


def coverage(
    make: Callable[[int], tuple[fl.Pool, Mapping[Any, str]]], error: float, runs: int, deciding: Deciding = "all"
) -> dict[str, Coverage]:
    """Of so many studies, for each way to read labels."""
    rows: dict[str, list[Coverage]] = {}
    for seed in range(runs):
        pool, truth = make(seed)
        right = share_right(pool, truth)
        for name, one in found(pool, truth, error, seed, deciding).items():
            rows.setdefault(name, []).append(
                Coverage(one.low <= right <= one.high, one.high - one.low, one.value - right)
            )
    return {name: Coverage(*np.mean(of, axis=0).tolist()) for name, of in rows.items()}
