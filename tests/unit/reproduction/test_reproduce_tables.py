"""The tables' parts are held to slow loops and to live studies."""

from itertools import combinations

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.comparison import region_probabilities
from fewlabels.reproduction.aaai21 import table_9_published_code
from fewlabels.reproduction.aaai21.table_4 import OTHER_NETWORK, TABLE_4, harm_note, published_thompson, without_labels
from fewlabels.reproduction.aaai21.table_7 import pairwise_labels, superclass_pool
from fewlabels.reproduction.aaai21.table_9 import Arm, online_runs
from fewlabels.reproduction.aaai21.table_9_published_code import BINS, Beliefs, _chosen, kept, online_mrr
from fewlabels.reproduction.arxiv20.figure_6 import confusion_estimate
from fewlabels.reproduction.base import (
    METHODS_AS_STATED,
    LabelledPool,
    Setup,
    confusion_counts,
    labelled,
    load_pool,
    load_superclasses,
    mean_scores,
    random_items,
)
from fewlabels.reproduction.shapes.costs import cost_matrix
from fewlabels.reproduction.shapes.figure_pools import CIFAR100, SVHN
from fewlabels.simulation import run_seed
from fewlabels.simulation.compiled import runner_for
from fewlabels.simulation.simulate import prepare
from small_pools import CLASSES, SUPERCLASSES

# ---------------------------------------------------------------------------------------------------------- Table 4


def test_the_printed_confusion_errors_need_no_label(data_folder):
    """The column printed for UPrior, from the sizes of the classes and S = 0.0865 alone."""
    pool = load_pool("cifar100-paper", data_folder)
    rows = without_labels(pool, CIFAR100, TABLE_4["cifar100-wrn"], 1000, ["UPrior"])
    assert [row.agrees for row in rows] == [True, True, True]


def test_the_printed_confusion_errors_of_svhn_need_no_label_for_any_method(data_folder):
    """300 runs of the papers' own predictions."""
    rows = without_labels(load_pool("svhn", data_folder), SVHN, TABLE_4["svhn"], 300)
    assert [row.agrees for row in rows] == [True] * 9


def slow_artefact(pool, labels, run, informed):
    """The published rule, label by label: a count at the predicted class, whatever the true one."""
    counts, n = confusion_counts(pool), len(pool.classes)
    size = counts.sum(axis=1)
    drawn = np.random.default_rng(0).multivariate_hypergeometric(size, labels, size=run + 1)[run]
    believed = mean_scores(pool).copy() if informed else np.full((n, n), 1e-6 / n)
    final = np.full((n, n), 1 / n)
    for k in range(n):
        for _ in range(drawn[k]):
            believed[k, k] += 1
        for _ in range(size[k]):
            final[k, k] += 1
    believed, final = (m / m.sum(axis=1, keepdims=True) for m in (believed, final))
    true = counts / size[:, None]
    error = sum(size[k] * ((believed[k] - final[k]) ** 2).sum() for k in range(n))
    return error / sum(size[k] * ((true[k] - final[k]) ** 2).sum() for k in range(n))


def test_the_arithmetic_of_the_artefact_is_that_of_its_rule(folder):
    pool = load_pool("cifar100-wrn", folder)
    rows = without_labels(pool, OTHER_NETWORK, TABLE_4["cifar100-wrn"], 2, ["IPrior"])
    for row, per_class in zip(rows, (2, 5, 10), strict=True):
        runs = [slow_artefact(pool, per_class * 20, run, True) for run in range(2)]
        assert row.ours == pytest.approx(np.mean(runs), abs=1e-9)


def test_the_exact_mean_without_a_prior_is_that_of_many_runs(folder):
    """600 runs label by label, within four of their standard errors; and the standard error is that of 100 runs."""
    pool = load_pool("cifar100-wrn", folder)
    (row, *_) = without_labels(pool, OTHER_NETWORK, TABLE_4["cifar100-wrn"], 2, ["UPrior"])
    runs = np.array([slow_artefact(pool, 40, run, False) for run in range(600)])
    assert row.ours == pytest.approx(runs.mean(), abs=4 * runs.std() / 600**0.5)
    assert row.se == pytest.approx(runs.std() / 10, rel=0.25)


