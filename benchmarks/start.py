"""How long starting takes: `make bench`, or `python benchmarks/start.py`.

Each start is a process of its own, interleaved with the others; the ratio to importing only numpy and scipy's special
functions, which no start can do without, is what to compare between machines and commits.
"""

import os
import statistics
import subprocess
import sys
import time

ROUNDS = 11
STARTS = {
    "import numpy, scipy.special": ["-c", "import numpy, scipy.special"],
    "import fewlabels": ["-c", "import fewlabels"],
    "fewlabels --version": ["-m", "fewlabels", "--version"],
}


def seconds(arguments: list[str]) -> float:
    """From the start of a process to its end; what it compiles is kept for the next, as on any user's machine."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - start


def main() -> None:
    taken: dict[str, list[float]] = {name: [] for name in STARTS}
    for arguments in STARTS.values():
        seconds(arguments)  # the first of all reads from disk and compiles
    for _ in range(ROUNDS):
        for name, arguments in STARTS.items():
            taken[name].append(seconds(arguments))
    median = {name: statistics.median(times) for name, times in taken.items()}
    least = min(median.values())
    print(f"{'start':32}{'median ms':>10}{'ratio':>8}   of {ROUNDS} processes each")
    for name, time_taken in median.items():
        print(f"{name:32}{1000 * time_taken:10.0f}{time_taken / least:8.2f}")


if __name__ == "__main__":
    main()
