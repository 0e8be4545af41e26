"""The rewards of Table 1 of Ji et al. 2021, each against a slow loop written straight from the paper.

Letters are the paper's: theta~ a draw of the belief, z an outcome, L the labels so far, p_g the share of group g.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import integrate, stats
from scipy.special import betainc, betaincinv

import fewlabels as fl
from fewlabels.assessment import assess
from fewlabels.core.evidence import NO_EVIDENCE
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.rewards import (
    accuracy_reward,
    accuracy_reward_slope,
    comparison_outcomes,
    comparison_reward,
    confusion_reward,
    cost_reward,
    cost_variance,
)

CLOSE = {"rtol": 1e-10, "atol": 1e-12}


def small_counts(seed: int, *shape: int) -> np.ndarray:
    """Posterior parameters of every kind: hardly any labels to many."""
    rng = np.random.default_rng(seed)
    return np.asarray(rng.choice([0.01, 0.3, 1.0, 2.0, 17.0, 400.0], size=shape) * rng.uniform(0.5, 1.5, size=shape))


@pytest.mark.parametrize("case", range(5))
def test_groupwise_accuracy_is_the_expected_loss_of_variance(case):
    """Row 1: r(z|g) = p_g (Var(theta_g | L) - Var(theta_g | L, z)), z ~ Bern(theta~_g)."""
    G = 9
    alpha, beta = small_counts(case, G), small_counts(case + 100, G)
    rng = np.random.default_rng(case)
    theta, p = rng.uniform(size=G), rng.dirichlet(np.ones(G))
    expected = []
    for g in range(G):
        reward = 0.0
        for z, q in ((1, theta[g]), (0, 1 - theta[g])):
            after = stats.beta.var(alpha[g] + z, beta[g] + (1 - z))
            reward += q * p[g] * (stats.beta.var(alpha[g], beta[g]) - after)
        expected.append(reward)
    np.testing.assert_allclose(accuracy_reward(theta, alpha, beta, p), expected, **CLOSE)


@settings(derandomize=True, max_examples=50, deadline=None)
@given(some.floats(0.05, 200), some.floats(0.05, 200), some.floats(0, 1), some.floats(0, 1))
def test_the_accuracy_reward_is_linear_in_the_draw(a, b, one, two):
    alpha, beta, p = np.array([a]), np.array([b]), np.array([0.3])
    slope = accuracy_reward_slope(alpha, beta, p)
    change = accuracy_reward(np.array([two]), alpha, beta, p) - accuracy_reward(np.array([one]), alpha, beta, p)
    np.testing.assert_allclose(change, slope * (two - one), atol=1e-12)


def test_the_accuracy_reward_is_never_negative_at_the_posterior_mean_but_may_be_under_a_draw():
    """E Var(theta | L, z) <= Var(theta | L) when z has its predictive distribution; under theta~ it need not be."""
    alpha, beta, p = small_counts(1, 50), small_counts(2, 50), np.full(50, 0.02)
    assert (accuracy_reward(alpha / (alpha + beta), alpha, beta, p) >= 0).all()
    surprising = accuracy_reward(np.array([0.0]), np.array([20.0]), np.array([1.0]), np.array([1.0]))
    assert surprising[0] < 0


@pytest.mark.parametrize("case", range(5))
def test_confusion_looks_ahead_on_the_posterior(case):
    """Row 2: Var(theta_k) = sum_j Var(theta_jk), z ~ Multi(theta~_k); the outcome is added to alpha_.k."""
    K, J = 5, 4
    alpha = small_counts(case, K, J)
    rng = np.random.default_rng(case)
    theta, p = rng.dirichlet(np.ones(J), size=K), rng.dirichlet(np.ones(K))
    expected = []
    for k in range(K):
        now = stats.dirichlet.var(alpha[k]).sum()
        reward = 0.0
        for z in range(J):
            updated = alpha[k].copy()
            updated[z] += 1
            reward += theta[k, z] * p[k] * (now - stats.dirichlet.var(updated).sum())
        expected.append(reward)
    np.testing.assert_allclose(confusion_reward(theta, alpha, p), expected, **CLOSE)


def test_confusion_with_two_classes_is_twice_the_accuracy_reward():
    alpha, beta = small_counts(3, 6), small_counts(4, 6)
    theta, p = np.random.default_rng(0).uniform(size=6), np.full(6, 1 / 6)
    two = confusion_reward(np.stack([theta, 1 - theta], axis=1), np.stack([alpha, beta], axis=1), p)
    np.testing.assert_allclose(two, 2 * accuracy_reward(theta, alpha, beta, p), **CLOSE)


@pytest.mark.parametrize("case", range(5))
def test_the_cost_reward_is_the_expected_loss_of_variance_of_the_cost(case):
    """p_k (Var(C_k | L) - E_z Var(C_k | L, z)), C_k = sum_j c_jk theta_jk, Var by the Dirichlet's covariances."""
    K, J = 4, 5
    alpha = small_counts(case, K, J)
    rng = np.random.default_rng(case)
    theta, p, c = rng.dirichlet(np.ones(J), size=K), rng.dirichlet(np.ones(K)), rng.uniform(0, 10, size=(K, J))

    def variance(a, cost):
        return float(cost @ stats.dirichlet.cov(a) @ cost)

    expected = []
    for k in range(K):
        reward = 0.0
        for z in range(J):
            updated = alpha[k].copy()
            updated[z] += 1
            reward += theta[k, z] * p[k] * (variance(alpha[k], c[k]) - variance(updated, c[k]))
        expected.append(reward)
    np.testing.assert_allclose(
        cost_variance(alpha, c), [variance(a, x) for a, x in zip(alpha, c, strict=True)], **CLOSE
    )
    np.testing.assert_allclose(cost_reward(theta, alpha, c, p), expected, rtol=1e-10, atol=1e-12)


