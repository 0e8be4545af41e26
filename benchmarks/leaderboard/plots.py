"""Small multiples as SVG, one panel a pool: errors or coverage against labels, logarithmic scales where it helps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

COLOURS = {"subject": "#c03b2b", "papers": "#2f6fab", "plain": "#777777", "PPI++": "#3c8f4e"}
_ACROSS, _WIDE, _HIGH = 5, 190, 132
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 8, 22, 26
_HEAD = 26  # for the legend
_STYLE = "font-family:system-ui,sans-serif;font-size:10px"


@dataclass(frozen=True)
class Panel:
    """One pool: lines of (labels, value), by the name of their colour."""

    title: str
    lines: Mapping[str, Sequence[tuple[float, float]]]


def draw(title: str, panels: Sequence[Panel], names: Mapping[str, str], *, share: bool = False) -> str:
    """The picture as text. `names` says what each colour stands for; `share` draws coverage, from 70 to 100 %, with a
    line at 95 %, instead of errors on a logarithmic scale."""
    rows = -(-len(panels) // _ACROSS)
    width, height = _ACROSS * _WIDE, _HEAD + rows * _HIGH
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" style="{_STYLE}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    x = 8
    for colour, name in names.items():
        out.append(f'<rect x="{x}" y="9" width="14" height="3" fill="{COLOURS[colour]}"/>')
        out.append(f'<text x="{x + 18}" y="14">{escape(name)}</text>')
        x += 34 + 6 * len(name)
    for number, panel in enumerate(panels):
        left, top = number % _ACROSS * _WIDE, _HEAD + number // _ACROSS * _HIGH
        out.append(f'<g transform="translate({left},{top})">{_panel(panel, share=share)}</g>')
    return "\n".join([*out, "</svg>", ""])


def _panel(panel: Panel, *, share: bool) -> str:
    points = [p for line in panel.lines.values() for p in line if np.isfinite(p[1]) and (share or p[1] > 0)]
    parts = [f'<text x="{_LEFT}" y="13" font-weight="600">{escape(panel.title[:28])}</text>']
    if not points:
        return "".join(parts)
    xs = np.log([p[0] for p in points])
    low, high = (
        (0.7, 1.0) if share else (float(np.log(min(p[1] for p in points))), float(np.log(max(p[1] for p in points))))
    )
    across, down = _WIDE - _LEFT - _RIGHT, _HIGH - _TOP - _BOTTOM

    def place(labels: float, value: float) -> tuple[float, float]:
        at = value if share else float(np.log(value))
        x = (np.log(labels) - xs.min()) / ((np.ptp(xs)) or 1.0)
        y = (min(max(at, low), high) - low) / ((high - low) or 1.0)
        return round(_LEFT + across * float(x), 1), round(_TOP + down * (1 - y), 1)

    parts.append(f'<path d="M{_LEFT},{_TOP}v{down}h{across}" fill="none" stroke="#bbbbbb"/>')
    first = float(np.exp(xs.min()))
    for tick in (0.7, 0.8, 0.9, 1.0) if share else _ticks(np.exp(low), np.exp(high)):
        y = place(first, tick)[1]
        text = f"{tick:.0%}" if share else f"{tick * 100:g}"
        parts.append(f'<text x="{_LEFT - 4}" y="{y + 3}" text-anchor="end" fill="#555555">{text}</text>')
    for labels in sorted({round(float(np.exp(end))) for end in (xs.min(), xs.max())}):
        x = place(labels, 1.0 if share else float(np.exp(low)))[0]
        parts.append(f'<text x="{x}" y="{_TOP + down + 12}" text-anchor="middle" fill="#555555">{labels:,}</text>')
    if share:
        y = place(first, 0.95)[1]
        parts.append(f'<path d="M{_LEFT},{y}h{across}" stroke="#bbbbbb" stroke-dasharray="3 3"/>')
    for colour, line in panel.lines.items():
        drawn = [place(*p) for p in line if np.isfinite(p[1]) and (share or p[1] > 0)]
        path = " ".join(f"{x},{y}" for x, y in drawn)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[colour]}" stroke-width="1.6"/>')
    return "".join(parts)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers inside a range, on a logarithmic scale."""
    found = [m * 10.0**power for power in range(-6, 2) for m in (1, 2, 5)]
    inside = [tick for tick in found if low <= tick <= high]
    return inside if len(inside) <= 4 else inside[:: -(-len(inside) // 4)]
