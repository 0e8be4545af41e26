"""Engines hold the items of a pool; today there is one, in memory."""

from fewlabels.engines.base import Chunk, Engine, PoolItem, gathered
from fewlabels.engines.memory import MemoryEngine, ModelOutputs, in_memory

__all__ = ["Chunk", "Engine", "MemoryEngine", "ModelOutputs", "PoolItem", "gathered", "in_memory"]
