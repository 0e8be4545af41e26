"""From report data to one HTML file that needs nothing else."""

import base64
import hashlib
import html
import re
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewlabels.answers import Finding, describe_target, few_of, level_words, percent, sure
from fewlabels.errors import StudyError
from fewlabels.figures import NARROW, WIDE, Figure, Number
from fewlabels.figures.palette import FONT, css
from fewlabels.reporting.data import ReportData, data_of, report_data
from fewlabels.reporting.facts import date
from fewlabels.reporting.receipt import Receipt, receipt_of
from fewlabels.study import Study
from fewlabels.study.look import look

if TYPE_CHECKING:
    from jinja2 import BaseLoader, Environment, Template

_CARRIED = re.compile(r'<script type="text/plain" id="receipt">(?P<packed>[^<]*)</script>')
_WRITTEN = re.compile(r'<footer>[^<]*<time datetime="(?P<written>[^"]*)">')
MOST_ROWS = 1000  # of the table; a confusion matrix of 77 classes would have 5,929


def report(study: Study, path: str | Path, *, include_text: bool = False) -> Path:
    """The path of the report just written: one HTML file that loads nothing from elsewhere. What labellers were shown
    of items is left out, unless `include_text`."""
    file = Path(path)
    file.write_text(report_page(study, include_text=include_text), encoding="utf-8", errors="backslashreplace")
    return file


def report_page(study: Study, *, include_text: bool = False) -> str:
    """The report as HTML, as the study is now."""
    seen = look(study)
    receipt = receipt_of(study, seen.answer, include_text=include_text)
    return render(data_of(seen, include_text=include_text), receipt)


def rendered_again(study: Study, receipt: Receipt, page: str) -> str:
    """The page as it should be, written at the time at which it says it was."""
    data, found = report_data(study, include_text=receipt.with_text), _WRITTEN.search(page)
    with suppress(ValueError):  # a time that is none is a difference
        data = replace(data, written=datetime.fromisoformat(found["written"]).isoformat()) if found else data
    return render(data, receipt)


def packed_in(page: str) -> str:
    """The receipt that a page carries."""
    if (found := _CARRIED.search(page)) is None:
        raise StudyError("this page carries no receipt; verify takes a report of fewlabels, or a receipt.")
    return found["packed"]


def page_environment(loader: "BaseLoader | None" = None) -> "Environment":
    """Where pages of a study are filled in: everything is escaped, and numbers are shown as in reports."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - imported only when a page is written

    how: Any = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True, "undefined": StrictUndefined}
    environment = Environment(loader=loader, **how)
    environment.filters |= {
        "number": lambda finding: finding.show(finding.value),
        "interval": _interval,
        "interval_at": _interval_at,
        "date": date,
        "percent": percent,
        "level": level_words,
        "sure": sure,
        "drawn": _drawn,
        "few": lambda names: few_of(names, 8),
        "breakable": _breakable,
    }
    environment.tests["number_cell"] = lambda cell: isinstance(cell, Number)
    return environment


def styles_of_report() -> str:
    """The styles of a report, with its colours, light and dark."""
    return f"{css()}\n:root {{ --font: {FONT}; }}\n{part('report.css')}"


def render(data: ReportData, receipt: Receipt) -> str:
    """The report as HTML."""
    style, script = styles_of_report(), part("tips.js")
    return _template().render(
        data=data,
        about=describe_target(data.sample.target),
        most_rows=MOST_ROWS,
        has={key for row in data.rows[:1] for key in row.more},
        receipt=receipt.packed(),
        style=_Trusted(style),
        script=_Trusted(script),
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
    )


@cache
def _template() -> "Template":
    """Compiled once: that takes as long as filling it in."""
    return page_environment().from_string(part("report.html.j2"))


class _Trusted(str):
    """Text of our own, which is not escaped."""

    def __html__(self) -> str:
        return str(self)


def _breakable(name: str) -> _Trusted:
    """A name, escaped, that may go on in the next line after an underscore."""
    return _Trusted(html.escape(name).replace("_", "_<wbr>"))


def _drawn(figure: Figure) -> _Trusted:
    """A figure twice: for a page, and for a narrow screen. Whatever comes from outside is escaped where it is
    painted."""
    return _Trusted(f"{figure.inline(WIDE, 'wide')}\n{figure.inline(NARROW, 'narrow')}")


def part(name: str) -> str:
    """One of the files that a report is made of."""
    return (files("fewlabels.reporting") / "templates" / name).read_text(encoding="utf-8").strip()


def _hash(text: str) -> str:
    """What a content-security policy knows our own styles and script by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _interval(finding: Finding) -> str:
    """The interval; where every item is labelled there is none, and that is said instead."""
    return finding.interval.replace(" – ", " to ")


def _interval_at(finding: Finding) -> str:
    """The interval with its level, in the middle of a sentence."""
    return _interval(finding) if finding.certain else f"{level_words(finding.level)} interval {_interval(finding)}"
