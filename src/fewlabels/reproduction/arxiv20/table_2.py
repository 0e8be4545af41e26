"""Table 2 of [Ji20] v1: labels to find the class of highest expected cost."""

from functools import partial

from fewlabels.reproduction.base import Experiment, Variant, about
from fewlabels.reproduction.shapes.costs import IPRIOR_TS, NO_PRIOR_CLASS, UPRIOR, UPRIOR_TS, Methods, cost_table

# Labels in thousands: {(kind of matrix, factor, top): (non-active, uninformative prior, informative prior)}, the last
# two with Thompson sampling
TABLE_2 = {
    ("Human", 2, 1): (7.7, 2.0, 1.6),
    ("Human", 5, 1): (8.9, 3.1, 2.1),
    ("Human", 10, 1): (8.6, 5.5, 3.4),
    ("Human", 20, 1): (7.1, 5.2, 2.5),
    ("Superclass", 2, 1): (9.2, 2.3, 1.7),
    ("Superclass", 5, 1): (9.9, 2.4, 2.3),
    ("Superclass", 10, 1): (9.7, 2.1, 1.8),
    ("Superclass", 20, 1): (9.6, 2.5, 2.2),
}
BY_VARIANT: dict[Variant, Methods] = {
    "as printed": {"Non-active": NO_PRIOR_CLASS, "Uninformative prior": UPRIOR_TS, "Informative prior": IPRIOR_TS},
    "as stated": {"Non-active": UPRIOR, "Uninformative prior": UPRIOR_TS, "Informative prior": IPRIOR_TS},
}
NO_PRIOR = (
    "As printed, the non-active method is taken to be the one without a prior in the published code, which has "
    "0.001 in each cell of the matrix."
)

table_2 = Experiment(
    partial(
        cost_table,
        printed=TABLE_2,
        words="{0}, factor {1}",
        variants=BY_VARIANT,
        threshold=0.95,
        note=NO_PRIOR,
    ),
    "labels to find the highest cost, first version",
    "[Ji20] v1 Table 2: labels to find the class of highest cost, MRR > 0.95",
    about("cifar100-wrn"),
    100,
    enough=100,
)
