"""Sums that are the same to the bit on every engine: scores as whole multiples of 2^-52, added as whole numbers.

Sums of floats depend on the order of the items, and no two engines add in the same one. What is lost, 2^-53 an item at
most, is less than floats lose where a million of them are added.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.core.arrays import Array, Ints

BITS = 52
_HALF = BITS // 2
_AT_ONCE = 1 << 26  # items: the sums of either half stay below 2^53, and NumPy adds them exactly


def fixed(values: npt.NDArray[np.floating[Any]]) -> Ints:
    """Each value in [0, 1] as a whole number of 2^-52; halves go up."""
    return np.floor(values.astype(np.float64) * 2.0**BITS + 0.5).astype(np.int64)


def fixed_sums(values: npt.NDArray[np.floating[Any]], index: Ints, count: int) -> list[int]:
    """The exact sums of the fixed values of each index below `count`; Python's whole numbers, which have no end."""
    sums = [0] * count
    for start in range(0, len(values), _AT_ONCE):
        whole, where = fixed(values[start : start + _AT_ONCE]), index[start : start + _AT_ONCE]
        high, low = (
            np.bincount(where, weights=half, minlength=count).astype(np.int64).tolist()
            for half in (whole >> _HALF, whole & ((1 << _HALF) - 1))
        )
        sums = [total + (up << _HALF) + down for total, up, down in zip(sums, high, low, strict=True)]
    return sums


def unfixed(sums: list[int]) -> Array:
    """Such sums as the floats nearest to them.

    >>> unfixed(fixed_sums(np.array([0.1, 0.2, 0.3]), np.array([0, 0, 1]), 2)).round(9).tolist()
    [0.3, 0.3]
    """
    return np.array([one / (1 << BITS) for one in sums], dtype=np.float64)


def spread(
    of_cell: list[tuple[int, int]], of_class: list[tuple[int, int, int, int]], shape: tuple[int, int], classes: int
) -> Array:
    """Sums of class probabilities where only the predicted class's score is known: the rest is spread evenly over the
    other classes that can be predicted.

    `of_cell` holds size and fixed sum of scores of each cell; `of_class` a cell, a predicted class, and both of its
    items so predicted.
    """
    one, others = 1 << BITS, max(classes - 1, 1)
    rest = [(size * one - total) for size, total in of_cell]  # what all items of a cell leave to others
    sums = np.zeros(shape)
    sums[:, :classes] = unfixed(rest)[:, None] / others
    for cell, predicted, size, total in of_class:
        left = rest[cell] - (size * one - total)  # by items predicted otherwise
        sums[cell, predicted] = (total + left / others) / one
    return sums
