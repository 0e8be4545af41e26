"""Compiled runs that settle which groups stand out: the items of the plain step, and the claims of its certificate."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Ints
from fewlabels.core.certificate import sure_enough
from fewlabels.settling import among
from fewlabels.simulation import run as plain
from fewlabels.simulation.compiled import fast
from fewlabels.simulation.oracle import Known
from fewlabels.simulation.simulate import prepare

pytest.importorskip("numba", reason="the extra 'fast' is not installed")

from fewlabels.core.stratified import compiled, counts
from fewlabels.simulation.kernels.chosen import kernel_for
from fewlabels.simulation.kernels.settled import SettleRun
from fewlabels.simulation.kernels.steps import beta_steps

BY = "predicted_class"
SEED = 3


def parts(name: str) -> tuple[Ints, np.ndarray, np.ndarray]:
    """Of each item: its group, its score, and whether it is right."""
    rng = np.random.default_rng(len(name))
    sizes, errors = {
        "few groups": ([40, 60, 25, 3], [0.3, 0.1, 0.25, 0.0]),
        "many small groups": ([4] * 30, [0.2] * 30),
        "all alike": ([20] * 6, [0.0] * 6),
        "saturated": ([30] * 5, [0.05, 0.0, 0.1, 0.02, 0.3]),
        "large": ([2100, 60, 2030], [0.1, 0.2, 0.12]),
    }[name]
    group = np.repeat(np.arange(len(sizes)), sizes)
    right = rng.random(len(group)) >= np.asarray(errors)[group]
    score = np.clip(rng.beta(6, 1, len(group)), 1 / len(sizes), 1)
    return group, 1 - 10 ** -rng.uniform(5, 8, len(group)) if name == "saturated" else score, right


@cache
def made(name: str, question: fl.Identify, strategy: str = "settle") -> tuple[Assessment, Known]:
    group, score, right = parts(name)
    count = int(group.max()) + 1
    labels = [str(g) for g in np.where(right, group, (group + 1) % count)]
    classes = [str(g) for g in range(count)]
    pool = fl.Pool.from_arrays(predicted=[classes[g] for g in group], score=score, classes=classes)
    job = prepare(pool, labels, question, [fl.Method(strategy, "stratified")], np.array([1]), 0, None)
    return job.assessments[0], job.known[0]


def plain_cells(assessment: Assessment, known: Known, count: int, batch: int) -> Ints:
    """The cell of each draw by the step of a live study."""
    return plain.run_draws(assessment, known.deal(SEED), np.array([count]), SEED, (batch,))[0].cell


def settles(assessment: Assessment, batch: int = 1) -> SettleRun:
    found = kernel_for(assessment)
    assert isinstance(found, SettleRun)
    return SettleRun(found.assessment, batch)


WORST, THREE = fl.Identify("accuracy", by=BY), fl.Identify("accuracy", by=BY, top=3)
CASES = [
    ("few groups", WORST, 1),
    ("few groups", fl.Identify("calibration_bias", by=BY), 7),
    ("few groups", fl.Identify("accuracy", by=BY, which="best", within=0.0), 10),
    ("many small groups", WORST, 10),
    ("many small groups", THREE, 1),
    ("all alike", WORST, 7),
    ("all alike", THREE, 10),
    ("saturated", fl.Identify("calibration_bias", by=BY, top=3), 1),
    ("saturated", WORST, 10),
]


@pytest.mark.parametrize(("name", "question", "batch"), CASES, ids=str)
def test_it_draws_what_the_plain_step_draws(name, question, batch):
    """To the last item, and beyond."""
    assessment, known = made(name, question)
    items = int(known.cells.size.sum())
    with fast():
        expected = plain_cells(assessment, known, items, batch)
    assert len(expected) == items
    found = settles(assessment, batch).drawn(known.deal(SEED), items + 5, SEED)
    assert found.tolist() == expected.tolist()


def test_groups_of_many_items_are_counted_in_steps():
    assessment, known = made("large", WORST)
    with fast():
        expected = plain_cells(assessment, known, 60, 7)
    assert settles(assessment, 7).drawn(known.deal(SEED), 60, SEED).tolist() == expected.tolist()


def test_a_live_study_without_compiled_loops_draws_the_same():
    assessment, known = made("few groups", WORST)
    expected = plain_cells(assessment, known, 60, 7)
    assert settles(assessment, 7).drawn(known.deal(SEED), 60, SEED).tolist() == expected.tolist()


def test_another_seed_is_noticed():
    """The negative control."""
    assessment, known = made("few groups", WORST)
    one, other = (settles(assessment).drawn(known.deal(SEED), 60, seed).tolist() for seed in (SEED, SEED + 1))
    assert one != other


def test_counts_and_evidence_are_those_of_plain_runs():
    assessment, known = made("few groups", THREE)
    deck, budgets = known.deal(SEED), np.array([0, 5, 40])
    run = settles(assessment)
    with fast():
        assert np.array_equal(run(deck, budgets, SEED).counts, plain.run_plain(assessment, deck, budgets, SEED).counts)
        expected = plain.run_draws(assessment, deck, budgets, SEED)
    for one, other in zip(run.evidence(deck, budgets, SEED), expected, strict=True):
        for name in ("items", "cell", "predicted", "label", "score", "since", "probability"):
            assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=name in ("score", "probability"))
        assert one.designs == other.designs
        assert one.order.number.tolist() == other.order.number.tolist()


def test_simulations_measure_the_same_with_it_and_without(monkeypatch):
    group, score, right = parts("few groups")
    predicted, labels = group.astype(str), np.where(right, group, (group + 1) % 4).astype(str)
    pool = fl.Pool.from_arrays(predicted=predicted, score=score)
    how = {"methods": [fl.Method("settle", "stratified")], "budgets": [20, 60], "runs": 2, "workers": 1}
    found = fl.simulate(pool, labels.tolist(), WORST, **how)
    monkeypatch.setattr("fewlabels.simulation.compiled.FAST", False)
    assert np.array_equal(found.values, fl.simulate(pool, labels.tolist(), WORST, **how).values)


def test_what_is_asked_of_the_population_is_left_to_the_plain_step():
    assessment, _ = made("few groups", WORST)
    assert kernel_for(replace(assessment, settings=replace(assessment.settings, target="population"))) is None


# -- looks -------------------------------------------------------------------------------------------------------------


def first_claim(assessment: Assessment, known: Known, cells: Ints, batch: int, goal: float) -> tuple[int, list[int]]:
    """As certificates of the plain belief have it, looked at whenever labels come back."""
    question, figures = assessment.question, assessment.certified
    code = assessment.outcome.codes(known.deal(SEED).label, known.deal(SEED).predicted)[known.deal(SEED).dealt(cells)]
    for end in [*range(batch, len(cells), batch), len(cells)]:
        counted = np.zeros((assessment.cells.count, 2))
        np.add.at(counted, (cells[:end], code[:end]), 1.0)
        belief = assessment.certifying.after(counted)
        order = assessment.first(belief)
        sure = belief.certificate(among(order, question.top), question.within, figures, pool=True)
        if sure_enough(goal, sure.many, sure.few) and not sure.missing.any():
            return end, order[: question.top].tolist()
    return len(cells), []


@pytest.mark.parametrize("goal", [0.3, 0.7, 0.95, 0.999])
@pytest.mark.parametrize("strategy", ["settle", "uniform"])
@pytest.mark.parametrize(("name", "question", "batch"), [CASES[0], CASES[1], CASES[4], CASES[8]], ids=str)
def test_groups_are_named_at_the_look_that_the_certificate_allows(name, question, batch, strategy, goal):
    assessment, known = made(name, question, strategy)
    items, deck, given = int(known.cells.size.sum()), known.deal(SEED), np.zeros(0, dtype=np.int64)
    with fast():
        if strategy == "uniform":
            given = plain_cells(assessment, known, items, 1)
        cells = given if strategy == "uniform" else settles(assessment, batch).drawn(deck, items, SEED)
        expected = first_claim(assessment, known, cells, batch, goal)
    labels, named = SettleRun(assessment, batch).until(goal, deck, items, SEED, given)
    assert (labels, [] if named is None else named.tolist()) == expected


# -- its parts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 1.0), (1.3, 1.7), (1.0, 40.0), (250.5, 3.5), (900.0, 1200.0)])
def test_steps_of_a_beta_distribution_are_those_of_scipy(alpha, beta):
    expected = counts._beta_steps(counts.MOST_STEPS, alpha, beta)
    assert np.abs(beta_steps(counts.MOST_STEPS, alpha, beta) - expected).max() < 1e-13


def test_what_is_certain_is_what_the_certificate_says():
    rng = np.random.default_rng(0)
    for _ in range(20):
        sizes, top, scale = rng.integers(1, 9, 5), int(rng.integers(1, 4)), float(rng.choice([-1.0, 1.0]))
        share = np.concatenate([np.arange(n + 1) / n for n in sizes])
        upto = np.concatenate([[0.0, *np.cumsum(rng.dirichlet(np.ones(n + 1)))] for n in sizes])
        packed = (share, upto, np.cumsum([0, *(sizes + 1)]))
        about = (np.arange(5) < top, 0.05, scale, rng.random(5), 1e-12, 1e-13)
        assert compiled.certain(*packed, about) == compiled.certificate(*packed, about)[0]
