"""What a simulation measures, run by run: errors against the truth known from all labels.

Measures of the estimates take those of all budgets at once; the others take what is known at one budget.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from fewlabels.answers import Finding
from fewlabels.assessment import Assessment
from fewlabels.between_calibrations import BetweenCalibrations
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Belief, OwnBelief
from fewlabels.core.comparison import draws_region_probabilities, region_probabilities
from fewlabels.core.evidence import NO_EVIDENCE, Evidence
from fewlabels.errors import QuestionError
from fewlabels.model_questions import BestModel
from fewlabels.questions import Compare, Estimate, Identify
from fewlabels.reading.answer import read
from fewlabels.reading.best_of import BestOfReading
from fewlabels.reading.cells import CellReading
from fewlabels.reading.draws import DrawReading
from fewlabels.reading.figures import figures_of
from fewlabels.simulation.oracle import Known
from fewlabels.simulation.run import Trace

State: TypeAlias = OwnBelief | Evidence  # what is known at a budget; of F-scores read off draws the evidence

AT_ONCE = 200_000  # counts of which estimates are made at once
LAMBDA_ERROR = 0.05  # a comparison's lambda is right within this share of its true value, [Ji21] supplement, Evaluation


@dataclass(frozen=True)
class Truth:
    """The exact values of a question on the labelled pool."""

    assessment: Assessment
    known: Known

    @cached_property
    def values(self) -> Array:
        """The metric of each row; of two models, how far they differ in it."""
        by = self.assessment
        models = (
            by.between or by.scores or (BetweenCalibrations.of(by.question, by.cells) if by.question.in_bins else None)
        )
        if models is not None:
            return models.exact(self.known.label, self.known.cell, self.assessment.view.groups)
        shares = self.known.shares(self.assessment.outcome)
        return np.asarray(self.assessment.metric.values(shares[None], self.assessment.view)[0])

    @cached_property
    def weight(self) -> Array:
        """p_g of each row, 0 where the truth is not defined (the true-positive rate of a group without positives).

        The rows of a confusion matrix share the weight of their predicted class.
        """
        of_models = self.assessment.question.of_models
        rows = self.assessment.view.groups.weight if of_models else self.assessment.lens.rows.weight
        weight = np.where(np.isnan(self.values), 0.0, rows)
        return np.asarray(weight if self.assessment.metric.pairs else weight / weight.sum())

    def mean(self, errors: Array) -> Array:
        """The weighted mean of an error a row, over the rows that have a truth: (..., n_rows) -> (...)."""
        return np.asarray(np.where(self.weight > 0, errors, 0.0) @ self.weight)

    @cached_property
    def informed_rmse(self) -> float:
        """The RMSE of what the model's own scores say before the first label."""
        settings = replace(
            self.assessment.settings, strategy="thompson", estimator="beta", prior="scores", prior_strength=None
        )
        informed = replace(self.assessment, settings=settings)
        return float(rmse(self, point(informed, informed.prior_belief)))

    @cached_property
    def regions(self) -> Array:
        """mu of a comparison once every item is labelled, under the assessment's own prior."""
        return regions(self, self.assessment.prior_belief.after(self.known.counts(self.assessment.outcome)))

    @cached_property
    def top(self) -> Ints:
        """The rows asked for, best first."""
        assert isinstance(self.assessment.question, Identify)
        order = np.argsort(_sortable(self.values, self.assessment.question), kind="stable")
        return order[: self.assessment.question.top]

    @cached_property
    def pair(self) -> list[int]:
        """The rows of the two groups compared."""
        return list(self.assessment.compared())


def _sortable(values: Array, question: Identify) -> Array:
    """The less the nearer to the top; unknown values last."""
    signed = values if question.lowest_first else -values
    return np.where(np.isnan(signed), np.inf, signed)


