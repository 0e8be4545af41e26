"""fewlabels export, fewlabels import."""

import json
from pathlib import Path
from typing import Annotated, cast

import typer

from fewlabels.cli import options as o
from fewlabels.cli.errors import WrongUse
from fewlabels.cli.place import find_study
from fewlabels.cli.printing import count_of, print_json, say
from fewlabels.core.events import Drawn
from fewlabels.exchange.bring_back import bring_back
from fewlabels.exchange.label_studio import interface, tasks
from fewlabels.exchange.tables import as_csv, as_json_lines, label_rows, waiting_rows

FORMATS = ("csv", "jsonl", "label-studio")


def export_labels(
    *,
    study: o.StudyArgument,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to write; - is stdout.")],
    kind: Annotated[
        str | None, typer.Option("--format", help="csv, jsonl or label-studio; by default what FILE ends with.")
    ] = None,
    waiting: Annotated[bool, typer.Option("--open", help="Only items that wait for a label.")] = False,
    config: Annotated[
        str | None, typer.Option("--config", metavar="FILE", help="Where to write Label Studio's interface.")
    ] = None,
    place: o.PlaceOptions,
) -> None:
    """Write a study's items and labels for other tools; Label Studio gets those that wait, in the study's order."""
    form = _format(kind, file)
    if config is not None and form != "label-studio":
        raise WrongUse("--config is Label Studio's interface; add --format label-studio, or leave it out.")
    found = find_study(study, place.storage, place.name)
    queries = found.open_queries
    if form == "label-studio":
        text, count = json.dumps(tasks(queries), ensure_ascii=False, indent=1) + "\n", len(queries)
    else:
        rows = waiting_rows(queries) if waiting else label_rows(found)
        text, count = (as_csv if form == "csv" else as_json_lines)(rows), len(rows)
    if config is not None:
        shown = list(dict.fromkeys(name for query in queries for name in query.payload))
        Path(config).write_text(interface(found.classes, shown), encoding="utf-8")
    if file == "-":
        typer.echo(text, nl=False)
        return
    Path(file).write_text(text, encoding="utf-8")
    if place.as_json:
        print_json({"file": file, "format": form, "rows": count})
    else:
        what = "task" if form == "label-studio" else "row"
        say(f"Wrote {count_of(count, what)} to {file}. Labels come back with: fewlabels import {study} FILE")


def _format(kind: str | None, file: str) -> str:
    ends = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "label-studio"}
    form = kind or ends.get(Path(file).suffix.lower(), "csv" if file == "-" else None)
    if form not in FORMATS:
        raise WrongUse(f"--format is one of {', '.join(FORMATS)}; got {kind or file!r}.")
    return str(form)


def import_labels(
    *,
    study: o.StudyArgument,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="CSV, JSON lines or what Label Studio exports; - is stdin.")
    ],
    drawn: o.DrawnOption = None,
    by: o.ByOption = None,
    place: o.PlaceOptions,
) -> None:
    """Record the labels of a file: every line is checked first, and all are recorded or none."""
    if drawn not in (None, "uniform", "unknown"):
        raise WrongUse(f"--drawn is 'uniform' (a uniform sample of the pool) or 'unknown'; got {drawn!r}.")
    found = find_study(study, place.storage, place.name)
    brought = bring_back(found, file, by=by, drawn=cast(Drawn | None, drawn))
    if place.as_json:
        print_json({**brought._asdict(), "done": found.done, "progress": str(found.progress)})
        return
    more = f", {brought.known:,} known before" if brought.known else ""
    more += f", {brought.empty:,} rows without a label left out" if brought.empty else ""
    say(f"Recorded {count_of(brought.new, 'label')}{more}.")
    say(str(found.progress))
