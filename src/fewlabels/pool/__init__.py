"""Pools: what one or more models said about each item, and how files become one."""

from fewlabels.pool.open_pool import open_pool
from fewlabels.pool.pool import Pool

__all__ = ["Pool", "open_pool"]
