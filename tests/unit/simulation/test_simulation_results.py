"""What the result of a simulation says: frames, thresholds, crossings, the best method."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import wilcoxon

import fewlabels as fl
from fewlabels.simulation import crossing
from simulated_runs import ACCURACY, SEXES, WORST


def result_of(values: Any, methods: tuple[str, ...] = ("a", "b"), measure: str = "mrr") -> fl.SimulationResult:
    """Values (n_runs, n_methods, n_budgets) at budgets 10, 20, …"""
    table = np.array(values, dtype=float)[..., None]
    return fl.SimulationResult("q", methods, tuple(range(10, 10 * table.shape[2] + 1, 10)), (measure,), table)


def test_the_frame_has_a_row_a_method_budget_and_measure(pool):
    result = fl.simulate(pool, None, ACCURACY, ["uprior", "iprior"], [30, 60], 7, measures=["rmse", "width"], workers=1)
    frame = result.to_frame()
    assert list(frame.columns) == ["method", "labels", "measure", "mean", "se", "runs"]
    assert len(frame) == 8
    row = frame[(frame.method == "iprior") & (frame.labels == 60) & (frame.measure == "width")].iloc[0]
    values = result.values[:, 1, 1, 1]
    assert row["mean"] == pytest.approx(sum(values) / 7)
    assert row["se"] == pytest.approx((sum((v - row["mean"]) ** 2 for v in values) / 6 / 7) ** 0.5)
    assert row["runs"] == 7
    assert "means of 7 runs" in str(result)


def test_a_single_run_has_no_standard_error():
    assert np.isnan(result_of([[[0.5]]], ("a",)).to_dicts()[0]["se"])


def test_labels_until_a_threshold_by_run_and_by_the_average():
    """Runs cross at 10, 30 and never; the average (0.63, 0.57, 0.73) exceeds 0.7 at 30 and 0.6 at once."""
    result = result_of([[[0.9, 0.6, 0.9]], [[0.5, 0.5, 0.9]], [[0.5, 0.6, 0.4]]], ("a",))
    assert result.labels_until("a", "mrr", 0.7) == 30
    assert result.labels_until("a", "mrr", 0.6) == 10
    assert result.labels_until("a", "mrr", 0.95) is None
    per_run = result.labels_until_per_run("a", "mrr", 0.8)
    assert per_run[:2].tolist() == [10, 30]
    assert np.isnan(per_run[2])


def test_a_threshold_must_be_exceeded_not_reached():
    result = result_of([[[0.5, 1.0]]], ("a",))
    assert result.labels_until("a", "mrr", 0.5) == 20
    assert result.labels_until_per_run("a", "mrr").tolist() == [20]


def test_a_crossing_comes_with_a_bootstrap_interval_in_which_never_may_be_an_end():
    """Half the runs pass at 20, half at 30: the average passes 0.9 at 30, in a resample of early runs only at 20."""
    early, late = [0.1, 1.0, 1.0], [0.1, 0.2, 1.0]
    result = result_of([[early], [late]] * 3, ("a",))
    found = result.crossing("a", "mrr", 0.9)
    assert (found.labels, found.low, found.high, found.level) == (30, 20, 30, 0.99)
    assert result_of([[early], [late]] * 3, ("a",)).crossing("a", "mrr", 1.0).labels == np.inf
    one_of_two = result_of([[early], [[0.1, 0.1, 0.1]]], ("a",)).crossing("a", "mrr", 0.5)
    assert (one_of_two.labels, one_of_two.high) == (20, np.inf)


def test_a_crossing_below_a_share_of_the_highest_is_that_of_the_published_code():
    values = np.array([[0.2, 0.5, 0.5]])
    assert crossing(values, np.array([10.0, 20.0, 30.0]), 0.99).labels == np.inf
    assert crossing(values, np.array([10.0, 20.0, 30.0]), 0.99, of_highest=True).labels == 20


def test_the_mean_estimate_is_what_a_study_reports_of_calibration_error(pool):
    result = fl.simulate(pool, None, fl.Estimate("calibration_error"), ["iprior"], [40], 2, workers=1,
                         measures=["mean_estimate", "ece_error_of_mean"], target="population")  # fmt: skip
    study_of_all = fl.simulate(pool, None, fl.Estimate("calibration_error"), ["frequency"], [240], 1, workers=1,
                               measures=["mean_estimate"])  # fmt: skip
    truth = study_of_all.values[0, 0, 0, 0]
    estimate, error = result.values[:, 0, 0, 0], result.values[:, 0, 0, 1]
    assert 100 * np.abs(estimate - truth) / truth == pytest.approx(error)


def test_where_no_run_is_short_any_more_the_upper_end_of_a_crossing_is_not_known():
    """Ten runs of which all must be right for the average to exceed 0.99: the crossing is the last run's."""
    values = (np.arange(10)[:, None] < np.array([9, 10, 10])).astype(float)
    found = crossing(values, np.array([10.0, 20.0, 30.0]), 0.99)
    assert (found.labels, found.high) == (20, np.inf)
    assert crossing(values[:, :2], np.array([10.0, 20.0]), 0.99).high == 20  # nothing is left to label
    assert crossing(np.repeat(values, 100, axis=0), np.array([10.0, 20.0, 30.0]), 0.85).high == 10


