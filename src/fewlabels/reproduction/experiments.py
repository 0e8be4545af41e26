"""Every table and figure, by name."""

from fewlabels.reproduction.base import Experiment
from fewlabels.reproduction.figures import FIGURES
from fewlabels.reproduction.tables import TABLES

EXPERIMENTS: dict[str, Experiment] = {**TABLES, **FIGURES}
