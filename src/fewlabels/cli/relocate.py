"""fewlabels relocate."""

from typing import Annotated

import typer

from fewlabels.cli import options as o
from fewlabels.cli.place import find_study
from fewlabels.cli.printing import count_of, print_json, say


def relocate(
    study: o.StudyArgument,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where the file of predictions is now.")],
    items: Annotated[
        str | None, typer.Option("--items", metavar="FILE", help="Where the file of texts and attributes is now.")
    ] = None,
    by: o.ByOption = None,
    storage: o.StorageOption = None,
    name: o.NameOption = None,
    as_json: o.JsonOption = False,
) -> None:
    """Point a study at its predictions again, when their file has moved. Another file is refused."""
    found = find_study(study, storage, name)
    place = found.relocate(file, items, by=by)
    if as_json:
        print_json({"study": found.name, "source": place.source, "items": place.items})
        return
    beside = f" and {place.items}" if place.items is not None else ""
    say(f"Study '{found.name}' reads its {count_of(len(found.pool), 'item')} from {place.source}{beside} now.")
