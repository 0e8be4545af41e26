"""Simulations: a run is a live study, runs are paired, nothing depends on who does the work, measures are right."""

import json
import os
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, wilcoxon

import fewlabels as fl
from fewlabels.core.keyed import item_order
from fewlabels.engines import MemoryEngine
from fewlabels.simulation import crossing, run_seed, synthetic_pool, workers
from fewlabels.simulation.measures import OF_ESTIMATES, OF_STATES, Truth, measure, point
from fewlabels.simulation.methods import presets, read_methods
from fewlabels.simulation.run import run_plain

simulating = sys.modules["fewlabels.simulation.simulate"]
ACCURACY = fl.Estimate("accuracy", by="predicted_class")
WORST = fl.Identify("accuracy", by="predicted_class")
WORST_3 = fl.Identify("accuracy", by="predicted_class", top=3)
SEXES = fl.Compare("accuracy", by="sex", a="F", b="M")
CONFUSION = fl.Estimate("confusion")
CALIBRATION = fl.Estimate(fl.CalibrationError(fl.ScoreBins(5)))
COST = fl.Identify(fl.Cost(1 - np.eye(6)), by="predicted_class", top=2)
TPR = fl.Estimate("true_positive_rate", by="sex", positive="class-1")


@pytest.fixture(scope="module")
def pool() -> fl.Pool:
    return synthetic_pool(
        240,
        6,
        accuracy=[0.5, 0.6, 0.7, 0.8, 0.9, 0.95],
        calibration=lambda s: s**1.5,
        group_sizes=[60, 50, 40, 40, 30, 20],
        columns={"sex": {"F": 0.4, "M": 0.6}},
        probabilities=True,
        seed=11,
    )


def job_of(pool: fl.Pool, question: Any, methods: list[Any], budgets: list[int], **more: Any) -> Any:
    """What fl.simulate hands to its workers."""
    how = (more.get("target", "pool"), 0.95, None)
    return simulating.prepare(
        pool, None, question, read_methods(methods, question), np.array(budgets), 5, more.get("measures"), how
    )


def truth_and_trace(pool: fl.Pool, question: Any, method: Any, budgets: list[int], **more: Any) -> tuple[Truth, Any]:
    job = job_of(pool, question, [method], budgets, **more)
    trace = run_plain(job.assessments[0], job.known[0].deal(run_seed(5, 0)), job.budgets, run_seed(5, 0))
    return job.truths[0], [job.assessments[0].prior_belief.after(counts) for counts in trace.counts]


# -- a run is a live study -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "method"),
    [
        *((ACCURACY, name) for name in ("frequency", "uprior", "iprior", "iprior+ts", "uniform_groups", "auto")),
        *((WORST, name) for name in ("iprior", "uprior+ts", "top_two", "epsilon_greedy", "upper_bound")),
        *((WORST_3, name) for name in ("uprior2", "iprior+ts", "epsilon_greedy", "uniform_groups")),
        *((SEXES, name) for name in ("iprior", "iprior+ts")),
        (fl.Compare("accuracy", by="predicted_class", a="class-4", b="class-0"), "iprior+ts"),
        (CALIBRATION, "iprior+ts"),
        (fl.Identify(fl.CalibrationError(fl.ScoreBins(4)), by="predicted_class", top=2), "iprior+ts"),
        (CONFUSION, "uprior"),
        (CONFUSION, "iprior+ts"),
        (COST, "iprior+ts"),
        (TPR, "uprior+ts"),
        (fl.Estimate("accuracy", by="true_class"), "iprior+ts"),
        (fl.Estimate("accuracy", by=("sex", "predicted_class")), fl.Method("thompson", prior=fl.Prior(0.8, 10))),
    ],
    ids=lambda value: value if isinstance(value, str) else getattr(value, "kind", "method"),
)
def test_a_run_asks_for_the_items_a_live_study_of_its_seed_asks_for(pool, question, method):
    """Query by query: the same cell, the same item in it, the same counts after its label."""
    labels, seed = 70, run_seed(5, 3)
    job = job_of(pool, question, [method], list(range(labels + 1)))
    counts = run_plain(job.assessments[0], job.known[0].deal(seed), job.budgets, seed).counts
    named = method if isinstance(method, fl.Method) else presets()[method]
    live = fl.create_study(pool, question, strategy=named.strategy, estimator=named.estimator, prior=named.prior,
                           prior_strength=named.prior_strength, seed=seed)  # fmt: skip
    order = np.lexsort((item_order(seed, job.known[0].hashes), job.known[0].cell))
    dealt = [list(np.array(pool.ids)[order][job.known[0].cell[order] == c]) for c in range(job.known[0].cells.count)]
    seen = np.zeros_like(counts[0])
    for place in range(labels):
        (query,) = live.ask()
        (cell,) = np.flatnonzero((counts[place + 1] - counts[place]).any(axis=1))
        assert query.cell == cell
        assert query.item == dealt[cell].pop(0)
        label = pool.known_labels[query.item]
        live.tell(query, label)
        seen[cell, column(job, query.predicted, label)] += 1
        assert (counts[place + 1] == seen).all()


def column(job: Any, predicted: str, label: str) -> int:
    """Where a label is counted: hits, then misses; or at its class."""
    outcome = job.assessments[0].outcome
    true = job.assessments[0].true_classes.index(label)
    said = job.assessments[0].true_classes.index(predicted)
    return int(outcome.codes(np.array([true]), np.array([said]))[0])


