"""Do intervals hold when a pool grows, and when labels are carried over to another? `python -m benchmarks.growing`.

Each run splits a real pool in two by chance, in one of several ways. Extended: a study of the first half is told 100
labels, extended by the second, and told 150 more; judged are its 95 % intervals at the extension, at 50 and at 150 more
labels. Carried over: a study of the first half is told 200 labels, and answers of the second. A split is by chance
alone (even), by cells (mix: another mix of predicted classes and score levels), by scores inside of cells (scores), or
by whether the model is right (wrong: what nobody can see without labels).
"""

import argparse
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import fewlabels as fl
from fewlabels.core.arrays import Bools
from fewlabels.core.groups import PredictedClass, ScoreLevels
from fewlabels.engines import MemoryEngine, ModelOutputs, in_memory

POOLS = ("20news", "cifar10_vgg16", "cifar100_wrn16_4")
BEFORE, LOOKS, LABELS, AT_ONCE = 100, (0, 50, 150), 200, 25
QUESTION = fl.Estimate("accuracy", by="predicted_class")
BY_CLASS = {"strategy": "uniform", "estimator": "cautious"}  # cells are classes alone


def opened(name: str) -> MemoryEngine:
    """A pool of the data folder."""
    return in_memory(fl.open_pool(Path(os.environ["FEWLABELS_DATA"]) / f"{name}.npz").engine)


def part(engine: MemoryEngine, keep: Bools) -> fl.Pool:
    """The items that are kept, by their numbers."""
    said = engine.models["model"]
    outputs = ModelOutputs(said.predicted[keep], said.score[keep], None)
    assert engine.labels is not None
    columns = (engine.classes, engine.other_labels, {"model": outputs}, {}, {}, engine.labels[keep])
    return fl.Pool(MemoryEngine(np.flatnonzero(keep), *columns))


def second(engine: MemoryEngine, how: str, rng: np.random.Generator) -> Bools:
    """Which items are of the second half."""
    said, n = engine.models["model"], engine.count
    right = np.array(engine.classes, dtype=object)[said.predicted] == engine.labels
    (chunk,) = engine.scan("model", (PredictedClass(), ScoreLevels()))
    if how == "mix":
        return rng.random(n) < rng.choice([0.2, 0.8], chunk.cell.max() + 1)[chunk.cell]
    if how == "scores":
        return rng.random(n) < np.where(said.score > np.median(said.score), 0.8, 0.2)
    return rng.random(n) < np.where(right, 0.5, 0.8) if how == "wrong" else rng.random(n) < 0.5


def tell(study: fl.Study, labels: dict[int, str], count: int) -> None:
    for _ in range(0, count, AT_ONCE):
        study.tell({query.item: labels[query.item] for query in study.ask(AT_ONCE)})


def truth(pools: list[fl.Pool]) -> tuple[float, dict[str, float]]:
    """The share of right predictions in all, and by predicted class."""
    engines = [in_memory(pool.engine) for pool in pools]
    predicted = np.concatenate([np.array(e.classes, dtype=object)[e.models["model"].predicted] for e in engines])
    right = predicted == np.concatenate([e.labels for e in engines])
    return float(right.mean()), {name: float(right[predicted == name].mean()) for name in np.unique(predicted)}


def judged(answer: fl.Answer, pools: list[fl.Pool]) -> dict[str, float]:
    """Whether intervals hold the truth: of all, of groups on average; and how wide that of all is."""
    whole, groups = truth(pools)
    one, slack = answer.overall, 1e-9
    held = [f.low - slack <= groups[f.group] <= f.high + slack for f in answer.findings if f.group in groups]
    found = {"all": float(one.low - slack <= whole <= one.high + slack), "groups": float(np.mean(held))}
    if one.by_design_low is not None:
        found["by design"] = float(one.by_design_low <= whole <= one.by_design_high)
    return {**found, "width": one.high - one.low, "error": one.value - whole}


def extended(engine: MemoryEngine, how: str, seed: int, **more: str) -> Iterator[tuple[str, dict[str, float]]]:
    later = second(engine, how, np.random.default_rng(seed))
    first, new = part(engine, ~later), part(engine, later)
    labels = dict(enumerate(engine.labels.tolist()))
    study = fl.create_study(first, QUESTION, seed=seed, **more)
    tell(study, labels, BEFORE)
    yield "before", judged(study.answer(), [first])
    study.extend(new)
    told = 0
    for look in LOOKS:
        tell(study, labels, look - told)
        told = look
        yield f"+{look}", judged(study.answer(), [first, new])


def carried(engine: MemoryEngine, how: str, seed: int, **more: str) -> Iterator[tuple[str, dict[str, float]]]:
    later = second(engine, how, np.random.default_rng(seed))
    first, other = part(engine, ~later), part(engine, later)
    study = fl.create_study(first, QUESTION, seed=seed, **more)
    tell(study, dict(enumerate(engine.labels.tolist())), LABELS)
    answer = study.answer(pool=other)
    alarm = float(answer.notes[0].startswith("Scores inside of cells are not"))
    yield "carried", {**judged(answer, [other]), "alarm": alarm, "moved": truth([other])[0] - truth([first])[0]}


CASES: dict[str, tuple[Callable[..., Iterator[tuple[str, dict[str, float]]]], str, dict[str, str]]] = {
    "extended, even": (extended, "even", {}),
    "extended, mix": (extended, "mix", {}),
    "extended, wrong": (extended, "wrong", {}),
    "extended by class, mix": (extended, "mix", BY_CLASS),
    "carried, even": (carried, "even", {}),
    "carried, mix": (carried, "mix", {}),
    "carried by class, even": (carried, "even", BY_CLASS),
    "carried, scores": (carried, "scores", {}),
    "carried by class, scores": (carried, "scores", BY_CLASS),
    "carried, wrong": (carried, "wrong", {}),
}


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--runs", type=int, default=40)
    given.add_argument("--cases", nargs="*", default=list(CASES))
    given.add_argument("--pools", nargs="*", default=list(POOLS))
    asked = given.parse_args()
    for case in asked.cases:
        run, how, more = CASES[case]
        for name in asked.pools:
            engine = opened(name)
            found: dict[str, list[dict[str, float]]] = {}
            for seed in range(asked.runs):
                for look, result in run(engine, how, seed, **more):
                    found.setdefault(look, []).append(result)
            for look, results in found.items():
                keys = sorted({key for result in results for key in result})
                means = {key: np.mean([r[key] for r in results if key in r]) for key in keys}
                print(json.dumps({"pool": name, "case": case, "look": look, "runs": len(results)}), end=" ")
                print(json.dumps({key: round(float(mean), 4) for key, mean in means.items()}), flush=True)


if __name__ == "__main__":
    main()