def point(assessment: Assessment, belief: Belief | Evidence) -> Array:
    """The estimate of each row: the metric of the belief's means, over the pool or the population.

    Of a belief at several budgets, (n_budgets, n_rows). For calibration error this is the plug-in of Table 5 in [Ji21],
    not the posterior mean a study reports. An F-score of which nothing is known yet counts as 0, as in scikit-learn.
    """
    if isinstance(belief, Evidence):
        if not assessment.estimator.reads_draws and not assessment.estimator.of_models:
            return point(assessment, assessment.belief(belief))
        return np.asarray(np.nan_to_num(np.array([f.value for f in read(assessment, belief).findings])))
    mean = belief.pool_mean if assessment.settings.target == "pool" else belief.mean
    at = mean.shape[: mean.ndim - (1 if belief.rates else 2)]
    found = assessment.metric.values(mean.reshape(-1, *mean.shape[len(at) :]), assessment.view)
    return np.asarray(found.reshape(*at, -1))


def rmse(truth: Truth, estimates: Array) -> Array:
    """sqrt(sum_g p_g (estimate_g - truth_g)^2), [Ji21] supplement, Evaluation; even odds are guessed without labels."""
    of_models = truth.assessment.question.of_models  # without labels, that they are the same
    guess = 0.0 if of_models else truth.assessment.metric.guess(truth.assessment.view)
    return np.sqrt(truth.mean((np.nan_to_num(estimates, nan=guess) - truth.values) ** 2))


def mse(truth: Truth, estimates: Array) -> Array:
    """sum_g p_g (estimate_g - truth_g)^2."""
    return rmse(truth, estimates) ** 2


def bias(truth: Truth, estimates: Array) -> Array:
    """sum_g p_g (estimate_g - truth_g)."""
    return truth.mean(np.nan_to_num(estimates, nan=0.5) - truth.values)


def variance(truth: Truth, belief: State) -> float:
    """The variance an F-score predicts for itself, Eq. 6 of [ACIS21]; nan where it knows none."""
    assert isinstance(belief, Evidence)
    reading = DrawReading(truth.assessment, belief, truth.assessment.settings.level)
    return float(np.mean([e.variance for e in reading.estimates]))


def scaled_rmse(truth: Truth, estimates: Array) -> Array:
    """The RMSE as a share of the informed prior's before the first label; what [Ji21] says of its Table 4."""
    return rmse(truth, estimates) / (truth.informed_rmse if truth.informed_rmse > 0 else np.nan)


