"""Many seeded runs against known labels: what would so many labels have told?"""

from fewlabels.simulation.measures import MEASURES
from fewlabels.simulation.methods import PRESETS, Method, presets
from fewlabels.simulation.result import SimulationResult
from fewlabels.simulation.simulate import run_seed, simulate

__all__ = ["MEASURES", "PRESETS", "Method", "SimulationResult", "presets", "run_seed", "simulate"]
