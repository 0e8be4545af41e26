"""What a simulation measures, run by run: errors against the truth known from all labels."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewlabels.answering import Reading
from fewlabels.assessment import NO_EVIDENCE, Assessment
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.beta import BetaBelief
from fewlabels.core.comparison import region_probabilities
from fewlabels.errors import QuestionError, listed
from fewlabels.metrics import Belief, CalibrationError, Confusion, TruePositiveRate
from fewlabels.questions import Compare, Identify
from fewlabels.simulation.oracle import Known


@dataclass(frozen=True)
class Truth:
    """The exact values of a question on the labelled pool."""

    assessment: Assessment
    known: Known

    @cached_property
    def values(self) -> Array:
        """The metric of each row."""
        metric, view = self.assessment.metric, self.assessment.view
        if metric.outcome == "class":
            return np.asarray(metric.values(self.known.shares[None], view)[0])
        if isinstance(metric, TruePositiveRate):
            positive = self.assessment.true_classes.index(metric.positive)
            return np.asarray(metric.values(self.known.positive_rates(positive)[None], view)[0])
        return np.asarray(metric.values(self.known.rates[None], view)[0])

    @cached_property
    def weight(self) -> Array:
        """p_g of each row. The rows of a confusion matrix share the weight of their predicted class."""
        weight = self.assessment.metric.rows(self.assessment.view).weight
        return weight if isinstance(self.assessment.metric, Confusion) else weight / weight.sum()

    @cached_property
    def top(self) -> Ints:
        """The rows asked for, best first."""
        assert isinstance(self.assessment.question, Identify)
        return order_of(self.values, self.assessment.question)[: self.assessment.question.top]


def order_of(values: Array, question: Identify) -> Ints:
    """Rows in the order asked for; unknown values last, ties in their given order."""
    signed = values if question.lowest_first else -values
    return np.argsort(np.where(np.isnan(signed), np.inf, signed), kind="stable")


def point(assessment: Assessment, belief: Belief) -> Array:
    """The estimate of each row: the metric of the belief's means, over the pool or the population.

    For calibration error this is the plug-in of Table 5 in [Ji21], not the posterior mean a study reports.
    """
    mean = belief.pool_mean if assessment.settings.target == "pool" else belief.mean
    return np.asarray(assessment.metric.values(mean[None], assessment.view)[0])


def rmse(truth: Truth, belief: Belief) -> float:
    """sqrt(sum_g p_g (estimate_g - truth_g)^2), [Ji21] supplement, Evaluation; 1/2 is guessed where nothing is known."""
    estimate = np.nan_to_num(point(truth.assessment, belief), nan=0.5)
    return float(np.sqrt(truth.weight @ (estimate - truth.values) ** 2))


def ece_error(truth: Truth, belief: Belief) -> float:
    """100 |estimate - truth| / truth of the plug-in estimate, over all rows by weight; [Ji21] Table 5."""
    error = np.abs(point(truth.assessment, belief) - truth.values) / truth.values
    return 100 * float(truth.weight @ np.nan_to_num(error, nan=1.0))


def ece_error_of_mean(truth: Truth, belief: Belief) -> float:
    """The same of the posterior mean, [Ji21] supplement Fig. 6."""
    found = truth.assessment.metric.mean_values(belief, truth.assessment.view)
    if found is None:
        return float("nan")
    return 100 * float(truth.weight @ (np.abs(found - truth.values) / truth.values))


def mrr(truth: Truth, belief: Belief) -> float:
    """Mean reciprocal rank of the true top m, other members ignored; [Ji21] supplement, Evaluation."""
    question = truth.assessment.question
    assert isinstance(question, Identify)
    order = order_of(point(truth.assessment, belief), question)
    ranks = np.sort(np.flatnonzero(np.isin(order, truth.top))) - np.arange(question.top)
    return float((1 / (ranks + 1)).mean())


def success(truth: Truth, belief: Belief) -> float:
    """Whether exactly the true top m are named, [Ji19] Fig. 3."""
    question = truth.assessment.question
    assert isinstance(question, Identify)
    named = order_of(point(truth.assessment, belief), question)[: question.top]
    return float(set(named.tolist()) == set(truth.top.tolist()))


def direction(truth: Truth, belief: Belief) -> float:
    """Whether the likeliest region is that of the true difference."""
    assessment, question = truth.assessment, truth.assessment.question
    assert isinstance(question, Compare)
    pair = list(assessment.compared(assessment.metric.rows(assessment.view).names))
    difference = float(truth.values[pair[0]] - truth.values[pair[1]])
    region = 0 if difference < -question.rope else 2 if difference > question.rope else 1
    marginals = assessment.metric.marginals(belief, assessment.view)
    if marginals is None or not isinstance(belief, BetaBelief):
        estimate = point(assessment, belief)
        found = float(estimate[pair[0]] - estimate[pair[1]])
        return float(region == (0 if found < -question.rope else 2 if found > question.rope else 1))
    shift = float(marginals.scale * (marginals.shift[pair[0]] - marginals.shift[pair[1]]))
    mu = region_probabilities(marginals.alpha[pair], marginals.beta[pair], question.rope, shift)
    return float(region == int((mu if marginals.scale > 0 else mu[::-1]).argmax()))


def _reading(truth: Truth, belief: Belief) -> Reading:
    reading = Reading(truth.assessment, NO_EVIDENCE, truth.assessment.settings.level, "equal-tailed")
    reading.__dict__["belief"] = belief  # the belief is at hand; nothing is fitted
    return reading


def coverage(truth: Truth, belief: Belief) -> float:
    """The share of rows whose interval holds the truth."""
    found = _reading(truth, belief).findings
    inside = [f.low - 1e-12 <= t <= f.high + 1e-12 for f, t in zip(found, truth.values, strict=True) if t == t]
    return float(np.mean(inside))


def width(truth: Truth, belief: Belief) -> float:
    """The mean width of the intervals."""
    return float(np.mean([f.high - f.low for f in _reading(truth, belief).findings]))


Measure = Callable[[Truth, Belief], float]
MEASURES: dict[str, Measure] = {
    "rmse": rmse,
    "ece_error": ece_error,
    "ece_error_of_mean": ece_error_of_mean,
    "mrr": mrr,
    "success": success,
    "direction": direction,
    "coverage": coverage,
    "width": width,
}


def default_measures(assessment: Assessment) -> list[str]:
    """What is worth knowing about a question."""
    if isinstance(assessment.question, Identify):
        return ["mrr", "success"]
    if isinstance(assessment.question, Compare):
        return ["direction"]
    if isinstance(assessment.metric, CalibrationError):
        return ["ece_error", "ece_error_of_mean"]
    return ["rmse"]


def read_measures(names: list[str] | None, assessment: Assessment) -> list[str]:
    """Measures by name, or the default ones."""
    if names is None:
        return default_measures(assessment)
    for name in names:
        if name not in MEASURES:
            raise QuestionError(f"unknown measure {name!r}; known are {listed(MEASURES)}.")
        fits = {"mrr": Identify, "success": Identify, "direction": Compare}.get(name)
        if fits is not None and not isinstance(assessment.question, fits):
            raise QuestionError(f"measure {name!r} is for fl.{fits.__name__}; leave it out here.")
    return names
