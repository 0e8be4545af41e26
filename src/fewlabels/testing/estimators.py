"""What every estimator promises that reads labels cell by cell: exact on a fully labelled pool, blind to order,
narrower with more labels."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from fewlabels.answers import Target
from fewlabels.assessment import Assessment, assess
from fewlabels.core.arrays import Array
from fewlabels.core.evidence import NO_EVIDENCE, Evidence
from fewlabels.estimators import ESTIMATORS, Estimator
from fewlabels.questions import Estimate, Question
from fewlabels.settings import StudySettings
from fewlabels.study import Study
from fewlabels.study.creation import create_study
from fewlabels.testing import f_estimators
from fewlabels.testing.metrics import findings
from fewlabels.testing.promises import Promise, assert_close, check_all, known_by_name, same_after_it_was_kept
from fewlabels.testing.world import World

ByNameOrItself: TypeAlias = str | Estimator
ITEMS = 90
RATES: Mapping[str, Question] = MappingProxyType(
    {
        "accuracy by class": Estimate("accuracy", by="predicted_class"),
        "calibration error": Estimate("calibration_error"),
        "true-positive rate": Estimate("true_positive_rate", positive="bee"),
    }
)
SHARES: Mapping[str, Question] = MappingProxyType(
    {"confusion": Estimate("confusion"), "macro-F1": Estimate("macro_f1", by="side")}
)
ORDERS = 15  # so many orders of some labels are tried


def check_estimator(estimator: Estimator, questions: Iterable[Question] | None = None) -> None:
    """Raise where the estimator breaks a promise. Without `questions` it is asked about rates and about shares of
    classes, or about F-scores where it reads labels draw by draw; one that knows rates alone is given `RATES`."""
    if estimator.reads_draws:
        asked = f_estimators.QUESTIONS.values() if questions is None else questions
        promises: Callable[[Estimator, Iterable[Question]], Iterator[Promise]] = f_estimators.promises
    else:
        asked = (*RATES.values(), *SHARES.values()) if questions is None else questions
        promises = _promises
    with known_by_name(ESTIMATORS, estimator):
        kept = partial(same_after_it_was_kept, estimator, ESTIMATORS)
        check_all(estimator.name, (kept, *promises(estimator, tuple(asked))))


def _promises(estimator: Estimator, questions: Iterable[Question]) -> Iterator[Promise]:
    for question in questions:
        yield partial(exact_once_all_is_labelled, estimator, question)
        yield partial(blind_to_the_order_of_labels, estimator, question)
        yield partial(labels_counted_once, estimator, question)
        yield partial(narrower_with_more_labels, estimator, question, "pool")
        yield partial(narrower_with_more_labels, estimator, question, "population")
        yield partial(pool_known_better_than_population, estimator, question)
        yield partial(wider_level_holds_a_narrower_one, estimator, question)
        yield partial(says_its_method, estimator, question)


def assessment_of(world: World, question: Question, estimator: ByNameOrItself) -> Assessment:
    """A question on a world's pool, its labels read by an estimator."""
    return assess(StudySettings(question, estimator=estimator), question, world.pool, "model")


def evidence_of(world: World, assessment: Assessment, items: Iterable[int]) -> Evidence:
    """The evidence that the labels of these items are, in this order."""
    chosen = np.array(list(items), dtype=np.int64)
    cell, predicted, score = world.pool.engine.outputs_of("model", assessment.cells.axes, chosen.tolist())
    return Evidence(chosen.tolist(), cell, predicted, world.true[chosen], score)


def _study(world: World, question: Question, estimator: ByNameOrItself, labels: int, target: Target = "pool") -> Study:
    study = create_study(world.pool, question, estimator=estimator, target=target, strategy="uniform")
    if labels:
        study.tell(world.labels(range(labels)), drawn="uniform")
    return study


def _widths(study: Study) -> Array:
    """Of each group; the whole range of a share where there are too few labels for an interval."""
    return np.array([1.0 if math.isnan(f.low) else f.high - f.low for f in study.answer().findings])


# -- one promise each ----------------------------------------------------------------------------------------------


