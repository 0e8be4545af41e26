"""Run one recipe: python -m benchmarks.edges skips --runs 40."""

import importlib
import sys

if __name__ == "__main__":
    importlib.import_module(f"benchmarks.edges.{sys.argv[1]}").main(sys.argv[2:])
