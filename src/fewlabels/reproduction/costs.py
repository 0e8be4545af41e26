"""The cost matrices of the papers' CIFAR-100 experiments, built from the names of classes and superclasses."""

import numpy as np

from fewlabels.core.arrays import Array

PEOPLE = "people"  # the superclass of baby, boy, girl, man, woman


def human_costs(classes: tuple[str, ...], superclass: dict[str, str], factor: float) -> Array:
    """c[true, predicted]: a mistake costs 1, and `factor` where the true class is a person."""
    person = np.array([superclass[name] == PEOPLE for name in classes])
    return _mistakes(np.where(person[:, None], factor, np.ones((len(classes), len(classes)))))


def superclass_costs(classes: tuple[str, ...], superclass: dict[str, str], factor: float) -> Array:
    """c[true, predicted]: a mistake costs 1 within a superclass, and `factor` across superclasses."""
    group = np.array([superclass[name] for name in classes])
    return _mistakes(np.where(group[:, None] == group, 1.0, factor))


def _mistakes(costs: Array) -> Array:
    """The same, being right costing nothing."""
    np.fill_diagonal(costs, 0.0)
    return costs


COSTS = {"Human": human_costs, "Superclass": superclass_costs}