def exact_once_all_is_labelled(estimator: ByNameOrItself, question: Question) -> None:
    """A fully labelled pool is known exactly, cell by cell."""
    world = World(ITEMS)
    assessed = assessment_of(world, question, estimator)
    everything = evidence_of(world, assessed, range(ITEMS))
    belief, positive = assessed.belief(everything), assessed.metric.of_class
    for c in range(assessed.cells.count):
        label, predicted = everything.label[everything.cell == c], everything.predicted[everything.cell == c]
        if not assessed.outcome.rates:
            assert_close(belief.pool_mean[c], [np.mean(label == j) for j in range(len(world.names))], 1e-14)
        elif positive is not None:
            assert_close(belief.pool_mean[c], np.mean(label == world.names.index(positive)), 1e-14)
        else:
            assert_close(belief.pool_mean[c], np.mean(label == predicted), 1e-14)
    assert (belief.unlabelled == 0).all(), "cells without unlabelled items are said to have some"


def blind_to_the_order_of_labels(estimator: ByNameOrItself, question: Question) -> None:
    """The order of the evidence does not matter, to the last bit."""
    world, rng = World(ITEMS), np.random.default_rng(12)
    assessed = assessment_of(world, question, estimator)
    for _ in range(ORDERS):
        items = rng.permutation(ITEMS)[: rng.integers(0, 41)]
        one = assessed.belief(evidence_of(world, assessed, items))
        two = assessed.belief(evidence_of(world, assessed, rng.permutation(items)))
        for first, second in ((one.tally, two.tally), (one.labels, two.labels), (one.mean, two.mean)):
            assert_close(first, second, 0.0)


def labels_counted_once(estimator: ByNameOrItself, question: Question) -> None:
    """Labels are counted once each, and the prior is not counted as labels."""
    world = World(ITEMS)
    assessed = assessment_of(world, question, estimator)
    none, some = assessed.belief(NO_EVIDENCE), assessed.belief(evidence_of(world, assessed, range(0, ITEMS, 3)))
    assert none.labels.sum() == 0, f"{none.labels.sum()} labels are counted, and there are none"
    assert some.labels.sum() == ITEMS / 3, f"{some.labels.sum()} labels are counted of {ITEMS // 3}"
    if not none.shared:  # what cells share is learnt from labels, and so is what it is worth
        assert_close(some.prior_strength, none.prior_strength, 0.0)
    assert_close(some.labels + some.unlabelled, assessed.cells.size, 0.0)


def narrower_with_more_labels(estimator: ByNameOrItself, question: Question, target: Target = "pool") -> None:
    """More labels narrow the intervals: the mean over groups and five orders at 6, 24 and 80 of 90 labels."""
    widths = np.zeros(3)
    for case in range(5):
        world = World(ITEMS, case=case % 3)
        study = _study(world, question, estimator, 0, target)
        order = np.random.default_rng(case).permutation(ITEMS)
        for step, upto in enumerate((6, 24, 80)):
            study.tell(world.labels(order[:upto]), drawn="uniform")
            widths[step] += _widths(study).mean() / 5
    assert widths[0] > widths[1] > widths[2], f"mean widths at 6, 24 and 80 labels are {widths.tolist()}"


def pool_known_better_than_population(estimator: ByNameOrItself, question: Question) -> None:
    """The items of a pool are known better than the population they came from."""
    pool, population = (_widths(_study(World(ITEMS), question, estimator, 60, t)) for t in ("pool", "population"))
    assert (pool < population).all(), f"widths are {pool.tolist()} for the pool, else {population.tolist()}"


def wider_level_holds_a_narrower_one(estimator: ByNameOrItself, question: Question) -> None:
    """An interval of a higher level holds that of a lower one, and the value is the same."""
    study = _study(World(ITEMS), question, estimator, 20)
    for half, most in zip(study.answer(level=0.5).findings, study.answer(level=0.99).findings, strict=True):
        if math.isnan(half.low) and math.isnan(most.low):
            continue  # too few labels for an interval of any level
        assert most.low <= half.low <= half.value <= half.high <= most.high, f"{half} and {most}"
        assert half.value == most.value, f"{half.value} at one level and {most.value} at another"


def says_its_method(estimator: ByNameOrItself, question: Question, words: str = "") -> None:
    """Every number says by which method it came about, in these words among others."""
    for finding in findings(_study(World(ITEMS), question, estimator, 0).answer()):
        assert finding.method, f"{finding.group} does not say how it came about"
        assert words in finding.method, f"{words!r} is not in {finding.method!r}"
