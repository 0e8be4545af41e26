"""Whether this checkout gives the numbers another revision gave, to the last bit.

    python benchmarks/same_as.py 37b7cf6 [--only PATTERN] [--quick]

Small studies and simulations are recorded twice, in processes of their own: with the source of the revision (by default
the last release), and with this checkout's, uncommitted changes and all. Every query, finding, sentence, refusal and
simulated value is compared; of each case that differs the first place is shown, and the exit code is 1. A field that
only one of the two knows is not compared, but named at the end. Simulations run plain, and then compiled.
"""

import argparse
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

if "--plain" in sys.argv:
    sys.modules["numba"] = None  # type: ignore[assignment]  # as if it were not installed

import numpy as np

import fewlabels as fl

HERE = Path(__file__).resolve().parents[1]
QUICK = 13  # of so many cases, a quick comparison takes one
RANDOM = 120  # combinations of everything
FIELDS = {
    fl.Query: "item group arm cell predicted score number round design probability",
    fl.Finding: "group value low high level method target labels prior_share weight unit left",
    fl.Answer: "overall groups probability p_less p_equal p_more rope difference question strategy notes sentence",
    fl.Progress: "done reason labels_left",
    fl.SimulationResult: "question methods budgets measures values",
}
Changes = dict[str, Any]
Asked = Callable[[], Any]  # a question to be made, which may be refused
Case = Callable[[str], Iterator[tuple[str, Any]]]  # all that is said in it and where, given a storage to use


def each(key: str, values: str = "", **more: Any) -> dict[str, Changes]:
    """Changes of one argument to each of these words, and to more values by a name."""
    given = {**{word: word for word in values.split()}, **{name.replace("_", " "): v for name, v in more.items()}}
    return {f"{key} {name}": {key: value} for name, value in given.items()}


# -- questions ---------------------------------------------------------------------------------------------------------

