"""Drawings as PNG, painted by matplotlib (extra `plots`): it brings letters of its own, so that words are never
missing, and it is what `reproduce` draws with already. One drawing, two painters."""

import io
from collections.abc import Iterable
from typing import Any

from fewlabels.errors import MissingExtraError
from fewlabels.figures.marks import Box, Dot, Drawing, Line, Mark, Moved, Path, Words
from fewlabels.figures.palette import LIGHT, STYLES, Style

_MARGIN, _DPI, _SHARP = 16, 100, 2  # pixels a drawing's unit is painted with
_POINTS = 72 / _DPI  # of a pixel


def png(drawing: Drawing) -> bytes:
    """The bytes of a PNG file, light, two pixels to a unit."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - only when a PNG is made
    except ImportError as error:
        raise MissingExtraError(
            "a PNG needs matplotlib; pip install 'fewlabels[plots]', or write an .svg, which needs nothing."
        ) from error
    width, height = drawing.width + 2 * _MARGIN, drawing.height + 2 * _MARGIN
    figure = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI, facecolor=LIGHT["paper"])
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    _paint(axes, drawing.marks, _MARGIN, _MARGIN)
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=_DPI * _SHARP, metadata={"Software": None})
    return out.getvalue()


def _paint(axes: Any, marks: Iterable[Mark], dx: float, dy: float) -> None:
    from matplotlib import patches  # noqa: PLC0415

    for mark in marks:
        if isinstance(mark, Moved):
            _paint(axes, mark.marks, dx + mark.x, dy + mark.y)
            continue
        if mark.style == "hit":
            continue
        style = STYLES[mark.style]
        match mark:
            case Words(x, y, text, _, anchor):
                side = {"start": "left", "middle": "center", "end": "right"}[anchor]
                about = {"fontsize": style.size * _POINTS, "color": LIGHT[style.fill], "parse_math": False}
                weight = "bold" if style.bold else "normal"
                axes.text(x + dx, y + dy, text, ha=side, va="baseline", fontweight=weight, **about)
            case Line(x1, y1, x2, y2):
                axes.plot([x1 + dx, x2 + dx], [y1 + dy, y2 + dy], **_stroke(style), solid_capstyle="butt")
            case Box(x, y, width, height, _, _, strength):
                axes.add_patch(patches.Rectangle((x + dx, y + dy), width, height, **_filled(style, strength)))
            case Dot(x, y, _, _, radius):
                axes.add_patch(patches.Circle((x + dx, y + dy), radius, zorder=3, **_filled(style)))
            case Path(points):
                places = [(x + dx, y + dy) for x, y in points]
                if style.fill:
                    axes.add_patch(patches.Polygon(places, **_filled(style)))
                else:
                    axes.plot(*zip(*places, strict=True), **_stroke(style))


def _stroke(style: Style) -> dict[str, Any]:
    dash = (0, tuple(d / style.width for d in style.dash)) if style.dash else "solid"
    return {
        "color": LIGHT[style.stroke],
        "linewidth": style.width * _POINTS,
        "linestyle": dash,
        "alpha": style.opacity,
    }


def _filled(style: Style, strength: float = 1.0) -> dict[str, Any]:
    edge = LIGHT[style.stroke] if style.stroke else "none"
    return {
        "facecolor": LIGHT[style.fill],
        "edgecolor": edge,
        "linewidth": style.width * _POINTS if style.stroke else 0.0,
        "alpha": style.opacity * strength,
    }