def quad_below(a, b, threshold: float) -> float:
    """P(theta_0 - theta_1 < t) as the mean of F_0(theta_1 + t) over the quantiles of theta_1."""

    def integrand(u: float) -> float:
        return betainc(a[0], b[0], min(max(betaincinv(a[1], b[1], u) + threshold, 0.0), 1.0))

    kinks = [u for u in betainc(a[1], b[1], np.clip([-threshold, 1 - threshold], 0, 1)) if 0 < u < 1]
    return integrate.quad(integrand, 0, 1, points=kinks, epsabs=1e-11, epsrel=1e-11, limit=300)[0]


@pytest.mark.parametrize("shift", [0.0, 0.08])
@pytest.mark.parametrize(
    ("alpha", "beta"), [((1.8, 1.0), (0.2, 1.0)), ((12.0, 30.0), (5.0, 22.0)), ((3.0, 90.0), (9.0, 9.0))]
)
def test_comparison_is_the_expected_confidence_after_a_label(alpha, beta, shift):
    """Row 6: E[lambda | L, (g, z)], z ~ Bern(theta~_g), lambda = max(mu), mu by quadrature. Agreement 1e-8."""
    epsilon, theta = 0.05, np.array([0.31, 0.77])
    expected = []
    for g in (0, 1):
        gain = 0.0
        for z, q in ((1, theta[g]), (0, 1 - theta[g])):
            a, b = np.array(alpha), np.array(beta)
            a[g] += z
            b[g] += 1 - z
            less, not_more = quad_below(a, b, -epsilon - shift), quad_below(a, b, epsilon - shift)
            gain += q * max(less, not_more - less, 1 - not_more)
        expected.append(gain)
    hit, miss = comparison_outcomes(np.array(alpha), np.array(beta), epsilon, shift)
    np.testing.assert_allclose(comparison_reward(theta, hit, miss), expected, atol=1e-8)


# -- rows 3 to 5, through a question on a pool ---------------------------------------------------------------------

CLASSES = ["ant", "bee", "cat"]
N = 90


def pool() -> fl.Pool:
    rng = np.random.default_rng(8)
    probabilities = rng.dirichlet([0.5, 0.8, 1.1], size=N)
    return fl.Pool.from_arrays(
        probabilities=probabilities, classes=CLASSES, columns={"side": np.where(rng.uniform(size=N) < 0.3, "l", "r")}
    )


