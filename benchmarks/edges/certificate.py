"""Which group is worst, on pools made up against the certificate, and on real ones.

    python -m benchmarks.edges certificate --runs 200 [--pools attack band] [--rules old now proven]

Of each pool and rule it prints how many studies stopped, the share of these that named a group within a point of the
worst with its one-sided 95 % limit, the labels, and their ratio to those of the old rule on the same pools. `old` is
the rule of 0.1: three labels a group, and .6 and .2 of the error. `now` is the usual one, `proven` is fl.Identify(…,
proven=True). Studies that did not stop count with all the labels they took, and are neither right nor wrong.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from benchmarks.leaderboard.pools import available, sub_pool
from benchmarks.stops.identify import GOAL, WITHIN, _certified
from benchmarks.stops.labels import begin, first
from scipy.special import betaincinv

import fewlabels as fl
from fewlabels.core import certificate
from fewlabels.core.arrays import Array, Bools, Ints

BATCH, MOST, _COARSE = 20, 6000, 100
Parts = tuple[Ints, Array, Array]  # of each item: group, score, and the chance to be right
_OLD = {"MANY_SHARE": 0.6, "FEW_SHARE": 0.2, "MOST_OF_EACH": 3}
_SURE = (0.985, 0.9999)


def main(given: Sequence[str]) -> None:
    options = argparse.ArgumentParser(prog="benchmarks.edges certificate")
    options.add_argument("--runs", type=int, default=40)
    options.add_argument("--first", type=int, default=0, help="the number of the first run")
    options.add_argument("--pools", nargs="*", default=[*MADE, *REAL])
    options.add_argument("--rules", nargs="*", default=["old", "now", "proven"], choices=list(RULES))
    chosen = options.parse_args(given)
    print("pool | rule | runs | stopped | right % | at least % | labels (se) | ratio to old (se)", flush=True)
    for pool in chosen.pools:
        labels: dict[str, Array] = {}
        for rule in chosen.rules:
            runs = range(chosen.first, chosen.first + chosen.runs)
            found = np.array([RULES[rule](pool, run) for run in runs], dtype=np.float64)
            labels[rule] = found[:, 0]
            print(f"{pool} | {rule} | {_row(found, labels.get('old'))}", flush=True)


def _row(found: Array, old: Array | None) -> str:
    labels, stopped, right = found.T
    stops, ok = int(stopped.sum()), int(right.sum())
    least = betaincinv(ok, stops - ok + 1, 0.05) if ok else 0.0
    share = 100 * ok / max(stops, 1)
    text = f"{len(found)} | {stops} | {share:.1f} | {100 * least:.1f} | {labels.mean():,.0f} ({_error(labels):.0f})"
    if old is None:
        return text
    ratio = labels.mean() / old.mean()
    return f"{text} | {ratio:.2f} ({_error(labels / labels.mean() - old / old.mean()) * ratio:.2f})"


def _error(values: Array) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


# -- rules -------------------------------------------------------------------------------------------------------------


def usual(name: str, run: int) -> tuple[int, bool, bool]:
    """Labels, whether the study stopped, and whether it was right then."""
    pool, by = pool_of(name, run)
    question = fl.Identify("accuracy", by=by, within=WITHIN)
    at = begin(pool, question, fl.Method(), run, BATCH, fl.Probability(GOAL))
    labels, named = _certified(at, min(MOST, at.items))
    value = at.truth.values
    return labels, named is not None, named is not None and bool(value[named] <= value.min() + WITHIN + 1e-9)


def old(name: str, run: int) -> tuple[int, bool, bool]:
    """The same by the rule of 0.1."""
    with _patched(_OLD):
        return usual(name, run)


def proven(name: str, run: int) -> tuple[int, bool, bool]:
    """The same with a proof, looked at every hundred labels, then at each batch of the hundred in which it came."""
    pool, by = pool_of(name, run)
    question = fl.Identify("accuracy", by=by, within=WITHIN, proven=True)
    at = begin(pool, question, fl.Method(), run, BATCH, fl.Probability(GOAL))
    most, names, value = min(MOST, at.items), at.assessment.lens.rows.names, at.truth.values
    evidence = at.take(_COARSE)
    while not at.answer(evidence)[1]:
        if evidence.count >= most:
            return evidence.count, False, False
        evidence = at.take(evidence.count + _COARSE)
    for labels in [*range(max(evidence.count - _COARSE, 0) + BATCH, evidence.count, BATCH), evidence.count]:
        answer, done = at.answer(first(evidence, labels))
        if done:
            break
    assert isinstance(answer, fl.Identification)
    assert answer.proof is not None
    named = [names.index(group) for group in answer.proof.named]
    return labels, True, bool(value[named].max() <= value.min() + WITHIN + 1e-9)


@contextmanager
def _patched(constants: dict[str, float]) -> Iterator[None]:
    before = {name: getattr(certificate, name) for name in constants}
    try:
        for name, value in constants.items():
            setattr(certificate, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(certificate, name, value)


RULES: dict[str, Callable[[str, int], tuple[int, bool, bool]]] = {"old": old, "now": usual, "proven": proven}

# -- pools -------------------------------------------------------------------------------------------------------------


def _scores(rng: np.random.Generator, count: int, sure: tuple[float, float]) -> tuple[Array, Bools]:
    """60 % of items that the model is sure of, and whether each is one."""
    is_sure = rng.random(count) < 0.6
    return np.where(is_sure, rng.uniform(*sure, count), rng.uniform(0.5, 0.95, count)), is_sure


def _usual(rng: np.random.Generator) -> tuple[Ints, Array, Bools, Array]:
    """Eight groups of 500; what the model is sure of is right in .985, the others as the score says."""
    group = np.repeat(np.arange(8), 500)
    score, sure = _scores(rng, len(group), _SURE)
    return group, score, sure, np.where(sure, 0.985, score)


def _attack(rng: np.random.Generator) -> Parts:
    """Group 1, the worst, fails only where it is surest; group 0 is bad where one looks for it."""
    group, score, sure, rate = _usual(rng)
    rate = np.where((group == 0) & ~sure, rate - 0.20, rate)
    return group, score, np.where((group == 1) & sure, 0.78, rate)


def _band(rng: np.random.Generator) -> Parts:
    """The worst group fails only in a narrow band of scores inside its surest stratum."""
    group, score, sure, rate = _usual(rng)
    rate = np.where((group == 0) & ~sure, rate - 0.20, rate)
    return group, score, np.where((group == 1) & (score >= 0.990) & (score < 0.995), 0.36, rate)


def _decoy(rng: np.random.Generator) -> Parts:
    """The worst group is better than the others where labels go, and fails where they seldom do."""
    group, score, sure, rate = _usual(rng)
    rate = np.where((group == 0) & ~sure, rate - 0.15, rate)
    rate = np.where((group == 1) & sure, 0.68, rate)
    return group, score, np.where((group == 1) & ~sure, np.minimum(rate + 0.15, 0.98), rate)


def _bar(rng: np.random.Generator) -> Parts:
    """The attack on seven groups of 450 with scores that are too high."""
    group = np.repeat(np.arange(7), 450)
    score, sure = _scores(rng, len(group), (0.98, 0.9998))
    rate = np.where(sure, 0.985, score - 0.05)
    rate = np.where((group == 0) & ~sure, rate - 0.22, rate)
    return group, score, np.where((group == 1) & sure, 0.79, rate)


def _easy(rng: np.random.Generator) -> Parts:
    """One group is worse than its scores, by .15 everywhere."""
    group, score, _, rate = _usual(rng)
    return group, score, np.where(group == 3, rate - 0.15, rate)


MADE: dict[str, tuple[Callable[[np.random.Generator], Parts], int]] = {  # with the seed of their first run
    "attack": (_attack, 60_000),
    "band": (_band, 61_000),
    "decoy": (_decoy, 62_000),
    "bar": (_bar, 63_000),
    "easy": (_easy, 64_000),
}
REAL = ("cifar10_vgg16", "20news")


def pool_of(name: str, run: int) -> tuple[fl.Pool, str]:
    """The pool of a run, the same for every rule, and its groups."""
    if name in MADE:
        recipe, seed = MADE[name]
        rng = np.random.default_rng(seed + run)
        return made(*recipe(rng), rng), "grp"
    entry = next(entry for entry in available() if entry.title == name)
    return sub_pool(entry, run), "predicted_class"


def made(group: Ints, score: Array, rate: Array, rng: np.random.Generator) -> fl.Pool:
    """A pool of items that are right with these chances."""
    right = rng.random(len(group)) < rate
    names = np.array([f"g{number}" for number in range(int(group.max()) + 1)])
    return fl.Pool.from_arrays(
        predicted=["yes"] * len(group),
        score=score,
        classes=["yes", "no"],
        columns={"grp": names[group]},
        labels=np.where(right, "yes", "no").tolist(),
    )
