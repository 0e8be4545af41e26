"""The loops that take the time, compiled. Whoever imports this has Numba."""

from fewlabels.core.recalibration.compiled_draws import effects, items_right, picked
from fewlabels.core.recalibration.compiled_fit import search

__all__ = ["effects", "items_right", "picked", "search"]
