"""What every metric promises: the plain figure once all is labelled, and honest intervals before that."""

import math

import numpy as np
import pytest
from sklearn import metrics as sk

import fewlabels as fl
from fewlabels.metrics import METRICS, OfOneClass
from fewlabels.testing import World
from fewlabels.testing import metrics as promises
from fewlabels.testing.metrics import findings
from fewlabels.testing.world import CLASSES, agreeing
from metric_cases import CASES, N, accuracy, balanced, equal_width, predicted_class

every_case = pytest.mark.parametrize("name", CASES)
every_estimator = pytest.mark.parametrize("estimator", ["beta", "frequency"])


def study_of(name: str, estimator: str, data: World, **more) -> fl.Study:
    return CASES[name].study(estimator, data, **more)


def test_every_metric_has_a_case():
    assert {case.question.metric.name for case in CASES.values()} == set(METRICS)


# -- everything labelled -------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("prior", ["flat", "scores"])
@every_estimator
@every_case
def test_a_fully_labelled_pool_has_the_plain_figure_and_no_interval(name, estimator, prior):
    promises.exact_once_all_is_labelled(CASES[name], estimator, prior)


F_CASES = [name for name, case in CASES.items() if isinstance(case.question.metric, OfOneClass)]
OF_THE_POOL = [n for n in F_CASES if "by column" not in n and not n.startswith("true-positive")]


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("strategy", ["auto", "thompson", "uniform", "sawade", "top_k", "herding"])
@pytest.mark.parametrize("name", OF_THE_POOL)
def test_a_fully_labelled_pool_has_the_f_score_of_scikit_learn_whoever_chose_its_labels(name, strategy):
    """By beliefs about cells (thompson, uniform) and by draws (the others), the labels asked for in part."""
    case = CASES[name]
    data = World(other=case.other)
    study = fl.create_study(data.pool, case.question, strategy=strategy, seed=3)
    for query in study.ask(20):
        study.tell(query, data.names[data.true[query.item]])
    study.tell(data.labels(i for i in range(N) if i not in study.labels), drawn="uniform")
    expected = case.plain(data)
    found = study.answer().findings
    assert len(found) == len(expected)
    for finding, value in zip(found, expected.values(), strict=True):
        assert (finding.value, finding.low, finding.high) == pytest.approx((value,) * 3, abs=1e-12)


def test_the_balanced_accuracy_written_here_is_that_of_scikit_learn():
    data = World()
    assert balanced(data, np.arange(N)) == pytest.approx(sk.balanced_accuracy_score(data.true, data.predicted))


@every_estimator
@pytest.mark.parametrize("name", ["accuracy by predicted class", "confusion", "accuracy by true class", "reliability"])
def test_the_overall_figure_of_a_fully_labelled_pool_is_its_accuracy(name, estimator):
    data = World()
    study = study_of(name, estimator, data)
    study.tell(data.labels(), drawn="uniform")
    expected = sk.accuracy_score(data.true, data.predicted)
    overall = study.answer().overall
    assert (overall.value, overall.low, overall.high) == pytest.approx((expected, expected, expected), abs=1e-12)


@pytest.mark.usefixtures("fewer_draws")
@every_estimator
@pytest.mark.parametrize(
    ("name", "of_all"),
    [
        ("calibration error by predicted class", "calibration error"),
        ("calibration bias by predicted class", "calibration bias"),
        ("cost by predicted class", "cost"),
        ("true-positive rate by column", "true-positive rate"),
        ("balanced accuracy by column", "balanced accuracy"),
        ("macro-F1 by column", "macro-F1"),
        ("F1 by column", "F1"),
    ],
)
def test_the_overall_figure_beside_groups_is_that_of_the_whole_pool(name, of_all, estimator):
    data = World()
    study = study_of(name, estimator, data)
    study.tell(data.labels(), drawn="uniform")
    expected = CASES[of_all].plain(data)["whole pool"]
    overall = study.answer().overall
    assert (overall.value, overall.low, overall.high) == pytest.approx((expected, expected, expected), abs=1e-12)


@pytest.mark.usefixtures("fewer_draws")
@every_case
def test_labels_of_the_whole_pool_do_not_end_uncertainty_about_the_population(name):
    promises.uncertain_about_the_population(CASES[name])


# -- names and order -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("fewer_draws")
@every_estimator
@every_case
def test_the_order_of_the_items_does_not_matter(name, estimator):
    promises.blind_to_the_order_of_items(CASES[name], estimator)


RENAMED = {"left": "west", "right": "east"}  # the other way round in the alphabet


