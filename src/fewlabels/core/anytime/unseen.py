"""Draws whose labels were not told yet when the next item was asked, and what they leave open of a figure."""

from typing import NamedTuple


class Drawn(NamedTuple):
    """A draw: what its hit adds, what was predicted of it, and what bets may learn from its label."""

    hit: float  # what a hit adds to the figure
    predicted: float
    group: int
    off: float  # label less prediction
    worth: float  # X, with what was predicted in place of labels that were missing


class Unseen:
    """The sum of what labels add to a figure, of draws in order: told before the next item was asked, told later, or
    missing still."""

    def __init__(self) -> None:
        self._sure = 0.0  # told before
        self._later: dict[int, tuple[Drawn, float, int]] = {}  # told later: with the hit, and from which draw on
        self._low, self._high, self._middle = 0.0, 0.0, 0.0  # missing still: the least, the most, and as predicted
        self._number = 0

    def add(self, drawn: Drawn, hit: float | None, seen: int) -> None:
        """A draw; without a hit its label is missing."""
        self._number += 1
        if hit is not None:
            self._later[self._number] = drawn, hit, seen
            return
        self._low += min(drawn.hit, 0.0)
        self._high += max(drawn.hit, 0.0)
        self._middle += drawn.hit * drawn.predicted

    def told_by(self, place: int) -> list[Drawn]:
        """The draws whose labels were told since, as the item at this place was asked."""
        found = []
        for number in [number for number, (_, _, seen) in self._later.items() if seen <= place]:
            drawn, hit, _ = self._later.pop(number)
            self._sure += drawn.hit * hit
            found.append(drawn)
        return found

    def between(self, rest: float) -> tuple[float, float]:
        """By all that is known now, beside the rest."""
        later = sum((drawn.hit * hit for drawn, hit, _ in self._later.values()), 0.0)
        return self._sure + (self._low + later) + rest, self._sure + (self._high + later) + rest

    def bounds(self, rest: float) -> tuple[float, float]:
        """By what was told before."""
        low = sum((min(drawn.hit, 0.0) for drawn, _, _ in self._later.values()), self._low)
        high = sum((max(drawn.hit, 0.0) for drawn, _, _ in self._later.values()), self._high)
        return self._sure + low + rest, self._sure + high + rest

    def middle(self, rest: float) -> float:
        """With what was predicted in place of labels that were not told."""
        later = sum((drawn.hit * drawn.predicted for drawn, _, _ in self._later.values()), self._middle)
        return self._sure + later + rest
