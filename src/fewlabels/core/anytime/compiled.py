"""The loops that take the time, compiled. Whoever imports this has Numba."""

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.compiling import compiled


@compiled
def stake(capital: Array, values: Array, steps: Array, most: float, x: float, bound: float, way: float) -> None:
    """What a draw makes of the capitals (n_steps, n_values) of bets against each value: that it is larger, and cannot
    be less than the bound, or the other way round: betting._stake."""
    for j in range(len(steps)):
        own, step = capital[j], steps[j]
        for v in range(len(values)):
            room = way * (values[v] - bound)
            own[v] *= 1 + min(step, most / (room if room > 0 else np.inf)) * (way * (x - values[v]))


@compiled
def most(up: Array, down: Array, largest: Array) -> None:
    """Twice the largest capital so far, of these and what it was before; written to the last: betting._most."""
    steps = len(up)
    for v in range(len(largest)):
        above, below = 0.0, 0.0
        for j in range(steps):
            above += up[j, v]
            below += down[j, v]
        largest[v] = max(largest[v], above / steps + below / steps)