CLASSES = "abcdefz"
PRICES = fl.Cost([[0.0 if i == j else 1 + i + 0.3 * j for j in range(7)] for i in range(7)], classes=CLASSES)
DEBIASED = fl.CalibrationError(norm="squared", debias=True)
MASS = fl.ScoreBins(4, "mass")
OF_ONE_CLASS = ("true_positive_rate", "f_curve", "f1", "precision", "recall")
METRICS = {
    **each(
        "metric", "accuracy calibration_bias calibration_error reliability confusion cost balanced_accuracy macro_f1"
    ),
    **each(
        "metric", " ".join(OF_ONE_CLASS), prices=PRICES, debiased=DEBIASED, reliability_of_mass=fl.Reliability(MASS)
    ),
    **each("metric", squared=fl.CalibrationError(norm="squared"), maximum=fl.CalibrationError(norm="maximum")),
    **each("metric", of_mass=fl.CalibrationError(MASS), towards_recall=fl.FScore(0.3, "a")),
    **each("metric", elsewhere=fl.FScore(0.5, "a", threshold=0.4), short_curve=fl.FCurve("a", (0.2, 0.5, 0.8), 0.3)),
}
BY = {
    **each("by", "predicted_class true_class region score_bin", nothing=None, crossed=("region", "sex")),
    **each("by", crossed_classes=("predicted_class", "sex"), crossed_true_classes=("true_class", "sex")),
    **each("by", crossed_bins=(MASS, "column:region")),
    **each("by", superclass=fl.ClassMap({name: "ab"[i % 2] for i, name in enumerate(CLASSES)})),
}
CORE: dict[str, Asked] = {
    "accuracy": partial(fl.Estimate, "accuracy"),
    "accuracy by predicted": partial(fl.Estimate, "accuracy", "predicted_class"),
    "accuracy by true": partial(fl.Estimate, "accuracy", "true_class"),
    "bias by bin": partial(fl.Estimate, "calibration_bias", "score_bin"),
    "calibration error": partial(fl.Estimate, "calibration_error"),
    "confusion": partial(fl.Estimate, "confusion"),
    "prices by sex": partial(fl.Estimate, PRICES, "sex"),
    "macro-F1": partial(fl.Estimate, "macro_f1"),
    "TPR by region": partial(fl.Estimate, "true_positive_rate", "region", positive="a"),
    "F1": partial(fl.Estimate, "f1", positive="a"),
    "recall": partial(fl.Estimate, fl.FScore(0.0, "a", threshold=0.7)),
    "F-curve": partial(fl.Estimate, "f_curve", positive="a"),
    "worst accuracy": partial(fl.Identify, "accuracy", "predicted_class"),
    "two best": partial(fl.Identify, "accuracy", ("region", "sex"), 2, "best"),
    "worst calibration": partial(fl.Identify, "calibration_error", "region"),
    "two dearest": partial(fl.Identify, PRICES, "predicted_class", 2),
    "women against men": partial(fl.Compare, "accuracy", "sex", "F", "M", 0.0),
    "F1 of women against men": partial(fl.Compare, "f1", "sex", "F", "M", positive="a"),
}
# Questions that hostile data make hard; each is asked with the pools, ways and goals of HOSTILE.
EDGES: dict[str, Asked] = {
    "F1": CORE["F1"],
    "recall at the model's own threshold": partial(fl.Estimate, "recall", positive="a"),
    "precision": partial(fl.Estimate, "precision", positive="a"),
    "F1, precision, recall": partial(fl.Estimate, ["f1", "precision", "recall"], positive="a"),
    "precision and recall by threshold": partial(fl.Estimate, "precision_recall", positive="a"),
    "average precision": partial(fl.Estimate, "average_precision", positive="a"),
    "accuracy": CORE["accuracy"],
    "accuracy by region": partial(fl.Estimate, "accuracy", "region"),
    "accuracy by region and sex": partial(fl.Estimate, "accuracy", ("region", "sex")),
    "accuracy by one of 30 shops": partial(fl.Estimate, "accuracy", "shop"),
    "accuracy by predicted": CORE["accuracy by predicted"],
    "cost by region": partial(fl.Estimate, "cost", "region"),
    "calibration error": CORE["calibration error"],
    "the worst region": partial(fl.Identify, "accuracy", "region"),
    "the worst region, nearly": partial(fl.Identify, "accuracy", "region", within=0.05),
    "the worst class, nearly": partial(fl.Identify, "accuracy", "predicted_class", within=0.05),
    "two worst shops": partial(fl.Identify, "accuracy", "shop", 2),
    "women against men": CORE["women against men"],
    "regions below .7": partial(fl.Below, "accuracy", 0.7, "region"),
    "regions above .6": partial(fl.Above, "accuracy", 0.6, "region"),
    "one model against the other": partial(fl.CompareModels, "accuracy", "one", "two"),
    "F1 of one model against the other": partial(fl.CompareModels, "f1", "one", "two", positive="a"),
    "the best model": partial(fl.BestModel, "accuracy"),
    "the best model by F1": partial(fl.BestModel, "f1", positive="a"),
}

# -- how they are answered ---------------------------------------------------------------------------------------------

