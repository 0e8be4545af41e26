"""Passes over a large pool: whoever listens is told how far they have come, and stdout stays what commands print."""

import threading

from fewlabels.cli import passes as shown
from fewlabels.engines.duckdb_tables import DuckDbTables
from fewlabels.engines.passes import heard, passing


def test_whoever_listens_is_told_while_a_pass_lasts():
    shares, told = [], threading.Event()
    with heard(lambda share: (shares.append(share), told.set())), passing(lambda: 0.25):
        assert told.wait(60)
    assert set(shares) == {0.25}
    with passing(lambda: shares.append("nobody listens")):
        pass
    assert "nobody listens" not in shares


def test_where_there_is_no_terminal_lines_are_said_on_stderr(capsys, monkeypatch):
    monkeypatch.setattr(shown, "_LINE_EVERY", 0.0)
    told = threading.Event()
    with shown.passes_shown(), heard(lambda _: told.set()), passing(lambda: 0.43):
        assert told.wait(60)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0] == "reading the pool, 43%"


def test_duckdb_knows_how_far_it_is_and_draws_nothing():
    """On its own it would draw a bar on stdout from two seconds on."""
    chosen = "select value from duckdb_settings() where name = '{}'"
    database = DuckDbTables()
    assert database.columns(chosen.format("enable_progress_bar_print")) == [["false"]]
    assert database.columns(chosen.format("enable_progress_bar")) == [["true"]]
