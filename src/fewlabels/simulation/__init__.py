"""Many seeded runs against known labels: what would so many labels have told?"""

from fewlabels.simulation.crossings import Crossing, crossing
from fewlabels.simulation.measures import FALLING, GOOD_END, MEASURES
from fewlabels.simulation.methods import PRESETS, Method, presets
from fewlabels.simulation.result import Best, Needed, SimulationResult
from fewlabels.simulation.simulate import run_seed, simulate
from fewlabels.simulation.synthetic import synthetic_pool

__all__ = [
    "FALLING",
    "GOOD_END",
    "MEASURES",
    "PRESETS",
    "Best",
    "Crossing",
    "Method",
    "Needed",
    "SimulationResult",
    "crossing",
    "presets",
    "run_seed",
    "simulate",
    "synthetic_pool",
]
