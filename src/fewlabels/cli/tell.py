"""fewlabels ask, tell, skip, correct, withdraw."""

import shlex
from pathlib import Path
from typing import Annotated, cast

import typer

import fewlabels as fl
from fewlabels.cli import options as o
from fewlabels.cli.errors import WrongUse
from fewlabels.cli.place import call_of, find_study
from fewlabels.cli.printing import count_of, print_json, print_rows, say
from fewlabels.core.events import Drawn
from fewlabels.core.typed import read_item, read_label
from fewlabels.exchange.labels_file import name_of, read_labels
from fewlabels.exchange.tables import as_csv, waiting_rows
from fewlabels.pool.roles import PAYLOAD
from fewlabels.study.labellers import LEASE

_LONGEST_TEXT = 100

ItemArgument = Annotated[str, typer.Argument(metavar="ITEM", help="The item's id.")]


def ask(
    *,
    study: o.StudyArgument,
    n: Annotated[int, typer.Option("-n", "--number", min=1, help="How many items.")] = 10,
    fresh: Annotated[bool, typer.Option("--new", help="Only further items, beside those already waiting.")] = False,
    by: Annotated[
        str | None, typer.Option("--by", callback=o.whole_text, help="Who asks: items are theirs for a time.")
    ] = None,
    lease: Annotated[float, typer.Option("--lease", help="For so many seconds, with --by.")] = LEASE,
    table: Annotated[
        str | None, typer.Option("--csv", metavar="FILE", help="Write them to a table to be filled in; - is stdout.")
    ] = None,
    place: o.PlaceOptions,
) -> None:
    """Print the items to label next: those still waiting first, then new ones."""
    found = find_study(study, place.storage, place.name)
    waiting = [] if fresh else (found.open_queries if by is None else found.leased_to(by))[:n]
    queries = [*waiting, *(found.ask(n - len(waiting), by=by, lease=lease) if n > len(waiting) else [])]
    if table is not None:
        _write_table(queries, table, call_of(found, study, place.storage), by)
        return
    if place.as_json:
        names = ("item", "group", "predicted", "score", "number", "design", "probability", "payload", "at")
        print_json([{name: getattr(query, name) for name in names} for query in queries])
        return
    if not queries:
        say(f"Nothing to ask: {found.progress.reason}")
        return
    rows = [(str(query.item), query.group, shown_text(query, _LONGEST_TEXT)) for query in queries]
    print_rows(("item", "group", "text"), rows, left=("group", "text"), wrap=True)
    again = f" ({len(waiting)} of them asked before)" if waiting else ""
    say(f"{count_of(len(queries), 'item')} to label{again}. Bring a label back with:", "dim")
    told = f"{call_of(found, study, place.storage)} {shlex.quote(str(queries[0].item))} LABEL{_whose(by)}"
    say(f"  fewlabels tell {told}", "dim")


def _write_table(queries: list[fl.Query], file: str, call: str, by: str | None) -> None:
    text = as_csv(waiting_rows(queries))
    if file == "-":
        typer.echo(text, nl=False)
        return
    Path(file).write_text(text, encoding="utf-8")
    say(f"Wrote {count_of(len(queries), 'item')} to {file}; fill in the labels, and bring them back with:", "dim")
    say(f"  fewlabels import {call} {shlex.quote(file)}{_whose(by)}", "dim")


def _whose(by: str | None) -> str:
    return "" if by is None else f" --by {shlex.quote(by)}"


def shown_text(query: fl.Query, most: int | None = None) -> str:
    """What a labeller sees of an item: its text, or a link to it."""
    texts = [query.payload[name] for name in PAYLOAD if query.payload.get(name) is not None]
    texts = texts or [value for value in query.payload.values() if value is not None]
    text = " · ".join(" ".join(str(value).split()) for value in texts)
    return text if most is None or len(text) <= most else text[: most - 1] + "…"


