"""Figure 2 of [ACIS21]: calibration and sampling distribution, round by round, as printed."""

from functools import partial
from typing import NamedTuple

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.calibration_map import fit_map
from fewlabels.core.evidence import NO_EVIDENCE
from fewlabels.core.importance import FSample, inside, optimal_distribution
from fewlabels.core.keyed import combine
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.reproduction.acis21.one_vs_rest import classes_of
from fewlabels.reproduction.base import Compared, Curve, Experiment, Found, Panel, Setup, about, mean_row, numbers
from fewlabels.simulation import Method, run_seed
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import prepare
from fewlabels.strategies import Acis

POOLS = ("cifar100-wrn", "clinc150-rare")
LABELS = (10, 30, 70, 150)  # at the ends of rounds 1 to 4; what is known then makes rounds 2 to 5
ROUNDS = len(LABELS) + 1
AS_PRINTED = Acis(caution=0)
NOTES = (
    "Shown is the class of median F1 in one trial; the numbers are means over all classes of the pool, one trial each, "
    "standard errors over classes.",
    "Distance of calibrated scores: sum over items of q* |c_i - c|, c being isotonic regression on all labels and q* "
    "the distribution of Eq. 3 from c and the true F1. Distance of the distribution: half the sum of |q_i - q*|, the "
    "share of draws that go elsewhere.",
)


class Round(NamedTuple):
    """What a round goes by, cell by cell: the score, its calibration, and the chance of one item over its share."""

    score: Array
    calibrated: Array
    chance: Array  # q / p
    share: Array  # q of the whole cell


def by_round(setup: Setup) -> Found:
    """How calibration and distribution come nearer to what all labels would make of them."""
    panels, rows = list[Panel](), list[Compared]()
    for called in POOLS:
        pool = setup.pool(called)
        found = np.stack(setup.each(partial(distances, pool), classes_of(pool)))  # (n_classes, n_rounds + F1, 2)
        for place, what in enumerate(("distance of calibrated scores", "distance of the distribution")):
            rows += [
                mean_row(f"{called}: {what}, round {i + 1}", None, found[:, i, place], rounding=0.0005)
                for i in range(ROUNDS)
            ]
        middle = classes_of(pool)[int(np.argsort(found[:, ROUNDS, 0], kind="stable")[len(found) // 2])]
        panels += _panels(called, pool, middle)
    return Found(rows, NOTES, panels)


def _panels(called: str, pool: Pool, number: int) -> list[Panel]:
    rounds, best, _ = rounds_of(pool, number)
    shown = [*((f"round {i + 1}", one) for i, one in enumerate(rounds)), ("all labels", best)]
    calibration = tuple(Curve(name, numbers(one.score), numbers(one.calibrated)) for name, one in shown)
    chance = tuple(Curve(name, numbers(one.score), numbers(one.chance)) for name, one in shown)
    title = f"{called}, {pool.classes[number]}"
    return [
        Panel(f"{title}: calibration", "score", "calibrated score", calibration, diagonal=True),
        Panel(f"{title}: distribution", "score", "chance of an item, 1 being uniform", chance, log=True),
    ]


def distances(pool: Pool, number: int) -> Array:
    """How far each round is from what all labels would make of it, and the class's F1: (n_rounds + 1, 2)."""
    rounds, best, f1 = rounds_of(pool, number)
    found = [
        (float(best.share @ np.abs(one.calibrated - best.calibrated)), float(np.abs(one.share - best.share).sum() / 2))
        for one in rounds
    ]
    return np.array([*found, (f1, f1)])


def rounds_of(pool: Pool, number: int) -> tuple[list[Round], Round, float]:
    """The rounds of one trial of one class, what they would be with all labels, and its F1."""
    question, method = Estimate("f1", positive=pool.classes[number]), Method(AS_PRINTED, "acis")
    job = prepare(pool, None, question, [method], np.array(LABELS), combine(0, number) >> 1, ["mse"])
    assessment, known, seed = job.assessments[0], job.known[0], run_seed(job.seed, 0)
    evidence = [NO_EVIDENCE, *run_draws(assessment, known.deal(seed), job.budgets, seed)]
    samples = [assessment.f_samples(one)[0] for one in evidence]
    rounds = [
        _round(sample, AS_PRINTED.calibrated(sample, i + 1), AS_PRINTED.distribution(sample, i + 1))
        for i, sample in enumerate(samples)
    ]
    positive = np.bincount(known.cell[known.label == number], minlength=len(samples[0].size)).astype(np.float64)
    return rounds, *_of_all_labels(samples[0], positive)


def _of_all_labels(sample: FSample, positive: Array) -> tuple[Round, float]:
    """Eq. 3 with isotonic regression on all labels, so many of each cell being positive; and the true F1."""
    size, yhat = sample.size.astype(np.float64), sample.predicted
    f1 = float(2 * (positive @ yhat) / max(size @ yhat + positive.sum(), 1.0))
    c = inside(fit_map("isotonic", sample.score, positive / size, size)(sample.score), AS_PRINTED.epsilon)
    g = float(np.clip(f1, AS_PRINTED.epsilon, 1 - AS_PRINTED.epsilon))
    return _round(sample, c, optimal_distribution(c, yhat, g, sample.alpha)), f1


def _round(sample: FSample, calibrated: Array, density: Array) -> Round:
    order, share = np.argsort(sample.score, kind="stable"), sample.size * density
    total = share.sum()
    chance = density * sample.items / total
    return Round(sample.score[order], calibrated[order], chance[order], share[order] / total)


figure_2 = Experiment(
    by_round,
    "ACIS's calibration and distribution by round",
    "[ACIS21] Figure 2: calibration and sampling distribution, round by round",
    about(*POOLS),
    1,
    once=True,
)
