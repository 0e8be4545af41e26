"""`python -m benchmarks.edges fresh run --out FILE`: the pools of benchmarks/fresh_pools.toml, run once.

`run` adds a line of JSON for each run of a pool and question, and leaves out the runs that the file has. `table FILE`
judges them by the bars that were written down before.
"""

import argparse
import json
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.edges.fresh_pools import REPOSITORY, Made, make
from benchmarks.leaderboard.judging import Bar, ratio_of_means, share, share_limit

import fewlabels as fl

LISTED = REPOSITORY / "benchmarks" / "fresh_pools.toml"
BATCH = 10
Rows = list[dict[str, Any]]


def main(given: Sequence[str]) -> None:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", choices=("run", "table"))
    options.add_argument("file", nargs="?", type=Path, help="of finished runs, for `table`")
    options.add_argument("--out", type=Path, help="where `run` adds finished runs")
    options.add_argument("--pools", nargs="*", default=[])
    options.add_argument("--part", default="0/1", help="for several processes: this one of so many, such as 0/2")
    told = options.parse_args(given)
    with LISTED.open("rb") as file:
        listed = tomllib.load(file)
    if told.what == "table":
        _table(_read(told.file), listed)
        return
    part, parts = map(int, told.part.split("/"))
    done = {(row["pool"], row["question"], row["run"]) for row in _read(told.out)}
    for run in range(part, listed["runs"], parts):
        for pool in listed["pool"]:
            if told.pools and pool["name"] not in told.pools:
                continue
            for question in pool["questions"]:
                if (pool["name"], question, run) not in done:
                    line = {"pool": pool["name"], "question": question, "run": run}
                    line["looks"] = _looks(make(pool["name"], run), question, run, listed["budgets"])
                    with told.out.open("a") as file:
                        file.write(json.dumps(line) + "\n")


def _read(file: Path | None) -> Rows:
    return [json.loads(line) for line in file.read_text().splitlines()] if file is not None and file.exists() else []


def _question(made: Made, question: str) -> fl.Estimate:
    if question in ("f1", "recall"):
        return fl.Estimate(question, positive=made.positive)
    by = {"overall": None, "columns": f"column:{made.column}", "classes": "predicted_class"}[question]
    return fl.Estimate("accuracy", by=by)


def _looks(made: Made, question: str, run: int, budgets: list[int]) -> dict[str, Any]:
    """By budget: rows of truth, value and interval, and the error of a uniform sample of as many labels."""
    pool = made.pool()
    study = fl.create_study(pool, _question(made, question), seed=run)
    label = dict(zip(pool.ids, made.truth.tolist(), strict=True))
    predicted = np.array(pool.classes)[pool.engine.models["model"].predicted]
    truth = _truths(made, predicted, question)
    uniform = np.random.default_rng([77, run]).permutation(len(made.truth))
    found: dict[str, Any] = {}
    told = 0
    while told < max(budgets) and (queries := study.ask(BATCH)):
        study.tell({query.item: label[query.item] for query in queries})
        told += len(queries)
        if told in budgets:
            answer = study.answer()
            by_group = question in ("columns", "classes")
            findings = answer.findings if by_group else [answer.overall]
            names = [finding.group if by_group else "overall" for finding in findings]
            rows = [
                [name, truth[name], _figure(f), _end(f.low), _end(f.high), f.labels]
                for name, f in zip(names, findings, strict=True)
                if name in truth  # a class that is never predicted has no accuracy
            ]
            plain = float((predicted == made.truth)[uniform[:told]].mean()) if question == "overall" else None
            found[str(told)] = {"rows": rows, "uniform": plain}
    return found


def _truths(made: Made, predicted: Any, question: str) -> dict[str, float]:
    right = predicted == made.truth
    if question in ("f1", "recall"):
        hit, true = predicted == made.positive, made.truth == made.positive
        found = float((hit & true).sum())
        return {"overall": found / (true.sum() if question == "recall" else (hit.sum() + true.sum()) / 2)}
    if question == "overall":
        return {"overall": float(right.mean())}
    groups = made.columns[str(made.column)] if question == "columns" else predicted
    return {str(group): float(right[groups == group].mean()) for group in np.unique(groups)}