def ece_error(truth: Truth, estimates: Array) -> Array:
    """100 |estimate - truth| / truth of the plug-in estimate, over all rows by weight; [Ji21] Table 5.

    Rows without an estimate are wrong by 100 %.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return 100 * truth.mean(np.nan_to_num(np.abs(estimates - truth.values) / truth.values, nan=1.0))


def ece_error_of_mean(truth: Truth, belief: OwnBelief) -> float:
    """The same of the posterior mean, [Ji21] supplement Fig. 6; nan where only draws give that mean."""
    found = truth.assessment.metric.mean_values(belief, truth.assessment.view)
    return float("nan") if found is None else float(ece_error(truth, found))


def estimate(truth: Truth, estimates: Array) -> Array:
    """The estimate itself, over all rows by weight: its error, bias and variance over runs follow."""
    return np.asarray(np.nan_to_num(estimates, nan=0.5) @ truth.weight)


def mean_estimate(truth: Truth, belief: OwnBelief) -> float:
    """The posterior mean of the metric itself, over all rows by weight; nan where only draws give that mean."""
    found = truth.assessment.metric.mean_values(belief, truth.assessment.view)
    return float("nan") if found is None else float(truth.weight @ found)


def mrr(truth: Truth, estimates: Array) -> Array:
    """Mean reciprocal rank of the true top m, other members ignored; [Ji21] supplement, Evaluation."""
    return np.asarray((1 / (1 + _ahead(truth, estimates))).mean(axis=-1))


def success(truth: Truth, estimates: Array) -> Array:
    """Whether exactly the true top m are named, [Ji19] Fig. 3."""
    return np.asarray((_ahead(truth, estimates) == 0).all(axis=-1).astype(np.float64))


def _ahead(truth: Truth, estimates: Array) -> Array:
    """How many rows that do not belong to the true top m are put ahead of each that does: (..., m)."""
    question = truth.assessment.question
    assert isinstance(question, Identify)
    values, others = _sortable(estimates, question), np.setdiff1d(np.arange(estimates.shape[-1]), truth.top)
    theirs, ahead = values[..., others], np.empty((*values.shape[:-1], question.top))
    for place, row in enumerate(truth.top):
        before, ours = int(np.searchsorted(others, row)), values[..., row, None]  # of equal rows the earlier is ahead
        ahead[..., place] = (theirs[..., :before] <= ours).sum(axis=-1) + (theirs[..., before:] < ours).sum(axis=-1)
    return ahead


def direction(truth: Truth, belief: OwnBelief) -> float:
    """Whether the likeliest region is that of the true difference."""
    question, (first, second) = truth.assessment.question, truth.values[truth.pair]
    assert isinstance(question, Compare)
    difference = float(first - second)
    region = 0 if difference < -question.rope else 2 if difference > question.rope else 1
    return float(region == int(regions(truth, belief).argmax()))


def lambda_right(truth: Truth, belief: OwnBelief) -> float:
    """Whether eta = eta* and |lambda - lambda*| / lambda* < 0.05; [Ji21] supplement, Evaluation.

    lambda* is what the fully labelled pool gives under the same prior, the population being meant, as in the paper.
    """
    mu, final = regions(truth, belief), truth.regions
    near = abs(mu.max() - final.max()) / final.max() < LAMBDA_ERROR
    return float(near and mu.argmax() == final.argmax())


def regions(truth: Truth, belief: OwnBelief) -> Array:
    """mu = (P(less), P(practically equal), P(more)) of the two populations' difference; by draws where need be."""
    assessment, question, pair = truth.assessment, truth.assessment.question, truth.pair
    assert isinstance(question, Compare)
    m = assessment.metric.marginals(belief, assessment.view)
    if m is None:
        population = replace(assessment, settings=replace(assessment.settings, target="population"))
        draws = _of_belief(population, belief).row_draws[:, pair]
        difference = draws[:, 0] - draws[:, 1]
        return draws_region_probabilities(difference[~np.isnan(difference)], question.rope)
    shift = float(m.scale * (m.shift[pair[0]] - m.shift[pair[1]]))
    mu = region_probabilities(m.alpha[pair], m.beta[pair], question.rope, shift)
    return mu if m.scale > 0 else mu[::-1]


def _of_belief(assessment: Assessment, belief: OwnBelief) -> CellReading:
    return CellReading(assessment, NO_EVIDENCE, assessment.settings.level, believed=belief)


def _findings(truth: Truth, state: State) -> tuple[Finding, ...]:
    by = truth.assessment
    if not isinstance(state, Evidence):
        return _of_belief(by, state).findings
    reading = read(by, state)
    return (figures_of(reading) if isinstance(reading, CellReading) else reading).findings


def coverage(truth: Truth, belief: State) -> float:
    """The share of rows whose interval holds the truth."""
    found = _findings(truth, belief)
    inside = [f.low - 1e-12 <= t <= f.high + 1e-12 for f, t in zip(found, truth.values, strict=True) if t == t]
    return float(np.mean(inside)) if inside else float("nan")


def width(truth: Truth, belief: State) -> float:
    """The mean width of the intervals."""
    return float(np.mean([f.high - f.low for f in _findings(truth, belief)]))


def loss(truth: Truth, state: State) -> float:
    """How far the model that is named is behind the best of several."""
    by, known = truth.assessment, truth.known
    assert isinstance(state, Evidence)
    if by.scores is not None:
        exact = by.scores.exact_scores(known.label, known.cell, by.view.groups)[:, 0]
    else:
        assert by.between is not None
        exact = by.between.values(known.label, known.cell).mean(axis=0)
    better = exact if by.metric.worst == "lowest" else -exact
    return float(better.max() - better[cast(BestOfReading, read(by, state)).best])


