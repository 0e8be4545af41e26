"""fewlabels verify."""

from pathlib import Path
from typing import Annotated

import typer

from fewlabels.cli import options as o
from fewlabels.cli.printing import print_json, say
from fewlabels.verification import verify as verified

CANNOT_BE_TOLD = 3  # the exit code where only another version computes the numbers


def verify(
    *,
    file: Annotated[Path, typer.Argument(metavar="REPORT_OR_RECEIPT", help="A report (HTML) or a receipt (JSON).")],
    pool: Annotated[
        list[Path] | None,
        typer.Option(
            "--pool",
            metavar="FILE",
            help="The predictions: was each item asked the one that was due? Of an extended study once for each file.",
        ),
    ] = None,
    as_json: o.JsonOption = False,
) -> None:
    """Compute every choice and every number of a report again, and say what differs."""
    found = verified(file, pool or None)
    if as_json:
        differences = [{"where": one.where, "what": one.what} for one in found.differences]
        looked_at = {"page": found.page, "pool": found.pool, "pictures_not_drawn": list(found.pictures)}
        known = {"sentence": found.sentence, "labels": found.labels, "labels_unbound": found.unbound}
        rules = {"draws_as_recorded": found.as_recorded, "numbers_computed_by": found.computed_by}
        print_json({"ok": found.ok, "differences": differences, "digest": found.digest} | looked_at | known | rules)
    else:
        first, *rest = str(found).splitlines()
        say(first, "bold red" if found.differences else "green" if found.ok else "yellow")
        for line in rest:
            say(line)
    if not found.ok:
        raise typer.Exit(CANNOT_BE_TOLD if found.ok is None else 1)
