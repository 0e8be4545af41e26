"""What every metric promises: the plain figure once all is labelled, and honest intervals before that."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from sklearn import metrics as sk

import fewlabels as fl
from fewlabels.metrics import METRICS
from fewlabels.testing import MetricCase, World
from fewlabels.testing import metrics as promises
from fewlabels.testing.metrics import findings
from fewlabels.testing.world import CLASSES, agreeing

SUPERCLASS = {"ant": "insect", "bee": "insect", "cat": "mammal", "dog": "mammal"}
K, N = 4, 60
COST = np.array([[0.0, 1, 10, 2], [2, 0, 3, 1], [5, 1, 0, 1], [1, 4, 1, 0]])  # c[true, predicted]


# -- the plain computations ----------------------------------------------------------------------------------------


def in_groups(groups, figure: Callable) -> Callable[[World], dict[str, float]]:
    """The figure of the items of each group; `groups` gives each item's group name."""

    def plain(d: World) -> dict[str, float]:
        names = np.array(groups(d))
        return {str(g): figure(d, np.flatnonzero(names == g)) for g in sorted(set(names.tolist()))}

    return plain


def whole(d):
    return ["whole pool"] * N


def predicted_class(d):
    return [CLASSES[k] for k in d.predicted]


def crossed(d):
    return [f"{s} × {CLASSES[k]}" for s, k in zip(d.side, d.predicted, strict=True)]


def accuracy(d, items):
    return sk.accuracy_score(d.true[items], d.predicted[items])


def bias(d, items):
    return d.score[items].mean() - accuracy(d, items)


def cost(d, items):
    return float(np.mean([COST[d.true[i], d.predicted[i]] for i in items]))


def gaps(d, items, bins, count: int) -> list[tuple[float, float]]:
    """(share of the items, accuracy minus mean score) of each bin."""
    of_item = bins(d, count)
    out = []
    for b in range(count):
        inside = [i for i in items if of_item[i] == b]
        if inside:
            out.append((len(inside) / len(items), accuracy(d, inside) - d.score[inside].mean()))
    return out


def equal_width(d, count):
    return [min(int(s * count), count - 1) for s in d.score]


