"""The best of several models: which can be dropped, and which one is certainly next to the best, at every look.

For models i and j let N_ij be the items on which they differ; labels of these are drawn uniformly without replacement
as long as neither is dropped. With x = (value_i - value_j + 1) / 2 of a draw, and m the mean that x would have over
what is left of the N_ij items if i were better than j by v exactly,

    E_ij(v) = mean over c of prod (1 + c (x - m) / m)

starts at one and does not grow on average if i is better by v or less ([Waudby-Smith, Ramdas 2024]). Model j is dropped
when E_ij(0) reaches (M - 1) / alpha for some i. All bets against the best model are M - 1, so that with a chance of at
most alpha it is ever dropped, or another is shown to be next to it, by E_ij(-margin) for all j left, that is not.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints

_STAKES = np.array([0.03, 0.06, 0.12, 0.2, 0.3, 0.45, 0.65, 0.9])[:, None, None, None]
_SLACK = 1e-9


@dataclass(frozen=True)
class Race:
    """Draws in the order of asking. Values lie between 0 and 1."""

    said: Ints  # (n_draws, n_models) what each model predicts of the item
    value: Array  # (n_draws, n_models) what that is worth, nan where nobody could label it
    differ: Ints  # (n_models, n_models) items on which two models do not say the same
    items: int
    margin: float
    goal: float

    @property
    def models(self) -> int:
        return len(self.differ)

    @property
    def bar(self) -> float:
        """The logarithm of what it takes to drop a model, or to call one next to the best."""
        return math.log((self.models - 1) / (1 - self.goal))

    @cached_property
    def dropped(self) -> Ints:
        """(n_models,) the draw after which each was dropped; 0 for those left."""
        return self._run[0]

    @property
    def left(self) -> Bools:
        """Those not dropped."""
        return np.asarray(self.dropped == 0)

    @cached_property
    def near(self) -> Ints:
        """(n_models,) the draw after which each was first shown to be within the margin of all others left, and so of
        the best; 0 where it is not."""
        return self._run[1]

    def _is_near(self, won: Array, alive: Bools) -> Bools:
        others = alive[None, :] & ~np.eye(self.models, dtype=bool)
        return np.asarray(alive & ((won >= self.bar - _SLACK) | ~others).all(axis=1))

    @cached_property
    def _run(self) -> tuple[Ints, Ints]:
        n, size = self.models, np.maximum(self.differ, 1).astype(np.float64)
        shift = np.array([0.0, self.margin]) * self.items / size[..., None]  # how far behind, over those that differ
        aim = size[..., None] * (1 - shift) / 2  # what x adds up to at most, if i is behind by so much
        capital, told, seen = np.ones((len(_STAKES), n, n, 2)), np.zeros((n, n)), np.zeros((n, n))
        dropped, near, none = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), self.differ == 0
        for t, (said, value) in enumerate(zip(self.said, self.value, strict=True), start=1):
            alive = dropped == 0
            among = (said[:, None] != said) & alive[:, None] & alive
            x = np.nan_to_num((value[:, None] - value + 1) / 2)  # unknown, it speaks against both
            room = np.maximum(size - seen, 1.0)[..., None]
            m = np.clip((aim - told[..., None]) / room, _SLACK, 1.0)
            with np.errstate(over="ignore"):
                capital *= np.where(among[..., None], 1 + _STAKES * (x[..., None] - m) / m, 1.0)
            told, seen = told + np.where(among, x, 0.0), seen + among
            won = self._log(capital, aim - told[..., None], none)
            beaten = ((won[..., 0] >= self.bar - _SLACK) & alive[:, None] & ~none).any(axis=0) & alive
            dropped[beaten] = t
            near[(near == 0) & self._is_near(won[..., 1], dropped == 0)] = t
        return dropped, near

    def _log(self, capital: Array, rest: Array, none: Bools) -> Array:
        """What was won; all, where a model cannot be behind by so much any more."""
        with np.errstate(divide="ignore", over="ignore"):
            won = np.log(capital.mean(axis=0))
        won = np.where(rest < -_SLACK, np.inf, won)
        won[..., 1] = np.where(none, np.inf, won[..., 1])
        return np.asarray(won)


def drawn_means(
    value: Array, left: int, items: int, draws: int, rng: np.random.Generator, *, counts: float = 1.0
) -> Array:  # fmt: skip
    """Draws of how much each of several models adds up to over the items on which any two of them differ, as a share of
    all items, (n_draws, n_models): from a simple random sample (n_labels, n_models) of those, and the rest of them.

    The rest is like the labelled ones, in shares drawn from Dirichlet's distribution, with one and a half pseudo-labels
    for the cases that one of the models is right alone, each as likely, or none is; of two models, as in paired.py.
    `counts` is what a label counts for the rest: half, for a sceptic.
    """
    models = value.shape[1]
    pseudo = np.concatenate([np.full(models, 1 / models), [0.5]])
    every = np.concatenate([value, np.eye(models), np.zeros((1, models))])
    kinds, of = np.unique(every, axis=0, return_inverse=True)  # items of one kind are counted together
    weight = np.bincount(of.reshape(-1), weights=np.concatenate([np.full(len(value), counts), pseudo]))
    rest = rng.multinomial(left, rng.dirichlet(weight, draws))
    return np.asarray((value.sum(axis=0) + rest @ kinds) / items)
