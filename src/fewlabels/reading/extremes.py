"""What skipped items may be: the labels that make a figure as low, and as high, as it can be.

A figure is read once for each of these, and its interval holds all of those intervals. Nothing is assumed of why an
item was skipped: it counts in its own cell and nowhere else, as the least and as the most favourable item that it may
be.

Why few readings are enough (docs/decisions/0029): accuracy, bias, cost and F-scores only rise, or only fall, with the
label of each item by itself, so that all ends are reached where every item is at its end. A calibration error is a sum
of absolute gaps: it is largest where each bin is at one of its two ends, and smallest where each is as near to its mean
score as it can be. A figure of one true class is lowest where all skipped items are of it.
"""

from typing import cast

import numpy as np

from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.evidence import Evidence
from fewlabels.core.skips import Skips
from fewlabels.metrics import OfOneClass

MOST_THRESHOLDS = 12  # of a curve that are tried by themselves
MOST_CLASSES = 30  # true classes that are tried by themselves
Ends = tuple[Ints, Ints]  # labels that make a figure low, and labels that make it high


def extremes(made: Assessment, skips: Skips) -> tuple[Evidence, ...]:
    """The evidence for each of the labels that skipped items may have and that decide an interval."""
    found: dict[bytes, Ints] = {}
    for label in _labels(made, skips):
        found.setdefault(np.asarray(label, dtype=np.int64).tobytes(), label)
    return tuple(skips.having(label) for label in found.values())


def against(made: Assessment, skips: Skips, named: Bools, *, lowest_first: bool) -> tuple[Evidence, Evidence]:
    """The evidence that speaks most against groups named first, and the one that speaks most for them."""
    low, high = _ends(made, skips)[0]
    inside = named[made.view.groups.index[skips.cell]]
    one, other = np.where(inside, high, low), np.where(inside, low, high)
    return (skips.having(one), skips.having(other)) if lowest_first else (skips.having(other), skips.having(one))


def _labels(made: Assessment, skips: Skips) -> list[Ints]:
    if made.question.of_models:
        return _of_models(made, skips)
    ends = _ends(made, skips)
    found = [label for pair in ends for label in pair]
    if made.question.kind == "compare":  # a difference is largest where one group is high and the other low
        of_first = made.view.groups.index[skips.cell] == made.compared()[0]
        for low, high in ends:
            found += [np.where(of_first, high, low), np.where(of_first, low, high)]
    if made.outcome.rates:
        along = made.metric.of_class is None and (not made.metric.linear or made.lens.mean_scores is not None)
        return [*found, *_tilted(made, skips)] if along else found
    several = made.metric.costs(made.view) is None and len(made.lens.rows.names) > 1
    return [*found, *_of_each_class(made, skips)] if several else found


def _ends(made: Assessment, skips: Skips) -> list[Ends]:
    """Labels that make the figures low and high; several such pairs where rows differ in what an item is to them."""
    right, metric = skips.predicted, made.metric
    if (costs := metric.costs(made.view)) is not None:
        each = costs[skips.cell]
        return [(each.argmin(axis=1), each.argmax(axis=1))]
    if not made.outcome.rates:
        return [(_spread(made, skips), right)]
    if metric.of_class is not None:
        return _of_class(made, skips)
    wrong = _another(right, len(made.true_classes))
    turned = metric.scale is not None and metric.scale < 0
    plain = (right, wrong) if turned else (wrong, right)
    if metric.linear:
        return [plain]
    return [(_as_scored(made, skips, right, wrong), _far_from_scores(made, skips, right, wrong)), plain]


def _another(label: Ints, classes: int) -> Ints:
    """A class that is not this one, where there is another."""
    return np.asarray(np.where(label == 0, min(1, classes - 1), 0))


def _of_class(made: Assessment, skips: Skips) -> list[Ends]:
    """An F-score rises with a predicted item that is positive and with one not predicted that is not. Of a curve each
    threshold has predictions of its own."""
    one = made.true_classes.index(str(made.metric.of_class))
    positive, other = np.full(skips.count, one), _another(np.full(skips.count, one), len(made.true_classes))
    said = [predicted > 0 for _, predicted in cast(OfOneClass, made.metric).figures(made.cells)]
    some = np.unique(np.linspace(0, len(said) - 1, min(MOST_THRESHOLDS, len(said))).round().astype(int))
    hits = [said[i][skips.cell] for i in some.tolist()]
    pairs = [(np.where(hit, other, positive), np.where(hit, positive, other)) for hit in hits]
    return [*pairs, (other, positive)] if len(said) > 1 or made.metric.ranked else pairs