STRATEGIES = each("strategy", "uniform uniform_groups thompson top_two epsilon_greedy upper_bound greedy")
DRAWING = {
    **each("strategy", "acis sawade top_k herding", anew=fl.Acis(reuse=False, first=5, growth=1.5)),
    **each("strategy", platt=fl.Acis("platt", mixing=(), top_k=None), once=fl.Acis(replacement=False, caution=0)),
}
ESTIMATORS = each("estimator", "beta frequency median")
READING = {
    **each("estimator", "acis acis_last weighted iso platt gmm", of_two=fl.Averaged(2, interval="worst_case")),
    **each("estimator", printed=fl.Averaged(average_by="weights", reuse="printed", interval="eq6")),
    **each("estimator", effective=fl.Averaged(interval="effective")),
}
PRIORS = {
    **each("prior", "flat diagonal", reported=fl.Prior(0.8, 5), by_class=fl.Prior({"a": 0.9, "b": 0.6}, 20)),
    **each("prior", by_sex=fl.Prior({"F": 0.9})),
    **each("prior_strength", strong=10, faint=1e-6),
}
POOLS = each("pool", "three six top binary saturated ends others independent tiny models")
SIZES = each("pool", "large many")  # for what is done otherwise where there is much of it
BATCHES = each("batches", one_by_one=(1,) * 25, fifty=(50,), mixed=(1, 10, 3, 20, 7)) | each("budget", of_25=25, of_3=3)
GOALS = {
    **each("until", half_width=fl.HalfWidth(0.12), any_width=fl.HalfWidth(0.49), variance=fl.Variance(0.02)),
    **each("until", overall=fl.HalfWidth(0.1, of="overall"), probability=fl.Probability(0.6)),
}
LEVELS = {
    **each("target", "population"),
    **each("level", of_80=0.8),
    **each("read", dense={"interval": "highest-density"}, half={"level": 0.5}),
}
WAYS = each("way", "skips corrections uniform unknown waiting reopened looks")
HOSTILE = {
    **each("pool", "hidden unlike sure yesno"),
    **each("way", "skips waiting looks", wrong_skipped="wrong skipped", first_waits="first waits"),
    **each("until", half_width=fl.HalfWidth(0.12), sure=fl.Probability(0.8)),
    **each("batches", one_by_one=(1,) * 30, fifties=(50, 50), long=(20,) * 8),
}
USUAL: Changes = {"batches": (10, 10, 10), "read": {}, "others": ()}
CHANGES = STRATEGIES | DRAWING | ESTIMATORS | READING | PRIORS | POOLS | SIZES | BATCHES | GOALS | LEVELS | WAYS
SIMULATED = ["accuracy by predicted", "bias by bin", "calibration error", "confusion", "prices by sex", "TPR by region"]
SIMULATED += ["F1", "recall", "worst accuracy", "two best", "worst calibration", "two dearest", "women against men"]
MEASURES = {"Identify": "mrr success", "Compare": "direction lambda_right", "Estimate": "scaled_rmse mean_estimate"}
MEASURES |= {"calibration error": "ece_error ece_error_of_mean", "recall": "variance"}
METHODS = (
    fl.Method("top_two", prior="flat", name="flat top two"),
    fl.Method(fl.Acis(first=5, growth=1.5), fl.Averaged(window=2), name="short rounds"),
    fl.Method("uniform", "beta", fl.Prior(0.8, 5), name="reported"),
    fl.Method("thompson", "beta", "diagonal", name="diagonal"),
)


def studies() -> Iterator[tuple[str, Case]]:
    """Every study by name: all questions, all pairs of a core question and a change, and combinations."""
    for (metric, one), (groups, two) in itertools.product(METRICS.items(), BY.items()):
        case = partial(study_steps, estimator="frequency" if one["metric"] is DEBIASED else "auto")
        asked = {**one, **two, **({"positive": "a"} if one["metric"] in OF_ONE_CLASS else {})}
        yield f"estimate {metric} {groups}", partial(case, question=partial(fl.Estimate, **asked))
        if two["by"] in ("predicted_class", "true_class", ("region", "sex")):
            top = 2 if two["by"] == "predicted_class" else 1
            yield f"identify {metric} {groups}", partial(case, question=partial(fl.Identify, **asked, top=top))
        if two["by"] in ("predicted_class", "true_class") or isinstance(two["by"], fl.ClassMap):
            yield f"compare {metric} {groups}", partial(case, question=partial(fl.Compare, **asked, a="a", b="b"))
    for top, which, metric in itertools.product((1, 2), ("best", "highest", "lowest"), ("accuracy", "cost")):
        ends: Changes = {"by": ("region", "sex"), "top": top, "which": which}
        yield f"identify {top} {which} of {metric}", partial(study_steps, question=partial(fl.Identify, metric, **ends))
    for core, question in CORE.items():
        for change, changes in CHANGES.items():
            yield f"{core}, {change}", partial(study_steps, question=question, **changes)
    yield from edges()
    for core in ("F1", "accuracy by predicted"):
        for pair in itertools.product(STRATEGIES | DRAWING, ESTIMATORS | READING):
            changes = CHANGES[pair[0]] | CHANGES[pair[1]]
            yield f"{core}, {', '.join(pair)}", partial(study_steps, question=CORE[core], **changes)
    for core in ("accuracy by predicted", "F1", "worst calibration", "women against men"):
        for number, change in enumerate(("pool models", "strategy uniform", "way unknown")):
            others = tuple(CORE)[number::3] if core == "F1" else tuple(CORE)  # a second each, of labels drawn for F1
            case = partial(study_steps, question=CORE[core], others=others, **CHANGES[change])
            yield f"{core}, {change}, others", case
    yield from combinations(random.Random(7))


