"""The chances of all items in the draws of one round, a byte an arm."""

import base64
import zlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewlabels.core.arrays import Array

_STEPS = 8  # to a factor of two: worths are rounded by at most 4.5 %
_NOTHING = 255


@dataclass(frozen=True)
class Odds:
    """In each draw of a round an item has the share `uniform` like any other, and the rest by the worth of its arm.

    Worths are rounded before anything is drawn by them, so that a byte an arm tells the chance of every item, of those
    that were not drawn too: what holds at every look is made of these.
    """

    uniform: float
    code: bytes  # of each arm, in steps below the largest

    @classmethod
    def of(cls, worth: Array, uniform: float) -> "Odds":
        """By the worth of one item of each arm."""
        most = float(worth.max(initial=0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.rint(-_STEPS * np.log2(worth / most))
        code = np.where(worth > 0, np.minimum(steps, _NOTHING - 1), _NOTHING)
        return cls(uniform, code.astype(np.uint8).tobytes())

    @classmethod
    def from_text(cls, uniform: float, text: str) -> "Odds":
        return cls(uniform, zlib.decompress(base64.b85decode(text)))

    def among(self, arms: int) -> "Odds":
        """The same among so many arms: those that came later could not be drawn."""
        return Odds(self.uniform, self.code.ljust(arms, bytes([_NOTHING])))

    @property
    def text(self) -> str:
        """The worths as a study keeps them."""
        return base64.b85encode(zlib.compress(self.code, 9)).decode()

    @cached_property
    def worth(self) -> Array:
        """Of one item of each arm, the largest being one."""
        code = np.frombuffer(self.code, dtype=np.uint8).astype(np.float64)
        return np.where(code == _NOTHING, 0.0, 2.0 ** (-code / _STEPS))

    def chances(self, left: Array) -> Array:
        """Of each arm, with so many items left in each."""
        items, worth = left / left.sum(), self.worth * left
        total = worth.sum()
        return np.asarray(self.uniform * items + (1 - self.uniform) * worth / total if total > 0 else items)
