"""A study whose creation is killed goes on after the last pass it finished; files that changed are read again."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fewlabels as fl
from fewlabels.engines import kept_passes
from fewlabels.engines.duckdb_tables import DuckDbTables
from fewlabels.engines.sql_engine import SqlEngine
from fewlabels.study import first_items
from fewlabels.tables import large_tables

QUESTION = fl.Estimate("accuracy", by="region")


@pytest.fixture(autouse=True)
def _every_pass_is_long(monkeypatch):
    monkeypatch.setattr(large_tables, "LARGE", 0)
    monkeypatch.setattr(first_items, "FROM", 0)
    monkeypatch.setattr(kept_passes, "FROM", 0.0)
    monkeypatch.setattr(kept_passes, "SETTLED", 0.0)


def a_file(path: Path, seed: int = 0) -> Path:
    """All files of this kind have the same size."""
    rng = np.random.default_rng(seed)
    table = {"id": [f"i{n}" for n in range(200)], "text": [f"t{n}" for n in range(200)], "score": rng.uniform(size=200)}
    table |= {"predicted": rng.choice(["a", "b"], 200), "region": rng.choice(["N", "S"], 200)}
    pq.write_table(pa.table(table), path, compression="none", use_dictionary=False)
    return path


class Run:
    """A creation in a folder, and the queries that were asked of DuckDB in it; it may be killed at the first items."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, *, question: fl.Estimate = QUESTION) -> None:
        self.address, self.passes = f"sqlite:///{folder}/s.db", folder / "s.db-passes"
        self._file, self._question, self._patch = folder / "a.parquet", question, monkeypatch

    def killed(self) -> None:
        def dead(*_: object) -> None:
            raise KeyboardInterrupt

        with self._patch.context() as patch, pytest.raises(KeyboardInterrupt):  # noqa: PT012 - patched inside
            patch.setattr(SqlEngine, "_below", dead)
            self.made()

    def made(self) -> tuple[list[str], fl.Study]:
        pool, asked, find = fl.open_pool(self._file), [], DuckDbTables._found
        with self._patch.context() as patch:
            patch.setattr(DuckDbTables, "_found", lambda tables, query: [asked.append(query), find(tables, query)][1])
            study = fl.create_study(pool, self._question, storage=self.address)
        return asked, study


def same(one: fl.Study, two: fl.Study) -> bool:
    return [(q.item, q.score, q.payload) for q in one.ask(30)] == [(q.item, q.score, q.payload) for q in two.ask(30)]


@pytest.fixture
def whole(tmp_path, monkeypatch) -> tuple[list[str], fl.Study]:
    """A creation that nobody kills."""
    (tmp_path / "whole").mkdir()
    a_file(tmp_path / "whole" / "a.parquet")
    return Run(tmp_path / "whole", monkeypatch).made()


@pytest.fixture
def run(tmp_path, monkeypatch) -> Run:
    a_file(tmp_path / "a.parquet")
    return Run(tmp_path, monkeypatch)


def test_only_the_passes_that_were_not_finished_are_made_again(run, whole):
    run.killed()
    assert len(list(run.passes.glob("*.pass"))) > 2
    asked, study = run.made()
    assert 0 < len(asked) < len(whole[0]) - 2
    assert same(study, whole[1])


def test_nothing_is_left_when_the_study_is_made(run):
    run.killed()
    assert run.passes.exists()
    run.made()
    assert not run.passes.exists()


def test_what_somebody_else_has_put_there_stays(run):
    run.killed()
    (run.passes / "notes.txt").touch()
    run.made()
    assert [left.name for left in run.passes.iterdir()] == ["notes.txt"]


def test_a_file_that_changed_is_read_again(run, whole, tmp_path, monkeypatch):
    """Even where its size, its time of change and its ends are what they were."""
    monkeypatch.setattr(kept_passes, "_edges", lambda _: "")
    before = a_file(run._file, seed=1).stat()
    run.killed()
    run._file.write_bytes((tmp_path / "whole" / "a.parquet").read_bytes())
    os.utime(run._file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (run._file.stat().st_mtime_ns, run._file.stat().st_size) == (before.st_mtime_ns, before.st_size)
    asked, study = run.made()
    assert len(asked) == len(whole[0])
    assert same(study, whole[1])


def test_where_times_say_nothing_the_ends_of_a_file_do(run, whole, tmp_path, monkeypatch):
    monkeypatch.setattr(kept_passes, "_stats", lambda files: [[0, 0, 0] for _ in files])
    a_file(run._file, seed=1)
    run.killed()
    run._file.write_bytes((tmp_path / "whole" / "a.parquet").read_bytes())
    asked, study = run.made()
    assert len(asked) == len(whole[0])
    assert same(study, whole[1])


def test_another_question_is_asked_of_the_file(run, tmp_path, monkeypatch):
    run.killed()
    other = Run(tmp_path, monkeypatch, question=fl.Estimate("accuracy", by="predicted_class")).made()[1]
    (tmp_path / "again").mkdir()
    a_file(tmp_path / "again" / "a.parquet")
    question = fl.Estimate("accuracy", by="predicted_class")
    assert same(other, Run(tmp_path / "again", monkeypatch, question=question).made()[1])


def test_what_was_cut_off_is_found_again(run, whole):
    run.killed()
    for kept in run.passes.glob("*.pass"):
        kept.write_bytes(kept.read_bytes()[:-5])
    asked, study = run.made()
    assert len(asked) == len(whole[0])
    assert same(study, whole[1])


def test_a_pass_over_a_file_that_has_just_changed_is_not_kept(run, monkeypatch):
    monkeypatch.setattr(kept_passes, "SETTLED", 3600.0)
    run.killed()
    assert not run.passes.exists()


def test_a_pass_during_which_a_file_changes_is_not_kept(run, tmp_path):
    def changed() -> list[list[int]]:
        os.utime(run._file)
        return [[1]]

    with kept_passes.kept_in(tmp_path / "kept"):
        assert kept_passes.found_once("q", [run._file], changed) == [[1]]
        assert kept_passes.found_once("q", [run._file], lambda: [[2]]) == [[2]]
        assert kept_passes.found_once("q", [run._file], lambda: [[3]]) == [[2]]


def test_short_passes_are_not_kept(run, monkeypatch):
    monkeypatch.setattr(kept_passes, "FROM", 3600.0)
    run.killed()
    assert not run.passes.exists()


def test_only_this_user_may_read_what_is_kept(run):
    run.killed()
    assert run.passes.stat().st_mode & 0o077 == 0
    assert all(kept.stat().st_mode & 0o077 == 0 for kept in run.passes.iterdir())


def test_a_process_that_is_killed_leaves_what_it_finished(run, whole, tmp_path):
    work = f"""
        import os, signal
        import fewlabels as fl
        from fewlabels.engines import kept_passes, sql_engine
        from fewlabels.study import first_items
        from fewlabels.tables import large_tables
        large_tables.LARGE, first_items.FROM, kept_passes.FROM, kept_passes.SETTLED = 0, 0, 0.0, 0.0
        sql_engine.SqlEngine._below = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        question = fl.Estimate("accuracy", by="region")
        fl.create_study(fl.open_pool({str(run._file)!r}), question, storage={run.address!r})
    """
    process = subprocess.run([sys.executable, "-c", textwrap.dedent(work)], check=False)
    assert process.returncode == -signal.SIGKILL
    asked, study = run.made()
    assert 0 < len(asked) < len(whole[0]) - 2
    assert same(study, whole[1])