def test_the_published_thompson_sampling_takes_the_class_of_its_published_reward():
    """Of the very draws of one run, reward by reward: W(alpha) - sum_j theta_j W(theta + e_j), in plain loops."""
    prior, size = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]), np.array([30, 50, 20])

    def summed_variances(alpha):
        total = sum(alpha)
        return sum(a * (total - a) for a in alpha) / (total**2 * (total + 1))

    rng, taken = np.random.default_rng(0), np.zeros((2, 3), dtype=int)
    for _ in range(12):
        alpha = prior[None] + taken[:, :, None] * np.eye(3)
        draw = rng.standard_gamma(alpha)
        for run in range(2):
            rewards = []
            for k in range(3):
                theta = draw[run, k] / draw[run, k].sum()
                ahead = sum(theta[j] * summed_variances(theta + np.eye(3)[j]) for j in range(3))
                rewards.append(size[k] / 100 * (summed_variances(alpha[run, k]) - ahead))
            taken[run, int(np.argmax(rewards))] += 1
    assert published_thompson(size, prior, 12, 2).tolist() == taken.tolist()


def test_labels_harm_as_long_as_the_note_says():
    """n labels under a Dirichlet prior of strength 1: (b + n v) / (1 + n)^2, by 40,000 draws."""
    rng = np.random.default_rng(0)
    theta, prior = np.array([0.7, 0.2, 0.1]), np.array([0.6, 0.25, 0.15])
    b, v = ((prior - theta) ** 2).sum(), 1 - (theta**2).sum()
    for n in (1, 5, 29, 30, 31):
        estimate = (prior + rng.multinomial(n, theta, size=40_000)) / (1 + n)
        error = ((estimate - theta) ** 2).sum(axis=1).mean()
        assert error == pytest.approx((b + n * v) / (1 + n) ** 2, rel=0.02)
        assert ((b + n * v) / (1 + n) ** 2 < b) == (n > v / b - 2)


def test_the_note_on_harm_has_the_prior_error_of_the_simulation(folder):
    pool = load_pool("cifar100-wrn", folder)
    result = fl.simulate(pool, None, fl.Estimate("confusion"), ["iprior"], [0], 1, measures=["rmse"], workers=1)
    assert f"b = {result.values[0, 0, 0, 0] ** 2:.4f}" in harm_note("this pool", pool)


def test_a_confusion_estimate_moves_from_its_prior_to_the_counts(folder):
    pool = load_pool("cifar100-wrn", folder)
    counts = confusion_counts(pool)
    assert confusion_estimate(pool, random_items(pool, 0), informed=False) == pytest.approx(np.full((20, 20), 0.05))
    assert confusion_estimate(pool, random_items(pool, 0), informed=True) == pytest.approx(mean_scores(pool))
    told = confusion_estimate(pool, random_items(pool, None), informed=False)
    size = counts.sum(axis=1, keepdims=True)
    assert told == pytest.approx((counts + 0.05) / (size + 1))


# ---------------------------------------------------------------------------------------------------------- Table 7


def test_superclasses_are_summed_and_labels_mapped(folder):
    pool, fine = superclass_pool(Setup(folder, 1, 1)), load_pool("cifar100-wrn", folder)
    assert pool.classes == tuple(sorted(SUPERCLASSES))
    superclass = load_superclasses("cifar100-wrn", folder)
    assert list(pool.known_labels) == [superclass[name] for name in fine.known_labels]
    table = fine.engine.models["model"].probabilities
    people = [CLASSES.index(name) for name in SUPERCLASSES["people"]]
    place = pool.classes.index("people")
    found = pool.engine.models["model"].probabilities[:, place]
    assert found == pytest.approx(table[:, people].sum(axis=1), abs=1e-5)


def test_pairs_are_told_apart_as_their_own_simulations_say(tiny_folder):
    pool = superclass_pool(Setup(tiny_folder, 1, 1))
    labels, right = pairwise_labels(pool, Setup(tiny_folder, 2, 1), "as stated")
    assert labels.shape == right.shape == (12, 3)
    a, b = list(combinations(pool.classes, 2))[1]
    question = fl.Compare("accuracy", "predicted_class", a, b)
    most = int(np.isin(np.array(pool.classes)[labelled(pool).predicted], [a, b]).sum())
    result = fl.simulate(pool, None, question, ["iprior"], range(1, most + 1), 2, 1, target="population", workers=1)
    assert labels[2:4, 1] == pytest.approx(result.labels_until_per_run("iprior", "lambda_right"))
    assert right[2:4, 1] == pytest.approx(result.of("iprior", "direction")[:, min(100, most) - 1])