def arrays(some_pool: fl.Pool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    outputs = some_pool.engine.models["model"]
    return outputs.probabilities, outputs.predicted, outputs.score


def objective(question, some_pool, prior="scores"):
    chosen = fl.StudySettings(question, estimator="cautious", prior=prior)
    assessment = assess(chosen, question, some_pool, "model")
    return assessment.objective(assessment.belief(NO_EVIDENCE)), assessment


def draw(keyed: Keyed, index: int, a: float, b: float) -> float:
    return float(stats.beta.ppf(keyed.uniform(Use.ARM_DRAW, index), a, b))


@pytest.mark.parametrize(("which", "sign"), [("worst", -1), ("best", 1)])
def test_the_least_accurate_group_is_rewarded_by_minus_its_sampled_accuracy(which, sign):
    """Row 3: -theta~_g; for the most accurate, +theta~_g. Prior Beta(N0 s_g, N0 (1 - s_g)), N0 = 2."""
    found, _ = objective(fl.Identify("accuracy", by="predicted_class", which=which), pool())
    _, predicted, score = arrays(pool())
    keyed = Keyed(3, 1)
    expected = []
    for g in range(3):
        s = score[predicted == g].mean()
        expected.append(sign * draw(keyed, g, 2 * s, 2 * (1 - s)))
    np.testing.assert_allclose(found.sampled(keyed), expected, rtol=1e-10)


def test_the_most_biased_group_is_rewarded_by_score_minus_sampled_accuracy():
    """s_g - theta~_g: Ji et al. 2019, section 6.3."""
    found, _ = objective(fl.Identify("calibration_bias", by="predicted_class"), pool())
    _, predicted, score = arrays(pool())
    keyed = Keyed(3, 2)
    expected = []
    for g in range(3):
        s = score[predicted == g].mean()
        expected.append(s - draw(keyed, g, 2 * s, 2 * (1 - s)))
    np.testing.assert_allclose(found.sampled(keyed), expected, rtol=1e-10)


def test_the_least_calibrated_group_is_rewarded_by_its_sampled_calibration_error():
    """Row 4: sum_b p_gb |theta~_gb - s_gb|, theta_gb ~ Beta(N0 s_gb, N0 (1 - s_gb)); p_gb is b's share of group g."""
    B = 5
    bins = fl.CalibrationError(fl.ScoreBins(B))
    found, assessment = objective(fl.Identify(bins, by="predicted_class"), pool())
    _, predicted, score = arrays(pool())
    keyed = Keyed(4, 1)
    expected, cell = [], 0
    for g in range(3):
        ece = 0.0
        for b in range(B):
            inside = (predicted == g) & (score >= b / B) & ((score < (b + 1) / B) | (b == B - 1))
            if not inside.any():
                continue
            s_gb = score[inside].mean()
            p_gb = inside.sum() / (predicted == g).sum()
            ece += p_gb * abs(draw(keyed, cell, 2 * s_gb, 2 * (1 - s_gb)) - s_gb)
            cell += 1
        expected.append(ece)
    assert cell == assessment.cells.count
    np.testing.assert_allclose(found.sampled(keyed), expected, rtol=1e-10)


def test_the_most_costly_class_is_rewarded_by_its_sampled_cost():
    """Row 5: sum_j c_jk theta~_jk, alpha_.k proportional to the sums of p(y = j | x) over x in R_k, N0 = 1."""
    c = np.array([[0.0, 1, 10], [2, 0, 3], [5, 1, 0]])  # c[true j, predicted k]
    found, assessment = objective(fl.Identify(fl.Cost(c, CLASSES), by="predicted_class"), pool())
    probabilities, predicted, _ = arrays(pool())
    belief = assessment.belief(NO_EVIDENCE)
    for k in range(3):
        sums = [sum(probabilities[i, j] for i in range(N) if predicted[i] == k) for j in range(3)]
        np.testing.assert_allclose(belief.alpha[k], np.array(sums) / sum(sums), rtol=1e-5)
    theta = belief.sampled(Keyed(5, 1))
    expected = [sum(c[j, k] * theta[k, j] for j in range(3)) for k in range(3)]
    np.testing.assert_allclose(found.sampled(Keyed(5, 1)), expected, rtol=1e-10)


@pytest.mark.parametrize("prior", ["flat", "scores"])
def test_estimation_weighs_each_group_by_its_share_of_the_pool(prior):
    """Row 1 with p_g from all items of the pool, labelled or not."""
    found, _ = objective(fl.Estimate("accuracy", by=("predicted_class", "side")), pool(), prior)
    _, predicted, score = arrays(pool())
    side = pool().engine.columns["side"]
    keyed = Keyed(6, 1)
    expected, cell = [], 0
    for g in range(3):
        for value in ("l", "r"):
            inside = (predicted == g) & (side == value)
            s = score[inside].mean() if prior == "scores" else 0.5
            a, b, p = 2 * s, 2 * (1 - s), inside.sum() / N
            t = draw(keyed, cell, a, b)
            after = t * stats.beta.var(a + 1, b) + (1 - t) * stats.beta.var(a, b + 1)
            expected.append(p * (stats.beta.var(a, b) - after))
            cell += 1
    np.testing.assert_allclose(found.sampled(keyed), expected, **CLOSE)