def equal_mass(d, count):
    """N is a multiple of the count and scores are distinct, so each bin holds the next N / count in order of score."""
    position = np.argsort(np.argsort(d.score))
    return (position // (N // count)).tolist()


def calibration_error(bins=equal_width, count=10, power=1):
    return lambda d, items: sum(p * abs(gap) ** power for p, gap in gaps(d, items, bins, count))


def maximum_gap(d, items):
    return max(abs(gap) for _, gap in gaps(d, items, equal_width, 10))


def true_positive_rate(d, items):
    return sk.recall_score(d.true[items] == 1, d.predicted[items] == 1)


def confusion(d: World) -> dict[str, float]:
    matrix = sk.confusion_matrix(d.true, d.predicted, labels=range(len(d.names)), normalize="pred")
    return {f"{CLASSES[k]} → {name}": matrix[j, k] for k in range(K) for j, name in enumerate(d.names)}


def by_true_class(d: World) -> dict[str, float]:
    recalls = sk.recall_score(d.true, d.predicted, labels=range(len(d.names)), average=None)
    return dict(zip(d.names, recalls, strict=True))


def by_true_class_and_side(d: World) -> dict[str, float]:
    return {
        f"{name} × {side}": accuracy(d, np.flatnonzero((d.true == j) & (d.side == side)))
        for side in ("left", "right")
        for j, name in enumerate(d.names)
        if ((d.true == j) & (d.side == side)).any()
    }


def reliability(d: World) -> dict[str, float]:
    of_item = np.array(equal_width(d, 10))
    return {f"{b / 10:.1f}–{(b + 1) / 10:.1f}": accuracy(d, np.flatnonzero(of_item == b)) for b in sorted(set(of_item))}


def smooth_curve(d: World) -> dict[str, float]:
    """Five points, each a mean over all of them: as heavy as they are near, counted in points up to two and a half."""
    of_item, found = np.array(equal_mass(d, 5)), {}
    right = [accuracy(d, np.flatnonzero(of_item == b)) for b in range(5)]
    for b in range(5):
        near = [max(0.0, 1 - abs(b - c) / 2.5) ** 2 for c in range(5)]
        scores = d.score[of_item == b]
        name = f"{scores.min():.3f}–{scores.max():.3f}"
        found[name] = sum(n * r for n, r in zip(near, right, strict=True)) / sum(near)
    return found


def balanced(d, items):
    """The mean over the classes that occur of the share of their items that are predicted so."""
    return float(np.mean([np.mean(d.predicted[items][d.true[items] == j] == j) for j in set(d.true[items].tolist())]))


def macro_f1(d, items):
    return sk.f1_score(d.true[items], d.predicted[items], average="macro")


def f_score(alpha: float, threshold: float | None = None) -> Callable:
    """scikit-learn's F of bees; its beta² is (1 - alpha) / alpha."""

    def figure(d, items):
        hit = d.predicted[items] == 1 if threshold is None else d.probabilities[items, 1] >= threshold
        if alpha in (0, 1):
            return (sk.precision_score if alpha else sk.recall_score)(d.true[items] == 1, hit)
        return sk.fbeta_score(d.true[items] == 1, hit, beta=math.sqrt((1 - alpha) / alpha))

    return figure


THRESHOLDS = (0.1, 0.25, 0.6)


def f_curve(alpha: float) -> Callable[[World], dict[str, float]]:
    return lambda d: {f"threshold {t:g}": f_score(alpha, t)(d, np.arange(N)) for t in THRESHOLDS}


def ece(**more) -> fl.CalibrationError:
    return fl.CalibrationError(**more)


CASES = {
    "accuracy": MetricCase(fl.Estimate("accuracy"), in_groups(whole, accuracy)),
    "accuracy by predicted class": MetricCase(
        fl.Estimate("accuracy", by="predicted_class"), in_groups(predicted_class, accuracy)
    ),
    "accuracy by column": MetricCase(fl.Estimate("accuracy", by="side"), in_groups(lambda d: d.side, accuracy)),
    "accuracy by a crossing": MetricCase(
        fl.Estimate("accuracy", by=("side", "predicted_class")), in_groups(crossed, accuracy)
    ),
    "accuracy by superclass": MetricCase(
        fl.Estimate("accuracy", by=fl.ClassMap(SUPERCLASS)),
        in_groups(lambda d: [SUPERCLASS[CLASSES[k]] for k in d.predicted], accuracy),
    ),
    "accuracy by score bin": MetricCase(fl.Estimate("accuracy", by="score_bin"), reliability),
    "accuracy by true class": MetricCase(fl.Estimate("accuracy", by="true_class"), by_true_class),
    "accuracy by true class, one never predicted": MetricCase(
        fl.Estimate("accuracy", by="true_class"), by_true_class, other=True
    ),
    "accuracy by true class and column": MetricCase(
        fl.Estimate("accuracy", by=("true_class", "side")), by_true_class_and_side
    ),
    "accuracy with a true class never predicted": MetricCase(
        fl.Estimate("accuracy", by="predicted_class"), in_groups(predicted_class, accuracy), other=True
    ),
    "true-positive rate": MetricCase(
        fl.Estimate("true_positive_rate", positive="bee"), in_groups(whole, true_positive_rate)
    ),
    "true-positive rate by column": MetricCase(
        fl.Estimate("true_positive_rate", by="side", positive="bee"), in_groups(lambda d: d.side, true_positive_rate)
    ),
    "calibration bias": MetricCase(fl.Estimate("calibration_bias"), in_groups(whole, bias)),
    "calibration bias by predicted class": MetricCase(
        fl.Estimate("calibration_bias", by="predicted_class"), in_groups(predicted_class, bias)
    ),
    "calibration error": MetricCase(fl.Estimate("calibration_error"), in_groups(whole, calibration_error())),
    "calibration error by predicted class": MetricCase(
        fl.Estimate("calibration_error", by="predicted_class"), in_groups(predicted_class, calibration_error())
    ),
    "squared calibration error": MetricCase(
        fl.Estimate(ece(norm="squared")), in_groups(whole, calibration_error(power=2))
    ),
    "maximum calibration error": MetricCase(fl.Estimate(ece(norm="maximum")), in_groups(whole, maximum_gap)),
    "calibration error, bins of equal mass": MetricCase(
        fl.Estimate(ece(bins=fl.ScoreBins(5, "mass"))), in_groups(whole, calibration_error(equal_mass, 5))
    ),
    "debiased squared calibration error": MetricCase(
        fl.Estimate(ece(norm="squared", debias=True)),
        in_groups(whole, calibration_error(power=2)),
        frequency_only=True,
    ),
    "reliability": MetricCase(fl.Estimate("reliability"), reliability),
    "reliability curve": MetricCase(fl.Estimate(fl.ReliabilityCurve(5)), smooth_curve),
    "confusion": MetricCase(fl.Estimate("confusion"), confusion),
    "confusion with a true class never predicted": MetricCase(fl.Estimate("confusion"), confusion, other=True),
    "cost": MetricCase(fl.Estimate(fl.Cost(COST, CLASSES)), in_groups(whole, cost)),
    "cost by predicted class": MetricCase(
        fl.Estimate(fl.Cost(COST, CLASSES), by="predicted_class"), in_groups(predicted_class, cost)
    ),
    "cost of any mistake": MetricCase(fl.Estimate("cost"), in_groups(whole, lambda d, items: 1 - accuracy(d, items))),
    "balanced accuracy": MetricCase(fl.Estimate("balanced_accuracy"), in_groups(whole, balanced)),
    "balanced accuracy by column": MetricCase(
        fl.Estimate("balanced_accuracy", by="side"), in_groups(lambda d: d.side, balanced)
    ),
    "macro-F1": MetricCase(fl.Estimate("macro_f1"), in_groups(whole, macro_f1)),
    "macro-F1 with a true class never predicted": MetricCase(
        fl.Estimate("macro_f1"), in_groups(whole, macro_f1), other=True
    ),
    "macro-F1 by column": MetricCase(fl.Estimate("macro_f1", by="side"), in_groups(lambda d: d.side, macro_f1)),
    "F1": MetricCase(fl.Estimate("f1", positive="bee"), in_groups(whole, f_score(0.5))),
    "F1 with a true class never predicted": MetricCase(
        fl.Estimate("f1", positive="bee"), in_groups(whole, f_score(0.5)), other=True
    ),
    "precision": MetricCase(fl.Estimate("precision", positive="bee"), in_groups(whole, f_score(1))),
    "recall": MetricCase(fl.Estimate("recall", positive="bee"), in_groups(whole, f_score(0))),
    "F of alpha 0.3": MetricCase(fl.Estimate(fl.FScore(0.3, "bee")), in_groups(whole, f_score(0.3))),
    "F1 at a threshold": MetricCase(
        fl.Estimate(fl.FScore(0.5, "bee", threshold=0.25)), in_groups(whole, f_score(0.5, 0.25))
    ),
    "F1 by column": MetricCase(fl.Estimate("f1", by="side", positive="bee"), in_groups(lambda d: d.side, f_score(0.5))),
    "F1 by threshold": MetricCase(fl.Estimate(fl.FCurve("bee", THRESHOLDS)), f_curve(0.5)),
    "F1, precision and recall": MetricCase(
        fl.Estimate(["f1", "precision", "recall"], positive="bee"),
        lambda d: {
            name: f_score(alpha)(d, np.arange(N)) for name, alpha in (("F1", 0.5), ("precision", 1), ("recall", 0))
        },
    ),
    "precision by threshold": MetricCase(fl.Estimate(fl.FCurve("bee", THRESHOLDS, alpha=1.0)), f_curve(1)),
}
every_case = pytest.mark.parametrize("name", CASES)
every_estimator = pytest.mark.parametrize("estimator", ["beta", "frequency"])


def study_of(name: str, estimator: str, data: World, **more) -> fl.Study:
    return CASES[name].study(estimator, data, **more)


def test_every_metric_has_a_case():
    assert {case.question.metric.name for case in CASES.values()} == set(METRICS)


# -- everything labelled -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prior", ["flat", "scores"])
@every_estimator
@every_case
def test_a_fully_labelled_pool_has_the_plain_figure_and_no_interval(name, estimator, prior):
    promises.exact_once_all_is_labelled(CASES[name], estimator, prior)


F_CASES = [name for name, case in CASES.items() if isinstance(case.question.metric, fl.FScore | fl.FCurve | fl.FScores)]
OF_THE_POOL = [n for n in F_CASES if "by column" not in n and not n.startswith("true-positive")]


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


@every_case
def test_labels_of_the_whole_pool_do_not_end_uncertainty_about_the_population(name):
    promises.uncertain_about_the_population(CASES[name])


# -- names and order -----------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.frequency_only])
def test_before_the_first_label_the_prior_is_shown_and_said_to_be_one(name):
    promises.prior_said_to_be_one(CASES[name])


@every_case
def test_without_a_prior_nothing_is_claimed_before_the_first_label(name):
    promises.nothing_claimed_without_a_prior(CASES[name])


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
}


def test_the_agreeing_pool_is_asked_about_every_metric():
    assert {question.metric.name for question in AGREEING.values()} == set(METRICS)


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
