"""Every metric with a plain computation of its figure on a fully labelled pool."""

import math
from collections.abc import Callable

import numpy as np
from sklearn import metrics as sk

import fewlabels as fl
from fewlabels.testing import MetricCase, World
from fewlabels.testing.world import CLASSES

SUPERCLASS = {"ant": "insect", "bee": "insect", "cat": "mammal", "dog": "mammal"}
K, N = 4, 60
COST = np.array([[0.0, 1, 10, 2], [2, 0, 3, 1], [5, 1, 0, 1], [1, 4, 1, 0]])  # c[true, predicted]


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
    "precision and recall by threshold": MetricCase(
        fl.Estimate(fl.PrecisionRecall("bee", THRESHOLDS)),
        lambda d: {
            f"{name} at {t:g}": f_score(alpha, t)(d, np.arange(N))
            for name, alpha in (("precision", 1), ("recall", 0))
            for t in THRESHOLDS
        },
    ),
    "average precision": MetricCase(
        fl.Estimate("average_precision", positive="bee"),
        in_groups(whole, lambda d, i: sk.average_precision_score(d.true[i] == 1, d.probabilities[i, 1])),
    ),
    "precision by threshold": MetricCase(fl.Estimate(fl.FCurve("bee", THRESHOLDS, alpha=1.0)), f_curve(1)),
}
