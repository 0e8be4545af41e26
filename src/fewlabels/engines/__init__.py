"""Engines hold the items of a pool; today there is one, in memory."""

from fewlabels.engines.base import Engine, Row
from fewlabels.engines.memory import MemoryEngine, ModelOutputs

__all__ = ["Engine", "MemoryEngine", "ModelOutputs", "Row"]
