"""Run one of these recipes: what stands behind its name goes to it.

python -m benchmarks.edges hidden --runs 400
"""

import sys
from importlib import import_module
from pathlib import Path


def main() -> None:
    names = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    if len(sys.argv) < 2 or sys.argv[1] not in names:
        raise SystemExit(f"say which recipe: {', '.join(names)}")
    import_module(f"benchmarks.edges.{sys.argv[1]}").main(sys.argv[2:])


if __name__ == "__main__":
    main()