@pytest.fixture(scope="module")
def told_apart(folder):
    """Superclasses, and the labels that each method needs for each two of them."""
    pool = superclass_pool(Setup(folder, 1, 1))
    return pool, pairwise_labels(pool, Setup(folder, 1, 1), "as stated")[0]


@pytest.mark.parametrize("prior", ["uprior2", "iprior", "iprior+ts"])
def test_no_label_that_makes_lambda_right_is_passed_over(told_apart, prior):
    pool, labels = told_apart
    place = list(METHODS_AS_STATED.values()).index(prior)
    for seed, (a, b) in enumerate(combinations(pool.classes, 2)):
        question = fl.Compare("accuracy", "predicted_class", a, b)
        most = int(np.isin(np.array(pool.classes)[labelled(pool).predicted], [a, b]).sum())
        result = fl.simulate(pool, None, question, [prior], range(1, most + 1), 1, seed, target="population", workers=1)
        assert labels[seed, place] == result.labels_until_per_run(prior, "lambda_right")[0]


def test_the_published_rule_counts_from_the_true_region_alone_and_a_failure_as_one_label(tiny_folder):
    """Label by label in plain Python, with the probabilities of SciPy's quadrature of the two densities; which labels
    come is the simulation's."""
    pool = superclass_pool(Setup(tiny_folder, 1, 1))
    labels, _ = pairwise_labels(pool, Setup(tiny_folder, 1, 1), "as printed")
    known, found = labelled(pool), []
    for number, (a, b) in enumerate(combinations(range(len(pool.classes)), 2)):
        hits, size = ([int(x[known.predicted == k].sum()) for k in (a, b)] for x in (known.right, np.ones(len(known))))
        question = fl.Compare("accuracy", "predicted_class", pool.classes[a], pool.classes[b])
        method, budgets = fl.Method("uniform", "beta", "flat"), np.arange(1, sum(size) + 1)
        job = prepare(pool, None, question, [method], budgets, number, None, how=("population", 0.95, None))
        seed = run_seed(number, 0)
        counts = runner_for(job.assessments[0])(job.known[0].deal(seed), budgets, seed).counts[:, [a, b]]
        assert counts[-1].tolist() == [[h, n - h] for h, n in zip(hits, size, strict=True)]
        difference = hits[0] / size[0] - hits[1] / size[1]
        region = 0 if difference < -0.05 else 2 if difference > 0.05 else 1
        full = [(h + n * 1e-6, n - h + n * 1e-6) for h, n in zip(hits, size, strict=True)]
        final = region_probabilities(*np.array(full).T, 0.05)[region]
        mu = (region_probabilities(*(1 + told).T, 0.05)[region] for told in counts)
        near = (count for count, one in enumerate(mu, 1) if abs(one - final) / final < 0.05)
        found.append(next(near, 1))
    assert labels[:, 0].tolist() == found
    assert len(set(found)) > 3


# ---------------------------------------------------------------------------------------------------------- Table 9


def some_items(items=150, classes=6, seed=0):
    rng = np.random.default_rng(seed)
    predicted = rng.integers(0, classes, items)
    score = rng.uniform(0.2, 1.0, items)
    right = (rng.random(items) < score * np.linspace(0.4, 1.0, classes)[predicted]).astype(np.int64)
    return LabelledPool(predicted, score, np.where(right == 1, predicted, (predicted + 1) % classes), classes)


@pytest.mark.parametrize("active", [False, True])
@pytest.mark.parametrize("top", [1, 4])
def test_with_all_labels_the_least_calibrated_classes_are_known(active, top):
    items = some_items()
    found = online_mrr(items, top, 5, active=active)
    assert found.shape == (5, 2)
    assert ((found > 0) & (found <= 1)).all()
    all_of_them = online_mrr(items.some(np.arange(101)), top, 3, active=active)
    assert all_of_them[:, -1] == pytest.approx(1.0)


