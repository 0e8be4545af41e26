"""Parts of a study as plain data: what a strategy, estimator, goal or metric is called and was made with.

A part is a frozen dataclass or has no arguments; its name is looked up in a dictionary of classes.
"""

from collections.abc import Callable, Mapping
from dataclasses import Field, fields, is_dataclass
from typing import Any, Protocol, TypeVar

from fewlabels.core.groups import frozen, plain
from fewlabels.errors import QuestionError, StudyError

Part = TypeVar("Part", bound=Any)


class Named(Protocol):
    """Anything with a name to find it by."""

    @property
    def name(self) -> str: ...


def register(known: dict[str, Any], made: Part) -> Part:
    """Let a class be found by its name, everywhere; another one of that name is not replaced in silence."""
    if known.get(made.name, made) is not made:
        raise QuestionError(f"there is a {made.name!r} already, {known[made.name]!r}; choose another name.")
    known[made.name] = made
    return made


def part_to_json(part: Named) -> str | dict[str, Any]:
    """The part's name; with its arguments, where it takes any."""
    made_with = arguments(part)
    return {"name": part.name, **made_with} if made_with else part.name


def arguments(part: Any) -> dict[str, Any]:
    """What it was made with, as plain data."""
    made_with: tuple[Field[Any], ...] = fields(part) if is_dataclass(part) else ()
    return {f.name: plain(getattr(part, f.name)) for f in made_with}


def part_from_json(data: str | Mapping[str, Any], known: Mapping[str, Callable[..., Any]]) -> Any:
    """The part that `part_to_json` wrote, from a dictionary of classes."""
    given = {"name": data} if isinstance(data, str) else data
    made = kept_class(given["name"], known)
    return made(**{key: frozen(value) for key, value in given.items() if key != "name"})


def kept_class(name: str, known: Mapping[str, Any]) -> Any:
    """The class that a study names; one from outside has to be registered before the study is made or opened."""
    if name not in known:
        raise StudyError(
            f"a part named {name!r} is not registered, so no study can be kept with it or opened; import the module "
            "that defines it, and call fl.register_metric, register_estimator, register_strategy or register_stopping."
        )
    return known[name]
