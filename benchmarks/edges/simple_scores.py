"""Models that only say yes or no: recall and F1 against simple rivals, on the same pools.

Rivals read two strata, predicted positive and not. "uniform" draws like any item; "two strata" draws ten in each, then
by Neyman's allocation, as one writes it in 40 lines.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

import fewlabels as fl
from fewlabels.assessment import Assessment, assess
from fewlabels.core.arrays import Array, Bools
from fewlabels.engines import gathered
from fewlabels.reading.answer import read as answer
from fewlabels.simulation.oracle import Deck, Known
from fewlabels.simulation.run import run_draws

ITEMS, DRAWS, FIRST, LEAST = 4000, 4000, 10, 0.1
LOOKS = (50, 100, 200, 400)
METRICS = {"recall": 0.0, "f1": 0.5}
Ends: TypeAlias = tuple[float, float, float]  # the value, and the ends of its interval


@dataclass(frozen=True)
class Said:
    """Which items are positive and which are said to be, with the score of each."""

    positive: Bools
    predicted: Bools
    score: Array

    @property
    def pool(self) -> fl.Pool:
        said = np.where(self.predicted, self.score, 1 - self.score)
        return fl.Pool.from_arrays(
            predicted=np.where(self.predicted, "yes", "no").tolist(), score=said, classes=["no", "yes"]
        )


def yes_or_no(prevalence: float, sensitivity: float, specificity: float) -> "Recipe":
    return Recipe(prevalence, sensitivity, specificity, "prediction")


@dataclass(frozen=True)
class Recipe:
    """How many are positive, how many of these and of the others are said to be what they are, and what the score is:
    that of the prediction, of nothing, or the opposite of the prediction, each 0 or 1."""

    prevalence: float
    sensitivity: float
    specificity: float
    score: str

    def make(self, rng: np.random.Generator) -> Said:
        positive = rng.random(ITEMS) < self.prevalence
        hit = np.where(positive, rng.random(ITEMS) < self.sensitivity, rng.random(ITEMS) > self.specificity)
        score = {"prediction": hit, "nothing": rng.random(ITEMS) < 0.5, "opposite": ~hit}[self.score]
        return Said(positive, hit, score.astype(np.float64))


RECIPES = {
    ".1 .2 .99": yes_or_no(0.1, 0.2, 0.99),
    ".1 .5 .95": yes_or_no(0.1, 0.5, 0.95),
    ".28 .46 .97": yes_or_no(0.28, 0.46, 0.97),
    ".02 .7 .99": yes_or_no(0.02, 0.7, 0.99),
    ".6 .97 .46": yes_or_no(0.6, 0.97, 0.46),
    ".1 .8 .97, a score of nothing": Recipe(0.1, 0.8, 0.97, "nothing"),
    ".1 .8 .97, the opposite score": Recipe(0.1, 0.8, 0.97, "opposite"),
    ".4 .8 .9, the opposite score": Recipe(0.4, 0.8, 0.9, "opposite"),
}


def truth(said: Said, alpha: float) -> float:
    found, counted = (said.positive & said.predicted).sum(), alpha * said.predicted.sum()
    return float(found / (counted + (1 - alpha) * said.positive.sum()))


def of_fewlabels(made: Assessment, deck: Deck, seed: int, batch: int) -> Iterator[Ends]:
    for evidence in run_draws(made, deck, np.array(LOOKS), seed, (batch,)):
        (found,) = answer(made, evidence).findings
        yield found.value, found.low, found.high


def of_uniform(said: Said, alpha: float, rng: np.random.Generator) -> Iterator[Ends]:
    order = rng.permutation(ITEMS)
    for look in LOOKS:
        chosen = [order[:look][said.predicted[order[:look]] == hit] for hit in (True, False)]
        yield ends(said, alpha, [(int(said.positive[mine].sum()), len(mine)) for mine in chosen], rng)


def of_two_strata(
    said: Said, alpha: float, decks: Sequence[Bools], rng: np.random.Generator, batch: int
) -> Iterator[Ends]:
    """Ten of each, then batches by Neyman's allocation, neither share under a tenth. `decks` are the items of both
    strata in the order of dealing, which is that of fewlabels too: errors are paired."""
    taken = [0, 0]
    for look in LOOKS:
        while (left := look - sum(taken)) > 0:
            share = neyman(alpha, decks, taken)
            for _ in range(min(batch, left)):
                behind = [FIRST - min(k, FIRST) if k < len(deck) else 0 for k, deck in zip(taken, decks, strict=True)]
                stratum = int(behind[1] > behind[0] if any(behind) else rng.random() >= share)
                taken[stratum if taken[stratum] < len(decks[stratum]) else 1 - stratum] += 1
        yield ends(said, alpha, [(int(deck[:k].sum()), k) for deck, k in zip(decks, taken, strict=True)], rng)


def neyman(alpha: float, decks: Sequence[Bools], taken: list[int]) -> float:
    """The share of labels that the first stratum should have: N1 |1 - (1 - alpha) F| √(p1 q1) of both weights."""
    size = np.array([len(deck) for deck in decks])
    x = np.array([deck[:k].sum() for deck, k in zip(decks, taken, strict=True)])
    p = (x + 0.5) / (np.array(taken) + 1)
    f = size[0] * p[0] / (alpha * size[0] + (1 - alpha) * (size * p).sum())
    weight = size * np.abs([1 - (1 - alpha) * f, (1 - alpha) * f]) * np.sqrt(p * (1 - p))
    return float(np.clip(weight[0] / weight.sum(), LEAST, 1 - LEAST))


def ends(said: Said, alpha: float, told: Sequence[tuple[int, int]], rng: np.random.Generator) -> Ends:
    """Median and equal tails of Jeffreys' posterior of both counts, in a finite pool; `told` are the positives among
    the labels of each stratum, and how many labels it has."""
    sizes = int(said.predicted.sum()), int((~said.predicted).sum())
    found, missed = (
        x + rng.binomial(size - n, rng.beta(x + 0.5, n - x + 0.5, DRAWS))
        for size, (x, n) in zip(sizes, told, strict=True)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = found / (alpha * said.predicted.sum() + (1 - alpha) * (found + missed))
    value, low, high = np.nanquantile(drawn, [0.5, 0.025, 0.975])
    return float(value), float(low), float(high)


def run(recipe: str, metric: str, seed: int, batch: int) -> dict[str, Array]:
    """Of each method (n_looks, 4): the truth, the value, and the ends of the interval."""
    said, alpha = RECIPES[recipe].make(np.random.default_rng([777, seed])), METRICS[metric]
    rng, question, pool = np.random.default_rng([778, seed]), fl.Estimate(metric, positive="yes"), said.pool
    made = assess(fl.StudySettings(question), question, pool, "model")
    rows = gathered(pool.engine.scan("model", made.cells.axes))
    deck = Known(made.cells, rows.cell, rows.predicted, said.positive.astype(np.int64), rows.hashes).deal(seed)
    decks = [deck.label[deck.predicted == hit] == 1 for hit in (1, 0)]
    found = {
        "fewlabels": of_fewlabels(made, deck, seed, batch),
        "uniform": of_uniform(said, alpha, rng),
        "two strata": of_two_strata(said, alpha, decks, rng, batch),
    }
    true = truth(said, alpha)
    return {name: np.array([(true, *row) for row in each]) for name, each in found.items()}