@pytest.mark.parametrize("target", ["pool", "population"])
@pytest.mark.parametrize("question", [ACCURACY, CONFUSION, COST], ids=["accuracy", "confusion", "cost"])
def test_the_estimates_measured_are_those_a_live_study_answers_with(pool, question, target):
    truth, (belief,) = truth_and_trace(pool, question, "iprior+ts", [50], target=target)
    live = fl.create_study(pool, question, strategy="thompson", seed=run_seed(5, 0), target=target)
    for _ in range(50):
        (query,) = live.ask()
        live.tell(query, pool.known_labels[query.item])
    found = {finding.group: finding.value for finding in live.answer().findings}
    names = truth.assessment.metric.rows(truth.assessment.view).names
    assert point(truth.assessment, belief) == pytest.approx([found[name] for name in names])


def measured(name: str, truth: Truth, belief: Any) -> float:
    """One measure of what is known at one budget."""
    if name in OF_ESTIMATES:
        return float(OF_ESTIMATES[name](truth, point(truth.assessment, belief)))
    return OF_STATES[name](truth, belief)


# -- pairing, workers, resuming --------------------------------------------------------------------------------------


def test_methods_of_a_run_are_paired(pool):
    """Methods that choose alike see the same labels; alone or in company, a method's run is the same."""
    both = fl.simulate(pool, None, ACCURACY, ["uprior", "uprior2"], [40], runs=4, workers=1)
    alone = fl.simulate(pool, None, ACCURACY, ["uprior2"], [40], runs=4, workers=1)
    assert (both.of("uprior2", "rmse") == alone.of("uprior2", "rmse")).all()
    job = job_of(pool, ACCURACY, ["uprior", "uprior2"], [40])
    deck = job.known[0].deal(7)
    one, other = (run_plain(a, deck, job.budgets, 7).counts for a in job.assessments)
    assert (one == other).all()


def test_runs_differ_and_seeds_differ(pool):
    one = fl.simulate(pool, None, ACCURACY, ["iprior"], [40], runs=5, workers=1)
    other = fl.simulate(pool, None, ACCURACY, ["iprior"], [40], runs=5, seed=1, workers=1)
    assert len(set(one.of("iprior", "rmse").ravel()) | set(other.of("iprior", "rmse").ravel())) == 10


def test_results_do_not_depend_on_workers_or_on_how_runs_are_shared_out(pool, monkeypatch):
    def values(workers: int) -> np.ndarray:
        return fl.simulate(pool, None, WORST, ["iprior+ts"], [20, 40], runs=25, workers=workers).values

    one = values(1)
    assert (one == values(2)).all()
    monkeypatch.setattr(workers, "_CHUNK", 3)
    assert (one == values(2)).all()


def test_more_runs_begin_with_the_same_runs(pool):
    few, many = (fl.simulate(pool, None, ACCURACY, ["iprior"], [30], runs=n, workers=1).values for n in (3, 6))
    assert (few == many[:3]).all()


class StopError(Exception):
    """Raised by a test in the middle."""


@pytest.mark.parametrize("error", [KeyboardInterrupt, StopError])
@pytest.mark.parametrize("workers", [1, 2])
def test_after_an_interruption_only_the_rest_is_done_and_the_result_is_the_same(pool, tmp_path, error, workers):
    whole = fl.simulate(pool, None, ACCURACY, ["iprior+ts"], [30], runs=24, workers=1)

    def stop(done: int, runs: int) -> None:
        if done == 7:
            raise error

    arguments: Any = (pool, None, ACCURACY, ["iprior+ts"], [30], 24)
    with pytest.raises(error):
        fl.simulate(*arguments, workers=workers, resume=tmp_path / "kept", progress=stop)
    calls: list[int] = []
    again = fl.simulate(*arguments, workers=1, resume=tmp_path / "kept", progress=lambda done, _: calls.append(done))
    assert calls == list(range(7, 25))  # the seven at once, then one by one
    assert (again.values == whole.values).all()


def test_runs_kept_serve_a_simulation_of_more_or_fewer_runs(pool, tmp_path, monkeypatch):
    arguments: Any = (pool, None, ACCURACY, ["iprior"], [30])
    five = fl.simulate(*arguments, runs=5, workers=1, resume=tmp_path)
    ran: list[int] = []
    run = simulating.Job.run
    monkeypatch.setattr(simulating.Job, "run", lambda job, number: ran.append(number) or run(job, number))
    eight = fl.simulate(*arguments, runs=8, workers=1, resume=tmp_path)
    three = fl.simulate(*arguments, runs=3, workers=1, resume=tmp_path)
    assert ran == [5, 6, 7]
    assert (eight.values[:5] == five.values).all()
    assert (three.values == five.values[:3]).all()


def test_a_record_cut_short_by_a_kill_is_done_again(pool, tmp_path):
    arguments: Any = (pool, None, ACCURACY, ["iprior"], [30, 60], 6)
    whole = fl.simulate(*arguments, workers=1, resume=tmp_path)
    file = tmp_path / "runs.bin"
    os.truncate(file, file.stat().st_size - 5)
    assert (fl.simulate(*arguments, workers=1, resume=tmp_path).values == whole.values).all()
    assert (fl.simulate(*arguments, workers=1, resume=tmp_path).values == whole.values).all()


