"""Boards of hostile data: `python -m benchmarks.edges NAME …`."""
