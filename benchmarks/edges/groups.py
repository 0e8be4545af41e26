"""`python -m benchmarks.edges groups run NAME… --runs 60 --out FILE`: intervals of groups unlike the rest, by budget.

NAME is a recipe of group_recipes.py, `adult_sex`, `adult_race`, or a pool of predicted classes such as `cifar10_vgg16`.
`stops NAME… --goal 0.1` ends each study at that half-width in every group, and prints how often all intervals hold.
`table FILE… [--beside FILE…]` prints cells: the least coverage of a group, mean widths, and errors beside another
file's. Each run asks ten at a time and is read at 50, 100, 200 and 400 labels; nothing is computed from answers but
what an answer shows.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.edges.group_recipes import FRESH, RECIPES, Made

import fewlabels as fl

BUDGETS, BATCH, SEED = (50, 100, 200, 400), 10, 777
ADULT = {"adult_sex": ("sex", "score_LR"), "adult_race": ("race", "score_RandomForest")}


def main(given: Sequence[str]) -> None:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("what", choices=("run", "stops", "table"))
    options.add_argument("names", nargs="*")
    options.add_argument("--runs", type=int, default=60)
    options.add_argument("--first", type=int, default=0, help="number of the first run")
    options.add_argument("--goal", type=float, default=0.1)
    options.add_argument("--out", type=Path)
    options.add_argument("--beside", nargs="*", default=[])
    told = options.parse_args(given)
    if told.what == "run":
        for name in told.names:
            _run(name, range(told.first, told.first + told.runs), told.out)
    elif told.what == "stops":
        for name in told.names:
            _stops(name, range(told.first, told.first + told.runs), told.goal)
    else:
        beside = {row["key"]: row for path in told.beside for row in _rows(path)}
        _table([row for path in told.names for row in _rows(path)], beside)


def pool_of(name: str, run: int) -> tuple[fl.Pool, tuple[str, ...] | str, pd.DataFrame]:
    """The pool of a run, what groups go by, and its items with `right`."""
    rng = np.random.default_rng(SEED + run)
    if name in RECIPES or name in FRESH:
        return _made_up((RECIPES | FRESH)[name](rng), rng)
    folder = Path(os.environ.get("FEWLABELS_DATA", "../shared/data"))
    if name in ADULT:
        return _adult(folder, name, rng)
    return _classes(np.load(folder / f"{name}.npz", allow_pickle=False), rng)


def _made_up(made: Made, rng: np.random.Generator) -> tuple[fl.Pool, tuple[str, ...] | str, pd.DataFrame]:
    columns, score, right = made
    predicted = rng.integers(0, 2, len(score))
    true = np.where(right, predicted, 1 - predicted)
    items = {name: np.array([f"{name} {value:02d}" for value in values]) for name, values in columns.items()}
    by = tuple(f"column:{name}" for name in columns)
    pool = fl.Pool.from_arrays(predicted=predicted, score=score, classes=["a", "b"], columns=items, labels=true)
    frame = pd.DataFrame({"right": right, "label": np.array(["a", "b"])[true]})
    frame["group"] = pd.DataFrame(items).agg(" × ".join, axis=1)
    return pool, by if len(by) > 1 else by[0], frame


def _adult(folder: Path, name: str, rng: np.random.Generator) -> tuple[fl.Pool, str, pd.DataFrame]:
    column, model = ADULT[name]
    data = pd.read_csv(folder / f"{name}_scores.csv.gz")
    data = data.iloc[np.sort(rng.permutation(len(data))[: len(data) // 2])].reset_index(drop=True)
    positive = data[model].to_numpy()
    predicted, true = (positive >= 0.5).astype(int), data["income-per-year"].to_numpy().astype(int)
    score, group = np.maximum(positive, 1 - positive), data[column].astype(str).to_numpy()
    made = {"predicted": predicted, "score": score, "classes": ["a", "b"], "labels": true}
    pool = fl.Pool.from_arrays(**made, columns={"grp": group})
    right = predicted == true
    return pool, "column:grp", pd.DataFrame({"right": right, "label": np.array(["a", "b"])[true], "group": group})


def _classes(file: Any, rng: np.random.Generator) -> tuple[fl.Pool, str, pd.DataFrame]:
    """Half of a real pool, by predicted class."""
    if "probabilities" in file.files:
        predicted, score = file["probabilities"].argmax(axis=1), file["probabilities"].max(axis=1)
    else:
        predicted, score = file["predicted"], file["score"]
    chosen = np.sort(rng.permutation(len(predicted))[: len(predicted) // 2])
    predicted, score, true = predicted[chosen], score[chosen].astype(float), file["label"][chosen]
    names = [f"c{number:03d}" for number in range(int(max(predicted.max(), true.max())) + 1)]
    pool = fl.Pool.from_arrays(predicted=predicted, score=np.clip(score, 0, 1), classes=names, labels=true)
    label, group = np.array(names)[true], np.array(names)[predicted]
    return pool, "predicted_class", pd.DataFrame({"right": predicted == true, "label": label, "group": group})


def _run(name: str, runs: range, out: Path) -> None:
    start = time.process_time()
    for run in runs:
        pool, by, items = pool_of(name, run)
        study = fl.create_study(pool, fl.Estimate("accuracy", by=by), seed=run, budget=max(BUDGETS))
        truth = items.groupby("group")["right"].agg(["mean", "size"])
        with out.open("a") as file:
            for found in _answers(study, items["label"].tolist()):
                rows = [_row(finding, truth) for finding in found[1]]
                kept = {"key": f"{name}|{run}|{found[0]}", "name": name, "run": run, "labels": found[0], "rows": rows}
                file.write(json.dumps(kept) + "\n")
    print(f"{name}: {len(runs)} runs, {(time.process_time() - start) / len(runs):.1f} s each", flush=True)


def _stops(name: str, runs: range, goal: float) -> None:
    """Studies that end at a half-width in every group: labels, groups held, and studies in which all are."""
    held, labels = list[list[bool]](), list[int]()
    for run in runs:
        pool, by, items = pool_of(name, run)
        study = fl.create_study(pool, fl.Estimate("accuracy", by=by), seed=run, until=fl.HalfWidth(goal))
        told, right = items["label"].tolist(), items.groupby("group")["right"].mean()
        while not study.done and (queries := study.ask(BATCH)):
            study.tell({query.item: told[int(query.item)] for query in queries})
        found = study.answer().findings
        held.append([f.low - 1e-9 <= right[f.group] <= f.high + 1e-9 for f in found])
        labels.append(sum(f.labels for f in found))
    least = np.array(held).mean(axis=0).min()
    print(
        f"{name:>12} ±{goal:g} {len(runs)} stops at {np.median(labels):.0f} labels: groups held {np.mean(held):.3f}, "
        f"least {least:.3f}, all of a study {np.mean([all(one) for one in held]):.3f}",
        flush=True,
    )


def _answers(study: fl.Study, labels: list[str]) -> Iterator[tuple[int, tuple[fl.Finding, ...]]]:
    told = 0
    while told < max(BUDGETS):
        queries = study.ask(BATCH)
        study.tell({query.item: labels[int(query.item)] for query in queries})
        told += len(queries)
        if told in BUDGETS:
            yield told, study.answer().findings


def _row(finding: fl.Finding, truth: pd.DataFrame) -> list[Any]:
    """Group, truth, size, labels, the figure, low and high; null where none is shown."""
    exact, size = truth.loc[finding.group]
    pooled = getattr(finding, "pooled_value", None)
    figure = finding.value if pooled is None else pooled
    ends = [None if end != end else end for end in (finding.low, finding.high)]
    return [finding.group, float(exact), int(size), finding.labels, figure, *ends]


def _rows(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def _table(rows: list[dict[str, Any]], beside: dict[str, dict[str, Any]]) -> None:
    """A line for each pool and budget; errors and widths over those of the same runs of another file."""
    under = {90: 0, 85: 0}
    cells = 0
    for name in dict.fromkeys(row["name"] for row in rows):
        for labels in BUDGETS:
            mine = [row for row in rows if row["name"] == name and row["labels"] == labels]
            found = cells_of(mine)
            shown = {group: cell for group, cell in found.items() if cell["answers"]}
            least = min(shown, key=lambda group: shown[group]["held"])
            cells += len(shown)
            for bar in under:
                under[bar] += sum(100 * cell["held"] < bar - 1e-9 for cell in shown.values())
            line = f"{name:>12} {labels:4d} {len(mine):4d} runs  least {100 * shown[least]['held']:5.1f} ({least})"
            everywhere = sum(c["held"] * c["answers"] for c in shown.values()) / sum(
                c["answers"] for c in shown.values()
            )
            line += f"  mean {100 * everywhere:5.1f}  width {100 * width_of(mine):5.1f}"
            line += f"  rmse {100 * np.sqrt(np.mean(squares(mine))):5.2f}"
            others = [beside[row["key"]] for row in mine if row["key"] in beside]
            if others:
                same = [row for row in mine if row["key"] in beside]
                line += (
                    f"  | before: least {100 * min(c['held'] for c in cells_of(others).values() if c['answers']):5.1f}"
                )
                line += f"  width x {width_of(same) / width_of(others):.2f}  {_ratio(squares(same), squares(others))}"
            print(line)
    print(f"{cells} cells: {under[90]} under 90, {under[85]} under 85")


def cells_of(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """How often the interval of each group held, among the answers that had one."""
    found: dict[str, list[bool]] = {}
    for row in rows:
        for group, truth, _, _, _, low, high in row["rows"]:
            mine = found.setdefault(group, [])
            if low is not None and high is not None:
                mine.append(low - 1e-9 <= truth <= high + 1e-9)
    return {
        group: {"answers": len(held), "held": float(np.mean(held)) if held else float("nan")}
        for group, held in found.items()
    }


def width_of(rows: list[dict[str, Any]]) -> float:
    """The mean width of intervals, groups weighted by their items."""
    wide = np.array([(r[6] - r[5], r[2]) for row in rows for r in row["rows"] if r[5] is not None])
    return float(np.average(wide[:, 0], weights=wide[:, 1]))


def squares(rows: list[dict[str, Any]]) -> np.ndarray:
    """The squared error of each run, groups weighted by their items."""
    return np.array(
        [np.average([(r[4] - r[1]) ** 2 for r in row["rows"]], weights=[r[2] for r in row["rows"]]) for row in rows]
    )


def _ratio(mine: np.ndarray, others: np.ndarray) -> str:
    """The ratio of root mean squares, with the standard error of paired runs by the jackknife."""
    ratio = np.sqrt(mine.mean() / others.mean())
    count = len(mine)
    left = np.sqrt((mine.sum() - mine) / (others.sum() - others))
    return f"rmse x {ratio:.3f} (se {np.sqrt((count - 1) * left.var()):.3f})"