@pytest.mark.parametrize("what", ["seed", "budgets", "methods", "measures", "labels", "target", "scores"])
def test_runs_kept_of_another_simulation_are_refused(pool, tmp_path, what):
    same: dict[str, Any] = {"question": ACCURACY, "methods": ["iprior"], "budgets": [30], "runs": 2, "workers": 1}
    fl.simulate(pool, None, resume=tmp_path, **same)
    labels = pool.known_labels.copy()
    if what == "labels":
        labels[0] = "class-1" if labels[0] != "class-1" else "class-2"
    if what == "scores":
        engine = pool.engine
        outputs = engine.models["model"]
        pool = replace(pool, engine=replace(engine, models={"model": replace(outputs, score=outputs.score * 0.99)}))
    other = {"seed": 3, "budgets": [31], "methods": ["uprior"], "measures": ["width"], "target": "population"}
    changed = {what: other[what]} if what in other else {}
    with pytest.raises(fl.StudyError, match="another simulation"):
        fl.simulate(pool, labels, resume=tmp_path, **{**same, **changed})


SCRIPT = """
import os, signal, sys
import fewlabels as fl
import fewlabels.simulation.kernels.chosen  # an interrupt while Numba is imported may end in an error of Numba's
from fewlabels.simulation import synthetic_pool
from multiprocessing import popen_spawn_posix as starting
launch = starting.Popen._launch
def launch_and_interrupt(self, process):
    moment, starting.Popen._launch = sys.argv[1], launch
    if moment == "before a worker starts":
        os.killpg(0, signal.SIGINT)
    launch(self, process)
    if moment == "after a worker started":
        os.killpg(0, signal.SIGINT)
starting.Popen._launch = launch_and_interrupt
print("imported", flush=True)
def tick(done, runs):
    print(done, flush=True)
    sys.stdin.readline()  # one line for each report: the script cannot end before the test has done its part
pool = synthetic_pool(2000, 20, accuracy=0.8)
fl.simulate(pool, None, fl.Estimate("accuracy", by="predicted_class"), ["iprior+ts"], [150], 2000, workers=2,
            measures=["rmse"], resume="kept", progress=tick)
"""
# Python imports this first of all, in workers too: the earliest moment there is. A folder is made only once.
FIRST_IN_A_WORKER = """
import os, signal, sys
if "--multiprocessing-fork" in sys.orig_argv:
    try:
        os.mkdir("interrupted")
        os.killpg(0, signal.SIGINT)
    except FileExistsError:
        pass
"""
REPORTS = 300  # of 2,000, that the script may make
CEILING = 3600  # seconds after which a test gives up waiting; a machine has to be very busy for a hundredth of it


