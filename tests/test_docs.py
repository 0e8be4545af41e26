"""Documentation is code: examples run, and nothing public is undocumented."""

import doctest
import importlib
import pkgutil
import re
import runpy
from pathlib import Path

import pytest

import fewlabels as fl
from fewlabels.estimators import ESTIMATORS
from fewlabels.metrics import METRICS
from fewlabels.reproduction.experiments import EXPERIMENTS
from fewlabels.reproduction.page import document
from fewlabels.strategies import STRATEGIES

ROOT = Path(__file__).parent.parent
MODULES = sorted(m.name for m in pkgutil.walk_packages(fl.__path__, "fewlabels."))
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_an_example(name):
    assert ">>> " in (METRICS[name].__doc__ or "")


def test_the_readme_example_runs_and_is_short(capsys):
    (block,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) <= 15
    exec(compile(block, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "Lowest accuracy by predicted class, 3 groups" in printed
    assert "Calibration error" in printed


def test_what_the_readme_says_is_saved_stands_in_the_leaderboard():
    (section,) = re.findall(r"## What it saves\n(.*?)\n## ", README, flags=re.DOTALL)
    shown = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    page = (ROOT / "docs" / "leaderboard.md").read_text()
    assert len(shown) == 5
    for what, median, ends in shown[1:]:
        assert f"| {what} | test pools | {median} | {ends} |" in page


def test_the_example_of_f_scores_runs(capsys):
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "f-scores.md").read_text(), flags=re.DOTALL)
    exec(compile(block, "f-scores.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "F1 of 'lost_or_stolen_card', from" in printed
    assert "Recall of 'lost_or_stolen_card', from" in printed
    assert "threshold 0.5" in printed


@pytest.fixture
def _parts_as_before():
    """What a test registers is forgotten after it."""
    before = [(known, dict(known)) for known in (METRICS, ESTIMATORS, STRATEGIES)]
    yield
    for known, kept in before:
        known.clear()
        known.update(kept)


def test_the_tutorial_on_stopping_runs_as_it_is_printed(capsys):
    defined: dict[str, object] = {}
    text = (ROOT / "docs" / "when-to-stop.md").read_text()
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(compile(block, "when-to-stop.md", "exec"), defined)
    printed = capsys.readouterr().out
    assert "The goal, every interval at most ±0.05, is reached at" in printed
    assert "A uniform sample would take about" in printed


def test_the_how_to_on_models_runs_as_it_is_printed(capsys):
    defined: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "which-model.md").read_text(), flags=re.DOTALL):
        exec(compile(block, "which-model.md", "exec"), defined)
    printed = capsys.readouterr().out
    assert "words has a higher accuracy than small" in printed
    assert "However often one looked before" in printed
    assert "abroad" in printed
    assert "words has the best accuracy of 5 models" in printed
    assert "broken (at label" in printed


@pytest.mark.usefixtures("_parts_as_before")
def test_the_tutorial_on_parts_runs_and_its_checks_pass(capsys):
    """Block by block, as a reader would; then the tests that its last block defines."""
    defined: dict[str, object] = {"__name__": "tutorial"}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "tutorial-parts.md").read_text(), flags=re.DOTALL):
        exec(compile(block, "tutorial-parts.md", "exec"), defined)
    printed = capsys.readouterr().out
    assert "Prevalence" in printed
    assert "rule of succession" in printed
    tests = [test for name, test in defined.items() if name.startswith("test_")]
    assert len(tests) == 3
    for test in tests:
        test()


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.stem)
def test_every_example_runs(path, capsys):
    runpy.run_path(str(path), run_name="__main__")
    assert "interval" in capsys.readouterr().out


def test_every_public_name_has_a_docstring():
    assert [name for name in fl.__all__ if not (getattr(fl, name).__doc__ or "").strip()] == []


def test_every_metric_is_in_the_readme_or_the_changelog():
    text = README + (ROOT / "CHANGELOG.md").read_text()
    words = text.replace("-", " ").replace("_", " ").lower()
    assert [name for name in METRICS if name.replace("_", " ") not in words] == []


@pytest.mark.parametrize("name", [*STRATEGIES, *ESTIMATORS])
def test_every_strategy_and_estimator_is_explained(name):
    assert f"`{name}`" in (ROOT / "docs" / "strategies.md").read_text()


def test_the_page_of_reproductions_is_the_one_its_results_make():
    """Written by `fewlabels reproduce --document docs/reproduction.md`; never by hand."""
    page = ROOT / "docs" / "reproduction.md"
    assert page.read_text(encoding="utf-8") == document(ROOT / "docs" / "reproduction", EXPERIMENTS, page)


def test_modules_and_functions_stay_small():
    """A module of over 400 lines, or a function of over 40 without its docstring, has stopped being one idea."""
    import ast

    for path in (ROOT / "src").rglob("*.py"):
        source = path.read_text()
        assert len(source.splitlines()) <= 400, path
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                assert not body or body[-1].end_lineno - body[0].lineno < 40, f"{path}: {node.name}"


def test_no_commit_holds_data_without_a_licence():
    names = {p.name for p in ROOT.rglob("*") if ".venv" not in p.parts and ".git" not in p.parts}
    assert not names & {"cifar100_resnet110_paper.npz", "cifar100_resnet110_classwise.csv", "stored_table_results.json"}
