"""F-scores of two models: labels to tell how far they are apart, against two separate studies of each.

    python -m benchmarks.f_models_board run --runs 200    draws labels; goes on where it was left
    python -m benchmarks.f_models_board page              writes docs/f-models-board.md

Every run is a random sub-pool (half of a pool, four fifths of a small one) and one class against the rest: one of at
most 2 % of the items where a set has such classes, else any. The rival is a study by ACIS of each model, with half of
the labels each, and the difference of the two F1; methods see the same sub-pools, classes and seeds. *Labels saved* is
how many times as many labels the rival takes for the same mean squared error, by interpolation between the numbers of
labels it was looked at; "more than" where it was not as good at the last. Sets that the method was designed on and sets
that only judge it are listed in benchmarks/f_model_pools.toml. Standard errors are of runs drawn again. Finished runs
are kept in benchmarks/kept/f_models.
"""

import argparse
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Any

import numpy as np
from benchmarks.f_score_board import against_the_rest
from benchmarks.kept_runs import FOLDER, KeptRuns, packed, unpacked
from benchmarks.leaderboard.pools import HALF, REPOSITORY, SMALL
from benchmarks.models.pools import name_of, open_member, path_of

import fewlabels as fl
from fewlabels.assessment import Assessment, assess
from fewlabels.core.arrays import Array
from fewlabels.engines import MemoryEngine, ModelOutputs, gathered, in_memory
from fewlabels.reading.answer import answer, read
from fewlabels.simulation.measures import Truth
from fewlabels.simulation.oracle import Known
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import run_seed

LISTED = REPOSITORY / "benchmarks" / "f_model_pools.toml"
LOOKS = (30, 50, 100, 200, 310)
RIVAL_LOOKS = (20, 30, 50, 100, 200, 400, 800, 1200)  # of both studies together
BATCHES = {"1": (1,), "10": (10,), "50": (50,), "mixed": (7, 50, 1, 20)}
RARE, FEWEST = 0.02, 5
ROPE, SURE = 0.01, 0.99
DIGITS = 5  # that are kept
_SEED, _BOOTSTRAP, _BLOCK = 13, 400, 10


@dataclass(frozen=True)
class PairSet:
    """Two models on the list, over the same items."""

    name: str
    role: str
    rare: bool
    members: tuple[str, ...]

    def kept(self, method: str, batch: str) -> KeptRuns:
        return KeptRuns(FOLDER / "f_models" / f"{self.name}.{method}.{batch}.jsonl.xz")


@cache
def sets() -> tuple[PairSet, ...]:
    """Every set on the list that can be opened here."""
    told = tomllib.loads(LISTED.read_text())
    found = [
        PairSet(name, role, kind == "rare", tuple(files))
        for role, kind in product(("test", "design"), ("rare", "common"))
        for name, files in told[role][kind].items()
    ]
    return tuple(one for one in found if all(path_of(file).exists() for file in one.members))


@lru_cache(maxsize=2)
def load(one: PairSet) -> fl.Pool:
    """The whole pool, with its labels."""
    if len(one.members) == 2:
        return fl.Pool.join({name_of(member): open_member(member) for member in one.members})
    pool = open_member(one.members[0])
    engine = in_memory(pool.engine)
    (own,) = engine.models.values()
    assert own.probabilities is not None
    noise = np.random.default_rng(_SEED).normal(size=own.probabilities.shape)
    moved = np.exp(np.log(np.maximum(own.probabilities.astype(np.float64), 1e-12)) + noise)
    moved /= moved.sum(axis=1, keepdims=True)
    twin = ModelOutputs(moved.argmax(axis=1).astype(np.int64), moved.max(axis=1), moved)
    return _pool(engine, {"model": own, "twin": twin}, np.arange(engine.count), pool.positive)


def sub_pool(one: PairSet, run: int) -> fl.Pool:
    """That of a run, the same for every method."""
    whole = load(one)
    engine = in_memory(whole.engine)
    share = SMALL if one.members[0].startswith("text/") and "_large" not in one.members[0] else HALF
    at = np.sort(np.random.default_rng([_SEED, run]).permutation(engine.count)[: round(share * engine.count)])
    return _pool(engine, engine.models, at, whole.positive)


def _pool(engine: MemoryEngine, models: dict[str, ModelOutputs], at: Array, positive: str | None) -> fl.Pool:
    assert engine.labels is not None
    cut = {
        name: ModelOutputs(
            said.predicted[at], said.score[at], None if said.probabilities is None else said.probabilities[at]
        )
        for name, said in models.items()
    }
    made = MemoryEngine(engine.ids[at], engine.classes, engine.other_labels, cut, {}, {}, engine.labels[at])
    return fl.Pool(made, positive)