def tell(
    *,
    study: o.StudyArgument,
    item: Annotated[str | None, typer.Argument(metavar="[ITEM]", help="The item's id.")] = None,
    label: Annotated[str | None, typer.Argument(metavar="[LABEL]", help="Its true class.")] = None,
    file: Annotated[
        str | None, typer.Option("--file", help="Many labels: CSV or JSON lines with id and label; - reads stdin.")
    ] = None,
    drawn: o.DrawnOption = None,
    by: o.ByOption = None,
    place: o.PlaceOptions,
) -> None:
    """Record true classes: of one item, or of a file of them. All are recorded, or none."""
    if (file is None) != (item is not None and label is not None) or (file is not None and item is not None):
        raise WrongUse("pass ITEM and LABEL, or --file labels.csv.")
    if drawn not in (None, "uniform", "unknown"):
        raise WrongUse(f"--drawn is 'uniform' (a uniform sample of the pool) or 'unknown'; got {drawn!r}.")
    found = find_study(study, place.storage, place.name)
    told, empty = ({str(item): str(label)}, 0) if file is None else _read_file(found, file)
    before = len(found.labels)
    found.tell(told, by=by, drawn=cast(Drawn | None, drawn))
    new = len(found.labels) - before
    _recorded(found, new, len(told) - new, empty, place.as_json)


def _read_file(study: fl.Study, file: str) -> tuple[dict[str, str], int]:
    """The labels of a file, and how many rows had none; an unknown label, or id, is named with its line."""
    labels, empty, lines = read_labels(file)
    positive = study.positive
    for item, label in labels.items():
        try:
            read_item(item, whole=study.whole_ids)
            read_label(label, study.classes, positive)
        except fl.LabelError as error:
            raise fl.LabelError(f"{name_of(file)}, line {lines[item]}: {error}") from error
    return labels, empty


def _recorded(study: fl.Study, new: int, known: int, empty: int, as_json: bool) -> None:
    progress = study.progress
    if as_json:
        print_json(
            {
                "told": new,
                "known_before": known,
                "without_label": empty,
                "done": progress.done,
                "progress": str(progress),
            }
        )
        return
    more = f", {known:,} known before" if known else ""
    more += f", {empty:,} rows without a label left out" if empty else ""
    say(f"Recorded {count_of(new, 'label')}{more}.")
    say(str(progress))


def skip(
    *,
    study: o.StudyArgument,
    item: ItemArgument,
    reason: Annotated[
        str | None, typer.Option("--reason", callback=o.whole_text, help="Why it cannot be labelled.")
    ] = None,
    by: o.ByOption = None,
    place: o.PlaceOptions,
) -> None:
    """Close a query that nobody can answer; its item is not asked again."""
    found = find_study(study, place.storage, place.name)
    found.skip(item, reason, by=by)
    if place.as_json:
        print_json({"skipped": item, "reason": reason})
    else:
        again = f"fewlabels correct {call_of(found, study, place.storage)} {shlex.quote(item)} LABEL"
        say(f"Skipped {item}. If it can be labelled after all: {again}")


def correct(
    *,
    study: o.StudyArgument,
    item: ItemArgument,
    label: Annotated[str, typer.Argument(metavar="LABEL", help="Its true class.")],
    by: o.ByOption = None,
    place: o.PlaceOptions,
) -> None:
    """Replace a label, or give one to an item that was skipped."""
    found = find_study(study, place.storage, place.name)
    before = {str(key): value for key, value in found.labels.items()}.get(item)
    found.correct(item, label, by=by)
    after = {str(key): value for key, value in found.labels.items()}[item]
    if place.as_json:
        print_json({"item": item, "before": before, "after": after})
    else:
        say(f"{item}: {after} (was {before or 'skipped'}).")


def withdraw(
    *,
    study: o.StudyArgument,
    item: ItemArgument,
    by: o.ByOption = None,
    place: o.PlaceOptions,
) -> None:
    """Take back a label or a skip: the item is open again, or as if never told where it was not asked."""
    found = find_study(study, place.storage, place.name)
    before = {str(key): value for key, value in found.labels.items()}.get(item)
    found.withdraw(item, by=by)
    is_open = item in {str(query.item) for query in found.open_queries}
    if place.as_json:
        print_json({"item": item, "before": before, "open": is_open})
    else:
        now = "is to be labelled again" if is_open else "has no label any more"
        say(f"{item} (was {before or 'skipped'}) {now}.")
