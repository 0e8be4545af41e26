"""What a kind of figure is."""

from collections.abc import Callable
from dataclasses import dataclass

from fewlabels.figures.figure import Figure
from fewlabels.study.look import Look


@dataclass(frozen=True)
class Kind:
    """How a figure is made, what it shows, and which studies it belongs to."""

    make: Callable[[Look], Figure]  # raises where the study does not have what it shows
    what: str
    fits: Callable[[Look], bool]  # whether it belongs into the report of such a study
    readings: int = 0  # how often the labels are read once more for it, which takes time