def _in_units(made: Assessment, skips: Skips) -> tuple[Ints, Array, Array]:
    """The unit of each skipped item; and of each unit the hits that its mean score expects of labelled and skipped
    items together, and those among the labelled ones."""
    units, told = made.view.units, skips.told
    hits = np.bincount(units.index[told.cell], told.label == told.predicted, units.count).astype(np.float64)
    size, expected = made.cells.size, made.outcome.expected(made.view)
    score = np.bincount(units.index, expected * size, units.count) / np.maximum(units.size, 1)
    both = np.bincount(units.index[skips.evidence.cell], minlength=units.count)
    return units.index[skips.cell], score * both, hits


def _place(unit: Ints) -> Ints:
    """Of each item, how many of its unit come before it."""
    order = np.argsort(unit, kind="stable")
    found = np.empty(len(unit), dtype=np.int64)
    start = np.searchsorted(unit[order], unit[order])
    found[order] = np.arange(len(unit)) - start
    return found


def _as_scored(made: Assessment, skips: Skips, right: Ints, wrong: Ints) -> Ints:
    """As many right in each unit as bring its rate nearest to its mean score."""
    unit, expected, hits = _in_units(made, skips)
    return np.asarray(np.where(_place(unit) < np.rint(expected - hits)[unit], right, wrong))


def _far_from_scores(made: Assessment, skips: Skips, right: Ints, wrong: Ints) -> Ints:
    """All right or all wrong in each unit, whichever takes its rate further from its mean score."""
    unit, expected, hits = _in_units(made, skips)
    most = hits + np.bincount(unit, minlength=len(hits))
    return np.asarray(np.where((np.abs(most - expected) > np.abs(hits - expected))[unit], right, wrong))


def _spread(made: Assessment, skips: Skips) -> Ints:
    """All wrong, each of the class whose share of right predictions it lowers most."""
    told, classes = skips.told, len(made.true_classes)
    there = np.bincount(told.label, minlength=classes).astype(np.float64)
    hits = np.bincount(told.label, told.label == told.predicted, classes)
    found = np.zeros(skips.count, dtype=np.int64)
    for place, said in enumerate(skips.predicted.tolist()):
        lost = (hits + 0.5) / ((there + 1) * (there + 2))
        if said < classes and classes > 1:
            lost[said] = -1.0
        found[place] = which = int(lost.argmax())
        there[which] += 1
    return found


def _tilted(made: Assessment, skips: Skips) -> list[Ints]:
    """Right where scores are high and wrong where they are low, and the other way round: what a curve over scores that
    is fitted to all labels may turn by."""
    right, wrong = skips.predicted, _another(skips.predicted, len(made.true_classes))
    score = made.outcome.expected(made.view)[skips.cell]
    high = score > np.median(score)
    return [np.where(high, right, wrong), np.where(high, wrong, right)]


def _of_each_class(made: Assessment, skips: Skips) -> list[Ints]:
    """For each true class by itself, what makes its figure lowest: items predicted as it are of another, and all others
    are of it. Shares of pairs are highest where all are of it. The most frequent classes, where there are many."""
    classes, told = len(made.true_classes), skips.evidence
    seen = np.bincount(told.label, minlength=classes) + np.bincount(told.predicted, minlength=classes)
    other = _another(skips.predicted, classes)
    most = np.argsort(-seen, kind="stable")[:MOST_CLASSES].tolist()
    each = [np.full(skips.count, which) for which in most]
    return each if made.metric.pairs else [np.where(skips.predicted == label, other, label) for label in each]


def _of_models(made: Assessment, skips: Skips) -> list[Ints]:
    """The labels that are worst, and best, for the first of the models against each other one."""
    if made.scores is not None:
        return _of_scores(made, skips)
    if made.between is None:
        classes = range(min(len(made.true_classes), MOST_CLASSES))
        every = [np.full(skips.count, which) for which in classes]
        return [skips.predicted, _another(skips.predicted, len(made.true_classes)), *every]
    each = [
        made.between.values(np.full(skips.count, which), skips.cell) for which in range(len(made.true_classes))
    ]  # of each class: (n_skipped, n_models)
    worth, found = np.stack(each), []
    for model in range(worth.shape[2]):
        gained = worth[..., model] - np.delete(worth, model, axis=2).mean(axis=2)
        found += [gained.argmin(axis=0), gained.argmax(axis=0)]
    return found


def _of_scores(made: Assessment, skips: Skips) -> list[Ints]:
    assert made.scores is not None
    one = made.true_classes.index(made.scores.metric.positive)
    other = int(_another(np.array([one]), len(made.true_classes))[0])
    said: list[Bools] = [hit[skips.cell] > 0 for hit in made.scores.predicted]
    found = [np.full(skips.count, one), np.full(skips.count, other)]
    for hit in said:
        found += [np.where(hit, one, other), np.where(hit, other, one)]
    return found
