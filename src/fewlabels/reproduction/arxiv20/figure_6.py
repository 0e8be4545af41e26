"""Figure 6 of [Ji20] v1: cost matrices, success in finding the class of highest cost, estimated confusion."""

from itertools import product

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.pool import Pool
from fewlabels.reproduction.arxiv20.table_2 import BY_VARIANT
from fewlabels.reproduction.base import Found, Setup, confusion_counts, image_panel, mean_scores, random_items
from fewlabels.reproduction.shapes.costs import FIGURE_NOTES, cost_curves, matrix_panels

AMOUNTS = {"10 labels": 10, "1,000 labels": 1000, "all labels": None}


def costs_and_confusion(setup: Setup) -> Found:
    """Matrices, curves, and posterior means of the confusion probabilities, flat and informed, from more and more
    labels."""
    names = ("Informative prior", "Uninformative prior", "Non-active")
    curves = cost_curves(
        setup, {name: BY_VARIANT["as stated"][name] for name in names}, 1, "success", "success, {kind}"
    )
    panels, pool = [*matrix_panels(setup), *curves.panels], setup.pool("cifar100-wrn")
    for prior, amount in product(("uninformative", "informative"), AMOUNTS):
        items = random_items(pool, AMOUNTS[amount])
        table = confusion_estimate(pool, items, informed=prior == "informative")
        panels.append(image_panel(f"{prior} prior, {amount}", table.T))
    note = "Panel (c) is estimated from random items here, so that both priors have the same labels."
    return Found(curves.rows, (*FIGURE_NOTES, note), panels)


def confusion_estimate(pool: Pool, items: Ints, *, informed: bool) -> Array:
    """Posterior means of p(true | predicted) from the labels of these items, under a Dirichlet prior of strength 1."""
    n_true = len(pool.true_classes)
    prior = mean_scores(pool) if informed else np.full((len(pool.classes), n_true), 1 / n_true)
    total = prior + confusion_counts(pool, items)
    return np.asarray(total / total.sum(axis=1, keepdims=True))
