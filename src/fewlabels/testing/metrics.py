"""What every metric promises: the plain figure once all is labelled, honest intervals before that, and that what it
declares of itself is so."""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from fewlabels.answers import Answer, Finding, Target
from fewlabels.assessment import Assessment, assess
from fewlabels.core.arrays import Ints
from fewlabels.core.intervals import IntervalKind
from fewlabels.core.priors import PriorName
from fewlabels.metrics import METRICS, Metric, metric_from_json, metric_to_json
from fewlabels.questions import Estimate
from fewlabels.settings import StudySettings
from fewlabels.study import Study
from fewlabels.study.creation import create_study
from fewlabels.testing.promises import Promise, assert_close, check_all, known_by_name
from fewlabels.testing.world import CLASSES, World, agreeing

Exact: TypeAlias = Callable[[World, Ints], float]  # a metric's value on some items, all of whose labels are known
ESTIMATORS = ("beta", "frequency")
LEAST_WIDTH = 0.005  # one wrong item among the unlabelled of an agreeing pool moves a figure by 1/40 or more


@dataclass(frozen=True)
class MetricCase:
    """A question, and the plain figure of each of its rows on a pool whose items are all labelled."""

    question: Estimate
    plain: Callable[[World], dict[str, float]]
    other: bool = False  # on a pool with a true class no model predicts
    frequency_only: bool = False  # it can be read off plain frequencies alone

    @property
    def world(self) -> World:
        return World(other=self.other)

    def study(self, estimator: str, world: World, **more: Any) -> Study:
        by = "frequency" if self.frequency_only else estimator
        return create_study(world.pool, self.question, estimator=by, strategy="uniform", **more)

    def assessment(self, world: World) -> Assessment:
        return assess(StudySettings(self.question, estimator="frequency"), self.question, world.pool, "model")


def check_metric(metric: Metric, exact: Exact, by: Sequence[object] = (None, "side")) -> None:
    """Raise where the metric breaks a promise. `exact` says what its value is on some items of a `World`, from their
    true classes; `by` are the groupings it is asked by, each group being one row.

    For a metric whose rows are no groups, give `check_metric_cases` the figures of each row.
    """
    asked = [Estimate(metric, by=one) for one in (by if metric.of_groups else (None,))]
    check_metric_cases([MetricCase(question, in_groups(question, exact)) for question in asked])


def check_metric_cases(cases: Sequence[MetricCase]) -> None:
    """Raise where a metric breaks a promise in one of these cases."""
    metric = cases[0].question.metric
    with known_by_name(METRICS, metric):
        check_all(metric.name, (promise for case in cases for promise in promises(case)))


def in_groups(question: Estimate, exact: Exact) -> Callable[[World], dict[str, float]]:
    """The plain figure of each group of a question."""

    def plain(world: World) -> dict[str, float]:
        items = np.arange(world.items)
        cells = world.pool.engine.summarise("model", question.groups, probabilities=False)
        groups = cells.partition(question.groups)
        group = groups.index[world.pool.engine.outputs_of("model", question.groups, items.tolist())[0]]
        return {name: exact(world, items[group == g]) for g, name in enumerate(groups.labels)}

    return plain


def promises(case: MetricCase) -> Iterator[Promise]:
    """Each promise, as a call."""
    metric = case.question.metric
    yield partial(kept_with_its_arguments, metric)
    yield partial(what_it_declares_is_so, case)
    for estimator in ("frequency",) if case.frequency_only else ESTIMATORS:
        yield partial(exact_once_all_is_labelled, case, estimator)
        yield partial(blind_to_the_order_of_items, case, estimator)
        yield partial(value_in_its_interval, case, estimator)
        for labelled in (0, 4, 8):
            pool = agreeing(0.8, classes=CLASSES)
            yield partial(wide_while_an_item_is_unlabelled, pool, Estimate(metric), labelled, estimator=estimator)
    if not case.frequency_only:
        yield partial(uncertain_about_the_population, case)
        yield partial(prior_said_to_be_one, case)
    yield partial(nothing_claimed_without_a_prior, case)


def findings(answer: Answer) -> list[Finding]:
    """Every number of an answer."""
    return [*answer.findings, *([] if answer.overall is None else [answer.overall])]


def _defined_rows(case: MetricCase) -> set[str]:
    """Rows whose value follows from their definition, labels or not."""
    assessed = case.assessment(case.world)
    rows = assessed.metric.rows(assessed.view)
    return {rows.names[i] for i in rows.defined}


# -- one promise each ----------------------------------------------------------------------------------------------


def exact_once_all_is_labelled(case: MetricCase, estimator: str = "beta", prior: PriorName = "scores") -> None:
    """A fully labelled pool has the plain figure, and no interval; a row without items has none."""
    world = case.world
    study = case.study(estimator, world, prior=prior, target="pool")
    study.tell(world.labels(), drawn="uniform")
    expected, found = case.plain(world), {f.group: f for f in study.answer().findings}
    assert set(expected) <= set(found), f"rows are {sorted(found)}; expected were {sorted(expected)}"
    for group, finding in found.items():
        if group in expected:
            assert_close((finding.value, finding.low, finding.high), (expected[group],) * 3)
        else:
            assert math.isnan(finding.value), f"{group} has no items, and a value of {finding.value}"


def uncertain_about_the_population(case: MetricCase) -> None:
    """Labels of the whole pool do not end uncertainty about the population it came from."""
    world, defined = case.world, _defined_rows(case)
    study = case.study("beta", world, target="population")
    study.tell(world.labels(), drawn="uniform")
    for finding in findings(study.answer()):
        assert finding.group in defined or finding.high - finding.low > 1e-3, str(finding)


