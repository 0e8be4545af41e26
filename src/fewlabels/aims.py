"""What labels are chosen for: the figures of a question whose variance they are to bring down."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from fewlabels.core import verdicts
from fewlabels.core.arrays import Array
from fewlabels.core.belief import Aim
from fewlabels.core.cells import Partition
from fewlabels.questions import Against, Question
from fewlabels.strategies import Shown, ToldOfArms


def shares(parts: Partition, weight: Array | None = None) -> Aim:
    """The share of hits in each part, which counts as much as it has items, or as is said."""
    return Aim(1 / parts.size[parts.index], parts.index, parts.weight if weight is None else weight)


def difference(parts: Partition, pair: tuple[int, int]) -> Aim:
    """The share of hits in one part, less that in another."""
    sign = np.select([parts.index == pair[0], parts.index == pair[1]], [1.0, -1.0], 0.0)
    return Aim(sign / parts.size[parts.index], np.zeros(len(sign), dtype=np.int64), np.ones(1))


@dataclass(frozen=True)
class Sides:
    """A threshold, and what it takes to show on which side of it the share of hits of each arm lies, or of misses."""

    of_hits: bool
    score: Array  # (n_arms,)
    threshold: Array
    within: float
    enough: float  # the logarithm of what is to be won

    def shown(self, told: ToldOfArms) -> Shown:
        """How near each arm is to a verdict."""
        hits = told.hits if self.of_hits else told.labels - told.hits
        about = (told.size.astype(np.float64), told.labels, hits, self.score, self.threshold, self.within)
        return Shown(np.maximum(*verdicts.of_counts(*about)), self.enough)


def sides(question: Question, arms: Partition, shift: Array, level: float) -> Sides | None:
    """Of a question about a threshold for figures that are scale x share of hits + shift; None where it is another."""
    if not isinstance(question, Against):
        return None
    up = cast(float, question.metric.scale) > 0
    score, start = (arms.mean_score, shift) if up else (1 - arms.mean_score, shift - 1)
    return Sides(up, score, question.threshold - start, question.within, question.enough(level, arms.count))


def contested(draws: Array, top: int) -> Array:
    """How often each column is among the `top` lowest in one draw and not in another: what is left to find out."""
    among = np.argpartition(draws, top - 1, axis=1)[:, :top]
    often = np.bincount(among.ravel(), minlength=draws.shape[1]) / len(draws)
    return np.asarray(often * (1 - often))
