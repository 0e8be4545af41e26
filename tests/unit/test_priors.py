"""Priors by the papers' formulas: Ji et al. 2021, Experimental Settings; the bins' diagonal: Ji et al. 2020, v1."""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.assessment import Assessment, assess
from fewlabels.core.evidence import NO_EVIDENCE, Evidence

CLASSES = ("ant", "bee", "cat")
N = 60


def outputs(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.dirichlet([0.6, 0.9, 0.7], size=N), np.where(rng.uniform(size=N) < 0.4, "l", "r")


def pool(**more) -> fl.Pool:
    probabilities, side = outputs()
    return fl.Pool.from_arrays(probabilities=probabilities, classes=CLASSES, columns={"side": side}, **more)


def prior(question, some_pool, **more):
    settings = fl.StudySettings(question, estimator="cautious", **more)
    return assess(settings, question, some_pool, "model").belief(NO_EVIDENCE)


BY_CLASS = fl.Estimate("accuracy", by="predicted_class")


@pytest.mark.parametrize(("strength", "half"), [(None, 1.0), (7.0, 3.5), (1e-6, 5e-7)])
def test_a_flat_prior_is_half_the_strength_on_either_side(strength, half):
    belief = prior(BY_CLASS, pool(), prior="flat", prior_strength=strength)
    np.testing.assert_allclose(belief.prior_alpha, half)
    np.testing.assert_allclose(belief.prior_beta, half)


@pytest.mark.parametrize("strength", [None, 0.5, 20.0])
def test_the_informed_prior_is_centred_on_the_mean_score_of_each_group(strength):
    """Beta(N0 s_g, N0 (1 - s_g)), s_g over all items of the group; N0 = 2 unless told."""
    belief = prior(BY_CLASS, pool(), prior="scores", prior_strength=strength)
    probabilities, _ = outputs()
    N0 = 2 if strength is None else strength
    for k in range(3):
        s = probabilities[probabilities.argmax(axis=1) == k].max(axis=1).mean()
        assert belief.prior_alpha[k] == pytest.approx(N0 * s, rel=1e-12)
        assert belief.prior_beta[k] == pytest.approx(N0 * (1 - s), rel=1e-12)


def test_crossed_groups_each_have_the_mean_score_of_their_own_items():
    belief = prior(fl.Estimate("accuracy", by=("side", "predicted_class")), pool())
    probabilities, side = outputs()
    top, expected = probabilities.argmax(axis=1), []
    for value in ("l", "r"):
        for k in range(3):
            inside = (side == value) & (top == k)
            if inside.any():
                expected.append(2 * probabilities[inside].max(axis=1).mean())
    np.testing.assert_allclose(belief.prior_alpha, expected, rtol=1e-12)


def test_the_informed_prior_of_a_confusion_matrix_is_proportional_to_sums_of_probabilities():
    """alpha_jk proportional to the sum over x in R_k of p_M(y = j | x), summing to N0 = 1 over j."""
    belief = prior(fl.Estimate("confusion"), pool(), prior="scores")
    probabilities, _ = outputs()
    for k in range(3):
        sums = probabilities[probabilities.argmax(axis=1) == k].sum(axis=0)
        np.testing.assert_allclose(belief.prior[k], sums / sums.sum(), rtol=1e-9)


def test_a_flat_prior_of_a_confusion_matrix_is_its_strength_over_the_true_classes():
    np.testing.assert_allclose(prior(fl.Estimate("confusion"), pool(), prior="flat").prior, 1 / 3)
    with_other = prior(fl.Estimate("confusion"), pool(other_labels=["dog"]), prior="flat", prior_strength=2.0)
    np.testing.assert_allclose(with_other.prior, 2 / 4)


def test_a_true_class_no_model_predicts_is_unlikely_but_possible():
    belief = prior(fl.Estimate("confusion"), pool(other_labels=["dog"]), prior="scores")
    assert (belief.prior[:, 3] > 0).all()
    assert (belief.prior[:, 3] < 1e-5).all()
    np.testing.assert_allclose(belief.prior.sum(axis=1), 1)


def test_with_the_top_score_only_the_rest_is_shared_by_the_other_classes():
    some_pool = fl.Pool.from_arrays(predicted=["ant", "ant", "bee"], score=[0.7, 0.5, 0.4], classes=CLASSES)
    belief = prior(fl.Estimate("confusion"), some_pool, prior="scores")
    np.testing.assert_allclose(belief.prior[0], [0.6, 0.2, 0.2], rtol=1e-9)
    np.testing.assert_allclose(belief.prior[1], [0.3, 0.4, 0.3], rtol=1e-9)


@pytest.mark.parametrize("count", [4, 10])
def test_the_diagonal_prior_is_centred_on_the_middle_of_each_bin(count):
    """Mean (b + 1/2) / B for bin b = 0 … B - 1, strength 2, whatever the scores inside the bin."""
    belief = prior(fl.Estimate(fl.Reliability(fl.ScoreBins(count))), pool(), prior="diagonal")
    probabilities, _ = outputs()
    present = sorted({min(int(s * count), count - 1) for s in probabilities.max(axis=1)})
    np.testing.assert_allclose(belief.prior_alpha, [2 * (b + 0.5) / count for b in present])
    np.testing.assert_allclose(belief.prior_alpha + belief.prior_beta, 2)


def test_the_diagonal_prior_of_scores_just_below_an_edge_is_that_of_their_bin():
    some_pool = fl.Pool.from_arrays(predicted=["a", "a"], score=[0.3 - 1e-12, 0.3 - 1e-12])
    belief = prior(fl.Estimate("reliability"), some_pool, prior="diagonal")
    np.testing.assert_allclose(belief.prior_alpha, [0.5])


def test_the_diagonal_needs_bins_of_equal_width():
    for question in (BY_CLASS, fl.Estimate(fl.Reliability(fl.ScoreBins(5, "mass")))):
        with pytest.raises(fl.QuestionError, match="equal width"):
            prior(question, pool(), prior="diagonal")


def test_reported_figures_become_pseudo_labels_and_groups_left_out_are_flat():
    reported = fl.Prior({"ant": 0.9, "cat": 0.25}, strength=8)
    belief = prior(BY_CLASS, pool(), prior=reported)
    np.testing.assert_allclose(belief.prior_alpha, [7.2, 4.0, 2.0])
    np.testing.assert_allclose(belief.prior_beta, [0.8, 4.0, 6.0])


def test_one_reported_figure_is_for_all_groups():
    belief = prior(BY_CLASS, pool(), prior=fl.Prior(0.8, strength=5))
    np.testing.assert_allclose(belief.prior_alpha, 4.0)
    np.testing.assert_allclose(belief.prior_beta, 1.0)


def test_a_reported_figure_of_a_crossed_group_is_named_by_its_tuple():
    belief = prior(
        fl.Estimate("accuracy", by=("side", "predicted_class")),
        pool(),
        prior=fl.Prior({("r", "bee"): 0.75}, strength=4),
    )
    assert sorted(set(belief.prior_alpha.tolist())) == pytest.approx([2.0, 3.0])


@pytest.mark.parametrize(("mean", "strength"), [(1.2, 2), (-0.1, 2), ({"ant": 3}, 2), (0.5, 0), (0.5, float("nan"))])
def test_impossible_figures_are_refused(mean, strength):
    with pytest.raises(fl.QuestionError, match="prior"):
        fl.Prior(mean, strength)


def test_a_reported_group_the_pool_does_not_have_is_refused():
    with pytest.raises(fl.QuestionError, match="'ann'"):
        prior(BY_CLASS, pool(), prior=fl.Prior({"ann": 0.9}))


def test_reported_rates_say_nothing_of_class_shares():
    with pytest.raises(fl.QuestionError, match=r"fl\.Prior"):
        prior(fl.Estimate("confusion"), pool(), prior=fl.Prior(0.9))


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_scores_of_exactly_nought_or_one_make_a_proper_prior(score):
    some_pool = fl.Pool.from_arrays(predicted=["a"] * 5 + ["b"] * 5, score=[score] * 10)
    belief = prior(BY_CLASS, some_pool, prior="scores")
    assert (belief.prior_alpha > 0).all()
    assert (belief.prior_beta > 0).all()
    np.testing.assert_allclose(belief.prior_strength, 2)
    np.testing.assert_allclose(belief.mean, score, atol=1e-5)
    dirichlet = prior(fl.Estimate("confusion"), some_pool, prior="scores")
    assert (dirichlet.prior > 0).all()
    np.testing.assert_allclose(dirichlet.prior.sum(axis=1), 1)


def test_labels_leave_the_prior_as_it_was():
    assessment = assess(fl.StudySettings(BY_CLASS, estimator="cautious"), BY_CLASS, pool(), "model")
    before = assessment.belief(NO_EVIDENCE)
    one = np.ones(3, dtype=np.int64)
    after = assessment.belief(Evidence([1, 2, 3], one, one, np.array([1, 1, 2]), np.full(3, 0.5)))
    np.testing.assert_array_equal(after.prior_alpha, before.prior_alpha)
    np.testing.assert_array_equal(after.prior_beta, before.prior_beta)
    assert after.hits.tolist() == [0, 2, 0]
    assert after.misses.tolist() == [0, 1, 0]


def test_a_finer_split_does_not_add_pseudo_labels():
    """Read for another question, a group of several cells shares out its two pseudo-labels by size."""
    some_pool = pool()
    study = fl.create_study(some_pool, fl.Identify("accuracy", by="side"), strategy="thompson", seed=1)
    for query in study.ask(6):
        study.tell(query, query.predicted)
    answer = study.answer(fl.Estimate("accuracy", by="predicted_class"))
    strata = fl.Estimate("accuracy", by=("predicted_class", "side"))
    axes = strata.axes
    cells = some_pool.engine.summarise("model", axes, probabilities=False)
    split = Assessment(
        fl.StudySettings(BY_CLASS, estimator="cautious"), BY_CLASS, cells, some_pool.true_classes
    ).belief(NO_EVIDENCE)
    per_class = np.bincount(cells.coordinates[:, 0], weights=split.prior_strength)
    np.testing.assert_allclose(per_class, 2)
    assert all(0 < f.prior_share <= 1 for f in answer.findings)