def edges() -> Iterator[tuple[str, Case]]:
    """Studies of hostile pools, with skips, with a query that waits, and with goals."""
    for core, question in EDGES.items():
        for change, changes in HOSTILE.items():
            pool = "models" if "model" in core else changes.get("pool", "unlike")
            if "model" not in core or "pool" not in changes:
                yield f"edge: {core}, {change}", partial(study_steps, question=question, **{**changes, "pool": pool})


def combinations(chance: random.Random) -> Iterator[tuple[str, Case]]:
    """Studies by a random one of each kind of changes, or none of it."""
    for number in range(RANDOM):
        core, others = chance.choice(list(CORE)), tuple(chance.sample(list(CORE), 2))
        drawn = core in ("F1", "recall", "F-curve") and chance.random() < 0.7
        how = [DRAWING, READING] if drawn else [STRATEGIES, ESTIMATORS]
        kinds = [*how, LEVELS, PRIORS, POOLS, BATCHES, GOALS, WAYS]
        chosen = [chance.choice(list(kind)) for kind in kinds if chance.random() < 0.5]
        changes = {key: value for change in chosen for key, value in CHANGES[change].items()}
        case = partial(study_steps, question=CORE[core], others=others, **changes)
        yield f"random {number}: {', '.join([core, *chosen])}", case


def simulations() -> Iterator[tuple[str, Case]]:
    """Every preset, and some methods without a name, on questions of each kind."""
    for core in SIMULATED:
        question = CORE[core]()
        more = MEASURES.get(core, MEASURES[type(question).__name__])
        measures = ["rmse", "mse", "bias", "estimate", "coverage", "width", *more.split()]
        for method in (*fl.presets().values(), *METHODS):
            case = partial(simulation_steps, question=question, methods=[method], measures=measures)
            yield f"simulate {core}, {method.label}", case
            if method.label in ("iprior+ts", "acis"):
                yield f"simulate {core}, {method.label}, population", partial(case, target="population", level=0.8)


# -- recording ---------------------------------------------------------------------------------------------------------


@cache
def pool_of(name: str) -> tuple[fl.Pool, dict[Any, str]]:
    """A pool by name, and the truth of its items; the model is surer of itself than it may be."""
    rng = np.random.default_rng([ord(letter) for letter in name])
    if name in ("hidden", "unlike", "sure", "yesno"):
        return hostile_pool(name, rng)
    count = {"six": 600, "three": 300, "tiny": 40, "large": 9000, "many": 1000}.get(name, 400)
    names = [*CLASSES, *(f"class {n}" for n in range(233))]
    classes = names[: {"six": 6, "binary": 2, "many": 240}.get(name, 3)]
    scores = rng.dirichlet([0.4] * len(classes), count)
    chances = scores**0.6 / (scores**0.6).sum(axis=1, keepdims=True)
    right = (chances.cumsum(axis=1) < rng.uniform(size=(count, 1))).sum(axis=1)
    true = [classes[min(i, len(classes) - 1)] for i in right]
    region = [None if x > 0.95 else ("north", "south", "west")[int(3 * x)] for x in rng.uniform(size=count)]
    columns = {"region": region, "sex": rng.choice(["F", "M"], count).tolist()}
    ids = [f"i{n}" for n in range(count)] if name in ("columns", "six") else list(range(count))
    sharp = (scores**8 / (scores**8).sum(axis=1, keepdims=True)).astype(np.float16).astype(np.float64)
    best = scores.argmax(axis=1)
    given: dict[str, Changes] = {
        "top": {"predicted": [classes[i] for i in best], "score": scores.max(axis=1)},
        "binary": {"positive_score": scores[:, 0], "threshold": 0.4, "positive": "a"},
        "saturated": {"probabilities": sharp / sharp.sum(axis=1, keepdims=True)},
        "ends": {"probabilities": np.eye(len(classes))[best]},
        "independent": {"probabilities": scores**0.7, "probabilities_are": "independent"},
        "others": {"probabilities": scores, "other_labels": ["z"]},
    }
    if name == "others":
        true = ["z" if n % 12 == 0 else label for n, label in enumerate(true)]
    make = partial(fl.Pool.from_arrays, ids=ids, columns={} if name == "three" else columns, classes=classes)
    pool = make(**given.get(name, {"probabilities": scores}))
    if name == "models":
        pool = fl.Pool.join({"one": pool, "two": make(probabilities=chances[:, [0, 2, 1]])})
    return pool, dict(zip(ids, true, strict=True))


