"""From report data to one HTML file that needs nothing else."""

import html
import re
from dataclasses import replace
from datetime import datetime
from importlib.resources import files
from pathlib import Path

from fewlabels.answers import Finding, describe_target, level_words, percent
from fewlabels.errors import StudyError
from fewlabels.reporting.charts import NARROW, WIDE, interval_chart
from fewlabels.reporting.data import ReportData, report_data
from fewlabels.reporting.receipt import Receipt, receipt_of
from fewlabels.study import Study

_CARRIED = re.compile(
    r'<script type="text/plain" id="receipt" data-written="(?P<written>[^"]*)">(?P<packed>[^<]*)</script>'
)
MOST_ROWS = 500  # of the table; a confusion matrix of 77 classes would have 5,929


def report(study: Study, path: str | Path) -> Path:
    """The path of the report just written: one HTML file, without item texts, that loads nothing from elsewhere."""
    file = Path(path)
    file.write_text(render(report_data(study), receipt_of(study)), encoding="utf-8")
    return file


def rendered_again(study: Study, receipt: Receipt, page: str) -> str:
    """The page as it should be, written at the time at which it says it was."""
    found = _CARRIED.search(page)
    assert found is not None  # the receipt came from there
    return render(replace(report_data(study), written=html.unescape(found["written"])), receipt)


def packed_in(page: str) -> str:
    """The receipt that a page carries."""
    if (found := _CARRIED.search(page)) is None:
        raise StudyError("this page carries no receipt; verify takes a report of fewlabels, or a receipt.")
    return found["packed"]


def render(data: ReportData, receipt: Receipt) -> str:
    """The report as HTML."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - imported only when a report is written

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    environment.filters |= {
        "number": lambda finding: finding.show(finding.value),
        "interval": _interval,
        "interval_at": _interval_at,
        "date": _date,
        "percent": percent,
        "level": level_words,
    }
    template = environment.from_string(
        (files("fewlabels.reporting") / "templates" / "report.html.j2").read_text(encoding="utf-8")
    )
    line = None if data.confusion else data.overall  # mix-ups are not to be compared with the accuracy
    charts = [interval_chart(data.rows, line, layout) for layout in (WIDE, NARROW)]
    about = describe_target(data.sample.target)
    return template.render(
        data=data, chart=charts[0], charts=charts, about=about, most_rows=MOST_ROWS, receipt=receipt.packed()
    )


def _interval(finding: Finding) -> str:
    """The interval; where every item is labelled there is none, and that is said instead."""
    return finding.interval.replace(" – ", " to ")


def _interval_at(finding: Finding) -> str:
    """The interval with its level, in the middle of a sentence."""
    return _interval(finding) if finding.certain else f"{level_words(finding.level)} interval {_interval(finding)}"


def _date(iso: str) -> str:
    return datetime.fromisoformat(iso).strftime("%d %B %Y, %H:%M UTC").lstrip("0") if iso else "–"
