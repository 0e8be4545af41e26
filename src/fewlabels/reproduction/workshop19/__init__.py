"""[Ji19], the workshop paper, ICML 2019: its figures by name."""

from fewlabels.reproduction.workshop19.figures import FIGURES as WORKSHOP19

__all__ = ["WORKSHOP19"]