def test_the_crossing_of_fewer_runs_is_less_sure():
    """One run in fifty is late: all 400 runs cross early or late as its share falls, and ten without it cross early."""
    values = np.stack([np.arange(400) % 50 > 0, np.ones(400)], axis=1).astype(float)
    budgets = np.array([10.0, 20.0])
    all_of_them, ten = crossing(values, budgets, 0.97), crossing(values, budgets, 0.97, of=10)
    assert (all_of_them.labels, all_of_them.low) == (ten.labels, ten.low) == (10, 10)
    assert crossing(values, budgets, 0.9).high == 10
    assert crossing(values, budgets, 0.9, of=10).high == 20


def test_values_that_differ_by_rounding_are_equal():
    values = np.array([[[[0.3]], [[0.3 + 1e-7]], [[0.5]]], [[[0.4]], [[0.4 + 1e-7]], [[0.6]]]])
    result = fl.SimulationResult("q", ("a", "b", "c"), (10,), ("rmse",), values)
    assert result.best("rmse", 10) is None
    assert result.p_value("a", "b", "rmse", 10) == 1
    assert result.p_value("a", "c", "rmse", 10) < 1


def test_the_usual_methods_are_the_papers(pool):
    def names(question):
        return fl.simulate(pool, None, question, budgets=[20], runs=1, workers=1).methods

    assert names(ACCURACY) == names(WORST) == names(fl.Estimate("accuracy")) == ("uprior", "iprior", "iprior+ts")
    assert names(fl.Estimate("f1", positive="class-1")) == ("rand", "sawade", "acis")
    assert fl.simulate(pool, None, ACCURACY, "iprior", [20], 1, workers=1).methods == ("iprior",)


def test_labels_needed_first_for_good_and_by_the_average():
    """Three runs, looked at four times: one is lucky at first, one never gets there under method b."""
    passes = np.array(
        [[[1, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]], [[1, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0]]], dtype=float
    )
    values = np.stack([passes, 1 - passes], axis=-1).swapaxes(0, 1)
    result = fl.SimulationResult("q", ("a", "b"), (10, 20, 30, 40), ("success", "rmse"), values)
    for name in ("success", "rmse"):  # an error has to fall
        a, b = result.needed(name, 0.5)
        assert (a.first, a.settled) == pytest.approx(((10 + 20 + 40) / 3, (30 + 20 + 40) / 3))
        assert a.first_se == pytest.approx(np.std([10, 20, 40], ddof=1) / 3**0.5)
        assert a.average.labels == result.labels_until("a", name, 0.5) == 30
        assert (b.first, b.settled) == (np.inf, np.inf)
        assert (a.reached, b.reached) == pytest.approx((1, 2 / 3))
        assert np.isnan(b.first_se)


def test_without_budgets_a_run_is_looked_at_to_the_last_item_asked_about_and_more_often_at_first(pool):
    question = fl.Compare("accuracy", by="predicted_class", a="class-0", b="class-5")
    result = fl.simulate(pool, None, question, ["iprior"], None, runs=2, workers=1)
    size = np.bincount(pool.engine.models["model"].predicted)
    assert result.budgets[-1] == size[0] + size[5]
    whole = fl.simulate(pool, None, ACCURACY, ["iprior"], None, runs=1, measures=["rmse"], workers=1).budgets
    assert whole[:24] == tuple(range(1, 25))
    assert max(np.diff(whole)) == 3
    assert whole[-1] == 240


def test_labels_until_lambda_is_right_in_each_run(pool):
    result = fl.simulate(pool, None, SEXES, ["iprior"], list(range(0, 241, 20)), runs=5, workers=1)
    until = result.labels_until_per_run("iprior", "lambda_right")
    for run, labels in enumerate(until):
        right = result.of("iprior", "lambda_right")[run]
        assert labels == next((b for b, r in zip(result.budgets, right, strict=True) if r == 1), None)


def test_the_best_method_is_judged_on_paired_runs():
    rng = np.random.default_rng(0)
    order = rng.normal(0.5, 0.2, 40)
    values = np.stack([order, order + 0.02 + rng.normal(0, 0.01, 40)], axis=1)[:, :, None]
    high, low = (result_of(values, measure=measure).best(measure, 10) for measure in ("mrr", "rmse"))
    assert (high.method, high.next, low.method) == ("b", "a", "a")
    assert high.p_value == low.p_value == pytest.approx(wilcoxon(values[:, 0, 0], values[:, 1, 0]).pvalue)
    assert high.clear


def test_no_method_is_best_where_none_is_better():
    assert result_of([[[0.5], [0.5]]] * 3).best("mrr", 10) is None
    assert result_of([[[0.5]]] * 3, ("a",)).best("mrr", 10) is None
    assert result_of([[[0.5], [0.6]]] * 3, measure="coverage").best("coverage", 10) is None
    unclear = result_of([[[0.5], [0.6]], [[0.5], [0.45]], [[0.5], [0.5]]]).best("mrr", 10)
    assert unclear is not None
    assert not unclear.clear


def test_a_result_names_what_it_has():
    with pytest.raises(fl.QuestionError, match="no 'c'; it has a, b"):
        result_of([[[0.5], [0.6]]]).of("c", "mrr")
