"""What all experiments share: what a reproduction is, the pools, how runs are made, and what they are turned into."""

from fewlabels.reproduction.base.data import about, load_pool, load_superclasses
from fewlabels.reproduction.base.experiment import METHODS, METHODS_AS_STATED, Experiment, Found, Setup, steps
from fewlabels.reproduction.base.labelled_pool import (
    LabelledPool,
    confusion_counts,
    labelled,
    mean_scores,
    model_of,
    random_items,
)
from fewlabels.reproduction.base.panels import (
    OTHERS,
    Curve,
    Panel,
    density_panel,
    image_panel,
    mean_curves,
    numbers,
)
from fewlabels.reproduction.base.posteriors import by_class, posterior, with_intervals
from fewlabels.reproduction.base.reproduction import Compared, Reproduction, Variant, count_of_runs
from fewlabels.reproduction.base.rows import (
    DIFFERENCE,
    DRAWN,
    at,
    best_note,
    compared_curves,
    crossing_row,
    difference_rows,
    mean_row,
    probability_row,
)

__all__ = [
    "DIFFERENCE",
    "DRAWN",
    "METHODS",
    "METHODS_AS_STATED",
    "OTHERS",
    "Compared",
    "Curve",
    "Experiment",
    "Found",
    "LabelledPool",
    "Panel",
    "Reproduction",
    "Setup",
    "Variant",
    "about",
    "at",
    "best_note",
    "by_class",
    "compared_curves",
    "confusion_counts",
    "count_of_runs",
    "crossing_row",
    "density_panel",
    "difference_rows",
    "image_panel",
    "labelled",
    "load_pool",
    "load_superclasses",
    "mean_curves",
    "mean_row",
    "mean_scores",
    "model_of",
    "numbers",
    "posterior",
    "probability_row",
    "random_items",
    "steps",
    "with_intervals",
]
