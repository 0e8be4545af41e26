"""Parts of a study as plain data: what a strategy, estimator, goal or metric is called and was made with.

A part is a frozen dataclass or has no arguments; its name is looked up in a dictionary of classes.
"""

from collections.abc import Callable, Mapping
from dataclasses import Field, fields, is_dataclass
from typing import Any, Protocol


class Named(Protocol):
    """Anything with a name to find it by."""

    @property
    def name(self) -> str: ...


def part_to_json(part: Named) -> str | dict[str, Any]:
    """The part's name; with its arguments, where it takes any."""
    made_with: tuple[Field[Any], ...] = fields(part) if is_dataclass(part) else ()
    arguments = {f.name: _plain(getattr(part, f.name)) for f in made_with}
    return {"name": part.name, **arguments} if arguments else part.name


def part_from_json(data: str | Mapping[str, Any], known: Mapping[str, Callable[..., Any]]) -> Any:
    """The part that `part_to_json` wrote, from a dictionary of classes."""
    if isinstance(data, str):
        return known[data]()
    return known[data["name"]](**{key: _frozen(value) for key, value in data.items() if key != "name"})


def _plain(value: Any) -> Any:
    return [_plain(v) for v in value] if isinstance(value, tuple) else value


def _frozen(value: Any) -> Any:
    return tuple(_frozen(v) for v in value) if isinstance(value, list) else value
