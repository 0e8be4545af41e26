"""What labels are chosen for: the figures of a question whose variance they are to bring down."""

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


def shown(question: Question, arms: Partition, shift: Array, told: ToldOfArms, level: float) -> Shown | None:
    """How near each arm is to a verdict on which side of a threshold its figure lies, scale x share of hits + shift;
    None where the question is for none."""
    if not isinstance(question, Against):
        return None
    up = cast(float, question.metric.scale) > 0
    hits, start = (told.hits, shift) if up else (told.labels - told.hits, shift - 1)
    score = arms.mean_score if up else 1 - arms.mean_score
    about = (told.size.astype(np.float64), told.labels, hits, score, question.threshold - start, question.within)
    return Shown(np.maximum(*verdicts.of_counts(*about)), question.enough(level, arms.count))


def contested(draws: Array, top: int) -> Array:
    """How often each column is among the `top` lowest in one draw and not in another: what is left to find out."""
    among = np.argpartition(draws, top - 1, axis=1)[:, :top]
    often = np.bincount(among.ravel(), minlength=draws.shape[1]) / len(draws)
    return np.asarray(often * (1 - often))