@contextmanager
def script(folder: Path, moment: str = "") -> Iterator[subprocess.Popen[str]]:
    """A script without an `if __name__` guard, about to simulate, in a process group of its own."""
    (folder / "script.py").write_text(SCRIPT)
    if moment == "while a worker starts":
        (folder / "sitecustomize.py").write_text(FIRST_IN_A_WORKER)
    paths = [str(folder), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    process = subprocess.Popen(
        [sys.executable, "script.py", moment], cwd=folder, text=True, start_new_session=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip
    with process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("\n" * REPORTS)
            process.stdin.flush()
            assert process.stdout.readline() == "imported\n"
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def well_on_its_way(process: subprocess.Popen[str]) -> None:
    """Wait until the first runs are reported."""
    assert process.stdout is not None
    for _ in range(3):
        assert process.stdout.readline().strip().isdecimal()  # had the workers run the script, it would say "imported"


def kept_runs(folder: Path) -> set[int]:
    return set(np.fromfile(folder / "kept" / "runs.bin").reshape(-1, 2)[:, 0].astype(int))


def test_ctrl_c_ends_a_script_early_and_leaves_every_reported_run_on_disk(tmp_path):
    """As a terminal does it: the signal goes to the whole group, workers included."""
    with script(tmp_path) as process:
        well_on_its_way(process)
        os.killpg(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=CEILING)
    assert error.rstrip().endswith("KeyboardInterrupt")
    assert error.count("Traceback") == 1  # the workers do not add theirs
    reported = max(map(int, out.split()), default=3)
    assert reported < 2000
    assert len(kept_runs(tmp_path)) >= reported


@pytest.mark.parametrize("moment", ["before a worker starts", "after a worker started", "while a worker starts"])
def test_ctrl_c_while_workers_start_is_an_interrupt_and_nothing_else(tmp_path, moment):
    with script(tmp_path, moment) as process:
        _, error = process.communicate(timeout=CEILING)
    assert (tmp_path / "interrupted").exists() == (moment == "while a worker starts")
    assert error.rstrip().endswith("KeyboardInterrupt")
    assert error.count("Traceback") == 1


def test_killed_in_the_middle_what_was_finished_is_found_again(tmp_path):
    with script(tmp_path) as process:
        well_on_its_way(process)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=CEILING)
    pool = synthetic_pool(2000, 20, accuracy=0.8)
    calls: list[int] = []
    before = len(kept_runs(tmp_path) & set(range(30)))
    same: dict[str, Any] = {"measures": ["rmse"], "workers": 1}
    again = fl.simulate(pool, None, ACCURACY, ["iprior+ts"], [150], 30, resume=tmp_path / "kept",
                        progress=lambda done, _: calls.append(done), **same)  # fmt: skip
    assert calls[0] == before > 0
    assert (again.values == fl.simulate(pool, None, ACCURACY, ["iprior+ts"], [150], 30, **same).values).all()


def test_runs_under_way_at_an_interrupt_are_handed_over_once(pool):
    job = job_of(pool, ACCURACY, ["iprior+ts"], [150])
    work = workers.work(job, list(range(10_000)), 2)
    numbers = [next(work)[0] for _ in range(13)]  # in the middle of a chunk
    numbers.append(work.throw(KeyboardInterrupt)[0])
    with pytest.raises(KeyboardInterrupt):
        numbers.extend(number for number, _ in work)
    assert 20 <= len(numbers) < 10_000
    assert len(set(numbers)) == len(numbers)


def die(numbers: list[int]) -> None:
    os._exit(1)


def test_a_worker_that_dies_is_reported_in_words(pool, monkeypatch):
    monkeypatch.setattr(workers, "_do", die)
    monkeypatch.setattr(workers, "_CHUNK", 1)
    with pytest.raises(fl.StudyError, match=r"died.*workers=1"):
        fl.simulate(pool, None, ACCURACY, ["iprior"], [10], runs=2, workers=2)


def test_memory_grows_by_the_values_only(pool):
    def peak(runs: int) -> int:
        tracemalloc.start()
        fl.simulate(pool, None, ACCURACY, ["uprior"], [20], runs=runs, workers=1)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(2)
    few, many = peak(10), peak(110)
    assert many - few < 100 * 1_000  # a run is a dictionary entry and one number; its traces would be 5 kB and more


# -- measures, against slow loops ------------------------------------------------------------------------------------


def slow_accuracies(pool: fl.Pool) -> tuple[np.ndarray, np.ndarray]:
    """Classwise accuracy and weight, counted item by item."""
    assert isinstance(pool.engine, MemoryEngine)
    right, size = np.zeros(6), np.zeros(6)
    for k, label in zip(pool.engine.models["model"].predicted, pool.known_labels, strict=True):
        size[k] += 1
        right[k] += pool.classes[k] == label
    return right / size, size / size.sum()


@pytest.mark.parametrize("target", ["pool", "population"])
def test_rmse_is_the_weighted_root_mean_square_error(pool, target):
    truth, (belief,) = truth_and_trace(pool, ACCURACY, "iprior", [60], target=target)
    accuracy, weight = slow_accuracies(pool)
    total = 0.0
    for g in range(6):
        n, r = belief.labels[g], belief.hits[g]
        mean = (belief.prior_alpha[g] + r) / (belief.prior_alpha[g] + belief.prior_beta[g] + n)
        estimate = mean if target == "population" else (r + (belief.size[g] - n) * mean) / belief.size[g]
        total += weight[g] * (estimate - accuracy[g]) ** 2
    assert measured("rmse", truth, belief) == pytest.approx(total**0.5, rel=1e-12)


def test_without_a_label_plain_frequencies_guess_even_odds(pool):
    truth, (belief,) = truth_and_trace(pool, ACCURACY, "frequency", [0])
    accuracy, weight = slow_accuracies(pool)
    assert measured("rmse", truth, belief) == pytest.approx((weight @ (accuracy - 0.5) ** 2) ** 0.5)


def slow_confusion_error(pool: fl.Pool, estimate: np.ndarray) -> float:
    """(sum_k p_k sum_j (theta_jk - theta*_jk)^2)^(1/2), counted item by item."""
    counts = np.zeros((6, 6))
    for k, label in zip(pool.engine.models["model"].predicted, pool.known_labels, strict=True):
        counts[k, pool.classes.index(label)] += 1
    total = 0.0
    for k in range(6):
        for j in range(6):
            total += counts[k].sum() / 240 * (estimate[k, j] - counts[k, j] / counts[k].sum()) ** 2
    return total**0.5


def test_confusion_rmse_and_its_scaled_form(pool):
    """Scaled by the error of the mean score vector of each predicted class, whatever the method's own prior."""
    truth, (belief,) = truth_and_trace(pool, CONFUSION, "uprior2", [60], target="population")
    counts, flat = belief.counts, np.full((6, 6), 1 / 6)
    estimate = (flat + counts) / (1 + counts.sum(axis=1, keepdims=True))
    outputs = pool.engine.models["model"]
    informed = np.stack([outputs.probabilities[outputs.predicted == k].mean(axis=0) for k in range(6)])
    error = slow_confusion_error(pool, estimate)
    assert measured("rmse", truth, belief) == pytest.approx(error)
    assert measured("scaled_rmse", truth, belief) == pytest.approx(error / slow_confusion_error(pool, informed))


def test_the_scaled_rmse_of_the_informed_prior_is_one_before_the_first_label(pool):
    result = fl.simulate(pool, None, CONFUSION, ["iprior"], [0, 240], runs=2, measures=["scaled_rmse"], workers=1)
    assert result.of("iprior", "scaled_rmse") == pytest.approx(np.array([[1, 0], [1, 0]]))


def test_ece_errors_are_percentages_of_the_true_calibration_error(pool):
    truth, (belief,) = truth_and_trace(pool, CALIBRATION, "iprior", [60], target="population")
    outputs = pool.engine.models["model"]
    right = np.array(pool.classes)[outputs.predicted] == pool.known_labels
    exact = plug_in = mean = 0.0
    for cell in range(truth.assessment.cells.count):
        number = truth.assessment.cells.coordinates[cell, 0]
        inside = np.minimum((outputs.score * 5).astype(int), 4) == number
        share, score = inside.mean(), outputs.score[inside].mean()
        theta = beta(belief.alpha[cell], belief.beta[cell])
        exact += share * abs(right[inside].mean() - score)
        plug_in += share * abs(theta.mean() - score)
        mean += share * theta.expect(lambda t, s=score: abs(t - s), points=[score])
    assert measured("ece_error", truth, belief) == pytest.approx(100 * abs(plug_in - exact) / exact)
    assert measured("ece_error_of_mean", truth, belief) == pytest.approx(100 * abs(mean - exact) / exact, rel=1e-6)


def slow_mrr(estimate: list[float], truth: list[float], top: int) -> float:
    """Ranks of the true worst, each counted without the others of them; equals rank in their given order."""
    best = sorted(range(len(truth)), key=lambda g: (truth[g], g))[:top]
    total = 0.0
    for g in best:
        ahead = [h for h in range(len(truth)) if h not in best and (estimate[h], h) < (estimate[g], g)]
        total += 1 / (1 + len(ahead))
    return total / top


@pytest.mark.parametrize("top", [1, 2, 4])
def test_mrr_and_success_ignore_the_other_true_ones_and_break_ties_by_position(pool, top):
    """Estimates on a coarse grid, so that most have ties."""
    question = fl.Identify("accuracy", by="predicted_class", top=top)
    truth, (belief,) = truth_and_trace(pool, question, "uprior", [0], target="population")
    rng = np.random.default_rng(0)
    for _ in range(200):
        rates = rng.integers(0, 4, 6) / 4
        seen = replace(belief, hits=1e9 * rates, misses=1e9 * (1 - rates))
        estimate = np.round(seen.mean, 6)
        exact = replace(belief, hits=1e9 * estimate, misses=1e9 * (1 - estimate))
        assert measured("mrr", truth, exact) == pytest.approx(slow_mrr(exact.mean.tolist(), truth.values.tolist(), top))
        named = sorted(range(6), key=lambda g: (exact.mean[g], g))[:top]
        assert measured("success", truth, exact) == (set(named) == set(truth.top.tolist()))


def test_mrr_is_one_whenever_the_true_set_is_named_in_any_order(pool):
    truth, (belief,) = truth_and_trace(pool, WORST_3, "uprior", [0])
    for rates in ([0.3, 0.2, 0.1, 0.9, 0.9, 0.9], [0.1, 0.3, 0.2, 0.8, 0.7, 0.9]):
        seen = replace(belief, hits=belief.size * np.array(rates), misses=belief.size * (1 - np.array(rates)))
        assert measured("mrr", truth, seen) == measured("success", truth, seen) == 1


@pytest.mark.parametrize("method", ["frequency", "uprior2", "iprior"])
@pytest.mark.parametrize(
    ("question", "names"),
    [
        (ACCURACY, ["rmse", "coverage", "bias"]),
        (CALIBRATION, ["ece_error_of_mean", "ece_error", "estimate"]),
        (CONFUSION, ["scaled_rmse", "rmse"]),
        (COST, ["mse", "width"]),
        (WORST_3, ["success", "mrr"]),
        (fl.Identify(fl.Cost(), by="predicted_class", top=2, which="best"), ["mrr", "success"]),
    ],
    ids=lambda value: value.kind if hasattr(value, "kind") else "+".join(value),
)
def test_measures_of_all_budgets_at_once_are_those_of_each(pool, question, names, method, monkeypatch):
    """Also where the estimates are made in several parts, and where some are unknown."""
    monkeypatch.setattr("fewlabels.simulation.measures.AT_ONCE", 100)
    budgets = list(range(0, 240, 20))
    truth, beliefs = truth_and_trace(pool, question, method, budgets)
    job = job_of(pool, question, [method], budgets)
    together = measure(truth, run_plain(job.assessments[0], job.known[0].deal(run_seed(5, 0)), job.budgets,
                                        run_seed(5, 0)), names)  # fmt: skip
    apart = [[measured(name, truth, belief) for name in names] for belief in beliefs]
    assert together == pytest.approx(np.array(apart), rel=1e-12, abs=1e-12, nan_ok=True)
    assert len(np.unique(together)) > 1 or method == "iprior"  # whose scores name the worst at once


def slow_regions(a: float, b: float, c: float, d: float, rope: float) -> np.ndarray:
    """mu for Beta(a, b) - Beta(c, d) by a million draws."""
    rng = np.random.default_rng(1)
    difference = rng.beta(a, b, 1_000_000) - rng.beta(c, d, 1_000_000)
    return np.array([(difference < -rope).mean(), (abs(difference) <= rope).mean(), (difference > rope).mean()])


@pytest.mark.parametrize(("a", "b"), [("class-0", "class-5"), ("class-5", "class-0"), ("class-4", "class-5")])
def test_direction_and_lambda_right_follow_their_definitions(pool, a, b):
    """lambda* by the same prior and all labels; draws leave mu uncertain by 0.0005, so nearer calls are not tested."""
    question = fl.Compare("accuracy", by="predicted_class", a=a, b=b)
    truth, beliefs = truth_and_trace(pool, question, "iprior+ts", list(range(0, 50, 5)))
    accuracy, _ = slow_accuracies(pool)
    i, j = pool.classes.index(a), pool.classes.index(b)
    last = beliefs[-1]
    full = last.prior_alpha + accuracy * last.size, last.prior_beta + (1 - accuracy) * last.size
    final = slow_regions(full[0][i], full[1][i], full[0][j], full[1][j], 0.05)
    true_region = int(np.digitize(accuracy[i] - accuracy[j], [-0.05, 0.05]))
    tested = 0
    for belief in beliefs:
        mu = slow_regions(belief.alpha[i], belief.beta[i], belief.alpha[j], belief.beta[j], 0.05)
        off = abs(mu.max() - final.max()) / final.max()
        if abs(off - 0.05) < 0.005 or np.diff(np.sort(mu))[-1] < 0.005:
            continue
        tested += 1
        assert measured("direction", truth, belief) == (mu.argmax() == true_region)
        assert measured("lambda_right", truth, belief) == (off < 0.05 and mu.argmax() == final.argmax())
    assert tested >= 5


def test_a_lambda_near_the_true_one_is_not_right_in_the_wrong_direction(pool):
    question = fl.Compare("accuracy", by="predicted_class", a="class-0", b="class-5")
    truth, (belief,) = truth_and_trace(pool, question, "uprior2", [0])
    good, bad = 19 / 20, 1 / 20
    for rates, right in (([bad, 0, 0, 0, 0, good], 1.0), ([good, 0, 0, 0, 0, bad], 0.0)):
        seen = replace(belief, hits=20 * np.array(rates), misses=20 * (1 - np.array(rates)))
        assert measured("lambda_right", truth, seen) == measured("direction", truth, seen) == right


@pytest.mark.parametrize("question", [SEXES, fl.Compare("true_positive_rate", "sex", "F", "M", positive="class-1")])
def test_with_every_label_direction_and_lambda_are_right(pool, question):
    """By closed forms, and by draws where groups have several cells."""
    result = fl.simulate(pool, None, question, ["iprior"], [0, 240], runs=2, workers=1)
    assert result.measures == ("direction", "lambda_right")
    assert (result.values[:, :, 1] == [[1.0, 1.0]]).all()


@pytest.mark.parametrize("target", ["pool", "population"])
def test_coverage_and_width_are_of_the_intervals_a_study_answers_with(pool, target):
    truth, (belief,) = truth_and_trace(pool, ACCURACY, "uprior2", [60], target=target)
    how = {"strategy": "uniform", "estimator": "beta", "prior": "flat"}
    live = fl.create_study(pool, ACCURACY, seed=run_seed(5, 0), target=target, **how)
    for _ in range(60):
        (query,) = live.ask()
        live.tell(query, pool.known_labels[query.item])
    accuracy = dict(zip(pool.classes, slow_accuracies(pool)[0], strict=True))
    found = live.answer().findings
    held = [f.low <= accuracy[f.group] <= f.high for f in found]
    assert measured("coverage", truth, belief) == pytest.approx(np.mean(held))
    assert measured("width", truth, belief) == pytest.approx(np.mean([f.high - f.low for f in found]))


def test_groups_without_a_truth_count_for_nothing():
    """Two groups, one without positives: its true-positive rate is not defined."""
    pool = fl.Pool.from_arrays(
        predicted=["yes", "no"] * 20,
        score=[0.9] * 40,
        columns={"side": ["left"] * 20 + ["right"] * 20},
        labels=["yes"] * 20 + ["no"] * 20,
    )
    question = fl.Estimate("true_positive_rate", by="side", positive="yes")
    result = fl.simulate(pool, None, question, ["iprior"], [0, 40], 2, measures=["rmse", "coverage"], workers=1)
    assert np.isfinite(result.values).all()
    assert result.of("iprior", "rmse")[:, 1] == pytest.approx(0)


@pytest.mark.parametrize("question", [ACCURACY, WORST, SEXES, CONFUSION, CALIBRATION, COST, TPR])
def test_with_every_label_every_method_knows_the_truth(pool, question):
    result = fl.simulate(pool, None, question, ["uprior", "iprior+ts"], [240], runs=1, workers=1)
    best = {"rmse": 0, "ece_error": 0, "mrr": 1, "success": 1, "direction": 1, "lambda_right": 1}
    for place, name in enumerate(result.measures):
        if name in best:
            assert result.values[0, :, 0, place] == pytest.approx(best[name], abs=1e-9)


# -- results ---------------------------------------------------------------------------------------------------------


def result_of(values: Any, methods: tuple[str, ...] = ("a", "b"), measure: str = "mrr") -> fl.SimulationResult:
    """Values (n_runs, n_methods, n_budgets) at budgets 10, 20, …"""
    table = np.array(values, dtype=float)[..., None]
    return fl.SimulationResult("q", methods, tuple(range(10, 10 * table.shape[2] + 1, 10)), (measure,), table)


def test_the_frame_has_a_row_a_method_budget_and_measure(pool):
    result = fl.simulate(pool, None, ACCURACY, ["uprior", "iprior"], [30, 60], 7, measures=["rmse", "width"], workers=1)
    frame = result.to_frame()
    assert list(frame.columns) == ["method", "labels", "measure", "mean", "se", "runs"]
    assert len(frame) == 8
    row = frame[(frame.method == "iprior") & (frame.labels == 60) & (frame.measure == "width")].iloc[0]
    values = result.values[:, 1, 1, 1]
    assert row["mean"] == pytest.approx(sum(values) / 7)
    assert row["se"] == pytest.approx((sum((v - row["mean"]) ** 2 for v in values) / 6 / 7) ** 0.5)
    assert row["runs"] == 7
    assert "means of 7 runs" in str(result)


def test_a_single_run_has_no_standard_error():
    assert np.isnan(result_of([[[0.5]]], ("a",)).to_dicts()[0]["se"])


def test_labels_until_a_threshold_by_run_and_by_the_average():
    """Runs cross at 10, 30 and never; the average (0.63, 0.57, 0.73) exceeds 0.7 at 30 and 0.6 at once."""
    result = result_of([[[0.9, 0.6, 0.9]], [[0.5, 0.5, 0.9]], [[0.5, 0.6, 0.4]]], ("a",))
    assert result.labels_until("a", "mrr", 0.7) == 30
    assert result.labels_until("a", "mrr", 0.6) == 10
    assert result.labels_until("a", "mrr", 0.95) is None
    per_run = result.labels_until_per_run("a", "mrr", 0.8)
    assert per_run[:2].tolist() == [10, 30]
    assert np.isnan(per_run[2])


def test_a_threshold_must_be_exceeded_not_reached():
    result = result_of([[[0.5, 1.0]]], ("a",))
    assert result.labels_until("a", "mrr", 0.5) == 20
    assert result.labels_until_per_run("a", "mrr").tolist() == [20]


def test_a_crossing_comes_with_a_bootstrap_interval_in_which_never_may_be_an_end():
    """Half the runs pass at 20, half at 30: the average passes 0.9 at 30, in a resample of early runs only at 20."""
    early, late = [0.1, 1.0, 1.0], [0.1, 0.2, 1.0]
    result = result_of([[early], [late]] * 3, ("a",))
    found = result.crossing("a", "mrr", 0.9)
    assert (found.labels, found.low, found.high, found.level) == (30, 20, 30, 0.99)
    assert result_of([[early], [late]] * 3, ("a",)).crossing("a", "mrr", 1.0).labels == np.inf
    one_of_two = result_of([[early], [[0.1, 0.1, 0.1]]], ("a",)).crossing("a", "mrr", 0.5)
    assert (one_of_two.labels, one_of_two.high) == (20, np.inf)


def test_a_crossing_below_a_share_of_the_highest_is_that_of_the_published_code():
    values = np.array([[0.2, 0.5, 0.5]])
    assert crossing(values, np.array([10.0, 20.0, 30.0]), 0.99).labels == np.inf
    assert crossing(values, np.array([10.0, 20.0, 30.0]), 0.99, of_highest=True).labels == 20


def test_the_mean_estimate_is_what_a_study_reports_of_calibration_error(pool):
    result = fl.simulate(pool, None, fl.Estimate("calibration_error"), ["iprior"], [40], 2, workers=1,
                         measures=["mean_estimate", "ece_error_of_mean"], target="population")  # fmt: skip
    study_of_all = fl.simulate(pool, None, fl.Estimate("calibration_error"), ["frequency"], [240], 1, workers=1,
                               measures=["mean_estimate"])  # fmt: skip
    truth = study_of_all.values[0, 0, 0, 0]
    estimate, error = result.values[:, 0, 0, 0], result.values[:, 0, 0, 1]
    assert 100 * np.abs(estimate - truth) / truth == pytest.approx(error)


def test_where_no_run_is_short_any_more_the_upper_end_of_a_crossing_is_not_known():
    """Ten runs of which all must be right for the average to exceed 0.99: the crossing is the last run's."""
    values = (np.arange(10)[:, None] < np.array([9, 10, 10])).astype(float)
    found = crossing(values, np.array([10.0, 20.0, 30.0]), 0.99)
    assert (found.labels, found.high) == (20, np.inf)
    assert crossing(values[:, :2], np.array([10.0, 20.0]), 0.99).high == 20  # nothing is left to label
    assert crossing(np.repeat(values, 100, axis=0), np.array([10.0, 20.0, 30.0]), 0.85).high == 10


def test_values_that_differ_by_rounding_are_equal():
    values = np.array([[[[0.3]], [[0.3 + 1e-7]], [[0.5]]], [[[0.4]], [[0.4 + 1e-7]], [[0.6]]]])
    result = fl.SimulationResult("q", ("a", "b", "c"), (10,), ("rmse",), values)
    assert result.best("rmse", 10) is None
    assert result.p_value("a", "b", "rmse", 10) == 1
    assert result.p_value("a", "c", "rmse", 10) < 1


def test_the_usual_methods_are_the_papers(pool):
    def names(question):
        return fl.simulate(pool, None, question, budgets=[20], runs=1, workers=1).methods

    assert names(ACCURACY) == names(WORST) == names(fl.Estimate("accuracy")) == ("uprior", "iprior", "iprior+ts")
    assert names(fl.Estimate("f1", positive="class-1")) == ("rand", "sawade", "acis")
    assert fl.simulate(pool, None, ACCURACY, "iprior", [20], 1, workers=1).methods == ("iprior",)


def test_labels_needed_first_for_good_and_by_the_average():
    """Three runs, looked at four times: one is lucky at first, one never gets there under method b."""
    passes = np.array(
        [[[1, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]], [[1, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0]]], dtype=float
    )
    values = np.stack([passes, 1 - passes], axis=-1).swapaxes(0, 1)
    result = fl.SimulationResult("q", ("a", "b"), (10, 20, 30, 40), ("success", "rmse"), values)
    for name in ("success", "rmse"):  # an error has to fall
        a, b = result.needed(name, 0.5)
        assert (a.first, a.settled) == pytest.approx(((10 + 20 + 40) / 3, (30 + 20 + 40) / 3))
        assert a.first_se == pytest.approx(np.std([10, 20, 40], ddof=1) / 3**0.5)
        assert a.average.labels == result.labels_until("a", name, 0.5) == 30
        assert (b.first, b.settled) == (np.inf, np.inf)
        assert (a.reached, b.reached) == pytest.approx((1, 2 / 3))
        assert np.isnan(b.first_se)


def test_without_budgets_a_run_is_looked_at_to_the_last_item_asked_about_and_more_often_at_first(pool):
    question = fl.Compare("accuracy", by="predicted_class", a="class-0", b="class-5")
    result = fl.simulate(pool, None, question, ["iprior"], None, runs=2, workers=1)
    size = np.bincount(pool.engine.models["model"].predicted)
    assert result.budgets[-1] == size[0] + size[5]
    whole = fl.simulate(pool, None, ACCURACY, ["iprior"], None, runs=1, measures=["rmse"], workers=1).budgets
    assert whole[:24] == tuple(range(1, 25))
    assert max(np.diff(whole)) == 3
    assert whole[-1] == 240


def test_labels_until_lambda_is_right_in_each_run(pool):
    result = fl.simulate(pool, None, SEXES, ["iprior"], list(range(0, 241, 20)), runs=5, workers=1)
    until = result.labels_until_per_run("iprior", "lambda_right")
    for run, labels in enumerate(until):
        right = result.of("iprior", "lambda_right")[run]
        assert labels == next((b for b, r in zip(result.budgets, right, strict=True) if r == 1), None)


def test_the_best_method_is_judged_on_paired_runs():
    rng = np.random.default_rng(0)
    order = rng.normal(0.5, 0.2, 40)
    values = np.stack([order, order + 0.02 + rng.normal(0, 0.01, 40)], axis=1)[:, :, None]
    high, low = (result_of(values, measure=measure).best(measure, 10) for measure in ("mrr", "rmse"))
    assert (high.method, high.next, low.method) == ("b", "a", "a")
    assert high.p_value == low.p_value == pytest.approx(wilcoxon(values[:, 0, 0], values[:, 1, 0]).pvalue)
    assert high.clear


def test_no_method_is_best_where_none_is_better():
    assert result_of([[[0.5], [0.5]]] * 3).best("mrr", 10) is None
    assert result_of([[[0.5]]] * 3, ("a",)).best("mrr", 10) is None
    assert result_of([[[0.5], [0.6]]] * 3, measure="coverage").best("coverage", 10) is None
    unclear = result_of([[[0.5], [0.6]], [[0.5], [0.45]], [[0.5], [0.5]]]).best("mrr", 10)
    assert unclear is not None
    assert not unclear.clear


# -- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"methods": ["iprior+tss"]}, "unknown method 'iprior\\+tss'; known are frequency"),
        ({"methods": []}, "no methods to compare"),
        ({"methods": ["iprior", "iprior"]}, "two methods are called 'iprior'"),
        ({"methods": ["top_two"]}, "top=1"),
        ({"methods": [fl.Method("best")]}, "unknown strategy 'best'"),
        ({"budgets": []}, "budgets are whole numbers"),
        ({"budgets": [0.5]}, "budgets are whole numbers"),
        ({"budgets": [-1]}, "budgets are whole numbers"),
        ({"budgets": 30}, None),
        ({"budgets": [241]}, "241 labels is more than the 240 items"),
        ({"question": fl.Compare("accuracy", "predicted_class", "class-0", "class-5"), "budgets": [81]}, "80 items"),
        ({"runs": 0}, "runs and workers are whole numbers"),
        ({"runs": 2.5}, "2.5 runs"),
        ({"workers": 0}, "0 workers"),
        ({"measures": ["rsme"]}, "unknown measure 'rsme'; known are rmse"),
        ({"measures": ["mrr"]}, "'mrr' is for fl.Identify"),
        ({"measures": ["lambda_right"]}, "'lambda_right' is for fl.Compare"),
        ({"measures": ["ece_error"]}, "'ece_error' is for the metric 'calibration_error'"),
        ({"measures": "rmse"}, "a list of different names"),
        ({"measures": []}, "a list of different names"),
        ({"target": "everyone"}, "target is 'pool'"),
        ({"seed": -1}, "seed is a whole number"),
        ({"model": "lr"}, "no model 'lr'"),
        ({"question": "accuracy"}, "a question is fl.Estimate"),
        ({"pool": "predictions.csv"}, "a simulation needs a pool, made by"),
        ({"labels": ["class-0"] * 239}, "239 entries and the pool 240 items"),
        ({"labels": ["class-0"] * 239 + [None]}, "item 239 has no label"),
        ({"labels": {0: "class-1"}}, "item 1 has no label"),
        ({"labels": ["class-9"] * 240}, "unknown label 'class-9'"),
    ],
)
def test_wrong_arguments_are_refused_in_words(pool, changed, words):
    right: dict[str, Any] = {"pool": pool, "labels": None, "question": ACCURACY, "methods": ["iprior"]}
    right |= {"budgets": [30], "runs": 1, "workers": 1}
    if words is None:
        assert fl.simulate(**{**right, **changed}).budgets == (30,)
        return
    with pytest.raises(fl.FewlabelsError, match=words):
        fl.simulate(**{**right, **changed})


