"""Made-up sets of models: what no real pair shows, or not so clearly."""

from collections.abc import Callable

import numpy as np

import fewlabels as fl
from fewlabels.core.arrays import Array, Bools

CLASSES, ITEMS = 10, 6000
REGION = "region"


def _predicted(rng: np.random.Generator, truth: Array, right: Bools) -> Array:
    """The true class where it is right, else any other."""
    other = (truth + rng.integers(1, CLASSES, len(truth))) % CLASSES
    return np.asarray(np.where(right, truth, other))


def _pool(rng: np.random.Generator, truth: Array, models: dict[str, Array], region: Array) -> fl.Pool:
    names = np.array([f"c{i}" for i in range(CLASSES)])
    return fl.Pool.join(
        {
            name: fl.Pool.from_arrays(
                predicted=names[predicted],
                score=rng.uniform(0.5, 1.0, len(truth)),
                classes=names.tolist(),
                columns={REGION: region},
                labels=names[truth].tolist(),
            )
            for name, predicted in models.items()
        }
    )


def _exchanged(rng: np.random.Generator, right: Bools, only_a: int, only_b: int) -> Bools:
    """A second model: wrong at so many items where the first is right, right at so many where it is wrong."""
    out = right.copy()
    out[rng.choice(np.flatnonzero(right), only_a, replace=False)] = False
    out[rng.choice(np.flatnonzero(~right), only_b, replace=False)] = True
    return out


def _pair(rng: np.random.Generator, accuracy: float, only_a: int, only_b: int, both_wrong: float = 0.5) -> fl.Pool:
    """Two models; where both are wrong they say the same with a chance of 1 - both_wrong."""
    truth, region = rng.integers(0, CLASSES, ITEMS), rng.choice(np.array(["north", "south", "west"]), ITEMS)
    right = rng.random(ITEMS) < accuracy
    other = _exchanged(rng, right, only_a, only_b)
    a, b = _predicted(rng, truth, right), _predicted(rng, truth, other)
    same = ~right & ~other & (rng.random(ITEMS) >= both_wrong)
    return _pool(rng, truth, {"a": a, "b": np.where(same, a, b)}, region)


def _nearly(rng: np.random.Generator) -> fl.Pool:
    """They agree on 99.9 % of the items."""
    return _pair(rng, 0.9, 4, 2, 0.0)


def _everywhere(rng: np.random.Generator) -> fl.Pool:
    """They never say the same."""
    truth = rng.integers(0, CLASSES, ITEMS)
    right = rng.random(ITEMS) < 0.5
    a, off = _predicted(rng, truth, right), rng.integers(1, CLASSES, ITEMS)
    b = np.where(right, (truth + off) % CLASSES, truth)
    b = np.where(rng.random(ITEMS) < 0.2, (a + off) % CLASSES, b)
    return _pool(rng, truth, {"a": a, "b": np.where(b == a, (a + off) % CLASSES, b)}, np.repeat("all", ITEMS))


def _one_group(rng: np.random.Generator) -> fl.Pool:
    """As good as one another but in the west, where b is ten points worse."""
    truth, region = rng.integers(0, CLASSES, ITEMS), np.repeat(np.array(["north", "south", "west"]), ITEMS // 3)
    right = rng.random(ITEMS) < 0.85
    other = right.copy()
    for name, only_a, only_b in (("north", 90, 90), ("south", 90, 90), ("west", 230, 30)):
        at = region == name
        other[at] = _exchanged(rng, right[at], only_a, only_b)
    return _pool(rng, truth, {"a": _predicted(rng, truth, right), "b": _predicted(rng, truth, other)}, region)


def _fourteen(rng: np.random.Generator) -> fl.Pool:
    """Fourteen models that make some of their mistakes together; three are nearly as good as the best."""
    truth = rng.integers(0, CLASSES, ITEMS)
    hard = rng.normal(size=ITEMS)
    levels = [1.30, 1.27, 1.25, 1.10, 1.05, 1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4]
    wrong = (truth + rng.integers(1, CLASSES, ITEMS)) % CLASSES  # what most say where they are wrong
    models = {}
    for number, level in enumerate(levels, start=1):
        right = level - hard + 0.5 * rng.normal(size=ITEMS) > 0
        own = _predicted(rng, truth, right)
        models[f"m{number:02d}"] = np.where(right, truth, np.where(rng.random(ITEMS) < 0.6, wrong, own))
    return _pool(rng, truth, models, np.repeat("all", ITEMS))


MADE: dict[str, Callable[[np.random.Generator], fl.Pool]] = {
    "equal": lambda rng: _pair(rng, 0.85, 300, 300),
    "nearly_the_same": _nearly,
    "apart_everywhere": _everywhere,
    "equal_in_sum": lambda rng: _pair(rng, 0.7, 700, 700, 0.3),
    "apart_in_one_group": _one_group,
    "fourteen_models": _fourteen,
}
