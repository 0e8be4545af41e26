"""Which classes somebody means who types part of a name."""

import difflib
import re
from collections.abc import Callable, Sequence


def find_classes(typed: str, classes: Sequence[str]) -> tuple[list[str], bool]:
    """The classes meant, likeliest first, and whether the match is literal (a guess at a slip is not).

    A name itself wins over names that begin so, these over names whose words begin so, these over names that merely
    contain it.

    >>> find_classes("phone lost", ["lost_card", "lost_or_stolen_phone"])
    (['lost_or_stolen_phone'], True)
    """
    if typed in classes:
        return [typed], True
    wanted = _normal(typed)
    if not wanted:
        return [], True
    tests: list[Callable[[str], bool]] = [
        lambda name: name == wanted,
        lambda name: name.startswith(wanted),
        lambda name: all(any(word.startswith(part) for word in name.split()) for part in wanted.split()),
        lambda name: wanted in name,
    ]
    for test in tests:
        if found := [name for name in classes if test(_normal(name))]:
            return found, True
    names: dict[str, str] = {}
    for name in classes:
        names.setdefault(_normal(name), name)
    return [names[near] for near in difflib.get_close_matches(wanted, names, n=5, cutoff=0.5)], False


def _normal(name: str) -> str:
    return " ".join(re.split(r"[\W_]+", name.casefold())).strip() or name.casefold().strip()
