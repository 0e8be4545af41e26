"""The figures of [Ji19] by name. Figure 4 shows no experiment."""

from functools import partial

import numpy as np

from fewlabels.reproduction.base import Compared, Experiment, about
from fewlabels.reproduction.shapes.classes import biases, ranks
from fewlabels.reproduction.shapes.curves import TS, Curves, Results
from fewlabels.reproduction.shapes.figure_pools import CIFAR100, DIALOGUES, INSTEAD, SVHN
from fewlabels.simulation import Method


def in_every_run(results: Results) -> list[Compared]:
    """6.3: in all of the trials the least accurate class is identified within 3,000 queries."""
    found = next(iter(results.values()))
    place = int(np.searchsorted(found.budgets, min(3000, found.budgets[-1])))
    rate = 100 * found.of("Active", "success")[:, min(place, len(found.budgets) - 1)]
    error = float(np.sqrt(max(rate.mean() * (100 - rate.mean()), 100.0) / len(rate)))
    what = "% of runs that name the class at 3,000 labels, active"
    return [Compared(what, 100.0, float(rate.mean()), error, rounding=0.5)]


_RUN_NOTE = (
    "Success is measured at the labels shown, not kept once reached: a run may lose the class again. Random selection "
    "draws items, and reads them under the same prior."
)
_success = partial(
    Curves,
    {"Active": TS, "Random": Method("uniform", "beta", "flat")},
    ("accuracy", "bias"),
    "success",
    tops=(False,),
    reach=1.0,
)

FIGURES = {
    "workshop-figure-1": Experiment(
        partial(biases, pool=CIFAR100),
        "accuracy and bias of the extreme classes",
        "[Ji19] Figure 1: accuracy and calibration bias of the extreme classes, CIFAR-100",
        about("cifar100-paper"),
        1,
        once=True,
    ),
    "workshop-figure-2": Experiment(
        partial(ranks, pool=CIFAR100, printed=68.25, rounding=0.005),
        "probabilities of the extreme classes",
        "[Ji19] Figure 2: probabilities of the extreme classes, CIFAR-100",
        about("cifar100-paper"),
        1,
        once=True,
    ),
    "workshop-figure-3": Experiment(
        _success(pools=(CIFAR100,), notes=(_RUN_NOTE,), rows=in_every_run),
        "success in finding the extreme classes",
        "[Ji19] Figure 3: success in finding the least accurate and the most biased class, CIFAR-100",
        about("cifar100-paper"),
        100,
    ),
    "workshop-figure-5": Experiment(
        partial(biases, pool=SVHN),
        "accuracy and bias, SVHN",
        "[Ji19] Figure 5: accuracy and calibration bias, SVHN",
        about("svhn"),
        1,
        once=True,
    ),
    "workshop-figure-6": Experiment(
        partial(ranks, pool=SVHN),
        "extreme classes, SVHN",
        "[Ji19] Figure 6: probabilities of the extreme classes, SVHN",
        about("svhn"),
        1,
        once=True,
    ),
    "workshop-figure-7": Experiment(
        _success(pools=(SVHN,), notes=(_RUN_NOTE,)),
        "success, SVHN",
        "[Ji19] Figure 7: success in finding the least accurate and the most biased class, SVHN",
        about("svhn"),
        100,
    ),
    "workshop-figure-8": Experiment(
        partial(biases, pool=DIALOGUES, notes=(INSTEAD,)),
        "accuracy and bias, dialogues",
        "[Ji19] Figure 8: accuracy and calibration bias, medical dialogues",
        about("20news"),
        1,
        once=True,
    ),
    "workshop-figure-9": Experiment(
        partial(ranks, pool=DIALOGUES, notes=(INSTEAD,)),
        "extreme classes, dialogues",
        "[Ji19] Figure 9: probabilities of the extreme classes, medical dialogues",
        about("20news"),
        1,
        once=True,
    ),
    "workshop-figure-10": Experiment(
        _success(pools=(DIALOGUES,), notes=(INSTEAD, _RUN_NOTE)),
        "success, dialogues",
        "[Ji19] Figure 10: success in finding the least accurate and the most biased class, medical dialogues",
        about("20news"),
        100,
    ),
}
