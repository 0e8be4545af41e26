"""What a label is worth to a question, by what each cell's own labels tell: what most strategies look at."""

from typing import TYPE_CHECKING, cast

import numpy as np

from fewlabels.core.belief import OwnBelief
from fewlabels.core.beta import BetaBelief
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.objectives import AccuracyVariance, ClassVariance, Confidence, Extreme, Objective
from fewlabels.questions import Compare, Identify

if TYPE_CHECKING:
    from fewlabels.assessment import Assessment


def objective_of(asked: "Assessment", belief: OwnBelief) -> Objective:
    """The reward of a label in each cell; in each group, where one is to be found."""
    question, metric, view = asked.question, asked.metric, asked.view
    if isinstance(question, Identify) and asked.of_groups:
        monotone = metric.scale if view.groups.single else None
        return Extreme(
            belief,
            lambda theta: metric.values(theta, view),
            -1.0 if question.lowest_first else 1.0,
            lambda: metric.mean_values(belief, view),
            None if monotone is None else np.full(asked.cells.count, monotone),
        )
    if isinstance(question, Compare) and metric.scale is not None and asked.two_cells:
        return _confidence(asked, belief, question, metric.scale)
    weight = metric.weight(belief.mean, view)
    if belief.rates:
        return AccuracyVariance(cast(BetaBelief, belief), weight)
    return ClassVariance(cast(DirichletBelief, belief), weight, metric.costs(view))


def _confidence(asked: "Assessment", belief: OwnBelief, question: Compare, scale: float) -> Objective:
    pair = asked.in_question  # arms in the order of the groups, whichever of them is called a
    cells = np.array([int(np.flatnonzero(asked.view.groups.index == group)[0]) for group in pair])
    first, second = asked.metric.shift(asked.view)[pair]
    return Confidence(cast(BetaBelief, belief), cells, question.rope, float(scale * (first - second)))
