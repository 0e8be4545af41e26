"""Drawing panels into an SVG or PNG file, as the papers lay them out. The one place that imports matplotlib (extra
`plots`)."""

import math
import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from fewlabels.errors import MissingExtraError, QuestionError
from fewlabels.reproduction.base import GAP, OTHERS, SCORES, Curve, Panel, Reproduction

KINDS = (".svg", ".png", ".pdf")
_ACROSS = 5  # panels beside one another at most, where the paper does not say
_MANY = 8  # names along an axis beyond this many are set upright
_WIDTH, _HEIGHT = 3.4, 2.8  # of a panel, in inches
_LETTERS, _LETTERS_ABOVE = 13, 11  # of a panel's title to an inch, and of the figure's, which is larger
_MARKS = {  # how vertical lines are drawn: the papers' colours
    "truth": {"color": "black", "linestyle": "-"},
    "frequentist": {"color": "tab:red", "linestyle": "--"},
    "rope": {"color": "goldenrod", "linestyle": "-"},
}
_FOCUS = ("tab:red", "tab:blue")  # of points: the least and the most


def draw(found: Reproduction, file: str | Path) -> None:
    """Write the panels of a reproduction; the file's ending says in which form."""
    file = Path(file)
    if not found.panels:
        raise QuestionError(f"{found.name} is a table without curves; --json FILE writes its numbers.")
    if file.suffix.lower() not in KINDS:
        raise QuestionError(f"a figure is written as {', '.join(KINDS)}; got {file.name!r}.")
    try:
        from matplotlib import rc_context  # noqa: PLC0415 - only when a figure is drawn
    except ImportError as error:
        raise MissingExtraError("drawing needs matplotlib; pip install 'fewlabels[plots]'.") from error
    # A fixed salt and no date: the same numbers give the same file. Text stays text.
    with rc_context({"svg.hashsalt": found.name, "svg.fonttype": "none", "font.size": 8}):
        dated = {"Date": None} if file.suffix.lower() == ".svg" else {}
        figure_of(found).savefig(file, metadata=dated)


