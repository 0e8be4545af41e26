"""Drawing panels into an SVG or PNG file. The one place that imports matplotlib (extra `plots`)."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from fewlabels.errors import MissingExtraError, QuestionError
from fewlabels.reproduction.base import OTHERS, Panel, Reproduction

KINDS = (".svg", ".png", ".pdf")
_ACROSS = 5  # panels beside one another at most
_MANY = 8  # names along an axis beyond this many are set upright


def draw(found: Reproduction, file: str | Path) -> None:
    """Write the panels of a reproduction; the file's ending says in which form."""
    file = Path(file)
    if not found.panels:
        raise QuestionError(f"{found.name} is a table without curves; --json FILE writes its numbers.")
    if file.suffix.lower() not in KINDS:
        raise QuestionError(f"a figure is written as {', '.join(KINDS)}; got {file.name!r}.")
    try:
        from matplotlib import rc_context  # noqa: PLC0415 - only when a figure is drawn
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("drawing needs matplotlib; pip install 'fewlabels[plots]'.") from error
    across = _columns(len(found.panels))
    down = math.ceil(len(found.panels) / across)
    # A fixed salt and no date: the same numbers give the same file. Text stays text.
    with rc_context({"svg.hashsalt": found.name, "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(3.4 * across, 2.8 * down), layout="constrained")
        axes = figure.subplots(down, across, squeeze=False).ravel()
        for panel, axis in zip(found.panels, axes, strict=False):
            _PAINT[panel.style](axis, panel)
            _label(axis, panel)
        for axis in axes[len(found.panels) :]:
            axis.set_axis_off()
        figure.suptitle(found.title, fontsize=10)
        dated = {"Date": None} if file.suffix.lower() == ".svg" else {}
        figure.savefig(file, metadata=dated)


def _columns(panels: int) -> int:
    """As many as divide the panels evenly, where there are such."""
    return next((n for n in range(min(_ACROSS, panels), 1, -1) if panels % n == 0), min(_ACROSS, panels))


def _label(axis: Any, panel: Panel) -> None:
    axis.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    axis.title.set_fontsize(8)
    if panel.log:
        axis.set_yscale("log", nonpositive="clip")
    if panel.diagonal:
        axis.plot([0, 1], [0, 1], color="0.6", linewidth=0.8, linestyle="--")
    for name, x in panel.marks:
        axis.axvline(x, color="black" if name == "truth" else "tab:red", linewidth=0.9, linestyle=":", label=name)
    if panel.style == "lines" and not panel.ticks:
        axis.locator_params(axis="x", nbins=6)
    if panel.ticks:
        upright = 90 if len(panel.ticks) > _MANY else 45
        axis.set_xticks(range(len(panel.ticks)), panel.ticks, rotation=upright, fontsize=6)
    if len(panel.curves) > 1 or panel.marks:
        axis.legend(fontsize=6, frameon=False)


def _lines(axis: Any, panel: Panel) -> None:
    for curve in panel.curves:
        (line,) = axis.plot(curve.x, curve.y, label=curve.name, linewidth=1.2)
        if curve.low is not None and curve.high is not None:
            axis.fill_between(curve.x, curve.low, curve.high, color=line.get_color(), alpha=0.2, linewidth=0)


def _points(axis: Any, panel: Panel) -> None:
    for curve in panel.curves:
        muted: dict[str, Any] = {"color": "0.7", "zorder": 0} if curve.name == OTHERS else {}
        axis.errorbar(
            curve.x,
            curve.y,
            yerr=_reach(curve.y, curve.low, curve.high),
            xerr=_reach(curve.x, curve.x_low, curve.x_high),
            label=curve.name,
            fmt="o",
            markersize=2.5,
            linewidth=0.6,
            **muted,
        )


def _reach(middle: Any, low: Any, high: Any) -> Any:
    """Lengths of the intervals' arms."""
    if low is None or high is None:
        return None
    return np.maximum([np.subtract(middle, low), np.subtract(high, middle)], 0.0)


def _bars(axis: Any, panel: Panel) -> None:
    for curve in panel.curves:
        axis.bar(curve.x, curve.y, label=curve.name)


def _image(axis: Any, panel: Panel) -> None:
    axis.imshow(np.log10(np.array(panel.image) + 1e-3), cmap="viridis", interpolation="nearest")


_PAINT = {"lines": _lines, "points": _points, "bars": _bars, "image": _image}
