"""The pools of benchmarks/fresh_pools.toml: real files that nothing was designed on, and generators."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import fewlabels as fl

REPOSITORY = Path(__file__).parents[2]
SEED = 20_261
SHARE = 0.8  # of a real file's rows that a run is about


@dataclass(frozen=True)
class Made:
    """A pool with its truth, item by item."""

    arguments: dict[str, Any]  # of fl.Pool.from_arrays
    truth: np.ndarray[Any, Any]  # the true class of each item, by name
    column: str | None = None
    positive: str | None = None
    columns: dict[str, np.ndarray[Any, Any]] = field(default_factory=dict)

    def pool(self) -> fl.Pool:
        return fl.Pool.from_arrays(**self.arguments, columns=self.columns)


def data(name: str, rng: np.random.Generator) -> pl.DataFrame:
    """Some of the rows of a real file."""
    folder = Path(os.environ.get("FEWLABELS_DATA", "../shared/data"))
    folder = folder if folder.is_absolute() else REPOSITORY / folder
    rows = pl.read_parquet(folder / "judges" / f"{name}.parquet")
    return rows[np.sort(rng.permutation(len(rows))[: round(SHARE * len(rows))])]


def _questions(model: str) -> Callable[[np.random.Generator], Made]:
    def make(rng: np.random.Generator) -> Made:
        rows = data("questions_models", rng)
        given, answers = rows[f"model_{model}"].to_numpy(), rows["answer"].to_numpy()
        others = [rows[name].to_numpy() for name in rows.columns if name.startswith("model_") and name[6:] != model]
        score = np.mean([other == given for other in others], axis=0)
        predicted = np.where(given == "", "none", given)
        classes = sorted({*answers.tolist(), *predicted.tolist()})
        about = {"predicted": predicted.tolist(), "score": np.clip(score, 0.01, 0.99), "classes": classes}
        return Made(about, answers, "category", columns={"category": rows["category"].to_numpy()})

    return make


def _binary(score: np.ndarray[Any, Any], human: np.ndarray[Any, Any], **more: Any) -> Made:
    about = {"positive_score": score.astype(np.float64), "threshold": 0.5, "positive": "yes", "classes": ["no", "yes"]}
    return Made(about, np.where(human == 1, "yes", "no"), positive="yes", **more)


def _summaries(rng: np.random.Generator) -> Made:
    rows = data("summaries_15scores", rng)
    columns = {"system": rows["system"].to_numpy()}
    return _binary(rows["score_FactCC"].to_numpy(), rows["human"].to_numpy(), column="system", columns=columns)


def _instructions(rng: np.random.Generator) -> Made:
    rows = data("instructions_judges", rng)
    score = rows.select(pl.mean_horizontal([name for name in rows.columns if name.startswith("judge_")])).to_series()
    columns = {"subset": rows["subset"].to_numpy()}
    return _binary(score.to_numpy(), rows["human"].to_numpy(), column="subset", columns=columns)


def _refusal(rng: np.random.Generator) -> Made:
    rows = data("refusal_5releases", rng)
    verdict = (rows["judge_gpt4"].to_numpy() == "comply").astype(np.float64)
    columns = {"release": rows["release"].to_numpy()}
    return _binary(verdict, rows["human"].to_numpy(), column="release", columns=columns)


def _relevance(rng: np.random.Generator) -> Made:
    rows = data("relevance_judges", rng)
    score = rows.select(pl.mean_horizontal([name for name in rows.columns if name.startswith("judge_")])).to_series()
    columns = {"query": rows["query"].to_numpy()}
    return _binary(np.clip(score.to_numpy() / 3, 0, 1), rows["human"].to_numpy(), column="query", columns=columns)


def _expit(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return 1 / (1 + np.exp(-x))


def _heavy_tails(rng: np.random.Generator) -> Made:
    count, groups = 5_000, 8
    shares = 1 / np.arange(1, groups + 1)
    group = rng.choice(groups, count, p=shares / shares.sum())
    z = rng.standard_t(3, count)
    worse = np.isin(group, (4, 6))
    positive = rng.uniform(size=count) < np.where(worse, 0.35 + 0.3 * _expit(z), _expit(2 * z))
    columns = {"shop": np.array([f"shop {number}" for number in group])}
    return _binary(_expit(z), positive.astype(int), column="shop", columns=columns)


def _merged_classes(rng: np.random.Generator) -> Made:
    count, classes = 8_000, 40
    sizes = rng.dirichlet(np.full(classes, 1.5))
    true = rng.choice(classes, count, p=sizes)
    logits = rng.normal(0, 1.5, (count, classes))
    logits[np.arange(count), true] += 4.5
    for one, other in ((3, 17), (8, 30), (11, 25)):  # the second is never predicted where the first may be
        logits[:, one] = np.maximum(logits[:, one], logits[:, other]) + 0.3
    soft = np.exp(2 * (logits - logits.max(axis=1, keepdims=True)) / 2.5)
    names = [f"class {number:02d}" for number in range(classes)]
    about = {"probabilities": soft / soft.sum(axis=1, keepdims=True), "classes": names}
    return Made(about, np.array(names)[true])


def _hidden_fifth(rng: np.random.Generator) -> Made:
    count = 12_000
    positive = rng.uniform(size=count) < 0.015
    shows = positive & (rng.uniform(size=count) > 0.2)
    z = np.where(shows, rng.normal(1.5, 1.5, count), rng.normal(-4.5, 1.5, count))
    return _binary(np.round(_expit(z), 2), positive.astype(int))


POOLS: dict[str, Callable[[np.random.Generator], Made]] = {
    "questions_strong": _questions("gemini-1.5-flash-002"),
    "questions_weak": _questions("Yi-6b-Chat"),
    "summaries_factcc": _summaries,
    "instructions_mean": _instructions,
    "refusal_verdicts": _refusal,
    "relevance_mean": _relevance,
    "heavy_tails": _heavy_tails,
    "merged_classes": _merged_classes,
    "hidden_fifth": _hidden_fifth,
}


def make(name: str, run: int) -> Made:
    """The pool of a run."""
    return POOLS[name](np.random.default_rng([SEED, run]))
