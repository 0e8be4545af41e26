"""Every table and figure runs on small pools; their parts are held to slow loops and to live studies."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import beta as beta_distribution

import fewlabels as fl
from fewlabels.core.groups import ScoreBins
from fewlabels.core.keyed import item_order
from fewlabels.reproduction import Reproduction
from fewlabels.reproduction.aaai21 import table_9_published_code
from fewlabels.reproduction.aaai21.figure_15_published_bound import published_bound_mrr
from fewlabels.reproduction.aaai21.table_4 import harm_note, without_labels
from fewlabels.reproduction.aaai21.table_6 import TABLE_6
from fewlabels.reproduction.aaai21.table_7 import TABLE_7, pairwise_labels, superclass_pool
from fewlabels.reproduction.aaai21.table_9 import TABLE_9, Arm, online_runs
from fewlabels.reproduction.aaai21.table_9_published_code import BINS, Beliefs, _chosen, kept, online_mrr
from fewlabels.reproduction.aaai21.tables_3_5_8 import TABLE_3, TABLE_8
from fewlabels.reproduction.acis21 import figures_3_to_6_and_11, figures_7_8_12, figures_9_10, one_vs_rest
from fewlabels.reproduction.arxiv20.figure_6 import confusion_estimate
from fewlabels.reproduction.arxiv20.figures import edge_prior
from fewlabels.reproduction.base import (
    METHODS_AS_STATED,
    LabelledPool,
    Setup,
    best_note,
    confusion_counts,
    difference_rows,
    labelled,
    load_pool,
    load_superclasses,
    mean_scores,
    posterior,
    random_items,
)
from fewlabels.reproduction.drawing import draw
from fewlabels.reproduction.experiments import EXPERIMENTS
from fewlabels.reproduction.shapes import costs, curves
from fewlabels.reproduction.shapes.costs import cost_matrix
from fewlabels.simulation import run_seed
from small_pools import CLASSES, SUPERCLASSES, write_small_pools

REAL_SIZE = {
    "aaai-table-3",
    "aaai-table-3-imagenet",
    "aaai-table-5",
    "aaai-table-8",
}  # their budgets are those of the papers' pool
FEW_ITEMS = {"aaai-table-7"}  # which looks after every label of every pair

SPREAD_OVER_RUNS = {
    "acis-figure-3",
    "acis-figure-4",
    "acis-figure-5",
    "acis-figure-7",
    "acis-figure-8",
}  # one run has no variance


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_small_pools(tmp_path_factory.mktemp("pools"))


@pytest.fixture(scope="module")
def tiny_folder(tmp_path_factory):
    return write_small_pools(tmp_path_factory.mktemp("tiny"), items=60)


@pytest.fixture(scope="module")
def few_classes_folder(tmp_path_factory):
    """For experiments that go through the classes one by one."""
    return write_small_pools(tmp_path_factory.mktemp("few"), classes=6)


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in REAL_SIZE])
def test_every_experiment_runs_is_kept_and_is_drawn(
    name, folder, few_classes_folder, tiny_folder, tmp_path, monkeypatch
):
    monkeypatch.setattr(curves, "LOOKS", 6)
    monkeypatch.setattr(costs, "STEP", 120)
    for module in (one_vs_rest, figures_3_to_6_and_11, figures_7_8_12):
        monkeypatch.setattr(module, "BUDGETS", (10, 70, 100))
    monkeypatch.setattr(figures_9_10, "BUDGETS", (10, 30))
    monkeypatch.setattr(figures_7_8_12, "SIZES", (50, 100))
    runs = 2 if name in SPREAD_OVER_RUNS or ("table" in name and name not in FEW_ITEMS) else 1
    data = tiny_folder if name in FEW_ITEMS else few_classes_folder if name.startswith("acis") else folder
    found = fl.reproduce(name, data=data, runs=runs, workers=1)
    assert found.name == name
    again = Reproduction.from_json(json.loads(json.dumps(found.to_json(), allow_nan=False)))
    assert str(again) == str(found)
    assert found.rows or found.panels
    assert not any(np.isnan(row.ours) for row in found.rows)
    for panel in found.panels:
        if panel.y_label in ("MRR", "share of runs", "accuracy", "probability"):
            assert all(0 <= y <= 1 for curve in panel.curves for y in curve.y), panel.title
    if "figure" in name:
        draw(replace(found, panels=found.panels[:3]), tmp_path / "figure.svg")
        assert (tmp_path / "figure.svg").stat().st_size > 1000


def test_progress_is_told_of_each_simulation_and_of_no_later_one(folder):
    told = []
    fl.reproduce("aaai-table-6", data=folder, runs=2, workers=1, progress=lambda done, runs: told.append((done, runs)))
    assert told == [(1, 2), (2, 2)] * 2
    fl.reproduce("aaai-table-6", data=folder, runs=1, workers=1)
    assert len(told) == 4


def test_the_printed_numbers_are_those_published_beside_the_papers(data_folder):
    stored = json.loads((data_folder / "stored_table_results.json").read_text())
    assert stored["Table7"]["superclass_cifar100"] == list(TABLE_7["superclass"])
    assert stored["Table7"]["20newsgroup"] == list(TABLE_7["20news"])
    assert stored["Table9_ECE_pct"]["cifar100"] == [*TABLE_9[1], *TABLE_9[10]]
    places = stored["Table6_first_crossing_log_index (labels=(i+1)*10)"]
    for top, key in ((1, "top1"), (10, "topm")):
        index = [places[key]["cifar100"][i] for i in (1, 3, 5)]
        assert [round((i + 1) / 10, 1) for i in index] == list(TABLE_6[top])
    bins = next(value for key, value in stored.items() if key.startswith("score_equal_size"))["cifar100"]
    for place, labels in enumerate(("20", "50", "100")):
        printed = [TABLE_8[method][place] for method in ("UPrior", "IPrior", "IPrior+TS")]
        assert [bins[labels][i] for i in (0, 2, 3)] == pytest.approx(printed, abs=0.051)
    assert TABLE_3["UPrior"] == (30.7, 20.5, 13.3)


# ---------------------------------------------------------------------------------------------------------- Table 4


def test_the_printed_confusion_errors_need_no_label(data_folder):
    """1,000 runs: the column printed for UPrior, from the sizes of the classes and S = 0.0865 alone."""
    rows = without_labels(load_pool("cifar100-paper", data_folder), 1000, informed=False)
    assert [row.agrees for row in rows] == [True, True, True]


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


@pytest.mark.parametrize("informed", [False, True])
def test_the_arithmetic_of_the_artefact_is_that_of_its_rule(folder, informed):
    pool = load_pool("cifar100-wrn", folder)
    rows = without_labels(pool, 2, informed=informed)
    for row, per_class in zip(rows, (2, 5, 10), strict=True):
        runs = [slow_artefact(pool, per_class * 20, run, informed) for run in range(2)]
        assert row.ours == pytest.approx(np.mean(runs), abs=1e-5)  # 1e-6 is no strength at all


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
    labels, right = pairwise_labels(pool, Setup(tiny_folder, 2, 1))
    assert labels.shape == right.shape == (12, 3)
    a, b = list(combinations(pool.classes, 2))[1]
    question = fl.Compare("accuracy", "predicted_class", a, b)
    most = int(np.isin(np.array(pool.classes)[labelled(pool).predicted], [a, b]).sum())
    result = fl.simulate(pool, None, question, ["iprior"], range(1, most + 1), 2, 1, target="population", workers=1)
    assert labels[2:4, 1] == pytest.approx(result.labels_until_per_run("iprior", "lambda_right"))
    assert right[2:4, 1] == pytest.approx(result.of("iprior", "direction")[:, min(100, most) - 1])


@pytest.mark.parametrize("prior", ["uprior2", "iprior", "iprior+ts"])
def test_no_label_that_makes_lambda_right_is_passed_over(folder, prior):
    pool = superclass_pool(Setup(folder, 1, 1))
    labels, _ = pairwise_labels(pool, Setup(folder, 1, 1))
    place = list(METHODS_AS_STATED.values()).index(prior)
    for seed, (a, b) in enumerate(combinations(pool.classes, 2)):
        question = fl.Compare("accuracy", "predicted_class", a, b)
        most = int(np.isin(np.array(pool.classes)[labelled(pool).predicted], [a, b]).sum())
        result = fl.simulate(pool, None, question, [prior], range(1, most + 1), 1, seed, target="population", workers=1)
        assert labels[seed, place] == result.labels_until_per_run(prior, "lambda_right")[0]


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
        online_runs(Setup(None, 30, workers, lambda *numbers: told.append(numbers)), items) for workers in (1, 2)
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


# ---------------------------------------------------------------------------------------------------------- figures


@pytest.mark.parametrize("question", [fl.Estimate("accuracy", by="predicted_class"), fl.Estimate("calibration_error")])
@pytest.mark.parametrize("prior", ["flat", "scores"])
def test_a_posterior_is_what_a_study_told_the_same_labels_answers(folder, question, prior):
    pool = load_pool("20news", folder)
    items = random_items(pool, 90)
    study = fl.create_study(pool, question, prior=prior, target="population", estimator="beta")
    study.tell({int(i): pool.known_labels[i] for i in items}, drawn="uniform")
    ours, theirs = posterior(pool, question, 90, prior).findings, study.answer().findings
    assert [f.group for f in ours] == [f.group for f in theirs]
    for one, other in zip(ours, theirs, strict=True):
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=1e-9)


@pytest.mark.parametrize("top", [1, 3])
def test_the_published_bound_takes_the_class_of_highest_mean_plus_variance(folder, top):
    """Label by label in plain Python, items in the order of the runs of `fl.simulate`."""
    pool, budgets = load_pool("20news", folder), [7, 30, 90]
    question = fl.Identify("accuracy", by="predicted_class", top=top)
    found = published_bound_mrr(pool, question, budgets, 2)
    known = labelled(pool)
    truth = np.argsort([known.right[known.predicted == k].mean() for k in range(known.n_classes)], kind="stable")
    for number in range(2):
        order = np.argsort(item_order(run_seed(0, number), pool.engine.hashes), kind="stable")
        queue = {k: [int(i) for i in order if known.predicted[i] == k] for k in range(known.n_classes)}
        a, b, labels = dict.fromkeys(queue, 1.0), dict.fromkeys(queue, 1.0), 0
        for place, budget in enumerate(budgets):
            while labels < budget:
                bound = {k: a[k] / (a[k] + b[k]) + beta_distribution(a[k], b[k]).var() for k in queue if queue[k]}
                for k in sorted(bound, key=lambda k: (-round(bound[k], 12), k))[: min(top, budget - labels)]:
                    right = known.right[queue[k].pop(0)]
                    a[k], b[k], labels = a[k] + 1 - right, b[k] + right, labels + 1
            ranked = sorted(queue, key=lambda k: (-round(a[k] / (a[k] + b[k]), 12), k))
            ahead = [sum(h not in truth[:top] for h in ranked[: ranked.index(k)]) for k in truth[:top]]
            assert found[number, place] == pytest.approx(np.mean([1 / (1 + n) for n in ahead]))


def test_curves_are_compared_by_their_mean_heights_run_by_run(folder):
    pool = load_pool("20news", folder)
    question = fl.Identify("accuracy", by="predicted_class")
    result = fl.simulate(pool, None, question, ["iprior+ts", "uprior"], [20, 60], 5, measures=["mrr"], workers=1)
    (row,) = difference_rows("P", result, "mrr")
    heights = result.values[:, :, :, 0].mean(axis=2)
    assert row.what == "P: iprior+ts − uprior"
    assert row.ours == pytest.approx((heights[:, 0] - heights[:, 1]).mean())
    assert row.se == pytest.approx((heights[:, 0] - heights[:, 1]).std(ddof=1) / 5**0.5)


def test_the_best_method_is_named_with_the_next_and_a_p_value(folder):
    pool = load_pool("20news", folder)
    question = fl.Estimate("accuracy", by="predicted_class")
    result = fl.simulate(pool, None, question, ["uprior", "iprior"], [12, 60], 12, measures=["rmse"], workers=1)
    note = best_note("this pool", result, {"U": "uprior", "I": "iprior"}, [12])
    best = result.best("rmse", 12)
    named, other = {"uprior": "U", "iprior": "I"}[best.method], {"uprior": "U", "iprior": "I"}[best.next]
    shown = "< 0.001" if best.p_value < 0.001 else f"= {best.p_value:.3f}"
    assert f": {named} at 12 (next {other}, p {shown})." in note


def test_random_items_of_fewer_are_the_first_of_more(folder):
    pool = load_pool("20news", folder)
    assert random_items(pool, 50).tolist() == random_items(pool, None)[:50].tolist()
    assert sorted(random_items(pool, None).tolist()) == list(range(len(pool)))


def test_the_usual_calibration_error_of_all_items_is_the_exact_one(folder):
    pool = load_pool("20news", folder)
    question = fl.Estimate("calibration_error")
    result = fl.simulate(pool, None, question, ["frequency"], [len(pool)], 1, measures=["mean_estimate"], workers=1)
    assert labelled(pool).calibration_error() == pytest.approx(result.values[0, 0, 0, 0], abs=1e-6)


def test_the_prior_of_the_first_versions_diagrams_is_at_the_upper_edges(folder):
    pool = load_pool("20news", folder)
    prior = edge_prior(pool)
    names = posterior(pool, fl.Estimate("accuracy", by=ScoreBins()), 0).view.groups.labels
    means = prior.for_groups(tuple((name,) for name in names))
    bins = np.unique(labelled(pool).bins(10))
    assert means == pytest.approx((bins + 1) / 10)
    assert prior.strength == 1.0


def test_of_several_models_the_figures_show_the_named_one(folder):
    pool = load_pool("imagenet", folder)
    assert pool.models == ("other", "tv_resnet101")
    assert len(labelled(pool)) == len(pool)