def _figure(finding: fl.Finding) -> float | None:
    """The estimate; where nothing is labelled the modelled one."""
    pooled = getattr(finding, "pooled_value", None)
    return _end(finding.value if pooled is None else pooled)


def _end(value: float) -> float | None:
    return None if value != value else float(value)


# -- judged ------------------------------------------------------------------------------------------------------------


def _table(rows: Rows, listed: dict[str, Any]) -> None:
    bars, low = listed["bars"], 0
    print("| pool | question | budget | runs | held % (limit) | mean width | verdict |\n|---|---|---|---|---|---|---|")
    for pool in listed["pool"]:
        for question in pool["questions"]:
            mine = [row for row in rows if (row["pool"], row["question"]) == (pool["name"], question)]
            for budget in listed["budgets"]:
                looks = [row["looks"][str(budget)] for row in mine if str(budget) in row["looks"]]
                if looks:
                    low += _line(pool["name"], question, budget, looks, bars)
    print(f"\nCells of columns under 90 %: {low} (bar: at most {bars['columns_under_90']}).\n")
    for pool in listed["pool"]:
        for words in _errors(pool["name"], rows, listed["budgets"], bars["error"]):
            print(words)


def _line(name: str, question: str, budget: int, looks: Rows, bars: dict[str, float]) -> int:
    """One line; of columns that of the group least held, and how many groups are held in fewer than 90 %."""
    names = list(dict.fromkeys(row[0] for look in looks for row in look["rows"]))
    held = np.full((len(looks), len(names)), np.nan)
    width = np.full_like(held, np.nan)
    for run, look in enumerate(looks):
        for group, truth, _, low, high, _ in look["rows"]:
            if low is not None and high is not None:
                held[run, names.index(group)] = low - 1e-9 <= truth <= high + 1e-9
                width[run, names.index(group)] = high - low
    shown = (~np.isnan(held)).sum(axis=0)
    under = 0
    if question == "columns":
        each = np.nansum(held, axis=0)[shown > 0] / shown[shown > 0]
        under = int((each < 0.9 - 1e-9).sum())
        worst = np.flatnonzero(shown > 0)[int(np.argmin(each))]
        held, where = held[:, [worst]], f" ({names[worst]})"
    else:
        where = ""
    value, se, cases = share(held)
    runs = int((~np.isnan(held)).any(axis=1).sum())
    limit = share_limit(value, se, cases, runs)
    if question == "columns":
        verdict = "met" if value >= bars["columns"] else "missed"
    else:
        bar = (
            bars["classes"] if question == "classes" else bars["overall"] if question == "overall" else bars["f_scores"]
        )
        verdict = Bar(bar, at_least=True).judge(value, se, limit)
    cells = (name, question + where, str(budget), str(len(looks)), f"{100 * value:.1f} ({100 * limit:.1f})")
    print(f"| {' | '.join(cells)} | {np.nanmean(width):.3f} | {verdict} |")
    return under


def _errors(name: str, rows: Rows, budgets: list[int], bar: float) -> Iterator[str]:
    """Overall accuracy against a uniform sample's frequency, budget by budget."""
    mine = [row for row in rows if (row["pool"], row["question"]) == (name, "overall")]
    ratios = []
    for budget in budgets:
        looks = [row["looks"][str(budget)] for row in mine if str(budget) in row["looks"]]
        if len(looks) > 1:
            ours = np.array([look["rows"][0][2] - look["rows"][0][1] for look in looks]) ** 2
            theirs = np.array([look["uniform"] - look["rows"][0][1] for look in looks]) ** 2
            ratio, se = ratio_of_means(ours, theirs)
            ratios.append((np.sqrt(ratio), se / (2 * np.sqrt(ratio))))
    if ratios:
        middle = float(np.exp(np.mean(np.log([ratio for ratio, _ in ratios]))))
        each = ", ".join(f"{ratio:.2f} ({se:.2f})" for ratio, se in ratios)
        yield f"{name}: error over a uniform sample's {each}; geometric mean {middle:.2f} (bar {bar:g})"
