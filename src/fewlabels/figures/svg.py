"""Drawings as SVG: inside of a page, whose styles they take, or as a file of their own."""

import html
from collections.abc import Iterable, Iterator

from fewlabels.figures.marks import Box, Dot, Drawing, Line, Mark, Moved, Path, Words
from fewlabels.figures.palette import FONT, css


def inline(drawing: Drawing, title: str, kind: str = "") -> str:
    """An <svg> for a page that has the styles; `title` is what somebody hears who does not see it."""
    marks = "\n".join(_painted(drawing.marks))
    size = f'width="{_n(drawing.width)}" viewBox="0 0 {_n(drawing.width)} {_n(drawing.height)}"'
    return f'<svg class="{kind}" {size} role="img" aria-label="{_text(title)}">\n{marks}\n</svg>'


def whole_file(drawing: Drawing, title: str) -> str:
    """An SVG file that needs nothing else."""
    style = css("svg", dark=True) + f"\nsvg {{ font: 12.5px {FONT}; background: var(--paper); }}"
    margin = 16
    marks = "\n".join(_painted((Moved(drawing.marks, margin, margin),)))
    width, height = drawing.width + 2 * margin, drawing.height + 2 * margin
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(width)}" height="{_n(height)}" '
        f'viewBox="0 0 {_n(width)} {_n(height)}" role="img">\n<title>{_text(title)}</title>\n'
        f"<style>\n{style}\n</style>\n{marks}\n</svg>\n"
    )


def _painted(marks: Iterable[Mark]) -> Iterator[str]:
    for mark in marks:
        match mark:
            case Moved(inner, x, y):
                yield f'<g transform="translate({_n(x)} {_n(y)})">'
                yield from _painted(inner)
                yield "</g>"
            case Words(x, y, text, style, anchor):
                where = "" if anchor == "start" else f' text-anchor="{anchor}"'
                yield f'<text class="m-{style}" x="{_n(x)}" y="{_n(y)}"{where}>{_text(text)}</text>'
            case Line(x1, y1, x2, y2, style, tip):
                ends = f'x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"'
                yield _closed("line", style, ends, tip)
            case Box(x, y, width, height, style, tip, strength):
                sides = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
                faint = "" if strength >= 1 else f' fill-opacity="{_n(strength)}"'
                yield _closed("rect", style, sides + faint, tip)
            case Dot(x, y, style, tip, radius):
                yield _closed("circle", style, f'cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"', tip)
            case Path(points, style, tip):
                steps = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
                yield _closed("polyline", style, f'points="{steps}"', tip)


def _closed(tag: str, style: str, attributes: str, tip: str) -> str:
    if not tip:
        return f'<{tag} class="m-{style}" {attributes}/>'
    return f'<{tag} class="m-{style} tip" {attributes}><title>{_text(tip)}</title></{tag}>'


def _n(number: float) -> str:
    """A coordinate to a tenth of a pixel, of a strength to a hundredth."""
    return f"{number:.2f}".rstrip("0").rstrip(".") if abs(number) < 2 else f"{number:.1f}".removesuffix(".0")


def _text(text: str) -> str:
    """Text that is nothing but text; what no XML can hold is left out."""
    return html.escape("".join(c for c in text if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff")))
