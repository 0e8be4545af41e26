"""The measures of a simulation, against slow loops."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import betainc, betaincinv
from scipy.stats import beta

import fewlabels as fl
from fewlabels.engines import MemoryEngine
from fewlabels.simulation import run_seed
from fewlabels.simulation.measures import measure
from fewlabels.simulation.run import run_plain
from simulated_runs import (
    ACCURACY,
    CALIBRATION,
    CONFUSION,
    COST,
    SEXES,
    TPR,
    WORST,
    WORST_3,
    job_of,
    measured,
    truth_and_trace,
)


def slow_accuracies(pool: fl.Pool) -> tuple[np.ndarray, np.ndarray]:
    """Classwise accuracy and weight, counted item by item."""
    assert isinstance(pool.engine, MemoryEngine)
    right, size = np.zeros(6), np.zeros(6)
    for k, label in zip(pool.engine.models["model"].predicted, pool.known_labels, strict=True):
        size[k] += 1
        right[k] += pool.classes[k] == label
    return right / size, size / size.sum()


@pytest.mark.parametrize("target", ["pool", "population"])
def test_rmse_is_the_weighted_root_mean_square_error(pool, target):
    truth, (belief,) = truth_and_trace(pool, ACCURACY, "iprior", [60], target=target)
    accuracy, weight = slow_accuracies(pool)
    total = 0.0
    for g in range(6):
        n, r = belief.labels[g], belief.hits[g]
        mean = (belief.prior_alpha[g] + r) / (belief.prior_alpha[g] + belief.prior_beta[g] + n)
        estimate = mean if target == "population" else (r + (belief.size[g] - n) * mean) / belief.size[g]
        total += weight[g] * (estimate - accuracy[g]) ** 2
    assert measured("rmse", truth, belief) == pytest.approx(total**0.5, rel=1e-12)


def test_without_a_label_plain_frequencies_guess_even_odds(pool):
    truth, (belief,) = truth_and_trace(pool, ACCURACY, "frequency", [0])
    accuracy, weight = slow_accuracies(pool)
    assert measured("rmse", truth, belief) == pytest.approx((weight @ (accuracy - 0.5) ** 2) ** 0.5)


def slow_confusion_error(pool: fl.Pool, estimate: np.ndarray) -> float:
    """(sum_k p_k sum_j (theta_jk - theta*_jk)^2)^(1/2), counted item by item."""
    counts = np.zeros((6, 6))
    for k, label in zip(pool.engine.models["model"].predicted, pool.known_labels, strict=True):
        counts[k, pool.classes.index(label)] += 1
    total = 0.0
    for k in range(6):
        for j in range(6):
            total += counts[k].sum() / 240 * (estimate[k, j] - counts[k, j] / counts[k].sum()) ** 2
    return total**0.5


def test_confusion_rmse_and_its_scaled_form(pool):
    """Scaled by the error of the mean score vector of each predicted class, whatever the method's own prior."""
    truth, (belief,) = truth_and_trace(pool, CONFUSION, "uprior2", [60], target="population")
    counts, flat = belief.counts, np.full((6, 6), 1 / 6)
    estimate = (flat + counts) / (1 + counts.sum(axis=1, keepdims=True))
    outputs = pool.engine.models["model"]
    informed = np.stack([outputs.probabilities[outputs.predicted == k].mean(axis=0) for k in range(6)])
    error = slow_confusion_error(pool, estimate)
    assert measured("rmse", truth, belief) == pytest.approx(error)
    assert measured("scaled_rmse", truth, belief) == pytest.approx(error / slow_confusion_error(pool, informed))


def test_the_scaled_rmse_of_the_informed_prior_is_one_before_the_first_label(pool):
    result = fl.simulate(pool, None, CONFUSION, ["iprior"], [0, 240], runs=2, measures=["scaled_rmse"], workers=1)
    assert result.of("iprior", "scaled_rmse") == pytest.approx(np.array([[1, 0], [1, 0]]))


def test_ece_errors_are_percentages_of_the_true_calibration_error(pool):
    truth, (belief,) = truth_and_trace(pool, CALIBRATION, "iprior", [60], target="population")
    outputs = pool.engine.models["model"]
    right = np.array(pool.classes)[outputs.predicted] == pool.known_labels
    exact = plug_in = mean = 0.0
    for cell in range(truth.assessment.cells.count):
        number = truth.assessment.cells.coordinates[cell, 0]
        inside = np.minimum((outputs.score * 5).astype(int), 4) == number
        share, score = inside.mean(), outputs.score[inside].mean()
        theta = beta(belief.alpha[cell], belief.beta[cell])
        exact += share * abs(right[inside].mean() - score)
        plug_in += share * abs(theta.mean() - score)
        mean += share * theta.expect(lambda t, s=score: abs(t - s), points=[score])
    assert measured("ece_error", truth, belief) == pytest.approx(100 * abs(plug_in - exact) / exact)
    assert measured("ece_error_of_mean", truth, belief) == pytest.approx(100 * abs(mean - exact) / exact, rel=1e-6)


