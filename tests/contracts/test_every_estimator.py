"""What every estimator promises: exact on a fully labelled pool, blind to order, narrower with more labels."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import fewlabels as fl
from fewlabels.answering import answer
from fewlabels.assessment import Assessment, assess
from fewlabels.core.evidence import NO_EVIDENCE, Evidence
from fewlabels.estimators import names

CLASSES = ("ant", "bee", "cat")
N = 90
QUESTIONS = {
    "accuracy by class": fl.Estimate("accuracy", by="predicted_class"),
    "calibration error": fl.Estimate("calibration_error"),
    "true-positive rate": fl.Estimate("true_positive_rate", positive="bee"),
    "confusion": fl.Estimate("confusion"),
    "macro-F1": fl.Estimate("macro_f1", by="side"),
}
every_estimator = pytest.mark.parametrize("estimator", names(draws=False))
every_question = pytest.mark.parametrize("name", QUESTIONS)


class World:
    """A pool with its true classes."""

    def __init__(self, case: int = 0):
        rng = np.random.default_rng(case)
        self.probabilities = rng.dirichlet([0.7, 0.6, 0.5], size=N)
        self.predicted = self.probabilities.argmax(axis=1)
        self.true = np.where(rng.uniform(size=N) < 0.7, self.predicted, rng.integers(0, 3, size=N))
        side = np.where(rng.uniform(size=N) < 0.5, "l", "r")
        self.pool = fl.Pool.from_arrays(probabilities=self.probabilities, classes=CLASSES, columns={"side": side})

    def assess(self, name: str, estimator: str) -> Assessment:
        question = QUESTIONS[name]
        return assess(fl.StudySettings(question, estimator=estimator), question, self.pool, "model")

    def evidence(self, assessment: Assessment, items) -> Evidence:
        rows = self.pool.engine.find("model", assessment.question.axes, list(items))
        items = np.array(list(items), dtype=np.int64)
        cell = np.array([r.cell for r in rows], dtype=np.int64)
        score = self.probabilities.max(axis=1)[items]
        return Evidence(items.tolist(), cell, self.predicted[items], self.true[items], score)


@every_estimator
@every_question
def test_a_fully_labelled_pool_is_known_exactly(estimator, name):
    world = World()
    assessment = world.assess(name, estimator)
    everything = world.evidence(assessment, range(N))
    belief = assessment.belief(everything)
    cells, metric = assessment.cells, assessment.metric
    for c in range(cells.count):
        mine = everything.cell == c
        if not assessment.outcome.rates:
            expected = [np.mean(everything.label[mine] == j) for j in range(3)]
        elif metric.of_class is not None:
            expected = np.mean(everything.label[mine] == 1)
        else:
            expected = np.mean(everything.label[mine] == everything.predicted[mine])
        np.testing.assert_allclose(belief.pool_mean[c], expected, atol=1e-14)
    assert (belief.unlabelled == 0).all()


@every_estimator
@every_question
@settings(derandomize=True, max_examples=15, deadline=None)
@given(data=some.data())
def test_the_order_of_the_evidence_does_not_matter(estimator, name, data):
    items = data.draw(some.lists(some.integers(0, N - 1), unique=True, max_size=40))
    again = data.draw(some.permutations(items))
    world = World()
    assessment = world.assess(name, estimator)
    one = assessment.belief(world.evidence(assessment, items))
    two = assessment.belief(world.evidence(assessment, again))
    np.testing.assert_array_equal(one.tally, two.tally)
    np.testing.assert_array_equal(one.labels, two.labels)
    np.testing.assert_array_equal(one.mean, two.mean)


@every_estimator
@every_question
def test_labels_are_counted_once_each_and_the_prior_is_not_counted_as_labels(estimator, name):
    world = World()
    assessment = world.assess(name, estimator)
    none, some_labels = assessment.belief(NO_EVIDENCE), assessment.belief(world.evidence(assessment, range(0, N, 3)))
    assert none.labels.sum() == 0
    assert some_labels.labels.sum() == N / 3
    if not none.shared:  # what cells share is learnt from labels, and so is what it is worth
        np.testing.assert_array_equal(some_labels.prior_strength, none.prior_strength)
    np.testing.assert_array_equal(some_labels.labels + some_labels.unlabelled, assessment.cells.size)


@every_estimator
@every_question
@pytest.mark.parametrize("target", ["pool", "population"])
def test_more_labels_narrow_the_intervals_on_average(estimator, name, target):
    """Mean width over groups and five random orders at 6, 24 and 80 of 90 labels."""
    widths = np.zeros(3)
    for case in range(5):
        world = World(case % 3)
        study = fl.create_study(world.pool, QUESTIONS[name], estimator=estimator, target=target, strategy="uniform")
        order = np.random.default_rng(case).permutation(N)
        for step, upto in enumerate((6, 24, 80)):
            study.tell({int(i): CLASSES[world.true[i]] for i in order[:upto]}, drawn="uniform")
            widths[step] += np.mean([f.high - f.low for f in study.answer().findings])
    assert widths[0] > widths[1] > widths[2]


@every_estimator
def test_the_pool_is_known_better_than_the_population_it_came_from(estimator):
    world = World()
    widths = {}
    for target in ("pool", "population"):
        question = QUESTIONS["accuracy by class"]
        study = fl.create_study(world.pool, question, estimator=estimator, target=target, strategy="uniform")
        study.tell({int(i): CLASSES[world.true[i]] for i in range(60)}, drawn="uniform")
        widths[target] = [f.high - f.low for f in study.answer().findings]
    assert all(p < q for p, q in zip(widths["pool"], widths["population"], strict=True))


@every_estimator
def test_a_wider_level_holds_a_narrower_one(estimator):
    world = World()
    study = fl.create_study(world.pool, QUESTIONS["accuracy by class"], estimator=estimator, strategy="uniform")
    study.tell({int(i): CLASSES[world.true[i]] for i in range(20)}, drawn="uniform")
    for half, most in zip(study.answer(level=0.5).findings, study.answer(level=0.99).findings, strict=True):
        assert most.low <= half.low <= half.value <= half.high <= most.high
        assert half.value == most.value


@every_estimator
@every_question
def test_every_number_says_by_which_method_it_came_about(estimator, name):
    world = World()
    answer = fl.create_study(world.pool, QUESTIONS[name], estimator=estimator, strategy="uniform").answer()
    words = "frequency" if estimator == "frequency" else "posterior"
    assert all(words in f.method for f in (*answer.findings, answer.overall))


def test_frequencies_are_hits_over_labels_and_nan_without_any():
    world = World()
    assessment = world.assess("accuracy by class", "frequency")
    items = [i for i in range(40) if world.predicted[i] != 2]
    belief = assessment.belief(world.evidence(assessment, items))
    for k in (0, 1):
        mine = [i for i in items if world.predicted[i] == k]
        assert belief.mean[k] == pytest.approx(np.mean([world.true[i] == k for i in mine]))
    assert math.isnan(belief.mean[2])
    np.testing.assert_allclose(belief.alpha - belief.hits, 0.5)  # Jeffreys, for intervals only
    np.testing.assert_allclose(belief.beta - belief.misses, 0.5)


def test_the_posterior_mean_is_prior_and_labels_in_proportion_to_their_number():
    world = World()
    assessment = world.assess("accuracy by class", "beta")
    items = list(range(30))
    belief = assessment.belief(world.evidence(assessment, items))
    for k in range(3):
        mine = [i for i in items if world.predicted[i] == k]
        s = world.probabilities.max(axis=1)[world.predicted == k].mean()
        r = sum(world.true[i] == k for i in mine)
        assert belief.mean[k] == pytest.approx((2 * s + r) / (2 + len(mine)))


# -- estimators of one F-score, read off draws ---------------------------------------------------------------------

F_QUESTIONS = {
    "F1": fl.Estimate("f1", positive="bee"),
    "precision": fl.Estimate("precision", positive="bee"),
    "recall": fl.Estimate("recall", positive="bee"),
    "F of alpha 0.3": fl.Estimate(fl.FScore(0.3, "bee")),
    "F1 by threshold": fl.Estimate(fl.FCurve("bee", (0.2, 0.5))),
}
every_f_estimator = pytest.mark.parametrize("estimator", names(draws=True))
every_f_question = pytest.mark.parametrize("name", F_QUESTIONS)
every_draw = pytest.mark.parametrize("strategy", ["acis", "sawade", "top_k", "herding", "uniform"])


def f_of(world: World, metric: fl.FScore, hit: np.ndarray) -> float:
    """Eq. 1 of the ACIS paper, item by item; `hit` says which are predicted positive."""
    tp = sum(1 for i in range(N) if hit[i] and world.true[i] == 1)
    fp = sum(1 for i in range(N) if hit[i] and world.true[i] != 1)
    fn = sum(1 for i in range(N) if not hit[i] and world.true[i] == 1)
    return tp / (metric.alpha * (tp + fp) + (1 - metric.alpha) * (tp + fn))


def f_scores(world: World, name: str) -> list[float]:
    metric = F_QUESTIONS[name].metric
    if isinstance(metric, fl.FCurve):
        return [f_of(world, metric, world.probabilities[:, 1] >= t) for t in metric.thresholds]
    return [f_of(world, metric, world.predicted == 1)]


def f_study(world: World, name: str, strategy: str, estimator: str, labels: int, **more) -> fl.Study:
    study = fl.create_study(world.pool, F_QUESTIONS[name], strategy=strategy, estimator=estimator, seed=2, **more)
    for query in study.ask(labels):
        study.tell(query, CLASSES[world.true[query.item]])
    return study


@every_f_estimator
@every_draw
@every_f_question
def test_the_f_score_of_a_fully_labelled_pool_is_exact_however_its_items_came_about(estimator, strategy, name):
    world = World()
    study = f_study(world, name, strategy, estimator, 25)
    study.tell({i: CLASSES[world.true[i]] for i in range(N) if i not in study.labels}, drawn="uniform")
    for finding, expected in zip(study.answer().findings, f_scores(world, name), strict=True):
        assert (finding.value, finding.low, finding.high) == pytest.approx((expected,) * 3, abs=1e-14)


@every_f_estimator
@every_draw
@pytest.mark.parametrize("name", ["F1", "precision", "recall"])
def test_the_order_of_draws_and_labels_does_not_matter_to_an_f_score(estimator, strategy, name):
    study = f_study(World(), name, strategy, estimator, 13)  # precision is about few items
    one, read = study._history.evidence(), study._assessment.estimator.read
    order = np.random.default_rng(1).permutation(one.count)
    place = np.argsort(order)  # where each row went
    draws = one.draws
    again = np.random.default_rng(2).permutation(len(draws.row))
    two = replace(
        one,
        items=[one.items[i] for i in order],
        cell=one.cell[order],
        predicted=one.predicted[order],
        label=one.label[order],
        score=one.score[order],
        asked_in=one.since[order],
        drawn=replace(
            draws,
            row=place[draws.row[again]],
            round=draws.round[again],
            probability=draws.probability[again],
        ),
    )
    (a,), (b,) = study._assessment.f_samples(one), study._assessment.f_samples(two)
    for field in ("value", "variance", "cautious", "counted", "finite"):
        assert getattr(read(a), field) == pytest.approx(getattr(read(b), field), rel=1e-10, abs=1e-14)


@every_f_estimator
@every_draw
@pytest.mark.parametrize("name", ["F1", "precision", "recall"])
@pytest.mark.parametrize("target", ["pool", "population"])
def test_an_f_score_has_a_width_as_long_as_an_item_that_counts_is_unlabelled(estimator, strategy, name, target):
    """Every prediction is right and so every label agrees: one wrong item of 90 would move the figure by 1/90 at least,
    and an interval narrower than half of that promises what nobody knows."""
    world = World()
    world.true = world.predicted
    for labels in (1, 5, 12, int((world.predicted == 1).sum()) - 1):
        (finding,) = f_study(world, name, strategy, estimator, labels, target=target).answer().findings
        assert finding.high - finding.low > 1 / 180, str(finding)
        assert math.isnan(finding.value) or finding.low <= finding.value <= finding.high


@every_f_estimator
@every_draw
def test_every_f_score_says_by_which_method_it_came_about(estimator, strategy):
    words = {
        "acis": "importance sampling",
        "acis_last": "last round",
        "weighted": "labelled sample",
        "iso": "isotonic",
        "platt": "Platt",
        "gmm": "Gaussians",
    }[estimator]
    (finding,) = f_study(World(), "F1", strategy, estimator, 5).answer().findings
    assert words in finding.method
    assert finding.labels == 5


@every_f_estimator
def test_labels_drawn_without_known_chances_are_not_weighed(estimator):
    """Whoever hands them over: the settings refuse such a strategy, and an answer looks at the labels themselves."""
    world = World()
    study = f_study(world, "F1", "uniform", estimator, 5)
    evidence = replace(study._history.evidence(), designs=frozenset(["uniform", "adaptive"]))
    with pytest.raises(fl.QuestionError, match=rf"'{estimator}' weighs labels.*\(adaptive\)"):
        answer(study._assessment, evidence, 0.95, "equal-tailed")
