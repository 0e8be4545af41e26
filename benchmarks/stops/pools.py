"""The pools: those of the leaderboard with the same sub-pools, and others made up against the rules for stopping."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from benchmarks.leaderboard.pools import Entry, Role, available, load, sub_pool
from benchmarks.leaderboard.synthetic import expit

import fewlabels as fl
from fewlabels.core.arrays import Array, Ints
from fewlabels.engines import in_memory

Kind = Literal["real", "synthetic", "against", "pair"]
Parts = tuple[Ints, Array, Ints]  # of each item: group, score, whether it is right
SIDE = "side"  # the column that says on which side of a pair an item is
_PLANTED = {"planted_20news": "20news", "planted_cifar10": "cifar10_vgg16", "planted_saturated": "saturated"}


@dataclass(frozen=True)
class Case:
    """A pool that studies are run on."""

    name: str
    role: Role  # rules may be designed on it, or it only tests them
    kind: Kind
    entry: Entry | None = None  # on the leaderboard's list, itself or what it was made of

    @property
    def by(self) -> str:
        """The groups that are asked about."""
        if self.kind == "pair":
            return SIDE
        return load(self.entry).by if self.entry is not None and self.kind != "against" else "predicted_class"

    @property
    def groups(self) -> int:
        """How many there are, on the leaderboard's pools; elsewhere they are few."""
        return 0 if self.entry is None else len(load(self.entry).groups)

    def pool(self, run: int) -> fl.Pool:
        """The pool of a run, the same for every method."""
        rng = np.random.default_rng([77, run])
        if self.kind == "pair":
            return _pair(rng, *PAIRS[self.name])
        if self.kind == "against":
            return _planted(self.entry, run, rng) if self.entry is not None else _made(*AGAINST[self.name](rng))
        assert self.entry is not None
        return sub_pool(self.entry, run)


@cache
def cases() -> tuple[Case, ...]:
    """All that can be opened here: design pools and adversaries first."""
    listed = {e.title: e for e in available()}
    found = [Case(e.title, e.role, "real" if e.real else "synthetic", e) for e in listed.values()]
    found += [Case(name, "design", "against", listed[of]) for name, of in _PLANTED.items() if of in listed]
    found += [Case(name, "design", "against") for name in AGAINST]
    found += [Case(name, "design", "pair") for name in PAIRS]
    return tuple(sorted(found, key=lambda case: case.role))


def _exactly(rng: np.random.Generator, sizes: list[int], errors: list[int], odds: float = 3.0) -> Parts:
    """Groups with so many errors, more often at low scores; scores have nothing to do with the group."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    right, logit = np.ones(len(group), dtype=np.int64), rng.normal(odds, 1.2, len(group))
    for g, wrong in enumerate(errors):
        at = np.flatnonzero(group == g)
        spared = rng.exponential(size=len(at)) * np.exp(0.7 * logit[at])
        right[at[np.argsort(spared)[:wrong]]] = 0
    return group, expit(logit), right


def _next_to_one(rng: np.random.Generator, count: int) -> Array:
    return np.asarray(1 - 10 ** -rng.uniform(4, 8, count))


def _saturated_99(rng: np.random.Generator) -> Parts:
    errors = rng.binomial(400, np.clip(rng.normal(0.01, 0.006, 12), 0.001, 1)).tolist()
    group, _, right = _exactly(rng, [400] * 12, errors)
    return group, _next_to_one(rng, len(group)), right


AGAINST: dict[str, Callable[[np.random.Generator], Parts]] = {
    "large_groups": lambda rng: _exactly(rng, [4000] * 6, [0, 1, 4, 12, 40, 120], 4.5),
    "right_999": lambda rng: _exactly(rng, [600] * 8, rng.binomial(600, 0.0008, 8).tolist(), 6.5),
    "saturated_99": _saturated_99,
    "equal_worst": lambda rng: _exactly(rng, [400] * 10, [48, 48, 20, 20, 24, 12, 12, 8, 30, 4]),
    "all_equal": lambda rng: _exactly(rng, [300] * 12, [18] * 12),
    "apart_by_the_margin": lambda rng: _exactly(rng, [500] * 8, [60, 54, 30, 25, 20, 15, 10, 40]),
    "unequal": lambda rng: _exactly(rng, [40, 60, 80, 120, 200, 400, 900, 2000], [4, 2, 6, 12, 8, 40, 30, 140]),
    "small_groups": lambda rng: _exactly(rng, [35] * 60, rng.binomial(35, rng.beta(2, 12, 60)).tolist(), 2.0),
}
# Of two groups: items, errors, and whether all scores are next to one.
PAIRS: dict[str, tuple[list[int], list[int], bool]] = {
    "pair_equal": ([300, 300], [30, 30], False),
    "pair_equal_of_unequal_size": ([150, 600], [15, 60], False),
    "pair_equal_saturated": ([300, 300], [30, 30], True),
    "pair_apart_by_the_rope": ([300, 300], [30, 45], False),
    "pair_right_99": ([400, 400], [4, 4], False),
}


def _made(group: Ints, score: Array, right: Ints) -> fl.Pool:
    count = int(group.max()) + 1
    names = np.array([f"g{i:03d}" for i in range(count)])
    label = np.where(right == 1, group, (group + 1) % count)
    return fl.Pool.from_arrays(
        predicted=names[group], score=score, classes=names.tolist(), labels=names[label].tolist()
    )


def _pair(rng: np.random.Generator, sizes: list[int], errors: list[int], saturated: bool) -> fl.Pool:
    side, score, right = _exactly(rng, sizes, errors)
    names, predicted = np.array(["no", "yes"]), np.arange(len(side)) % 2
    label = np.where(right == 1, predicted, 1 - predicted)
    return fl.Pool.from_arrays(
        predicted=names[predicted],
        score=_next_to_one(rng, len(side)) if saturated else score,
        columns={SIDE: np.array(["left", "right"])[side]},
        labels=names[label].tolist(),
    )


def _planted(entry: Entry, run: int, rng: np.random.Generator) -> fl.Pool:
    """A sub-pool in which the surest class has 20 to 25 % errors, and no score shows it."""
    pool = sub_pool(entry, run)
    engine = in_memory(pool.engine)
    outputs, labels = engine.models["model"], engine.labels
    assert labels is not None
    predicted = np.array(pool.classes, dtype=object)[outputs.predicted]
    group, right = outputs.predicted, (np.asarray(labels, dtype=object) == predicted).astype(np.int64)
    surest = group == (np.bincount(group, outputs.score) / np.maximum(np.bincount(group), 1)).argmax()
    right[surest] = rng.random(surest.sum()) >= rng.uniform(0.20, 0.25)
    return _made(np.unique(group, return_inverse=True)[1], outputs.score, right)
