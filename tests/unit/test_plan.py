"""How many labels will it take: formulas that behave, forecasts that say what they are, and are about right."""

import numpy as np
import pytest

import fewlabels as fl
from command_line import refused, run, run_json
from fewlabels.answers import LabelsLeft
from fewlabels.core.intervals import AT_A_STOP, cautious_share, exact_share_intervals
from fewlabels.core.needed import (
    Outlook,
    for_caution,
    for_difference,
    for_exact_width,
    for_groups,
    for_threshold,
    for_width,
    in_all,
)

SIZE = np.array([100, 400, 2000])


def test_a_shorter_interval_and_a_rate_near_a_half_take_more_labels():
    rates = np.array([[0.99, 0.9, 0.6], [0.99, 0.99, 0.99]])
    wide, narrow = (for_width(rates, SIZE, goal, 0.95) for goal in (0.1, 0.05))
    assert (narrow > wide).all()
    assert narrow[0, 2] > narrow[1, 2]
    assert (narrow <= SIZE).all()
    n = for_width(np.array([[0.8]]), np.array([10**7]), 0.05, 0.95)[0, 0]
    assert n == pytest.approx(1.96**2 * 0.16 / 0.05**2, rel=0.03)


@pytest.mark.parametrize("goal", [0.03, 0.1])
@pytest.mark.parametrize("rate", [1.0, 0.98, 0.9, 0.5, 0.0])
def test_labels_until_an_exact_interval_is_short(rate, goal):
    """The first number at which as many hits as are expected leave no more than the goal on either side."""

    def half(labels: int) -> float:
        hits = np.round(np.array([labels * rate]))
        low, high = exact_share_intervals(hits, labels - hits, SIZE[2:].astype(float), 0.95)
        return float(high[0] - low[0]) / 2

    first = next(n for n in range(1, 2000) if half(n) <= goal)
    assert for_exact_width(np.array([[rate]]), SIZE[2:], goal, 0.95)[0, 0] == pytest.approx(first, rel=0.1, abs=4)


@pytest.mark.parametrize("rate", [0.999, 0.99, 0.96, 0.9])
def test_labels_until_few_errors_keep_an_interval_from_the_goal_no_more(rate):
    """The first at which the lowered end and the distance upwards, of which no more than the goal counts, are short."""
    rates = np.array([0.85, rate, 0.9995])

    def half(n: int) -> float:
        low, _, _ = cautious_share(rate, rate, rate, n, 1.0, 0.95, AT_A_STOP)
        return (rate - low + min(1 - rate, 0.03)) / 2

    first = next(n for n in range(1, 5000) if half(n) <= 0.03)
    assert for_caution(rates, 5000, 0.03, 0.95, AT_A_STOP)[1] == pytest.approx(first, rel=0.04)


def test_groups_that_are_alike_take_most():
    near, far = (
        for_difference(np.array([[0.8, 0.8 - gap]]), SIZE[1:], 0.02, 0.05, 10).chosen[0] for gap in (0.03, 0.2)
    )
    assert near > 5 * far
    assert for_difference(np.array([[0.1, 0.9]]), np.array([6, 400]), 0.02, 0.05, 10).chosen[0] >= 16  # 6 and 10
    alike, apart = (for_groups(np.array([[0.5, r, 0.9]]), SIZE, 1, 0.01, 0.05).sum() for r in (0.52, 0.8))
    assert alike > 2 * apart
    at, off = (for_threshold(np.array([[0.5, r, 0.9]]), SIZE, np.full(3, 0.7), 0.01, 0.05)[0, 1] for r in (0.7, 0.9))
    assert at > 3 * off


def test_what_is_there_counts_and_a_uniform_sample_pays_for_small_groups():
    each, labels = np.array([[50.0, 50.0, 50.0]]), np.array([60.0, 0.0, 0.0])
    needed = in_all(each, labels, SIZE, 3)
    assert needed.chosen[0] == 160
    assert needed.uniform[0] == 0.5 * SIZE.sum()


def test_a_range_is_wider_than_its_draws_and_never_more_than_there_is():
    span = LabelsLeft.of(np.arange(100.0, 201.0), 1000, 1.25)
    assert span == (88, 150, 238)
    assert str(span) == "about 150 more labels (88 to 238)"
    assert LabelsLeft.of(np.full(5, 900.0), 300, 1.25) == (300, 300, 300)
    assert str(LabelsLeft(1, 1, 1)) == "1 more label"


def a_pool() -> fl.Pool:
    return fl.synthetic_pool(3000, ["cat", "dog", "fox", "owl"], accuracy=[0.95, 0.9, 0.85, 0.7], seed=3)


