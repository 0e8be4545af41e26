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


BLOCK = re.compile(r"```python\n(.*?)```", flags=re.DOTALL)
SAID = {  # what a page must have printed
    "tutorial.md": "Accuracy by predicted class, from 80 labels",
    "how-to/how-good-is-it.md": "The goal, the overall interval at most ±0.06, is reached at",
    "how-to/where-is-it-worst.md": "Lowest accuracy by predicted class: eel",
    "how-to/is-it-fair.md": "True-positive rate of 'high' by sex, from",
    "how-to/good-enough.md": "eel is below 80.0%",
    "how-to/scores.md": "Accuracy along the score",
    "how-to/mistakes.md": "Macro-F1, from",
    "how-to/several-models.md": "interval",
    "how-to/how-many-labels.md": "A uniform sample would take about",
    "how-to/labels-you-have.md": "5 labels of unknown origin kept apart",
    "how-to/growing-pool.md": "The pool of 2,000 items was extended by 1,000 after 60 labels",
    "how-to/report.md": "report.html",
    "how-to/label-together.md": "of pairs agree",
    "how-to/serve.md": "12 labels so far",
    "adult.md": "Amer-Indian-Eskimo: 9 of 86",
    "f-scores.md": "Recall of 'lost_or_stolen_card', from",
    "which-model.md": "words is right more often than small",
    "when-to-stop.md": "The goal, every interval at most ±0.05, is reached at",
    "simulation.md": "2 groups of lowest accuracy by predicted class: means of 10 runs",
    "reference.md": "item 'nobody' is not in the pool",
}


@pytest.mark.parametrize("page", SAID)
def test_every_example_of_a_page_runs_as_it_is_printed(page, capsys):
    """Block by block, as a reader would."""
    defined: dict[str, object] = {}
    for block in BLOCK.findall((ROOT / "docs" / page).read_text()):
        exec(compile(block, page, "exec"), defined)
    assert SAID[page] in capsys.readouterr().out


def test_every_page_with_examples_is_run():
    pages = (path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))
    with_examples = {page for page in pages if BLOCK.search((ROOT / "docs" / page).read_text())}
    assert with_examples - {"tutorial-parts.md"} == set(SAID)


@pytest.mark.parametrize("name", fl.__all__)
def test_every_public_name_has_an_example_that_runs(name):
    blocks = "".join(BLOCK.findall((ROOT / "docs" / "reference.md").read_text()))
    assert re.search(rf"\bfl\.{name}\b", blocks)


def test_every_page_is_part_of_the_site():
    site = (ROOT / "mkdocs.yml").read_text()
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if page not in site and not page.startswith("decisions/0")] == []
    decisions = (ROOT / "docs" / "decisions" / "index.md").read_text()
    assert [p.name for p in (ROOT / "docs" / "decisions").glob("0*.md") if f"({p.name})" not in decisions] == []


@pytest.fixture
def _parts_as_before():
    """What a test registers is forgotten after it."""
    before = [(known, dict(known)) for known in (METRICS, ESTIMATORS, STRATEGIES)]
    yield
    for known, kept in before:
        known.clear()
        known.update(kept)


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
