"""The difference estimator of F-scores, and the draws made for it, against slow loops written from the definitions."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

import fewlabels as fl
from fewlabels.core.calibration_map import OWN_SPREAD, log_odds, own_score_map
from fewlabels.core.difference import Differences
from fewlabels.core.keyed import Keyed
from fewlabels.core.searched import searched_of
from fewlabels.core.systematic import inclusion, systematic
from fewlabels.strategies.doubt import balanced

ALPHAS = {"F1": 0.5, "recall": 0.0, "precision": 1.0, "alpha 0.3": 0.3}


def pool_of(n=400, seed=0, prevalence=0.06):
    rng = np.random.default_rng(seed)
    y = rng.uniform(size=n) < prevalence
    s = 1 / (1 + np.exp(-(3.0 * y + rng.normal(size=n) - 2.5)))
    return fl.Pool.from_arrays(positive_score=s, threshold=0.5, positive="rare"), y


def told(study, y, n, batch=10):
    """So many labels, in batches."""
    while len(study.labels) < n and (queries := study.ask(min(batch, n - len(study.labels)))):
        study.tell({query.item: "rare" if y[query.item] else study.classes[0] for query in queries})
    return study


def study_of(pool, y, n, alpha=0.5, batch=10, seed=1, **more):
    question = fl.Estimate(fl.FScore(alpha, "rare"))
    return told(fl.create_study(pool, question, strategy="doubt", seed=seed, **more), y, n, batch)


def sample_of(study):
    """Of the items searched."""
    (sample,) = study._assessment.f_samples(study._history.evidence())
    return searched_of(sample).sample


def figure_of(finding):
    """That of the items searched; of a precision there is no other."""
    return (finding.searched or finding).value


def test_the_calibration_is_the_most_probable_one():
    rng = np.random.default_rng(3)
    score, predicted = rng.uniform(0.01, 0.99, 40), (rng.uniform(size=40) < 0.3).astype(float)
    labels = rng.integers(0, 4, 40).astype(float)
    hits = rng.binomial(labels.astype(int), 0.4).astype(float)

    def minus_log(theta):
        total = sum(t**2 / (2 * s**2) for t, s in zip(theta, OWN_SPREAD, strict=True))
        for s, hit, n, k in zip(log_odds(score), predicted, labels, hits, strict=True):
            p = expit(s + theta[0] + theta[1] * s + theta[2] * hit)
            total -= k * math.log(p) + (n - k) * math.log1p(-p)
        return total

    best = minimize(minus_log, np.zeros(3), tol=1e-12).x
    expected = expit(log_odds(score) * (1 + best[1]) + best[0] + best[2] * predicted)
    np.testing.assert_allclose(own_score_map(score, predicted, labels, hits), expected, atol=1e-5)
    np.testing.assert_allclose(own_score_map(score, predicted, 0 * labels, 0 * hits), score, atol=1e-12)


@pytest.mark.parametrize("alpha", ALPHAS.values(), ids=ALPHAS)
def test_the_estimate_is_the_difference_estimator_item_by_item(alpha):
    pool, y = pool_of()
    study = study_of(pool, y, 45 if alpha < 1 else 12, alpha)
    sample = sample_of(study)
    made = Differences(sample)
    found = missed = 0.0
    for cell, (size, m, hit) in enumerate(zip(sample.size, made.expected, sample.predicted, strict=True)):
        rows = [i for i in range(len(sample.cell)) if sample.cell[i] == cell]
        here = sum(sample.positive[i] + (1 / made.chance[i] - 1) * (sample.positive[i] - m) for i in rows)
        here += (size - len(rows)) * m if made.in_reach[cell] else 0.0
        found, missed = found + here * hit, missed + here * (1 - hit)
    hits = [(sample.positive[i], sample.predicted[cell]) for i, cell in enumerate(sample.cell)]
    right, wrong, overlooked = (hits.count(kind) for kind in ((1, 1), (0, 1), (1, 0)))
    found = min(max(found, right), sample.size @ sample.predicted - wrong)  # as labels allow
    missed = max(missed, overlooked)
    f = found / (alpha * sample.size @ sample.predicted + (1 - alpha) * (found + missed))
    assert figure_of(study.answer().overall) == pytest.approx(f, abs=1e-12)
    seen = expected = 0.0
    for i, cell in enumerate(sample.cell):
        m, weight = made.expected[cell], (1 - made.chance[i]) / made.chance[i] ** 2
        slope = (sample.predicted[cell] - (1 - alpha) * f) / made.counted
        seen += (slope * (sample.positive[i] - m)) ** 2 * weight
        expected += slope**2 * m * (1 - m) * weight
    assert made.spread.variance == pytest.approx((seen + expected) / 2, rel=1e-10)


def test_chances_are_those_of_all_rounds_so_far():
    """One less the product over rounds of the chance to be passed by: scale x worth, as far as draws are labelled."""
    pool, y = pool_of()
    study = fl.create_study(pool, fl.Estimate("f1", positive="rare"), strategy="doubt", seed=4)
    told(study, y, 30)
    for query in study.ask(17)[:9]:  # the others stay open
        study.tell(query, "rare" if y[query.item] else study.classes[0])
    made = Differences(sample_of(study))
    history, sample = study._history, sample_of(study)
    plans = [event for event in study.events if type(event).__name__ == "Planned"]
    queries = [event for event in study.events if isinstance(event, fl.Query)]
    for row, cell in enumerate(sample.cell):
        passed = 1.0
        for plan in plans:
            mine = [q for q in queries if q.round == plan.round]
            worth = plan.decided.odds.worth
            scale = max(q.probability * len(plan.arms) / worth[q.cell] for q in mine)
            labelled = sum(q.item in history.labels for q in mine)
            passed *= 1 - min(1.0, scale * worth[cell]) * labelled / len(plan.arms)
        assert made.chance[row] == pytest.approx(1 - passed, abs=1e-12)


def test_systematic_draws_keep_their_chances():
    mass, urn = np.array([5.0, 1.0, 2.0, 0.0, 4.0]), np.array([1, 3, 4, 2, 5])
    expected = inclusion(mass, urn, 4)
    assert expected.sum() == pytest.approx(4)
    assert (expected <= urn + 1e-12).all()
    assert expected[3] == 0
    drawn = np.zeros(5)
    for seed in range(1500):
        cells = systematic(expected, np.arange(5), 4, Keyed(seed, 1))
        assert len(cells) == 4
        drawn += np.bincount(cells, minlength=5)
    np.testing.assert_allclose(drawn / 1500, expected, atol=0.06)


def test_totals_are_right_on_average_whatever_the_scores_say():
    """With scores that are wrong altogether and no limit to the reach, the mean over studies is the truth: within three
    standard errors, which are a tenth of the positives."""
    rng = np.random.default_rng(8)
    y = rng.uniform(size=150) < 0.3
    pool = fl.Pool.from_arrays(positive_score=rng.uniform(0.05, 0.95, 150), threshold=0.5, positive="rare")
    totals = []
    for seed in range(60):
        question = fl.Estimate("f1", positive="rare")
        study = told(fl.create_study(pool, question, strategy=fl.Doubt(reach=None), seed=seed), y, 40)
        totals.append(Differences(sample_of(study)).positives.sum())
    error = np.mean(totals) - y.sum()
    assert (
        abs(error) < 3 * np.std(totals) / math.sqrt(len(totals)) + 0.5
    )  # half an item: the calibration saw the labels
    assert np.std(totals) / math.sqrt(len(totals)) < 0.1 * y.sum()


def test_a_distribution_for_several_figures_serves_the_worst_of_them():
    rng = np.random.default_rng(2)
    each, urn = rng.uniform(0, 1, (3, 60)) ** 4, rng.integers(1, 5, 60)

    def ratios(q):
        q = q / (q @ urn)
        own = each / (each @ urn)[:, None]
        return (own**2 / q) @ urn

    worst = ratios(balanced(each, urn)).max()
    others = [*(each + 1e-9), each.sum(axis=0), np.sqrt((each**2).sum(axis=0)), each.max(axis=0)]
    assert worst <= min(ratios(q).max() for q in others) + 1e-3
    np.testing.assert_allclose(balanced(each[:1], urn) / balanced(each[:1], urn).sum(), each[0] / each[0].sum())


# -- pools out of the ordinary -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", ALPHAS.values(), ids=ALPHAS)
@pytest.mark.parametrize("positives", ["none", "all"])
def test_pools_without_positives_or_negatives_are_answered_with_room(positives, alpha):
    pool, _ = pool_of(120)
    y = np.full(120, positives == "all")
    study = study_of(pool, y, 20 if alpha < 1 else 4, alpha)
    finding = study.answer().overall
    hit = np.array(pool.engine.models["model"].predicted) == pool.classes.index("rare")
    truth = (hit & y).sum() / max(alpha * hit.sum() + (1 - alpha) * y.sum(), 1e-9)
    alone = finding.labels_alone or finding  # where all are positive, far more hide than is assumed
    assert alpha != 0.5 or alone.low <= truth <= alone.high
    assert 0 <= finding.low < finding.high <= 1
    whole = told(study, y, 120).answer().overall
    defined = alpha * hit.sum() + (1 - alpha) * y.sum() > 0
    assert whole.value == pytest.approx(truth) if defined else math.isnan(whole.value)


@pytest.mark.parametrize("alpha", ALPHAS.values(), ids=ALPHAS)
def test_more_labels_than_items_end_with_the_exact_value(alpha):
    pool, y = pool_of(60, prevalence=0.3)
    study = study_of(pool, y, 500, alpha, batch=23)
    finding = study.answer().overall
    hit = np.array(pool.engine.models["model"].predicted) == pool.classes.index("rare")
    truth = (hit & y).sum() / (alpha * hit.sum() + (1 - alpha) * y.sum())
    assert (finding.value, finding.low, finding.high) == pytest.approx((truth,) * 3)
    assert study.ask(5) == []


def test_what_is_drawn_from_beyond_the_reach_stands_for_itself():
    """Four in five items share one score, which no reach of so few labels holds: they are drawn once nothing else is
    left, where none is assumed to hide there, and one positive among them then counts as one."""
    rng = np.random.default_rng(5)
    score = np.where(np.arange(300) < 60, rng.uniform(0.2, 0.9, 300), 0.1)
    y = score > 0.55
    y[77] = True
    pool = fl.Pool.from_arrays(positive_score=score, threshold=0.5, positive="rare")
    study = study_of(pool, y, 100, hidden=0)
    (sample,) = study._assessment.f_samples(study._history.evidence())
    made = Differences(sample)
    tie = sample.score[sample.cell] < 0.15
    assert tie.sum() > 30
    assert (made.chance[tie] == 1).all()
    assert not made.in_reach[sample.score < 0.15].any()
    assert made.missed <= 2
    finding = study.answer().overall
    assert finding.low <= Differences(sample_of(told(study, y, 300))).value <= finding.high


def test_labellers_are_never_starved():
    """Whatever they leave open or skip, as long as there are items: every ask is met in full."""
    pool, y = pool_of(300)
    study = fl.create_study(pool, fl.Estimate("f1", positive="rare"), strategy="doubt", seed=2)
    asked = []
    for n in (1, 7, 50, 3, 1, 20, 64, 2):
        queries = study.ask(n)
        assert len(queries) == n
        asked += queries
        for query in queries[: n // 2]:
            study.tell(query, "rare" if y[query.item] else study.classes[0])
        if n > 6:
            study.skip(queries[-1], reason="unreadable")
    assert len({query.item for query in asked}) == len(asked)
    finding = study.answer().overall
    assert finding.low < finding.value < finding.high


def test_the_same_labels_in_any_order_and_after_a_restart_give_the_same_answer(tmp_path):
    pool, y = pool_of()
    where = f"sqlite:///{tmp_path / 'a.db'}"
    question = fl.Estimate("f1", positive="rare")
    one = fl.create_study(pool, question, strategy="doubt", seed=6, storage=where, name="one")
    two = fl.create_study(pool, question, strategy="doubt", seed=6)
    for n in (10, 4, 25):
        mine, again = one.ask(n), two.ask(n)
        assert [q.item for q in mine] == [q.item for q in again]
        for query in mine:
            one.tell(query, "rare" if y[query.item] else one.classes[0])
        for query in reversed(again):
            two.tell(query, "rare" if y[query.item] else two.classes[0])
        one = fl.load_study("one", storage=where, pool=pool)
    first, second = one.answer().overall, two.answer().overall
    assert (first.value, first.low, first.high) == pytest.approx((second.value, second.low, second.high), abs=1e-12)


def test_settings_out_of_range_are_refused():
    for wrong in ({"epsilon": 0.5}, {"first": 0}, {"growth": 0.5}, {"reach": -1.0}):
        with pytest.raises(fl.QuestionError, match="got"):
            fl.Doubt(**wrong)


@pytest.mark.parametrize("number", range(20))
def test_the_calibration_is_the_most_probable_one_however_sure_scores_are(number):
    """Against a slow search; with scores of 0 and 1, where whole steps of Newton's method leap to and fro for ever."""
    rng = np.random.default_rng(number)
    count = int(rng.integers(2, 30))
    score = np.where(rng.random(count) < 0.7, rng.choice([0.0, 1.0, 1e-9], count), rng.random(count))
    predicted, labels = (score > 0.5).astype(float), rng.integers(0, 40, count).astype(float)
    hits = rng.binomial(labels.astype(int), rng.random(count)).astype(float)
    own = log_odds(score)
    x, precision = np.stack([np.ones(count), own, predicted], axis=1), 1 / np.array(OWN_SPREAD) ** 2

    def lost(theta):
        odds = own + x @ theta
        return (labels * np.logaddexp(0, odds) - hits * odds).sum() + (precision * theta**2).sum() / 2

    def slope(theta):
        return x.T @ (labels * expit(own + x @ theta) - hits) + precision * theta

    best = minimize(lost, np.zeros(3), jac=slope, method="BFGS", options={"gtol": 1e-9, "maxiter": 5000}).x
    np.testing.assert_allclose(own_score_map(score, predicted, labels, hits), expit(own + x @ best), atol=1e-6)