def test_blocks_of_runs_are_in_order_whichever_process_did_them_and_progress_is_told():
    items, told = some_items(120, 11), []
    one, two = (
        online_runs(Setup(None, 30, workers, lambda *numbers: told.append(numbers)), items, (1, 10), 10)
        for workers in (1, 2)
    )
    assert told == [(done, 24) for done in range(1, 25)] * 2
    assert len(one) == 22
    for arm, values in one.items():
        assert values.shape == (30, 2)
        assert np.array_equal(values, two[arm], equal_nan=True)
    last = Arm(10, active=True)
    expected = online_mrr(kept(items), 10, 5, active=True, seed=25)
    assert np.array_equal(one[last][25:], expected, equal_nan=True)


def test_online_errors_weight_the_bins_by_the_labels_seen():
    beliefs = Beliefs(1, 1)
    told = [(0.31, 1), (0.34, 0), (0.95, 1)]
    for score, right in told:
        place = [np.array([v]) for v in (0, 0, int(score * BINS))]
        beliefs.tell(*place, np.array([score]), np.array([right]))
    counts, sums = np.full(BINS, 2e-4), 2e-4 * (np.arange(BINS) + 0.5) / BINS
    alpha, beta = 2 * (np.arange(BINS) + 0.5) / BINS, 2 * (1 - (np.arange(BINS) + 0.5) / BINS)
    for score, right in told:
        counts[int(score * BINS)] += 1
        sums[int(score * BINS)] += score
        alpha[int(score * BINS)] += right
        beta[int(score * BINS)] += 1 - right
    expected = sum(
        counts[b] / counts.sum() * abs(alpha[b] / (alpha[b] + beta[b]) - sums[b] / counts[b]) for b in range(BINS)
    )
    assert beliefs.estimate()[0, 0] == pytest.approx(expected)


def test_fewer_open_classes_than_wanted_leave_one_choice():
    reward = np.array([[0.9, 0.5, 0.7], [0.9, 0.5, 0.7]])
    open_classes = np.array([[True, True, True], [False, True, False]])
    assert _chosen(reward, open_classes, 2).tolist() == [[True, False, True], [False, True, False]]


@pytest.mark.parametrize("top", [1, 3])
def test_bins_that_are_not_drawn_do_not_change_how_often_a_class_is_among_the_highest(top, monkeypatch):
    """Against draws of every bin, within five standard errors; some classes have no labels, one is closed."""
    runs, told, open_classes = 20_000, ((0, 95, 1), (0, 31, 0), (1, 95, 0), (2, 55, 1)), np.array([1, 1, 1, 1, 1, 0])
    monkeypatch.setattr(table_9_published_code, "SOMETHING", 0.05)  # bins without labels weigh enough to matter
    beliefs, rng = Beliefs(runs, 6), np.random.default_rng(0)
    every = np.arange(runs)
    for where, score, right in told:
        bins = np.full(runs, score // 10)
        beliefs.tell(every, np.full(runs, where), bins, np.full(runs, score / 100), np.full(runs, right))
    all_open = np.broadcast_to(open_classes == 1, (runs, 6))
    theta = rng.beta(beliefs.alpha, beliefs.beta)
    full = np.abs(theta * beliefs.count - beliefs.score).sum(axis=0) / beliefs.count.sum(axis=0)
    expected, found = (
        _chosen(reward, all_open, top).mean(axis=0) for reward in (full, beliefs.sampled(rng, all_open, top))
    )
    assert found == pytest.approx(expected, abs=5 * np.sqrt(0.5 / runs))


# ------------------------------------------------------------------------------------------------------------ costs


def test_costs_are_of_people_or_across_superclasses(folder):
    superclass = load_superclasses("cifar100-wrn", folder)
    classes = tuple(CLASSES)
    human, across = (cost_matrix(kind, classes, superclass, 10) for kind in ("Human", "Superclass"))
    boy, girl, oak, pine = (classes.index(name) for name in ("boy", "girl", "oak", "pine"))
    assert (human[boy, oak], human[boy, girl], human[oak, boy], human[oak, oak]) == (10, 10, 1, 0)
    assert (across[boy, oak], across[boy, girl], across[oak, pine], across[oak, oak]) == (10, 1, 1, 0)
    one, other = (cost_matrix(kind, classes, superclass, 1) for kind in ("Human", "Superclass"))
    assert (one == other).all()
