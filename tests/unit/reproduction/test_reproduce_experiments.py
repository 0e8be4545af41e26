"""Every table and figure runs on small pools; the figures' parts are held to slow loops and to live studies."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta as beta_distribution

import fewlabels as fl
from fewlabels.core.groups import ScoreBins
from fewlabels.core.keyed import item_order
from fewlabels.reproduction import Reproduction
from fewlabels.reproduction.aaai21.figure_15_published_bound import published_bound_mrr
from fewlabels.reproduction.aaai21.table_6 import TABLE_6
from fewlabels.reproduction.aaai21.table_7 import TABLE_7
from fewlabels.reproduction.aaai21.table_9 import TABLE_9
from fewlabels.reproduction.aaai21.tables_3_5_8 import TABLE_3, TABLE_5, TABLE_8
from fewlabels.reproduction.acis21 import (
    figure_2_rounds,
    figures_3_to_6_and_11,
    figures_7_8_12,
    figures_9_10,
    one_vs_rest,
)
from fewlabels.reproduction.arxiv20.figures import edge_prior
from fewlabels.reproduction.base import (
    best_note,
    difference_rows,
    labelled,
    load_pool,
    posterior,
    random_items,
)
from fewlabels.reproduction.drawing import draw
from fewlabels.reproduction.experiments import EXPERIMENTS
from fewlabels.reproduction.shapes import costs, curves
from fewlabels.simulation import run_seed
from figure_structure import STRUCTURE, structure_of

REAL_SIZE = {
    "aaai-table-5",
    "aaai-table-8",
}  # their budgets are those of the papers' pools
FEW_PAIRS = {"aaai-table-7"}  # which looks after every label of every pair

SPREAD_OVER_RUNS = {
    "acis-figure-3",
    "acis-figure-4",
    "acis-figure-5",
    "acis-figure-7",
    "acis-figure-8",
}  # one run has no variance


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in REAL_SIZE])
def test_every_experiment_runs_is_kept_and_is_drawn(
    name, folder, few_classes_folder, few_pairs_folder, tmp_path, monkeypatch
):
    monkeypatch.setattr(curves, "LOOKS", 6)
    monkeypatch.setattr(costs, "STEP", 120)
    for module in (one_vs_rest, figures_3_to_6_and_11, figures_7_8_12):
        monkeypatch.setattr(module, "BUDGETS", (10, 70, 100))
    monkeypatch.setattr(figures_9_10, "BUDGETS", (10, 70))
    monkeypatch.setattr(figure_2_rounds, "LABELS", (10, 30, 40, 50))
    monkeypatch.setattr(figures_7_8_12, "SIZES", (50, 100))
    runs = 2 if name in SPREAD_OVER_RUNS or ("table" in name and name not in FEW_PAIRS) else 1
    data = few_pairs_folder if name in FEW_PAIRS else few_classes_folder if name.startswith("acis") else folder
    found = fl.reproduce(name, data=data, runs=runs, workers=1)
    assert found.name == name
    again = Reproduction.from_json(json.loads(json.dumps(found.to_json(), allow_nan=False)))
    assert str(again) == str(found)
    assert found.rows or found.panels
    assert not any(np.isnan(row.ours) for row in found.rows)
    if name in STRUCTURE:
        assert structure_of(found) == STRUCTURE[name]
    if name == "acis-figure-10":  # a colour each, its own labels dashed
        assert len({curve.shade for curve in found.panels[0].curves}) == 6
        assert all(curve.dashed == curve.name.endswith("own labels") for curve in found.panels[0].curves)
    for panel in found.panels:
        if panel.y_label in ("MRR", "share of runs", "accuracy", "probability"):
            assert all(0 <= y <= 1 for curve in panel.curves for y in curve.y), panel.title
    if "figure" in name:
        draw(replace(found, panels=found.panels[:3]), tmp_path / "figure.svg")
        assert (tmp_path / "figure.svg").stat().st_size > 1000


def test_progress_is_told_of_each_simulation_and_of_no_later_one(folder):
    told = []
    fl.reproduce("aaai-table-6", data=folder, runs=2, workers=1, progress=lambda done, runs: told.append((done, runs)))
    assert told == [(1, 2), (2, 2)] * 10  # five data sets, one class and several
    fl.reproduce("aaai-table-6", data=folder, runs=1, workers=1)
    assert len(told) == 20


def test_the_printed_numbers_are_those_published_beside_the_papers(data_folder):
    stored = json.loads((data_folder / "stored_table_results.json").read_text())
    assert stored["Table7"]["superclass_cifar100"] == list(TABLE_7["superclass"])
    assert stored["Table7"]["20newsgroup"] == list(TABLE_7["20news"])
    for ours, theirs in (("cifar100-paper", "cifar100"), ("svhn", "svhn"), ("imagenet", "imagenet")):
        assert stored["Table9_ECE_pct"][theirs] == [*TABLE_9[ours][0], *TABLE_9[ours][1]]
    assert stored["Table7"]["svhn"] == list(TABLE_7["svhn"])
    places = stored["Table6_first_crossing_log_index (labels=(i+1)*10)"]
    for which, key in enumerate(("top1", "topm")):
        for ours, theirs, size in (("cifar100-paper", "cifar100", 10_000), ("svhn", "svhn", 26_032)):
            index = [places[key][theirs][i] for i in (1, 3, 5)]
            shares = [min(round(1000 * (i + 1) / size, 1), 100.0) for i in index]
            assert shares == list(TABLE_6[ours][which])
    bins = next(value for key, value in stored.items() if key.startswith("score_equal_size"))
    for place, labels in enumerate(("20", "50", "100")):
        for ours, theirs in (("cifar100-paper", "cifar100"), ("svhn", "svhn"), ("banking77", "dbpedia")):
            printed = [TABLE_8[ours][method][place] for method in ("UPrior", "IPrior", "IPrior+TS")]
            assert [bins[theirs][labels][i] for i in (0, 2, 3)] == pytest.approx(printed, abs=0.051)
    errors = next(value for key, value in stored.items() if key.startswith("ECE_percent_error"))
    for ours, theirs in (("imagenet", "imagenet"), ("svhn", "svhn"), ("20news", "20newsgroup")):
        for place in range(3):
            printed = [TABLE_5[ours][method][place] for method in ("UPrior", "IPrior", "IPrior+TS")]
            assert errors[theirs][place] == pytest.approx(printed, abs=0.051)
    assert TABLE_3["cifar100-paper"]["UPrior"] == (30.7, 20.5, 13.3)


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
