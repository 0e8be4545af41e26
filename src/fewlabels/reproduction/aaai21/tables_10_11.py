"""Tables 10 and 11 of [Ji21]: labels to find the classes of highest expected cost."""

from functools import partial

from fewlabels.reproduction.base import Experiment, Variant, about
from fewlabels.reproduction.shapes.costs import (
    IPRIOR,
    IPRIOR_CLASS,
    IPRIOR_TS,
    UPRIOR,
    UPRIOR_CLASS,
    Methods,
    cost_table,
)

# Labels in thousands: {(kind of matrix, factor, top): (UPrior, IPrior, IPrior+TS)}
TABLE_10 = {
    ("Human", 1, 1): (9.6, 9.4, 5.0),
    ("Human", 1, 10): (10.0, 10.0, 9.4),
    ("Human", 2, 1): (9.3, 9.3, 4.4),
    ("Human", 2, 10): (9.8, 10.0, 8.4),
    ("Human", 5, 1): (9.5, 9.7, 4.5),
    ("Human", 5, 10): (9.6, 10.0, 7.9),
    ("Human", 10, 1): (9.3, 9.1, 2.2),
    ("Human", 10, 10): (9.6, 9.7, 7.4),
}
TABLE_11 = {
    ("Superclass", 1, 1): (9.9, 10.0, 2.2),
    ("Superclass", 1, 10): (9.8, 9.9, 5.9),
    ("Superclass", 2, 1): (10.0, 10.0, 2.2),
    ("Superclass", 2, 10): (9.9, 9.9, 5.2),
    ("Superclass", 5, 1): (9.9, 10.0, 1.8),
    ("Superclass", 5, 10): (9.9, 9.9, 5.3),
    ("Superclass", 10, 1): (10.0, 9.8, 1.4),
    ("Superclass", 10, 10): (9.9, 9.9, 4.0),
}
BY_VARIANT: dict[Variant, Methods] = {
    "as printed": {"UPrior": UPRIOR_CLASS, "IPrior": IPRIOR_CLASS, "IPrior+TS": IPRIOR_TS},
    "as stated": {"UPrior": UPRIOR, "IPrior": IPRIOR, "IPrior+TS": IPRIOR_TS},
}
ALIKE = (
    "With factor 1 both matrices are the same: every mistake costs 1. The first rows of Tables 10 and 11 are then one "
    "experiment, and equal but for the noise of 100 runs; printed are 9.6, 9.4, 5.0 and 9.9, 10.0, 2.2 thousand. The "
    "intervals beside ours tell how much of that noise can explain."
)

_table = partial(cost_table, words="factor {1}, top {2}", variants=BY_VARIANT, threshold=0.99, note=ALIKE)
table_10 = Experiment(
    partial(_table, printed=TABLE_10),
    "labels to find the highest cost: people",
    "[Ji21] Table 10: labels to find the classes of highest cost, 'Human', MRR > 0.99",
    about("cifar100-wrn"),
    100,
    ("supplement-table-3",),
    enough=100,
)
table_11 = Experiment(
    partial(_table, printed=TABLE_11),
    "labels to find the highest cost: superclasses",
    "[Ji21] Table 11: labels to find the classes of highest cost, 'Superclass', MRR > 0.99",
    about("cifar100-wrn"),
    100,
    ("supplement-table-4",),
    enough=100,
)