def class_of(pool: fl.Pool, run: int, *, rare: bool) -> str | None:
    """One class of a sub-pool, at random, that both models predict and on which they differ."""
    label, engine = np.array(pool.known_labels), in_memory(pool.engine)
    one, other = (said.predicted for said in engine.models.values())
    found = []
    for place, name in enumerate(pool.classes):
        a, b = one == place, other == place
        if (
            FEWEST <= (label == name).sum() <= (RARE if rare else 1) * len(label)
            and a.any()
            and b.any()
            and (a != b).any()
        ):
            found.append(name)
    return str(np.random.default_rng([79, run]).choice(found)) if found else None


def prepared(pool: fl.Pool, question: object, model: str, **parts: Any) -> tuple[Assessment, Known]:
    assessment = assess(fl.StudySettings(question, **parts), question, pool, model)
    rows = gathered(pool.engine.scan(model, assessment.cells.axes))
    where = {name: i for i, name in enumerate(pool.true_classes)}
    label = np.array([where[str(one)] for one in pool.known_labels])
    return assessment, Known(assessment.cells, rows.cell, rows.predicted, label, rows.hashes)


def ours(pool: fl.Pool, name: str, seed: int, batch: str) -> list[list[float]]:
    """Truth, value, low, high, and the three probabilities, at each look."""
    a, b = pool.models
    assessment, known = prepared(pool, fl.CompareModels("f1", a, b, ROPE, positive=name), a)
    truth, out = float(Truth(assessment, known).values[0]), []
    for evidence in run_draws(assessment, known.deal(seed), np.array(LOOKS), seed, BATCHES[batch]):
        found = answer(assessment, evidence, 0.95, "equal-tailed")
        d = found.difference
        out.append([truth, d.value, d.low, d.high, found.p_less, found.p_equal, found.p_more])
    return out


def rival(pool: fl.Pool, name: str, seed: int) -> list[float]:
    """The difference of two F1, each of a study by ACIS with half of the labels, at each look."""
    values = []
    for place, model in enumerate(pool.models):
        question = fl.Estimate("f1", positive=name)
        assessment, known = prepared(pool, question, model, strategy="acis")
        looks = np.array(RIVAL_LOOKS) // 2
        found = run_draws(assessment, known.deal(seed + place), looks, seed + place, (10,))
        values.append([read(assessment, e).findings[0].value for e in found])
    return (np.nan_to_num(values[0], nan=0.0) - np.nan_to_num(values[1], nan=0.0)).tolist()


def work(one: PairSet, runs: int, jobs: Sequence[tuple[str, str]], end: float) -> None:
    """Runs that are not kept yet; a run without a class to ask about has found nothing."""
    there = {job: set(one.kept(*job).read()) for job in jobs}
    for start in range(0, runs, _BLOCK):
        done: dict[tuple[str, str], dict[int, Any]] = {job: {} for job in jobs}
        for run in range(start, min(start + _BLOCK, runs)):
            to_do = [job for job in jobs if run not in there[job]]
            if not to_do or time.monotonic() > end:
                continue
            pool, seed = sub_pool(one, run), run_seed(0, run)
            name = class_of(pool, run, rare=one.rare)
            narrow = None if name is None else against_the_rest(pool, name)
            for method, batch in to_do:
                if narrow is None or name is None:
                    done[method, batch][run] = None
                    continue
                found = ours(narrow, name, seed, batch) if method == "contrast" else rival(narrow, name, seed)
                done[method, batch][run] = packed(np.array(found), DIGITS)
        for job, found in done.items():
            one.kept(*job).add(found)


# -- what comes out ----------------------------------------------------------------------------------------------------


def kept_runs(one: PairSet, method: str, batch: str) -> dict[int, Array]:
    """What each run found that had a class to ask about."""
    return {run: unpacked(x, DIGITS) for run, x in one.kept(method, batch).read().items() if x is not None}


def paired(one: PairSet, batch: str) -> tuple[Array, Array]:
    """(n_runs, n_looks, 7) of ours, (n_runs, n_looks) of the rival's values, of runs of which both are there."""
    mine, theirs = kept_runs(one, "contrast", batch), kept_runs(one, "acis", "10")
    both = [run for run in mine if run in theirs]
    return np.array([mine[run] for run in both]), np.array([theirs[run] for run in both])


def saved(mine: Array, theirs: Array, look: int) -> tuple[float, bool]:
    """How many times as many labels the rival takes, and whether it was not as good at its last look."""
    at = LOOKS.index(look)
    truth = mine[:, at, 0]
    goal = float(((np.nan_to_num(mine[:, at, 1]) - truth) ** 2).mean())
    errors = ((theirs - truth[:, None]) ** 2).mean(axis=0)
    falling = np.minimum.accumulate(errors)
    if goal < falling[-1]:
        return RIVAL_LOOKS[-1] / look, True
    logs = np.interp(-np.log(max(goal, 1e-300)), -np.log(falling), np.log(RIVAL_LOOKS))
    return float(np.exp(logs)) / look, False


def saved_words(mine: Array, theirs: Array, look: int) -> tuple[str, float]:
    value, more = saved(mine, theirs, look)
    rng = np.random.default_rng(0)
    again = [saved(mine[i], theirs[i], look)[0] for i in rng.integers(0, len(mine), (_BOOTSTRAP, len(mine)))]
    return f"{'more than ' if more else ''}{value:.1f} ({np.std(again):.1f})", value


