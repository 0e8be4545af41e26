"""Models on the same items: how their figures differ, off labels of the items on which they do.

Where all models say the same, an item adds nothing to a difference of means, whatever its label. The rest is drawn
from uniformly, so that its labels are a simple random sample of it, and of every part of it.
"""

from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array

_JEFFREYS, _FEW = 0.5, 3  # pseudo-labels of each outcome that is possible; of many, as much as of three in all


@dataclass(frozen=True)
class Told:
    """Of one part of the pool: how far models differ there, and what labels say of the items on which they do."""

    items: int
    differ: int  # items on which they do not say the same
    worth: Array  # (n_outcomes,) what each outcome adds: that the one is right, that neither is, that the other is
    labels: Array  # (n_outcomes,) of each

    @property
    def count(self) -> int:
        return int(self.labels.sum())

    @property
    def left(self) -> int:
        """Items whose label could still tell something."""
        return self.differ - self.count

    @property
    def prior_share(self) -> float:
        """How much of the estimate rests on what was believed beforehand."""
        if self.left == 0:
            return 0.0
        pseudo = self._pseudo * len(self.worth)
        return pseudo / (pseudo + self.count) * self.left / self.differ

    @property
    def _pseudo(self) -> float:
        return _JEFFREYS * min(_FEW / len(self.worth), 1.0)

    @property
    def mean(self) -> float:
        """The difference over all items of the part, as is believed of each item left on average."""
        return float(self.worth @ (self.labels + self.left * self._shares)) / self.items

    @property
    def _shares(self) -> Array:
        believed = self._pseudo + self.labels
        return np.asarray(believed / believed.sum())

    @property
    def widest(self) -> tuple[float, float]:
        """The least and the most that the difference may be, whatever the labels to come say."""
        known, share = float(self.worth @ self.labels), self.left / self.items
        return (
            known / self.items + share * float(self.worth.min()),
            known / self.items + share * float(self.worth.max()),
        )

    def draws(self, count: int, rng: np.random.Generator, *, pool: bool) -> Array:
        """Draws of the difference: of these very items, or of where they came from."""
        shares = rng.dirichlet(self._pseudo + self.labels, count)
        if not pool:
            how_many = rng.beta(_JEFFREYS + self.differ, _JEFFREYS + self.items - self.differ, count)
            return np.asarray(how_many * (shares @ self.worth))
        rest = rng.multinomial(self.left, shares)
        return np.asarray((self.labels + rest) @ self.worth / self.items)


def tally(values: Array, worth: Array, items: int, differ: int) -> Told:
    """From the value of each labelled item of a part on which models differ."""
    code = np.abs(values[:, None] - worth).argmin(axis=1)
    return Told(items, differ, worth, np.bincount(code, minlength=len(worth)).astype(np.float64))
