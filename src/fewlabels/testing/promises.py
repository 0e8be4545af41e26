"""One error for all the promises a part breaks, and the ways of looking that the suites share."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.special import chdtrc

from fewlabels.parts import Named, part_from_json, part_to_json, register

Promise: TypeAlias = partial[None]  # a check and what it is called with: it raises where the promise is broken
BY_CHANCE = 1e-4  # how often a comparison of counts with probabilities may fail though all is right


def check_all(whose: str, promises: Iterable[Promise]) -> None:
    """Raise one AssertionError that names every promise broken, each with what was found first."""
    broken: dict[str, Exception] = {}
    kept = set()
    for promise in promises:
        words = (promise.func.__doc__ or promise.func.__name__).splitlines()[0]
        kept.add(words)
        try:
            promise()
        except Exception as error:
            broken.setdefault(words, error)
    if broken:
        lines = [f"- {words}\n    {type(error).__name__}: {error}" for words, error in broken.items()]
        message = f"{whose} breaks {len(broken)} of {len(kept)} promises:\n" + "\n".join(lines)
        raise AssertionError(message) from next(iter(broken.values()))


@contextmanager
def known_by_name(known: dict[str, Any], part: Any) -> Iterator[None]:
    """While a part is checked it can be found by its name, as studies need; a name that is taken is refused."""
    before = part.name in known
    register(known, type(part))
    try:
        yield
    finally:
        if not before:
            del known[part.name]


def assert_close(found: object, expected: object, within: float = 1e-12) -> None:
    """Raise where numbers differ by more; nan is nan."""
    one, two = np.asarray(found, float), np.asarray(expected, float)
    assert one.shape == two.shape, f"{one.shape} numbers where {two.shape} were expected"
    close = np.isclose(one, two, rtol=0, atol=within, equal_nan=True)
    assert close.all(), f"{one[~close][:3].tolist()} where {two[~close][:3].tolist()} was expected"


def assert_drawn_with(counts: Mapping[int, int], probability: Mapping[int, float], draws: int) -> None:
    """Raise where counts do not agree with the probabilities given, by chi-square.

    What was never drawn, and what is expected less than five times, is one class together.
    """
    rest = 1 - sum(probability.values())
    assert rest > -1e-9, f"the probabilities given sum up to {1 - rest}"
    often = [arm for arm, p in probability.items() if draws * p >= 5]
    expected = [draws * probability[arm] for arm in often]
    found = [counts.get(arm, 0) for arm in often]
    if draws - sum(expected) > 1e-6 * draws:
        expected, found = [*expected, draws - sum(expected)], [*found, sum(counts.values()) - sum(found)]
    statistic = sum((f - e) ** 2 / e for f, e in zip(found, expected, strict=True))
    chance = float(chdtrc(max(len(expected) - 1, 1), statistic))
    assert chance > BY_CHANCE, (
        f"drawn {found} times where {[round(e) for e in expected]} were expected (p {chance:.0e})"
    )


def message_of(error: type[Exception], call: Callable[[], object]) -> str:
    """What the error says that a call has to raise."""
    try:
        call()
    except error as raised:
        return str(raised)
    raise AssertionError(f"no {error.__name__} was raised")


def same_after_it_was_kept(part: Named, known: dict[str, Any]) -> None:
    """A part is the same after it was kept: its name, and all it was made with, are plain data."""
    kept = json.loads(json.dumps(part_to_json(part)))
    again = part_from_json(kept, known)
    assert part_to_json(again) == part_to_json(part), f"{part!r} came back as {again!r}"
