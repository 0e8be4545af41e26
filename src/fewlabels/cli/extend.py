"""fewlabels extend."""

from typing import Annotated

import typer

from fewlabels.cli import options as o
from fewlabels.cli.place import find_study
from fewlabels.cli.printing import count_of, print_json, say


def extend(
    *,
    study: o.StudyArgument,
    file: Annotated[str, typer.Argument(metavar="FILE", help="New items, with the predictions of the same model.")],
    items: Annotated[
        str | None, typer.Option("--items", metavar="FILE", help="Texts and attributes of the new items, by id.")
    ] = None,
    by: o.ByOption = None,
    place: o.PlaceOptions,
) -> None:
    """Add new items to a study's pool. Their file is read as that of the study was; ids must be new."""
    found = find_study(study, place.storage, place.name)
    event = found.extend(found.open_like(file, items), by=by)
    more, whole = int(event.pool["count"]), len(found.pool)
    if place.as_json:
        print_json({"study": found.name, "new": more, "items": whole})
        return
    say(
        f"Study '{found.name}' has {count_of(more, 'item')} more, and {whole:,} in all; its figures are of all of them."
    )
    say(str(found.progress))