@every_estimator
@pytest.mark.parametrize(
    "name",
    [
        "accuracy by column",
        "accuracy by a crossing",
        "true-positive rate by column",
        "balanced accuracy by column",
        "macro-F1 by column",
        "F1 by column",
    ],
)
def test_renaming_groups_renames_the_answer(name, estimator):
    """Closed forms to 1e-12; figures from 10,000 draws to 0.06, as other cells get other draws."""
    data = World()
    study = study_of(name, estimator, data)
    pool = fl.Pool.from_arrays(
        probabilities=data.probabilities, classes=CLASSES, columns={"side": [RENAMED[s] for s in data.side]}
    )
    renamed = fl.create_study(pool, CASES[name].question, estimator=estimator, strategy="uniform")
    told = data.labels(np.random.default_rng(6).permutation(N)[:40])
    study.tell(told, drawn="uniform")
    renamed.tell(told, drawn="uniform")
    close = 1e-12 if name.startswith("accuracy") else 0.06
    one, two = study.answer(), renamed.answer()
    assert len(one.findings) == len(two.findings)
    for finding in one.findings:
        other = two[RENAMED[finding.group.split(" ")[0]] + finding.group[len(finding.group.split(" ")[0]) :]]
        assert (finding.value, finding.low, finding.high) == pytest.approx(
            (other.value, other.low, other.high), abs=close, nan_ok=True
        )
        assert (finding.labels, finding.weight) == (other.labels, pytest.approx(other.weight))


@pytest.mark.parametrize(
    "name",
    ["accuracy by predicted class", "calibration bias by predicted class", "confusion", "cost by predicted class"],
)
def test_permuting_the_classes_permutes_the_answer(name):
    """Values are closed forms; the interval of a cost is drawn, and agrees to 0.5 of a cost of up to 10."""
    data, order = World(), [2, 0, 3, 1]
    study = study_of(name, "beta", data)
    pool = fl.Pool.from_arrays(probabilities=data.probabilities[:, order], classes=[CLASSES[k] for k in order])
    permuted = fl.create_study(pool, CASES[name].question, strategy="uniform", estimator="beta")
    told = data.labels(np.random.default_rng(6).permutation(N)[:40])
    study.tell(told, drawn="uniform")
    permuted.tell(told, drawn="uniform")
    close = 0.5 if name.startswith("cost") else 1e-9
    one, two = study.answer(), permuted.answer()
    assert {f.group for f in one.findings} == {f.group for f in two.findings}
    for finding in one.findings:
        other = two[finding.group]
        assert finding.value == pytest.approx(other.value, abs=1e-9)
        assert (finding.low, finding.high) == pytest.approx((other.low, other.high), abs=close)


# -- few labels ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("interval", ["equal-tailed", "highest-density"])
@pytest.mark.parametrize("target", ["pool", "population"])
@every_estimator
@every_case
def test_the_value_lies_in_its_interval_whatever_the_number_of_labels(name, estimator, target, interval):
    promises.value_in_its_interval(CASES[name], estimator, target, interval)


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.frequency_only])
def test_before_the_first_label_the_prior_is_shown_and_said_to_be_one(name):
    promises.prior_said_to_be_one(CASES[name])


@pytest.mark.usefixtures("fewer_draws")
@every_case
def test_without_a_prior_nothing_is_claimed_before_the_first_label(name):
    promises.nothing_claimed_without_a_prior(CASES[name])


@pytest.mark.usefixtures("fewer_draws")
@every_case
def test_what_a_metric_declares_of_itself_is_so(name):
    promises.what_it_declares_is_so(CASES[name])


@every_case
def test_a_metric_is_kept_with_its_arguments(name):
    promises.kept_with_its_arguments(CASES[name].question.metric)


AGREEING = {
    "accuracy": fl.Estimate("accuracy"),
    "accuracy by predicted class": fl.Estimate("accuracy", by="predicted_class"),
    "accuracy by true class": fl.Estimate("accuracy", by="true_class"),
    "true-positive rate": fl.Estimate("true_positive_rate", positive="ant"),
    "several F-scores": fl.Estimate(["f1", "precision", "recall"], positive="ant"),
    "calibration bias": fl.Estimate("calibration_bias", by="predicted_class"),
    "calibration error": fl.Estimate("calibration_error"),
    "reliability": fl.Estimate("reliability"),
    "reliability curve": fl.Estimate(fl.ReliabilityCurve(4)),
    "confusion": fl.Estimate("confusion"),
    "cost": fl.Estimate("cost"),
    "balanced accuracy": fl.Estimate("balanced_accuracy"),
    "macro-F1": fl.Estimate("macro_f1"),
    "F1": fl.Estimate("f1", positive="ant"),
    "precision": fl.Estimate("precision", positive="ant"),
    "F1 by threshold": fl.Estimate(fl.FCurve("ant", (0.4, 0.7))),
    "precision and recall by threshold": fl.Estimate(fl.PrecisionRecall("ant", (0.4, 0.7))),
    "average precision": fl.Estimate("average_precision", positive="ant"),
}