def blind_to_the_order_of_items(case: MetricCase, estimator: str = "beta") -> None:
    """Neither the order of the items nor that of their labels matters."""
    world = case.world
    pool = world.shuffled(np.random.default_rng(5).permutation(world.items))
    study = case.study(estimator, world)
    shuffled = create_study(pool, case.question, estimator=study.settings.estimator, strategy="uniform")
    told = world.labels(np.random.default_rng(6).permutation(world.items)[:30])
    study.tell(told, drawn="uniform")
    shuffled.tell(dict(reversed(told.items())), drawn="uniform")
    for one, two in zip(findings(study.answer()), findings(shuffled.answer()), strict=True):
        assert one.group == two.group, f"rows come as {one.group} and as {two.group}"
        assert_close((one.value, one.low, one.high), (two.value, two.low, two.high), 1e-9)


def value_in_its_interval(
    case: MetricCase, estimator: str = "beta", target: Target = "pool", interval: IntervalKind = "equal-tailed"
) -> None:
    """The value lies in its interval and both between the metric's bounds, whatever the number of labels."""
    world = case.world
    study, order = case.study(estimator, world, target=target), np.random.default_rng(7).permutation(world.items)
    assessed = case.assessment(world)
    least, most = assessed.metric.bounds(assessed.view)
    for upto in (0, 1, 7, 45):
        if upto:
            study.tell(world.labels(order[:upto]), drawn="uniform")
        answer = study.answer(interval=interval)
        for f in findings(answer):
            if math.isnan(f.low):
                assert f.labels < f.ranked_from, f"{f.group} has {f.labels} labels, and no interval"
                continue
            assert f.low <= f.high, f"{f.group} lies from {f.low} to {f.high}"
            assert math.isnan(f.value) or f.low <= f.value <= f.high, f"{f.group}: {f.value} in {f.low} to {f.high}"
            assert (f.level, f.target) == (0.95, target)
            assert f.method, f"{f.group} does not say how it came about"
        for f in (f for f in answer.findings if not math.isnan(f.low)):
            assert least - 1e-9 <= f.low <= f.high <= most + 1e-9, f"{f} is not between {least} and {most}"


def prior_said_to_be_one(case: MetricCase) -> None:
    """Before the first label the prior is shown, with a width, and said to be one."""
    world = case.world
    answer = case.study("beta", world, prior="scores").answer()
    for finding in findings(answer):
        assert finding.labels == 0, f"{finding.group} counts {finding.labels} labels, and there are none"
        assert_close(finding.prior_share, 1, 1e-6)
    assert any("rests on" in note for note in answer.notes), "no note says that the answer rests on the prior"
    assessed = case.assessment(world)
    least, _ = (assessed.metric if answer.overall is None else assessed.metric.overall or assessed.metric).bounds(
        assessed.view
    )
    for finding in answer.findings if answer.overall is None else [answer.overall]:
        value = finding.value if finding.pooled_value is None else finding.pooled_value
        assert value > least, f"{finding.group} is {value} before anything is known"
        assert not finding.high - finding.low <= 0.05, str(finding)  # a group without a label has no interval


def nothing_claimed_without_a_prior(case: MetricCase) -> None:
    """Without a prior nothing is claimed before the first label."""
    answer, defined = case.study("frequency", case.world).answer(), _defined_rows(case)
    for finding in findings(answer):
        if finding.group not in defined:
            assert math.isnan(finding.value), f"{finding.group} is {finding.value}, and nothing is known"
            assert str(finding).startswith(("no labels yet", "not labelled yet")), str(finding)


def wide_while_an_item_is_unlabelled(
    world: tuple[Any, dict[int, str]], question: Estimate, labelled: int, least: float = LEAST_WIDTH, **more: Any
) -> None:
    """An interval has a width as long as an item is unlabelled, though all labels agree.

    The world is one of `agreeing`, of whose every ten items so many are labelled.
    """
    pool, right = world
    study = create_study(pool, question, strategy="uniform", **more)
    if labelled:
        study.tell({i: right[i] for i in right if i % 10 < labelled}, drawn="uniform")
    for finding in findings(study.answer()):
        assert not finding.high - finding.low <= least, str(finding)  # too few labels: there is no interval


def what_it_declares_is_so(case: MetricCase) -> None:
    """One value a draw and row; linear where it says so, and scale * rate + shift where it says so; its influence is
    its derivative."""
    assessed = case.assessment(case.world)
    metric, view, outcome = assessed.metric, assessed.view, assessed.outcome
    rng, cells = np.random.default_rng(11), assessed.cells.count
    shape = (7, cells) if outcome.rates else (7, cells, outcome.width)
    theta = rng.uniform(size=shape)
    if not outcome.rates:
        theta /= theta.sum(axis=-1, keepdims=True)
    values = metric.values(theta, view)
    rows = len(metric.rows(view).names)
    assert values.shape == (7, rows), f"values are {values.shape}; 7 draws of {rows} rows are (7, {rows})"
    assert_close(metric.influence(theta[0], view), Metric.influence(metric, theta[0], view), 1e-5)
    if metric.linear:
        assert_close(metric.values(theta.mean(axis=0)[None], view)[0], values.mean(axis=0), 1e-9)
    if metric.scale is not None and outcome.rates and view.groups.single:
        order = np.argsort(view.groups.index)
        assert_close(values, metric.scale * theta[:, order] + metric.shift(view), 1e-9)


def kept_with_its_arguments(metric: Metric) -> None:
    """A metric is the same after it was kept."""
    again = metric_from_json(json.loads(json.dumps(metric_to_json(metric))))
    assert again == metric, f"{metric!r} came back as {again!r}"
