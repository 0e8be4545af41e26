"""Which classes somebody means who types part of a name."""

import difflib
import re
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

Fit: TypeAlias = Literal["beginning", "inside", "near"]  # of words; inside a word; hardly: a guess at a slip


def find_classes(typed: str, classes: Sequence[str]) -> tuple[list[str], Fit]:
    """The classes meant, likeliest first, and how they fit; only one found by the beginning of its words is sure.

    A name itself wins over names that begin so, these over names whose words begin so, these over names that merely
    contain it.

    >>> find_classes("phone lost", ["lost_card", "lost_or_stolen_phone"])
    (['lost_or_stolen_phone'], 'beginning')
    """
    if typed in classes:
        return [typed], "beginning"
    wanted = _normal(typed)
    if not wanted:
        return [], "beginning"
    tests: list[tuple[Fit, Callable[[str], bool]]] = [
        ("beginning", lambda name: name == wanted),
        ("beginning", lambda name: name.startswith(wanted)),
        ("beginning", lambda name: all(any(w.startswith(part) for w in name.split()) for part in wanted.split())),
        ("inside", lambda name: wanted in name),
    ]
    for fit, test in tests:
        if found := [name for name in classes if test(_normal(name))]:
            return found, fit
    names: dict[str, str] = {}
    for name in classes:
        names.setdefault(_normal(name), name)
    return [names[near] for near in difflib.get_close_matches(wanted, names, n=5, cutoff=0.5)], "near"


def is_number(typed: str) -> bool:
    """Whether this is a number and signs only, and so no part of a name: '1', '#4', '2.'.

    >>> is_number("#4"), is_number("401k")
    (True, False)
    """
    return re.fullmatch(r"[\W\d_]*\d[\W\d_]*", typed) is not None


def _normal(name: str) -> str:
    return " ".join(re.split(r"[\W_]+", name.casefold())).strip() or name.casefold().strip()
