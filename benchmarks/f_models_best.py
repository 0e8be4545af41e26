"""The best of four models by F1, and F1 of two models by groups: how often what is said is right.

    python -m benchmarks.f_models_best --runs 60

The four models of banking77 (a set that methods may be designed on): a random sub-pool of four fifths and one class a
run, labels in tens. The best is found within .01; a study stops at the first look at which that is 99 % sure. The two
models by groups are the first and the last of the four, groups are 30 and 70 % of the items at random.
"""

import argparse

import numpy as np
from benchmarks.f_models_board import _pool, prepared
from benchmarks.f_score_board import against_the_rest
from benchmarks.models.pools import name_of, open_member

import fewlabels as fl
from fewlabels.core.arrays import Array
from fewlabels.core.certificate import bar_of_models
from fewlabels.engines import MemoryEngine, in_memory
from fewlabels.reading.answer import answer
from fewlabels.simulation.measures import Truth
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import run_seed

MEMBERS = ("tfidf_lr", "tfidf_nb", "minilm_mlp", "minilm_mlp_5shot")
LOOKS, OF_GROUPS = (20, 30, 50, 70, 100, 150, 200), (50, 100, 200)
WITHIN, SHARE, FEWEST, FEW = 0.01, 0.8, 5, 0.3
_SLACK = 1e-9


def one_class(whole: fl.Pool, run: int) -> tuple[fl.Pool, str]:
    """A sub-pool, and a class that all models predict, against the rest."""
    engine = in_memory(whole.engine)
    at = np.sort(np.random.default_rng([13, run]).permutation(engine.count)[: round(SHARE * engine.count)])
    pool = _pool(engine, engine.models, at, whole.positive)
    label, models = np.array(pool.known_labels), in_memory(pool.engine).models.values()
    found = [
        name
        for place, name in enumerate(pool.classes)
        if (label == name).sum() >= FEWEST and all((said.predicted == place).any() for said in models)
    ]
    name = str(np.random.default_rng([79, run]).choice(found))
    return against_the_rest(pool, name), name


def best(pool: fl.Pool, name: str, run: int) -> Array:
    """(n_looks, 5): how sure it is that the one named is near, whether it is; that it is the best, whether it is; and
    the share of differences from it that are held."""
    made, known = prepared(pool, fl.BestModel("f1", within=WITHIN, positive=name), pool.models[0], seed=run)
    assert made.scores is not None
    scores = made.scores.exact_scores(known.label, known.cell, made.view.groups)[:, 0]
    true, top, seed, out = dict(zip(pool.models, scores.tolist(), strict=True)), scores.max(), run_seed(0, run), []
    for evidence in run_draws(made, known.deal(seed), np.array(LOOKS), seed, (10,)):
        found = answer(made, evidence, 0.95, "equal-tailed")
        behind = top - true[found.best]
        apart = [(f, true[f.group] - true[found.best]) for f in found.findings if f.group != found.best]
        held = np.mean([f.low - _SLACK <= gap <= f.high + _SLACK for f, gap in apart])
        near = found.p_near, behind <= WITHIN + _SLACK
        out.append((*near, found.p_best[found.best], behind <= _SLACK, held))
    return np.array(out, dtype=np.float64)


def by_groups(pool: fl.Pool, name: str, run: int) -> Array:
    """(n_looks, 2, 3): whether the difference is held, how wide the interval is, and one where a verdict is right,
    minus one where it is wrong; of both groups."""
    engine = in_memory(pool.engine)
    group = np.where(np.random.default_rng([80, run]).random(engine.count) < FEW, "few", "many").astype(object)
    models = {model: engine.models[model] for model in (pool.models[0], pool.models[-1])}
    two = fl.Pool(MemoryEngine(engine.ids, engine.classes, (), models, {"part": group}, {}, engine.labels))
    made, known = prepared(two, fl.CompareModels("f1", *two.models, positive=name, by="part"), two.models[0], seed=run)
    truth, seed, out = Truth(made, known).values.tolist(), run_seed(0, run), []
    for evidence in run_draws(made, known.deal(seed), np.array(OF_GROUPS), seed, (10,)):
        found = answer(made, evidence, 0.95, "equal-tailed")
        rows = []
        for finding, more, true in zip(found.findings, found.extra, truth, strict=True):
            claims = {"better": true > 0, "worse": true < 0, "tied": abs(true) <= WITHIN + _SLACK}
            right = 0 if more["verdict"] == "open" else 1 if claims[more["verdict"]] else -1
            held = true != true or finding.low - _SLACK <= true <= finding.high + _SLACK
            rows.append((held, finding.high - finding.low, right))
        out.append(rows)
    return np.array(out, dtype=np.float64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=60)
    runs = parser.parse_args().runs
    files = [f"text/banking77__{member}.parquet" for member in MEMBERS]
    whole = fl.Pool.join({name_of(file): open_member(file) for file in files})
    cases = [(*one_class(whole, run), run) for run in range(runs)]
    found, parts = np.array([best(*case) for case in cases]), np.array([by_groups(*case) for case in cases])
    sure, near, p_best, is_best, held = np.moveaxis(found, -1, 0)
    print("labels | near: said, right | best: said, right | differences held in percent (standard error)")
    for place, look in enumerate(LOOKS):
        se = 100 * held[:, place].std() / np.sqrt(runs)
        of = [f"{x[:, place].mean():.3f}" for x in (sure, near, p_best, is_best)]
        print(
            look, f"{of[0]}, {of[1]}", f"{of[2]}, {of[3]}", f"{100 * held[:, place].mean():.1f} ({se:.1f})", sep=" | "
        )
    enough = sure >= bar_of_models(0.95)
    stopped, first = enough.any(axis=1), enough.argmax(axis=1)
    right = near[np.arange(runs), first][stopped].mean()
    labels = np.where(stopped, np.array(LOOKS)[first], np.inf)
    print(f"stopped {stopped.mean():.0%}, {right:.1%} of these right, after {np.median(labels):g} labels in the median")
    print("labels | by groups: held in percent, width, of the few and of the many | verdicts, right")
    for place, look in enumerate(OF_GROUPS):
        holds, wide, verdict = np.moveaxis(parts[:, place], -1, 0)
        of = [f"{100 * holds[:, k].mean():.1f}, {wide[:, k].mean():.2f}" for k in (0, 1)]
        said = verdict[verdict != 0]
        print(look, *of, f"{len(said)} of {verdict.size}, {(said > 0).mean():.0%}", sep=" | ")


if __name__ == "__main__":
    main()
