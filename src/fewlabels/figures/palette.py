"""Colours and styles of pictures and pages, each once: for light, for dark, and for readers who cannot tell red from
green (blue against orange, and a difference in lightness or shape beside every difference in hue)."""

from dataclasses import dataclass

LIGHT = {
    "ink": "#1c2430",
    "soft": "#56616f",
    "faint": "#e1e6ec",
    "paper": "#ffffff",
    "page": "#f4f6f8",
    "plain": "#2f6597",
    "accent": "#b3431f",
    "third": "#7a8694",
    "band": "#d3e2f0",
    "gap": "#f3c9b4",
    "good": "#1e6b3c",
    "note": "#fdf6e3",
    "note-edge": "#c9921a",
    "hover": "#eef3f8",
}
DARK = {
    "ink": "#e8ecf1",
    "soft": "#a7b2bf",
    "faint": "#364250",
    "paper": "#171d25",
    "page": "#0f141a",
    "plain": "#7ab4e6",
    "accent": "#f2955f",
    "third": "#8a97a6",
    "band": "#2b4560",
    "gap": "#6b3a22",
    "good": "#7fd09c",
    "note": "#2e2712",
    "note-edge": "#d9a528",
    "hover": "#222b36",
}
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif'


@dataclass(frozen=True, slots=True)
class Style:
    """How a mark looks; colours by name."""

    stroke: str = ""
    fill: str = ""
    width: float = 1.0
    dash: tuple[float, ...] = ()
    opacity: float = 1.0
    size: float = 12.5  # of words
    bold: bool = False


STYLES = {
    "words": Style(fill="ink"),
    "strong": Style(fill="ink", bold=True),
    "named": Style(fill="accent", bold=True),
    "axis": Style(fill="soft", size=11.5),
    "title": Style(fill="soft", size=11.5),  # of an axis
    "small": Style(fill="ink", size=11),
    "grid": Style(stroke="faint"),
    "edge": Style(stroke="third"),
    "whole": Style(stroke="soft", dash=(4, 4)),
    "tick": Style(stroke="ink", width=2),
    "goal": Style(stroke="accent", dash=(6, 3), width=1.4),
    "bar": Style(stroke="plain", width=3, opacity=0.6),
    "bar-named": Style(stroke="accent", width=3, opacity=0.6),
    "bar-none": Style(stroke="third", width=3, dash=(2, 6)),
    "thin": Style(stroke="plain", opacity=0.35),
    "thin-named": Style(stroke="accent", width=1.4, opacity=0.7),
    "dot": Style(stroke="plain", fill="plain", width=2),
    "dot-named": Style(stroke="accent", fill="accent", width=2),
    "ring": Style(stroke="plain", fill="paper", width=2),
    "ring-named": Style(stroke="accent", fill="paper", width=2),
    "line": Style(stroke="plain", width=2),
    "line-named": Style(stroke="accent", width=2),
    "band": Style(fill="band"),
    "gap": Style(fill="gap"),
    "area": Style(fill="plain"),
    "area-named": Style(fill="accent"),
    "area-third": Style(fill="third"),
    "hit": Style(fill="paper"),
    "cell": Style(fill="faint"),
}


def css(root: str = ":root", *, dark: bool = True) -> str:
    """The colours as variables of a page or picture, light and dark, and the styles as classes."""
    rules = [f"{root} {{ {_variables(LIGHT)} color-scheme: light dark; }}"]
    if dark:
        rules.append(f"@media screen and (prefers-color-scheme: dark) {{ {root} {{ {_variables(DARK)} }} }}")
    rules += [f".m-{name} {{ {_rule(style)} }}" for name, style in STYLES.items()]
    rules += ["svg * { pointer-events: none; }", "svg .tip { pointer-events: all; }"]
    rules += [".m-hit { fill: transparent; }", ".m-hit.tip:hover { fill: var(--hover); }"]
    rules += [".tip:not(.m-hit):hover { stroke: var(--ink); stroke-width: 2; }"]
    return "\n".join(rules)


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {value};" for name, value in colours.items())


def _rule(style: Style) -> str:
    parts = [f"fill: var(--{style.fill})" if style.fill else "fill: none"]
    if style.stroke:
        parts += [f"stroke: var(--{style.stroke})", f"stroke-width: {style.width:g}"]
    if style.dash:
        parts.append(f"stroke-dasharray: {' '.join(f'{d:g}' for d in style.dash)}")
    if style.opacity < 1:
        parts.append(f"opacity: {style.opacity:g}")
    if style.fill and not style.stroke:
        parts += [f"font-size: {style.size:g}px"] + (["font-weight: 650"] if style.bold else [])
    return "; ".join(parts) + ";"
