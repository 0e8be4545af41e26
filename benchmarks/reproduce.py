"""How long the papers' tables take at full size: `python benchmarks/reproduce.py [WORKERS]` (needs the extra `fast`).

$FEWLABELS_DATA names the folder of pools. Every row of the CIFAR-100 tables, as printed and as stated, with as many
runs as the papers (1,000; 100 for Tables 9 to 11; one a pair for Table 7), then the two ImageNet tables with 100 runs.
What Numba compiles, once after installing, counts too.
"""

import sys

import fewlabels as fl

CIFAR = [f"aaai-table-{number}" for number in (3, 4, 5, 6, 7, 8, 9, 10, 11)]
IMAGENET = ["aaai-table-3-imagenet", "aaai-table-6-imagenet"]


def timed(names: list[str], workers: int) -> float:
    total = 0.0
    for name in names:
        found = fl.reproduce(name, workers=workers)
        printed = [row for row in found.rows if row.agrees is not None]
        agree = (
            f", {sum(bool(row.agrees) for row in printed)} of {len(printed)} printed numbers agree" if printed else ""
        )
        print(f"{name:<24} {found.runs:>5,} runs {found.seconds:>6.0f} s{agree}", flush=True)
        total += found.seconds
    return total


def main() -> None:
    workers = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    for called, names in (("CIFAR-100", CIFAR), ("ImageNet", IMAGENET)):
        print(f"{called}: {timed(names, workers) / 60:.1f} min with {workers} processes", flush=True)


if __name__ == "__main__":
    main()
