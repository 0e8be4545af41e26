"""The page: labels to equal error, coverage and stops, pair by pair."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.kept_runs import KeptRuns
from benchmarks.models.best import RIVALS
from benchmarks.models.compare import GOAL, LOOKS, MOST, ROPE
from benchmarks.models.pools import ModelSet, sets

from fewlabels.core.arrays import Array

_BOOTSTRAP = 2000
_ABOUT_BEST = (
    "`fl.BestModel` until `fl.Probability(0.95)`, asked every ten labels, within a margin of .01; right is a model at "
    "most that much worse than the best. The rival draws from all items and stops when one model is within the margin "
    "of the best in 95 % of the draws of a posterior, or in 97.5, 99 or 99.5 %, looked at as often; *labels saved* is "
    "against the least of these that was right in 95 % of the runs. Studies without a stop count with 1,500 labels, "
    "and as wrong."
)
_ABOUT = (
    "Written by `python -m benchmarks.models page`, not by hand. Each run is a study of a random sub-pool (half of the "
    "items, 80 % of small text pools), labelled one by one; which sets of models methods were designed on was written "
    "down beforehand (`benchmarks/model_pools.toml`). *Labels saved* is how many times as many labels a paired uniform "
    "sample needs for the same mean squared error of the difference in accuracy; its own error is known exactly, the "
    "standard error is over runs. *Held* is how often the 95 % interval held the difference. The study ends at "
    f"`fl.Probability({GOAL:g})`, asked after every label, with a rope of {ROPE:g}: the median number of labels, how "
    f"often there was a verdict at all (others were given up at {MOST:,} labels), and how many of all were wrong."
)


@dataclass(frozen=True)
class Row:
    """What the runs of one pair of models came to."""

    name: str
    role: str
    entries: list[dict[str, Any]]

    def _at(self, look: int) -> list[dict[str, Any]]:
        return [e for e in self.entries if str(look) in e["looks"]]

    def saved(self, look: int) -> tuple[float, float] | None:
        """Labels of a paired uniform sample that has the same mean squared error, as a multiple, and its standard error
        over runs. That of the sample is known exactly: (1 / n - 1 / N) S^2."""
        at = self._at(look)
        if len(at) < 2:
            return None
        squares = np.array([(e["looks"][str(look)]["value"] - e["truth"]) ** 2 for e in at])
        variance, items = (np.array([e[name] for e in at], dtype=np.float64) for name in ("variance", "items"))
        rng = np.random.default_rng(0)
        again = rng.integers(0, len(at), (_BOOTSTRAP, len(at)))
        found = _ratio(squares, variance, items, look)
        many = [_ratio(squares[i], variance[i], items[i], look) for i in again]
        return found, float(np.std(many))

    def coverage(self, look: int) -> float | None:
        at = self._at(look)
        held = [e["looks"][str(look)]["low"] - 1e-9 <= e["truth"] <= e["looks"][str(look)]["high"] + 1e-9 for e in at]
        return float(np.mean(held)) if held else None

    def width(self, look: int) -> float | None:
        """The mean width as a multiple of that of the same intervals, rescaled to hold as often as they say."""
        at = [e["looks"][str(look)] | {"truth": e["truth"]} for e in self._at(look)]
        half = np.array([(e["high"] - e["low"]) / 2 for e in at])
        if len(at) < 2 or (half <= 0).any():
            return None
        off = np.array([abs((e["high"] + e["low"]) / 2 - e["truth"]) for e in at]) / half
        return float(1 / max(np.quantile(off, GOAL), 1e-9))


def _ratio(squares: Array, variance: Array, items: Array, look: int) -> float:
    s2, n = float(variance.mean()), float(items.mean())
    return s2 / (float(squares.mean()) + s2 / n) / look


def runs_of(one: ModelSet, pair: tuple[str, str] | None, folder: Path) -> KeptRuns:
    """Where the runs of a pair are kept, or those of all models of a set."""
    return KeptRuns(folder / f"{one.name}.{'best' if pair is None else '~'.join(pair)}.jsonl.xz")


def rows(folder: Path) -> list[Row]:
    """Every pair of which there are runs."""
    found = []
    for one in sets():
        for a, b in one.pairs:
            entries = list(runs_of(one, (a, b), folder).read().values())
            if entries:
                found.append(Row(f"{one.name}: {_short(a)} − {_short(b)}", one.role, entries))
    return found


def _short(name: str) -> str:
    return name.rpartition("__")[2].removeprefix("imagenet_val_top1_5models-").removeprefix("cifar100_")


def write_page(folder: Path, docs: Path) -> Path:
    """The page of all runs that are there."""
    path = docs / "models-board.md"
    path.write_text(_page(rows(folder), folder), encoding="utf-8")
    return path


def _page(found: list[Row], folder: Path) -> str:
    runs = [len(row.entries) for row in found]
    lines = [
        "# Two models on the same items: what it takes",
        "",
        _ABOUT,
        "",
        f"{len(found)} pairs, {min(runs, default=0)} to {max(runs, default=0)} runs each.",
        "",
    ]
    for role in ("test", "design"):
        mine = [row for row in found if row.role == role]
        lines += [f"## {role.capitalize()} sets", "", *_summary(mine), "", *_table(mine), ""]
    lines += ["## The best of several", "", _ABOUT_BEST, "", *_best_table(folder)]
    return "\n".join(lines).rstrip() + "\n"


def _best_table(folder: Path) -> list[str]:
    heads = ["set", "role", "models", "not all agree", "labels", "stopped", "right", "by proof", "best dropped"]
    heads += ["uniform at 95 %: labels, right", "at 99 %", "as sure as is right 95 %: labels saved", "runs"]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for one in sets():
        e = list(runs_of(one, None, folder).read().values())
        if not e:
            continue
        labels, shares = np.array([x["labels"] for x in e]), ("stopped", "right", "proved", "lost")
        cells = [one.name, one.role, str(e[0]["models"]), f"{np.mean([x['differ'] for x in e]):.0%}"]
        cells += [f"{labels.mean():.0f}", *(f"{np.mean([x[name] for x in e]):.0%}" for name in shares)]
        rivals = {bar: [x["uniform"][str(bar)] for x in e] for bar in RIVALS}
        for bar in (RIVALS[0], 0.99):
            count, right = (np.mean([x[name] for x in rivals[bar]]) for name in ("labels", "right"))
            cells.append(f"{count:.0f}, {right:.0%}")
        fair = next((bar for bar in RIVALS if np.mean([x["right"] for x in rivals[bar]]) >= GOAL), RIVALS[-1])
        rival = np.array([x["labels"] for x in rivals[fair]])
        relative = [x.std(ddof=1) / len(x) ** 0.5 / x.mean() if len(x) > 1 else np.nan for x in (labels, rival)]
        ratio = rival.mean() / labels.mean()
        lines.append(
            "| " + " | ".join([*cells, f"{ratio:.1f} ± {ratio * np.hypot(*relative):.1f}", str(len(e))]) + " |"
        )
    return lines


def _summary(mine: list[Row]) -> list[str]:
    parts = []
    for look in LOOKS:
        saved = sorted(found[0] for row in mine if (found := row.saved(look)) is not None)
        held = [c for row in mine if (c := row.coverage(look)) is not None]
        if saved:
            parts.append(
                f"- {look} labels: saved {saved[0]:.1f} to {saved[-1]:.1f} times, median {np.median(saved):.1f} (of "
                f"{len(saved)} pairs); held {np.mean(held):.1%} on average, {min(held):.1%} at worst."
            )
    stops = [e for row in mine for e in row.entries]
    said = [e for e in stops if e["said"]]
    if stops:
        wrong = [sum(bool(e["said"]) and not e["right"] for e in row.entries) / len(row.entries) for row in mine]
        parts.append(
            f"- A verdict in {len(said) / len(stops):.0%} of studies, wrong in "
            f"{sum(not e['right'] for e in said) / len(stops):.1%}; of the worst pair in {max(wrong):.1%}."
        )
    return parts


def _table(mine: list[Row]) -> list[str]:
    heads = ["pair", "differ", "difference", *(f"saved at {n}" for n in LOOKS), *(f"held at {n}" for n in LOOKS)]
    heads += ["wider than needed at 100", "labels to a verdict", "verdicts", "wrong", "runs"]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for row in mine:
        e = row.entries
        saved = [row.saved(n) for n in LOOKS]
        held, wide = [row.coverage(n) for n in LOOKS], row.width(100)
        said = [x for x in e if x["said"]]
        cells = [
            row.name,
            f"{np.mean([x['differ'] / x['items'] for x in e]):.1%}",
            f"{100 * np.mean([x['truth'] for x in e]):+.2f}",
            *("–" if s is None else f"{s[0]:.1f} ± {s[1]:.1f}" for s in saved),
            *("–" if h is None else f"{h:.1%}" for h in held),
            "–" if wide is None else f"{wide:.2f}",
            f"{np.median([x['labels'] for x in e]):.0f}",
            f"{len(said) / len(e):.0%}",
            f"{sum(not x['right'] for x in said) / len(e):.1%}",
            str(len(e)),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines
