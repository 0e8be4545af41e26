"""Runs are paired, and nothing depends on who does the work, or on when it is interrupted."""

import multiprocessing
import os
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.simulation import synthetic_pool, workers
from fewlabels.simulation.run import run_plain
from simulated_runs import ACCURACY, WORST, job_of, simulating


@pytest.fixture
def imports_once(monkeypatch):
    """Workers begin as copies of a process that has imported all; those of the scripts below start as users' do."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["fewlabels.simulation.kernels.chosen"])
    monkeypatch.setattr(workers, "multiprocessing", SimpleNamespace(get_context=lambda _: context))


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


@pytest.mark.usefixtures("imports_once")
def test_results_do_not_depend_on_workers_or_on_how_runs_are_shared_out(pool, monkeypatch):
    """By ten, ten and five; runs handed out one by one are those of the interruptions below."""
    monkeypatch.setattr(workers, "_CHUNKS", 1)
    one, two = (
        fl.simulate(pool, None, WORST, ["iprior+ts"], [20, 40], runs=25, workers=number).values for number in (1, 2)
    )
    assert (one == two).all()


def test_more_runs_begin_with_the_same_runs(pool):
    few, many = (fl.simulate(pool, None, ACCURACY, ["iprior"], [30], runs=n, workers=1).values for n in (3, 6))
    assert (few == many[:3]).all()


class StopError(Exception):
    """Raised by a test in the middle."""


@pytest.mark.usefixtures("imports_once")
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


@pytest.mark.usefixtures("imports_once")
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


@pytest.mark.usefixtures("imports_once")
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
