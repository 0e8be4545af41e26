"""What a label says about its cell, as a code: whether a prediction is right, whether the item is positive, its class.

Of most outcomes a cell has a rate: code 0 is a hit, code 1 a miss. Of classes it has a share for each code.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.cells import View


class Outcome(ABC):
    """What metrics declare, and estimators count."""

    from_probabilities: ClassVar[bool]  # whether what scores expect takes the probability of every class
    rates: ClassVar[bool] = True  # whether a cell has a rate, of hits among hits and misses; else a share for each code

    @property
    def width(self) -> int:
        """How many codes there are."""
        return 2

    @abstractmethod
    def codes(self, label: Ints, *predicted: Ints) -> Ints:
        """The code of each item, from its true class and what each model predicts, all as indices of classes."""

    @abstractmethod
    def expected(self, view: View) -> Array:
        """What the scores expect of each cell: the share of hits, (n_cells,)."""


@dataclass(frozen=True)
class Correct(Outcome):
    """The prediction is right."""

    from_probabilities: ClassVar[bool] = False

    def codes(self, label: Ints, *predicted: Ints) -> Ints:
        return np.asarray(label != predicted[0], dtype=np.int64)

    def expected(self, view: View) -> Array:
        return np.asarray(view.cells.score_sum / view.cells.size)


@dataclass(frozen=True)
class Positive(Outcome):
    """The item is of one class, whatever is predicted."""

    index: int

    from_probabilities: ClassVar[bool] = True

    def codes(self, label: Ints, *predicted: Ints) -> Ints:  # noqa: ARG002 - what is predicted does not matter
        return np.asarray(label != self.index, dtype=np.int64)

    def expected(self, view: View) -> Array:
        assert view.cells.probability_sum is not None  # cells of such an outcome are made with them
        return np.asarray(view.cells.probability_sum[:, self.index] / view.cells.size)


@dataclass(frozen=True)
class WhichClass(Outcome):
    """The true class. Whether it is the predicted one is the rate that cells may share."""

    count: int

    from_probabilities: ClassVar[bool] = True
    rates: ClassVar[bool] = False

    @property
    def width(self) -> int:
        return self.count

    def codes(self, label: Ints, *predicted: Ints) -> Ints:  # noqa: ARG002 - what is predicted does not matter
        return label

    def expected(self, view: View) -> Array:
        return Correct().expected(view)
