"""The seams hold: outside the folder that owns it nobody asks which part it has.

A metric, estimator, belief, strategy, goal, engine or storage says what it needs and what it can do; code that asks for
its type would have to be edited for every new one.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from fewlabels.core.belief import Belief
from fewlabels.estimators import Estimator
from fewlabels.metrics import Metric
from fewlabels.stopping import Stopping
from fewlabels.strategies import Strategy

SOURCES = Path(__file__).parents[1] / "src" / "fewlabels"
OWNERS = {Metric: "metrics", Estimator: "estimators", Strategy: "strategies", Stopping: "stopping", Belief: "core"}
PARTS = {
    "metric",
    "measured",
    "estimator",
    "estimator_used",
    "strategy",
    "strategy_used",
    "belief",
    "until",
    "goal",
    "engine",
    "storage",
}


def every_class(base: type) -> Iterator[type]:
    yield base
    for made in base.__subclasses__():
        yield from every_class(made)


OWNED = {made.__name__: folder for base, folder in OWNERS.items() for made in every_class(base)}
OWNED |= {"MemoryEngine": "engines", "MemoryStorage": "storages", "SqlStorage": "storages"}


def names(node: ast.AST) -> set[str]:
    return {
        n.id if isinstance(n, ast.Name) else n.attr for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)
    }


def questions_of_type(text: str, folder: str) -> Iterator[str]:
    """Places where a module asks which part it has."""
    foreign = {name for name, owner in OWNED.items() if owner != folder}
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Name("isinstance" | "issubclass"), args=[_, kinds]) if names(kinds) & foreign:
                yield ast.unparse(node)
            case ast.Call(func=ast.Name("type" | "hasattr" | "getattr"), args=[asked, *_]) if names(asked) & PARTS:
                yield ast.unparse(node)
            case ast.MatchClass(cls=kind) if names(kind) & foreign:
                yield ast.unparse(node)
            case ast.Name("singledispatch") | ast.Attribute(attr="singledispatch"):
                yield "singledispatch"
            case ast.Compare(left=ast.Attribute(value=part, attr="name")) if names(part) & PARTS:
                yield ast.unparse(node)
            case ast.AnnAssign(target=ast.Name(name) | ast.Attribute(attr=name), annotation=ast.Name("Any")) if (
                name in PARTS
            ):
                yield ast.unparse(node)
            case ast.arg(arg=name, annotation=ast.Name("Any")) if name in PARTS:
                yield f"{name}: Any"
            case ast.Subscript(value=ast.Attribute(value=ast.Name(name), attr="__dict__")) if name != "main":
                yield ast.unparse(node)


MODULES = sorted(path.relative_to(SOURCES) for path in SOURCES.rglob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_nobody_asks_which_part_it_has(module):
    assert list(questions_of_type((SOURCES / module).read_text(), module.parts[0])) == []


@pytest.mark.parametrize(
    "line",
    [
        "isinstance(metric, Accuracy)",
        "isinstance(a.metric, str | FScore)",
        "type(question.metric) in known",
        "hasattr(self.strategy, 'floor')",
        "strategy.name == 'thompson'",
        "self.settings.strategy_used.name in ('acis',)",
        "strategy: Any = self.strategy",
        "reading.__dict__['belief'] = belief",
        "match until:\n    case HalfWidth(goal):\n        pass",
        "def choose(strategy: Any): ...",
        "isinstance(belief, BetaBelief)",
        "isinstance(pool.engine, MemoryEngine)",
        "hasattr(pool.engine, 'hashes')",
    ],
)
def test_such_questions_are_noticed(line):
    assert list(questions_of_type(line, "cli"))


def test_the_parts_known_by_name_are_classes_of_these_folders():
    assert {"Accuracy", "Acis", "Averaged", "BetaBelief", "HalfWidth"} <= set(OWNED)


def test_no_module_is_longer_than_400_lines():
    longest = {str(m): len((SOURCES / m).read_text().splitlines()) for m in MODULES}
    assert {name: lines for name, lines in longest.items() if lines > 400} == {}


def test_no_six_lines_stand_twice():
    """Blank lines and indentation aside."""
    places: dict[tuple[str, ...], list[str]] = {}
    for module in MODULES:
        lines = [line.strip() for line in (SOURCES / module).read_text().splitlines() if line.strip()]
        for start in range(len(lines) - 5):
            places.setdefault(tuple(lines[start : start + 6]), []).append(str(module))
    assert {found[0]: where for found, where in places.items() if len(where) > 1} == {}


def test_no_file_of_tests_is_longer_than_400_lines():
    files = Path(__file__).parent.rglob("*.py")
    longest = {str(file): len(file.read_text().splitlines()) for file in files}
    assert {name: lines for name, lines in longest.items() if lines > 400} == {}
