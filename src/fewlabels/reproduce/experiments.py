"""Every table and figure, by name."""

from fewlabels.reproduce.base import Experiment
from fewlabels.reproduce.figures import FIGURES
from fewlabels.reproduce.tables import TABLES

EXPERIMENTS: dict[str, Experiment] = {**TABLES, **FIGURES}
