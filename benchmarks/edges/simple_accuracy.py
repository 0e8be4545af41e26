"""Overall accuracy and accuracy by group against simple rivals that see the same scores of the same items.

Overall: uniform draws with Wilson's interval, PPI++, five strata of the score by Neyman's allocation, and active
inference [Zrnic, Candès 2024] in one shot. By group: uniform draws with empirical Bayes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from benchmarks.leaderboard.pools import data_folder
from benchmarks.leaderboard.rivals import Ends, ppi, wilson
from benchmarks.leaderboard.synthetic import accuracy_99, expit, opposite_groups
from scipy.optimize import minimize
from scipy.special import betaincinv, betaln
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC

import fewlabels as fl
from fewlabels.assessment import assess
from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.engines import gathered, in_memory
from fewlabels.reading.answer import read
from fewlabels.simulation.oracle import Known
from fewlabels.simulation.run import run_draws

ITEMS, MIXED, STRATA, FIRST = 4000, 0.1, 5, 4
Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Items:
    """What a rival sees: scores, groups, and whether each prediction is right."""

    score: Array
    group: Ints
    right: Bools
    predicted: Ints

    @property
    def label(self) -> Ints:
        """The class itself where the prediction is right, else the next one."""
        return np.asarray(np.where(self.right, self.predicted, (self.predicted + 1) % self.classes))

    @property
    def classes(self) -> int:
        return max(int(self.predicted.max()) + 1, 2)

    @property
    def pool(self) -> fl.Pool:
        names = np.array([f"c{place}" for place in range(self.classes)])
        return fl.Pool.from_arrays(
            predicted=names[self.predicted].tolist(), score=self.score, classes=names.tolist(),
            columns={"grp": self.group.astype(str)}, labels=names[self.label].tolist(),
        )  # fmt: skip

    def truth(self) -> Array:
        """(n_groups, 2): how often predictions are right in each group, and its share of the items."""
        count = np.bincount(self.group)
        return np.stack([np.bincount(self.group, weights=self.right) / count, count / count.sum()], axis=1)


Make: TypeAlias = Callable[[np.random.Generator], Items]


def sure(rng: np.random.Generator) -> Items:
    """Right in 99 of 100, but in the smallest of five groups."""
    group = rng.choice(5, ITEMS, p=[0.6, 0.25, 0.1, 0.03, 0.02])
    score = 1 - np.clip(rng.beta(0.2, 20, ITEMS), 1e-6, 0.5)
    right = rng.random(ITEMS) < np.where(group == 4, 0.85, score**0.8)
    return Items(score, group, right, rng.integers(0, 2, ITEMS))


def calibrated_99(rng: np.random.Generator) -> Items:
    """The leaderboard's pool of a calibrated model, as large as the others."""
    made = accuracy_99(rng)
    keep = slice(0, ITEMS)
    return Items(made.score[keep], made.group[keep] % 5, made.right[keep], rng.integers(0, 2, ITEMS))


def sharp_99(rng: np.random.Generator) -> Items:
    """A calibrated model whose few mistakes are where it is unsure: four scores in five are above .9998."""
    score = 1 - np.clip(rng.beta(0.03, 2.97, ITEMS), 1e-7, 0.6)
    return Items(score, rng.integers(0, 5, ITEMS), rng.random(ITEMS) < score, rng.integers(0, 2, ITEMS))


@cache
def _digits() -> tuple[Array, Bools, Ints]:
    x, y = load_digits(return_X_y=True)
    model = CalibratedClassifierCV(SVC(), ensemble=False)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    said = cross_val_predict(model, x / 16, y, cv=folds, method="predict_proba")
    return said.max(axis=1), said.argmax(axis=1) == y, said.argmax(axis=1)


def digits(rng: np.random.Generator) -> Items:
    """Handwritten digits by a support vector machine, cross-validated; four in five of them."""
    score, right, predicted = _digits()
    keep = rng.permutation(len(score))[: round(0.8 * len(score))]
    return Items(score[keep], predicted[keep] % 2, right[keep], rng.integers(0, 2, len(keep)))


def two_groups(rates: tuple[float, float], share: float) -> Make:
    """Two groups, and scores that tell nothing."""

    def make(rng: np.random.Generator) -> Items:
        group = (rng.random(ITEMS) < share).astype(np.int64)
        score = expit(rng.normal(1.6, 0.5, ITEMS))
        return Items(score, group, rng.random(ITEMS) < np.array(rates)[group], rng.integers(0, 2, ITEMS))

    return make


def opposite(rng: np.random.Generator) -> Items:
    made = opposite_groups(rng)
    keep = slice(0, ITEMS)
    return Items(made.score[keep], made.group[keep], made.right[keep], rng.integers(0, 2, ITEMS))


