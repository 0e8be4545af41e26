"""What is believed before a label is seen.

[Ji21] Experimental Settings, Priors: flat Beta(N0/2, N0/2) and Dirichlet(N0/K); informative Beta(N0 s_g, N0 (1 - s_g))
and alpha_jk proportional to the sum over x in R_k of p(y = j | x). N0 = 2 for Beta, 1 for Dirichlet.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.cells import View
from fewlabels.core.groups import ScoreBins
from fewlabels.errors import QuestionError, listed

BETA_STRENGTH = 2.0
DIRICHLET_STRENGTH = 1.0

# A mean score of exactly 0 or 1 (naive Bayes, float16) would make an improper Beta(2, 0); prior means stay this far
# from both ends. Departure from the paper, of no effect on its data.
MEAN_MARGIN = 1e-6


@dataclass(frozen=True, init=False)
class Prior:
    """Figures somebody reported: the mean in each group, and how many labels they are worth.

    `mean` is one number for all groups or {group: number}; groups left out get the flat mean 1/2. A group made by
    several groupings is named by their tuple.

    >>> Prior({"fraud": 0.8}, strength=20).strength
    20.0
    """

    means: tuple[tuple[tuple[str, ...], float], ...]
    default: float
    strength: float

    def __init__(self, mean: float | Mapping[Any, float], strength: float = BETA_STRENGTH) -> None:
        given = mean if isinstance(mean, Mapping) else {}
        default = 0.5 if isinstance(mean, Mapping) else float(mean)
        pairs = tuple((_group_name(group), float(value)) for group, value in given.items())
        for value in (default, *(v for _, v in pairs)):
            if not 0 <= value <= 1:
                raise QuestionError(f"a prior mean is a rate between 0 and 1; got {value}.")
        if not (strength > 0 and np.isfinite(strength)):
            raise QuestionError(f"a prior's strength is a positive number of labels; got {strength!r}.")
        object.__setattr__(self, "means", pairs)
        object.__setattr__(self, "default", default)
        object.__setattr__(self, "strength", float(strength))

    def for_groups(self, names: tuple[tuple[str, ...], ...]) -> Array:
        """The mean for each group; a group it does not know is an error, so that a typing slip is not ignored."""
        known = set(names)
        for group, _ in self.means:
            if group not in known:
                raise QuestionError(
                    f"the prior names group {' × '.join(group)!r}, which the pool does not have; "
                    f"groups are {listed(' × '.join(n) for n in names)}."
                )
        given = dict(self.means)
        return np.array([given.get(name, self.default) for name in names])


def _group_name(group: Any) -> tuple[str, ...]:
    return tuple(str(part) for part in group) if isinstance(group, tuple) else (str(group),)


PriorName = Literal["flat", "scores", "diagonal"]


def beta_prior(
    view: View, prior: PriorName | Prior, strength: float | None, expected: Array | None
) -> tuple[Array, Array]:
    """(alpha, beta) of each cell; `expected` is what the model's scores expect of it (for accuracy its mean score).

    A unit made of several cells shares out its strength by size, so that a finer split does not add pseudo-labels.
    """
    share = view.cell_share
    if isinstance(prior, Prior):
        mean = prior.for_groups(view.groups.names)[view.groups.index]
        total = prior.strength if strength is None else strength
    else:
        total = BETA_STRENGTH if strength is None else strength
        mean = np.full(view.cells.count, 0.5)
        if prior == "scores" and expected is not None:
            mean = expected
        elif prior == "diagonal":
            mean = _diagonal(view)
    mean = np.clip(mean, MEAN_MARGIN, 1 - MEAN_MARGIN)
    return total * share * mean, total * share * (1 - mean)


def _diagonal(view: View) -> Array:
    """The middle of each cell's score bin: the diagonal of the reliability diagram ([Ji20] v1, Fig. 2; its code)."""
    bins = next((a for a in view.cells.axes if isinstance(a, ScoreBins)), None)
    if bins is None or bins.by != "width":
        raise QuestionError("prior='diagonal' needs score bins of equal width among the groups; use prior='scores'.")
    number = view.cells.coordinates[:, view.cells.axis(bins)]
    return np.asarray((number + 0.5) / bins.count)


def dirichlet_prior(view: View, prior: PriorName | Prior, strength: float | None, n_true: int) -> Array:
    """alpha (n_cells, n_true): flat N0/J each, or proportional to the sums of class probabilities of each cell."""
    if isinstance(prior, Prior) or prior == "diagonal":
        raise QuestionError("a prior over true classes is 'flat' or 'scores'; fl.Prior gives rates, not class shares.")
    total = DIRICHLET_STRENGTH if strength is None else strength
    share = view.cell_share[:, None]
    if prior == "flat":
        return np.asarray(np.full((view.cells.count, n_true), total / n_true) * share)
    assert view.cells.probability_sum is not None  # the assessment asks its engine for them
    sums = np.maximum(view.cells.probability_sum, MEAN_MARGIN / n_true * view.cells.size[:, None])
    return np.asarray(total * share * sums / sums.sum(axis=1, keepdims=True))