OF_ESTIMATES: dict[str, Callable[[Truth, Array], Array]] = {
    "rmse": rmse,
    "mse": mse,
    "bias": bias,
    "estimate": estimate,
    "scaled_rmse": scaled_rmse,
    "ece_error": ece_error,
    "mrr": mrr,
    "success": success,
}
OF_STATES: dict[str, Callable[[Truth, Any], float]] = {
    "variance": variance,
    "mean_estimate": mean_estimate,
    "ece_error_of_mean": ece_error_of_mean,
    "direction": direction,
    "lambda_right": lambda_right,
    "coverage": coverage,
    "width": width,
    "loss": loss,
}
MEASURES = (*OF_ESTIMATES, *OF_STATES)
# Which end of a measure is the good one. Coverage should be the level, and narrow intervals are good only if they hold.
GOOD_END: dict[str, Literal["low", "high"]] = {
    "rmse": "low",
    "mse": "low",
    "scaled_rmse": "low",
    "ece_error": "low",
    "ece_error_of_mean": "low",
    "mrr": "high",
    "success": "high",
    "direction": "high",
    "lambda_right": "high",
    "loss": "low",
}
# Measures that a study brings down rather than up.
FALLING = frozenset({*(name for name, end in GOOD_END.items() if end == "low"), "width", "variance"})
_IS_FOR = {
    "scaled_rmse": Estimate,
    "mrr": Identify,
    "success": Identify,
    "direction": Compare,
    "lambda_right": Compare,
    "loss": BestModel,
}


def measure(truth: Truth, known: Trace | Sequence[Evidence], names: Sequence[str]) -> Array:
    """These measures of one method in one run, (n_budgets, n_measures)."""
    columns = dict[str, Any]()
    if any(name in OF_ESTIMATES for name in names):
        estimates = _estimates(truth.assessment, known)
        columns |= {name: OF_ESTIMATES[name](truth, estimates) for name in names if name in OF_ESTIMATES}
    if any(name in OF_STATES for name in names):
        states = [truth.assessment.prior_belief.after(c) for c in known.counts] if isinstance(known, Trace) else known
        columns |= {name: [OF_STATES[name](truth, state) for state in states] for name in names if name in OF_STATES}
    return np.stack([columns[name] for name in names], axis=-1)


def _estimates(assessment: Assessment, known: Trace | Sequence[Evidence]) -> Array:
    """The estimates at each budget, (n_budgets, n_rows)."""
    if not isinstance(known, Trace):
        return np.stack([point(assessment, evidence) for evidence in known])
    at_once = max(1, AT_ONCE // known.counts[0].size)
    parts = [slice(start, start + at_once) for start in range(0, len(known), at_once)]
    return np.concatenate([point(assessment, assessment.prior_belief.after(known.counts[part])) for part in parts])


def default_measures(assessment: Assessment) -> list[str]:
    """What is worth knowing about a question."""
    if isinstance(assessment.question, Identify):
        return ["mrr", "success"]
    if isinstance(assessment.question, Compare):
        return ["direction", "lambda_right"]
    if isinstance(assessment.question, BestModel):
        return ["loss"]
    if assessment.question.of_models:
        return ["rmse", "coverage", "width"]
    return (
        ["mse", "bias", "coverage", "width"] if assessment.estimator.reads_draws else list(assessment.metric.measures)
    )


def read_measures(names: Sequence[str] | None, assessment: Assessment) -> list[str]:
    """Measures by name, or the default ones."""
    if names is None:
        return default_measures(assessment)
    if isinstance(names, str) or not names or len(set(names)) < len(names):
        raise QuestionError(f"measures is a list of different names, such as ['rmse', 'coverage']; got {names!r}.")
    for name in names:
        if name not in MEASURES:
            raise QuestionError(f"unknown measure {name!r}; known are {', '.join(MEASURES)}.")
        fits = _IS_FOR.get(name)
        if fits is not None and not isinstance(assessment.question, fits):
            raise QuestionError(f"measure {name!r} is for fl.{fits.__name__}(…) only; leave it out here.")
        if isinstance(assessment.question, BestModel) and name != "loss":
            raise QuestionError(f"measure {name!r} is not one of fl.BestModel; 'loss' is.")
        if name == "variance" and not assessment.estimator.reads_draws:
            raise QuestionError("measure 'variance' is for F-scores read off draws; leave it out here.")
        if name.startswith("ece_error") and name not in assessment.metric.measures:
            raise QuestionError(f"measure {name!r} is for the metric 'calibration_error'; leave it out here.")
    return list(names)
