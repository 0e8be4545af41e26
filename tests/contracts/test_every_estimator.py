"""What every estimator promises: exact on a fully labelled pool, blind to order, narrower with more labels."""

import math
from dataclasses import replace

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.estimators import ESTIMATORS, names
from fewlabels.reading.answer import answer
from fewlabels.strategies import Design
from fewlabels.testing import estimators as promises
from fewlabels.testing import f_estimators as f_promises
from fewlabels.testing.estimators import assessment_of, evidence_of
from fewlabels.testing.promises import same_after_it_was_kept
from fewlabels.testing.world import World

QUESTIONS = {**promises.RATES, **promises.SHARES}
BY_CLASS = QUESTIONS["accuracy by class"]
N = promises.ITEMS
every_estimator = pytest.mark.parametrize("estimator", names(draws=False))
every_question = pytest.mark.parametrize("name", QUESTIONS)
every_target = pytest.mark.parametrize("target", ["pool", "population"])


@pytest.mark.usefixtures("fewer_draws")
@every_estimator
@every_question
def test_a_fully_labelled_pool_is_known_exactly(estimator, name):
    promises.exact_once_all_is_labelled(estimator, QUESTIONS[name])


@pytest.mark.usefixtures("fewer_draws")
@every_estimator
@every_question
def test_the_order_of_the_evidence_does_not_matter(estimator, name):
    promises.blind_to_the_order_of_labels(estimator, QUESTIONS[name])


@pytest.mark.usefixtures("fewer_draws")
@every_estimator
@every_question
def test_labels_are_counted_once_each_and_the_prior_is_not_counted_as_labels(estimator, name):
    promises.labels_counted_once(estimator, QUESTIONS[name])


@pytest.mark.usefixtures("fewer_draws", "compiled_fits")
@every_estimator
@every_question
@every_target
def test_more_labels_narrow_the_intervals_on_average(estimator, name, target):
    promises.narrower_with_more_labels(estimator, QUESTIONS[name], target)


@pytest.mark.usefixtures("fewer_draws")
@every_estimator
@every_question
def test_the_pool_is_known_better_than_the_population_it_came_from(estimator, name):
    promises.pool_known_better_than_population(estimator, QUESTIONS[name])


@pytest.mark.usefixtures("fewer_draws")
@every_estimator
@every_question
def test_a_wider_level_holds_a_narrower_one(estimator, name):
    promises.wider_level_holds_a_narrower_one(estimator, QUESTIONS[name])


@pytest.mark.usefixtures("fewer_draws")
@every_estimator
@every_question
def test_every_number_says_by_which_method_it_came_about(estimator, name):
    own = {"frequency": "frequency", "hierarchical": "hierarchical", "stratified": "hierarchical"}
    words = own.get(estimator, "posterior")  # what is stratified leaves estimates to the hierarchical one
    promises.says_its_method(estimator, QUESTIONS[name], words)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_an_estimator_is_the_same_after_it_was_kept(estimator):
    same_after_it_was_kept(ESTIMATORS[estimator](), ESTIMATORS)


def test_frequencies_are_hits_over_labels_and_nan_without_any():
    world = World(N)
    assessment = assessment_of(world, BY_CLASS, "frequency")
    items = [i for i in range(40) if world.predicted[i] != 2]
    belief = assessment.belief(evidence_of(world, assessment, items))
    for k in (0, 1):
        mine = [i for i in items if world.predicted[i] == k]
        assert belief.mean[k] == pytest.approx(np.mean([world.true[i] == k for i in mine]))
    assert math.isnan(belief.mean[2])
    np.testing.assert_allclose(belief.alpha - belief.hits, 0.5)  # Jeffreys, for intervals only
    np.testing.assert_allclose(belief.beta - belief.misses, 0.5)


def test_the_posterior_mean_is_prior_and_labels_in_proportion_to_their_number():
    world = World(N)
    assessment = assessment_of(world, BY_CLASS, "beta")
    items = list(range(30))
    belief = assessment.belief(evidence_of(world, assessment, items))
    for k in range(3):
        mine = [i for i in items if world.predicted[i] == k]
        s = world.probabilities.max(axis=1)[world.predicted == k].mean()
        r = sum(world.true[i] == k for i in mine)
        assert belief.mean[k] == pytest.approx((2 * s + r) / (2 + len(mine)))


# -- estimators of one F-score, read off draws ---------------------------------------------------------------------

F_QUESTIONS = f_promises.QUESTIONS
every_f_estimator = pytest.mark.parametrize("estimator", names(draws=True))
every_draw = pytest.mark.parametrize("strategy", f_promises.STRATEGIES)
every_single_f = pytest.mark.parametrize("name", f_promises.ONE_NUMBER)
WORDS = {
    "acis": "importance sampling",
    "acis_last": "last round",
    "weighted": "labelled sample",
    "iso": "isotonic",
    "platt": "Platt",
    "gmm": "Gaussians",
    "difference": "difference estimator",
}


@every_f_estimator
@every_draw
@pytest.mark.parametrize("name", F_QUESTIONS)
def test_the_f_score_of_a_fully_labelled_pool_is_exact_however_its_items_came_about(estimator, strategy, name):
    f_promises.exact_once_all_is_labelled(estimator, strategy, F_QUESTIONS[name])


@every_f_estimator
@every_draw
@every_single_f
def test_the_order_of_draws_and_labels_does_not_matter_to_an_f_score(estimator, strategy, name):
    f_promises.blind_to_the_order_of_draws(estimator, strategy, F_QUESTIONS[name])


@every_f_estimator
@every_draw
@every_single_f
@every_target
def test_an_f_score_has_a_width_as_long_as_an_item_that_counts_is_unlabelled(estimator, strategy, name, target):
    f_promises.wide_while_an_item_is_unlabelled(estimator, strategy, F_QUESTIONS[name], target)


@every_f_estimator
@every_draw
def test_every_f_score_says_by_which_method_it_came_about(estimator, strategy):
    f_promises.says_its_method(estimator, strategy, WORDS[estimator])


@every_f_estimator
def test_labels_drawn_without_known_chances_are_not_weighed(estimator):
    """Whoever hands them over: the settings refuse such a strategy, and an answer looks at the labels themselves."""
    study = fl.create_study(World(N).pool, F_QUESTIONS["F1"], strategy="uniform", estimator=estimator)
    evidence = replace(
        study._history.evidence(), designs=frozenset([Design(chances="equal"), Design(chances="unequal")])
    )
    with pytest.raises(fl.QuestionError, match=rf"'{estimator}' weighs labels.*\(adaptive\)"):
        answer(study._assessment, evidence, 0.95, "equal-tailed")