def held(found: Array, look: int) -> tuple[float, float, float, float]:
    """How often intervals held the difference, its standard error, mean width, and that over what would hold 95 %."""
    truth, value, low, high = np.moveaxis(found[:, LOOKS.index(look), :4], -1, 0)
    inside = (low <= truth + 1e-9) & (truth <= high + 1e-9)
    side = np.where(value > truth, value - low, high - value)
    needed = np.quantile(np.abs(np.nan_to_num(value) - truth) / np.maximum(np.nan_to_num(side, nan=1.0), 1e-9), 0.95)
    share = float(inside.mean())
    return (
        share,
        float(np.sqrt(share * (1 - share) / len(inside))),
        float((high - low).mean()),
        float(1 / max(needed, 1e-9)),
    )


def sure_and_right(found: Array, look: int) -> tuple[float, int]:
    """Of answers that are as sure as a stop takes: how often they are right, and how many there are."""
    at = found[:, LOOKS.index(look)]
    region, sure = at[:, 4:].argmax(axis=1), at[:, 4:].max(axis=1)
    right = np.array([(d < -ROPE, abs(d) <= ROPE, d > ROPE)[r] for d, r in zip(at[:, 0], region, strict=True)])
    which = sure >= SURE
    return (float(right[which].mean()) if which.any() else float("nan")), int(which.sum())


def page() -> str:
    """What was measured, as a page."""
    about = " ".join((__doc__ or "").split("\n\n")[2].split())
    parts = ["# F-scores of two models, measured\n"]
    parts.append(f"Made by `python -m benchmarks.f_models_board`; do not edit. {about}\n")
    parts += _saved_part()
    for batch in BATCHES:
        parts += _held_part(batch)
    rows = []
    for one in sets():
        if found := _there(one, "10"):
            cells = [_sure_words(np.array(found), look) for look in LOOKS]
            rows.append((one.name, one.role, *cells))
    parts.append(f"## Answers that are {SURE:.0%} sure, with a rope of {ROPE:g}\n")
    parts.append(_table(("set", "", *map(str, LOOKS)), iter(rows)))
    return "\n".join(parts)


def _there(one: PairSet, batch: str) -> list[Array]:
    return list(kept_runs(one, "contrast", batch).values())


def _sure_words(found: Array, look: int) -> str:
    right, count = sure_and_right(found, look)
    return f"{count} of {len(found)}" + (f", {100 * right:.0f} % right" if count else "")


def _saved_part() -> list[str]:
    rows, values = [], {}
    for one in sets():
        mine, theirs = paired(one, "10")
        if len(mine):
            cells = [saved_words(mine, theirs, look) for look in LOOKS]
            values[one] = [value for _, value in cells]
            kind = "" if one.rare else ", any class"
            rows.append((one.name, f"{one.role}{kind}", str(len(mine)), *(words for words, _ in cells)))
    parts = ["## Labels saved against two separate studies by ACIS, batches of 10\n"]
    parts.append(_table(("set", "", "runs", *map(str, LOOKS)), iter(rows)))
    for role in ("design", "test"):
        mine_ = [v for one, vs in values.items() if one.role == role and one.rare for v in vs]
        if mine_:
            parts.append(f"Rare classes of {role} sets: median {np.median(mine_):.1f}, least {min(mine_):.1f}.\n")
    return parts


def _held_part(batch: str) -> list[str]:
    rows = []
    for one in sets():
        if runs := _there(one, batch):
            cells = []
            for look in LOOKS:
                share, se, width, wider = held(np.array(runs), look)
                cells.append(f"{100 * share:.1f} ({100 * se:.1f}); {width:.2f}, {wider:.1f}×")
            rows.append((one.name, one.role, str(len(runs)), *cells))
    if not rows:
        return []
    return [
        f"## How often 95 % intervals hold the difference; batches: {batch}\n",
        "In percent, with standard error; mean width, and how many times wider than would hold 95 %.\n",
        _table(("set", "", "runs", *map(str, LOOKS)), iter(rows)),
    ]


def _table(head: Sequence[str], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "page"))
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--sets", nargs="+", default=["design", "test"], help="roles, or parts of names")
    parser.add_argument("--methods", nargs="+", choices=("contrast", "acis"), default=["contrast", "acis"])
    parser.add_argument("--batches", nargs="+", choices=BATCHES, default=["10"], help="of contrast; acis has 10")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="no run is begun after so many")
    options = parser.parse_args()
    if options.what == "page":
        (REPOSITORY / "docs" / "f-models-board.md").write_text(page())
        return
    end = time.monotonic() + 60 * options.minutes
    jobs = [("contrast", batch) for batch in options.batches] if "contrast" in options.methods else []
    jobs += [("acis", "10")] if "acis" in options.methods else []
    for one in sets():
        if any(part in one.name or part == one.role for part in options.sets):
            work(one, options.runs, jobs, end)
            print(one.name, flush=True)


if __name__ == "__main__":
    main()
