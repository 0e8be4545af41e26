"""Numbers in words, for people."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

_NOTHING = 1e-12  # what is less is rounding
Target: TypeAlias = Literal["pool", "population"]


def describe_target(target: Target) -> str:
    """A target in words."""
    return "the items of this pool" if target == "pool" else "the population the pool came from"


def count_of(count: int, what: str) -> str:
    """A count in words.

    >>> count_of(0, "label"), count_of(1, "item"), count_of(1200, "label")
    ('no labels', '1 item', '1,200 labels')
    """
    return f"no {what}s" if count == 0 else f"1 {what}" if count == 1 else f"{count:,} {what}s"


def margin_words(within: float, *, points: bool) -> str:
    """A margin in words, in points of a percentage or as it is.

    >>> margin_words(0.01, points=True), margin_words(0.025, points=True), margin_words(0.5, points=False)
    ('1 point', '2.5 points', '0.5')
    """
    if not points:
        return f"{within:g}"
    return f"{100 * within:g} point{'' if round(100 * within, 9) == 1 else 's'}"


def few_of(names: Sequence[str], most: int = 3) -> str:
    """Some names and how many more there are.

    >>> few_of(["a", "b"]), few_of(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    shown = list(names[:most]) + ([f"{len(names) - most:,} more"] if len(names) > most else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def below_goal(probability: float, goal: float) -> str:
    """A probability short of a goal, with as many digits as it takes to see that.

    >>> below_goal(0.93, 0.95), below_goal(0.9496, 0.95), below_goal(0.9964, 0.999)
    ('93%', '94.96%', '99.6%')
    """
    if probability < 0.005:
        return percent_of_draws(probability)
    return next(text for d in range(16) if float((text := f"{probability:.{d}%}")[:-1]) < 100 * goal)


def beside_goal(number: float, goal: float, digits: int = 3) -> str:
    """A number to be brought down to a goal, with as many digits as it takes to see whether it is there.

    >>> beside_goal(0.12, 0.05), beside_goal(0.0502, 0.05), beside_goal(0.00004, 0.0001), beside_goal(1e-17, 0.05)
    ('0.120', '0.0502', '0.00004', '0')
    """
    if abs(number) < _NOTHING:
        return "0"
    texts = (f"{number:.{d}f}" for d in range(digits, 18))
    return next((t for t in texts if float(t) and (float(t) > goal) == (number > goal)), f"{number:g}")


def percent_of_draws(probability: float) -> str:
    """A probability counted over draws, for people: none of ten thousand is not never.

    >>> percent_of_draws(0.0), percent_of_draws(0.4)
    ('<1%', '40%')
    """
    return percent(max(probability, 1e-4))


def percent(probability: float) -> str:
    """A share or exact probability for people: never 0 % or 100 % unless it is.

    >>> percent(0.003), percent(0.68), percent(0.999), percent(1.0)
    ('<1%', '68%', '>99%', '100%')
    """
    if 0 < probability < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= probability < 1 else f"{probability:.0%}"
