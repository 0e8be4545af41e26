"""Simulations: a run is a live study, and wrong arguments are refused in words."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.keyed import item_order
from fewlabels.simulation import run_seed
from fewlabels.simulation.measures import point
from fewlabels.simulation.methods import presets
from fewlabels.simulation.run import run_plain
from simulated_runs import ACCURACY, CALIBRATION, CONFUSION, COST, SEXES, TPR, WORST, WORST_3, job_of, truth_and_trace

# -- a run is a live study -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "method"),
    [
        *((ACCURACY, name) for name in ("frequency", "uprior", "iprior", "iprior+ts", "uniform_groups", "auto")),
        *((WORST, name) for name in ("iprior", "uprior+ts", "top_two", "epsilon_greedy", "upper_bound")),
        *((WORST_3, name) for name in ("uprior2", "iprior+ts", "epsilon_greedy", "uniform_groups")),
        *((SEXES, name) for name in ("iprior", "iprior+ts")),
        (fl.Compare("accuracy", by="predicted_class", a="class-4", b="class-0"), "iprior+ts"),
        (CALIBRATION, "iprior+ts"),
        (fl.Identify(fl.CalibrationError(fl.ScoreBins(4)), by="predicted_class", top=2), "iprior+ts"),
        (CONFUSION, "uprior"),
        (CONFUSION, "iprior+ts"),
        (COST, "iprior+ts"),
        (TPR, "uprior+ts"),
        (fl.Estimate("accuracy", by="true_class"), "iprior+ts"),
        (fl.Estimate("accuracy", by=("sex", "predicted_class")), fl.Method("thompson", prior=fl.Prior(0.8, 10))),
    ],
    ids=lambda value: value if isinstance(value, str) else getattr(value, "kind", "method"),
)
def test_a_run_asks_for_the_items_a_live_study_of_its_seed_asks_for(pool, question, method):
    """Query by query: the same cell, the same item in it, the same counts after its label."""
    labels, seed = 70, run_seed(5, 3)
    job = job_of(pool, question, [method], list(range(labels + 1)))
    counts = run_plain(job.assessments[0], job.known[0].deal(seed), job.budgets, seed).counts
    named = method if isinstance(method, fl.Method) else presets()[method]
    live = fl.create_study(pool, question, strategy=named.strategy, estimator=named.estimator, prior=named.prior,
                           prior_strength=named.prior_strength, seed=seed)  # fmt: skip
    order = np.lexsort((item_order(seed, job.known[0].hashes), job.known[0].cell))
    dealt = [list(np.array(pool.ids)[order][job.known[0].cell[order] == c]) for c in range(job.known[0].cells.count)]
    seen = np.zeros_like(counts[0])
    for place in range(labels):
        (query,) = live.ask()
        (cell,) = np.flatnonzero((counts[place + 1] - counts[place]).any(axis=1))
        assert query.cell == cell
        assert query.item == dealt[cell].pop(0)
        label = pool.known_labels[query.item]
        live.tell(query, label)
        seen[cell, column(job, query.predicted, label)] += 1
        assert (counts[place + 1] == seen).all()


def column(job: Any, predicted: str, label: str) -> int:
    """Where a label is counted: hits, then misses; or at its class."""
    outcome = job.assessments[0].outcome
    true = job.assessments[0].true_classes.index(label)
    said = job.assessments[0].true_classes.index(predicted)
    return int(outcome.codes(np.array([true]), np.array([said]))[0])


@pytest.mark.parametrize("target", ["pool", "population"])
@pytest.mark.parametrize("question", [ACCURACY, CONFUSION, COST], ids=["accuracy", "confusion", "cost"])
def test_the_estimates_measured_are_those_a_live_study_answers_with(pool, question, target):
    truth, (belief,) = truth_and_trace(pool, question, "iprior+ts", [50], target=target)
    live = fl.create_study(pool, question, strategy="thompson", seed=run_seed(5, 0), target=target)
    for _ in range(50):
        (query,) = live.ask()
        live.tell(query, pool.known_labels[query.item])
    found = {finding.group: finding.value for finding in live.answer().findings}
    names = truth.assessment.metric.rows(truth.assessment.view).names
    assert point(truth.assessment, belief) == pytest.approx([found[name] for name in names])


# -- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"methods": ["iprior+tss"]}, "unknown method 'iprior\\+tss'; known are frequency"),
        ({"methods": []}, "no methods to compare"),
        ({"methods": ["iprior", "iprior"]}, "two methods are called 'iprior'"),
        ({"methods": ["top_two"]}, "top=1"),
        ({"methods": [fl.Method("best")]}, "unknown strategy 'best'"),
        ({"budgets": []}, "budgets are whole numbers"),
        ({"budgets": [0.5]}, "budgets are whole numbers"),
        ({"budgets": [-1]}, "budgets are whole numbers"),
        ({"budgets": 30}, None),
        ({"budgets": [241]}, "241 labels is more than the 240 items"),
        ({"question": fl.Compare("accuracy", "predicted_class", "class-0", "class-5"), "budgets": [81]}, "80 items"),
        ({"runs": 0}, "runs and workers are whole numbers"),
        ({"runs": 2.5}, "2.5 runs"),
        ({"workers": 0}, "0 workers"),
        ({"measures": ["rsme"]}, "unknown measure 'rsme'; known are rmse"),
        ({"measures": ["mrr"]}, "'mrr' is for fl.Identify"),
        ({"measures": ["lambda_right"]}, "'lambda_right' is for fl.Compare"),
        ({"measures": ["ece_error"]}, "'ece_error' is for the metric 'calibration_error'"),
        ({"measures": "rmse"}, "a list of different names"),
        ({"measures": []}, "a list of different names"),
        ({"target": "everyone"}, "target is 'pool'"),
        ({"seed": -1}, "seed is a whole number"),
        ({"model": "lr"}, "no model 'lr'"),
        ({"question": "accuracy"}, "a question is fl.Estimate"),
        ({"pool": "predictions.csv"}, "a simulation needs a pool, made by"),
        ({"labels": ["class-0"] * 239}, "239 entries and the pool 240 items"),
        ({"labels": ["class-0"] * 239 + [None]}, "item 239 has no label"),
        ({"labels": {0: "class-1"}}, "item 1 has no label"),
        ({"labels": ["class-9"] * 240}, "unknown label 'class-9'"),
    ],
)
def test_wrong_arguments_are_refused_in_words(pool, changed, words):
    right: dict[str, Any] = {"pool": pool, "labels": None, "question": ACCURACY, "methods": ["iprior"]}
    right |= {"budgets": [30], "runs": 1, "workers": 1}
    if words is None:
        assert fl.simulate(**{**right, **changed}).budgets == (30,)
        return
    with pytest.raises(fl.FewlabelsError, match=words):
        fl.simulate(**{**right, **changed})


def test_a_pool_without_labels_needs_some(pool):
    bare = replace(pool, engine=replace(pool.engine, labels=None))
    with pytest.raises(fl.PoolError, match="needs the true labels"):
        fl.simulate(bare, None, ACCURACY, budgets=[10], workers=1)
    by_item = dict(zip(pool.ids, pool.known_labels, strict=True))
    ways = [(pool, None), (bare, by_item), (bare, list(pool.known_labels)), (bare, pool.known_labels)]
    found = [fl.simulate(p, labels, ACCURACY, ["iprior"], [10], 2, workers=1).values for p, labels in ways]
    assert all((values == found[0]).all() for values in found)


def test_of_several_models_one_is_named(pool):
    both = fl.Pool.join({"lr": pool, "nb": pool})
    with pytest.raises(fl.QuestionError, match="several models"):
        fl.simulate(both, None, ACCURACY, budgets=[10], workers=1)
    one = fl.simulate(both, None, ACCURACY, ["iprior"], [10], 2, model="nb", workers=1)
    assert (one.values == fl.simulate(pool, None, ACCURACY, ["iprior"], [10], 2, workers=1).values).all()


def test_settings_of_a_resumed_simulation_can_be_read(pool, tmp_path):
    fl.simulate(pool, None, ACCURACY, ["iprior"], [10], 1, workers=1, resume=tmp_path)
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert plan["budgets"] == [10]
    assert plan["measures"] == ["rmse", "coverage", "width"]
