"""The promises of stopping/base.py, kept by every goal."""

import pytest

import fewlabels as fl
from fewlabels.stopping import STOPPING
from fewlabels.testing import stopping as promises
from fewlabels.testing.promises import same_after_it_was_kept
from fewlabels.testing.stopping import QUESTIONS, STRONG

pytestmark = pytest.mark.usefixtures("fewer_draws", "compiled_fits")

GOALS = {
    "narrow groups": fl.HalfWidth(0.05),
    "groups of any width but the widest": fl.HalfWidth(0.45),
    "a narrow overall figure": fl.HalfWidth(0.03, of="overall"),
    "an overall figure of some width": fl.HalfWidth(0.2, of="overall"),
    "sure": fl.Probability(0.95),
    "as sure as a coin": fl.Probability(0.5),
    "small variance": fl.Variance(0.001),
    "any variance but the largest": fl.Variance(0.24),
}
OF_ESTIMATES = ("accuracy", "accuracy by class", "calibration error")
TAKEN = {  # which questions take which goal
    "half_width": {*OF_ESTIMATES, "least accurate", "comparison", "F1"},
    "probability": {"least accurate", "comparison"},
    "variance": {"F1"},
}
PAIRS = [
    (goal, name)
    for goal, made in GOALS.items()
    for name in QUESTIONS
    if name in TAKEN[made.name] and not (name == "comparison" and "overall" in goal)
]
every_goal = pytest.mark.parametrize("goal", GOALS)
every_pair = pytest.mark.parametrize(("goal", "name"), PAIRS)


def test_every_stopping_rule_is_here():
    assert {goal.name for goal in GOALS.values()} == set(STOPPING)


@every_goal
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_takes_the_goals_that_mean_something_of_it(goal, name):
    assert promises.fits(GOALS[goal], QUESTIONS[name]) == ((goal, name) in PAIRS)


@every_pair
def test_no_goal_is_reached_on_the_priors_word(goal, name):
    promises.not_on_the_priors_word(GOALS[goal], QUESTIONS[name])


@every_pair
def test_every_goal_is_reached_once_all_is_labelled(goal, name):
    promises.nothing_more_wanted_once_all_is_labelled(GOALS[goal], QUESTIONS[name])
    study = fl.create_study(promises.WORLD.pool, QUESTIONS[name], until=GOALS[goal])
    study.tell(promises.WORLD.labels(), drawn="uniform")
    assert promises.progress_of(GOALS[goal], study)[0].done


@every_pair
def test_no_more_labels_are_wanted_than_there_are_items(goal, name):
    promises.wants_no_more_than_there_is(GOALS[goal], QUESTIONS[name])


@every_pair
def test_the_order_of_the_labels_does_not_matter(goal, name):
    promises.blind_to_the_order_of_labels(GOALS[goal], QUESTIONS[name])


@every_pair
def test_a_goal_reads_no_more_than_it_says(goal, name):
    promises.reads_what_it_says(GOALS[goal], QUESTIONS[name])


@every_goal
def test_a_goal_says_itself_and_what_it_is_not_for_in_words(goal):
    promises.says_itself_in_words(GOALS[goal])
    promises.refuses_in_words(GOALS[goal])


@every_goal
def test_a_goal_is_the_same_after_it_was_kept(goal):
    same_after_it_was_kept(GOALS[goal], STOPPING)


def test_a_prior_that_is_sure_of_everything_would_reach_a_width_if_it_were_let():
    """The control of the first promise: the number of the goal is reached, and only the prior stands behind it."""
    given = {"until": fl.HalfWidth(0.05), "prior_strength": STRONG, "target": "population"}
    study = fl.create_study(promises.WORLD.pool, fl.Estimate("accuracy"), **given)
    assert all(finding.half_width < 0.05 for finding in study.answer().findings)
    assert "on the prior rather than on labels" in str(study.progress)
