"""`python -m benchmarks.edges NAME …` runs one board."""

import importlib
import sys

importlib.import_module(f"benchmarks.edges.{sys.argv[1]}").main(sys.argv[2:])
