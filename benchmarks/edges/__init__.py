"""Boards of pools where the data are hostile: `python -m benchmarks.edges NAME`."""
