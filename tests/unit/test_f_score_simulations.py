"""Simulated runs and measures of F-scores are those of live studies."""

import sys

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.keyed import item_order
from fewlabels.simulation import run_seed
from fewlabels.simulation.methods import presets
from fewlabels.simulation.run import run_draws
from fraud_studies import F1, PRECISION, exact, label, outputs, pool, study_of, tell

prepare = sys.modules["fewlabels.simulation.simulate"].prepare  # the package has a function of the module's name


OF_MODELS = ("paired", "contrast")
SIMULATED = [
    name for name, method in presets().items() if method.strategy != "top_two" and method.estimator not in OF_MODELS
]
BY_DRAWS = [
    name
    for name in SIMULATED
    if fl.StudySettings(
        F1, strategy=presets()[name].strategy, estimator=presets()[name].estimator
    ).estimator_used.reads_draws
]


@pytest.mark.parametrize("method", BY_DRAWS)
@pytest.mark.parametrize("question", [F1, PRECISION, fl.Estimate(fl.FCurve("fraud", (0.2, 0.5)))])
def test_a_simulated_run_is_a_live_study_of_its_seed(method, question):
    """Query by query where labels cost something, and in every estimate on the way."""
    named, labels = presets()[method], 26
    job = prepare(pool(), None, question, [named], np.arange(1, labels + 1), 5, None, ("pool", 0.95, None))
    seed, known, assessment = run_seed(5, 2), job.known[0], job.assessments[0]
    noted = run_draws(assessment, known.deal(seed), job.budgets, seed)
    order = np.lexsort((item_order(seed, known.hashes), known.cell))
    live = study_of(question, strategy=named.strategy, estimator=named.estimator, seed=seed, budget=labels)
    for upto, evidence in enumerate(noted, 1):
        tell(live, live.ask(1))
        mine = live._history.evidence()
        assert evidence.count == mine.count == upto
        assert [int(order[place]) for place in evidence.items[:upto]] == list(mine.items)
        assert (evidence.label == mine.label).all()
        np.testing.assert_array_equal(evidence.draws.row, mine.draws.row)
        np.testing.assert_array_equal(evidence.draws.round, mine.draws.round)
        np.testing.assert_allclose(evidence.draws.probability, mine.draws.probability, rtol=1e-14)


@pytest.mark.parametrize("method", ["acis", "auto"])
def test_the_measures_of_a_simulation_are_those_of_live_studies(method):
    measures = ["mse", "bias", "estimate", "coverage", "width", "variance"]
    found = fl.simulate(pool(), None, F1, [method], [25, 60], runs=2, seed=5, measures=measures, workers=1)
    truth = exact(0.5, *outputs())
    for number in range(2):
        live = study_of(seed=run_seed(5, number), budget=60, strategy=method)
        for place, labels in enumerate((25, 60)):
            label(live, labels - len(live.labels))
            answer = live.answer()
            overall = answer.overall
            expected = {
                "mse": (overall.value - truth) ** 2,
                "bias": overall.value - truth,
                "estimate": overall.value,
                "coverage": float(overall.low <= truth <= overall.high),
                "width": overall.high - overall.low,
                "variance": answer.extra[0]["variance"],
            }
            for name, value in expected.items():
                assert found.of(method, name)[number, place] == pytest.approx(value, abs=1e-12), name


def test_every_measure_for_estimates_works_for_f_scores():
    for measure in ("rmse", "mse", "bias", "variance", "estimate", "coverage", "width", "scaled_rmse"):
        found = fl.simulate(pool(), None, F1, ["acis", "rand"], [20], runs=2, measures=[measure], workers=1)
        assert np.isfinite(found.values).all(), measure


def test_methods_that_draw_alike_share_their_draws_and_find_what_each_finds_alone():
    names = ["acis", "acis_last", "rand", "iso", "acis_no_mixing", "acis_printed"]
    methods = [presets()[name] for name in names]
    together = prepare(pool(), None, F1, methods, np.array([20, 45]), 5, ["mse", "coverage"])
    assert together.drawn_as == (0, 0, 2, 2, 4, 5)
    for place, method in enumerate(methods):
        alone = prepare(pool(), None, F1, [method], np.array([20, 45]), 5, ["mse", "coverage"])
        np.testing.assert_array_equal(together.run(1)[place], alone.run(1)[0], names[place])


def test_methods_whose_estimator_is_chosen_by_share_nothing():
    question = fl.Identify("accuracy", by="predicted_class")
    methods = [fl.Method("thompson", "beta", "flat"), fl.Method("thompson", "hierarchical")]
    assert prepare(pool(), None, question, methods, np.array([20]), 5, None).drawn_as == (0, 1)