GOALS = [
    (fl.Estimate("accuracy", by="predicted_class"), fl.HalfWidth(0.06)),
    (fl.Estimate("accuracy"), fl.HalfWidth(0.03)),
    (fl.Below("accuracy", 0.8, by="predicted_class"), fl.Probability(0.95)),
    (fl.Compare("accuracy", by="predicted_class", a="cat", b="owl"), fl.Probability(0.95)),
    (fl.Identify("accuracy", by="predicted_class"), fl.Probability(0.95)),
]


@pytest.mark.parametrize(("question", "goal"), GOALS)
def test_a_plan_and_a_forecast_hold_the_labels_it_takes(question, goal):
    """One study each, all of them within their ranges: four of five are meant to be. That of groups to be found leaves
    open for long that they are nearer to one another than these are."""
    pool = a_pool()
    truth = dict(zip(pool.ids, pool.known_labels, strict=True))
    plan = fl.plan(pool, question, until=goal)
    assert plan.labels.low <= plan.labels.likely <= plan.labels.high <= plan.items
    assert "A uniform sample would take about" in str(plan)
    study = fl.create_study(pool, question, until=goal, seed=2)
    study.tell({q.item: truth[q.item] for q in study.ask(50)})
    forecast = study.progress.labels_left
    assert str(forecast).capitalize() in study.progress.reason
    while not study.done:
        study.tell({q.item: truth[q.item] for q in study.ask(10)})
    assert plan.labels.low <= len(study.labels) <= plan.labels.high
    assert len(study.labels) <= forecast.high + 50
    assert forecast.low + 50 <= len(study.labels) or isinstance(question, fl.Identify)


def test_that_no_verdict_at_all_is_wrong_takes_more_labels_than_that_few_are():
    few, none = (
        fl.plan(
            a_pool(),
            fl.Below("accuracy", 0.8, by="predicted_class", control=control),
            until=fl.Probability(0.95),
        ).labels
        for control in ("discoveries", "family")
    )
    assert none.likely > 1.1 * few.likely
    assert none.low > few.low


def test_what_nobody_can_plan_is_refused_in_words():
    with pytest.raises(fl.QuestionError, match="nobody can plan"):
        fl.plan(a_pool(), fl.Estimate("calibration_error"), until=fl.HalfWidth(0.02, of="overall"), estimator="beta")


def test_the_command_says_the_same(tmp_path):
    folder = tmp_path / "bank"
    run("demo", "--save", str(folder))
    file = str(folder / "predictions.parquet")
    said = run("plan", file, "--until-half-width", "0.1").stdout
    assert "until every interval at most ±0.1: about" in said
    data = run_json("plan", file, "--estimate", "accuracy", "--until-overall", "0.03")
    assert 0 < data["labels"]["low"] <= data["labels"]["likely"] <= data["labels"]["high"] <= data["items"] == 3080
    assert "say what is to be reached" in refused("plan", file)


def test_a_group_with_labels_of_its_own_is_what_its_draws_say_and_one_without_may_be_nearer_to_the_others():
    rates = np.array([[0.6, 0.5, 0.7], [0.8, 0.9, 0.7]])
    seen = Outlook(rates, np.array([20.0, 0.0, 10.0]), np.array([50, 50, 50]))
    spread = np.ptp(seen.nearer.reshape(4, 2, 3), axis=1)  # by share, of each group
    np.testing.assert_allclose(spread[:, 0], 0.2)
    np.testing.assert_allclose(spread[:, 1], [0.4, 0.2, 0.1, 0.04])
    np.testing.assert_allclose(seen.nearer.mean(axis=0), rates.mean(axis=0))


def test_all_groups_may_lie_nearer_to_a_threshold_than_their_draws():
    rates = np.linspace(0.6, 0.99, 40).reshape(8, 5)
    near = Outlook(rates, np.full(5, 30.0), np.full(5, 90)).towards(0.9)
    np.testing.assert_array_equal(near[:8], rates)
    np.testing.assert_allclose(near[8:], 0.9 + (rates[[0, 6]] - 0.9) / 4)


def test_near_the_goal_a_forecast_goes_by_the_width_that_is_shown():
    """Draws may lie closer together than the interval says; "about 1 more label" beside an interval that is too wide
    would be said again and again."""
    pool = a_pool()
    truth, goal = dict(zip(pool.ids, pool.known_labels, strict=True)), 0.03
    study = fl.create_study(pool, fl.Estimate("accuracy"), until=fl.HalfWidth(goal, of="overall"), seed=2)
    looked = 0
    while not study.done:
        study.tell({query.item: truth[query.item] for query in study.ask(25)})
        told, progress = study.answer().overall, study.progress
        if told.labels >= 200 and not progress.done:
            by_width = told.labels * ((told.half_width / goal) ** 2 - 1)
            assert progress.labels_left.likely >= by_width / 2
            looked += 1
    assert looked > 1
