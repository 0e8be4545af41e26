"""fewlabels report, fewlabels plot."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

import fewlabels as fl
from fewlabels.cli import options as o
from fewlabels.cli.errors import WrongUse
from fewlabels.cli.place import find_study
from fewlabels.cli.printing import check_can_write, print_json, print_rows, say
from fewlabels.figures import FIGURES
from fewlabels.reporting.receipt import receipt_of


def report(
    *,
    study: o.StudyArgument,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Where it goes; report.html by default.")
    ] = None,
    include_text: Annotated[
        bool, typer.Option("--include-text", help="With what labellers were shown of the items.")
    ] = False,
    receipt: Annotated[
        Path | None,
        typer.Option("--receipt", metavar="FILE", help="Also what stands behind it, as JSON, by itself."),
    ] = None,
    place: o.PlaceOptions,
) -> None:
    """Write one HTML file about a study: the answer, what could be wrong, pictures, every number."""
    file = Path("report.html") if out is None else out
    check_can_write(file, receipt)
    found = find_study(study, place.storage, place.name)
    written = fl.report(found, file, include_text=include_text)
    if receipt is not None:
        receipt.write_text(receipt_of(found, include_text=include_text).to_json(), encoding="utf-8")
    if place.as_json:
        print_json({"study": found.name, "report": str(written), "bytes": written.stat().st_size})
        return
    say(f"The report of '{found.name}' is in {written} ({written.stat().st_size / 1000:,.0f} kB).", "bold")
    say("It is one file that needs no network; print it, or send it, as it is.", "dim")
    say(f"Who has it can compute every number again: fewlabels verify {shlex.quote(str(written))}", "dim")


def plot(
    *,
    study: o.StudyArgument,
    figure: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Which figure; without one, they are listed.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="An .svg, or a .png (extra plots); NAME.svg by default."),
    ] = None,
    place: o.PlaceOptions,
) -> None:
    """Draw a figure of a study as SVG or PNG; with --json its numbers too."""
    if figure is None:
        rows = [(name, kind.what) for name, kind in FIGURES.items()]
        print_rows(("name", "what it shows"), rows, left=("what it shows",))
        return
    if figure not in FIGURES:
        raise WrongUse(f"no figure {figure!r}; there are {', '.join(FIGURES)}.")
    file = Path(f"{figure}.svg") if out is None else out
    check_can_write(file)
    drawn = fl.plot(find_study(study, place.storage, place.name), figure, file)
    if place.as_json:
        about = {"name": drawn.name, "title": drawn.title, "caption": drawn.caption}
        print_json({**about, "file": str(file), "rows": drawn.to_dicts()})
        return
    say(f"{drawn.title}: {file}", "bold")
    say(drawn.caption, "dim")
