"""Finding the least calibrated classes as the published code does it, which differs from the paper's formulas.

Ten bins of equal width a class, priors at their midpoints; the bins' weights and mean scores are those of the items
labelled so far, not of the pool; one item in ten is held out; the non-active arm draws classes, not items. All runs
advance together, array by array.
"""

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.reproduction.base import LabelledPool

BINS = 10
STRENGTH = 2.0
SOMETHING = 2e-4  # the weight of a bin without labels
LIGHT = 0.05  # a bin with less than this share of its class's labels is light
TENTHS = 10  # one of them is held out
EVERY = 100


def kept(items: LabelledPool, tenth: int = 0) -> LabelledPool:
    """The items that are not held out, the same in all runs; each tenth of one permutation can be held out."""
    order = np.random.default_rng(0).permutation(len(items))
    return items.some(np.concatenate([part for i, part in enumerate(np.array_split(order, TENTHS)) if i != tenth]))


class Beliefs:
    """Beta beliefs of each bin, run and class, with the weights and mean scores seen so far."""

    def __init__(self, runs: int, n_classes: int) -> None:
        middle = ((np.arange(BINS) + 0.5) / BINS)[:, None, None]
        shape = (BINS, runs, n_classes)
        self.alpha = np.broadcast_to(STRENGTH * middle, shape).copy()
        self.beta = np.broadcast_to(STRENGTH * (1 - middle), shape).copy()
        self.count = np.full(shape, SOMETHING)
        self.score = np.broadcast_to(SOMETHING * middle, shape).copy()

    def tell(self, run: Ints, where: Ints, bins: Ints, score: Array, right: Ints) -> None:
        """One label of each of these runs, classes and bins, which may occur more than once."""
        told = ((self.alpha, right), (self.beta, 1 - right), (self.count, 1.0), (self.score, score))
        for total, more in told:
            np.add.at(total, (bins, run, where), more)

    def estimate(self) -> Array:
        """sum_b w_b |theta_b - s_b| of each run and class, theta_b being the mean."""
        gap = np.abs(self.alpha / (self.alpha + self.beta) * self.count - self.score)  # w_b as yet a count
        return np.asarray(gap.sum(axis=0) / self.count.sum(axis=0))

    def sampled(self, rng: np.random.Generator, open_classes: Bools, top: int) -> Array:
        """The same with theta_b drawn, where that may be one of the m highest of the open classes; else less than it.

        Light bins are drawn only where they can matter.
        """
        total, gap = self.count.sum(axis=0), np.zeros(open_classes.shape)
        light = self.count < LIGHT * total
        self._add_draws(gap, ~light & open_classes, rng)
        more = np.where(light, np.maximum(self.score, self.count - self.score), 0.0).sum(axis=0)  # at most
        error = np.where(open_classes, gap / total, -np.inf)
        bar = error.max(axis=1) if top == 1 else np.partition(error, -top, axis=1)[:, -top]
        self._add_draws(gap, light & open_classes & (error + more / total >= bar[:, None]), rng)
        return np.where(open_classes, gap / total, -np.inf)

    def _add_draws(self, gap: Array, wanted: Bools, rng: np.random.Generator) -> None:
        """Add |theta_b n_b - n_b s_b| of these bins, theta_b drawn, to the sum of their run and class."""
        place = np.flatnonzero(wanted)
        theta = rng.beta(self.alpha.ravel()[place], self.beta.ravel()[place])
        one = np.abs(theta * self.count.ravel()[place] - self.score.ravel()[place])
        gap += np.bincount(place % gap.size, one, gap.size).reshape(gap.shape)


def online_mrr(items: LabelledPool, top: int, runs: int, *, active: bool, seed: int = 0) -> Array:
    """MRR of the true top m after 1, 101, 201, … labels, (n_runs, n_looks)."""
    rng, bins = np.random.default_rng(seed), items.bins(BINS)
    final = Beliefs(1, items.n_classes)
    final.tell(np.zeros(len(items), dtype=np.int64), items.predicted, bins, items.score, items.right)
    truth = np.argsort(-final.estimate()[0], kind="stable")[:top]
    order, starts = _dealt(items, runs, rng)
    left = np.broadcast_to(np.diff(starts), (runs, items.n_classes)).copy()
    beliefs, labels, total = Beliefs(runs, items.n_classes), np.zeros(runs, dtype=np.int64), len(items)
    out = np.full((runs, (total - 1) // EVERY + 1), np.nan)
    while (open_classes := left > 0).any():
        reward = beliefs.sampled(rng, open_classes, top) if active else rng.random(left.shape)
        run, where = np.nonzero(_chosen(reward, open_classes, top))
        left[run, where] -= 1  # items are dealt from the end
        item = order[run, starts[where] + left[run, where]]
        beliefs.tell(run, where, bins[item], items.score[item], items.right[item])
        before = labels.copy()
        labels += np.bincount(run, minlength=runs)
        looks = np.flatnonzero((labels - 1) // EVERY > (before - 1) // EVERY)
        if len(looks):
            out[looks, (labels[looks] - 1) // EVERY] = _mrr(beliefs.estimate()[looks], truth)
    return out


def _dealt(items: LabelledPool, runs: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """The items of each run by class, shuffled within: (n_runs, n_items), and where each class starts."""
    order = np.stack([np.lexsort((rng.random(len(items)), items.predicted)) for _ in range(runs)])
    return order, np.searchsorted(np.sort(items.predicted), np.arange(items.n_classes + 1))


def _chosen(reward: Array, open_classes: Bools, top: int) -> Bools:
    """The m best open classes of each run; a single one where fewer than m are open."""
    reward = np.where(open_classes, reward, -np.inf)
    out = np.zeros(reward.shape, dtype=np.bool_)
    if top == 1:
        out[np.arange(len(out)), reward.argmax(axis=1)] = True
        return out & open_classes
    ranked = np.argsort(-reward, axis=1, kind="stable")
    several = open_classes.sum(axis=1, keepdims=True) >= top
    wanted = np.arange(reward.shape[1]) < np.where(several, top, 1)
    np.put_along_axis(out, ranked, wanted, axis=1)
    return out & open_classes


def _mrr(estimate: Array, truth: Ints) -> Array:
    """Mean reciprocal rank of the true classes, the others of them ignored."""
    order = np.argsort(-estimate, axis=1, kind="stable")
    places = np.sort(np.nonzero(np.isin(order, truth))[1].reshape(len(order), len(truth)), axis=1)
    return np.asarray((1 / (places - np.arange(len(truth)) + 1)).mean(axis=1))
