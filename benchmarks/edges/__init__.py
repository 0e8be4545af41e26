"""Recipes of pools where intervals are hard to hold, run one by one: python -m benchmarks.edges NAME."""