def hostile_pool(name: str, rng: np.random.Generator) -> tuple[fl.Pool, dict[Any, str]]:
    """A pool of two classes: positives that score like negatives, groups unlike the rest, a model that is sure of all
    it says, or one that says yes or no."""
    count = 3000 if name == "hidden" else 1200
    region, shop = rng.choice(["north", "south", "east", "west"], count, p=[0.6, 0.25, 0.1, 0.05]), rng.zipf(1.3, count)
    true = rng.uniform(size=count) < (0.03 if name == "hidden" else 0.3)
    seen = true & (rng.uniform(size=count) > (0.3 if name == "hidden" else 0.1))
    score = 1 / (1 + np.exp(-rng.normal(np.where(seen, 1.2, -3.5), 1.6)))
    flipped = rng.uniform(size=count) < np.where(region == "west", 0.4, 0.05) * (name != "hidden")
    true = true ^ flipped
    if name in ("sure", "yesno"):
        score = np.where(score > 0.5, 1.0, 0.0) if name == "yesno" else np.where(score > 0.5, 0.9999, 0.0001)
    columns = {
        "region": region.tolist(),
        "shop": [f"shop {min(number, 30)}" for number in shop.tolist()],
        "sex": rng.choice(["F", "M"], count).tolist(),
    }
    pool = fl.Pool.from_arrays(positive_score=score, threshold=0.5, positive="a", classes=["a", "b"], columns=columns)
    return pool, dict(zip(pool.ids, np.where(true, "a", "b").tolist(), strict=True))


