"""What every estimator that reads an F-score draw by draw promises, whichever strategy drew."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias, cast

import numpy as np

from fewlabels.answers import Target
from fewlabels.core.arrays import Bools
from fewlabels.core.evidence import Evidence
from fewlabels.estimators import Estimator, FEstimator
from fewlabels.metrics import FCurve, FScore, OfOneClass
from fewlabels.questions import Estimate, Question
from fewlabels.study import Study
from fewlabels.study.creation import create_study
from fewlabels.testing.folded import folded
from fewlabels.testing.promises import Promise, assert_close
from fewlabels.testing.world import World

ByNameOrItself: TypeAlias = str | Estimator
ITEMS = 90
BEE = 1  # the place of the positive class
STRATEGIES = ("doubt", "acis", "sawade", "top_k", "herding", "uniform")
THRESHOLDS = (0.2, 0.5)
QUESTIONS: Mapping[str, Question] = MappingProxyType(
    {
        "F1": Estimate("f1", positive="bee"),
        "precision": Estimate("precision", positive="bee"),
        "recall": Estimate("recall", positive="bee"),
        "F of alpha 0.3": Estimate(FScore(0.3, "bee")),
        "F1 by threshold": Estimate(FCurve("bee", THRESHOLDS)),
    }
)
ONE_NUMBER = ("F1", "precision", "recall")


def promises(estimator: Estimator, questions: Iterable[Question]) -> Iterator[Promise]:
    """Each promise, as a call."""
    for strategy in STRATEGIES:
        for question in questions:
            yield partial(exact_once_all_is_labelled, estimator, strategy, question)
        for name in ONE_NUMBER:
            yield partial(blind_to_the_order_of_draws, estimator, strategy, QUESTIONS[name])
            yield partial(wide_while_an_item_is_unlabelled, estimator, strategy, QUESTIONS[name])
        yield partial(says_its_method, estimator, strategy)


def true_values(world: World, question: Question) -> list[float]:
    """Eq. 1 of the ACIS paper, item by item, of each row: predicted as such, or from a threshold on."""
    metric = cast(OfOneClass, question.metric)
    hits = [world.predicted == BEE]
    if not metric.one_a_group:
        hits = [world.probabilities[:, BEE] >= t for t in cast(FCurve, metric).thresholds]
    return [_f(metric.alpha, hit, world.true == BEE) for hit in hits]


def _f(alpha: float, hit: Bools, positive: Bools) -> float:
    tp = sum(1 for h, y in zip(hit, positive, strict=True) if h and y)
    fp = sum(1 for h, y in zip(hit, positive, strict=True) if h and not y)
    fn = sum(1 for h, y in zip(hit, positive, strict=True) if y and not h)
    return tp / (alpha * (tp + fp) + (1 - alpha) * (tp + fn))


def study_of(
    world: World, question: Question, strategy: str, estimator: ByNameOrItself, labels: int, **more: Any
) -> Study:
    """A study with so many labels of those it asked for."""
    study = create_study(world.pool, question, strategy=strategy, estimator=estimator, seed=2, **more)
    for query in study.ask(labels):
        study.tell(query, world.names[world.true[int(query.item)]])
    return study


# -- one promise each ----------------------------------------------------------------------------------------------


def exact_once_all_is_labelled(estimator: ByNameOrItself, strategy: str, question: Question) -> None:
    """The F-score of a fully labelled pool is exact, however its items came about."""
    world = World(ITEMS)
    study = study_of(world, question, strategy, estimator, 25)
    study.tell(world.labels(i for i in range(ITEMS) if i not in study.labels), drawn="uniform")
    for finding, expected in zip(study.answer().findings, true_values(world, question), strict=True):
        assert_close((finding.value, finding.low, finding.high), (expected,) * 3, 1e-14)


def blind_to_the_order_of_draws(estimator: ByNameOrItself, strategy: str, question: Question) -> None:
    """The order of draws and labels does not matter."""
    study = study_of(World(ITEMS), question, strategy, estimator, 13)  # precision is about few items
    assessed, history = folded(study)
    read, evidence = cast(FEstimator, assessed.estimator).read, history.evidence()
    (one,), (two,) = assessed.f_samples(evidence), assessed.f_samples(_shuffled(evidence))
    for field in ("value", "variance", "cautious", "counted", "finite"):
        first, second = getattr(read(one), field), getattr(read(two), field)
        assert_close(first, second, max(1e-10 * abs(first), 1e-14))


def _shuffled(evidence: Evidence) -> Evidence:
    order = np.random.default_rng(1).permutation(evidence.count)
    place, draws = np.argsort(order), evidence.draws  # where each row went
    again = np.random.default_rng(2).permutation(len(draws.row))
    row, number, chance = place[draws.row[again]], draws.round[again], draws.probability[again]
    by_now = None if draws.by_now is None else draws.by_now[order]
    return replace(
        evidence,
        items=[evidence.items[i] for i in order],
        cell=evidence.cell[order],
        predicted=evidence.predicted[order],
        label=evidence.label[order],
        score=evidence.score[order],
        asked_in=evidence.since[order],
        drawn=replace(draws, row=row, round=number, probability=chance, by_now=by_now),
    )


def wide_while_an_item_is_unlabelled(
    estimator: ByNameOrItself, strategy: str, question: Question, target: Target = "pool"
) -> None:
    """An F-score has a width as long as an item that counts is unlabelled, though every label agrees.

    One wrong item of 90 would move the figure by 1/90 at least; an interval narrower than half of that promises what
    nobody knows.
    """
    world = World(ITEMS)
    for labels in (1, 5, 12, int((world.predicted == BEE).sum()) - 1):
        study = create_study(world.pool, question, strategy=strategy, estimator=estimator, seed=2, target=target)
        for query in study.ask(labels):
            study.tell(query, query.predicted)
        (finding,) = study.answer().findings
        assert finding.high - finding.low > 1 / 180, f"{finding} after {labels} labels"
        assert math.isnan(finding.value) or finding.low <= finding.value <= finding.high, str(finding)


def says_its_method(estimator: ByNameOrItself, strategy: str, words: str = "") -> None:
    """Every F-score says by which method it came about, in these words among others, and from how many labels."""
    (finding,) = study_of(World(ITEMS), QUESTIONS["F1"], strategy, estimator, 5).answer().findings
    assert finding.method, "the number does not say how it came about"
    assert words in finding.method, f"{words!r} is not in {finding.method!r}"
    assert finding.labels == 5, f"{finding.labels} labels are counted of 5"
