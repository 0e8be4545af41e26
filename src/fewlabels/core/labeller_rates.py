"""How often labels are right about predictions: from items that several people labelled, decided or not."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from fewlabels.core.arrays import Array

_HALF = 0.5  # of a label on either side: Jeffreys' prior
_TRUSTED = 4.0  # labels of rightly predicted items that it is worth that people know what they do
_TRIES = 8  # at a rate above one half
_ALIKE = 10.0  # labels of wrongly predicted items that it is worth that labels err there as often as elsewhere
_CHAINS, _ROUNDS = 1000, 50  # of Gibbs sampling, and how many rounds nobody takes


class Seen(NamedTuple):
    """Items that have so many labels, of which so many say that the prediction is right."""

    say_right: int
    labels: int
    right: bool | None = None  # whether it is; None where nobody decided
    items: int = 1

    @property
    def alike(self) -> bool:
        """Whether all labels say the same of the prediction."""
        return self.say_right in (0, self.labels)

    @property
    def errors(self) -> int:
        """Labels that are wrong about the prediction; where nobody decided, at least so many."""
        say_wrong = self.labels - self.say_right
        if self.right is None:
            return self.items * min(self.say_right, say_wrong)
        return self.items * (say_wrong if self.right else self.say_right)


def draw_rates(seen: tuple[Seen, ...], classes: int, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draws of P(label says right | right) and P(label says wrong | wrong), of people who are all alike.

    Where nobody decided it is Gibbs sampling of the model of Dawid and Skene 1979 with two classes, right and wrong.
    Labels say what is so more often than not: without that, labels that are always wrong explain them as well.
    """
    if all(one.right is not None for one in seen):
        return next(_chains(seen, classes, count, rng))
    taken = list(islice(_chains(seen, classes, _CHAINS, rng), _ROUNDS, _ROUNDS + -(-count // _CHAINS)))
    s1, s0 = (np.concatenate(column)[:count] for column in zip(*taken, strict=True))
    return s1, s0


def _chains(
    seen: tuple[Seen, ...], classes: int, chains: int, rng: np.random.Generator
) -> Iterator[tuple[Array, Array]]:
    """Both rates in each of many chains, round after round."""
    s1, s0, t = np.full(chains, 0.9), np.full(chains, 0.9), np.full(chains, 0.8)  # t: the share of right predictions
    while True:
        counts = np.zeros((4, chains))  # labels of right predictions that say so, or not; of wrong ones, the same
        rights = np.zeros((2, chains))
        for one in seen:
            yes, no = one.say_right, one.labels - one.say_right
            right = _right_of(one, t * s1**yes * (1 - s1) ** no, (1 - t) * (1 - s0) ** yes * s0**no, rng)
            wrong = one.items - right
            counts += (yes * right, no * right, no * wrong, yes * wrong)
            rights += (right, wrong)
        s1 = _better_than_chance(counts[0] + _TRUSTED + _HALF, counts[1] + _HALF, rng)
        # Few predictions are wrong, so that few labels tell how often these are excused: believed beforehand is that
        # labels err there as elsewhere, and that half of the errors excuse where there are more than two classes.
        beforehand = _ALIKE * (1 - s1) * (1.0 if classes == 2 else 0.5)
        s0 = _better_than_chance(counts[2] + _ALIKE - beforehand + _HALF, counts[3] + beforehand + _HALF / 10, rng)
        t = rng.beta(rights[0] + _HALF, rights[1] + _HALF)
        yield s1, s0


def _better_than_chance(yes: Array, no: Array, rng: np.random.Generator) -> Array:
    """Draws of a beta distribution above one half; where none of them is, which is rare, as far above as below."""
    drawn = rng.beta(yes, no, (_TRIES, len(yes)))
    found = np.take_along_axis(drawn, np.argmax(drawn > _HALF, axis=0)[None], axis=0)[0]
    return np.asarray(np.maximum(found, 1 - found))


def _right_of(one: Seen, if_right: Array, if_wrong: Array, rng: np.random.Generator) -> Array:
    """Of how many of these items the prediction is right, in each chain."""
    if one.right is not None:
        return np.full(len(if_right), float(one.items if one.right else 0))
    chance = if_right / np.maximum(if_right + if_wrong, np.finfo(float).tiny)
    return rng.binomial(one.items, chance).astype(float)
