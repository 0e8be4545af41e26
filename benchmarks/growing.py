"""Do intervals hold when a pool grows, and when labels are carried over to another? `python -m benchmarks.growing`.

Each run splits a real pool in two halves by chance, and leaves out some of the second. Extended: a study of the first
half is told 100 labels, extended by the second, and told 150 more; judged are its 95 % intervals at the extension, at
50 and at 150 more labels. Carried over: a study of the first half is told 200 labels, and answers of the second.
Left out are none (even); some by their cells (mix: other shares of predicted classes and of score levels);
high scores, where cells are classes alone, or levels of the score (scores); or right predictions (wrong:
what nobody sees without labels).
"""

import argparse
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import fewlabels as fl
from fewlabels.core.arrays import Bools
from fewlabels.core.groups import ScoreLevels
from fewlabels.engines import MemoryEngine, ModelOutputs, in_memory
from fewlabels.study.elsewhere import edges

POOLS = ("20news", "cifar10_vgg16", "cifar100_wrn16_4")
BEFORE, LOOKS, LABELS, AT_ONCE = 100, (0, 50, 150), 200, 25
QUESTION = fl.Estimate("accuracy", by="predicted_class")
LEVELS = ScoreLevels()
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


def halves(engine: MemoryEngine, how: str, rng: np.random.Generator) -> tuple[fl.Pool, fl.Pool]:
    """One half by chance, and of the other what is kept of it."""
    said, n = engine.models["model"], engine.count
    first = rng.random(n) < 0.5
    pool = part(engine, first)
    right = np.array(engine.classes, dtype=object)[said.predicted] == engine.labels
    keep = np.ones(n)
    if how == "mix":  # fewer of some classes, and of high scores, by the levels of the first half
        cut = edges(pool.engine, "model", (LEVELS,))[LEVELS]
        (chunk,) = engine.scan("model", (cut,))
        keep = rng.choice([0.4, 1.0], len(engine.classes))[said.predicted] * np.linspace(1.0, 0.3, 10)[chunk.cell]
    elif how == "scores":
        keep = np.where(said.score > np.median(said.score), 0.3, 1.0)
    elif how == "wrong":
        keep = np.where(right, 0.5, 1.0)
    return pool, part(engine, ~first & (rng.random(n) < keep))


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
    held = [
        f.low - slack <= groups[f.group] <= f.high + slack
        for f in answer.findings
        if f.group in groups and f.low == f.low
    ]
    found = {"all": float(one.low - slack <= whole <= one.high + slack), "groups": float(np.mean(held))}
    if one.by_design_low is not None:
        found["by design"] = float(one.by_design_low <= whole <= one.by_design_high)
    return {**found, "width": one.high - one.low, "error": one.value - whole}


def extended(engine: MemoryEngine, how: str, seed: int, **more: str) -> Iterator[tuple[str, dict[str, float]]]:
    first, new = halves(engine, how, np.random.default_rng(seed))
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
    first, other = halves(engine, how, np.random.default_rng(seed))
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
