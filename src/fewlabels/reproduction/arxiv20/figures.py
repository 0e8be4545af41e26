"""The figures of [Ji20] v1 by name; Figures 1, 3, 8, 10 and 11 are those of [Ji21]."""

from dataclasses import replace
from functools import partial

from fewlabels.core.groups import ScoreBins
from fewlabels.core.priors import Prior
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.reading.cells import CellReading
from fewlabels.reproduction.arxiv20.figure_6 import costs_and_confusion
from fewlabels.reproduction.base import Compared, Experiment, about, mean_row, posterior
from fewlabels.reproduction.shapes.curves import FREQUENTIST, IPRIOR_TS, TS, Curves, Results
from fewlabels.reproduction.shapes.figure_pools import ALL_FIVE, CIFAR100, FIGURE_POOLS, IMAGENET, INSTEAD, SVHN
from fewlabels.reproduction.shapes.reliability import diagrams, ece_posterior
from fewlabels.simulation import Method

EDGE_NOTE = (
    "The prior Beta(j/10, 1 - j/10) of the text is centred on the upper edges of the bins, not on the diagonal, and "
    "for j = 10 it is Beta(1, 0), which is improper: its mean is taken as 1 - 1e-6 here."
)
BY_BIN = Estimate("accuracy", by=ScoreBins())


def at_the_end(results: Results) -> list[Compared]:
    """4.3: after 30 % of CIFAR-100 and 20 % of ImageNet all runs name the class; MRR is 0.5 and 0.2 else."""
    cifar, imagenet = (f"{pool.title}, top 1" for pool in (CIFAR100, IMAGENET))
    printed = (
        ("CIFAR-100", 30, cifar, "Active (TS)", 1.0, 0.005),
        ("CIFAR-100", 30, cifar, "Non-active", 0.5, 0.05),
        ("ImageNet", 20, imagenet, "Active (TS)", 1.0, 0.005),
        ("ImageNet", 20, imagenet, "Non-active", 0.2, 0.05),
    )
    return [
        mean_row(
            f"{called}, top 1: MRR at {share} % of the pool, {method}",
            paper,
            results[title].of(method, "mrr")[:, -1],
            rounding=rounding,
            other_pool=called == "ImageNet",
        )
        for called, share, title, method, paper, rounding in printed
    ]


def edge_reliability(pool: Pool, labels: int | None, strength: float | None = None) -> CellReading:
    """Accuracy by score bin under the prior Beta(j/10, 1 - j/10), from the labels of so many random items: Figure 9."""
    return posterior(pool, BY_BIN, labels, edge_prior(pool), strength)


def edge_prior(pool: Pool) -> Prior:
    """Mean j/10 for bin j, of strength 1; a pool without scores in a bin has no such group."""
    view = posterior(pool, BY_BIN, 0).view
    means = (view.cells.coordinates[:, 0] + 1) / 10
    return Prior(dict(zip(view.groups.labels, means, strict=True)), 1.0)


_POOLS = (
    replace(CIFAR100, accuracy_reach=(0.3, 0.65)),
    replace(IMAGENET, accuracy_reach=(0.2, 0.3)),
    *FIGURE_POOLS[2:],
)
_ACTIVE_OR_NOT = {"Active (TS)": TS, "Non-active": FREQUENTIST}
_LEAST_CALIBRATED = Curves(
    {"Active (TS)": Method("thompson", "beta", "diagonal"), "Non-active": Method("uniform", "beta", "diagonal")},
    metrics=("calibration",),
)

FIGURES = {
    "v1-figure-2": Experiment(
        partial(ece_posterior, prior="diagonal"),
        "posterior of ECE, prior on the diagonal",
        "[Ji20] v1 Figure 2: reliability and posterior of ECE, CIFAR-100, prior on the diagonal",
        about("cifar100-paper"),
        1,
        once=True,
        across=3,
    ),
    "v1-figure-4": Experiment(
        Curves(
            _ACTIVE_OR_NOT,
            pools=_POOLS,
            notes=(
                INSTEAD,
                "The non-active method reads plain frequencies; Thompson sampling starts from Beta(1, 1).",
            ),
            rows=at_the_end,
        ),
        "least accurate classes, active and not",
        "[Ji20] v1 Figure 4: active and non-active assessment, least accurate classes",
        ALL_FIVE,
        100,
        across=5,
    ),
    "v1-figure-5": Experiment(
        Curves({"Informative": IPRIOR_TS, "Uninformative": TS}, pools=(IMAGENET, SVHN), tops=(False,)),
        "informative and flat priors",
        "[Ji20] v1 Figure 5: informative and flat priors, least accurate class",
        about("imagenet", "svhn"),
        100,
        across=2,
    ),
    "v1-figure-6": Experiment(
        costs_and_confusion,
        "costs: matrices, success, estimated confusion",
        "[Ji20] v1 Figure 6: cost matrices, success, estimated confusion",
        about("cifar100-wrn"),
        100,
    ),
    "v1-figure-7": Experiment(
        _LEAST_CALIBRATED,
        "least calibrated classes, active and not",
        "[Ji20] v1 Figure 7: active and non-active assessment, least calibrated classes",
        ALL_FIVE,
        100,
        across=5,
        enough=10,
    ),
    "v1-figure-9": Experiment(
        partial(diagrams, read=edge_reliability, notes=(EDGE_NOTE, INSTEAD)),
        "reliability diagrams, prior at the bins' edges",
        "[Ji20] v1 Figure 9: Bayesian reliability diagrams, prior Beta(j/10, 1 - j/10)",
        ALL_FIVE,
        1,
        once=True,
        across=5,
    ),
    "v1-figure-12": Experiment(
        Curves(_ACTIVE_OR_NOT, strengths=(2.0, 10.0, 100.0)),
        "least accurate classes, stronger priors",
        "[Ji20] v1 Figure 12: least accurate classes under priors of strength 2, 10 and 100",
        ALL_FIVE,
        100,
        across=5,
        enough=20,
    ),
    "v1-figure-13": Experiment(
        replace(_LEAST_CALIBRATED, strengths=(2.0, 5.0, 10.0)),
        "least calibrated classes, stronger priors",
        "[Ji20] v1 Figure 13: least calibrated classes under priors of strength 2, 5 and 10",
        ALL_FIVE,
        100,
        across=5,
        enough=5,
    ),
}
