"""What a figure shows, as plain numbers: panels of curves, of points with intervals, of bars, or a table of shades."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.simulation import SimulationResult

Numbers = tuple[float, ...]
OTHERS = "others"  # the curve of what is not in focus
DIGITS = 5  # of the numbers kept; the standard errors are far above
SHARES = ("mrr", "success", "coverage")  # measures from 0 to 1


@dataclass(frozen=True)
class Curve:
    """One line, or one set of points; ends of intervals where there are any."""

    name: str
    x: Numbers
    y: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    x_low: Numbers | None = None
    x_high: Numbers | None = None


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...] = ()
    style: Literal["lines", "points", "bars", "image"] = "lines"
    ticks: tuple[str, ...] = ()  # names of the whole numbers along the x axis
    diagonal: bool = False  # the line of equal x and y
    marks: tuple[tuple[str, float], ...] = ()  # named vertical lines
    image: tuple[Numbers, ...] = ()
    log: bool = False  # the y axis is logarithmic

    @property
    def names_of_curves(self) -> tuple[str, ...]:
        return tuple(curve.name for curve in self.curves) or (f"{len(self.image)} × {len(self.image)} entries",)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Panel":
        """What `dataclasses.asdict` made of a panel, read back from JSON."""
        curves = tuple(_curve(curve) for curve in data["curves"])
        parts = {
            "curves": curves,
            "ticks": tuple(data["ticks"]),
            "marks": tuple((name, x) for name, x in data["marks"]),
            "image": tuple(tuple(row) for row in data["image"]),
        }
        return cls(**{**data, **parts})


def _curve(data: dict[str, Any]) -> Curve:
    values: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in data.items()}
    return Curve(**values)


def numbers(values: Iterable[float] | Array) -> Numbers:
    """Plain rounded numbers."""
    return tuple(round(float(value), DIGITS) for value in values)


def mean_curves(result: SimulationResult, measure: str, names: dict[str, str], scale: float = 1.0) -> tuple[Curve, ...]:
    """The mean of a measure over runs against the labels, with a band of two standard errors.

    `names` maps the legend's names to the methods'; `scale` multiplies the labels, to show shares of a pool.
    """
    place = result.measures.index(measure)
    x = numbers(labels * scale for labels in result.budgets)
    out = []
    for name, method in names.items():
        mean, error = (part[result.methods.index(method), :, place] for part in (result.mean, result.se))
        low, high = (0.0, 1.0) if measure in SHARES else (-np.inf, np.inf)
        ends = (np.clip(mean - 2 * error, low, high), np.clip(mean + 2 * error, low, high))
        band = (numbers(ends[0]), numbers(ends[1])) if result.runs > 1 else (None, None)
        out.append(Curve(name, x, numbers(mean), *band))
    return tuple(out)