def slow_mrr(estimate: list[float], truth: list[float], top: int) -> float:
    """Ranks of the true worst, each counted without the others of them; equals rank in their given order."""
    best = sorted(range(len(truth)), key=lambda g: (truth[g], g))[:top]
    total = 0.0
    for g in best:
        ahead = [h for h in range(len(truth)) if h not in best and (estimate[h], h) < (estimate[g], g)]
        total += 1 / (1 + len(ahead))
    return total / top


@pytest.mark.parametrize("top", [1, 2, 4])
def test_mrr_and_success_ignore_the_other_true_ones_and_break_ties_by_position(pool, top):
    """Estimates on a coarse grid, so that most have ties."""
    question = fl.Identify("accuracy", by="predicted_class", top=top)
    truth, (belief,) = truth_and_trace(pool, question, "uprior", [0], target="population")
    rng = np.random.default_rng(0)
    for _ in range(200):
        rates = rng.integers(0, 4, 6) / 4
        seen = replace(belief, hits=1e9 * rates, misses=1e9 * (1 - rates))
        estimate = np.round(seen.mean, 6)
        exact = replace(belief, hits=1e9 * estimate, misses=1e9 * (1 - estimate))
        assert measured("mrr", truth, exact) == pytest.approx(slow_mrr(exact.mean.tolist(), truth.values.tolist(), top))
        named = sorted(range(6), key=lambda g: (exact.mean[g], g))[:top]
        assert measured("success", truth, exact) == (set(named) == set(truth.top.tolist()))


def test_mrr_is_one_whenever_the_true_set_is_named_in_any_order(pool):
    truth, (belief,) = truth_and_trace(pool, WORST_3, "uprior", [0])
    for rates in ([0.3, 0.2, 0.1, 0.9, 0.9, 0.9], [0.1, 0.3, 0.2, 0.8, 0.7, 0.9]):
        seen = replace(belief, hits=belief.size * np.array(rates), misses=belief.size * (1 - np.array(rates)))
        assert measured("mrr", truth, seen) == measured("success", truth, seen) == 1


@pytest.mark.parametrize("method", ["frequency", "uprior2", "iprior"])
@pytest.mark.parametrize(
    ("question", "names"),
    [
        (ACCURACY, ["rmse", "coverage", "bias"]),
        (CALIBRATION, ["ece_error_of_mean", "ece_error", "estimate"]),
        (CONFUSION, ["scaled_rmse", "rmse"]),
        (COST, ["mse", "width"]),
        (WORST_3, ["success", "mrr"]),
        (fl.Identify(fl.Cost(), by="predicted_class", top=2, which="best"), ["mrr", "success"]),
    ],
    ids=lambda value: value.kind if hasattr(value, "kind") else "+".join(value),
)
def test_measures_of_all_budgets_at_once_are_those_of_each(pool, question, names, method, monkeypatch):
    """Also where the estimates are made in several parts, and where some are unknown."""
    monkeypatch.setattr("fewlabels.simulation.measures.AT_ONCE", 100)
    budgets = list(range(0, 240, 20))
    truth, beliefs = truth_and_trace(pool, question, method, budgets)
    job = job_of(pool, question, [method], budgets)
    together = measure(truth, run_plain(job.assessments[0], job.known[0].deal(run_seed(5, 0)), job.budgets,
                                        run_seed(5, 0)), names)  # fmt: skip
    apart = [[measured(name, truth, belief) for name in names] for belief in beliefs]
    assert together == pytest.approx(np.array(apart), rel=1e-12, abs=1e-12, nan_ok=True)
    assert len(np.unique(together)) > 1 or method == "iprior"  # whose scores name the worst at once


def slow_regions(a: float, b: float, c: float, d: float, rope: float) -> np.ndarray:
    """mu for Beta(a, b) - Beta(c, d): the mean over quantiles of the second, to within 0.0001."""
    second = betaincinv(c, d, (np.arange(4000) + 0.5) / 4000)
    less, at_most = (betainc(a, b, np.clip(second + shift, 0, 1)).mean() for shift in (-rope, rope))
    return np.array([less, at_most - less, 1 - at_most])