def test_a_pool_without_labels_needs_some(pool):
    bare = replace(pool, engine=replace(pool.engine, labels=None))
    with pytest.raises(fl.PoolError, match="needs the true labels"):
        fl.simulate(bare, None, ACCURACY, budgets=[10], workers=1)
    by_item = dict(zip(pool.ids, pool.known_labels, strict=True))
    ways = [(pool, None), (bare, by_item), (bare, list(pool.known_labels)), (bare, pool.known_labels)]
    found = [fl.simulate(p, labels, ACCURACY, ["iprior"], [10], 2, workers=1).values for p, labels in ways]
    assert all((values == found[0]).all() for values in found)


def test_of_several_models_one_is_named(pool):
    both = fl.Pool.join({"lr": pool, "nb": pool})
    with pytest.raises(fl.QuestionError, match="several models"):
        fl.simulate(both, None, ACCURACY, budgets=[10], workers=1)
    one = fl.simulate(both, None, ACCURACY, ["iprior"], [10], 2, model="nb", workers=1)
    assert (one.values == fl.simulate(pool, None, ACCURACY, ["iprior"], [10], 2, workers=1).values).all()


def test_a_result_names_what_it_has():
    with pytest.raises(fl.QuestionError, match="no 'c'; it has a, b"):
        result_of([[[0.5], [0.6]]]).of("c", "mrr")


def test_settings_of_a_resumed_simulation_can_be_read(pool, tmp_path):
    fl.simulate(pool, None, ACCURACY, ["iprior"], [10], 1, workers=1, resume=tmp_path)
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert plan["budgets"] == [10]
    assert plan["measures"] == ["rmse", "coverage", "width"]
