"""A study's items as a table: those that wait for labels, to be filled in elsewhere, or all that was said of them."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from fewlabels.core.events import Corrected, Item, Query, Told
from fewlabels.study import Study

Row = dict[str, Any]
_OWN = ("id", "label", "by", "at", "skipped")


def waiting_rows(queries: Sequence[Query]) -> list[Row]:
    """A row an item, its label to be filled in; nothing of what the model says, which would sway labellers."""
    return [{"id": query.item, "label": None, **_shown(query.payload)} for query in queries]


def label_rows(study: Study) -> list[Row]:
    """A row for each label of each item asked or told, in the order of asking; one for those that have none."""
    asked: dict[Item, Mapping[str, Any]] = {}
    said: dict[Item, dict[str | None, Row]] = {}
    labels, skipped = study.labels, study.skipped
    several = study.opinions
    for event in study.events:
        if isinstance(event, Query):
            asked.setdefault(event.item, event.payload)
        elif isinstance(event, Told | Corrected):
            asked.setdefault(event.item, {})
            rows = said.setdefault(event.item, {})
            if event.item not in several:
                rows.clear()
            rows[event.by] = {"label": event.label, "by": event.by, "at": event.at}
    out: list[Row] = []
    nothing: Row = {"label": None, "by": None, "at": None}
    for item, payload in asked.items():
        known = item in labels or item in several
        lines = list(said.get(item, {}).values()) if known else []
        why = (skipped[item] or "skipped") if item in skipped else None
        out += [{"id": item, **line, "skipped": why, **_shown(payload)} for line in lines or [nothing]]
    return out


def _shown(payload: Mapping[str, Any]) -> Row:
    return {f"item_{name}" if name in _OWN else name: value for name, value in payload.items()}


def as_csv(rows: Sequence[Row]) -> str:
    """The rows as CSV, an empty cell for what is missing."""
    names = list(dict.fromkeys(name for row in rows for name in row)) or ["id", "label"]
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        plain = {name: value if isinstance(value, str | int | float) else _text(value) for name, value in row.items()}
        writer.writerow(plain)
    return out.getvalue()


def _text(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def as_json_lines(rows: Sequence[Row]) -> str:
    """The rows as JSON, one object a line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
