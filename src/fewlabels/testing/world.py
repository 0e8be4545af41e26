"""Small pools whose true classes are known, for checks of parts."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.core.arrays import Array, Ints
from fewlabels.pool import Pool

CLASSES = ("ant", "bee", "cat", "dog")
NEVER_PREDICTED = "emu"


@dataclass(frozen=True)
class World:
    """Items with scores of four classes, a column `side`, and their true classes; with `other`, some of these are of a
    class no model predicts."""

    items: int = 60
    other: bool = False
    case: int = 0

    @cached_property
    def probabilities(self) -> Array:
        """(n_items, n_classes), each class predicted once at least."""
        out = np.random.default_rng(self.case).dirichlet([0.7, 0.5, 0.6, 0.4], size=self.items)
        out[: len(CLASSES)] = np.eye(len(CLASSES)) * 0.6 + 0.1
        return out

    @cached_property
    def predicted(self) -> Ints:
        """The index of each item's predicted class."""
        return np.asarray(self.probabilities.argmax(axis=1))

    @cached_property
    def score(self) -> Array:
        """The score of each item's predicted class."""
        return np.asarray(self.probabilities.max(axis=1))

    @cached_property
    def side(self) -> npt.NDArray[np.str_]:
        """The column: left or right."""
        return np.where(np.random.default_rng(self.case + 1).uniform(size=self.items) < 0.4, "left", "right")

    @cached_property
    def true(self) -> Ints:
        """The index of each item's true class: the predicted one of about three in four."""
        rng = np.random.default_rng(self.case + 2)
        wrong = rng.integers(0, len(self.names), size=self.items)
        return np.asarray(np.where(rng.uniform(size=self.items) < 0.65, self.predicted, wrong))

    @property
    def names(self) -> tuple[str, ...]:
        """The true classes there are."""
        return (*CLASSES, NEVER_PREDICTED) if self.other else CLASSES

    @cached_property
    def pool(self) -> Pool:
        return self.shuffled(np.arange(self.items))

    def shuffled(self, order: Ints, **more: Any) -> Pool:
        """The pool with its items in another order; their ids go with them."""
        given: dict[str, Any] = {"classes": CLASSES, "other_labels": self.names[len(CLASSES) :], **more}
        return Pool.from_arrays(
            probabilities=self.probabilities[order], ids=order, columns={"side": self.side[order]}, **given
        )

    def labels(self, items: Iterable[int] | None = None) -> dict[int, str]:
        """What a person would say of these items, or of all."""
        return {int(i): self.names[self.true[i]] for i in (range(self.items) if items is None else items)}


def agreeing(score: float, size: int = 10, classes: tuple[str, ...] = ("ant", "bee")) -> tuple[Pool, dict[int, str]]:
    """So many items of each class, all of one score and every prediction right; and their labels."""
    predicted = [name for name in classes for _ in range(size)]
    pool = Pool.from_arrays(predicted=predicted, score=[score] * len(predicted), classes=classes)
    return pool, dict(enumerate(predicted))
