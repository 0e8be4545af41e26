"""fewlabels relocate."""

from typing import Annotated

import typer

from fewlabels.cli import options as o
from fewlabels.cli.place import find_study
from fewlabels.cli.printing import count_of, print_json, say


def relocate(
    *,
    study: o.StudyArgument,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where the file of predictions is now.")],
    items: Annotated[
        str | None, typer.Option("--items", metavar="FILE", help="Where the file of texts and attributes is now.")
    ] = None,
    by: o.ByOption = None,
    place: o.PlaceOptions,
) -> None:
    """Point a study at its predictions again, when their file has moved. Another file is refused."""
    found = find_study(study, place.storage, place.name)
    moved = found.relocate(file, items, by=by)
    if place.as_json:
        print_json({"study": found.name, "source": moved.source, "items": moved.items})
        return
    beside = f" and {moved.items}" if moved.items is not None else ""
    say(f"Study '{found.name}' reads its {count_of(len(found.pool), 'item')} from {moved.source}{beside} now.")