@pytest.mark.parametrize(("a", "b"), [("class-0", "class-5"), ("class-5", "class-0"), ("class-4", "class-5")])
def test_direction_and_lambda_right_follow_their_definitions(pool, a, b):
    """lambda* by the same prior and all labels; nearer calls than mu is known are not tested."""
    question = fl.Compare("accuracy", by="predicted_class", a=a, b=b)
    truth, beliefs = truth_and_trace(pool, question, "iprior+ts", list(range(0, 50, 5)))
    accuracy, _ = slow_accuracies(pool)
    i, j = pool.classes.index(a), pool.classes.index(b)
    last = beliefs[-1]
    full = last.prior_alpha + accuracy * last.size, last.prior_beta + (1 - accuracy) * last.size
    final = slow_regions(full[0][i], full[1][i], full[0][j], full[1][j], 0.05)
    true_region = int(np.digitize(accuracy[i] - accuracy[j], [-0.05, 0.05]))
    tested = 0
    for belief in beliefs:
        mu = slow_regions(belief.alpha[i], belief.beta[i], belief.alpha[j], belief.beta[j], 0.05)
        off = abs(mu.max() - final.max()) / final.max()
        if abs(off - 0.05) < 0.005 or np.diff(np.sort(mu))[-1] < 0.005:
            continue
        tested += 1
        assert measured("direction", truth, belief) == (mu.argmax() == true_region)
        assert measured("lambda_right", truth, belief) == (off < 0.05 and mu.argmax() == final.argmax())
    assert tested >= 5


def test_a_lambda_near_the_true_one_is_not_right_in_the_wrong_direction(pool):
    question = fl.Compare("accuracy", by="predicted_class", a="class-0", b="class-5")
    truth, (belief,) = truth_and_trace(pool, question, "uprior2", [0])
    good, bad = 19 / 20, 1 / 20
    for rates, right in (([bad, 0, 0, 0, 0, good], 1.0), ([good, 0, 0, 0, 0, bad], 0.0)):
        seen = replace(belief, hits=20 * np.array(rates), misses=20 * (1 - np.array(rates)))
        assert measured("lambda_right", truth, seen) == measured("direction", truth, seen) == right


@pytest.mark.parametrize("question", [SEXES, fl.Compare("true_positive_rate", "sex", "F", "M", positive="class-1")])
def test_with_every_label_direction_and_lambda_are_right(pool, question):
    """By closed forms, and by draws where groups have several cells."""
    result = fl.simulate(pool, None, question, ["iprior"], [0, 240], runs=2, workers=1)
    assert result.measures == ("direction", "lambda_right")
    assert (result.values[:, :, 1] == [[1.0, 1.0]]).all()


@pytest.mark.parametrize("target", ["pool", "population"])
def test_coverage_and_width_are_of_the_intervals_a_study_answers_with(pool, target):
    truth, (belief,) = truth_and_trace(pool, ACCURACY, "uprior2", [60], target=target)
    how = {"strategy": "uniform", "estimator": "beta", "prior": "flat"}
    live = fl.create_study(pool, ACCURACY, seed=run_seed(5, 0), target=target, **how)
    for _ in range(60):
        (query,) = live.ask()
        live.tell(query, pool.known_labels[query.item])
    accuracy = dict(zip(pool.classes, slow_accuracies(pool)[0], strict=True))
    found = live.answer().findings
    held = [f.low <= accuracy[f.group] <= f.high for f in found]
    assert measured("coverage", truth, belief) == pytest.approx(np.mean(held))
    assert measured("width", truth, belief) == pytest.approx(np.mean([f.high - f.low for f in found]))


def test_groups_without_a_truth_count_for_nothing():
    """Two groups, one without positives: its true-positive rate is not defined."""
    pool = fl.Pool.from_arrays(
        predicted=["yes", "no"] * 20,
        score=[0.9] * 40,
        columns={"side": ["left"] * 20 + ["right"] * 20},
        labels=["yes"] * 20 + ["no"] * 20,
    )
    question = fl.Estimate("true_positive_rate", by="side", positive="yes")
    result = fl.simulate(pool, None, question, ["iprior"], [0, 40], 2, measures=["rmse", "coverage"], workers=1)
    assert np.isfinite(result.of("iprior", "rmse")).all()
    assert np.isnan(result.of("iprior", "coverage")[:, 0]).all()  # without labels there are no intervals
    assert (result.of("iprior", "coverage")[:, 1] == 1).all()
    assert result.of("iprior", "rmse")[:, 1] == pytest.approx(0)


@pytest.mark.parametrize("question", [ACCURACY, WORST, SEXES, CONFUSION, CALIBRATION, COST, TPR])
def test_with_every_label_every_method_knows_the_truth(pool, question):
    result = fl.simulate(pool, None, question, ["uprior", "iprior+ts"], [240], runs=1, workers=1)
    best = {"rmse": 0, "ece_error": 0, "mrr": 1, "success": 1, "direction": 1, "lambda_right": 1}
    for place, name in enumerate(result.measures):
        if name in best:
            assert result.values[0, :, 0, place] == pytest.approx(best[name], abs=1e-9)