def tried(work: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What comes of it, or what it raised."""
    try:
        return work(*arguments, **named)
    except Exception as error:
        return ["raised", type(error).__name__, str(error)]


def simulation_steps(storage: str, **arguments: Any) -> Iterator[tuple[str, Any]]:  # noqa: ARG001 - keeps nothing
    """All that a simulation says."""
    pool, truth = pool_of("columns")
    yield "result", fl.simulate(pool, truth, budgets=[0, 15, 45], runs=2, seed=5, workers=1, **arguments)


def study_steps(
    storage: str, *, question: Asked, pool: str = "columns", way: str = "", **settings: Any
) -> Iterator[tuple[str, Any]]:
    """All that a study says from its first query to its last answer."""
    batches, read, others = (settings.pop(name, usual) for name, usual in USUAL.items())
    items, truth = pool_of(pool)
    kept = storage if way == "reopened" else None
    asked = question()
    model = None if isinstance(asked, fl.CompareModels | fl.BestModel) else items.models[-1]
    study = fl.create_study(items, asked, seed=11, model=model, storage=kept, **settings)
    for turn, size in enumerate(batches, 1):
        if way == "looks":
            yield f"answer before turn {turn}", tried(study.answer)
        queries = study.ask(size)
        yield f"turn {turn}", queries
        if turn == 1 and way in ("uniform", "unknown"):
            outside: Changes = {"drawn": way}
            study.tell({item: truth[item] for item in items.ids[3::37]}, **outside)
        label(study, queries, truth, way)
        if kept:
            study = fl.load_study(storage=kept, pool=items)
        if "until" in settings:
            yield f"progress after turn {turn}", study.progress
    yield "end", [study.open_queries, study.progress, study.done]
    yield "answer", tried(study.answer, **read)
    if len(items.models) > 1 and model is not None:
        yield "answer of the other model", tried(study.answer, model=items.models[0])
    for other in others:
        yield f"answer of {other}", tried(study.answer, CORE[other](), model=items.models[0])


def label(study: fl.Study, queries: list[fl.Query], truth: Mapping[Any, str], way: str) -> None:
    """Tell what is asked; skip, correct or leave some of it, where that is the way."""
    for query in queries:
        if (way == "waiting" and query.number % 4 == 0) or (way == "first waits" and query.number == 1):
            continue
        if way == "wrong skipped" and truth[query.item] != query.predicted and query.number % 2 == 0:
            study.skip(query, reason="too hard")
            continue
        if way in ("skips", "corrections") and query.number % 5 == 0:
            study.skip(query, reason="unreadable")
        else:
            study.tell(query, truth[query.item], by="somebody")
        if way == "corrections" and query.number % 3 == 0:
            study.correct(query.item, "b" if truth[query.item] == "a" else "a")


def plain(value: Any) -> Any:
    """Anything recorded, as JSON that loses no bit."""
    if isinstance(value, float | np.floating):
        return float(value).hex()
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    kind = next((kind for kind in FIELDS if isinstance(value, kind)), None)
    if kind is None:
        return value
    known = {name: plain(getattr(value, name)) for name in FIELDS[kind].split() if hasattr(value, name)}
    rows = [{"is": "row", **row} for row in value.to_dicts()] if hasattr(value, "to_dicts") else []
    return {"is": kind.__name__, "rows": plain(rows), **known}


def said_in(case: Case, storage: str) -> list[Any]:
    """All that is said in a case, up to what it raised."""
    steps = case(storage)
    return [plain(step) for step in iter(lambda: tried(next, steps, None), None)]


def record(file: Path, pattern: str, every: int, *, compiled: bool) -> None:
    """Write all that is said in one of `every` cases, if its name is like this; compiled, in simulations alone."""
    named = [(f"{name}, compiled" if compiled else name, case) for name, case in simulations()]
    named = named if compiled else [*studies(), *named]
    chosen = {name: case for name, case in named[::every] if re.search(pattern, name)}
    assert len(dict(named)) == len(named), "two cases have one name"
    with tempfile.TemporaryDirectory() as folder:
        found = {name: said_in(case, f"sqlite:///{folder}/{i}.db") for i, (name, case) in enumerate(chosen.items())}
    file.write_text(json.dumps({"source": fl.__file__, "cases": found}))


# -- comparing ---------------------------------------------------------------------------------------------------------


def fields_of(value: Any) -> set[str]:
    """The fields any record in it has, with the record's kind."""
    if isinstance(value, list):
        return set[str]().union(*map(fields_of, value))
    if not isinstance(value, dict):
        return set()
    return {f"{value.get('is')}.{key}" for key in value}.union(*map(fields_of, value.values()))


def differences(then: Any, now: Any, unknown: set[str], place: str, of: str = "") -> Iterator[tuple[str, str]]:
    """Where two recordings differ in what both can know: of what kind each difference is, and the difference itself."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key in (key for key in then | now if f"{then.get('is')}.{key}" not in unknown):
            both = (then.get(key, "no such field"), now.get(key, "no such field"))
            yield from differences(*both, unknown, f"{place} › {key}", f"{of} {key}".strip())
    elif isinstance(then, list) and isinstance(now, list):
        for i, both in enumerate(zip(then, now, strict=False)):
            yield from differences(*both, unknown, f"{place}{called(both[0], i, then)}", of)
        yield from differences(len(then), len(now), unknown, f"{place} › how many", f"{of} count".strip())
    elif type(then) is not type(now) or then != now:
        yield of, f"{place}: {shown(then)} then, {shown(now)} now"


def called(part: Any, i: int, parts: list[Any]) -> str:
    """What to add to a place for an entry of a list: a step's name, a query's number, what a row is about."""
    if len(parts) == 2 and isinstance(parts[0], str):
        return ""  # a step's name, which the place has already, or what is said there
    if isinstance(part, list) and len(part) == 2 and isinstance(part[0], str):
        return f" › {part[0]}"
    about = next((key for key in ("number", "group", "measure") if isinstance(part, dict) and key in part), None)
    return f" › {i}" if about is None else f" › {about} {part[about]}"


def shown(value: Any) -> str:
    """A recorded value for people: floats also in decimals."""
    if isinstance(value, str) and value.lstrip("-").startswith("0x"):
        return f"{float.fromhex(value)!r} ({value})"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 200 else f"{text[:200]}…"


def recordings(source: Path, folder: Path, more: list[str]) -> dict[str, Any]:
    """What the package in this folder says in all cases."""
    found: dict[str, Any] = {}
    alone = {"PYTHONPATH": str(source), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    start, file = time.perf_counter(), folder / "recorded.json"
    for how in (["--plain"],) if "--quick" in more else (["--plain"], []):
        command = [sys.executable, __file__, "--record", str(file), *how, *more]
        subprocess.run(command, check=True, env={**os.environ, **alone})
        recorded = json.loads(file.read_text())
        assert Path(recorded["source"]).is_relative_to(source), f"{recorded['source']} was run, not {source}"
        found |= recorded["cases"]
    print(f"{len(found):,} cases recorded in {time.perf_counter() - start:.0f} s with {source}", flush=True)
    return found


def compare(then: dict[str, Any], now: dict[str, Any]) -> int:
    """Print what differs; how many cases do."""
    unknown = fields_of(list(then.values())) ^ fields_of(list(now.values()))
    found = {name: list(differences(said, now.get(name), unknown, name)) for name, said in then.items()}
    differing = [different for different in found.values() if different]
    for first, *others in differing:
        print(first[1], f"(and {len(others):,} more)" if others else "")
    for of, count in Counter(of for different in differing for of, _ in different).most_common():
        print(f"{count:8,} times {of}")
    simulated = sum(name.startswith("simulate") for name in then)
    print(f"{len(then) - simulated:,} studies and {simulated:,} simulations")
    print(f"{len(then) - len(differing):,} equal, {len(differing):,} different")
    print("not compared:", ", ".join(sorted(unknown | (now.keys() - then.keys()))) or "nothing")
    return len(differing)


def released() -> str:
    """The last revision that changed the version to one that is no development version."""

    def said(*words: str) -> str:
        return subprocess.check_output(["git", *words], cwd=HERE, text=True)

    changed = said("log", "--format=%h", "-G^version = ", "--", "pyproject.toml").split()
    return next(
        one for one in changed if not re.search(r'^version = ".*dev', said("show", f"{one}:pyproject.toml"), re.M)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", nargs="?", help="what to compare with; by default the last release")
    parser.add_argument("--only", default="", metavar="PATTERN", help="cases whose name holds this regular expression")
    parser.add_argument("--quick", action="store_true", help=f"one case of {QUICK}, and nothing compiled")
    parser.add_argument("--record", type=Path, metavar="FILE", help="record with the package at hand, compare nothing")
    parser.add_argument("--plain", action="store_true", help="record studies, and simulations that are not compiled")
    given = parser.parse_args()
    if given.record:
        record(given.record, given.only, QUICK if given.quick else 1, compiled=not given.plain)
        return
    revision = given.revision or released()
    more = [f"--only={given.only}", *["--quick"] * given.quick]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "archive", "-o", f"{folder}/src.tar", revision, "src"], cwd=HERE, check=True)
        shutil.unpack_archive(f"{folder}/src.tar", folder, filter="data")
        then, now = (recordings(source, Path(folder), more) for source in (Path(folder) / "src", HERE / "src"))
    if not then:
        parser.error(f"no case is called anything like {given.only!r}")
    sys.exit(1 if compare(then, now) else 0)


if __name__ == "__main__":
    main()