def figure_of(found: Reproduction) -> Any:
    """The figure: panels in rows as the paper has them, one legend where all of them have the same curves."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - only when a figure is drawn

    across = min(found.across or _columns(len(found.panels)), len(found.panels))
    down = math.ceil(len(found.panels) / across)
    figure = Figure(figsize=(_WIDTH * across, _HEIGHT * down), layout="constrained")
    axes = figure.subplots(down, across, squeeze=False).ravel()
    names = [panel.names_of_curves for panel in found.panels]
    for place, (panel, axis) in enumerate(zip(found.panels, axes, strict=False)):
        _PAINT[panel.style](axis, panel)
        _label(axis, panel, legend=place == 0 or names[place] != names[place - 1] or bool(panel.marks))
    for axis in axes[len(found.panels) :]:
        axis.set_axis_off()
    figure.suptitle(textwrap.fill(found.title, int(_LETTERS_ABOVE * _WIDTH * across)), fontsize=10)
    return figure


def _columns(panels: int) -> int:
    """As many as divide the panels evenly, where there are such."""
    return next((n for n in range(min(_ACROSS, panels), 1, -1) if panels % n == 0), min(_ACROSS, panels))


def _even_lines(title: str, letters: int) -> list[str]:
    """As few lines as it takes, of about the same length."""
    few = textwrap.wrap(title, letters)
    return next((lines for n in range(1, letters) if len(lines := textwrap.wrap(title, n)) == len(few)), few)


def _label(axis: Any, panel: Panel, *, legend: bool) -> None:
    axis.set_title("\n".join(_even_lines(panel.title, int(_LETTERS * _WIDTH))), fontsize=8)
    axis.set(xlabel=panel.x_label, ylabel=panel.y_label)
    if panel.log:
        axis.set_yscale("log", nonpositive="clip")
    if panel.diagonal:
        axis.plot([0, 1], [0, 1], color="0.6", linewidth=0.8, linestyle="--")
    for place, (name, x) in enumerate(panel.marks):
        again = name in [mark for mark, _ in panel.marks[:place]]
        axis.axvline(x, linewidth=1.0, label=None if again else name, **_MARKS[name])
    if panel.style == "lines" and not panel.ticks:
        axis.locator_params(axis="x", nbins=6)
    if panel.y_label in ("MRR", "share of runs", "probability"):
        axis.set_ylim(0, 1.02)
    if panel.ticks:
        upright = 90 if len(panel.ticks) > _MANY else 45
        axis.set_xticks(range(len(panel.ticks)), panel.ticks, rotation=upright, fontsize=6)
    if legend and (len(panel.curves) > 1 or panel.marks):
        axis.legend(fontsize=6, frameon=False)


def _lines(axis: Any, panel: Panel) -> None:
    for curve in panel.curves:
        how: dict[str, Any] = {"linestyle": "--" if curve.dashed else "-"}
        if curve.shade is not None:
            how["color"] = _shade(curve.shade)
        (line,) = axis.plot(curve.x, curve.y, label=curve.name, linewidth=1.2, **how)
        if curve.low is not None and curve.high is not None:
            axis.fill_between(curve.x, curve.low, curve.high, color=line.get_color(), alpha=0.2, linewidth=0)


def _shade(share: float) -> Any:
    """A colour for a place between 0 and 1 along a scale."""
    from matplotlib import colormaps  # noqa: PLC0415 - only when a figure is drawn

    return colormaps["viridis"](0.9 * share)


def _points(axis: Any, panel: Panel) -> None:
    several = len(panel.curves) > 1
    for place, curve in enumerate(panel.curves):
        if curve.name == OTHERS:
            _dots(axis, curve, color="0.7", zorder=0)
        else:
            _dots(axis, curve, color=_FOCUS[place % len(_FOCUS)] if several else _FOCUS[1])


def _dots(axis: Any, curve: Curve, **how: Any) -> None:
    up, along = _reach(curve.y, curve.low, curve.high), _reach(curve.x, curve.x_low, curve.x_high)
    axis.errorbar(
        curve.x, curve.y, yerr=up, xerr=along, label=curve.name, fmt="o", markersize=2.5, linewidth=0.6, **how
    )


def _reach(middle: Any, low: Any, high: Any) -> Any:
    """Lengths of the intervals' arms."""
    if low is None or high is None:
        return None
    return np.maximum([np.subtract(middle, low), np.subtract(high, middle)], 0.0)


def _bars(axis: Any, panel: Panel) -> None:
    for curve in panel.curves:
        axis.bar(curve.x, curve.y, label=curve.name)


def _reliability(axis: Any, panel: Panel) -> None:
    """The papers' reliability diagram: scores in blue, gaps in grey, accuracies in red."""
    for curve in panel.curves:
        if curve.name == SCORES:
            axis.bar(curve.x, curve.y, width=1 / len(curve.x), color="tab:blue", alpha=0.35, label=curve.name)
        elif curve.name == GAP:
            score, accuracy = np.array(curve.x), np.array(curve.y)
            axis.bar(score, score - accuracy, bottom=accuracy, width=0.08, color="0.75", label=curve.name)
        else:
            _dots(axis, curve, color="tab:red")
    axis.set(xlim=(0, 1), ylim=(0, 1))


def _image(axis: Any, panel: Panel) -> None:
    shown = axis.imshow(np.log10(np.array(panel.image) + 1e-3), cmap="viridis", interpolation="nearest")
    bar = axis.figure.colorbar(shown, ax=axis, shrink=0.8)
    bar.ax.yaxis.set_major_formatter(lambda power, _: f"{max(10**power - 1e-3, 0):.2g}")
    bar.ax.tick_params(labelsize=6)


_PAINT = {"lines": _lines, "points": _points, "bars": _bars, "image": _image, "reliability": _reliability}
