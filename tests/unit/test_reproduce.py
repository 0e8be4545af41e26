"""Reproductions: the bookkeeping here, the papers' numbers at reduced size, and at full size in `make slow`."""

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

import fewlabels as fl
from fewlabels.cli import app
from fewlabels.reproduce import EXPERIMENTS, Row
from fewlabels.reproduce.identification_tables import crossing


def test_a_number_agrees_within_three_standard_errors_of_a_difference_and_rounding():
    assert Row("x", 10.0, 10.0 + 3 * math.sqrt(2 * 0.1**2 + 0.05**2 / 3) - 1e-9, 0.1).agrees
    assert not Row("x", 10.0, 10.0 + 3 * math.sqrt(2 * 0.1**2 + 0.05**2 / 3) + 1e-9, 0.1).agrees
    assert Row("x", 10.0, 99.0, 0.1, "as stated").agrees is None
    assert Row("x", None, 99.0, 0.1).agrees is None


def test_a_crossing_agrees_inside_its_bootstrap_interval():
    assert Row("x", 24.9, 26.0, math.nan, low=22.0, high=30.0).agrees
    assert not Row("x", 40.0, 26.0, math.nan, low=22.0, high=30.0).agrees


def test_a_crossing_is_the_first_point_where_the_average_passes():
    values = np.array([[0.5, 0.9, 1.0, 1.0], [0.5, 1.0, 1.0, 1.0]])
    ours, low, high = crossing(values, np.array([10.0, 20.0, 30.0, 40.0]))
    assert ours == 30.0
    assert low <= ours <= high


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(fl.QuestionError, match="aaai-table-3"):
        fl.reproduce("table-99")


def test_a_missing_pool_says_where_it_is_looked_for(tmp_path):
    with pytest.raises(fl.PoolError, match="--data"):
        fl.reproduce("aaai-table-3", data=tmp_path, runs=1)


@pytest.mark.parametrize("name", ["aaai-table-3", "aaai-table-5", "supplement-table-1"])
def test_tables_come_out_at_reduced_size(name, data_folder):
    """20 runs: nine numbers, each outside its tolerance once in 370 by chance; two outside would be no chance."""
    found = fl.reproduce(name, data=data_folder, runs=20, workers=1)
    printed = [row for row in found.rows if row.variant == "as printed"]
    assert len(printed) == 9
    assert sum(not row.agrees for row in printed) <= 1
    assert "as stated" in str(found)


def test_the_command_lists_and_writes_json(data_folder, tmp_path):
    runner = CliRunner()
    assert "aaai-table-6" in runner.invoke(app, ["reproduce", "--list"]).stdout
    out = tmp_path / "t.json"
    arguments = ["reproduce", "aaai-table-8", "--runs", "3", "--workers", "1", "--data", str(data_folder)]
    arguments += ["--save", str(out)]
    assert runner.invoke(app, arguments).exit_code == 0
    assert len(json.loads(out.read_text())["rows"]) == 18
    assert runner.invoke(app, ["reproduce"]).exit_code == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aaai-table-3", "aaai-table-5", "aaai-table-8"])
def test_tables_come_out_at_full_size(name, data_folder):
    found = fl.reproduce(name, data=data_folder)
    assert found.runs == EXPERIMENTS[name].runs
    print(found)
    assert found.agrees