def ones(rates: Sequence[float], shares: Sequence[float], *, classes: bool = True) -> Make:
    """A model that says 1 of everything: its classes, or groups of a column, and how often each is right."""

    def make(rng: np.random.Generator) -> Items:
        group = rng.choice(len(rates), 1500, p=shares)
        predicted = group if classes else rng.integers(0, 2, 1500)
        return Items(np.ones(1500), group, rng.random(1500) < np.array(rates)[group], predicted)

    return make


def adult(column: str, model: str) -> Make:
    """Half of a file of incomes, whether the model's score is on the right side of one half."""

    def make(rng: np.random.Generator) -> Items:
        score, right, names, predicted = _adult(column, model)
        keep = rng.permutation(len(score))[: len(score) // 2]
        group = np.unique(names, return_inverse=True)[1]
        return Items(score[keep], group[keep], right[keep], predicted[keep])

    return make


@cache
def _adult(column: str, model: str) -> tuple[Array, Bools, Array, Ints]:
    path = data_folder() / f"adult_{column}_scores.csv.gz"
    pool = fl.open_pool(path, id="row", label="income-per-year", positive_score=f"score_{model}", positive="rich")
    engine = in_memory(pool.engine)
    said, label = engine.models[pool.models[0]], np.array(pool.known_labels)
    right = np.array(pool.classes)[said.predicted] == label
    return said.score.astype(np.float64), right, engine.columns[column].astype(str), said.predicted


# -- rivals ---------------------------------------------------------------------------------------------------------


def uniform(items: Items, n: int, rng: np.random.Generator) -> Ends:
    chosen = rng.permutation(len(items.score))[:n]
    return wilson(int(items.right[chosen].sum()), n)


def by_ppi(items: Items, n: int, rng: np.random.Generator) -> Ends:
    order = rng.permutation(len(items.score))
    chosen, rest = order[:n], order[n:]
    return ppi(items.right[chosen].astype(float), items.score[chosen], items.score[rest])


def active(items: Items, n: int, rng: np.random.Generator) -> Ends:
    """One shot: each item is labelled with a chance in proportion to √(s (1 - s)), a tenth of it uniform; the mean
    score, corrected by residuals over these chances."""
    doubt = np.sqrt(items.score * (1 - items.score))
    wanted = (1 - MIXED) * doubt / doubt.sum() + MIXED / len(doubt)
    low, high = 0.0, float(len(doubt)) * n
    for _ in range(60):  # chances are at most one, and sum up to n
        factor = (low + high) / 2
        low, high = (factor, high) if np.minimum(factor * wanted, 1).sum() < n else (low, factor)
    chance = np.minimum(high * wanted, 1)
    residual = np.where(rng.random(len(chance)) < chance, (items.right - items.score) / chance, 0.0)
    value, error = float(np.mean(items.score + residual)), float(np.std(residual) / np.sqrt(len(residual)))
    return min(max(value, 0.0), 1.0), value - Z * error, value + Z * error


def stratified(items: Items, n: int, rng: np.random.Generator) -> Ends:
    """Five strata of the score, each with an equal part of √(s (1 - s)), by Neyman's allocation at these; Jeffreys'
    variance."""
    order = np.argsort(items.score)[::-1]
    doubt = np.sqrt(items.score * (1 - items.score))[order].cumsum()
    at = np.minimum((doubt / doubt[-1] * STRATA).astype(int), STRATA - 1)
    stratum = np.empty(len(order), dtype=np.int64)
    stratum[order] = at
    value, variance = 0.0, 0.0
    sizes = np.bincount(stratum, minlength=STRATA)
    weight = np.array([np.sqrt(items.score * (1 - items.score))[stratum == k].sum() for k in range(STRATA)])
    plan = np.maximum(np.round((n - FIRST * STRATA) * weight / weight.sum()).astype(int) + FIRST, 1)
    for k, (size, wanted) in enumerate(zip(sizes.tolist(), plan.tolist(), strict=True)):
        if not size:
            continue
        m = min(size, wanted)
        x = items.right[rng.permutation(np.flatnonzero(stratum == k))[:m]].sum()
        p = (x + 0.5) / (m + 1)
        value += size / len(stratum) * x / m
        variance += (size / len(stratum)) ** 2 * p * (1 - p) / m * (1 - m / size)
    return float(value), float(value - Z * np.sqrt(variance)), float(value + Z * np.sqrt(variance))


OVERALL = {"uniform + Wilson": uniform, "PPI++": by_ppi, "stratified Neyman": stratified, "active AIPW": active}


def empirical_bayes(items: Items, n: int, rng: np.random.Generator) -> Array:
    """(n_groups, 3) of a uniform sample: a Beta prior of the groups' rates by maximum likelihood, posterior means and
    equal tails."""
    chosen = rng.permutation(len(items.score))[:n]
    groups = int(items.group.max()) + 1
    count = np.bincount(items.group[chosen], minlength=groups)
    hits = np.bincount(items.group[chosen], weights=items.right[chosen], minlength=groups)

    def loss(about: Array) -> float:
        a, b = np.exp(np.clip(about, -4, 8))
        return float(-(betaln(a + hits, b + count - hits) - betaln(a, b)).sum())

    start = np.log([max(hits.sum(), 0.5), max((count - hits).sum(), 0.5)]) - np.log(n) + np.log(20)
    a, b = np.exp(np.clip(minimize(loss, start, method="Nelder-Mead").x, -4, 8))
    one, two = a + hits, b + count - hits
    return np.stack([one / (one + two), betaincinv(one, two, 0.025), betaincinv(one, two, 0.975)], axis=1)


# -- boards ---------------------------------------------------------------------------------------------------------

SURE = {"99 %": sure, "calibrated 99 %": calibrated_99, "sharp 99 %": sharp_99, "digits": digits}
TWO = {
    ".92 .85": two_groups((0.92, 0.85), 0.3),
    ".8 .75": two_groups((0.8, 0.75), 0.5),
    ".9 .6": two_groups((0.9, 0.6), 0.2),
    "opposite": opposite,
    "sex, tree": adult("sex", "DecisionTree"),
    "race, tree": adult("race", "DecisionTree"),
}
_ALIKE, _AT_99 = (0.9, 0.92, 0.94, 0.96, 0.98), (0.995, 0.99, 0.99, 0.985, 0.98)
_UNLIKE = (0.95, 0.95, 0.95, 0.95, 0.7), (0.4, 0.25, 0.15, 0.1, 0.1)
ONES = {
    "five alike": ones(_ALIKE, (0.2,) * 5),
    "one unlike": ones(*_UNLIKE),
    "five at 99": ones(_AT_99, (0.2,) * 5),
    "five alike, column": ones(_ALIKE, (0.2,) * 5, classes=False),
    "one unlike, column": ones(*_UNLIKE, classes=False),
    "five at 99, column": ones(_AT_99, (0.2,) * 5, classes=False),
}


def of_fewlabels(
    items: Items, looks: Sequence[int], seed: int, batch: int, by: str | None, method: fl.Method
) -> tuple[Array, Array]:
    """(n_looks, 4) of the whole pool, and (n_looks, n_groups, 4) of groups where these are asked for: the value, the
    ends of the interval, and how many labels of its own a group has."""
    pool, question = items.pool, fl.Estimate("accuracy", by=by)
    settings = fl.StudySettings(question, strategy=method.strategy, estimator=method.estimator)
    made = assess(settings, question, pool, "model")
    rows = gathered(pool.engine.scan("model", made.cells.axes))
    known = Known(made.cells, rows.cell, rows.predicted, items.label, rows.hashes)
    whole, groups = [], []
    for evidence in run_draws(made, known.deal(seed), np.array(looks), seed, (batch,)):
        found = read(made, evidence)
        over = found.overall
        assert over is not None
        whole.append((over.value, over.low, over.high, over.labels))
        groups.append([(f.value, f.low, f.high, f.labels) for f in found.findings])
    return np.array(whole), np.array(groups)


def overall(
    make: Callable[[np.random.Generator], Items], looks: Sequence[int], seed: int, batch: int
) -> dict[str, Array]:
    """Of each method (n_looks, 4): the truth, the value, and the ends of the interval."""
    items, rng = make(np.random.default_rng([777, seed])), np.random.default_rng([778, seed])
    true = float(items.right.mean())
    ours, _ = of_fewlabels(items, looks, seed, batch, None, fl.Method())
    found = {"fewlabels": [(true, *row[:3]) for row in ours.tolist()]}
    for name, rival in OVERALL.items():
        found[name] = [(true, *rival(items, n, rng)) for n in looks]
    return {name: np.array(rows) for name, rows in found.items()}


def by_group(make: Make, looks: Sequence[int], seed: int, batch: int, by: str) -> dict[str, Array]:
    """Of each method (n_looks, n_groups, 5): the same of groups, and the share of each; no interval of a group with
    fewer than three labels."""
    items, rng = make(np.random.default_rng([777, seed])), np.random.default_rng([778, seed])
    truth = items.truth()
    _, ours = of_fewlabels(items, looks, seed, batch, by, fl.Method())
    ours[..., 1:3][ours[..., 3] < 3] = np.nan
    eb = np.array([empirical_bayes(items, n, rng) for n in looks])
    true = np.broadcast_to(truth, (len(looks), *truth.shape))
    return {
        name: np.concatenate([true[..., :1], rows[..., :3], true[..., 1:]], axis=-1)
        for name, rows in {"fewlabels": ours, "empirical Bayes": eb}.items()
    }
