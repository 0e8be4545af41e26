"""The loops that take the time, compiled. Whoever imports this has Numba."""

from fewlabels.core.recalibration.compiled_draws import effects, picked, pool_shares
from fewlabels.core.recalibration.compiled_fit import search

__all__ = ["effects", "picked", "pool_shares", "search"]
