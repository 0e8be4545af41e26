"""Engines hold the items of a pool: one in memory, and one of several parts for pools that were extended."""

from fewlabels.engines.base import Chunk, Engine, PoolItem, gathered
from fewlabels.engines.grown import GrownEngine
from fewlabels.engines.joined import joined
from fewlabels.engines.memory import MemoryEngine, ModelOutputs, aligned, in_memory

__all__ = [
    "Chunk",
    "Engine",
    "GrownEngine",
    "MemoryEngine",
    "ModelOutputs",
    "PoolItem",
    "aligned",
    "gathered",
    "in_memory",
    "joined",
]
