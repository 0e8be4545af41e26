"""What a figure shows, as plain numbers: panels of curves, of points with intervals, of bars, or a table of shades."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.simulation import SimulationResult

Numbers = tuple[float, ...]
OTHERS = "others"  # the curve of what is not in focus
SCORES, GAP = "scores", "calibration error"  # of a reliability diagram: its histogram, its shaded gap
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
    style: Literal["lines", "points", "bars", "image", "reliability"] = "lines"
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
        curves = tuple(Curve(**{key: _frozen(value) for key, value in curve.items()}) for curve in data["curves"])
        return cls(**{**{key: _frozen(value) for key, value in data.items()}, "curves": curves})


def _frozen(value: Any) -> Any:
    """Lists, which JSON makes of tuples, as tuples again."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def numbers(values: Iterable[float] | Array) -> Numbers:
    """Plain rounded numbers."""
    return tuple(round(float(value), DIGITS) for value in values)


def mean_curves(result: SimulationResult, measure: str, size: int | None = None) -> tuple[Curve, ...]:
    """The mean of a measure over runs against the labels, or against their percentage of so many items, a curve a
    method, with a band of two standard errors."""
    place = result.measures.index(measure)
    x = numbers(result.budgets if size is None else (100 * labels / size for labels in result.budgets))
    least, most = (0.0, 1.0) if measure in SHARES else (-np.inf, np.inf)
    out = []
    for name, mean, error in zip(result.methods, result.mean[..., place], result.se[..., place], strict=True):
        ends = (numbers(np.clip(mean + side * error, least, most)) for side in (-2, 2))
        out.append(Curve(name, x, numbers(mean), *(ends if result.runs > 1 else ())))
    return tuple(out)


def density_panel(title: str, x_label: str, draws: Array, bars: int, marks: tuple[tuple[str, float], ...]) -> Panel:
    """The density of a posterior, as the histogram of so many bars that draws of it make."""
    height, edges = np.histogram(draws, bins=bars, density=True)
    curve = Curve("posterior", numbers((edges[1:] + edges[:-1]) / 2), numbers(height))
    return Panel(title, x_label, "density", (curve,), marks=marks)


def image_panel(title: str, table: Array) -> Panel:
    """A table of true by predicted classes as shades."""
    return Panel(title, "predicted class", "true class", (), "image", image=tuple(numbers(row) for row in table))