def test_the_agreeing_pool_is_asked_about_every_metric():
    assert {question.metric.name for question in AGREEING.values()} == set(METRICS)


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("labelled", [0, 4, 8])
@pytest.mark.parametrize("score", [0.8, 1.0])
@pytest.mark.parametrize(
    ("estimator", "prior", "strength"),
    [
        ("frequency", "flat", None),
        ("beta", "flat", None),
        ("beta", "scores", None),
        ("beta", "scores", 1e-3),
        ("beta", "scores", 1e-12),
        ("beta", "flat", 1e-12),
    ],
)
@pytest.mark.parametrize("name", AGREEING)
def test_an_interval_has_a_width_as_long_as_an_item_is_unlabelled(name, estimator, prior, strength, score, labelled):
    """All labels agree, scores may be exactly 1, the prior may be next to nothing: one wrong item among the unlabelled
    would move each figure by 1/20 or more, so an interval narrower than 1/200 promises what nobody knows.
    """
    given = {"estimator": estimator, "prior": prior, "prior_strength": strength}
    promises.wide_while_an_item_is_unlabelled(agreeing(score), AGREEING[name], labelled, **given)


@pytest.mark.parametrize("estimator", ["beta", "frequency"])
def test_one_unlabelled_item_in_a_large_group_still_leaves_a_width(estimator):
    pool, right = agreeing(0.9, size=300)
    study = fl.create_study(pool, AGREEING["accuracy by predicted class"], estimator=estimator, strategy="uniform")
    study.tell({i: right[i] for i in right if i % 300}, drawn="uniform")
    for finding in findings(study.answer()):
        assert finding.high - finding.low > 0, str(finding)


# -- posterior means -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prior", ["flat", "scores"])
@pytest.mark.parametrize(
    "name", ["calibration error", "calibration error by predicted class", "squared calibration error"]
)
def test_the_posterior_mean_of_a_calibration_error_is_that_of_draws(name, prior):
    """Closed form against 40,000 draws written here, within 5 standard errors."""
    data = World()
    study = study_of(name, "beta", data, prior=prior, target="population")
    told = np.random.default_rng(8).permutation(N)[:25]
    study.tell(data.labels(told), drawn="uniform")
    power = 2 if name.startswith("squared") else 1
    rng = np.random.default_rng(9)
    by = predicted_class(data) if "by predicted" in name else ["whole pool"] * N
    for group in sorted(set(by)):
        items = [i for i in range(N) if by[i] == group]
        draws = np.zeros(40_000)
        for b in range(10):
            inside = [i for i in items if equal_width(data, 10)[i] == b]
            if not inside:
                continue
            s = data.score[inside].mean()
            mean = s if prior == "scores" else 0.5
            seen = [i for i in inside if i in told]
            r = sum(data.true[i] == data.predicted[i] for i in seen)
            theta = rng.beta(2 * mean + r, 2 * (1 - mean) + len(seen) - r, size=len(draws))
            draws += len(inside) / len(items) * np.abs(theta - s) ** power
        found = study.answer()[group].value
        assert found == pytest.approx(draws.mean(), abs=5 * draws.std() / np.sqrt(len(draws)))


def test_debiasing_takes_off_the_sampling_variance_of_each_bin():
    """Kumar, Liang, Ma 2019, section 4.1, with the factor 1 - n/N of a finite bin; bins of one label stay."""
    data = World()
    study = study_of("debiased squared calibration error", "frequency", data)
    told = np.random.default_rng(8).permutation(N)[:45].tolist()
    study.tell(data.labels(told), drawn="uniform")
    bins = np.array(equal_width(data, 10))
    top, weight = 0.0, 0.0
    for b in set(bins.tolist()):
        inside = np.flatnonzero(bins == b)
        seen = [i for i in inside if i in told]
        if not seen:
            continue
        rate = accuracy(data, seen)
        gap = (rate - data.score[inside].mean()) ** 2
        if len(seen) > 1:
            gap -= rate * (1 - rate) / (len(seen) - 1) * (1 - len(seen) / len(inside))
        top += len(inside) / N * gap
        weight += len(inside) / N
    assert study.answer().overall.value == pytest.approx(top / weight, abs=1e-12)


@pytest.mark.parametrize("target", ["pool", "population"])
def test_comparing_with_a_group_that_has_no_such_items_claims_nothing(target):
    """All items labelled, and no positive one on the right: its true-positive rate does not exist."""
    pool = fl.Pool.from_arrays(
        predicted=["ant", "bee"] * 10, score=[0.7, 0.8] * 10, columns={"side": ["left"] * 10 + ["right"] * 10}
    )
    question = fl.Compare("true_positive_rate", by="side", a="left", b="right", positive="ant")
    study = fl.create_study(pool, question, target=target)
    study.tell({i: "ant" if i < 10 and i % 2 == 0 else "bee" for i in range(20)}, drawn="uniform")
    answer = study.answer()
    if target == "pool":
        assert math.isnan(answer.difference.value)
        assert (answer.difference.low, answer.difference.high) == (-1.0, 1.0)
    for probability in (answer.p_less, answer.p_equal, answer.p_more):
        assert 0 <= probability < 0.999
