"""fewlabels reproduce."""

from pathlib import Path
from typing import Annotated

import typer

from fewlabels.cli import options as o
from fewlabels.cli.errors import WrongUse
from fewlabels.cli.printing import print_json, say
from fewlabels.cli.simulate import ticking
from fewlabels.reproduce import EXPERIMENTS, document, draw, keep_result, save_result
from fewlabels.reproduce import reproduce as run_again

KEPT = Path("docs/reproduction")  # where the project keeps its own results


def reproduce(
    name: Annotated[str | None, typer.Argument(help="A table or figure; --list names them.")] = None,
    listing: Annotated[bool, typer.Option("--list", help="What can be reproduced.")] = False,
    runs: Annotated[int | None, typer.Option("--runs", min=1, help="Runs; as many as the paper's by default.")] = None,
    data: Annotated[Path | None, typer.Option("--data", help="The folder of pools (else $FEWLABELS_DATA).")] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes; all cores by default.")] = None,
    file: Annotated[Path | None, typer.Option("--save", help="Also write the result to this JSON file.")] = None,
    figure: Annotated[Path | None, typer.Option("--figure", help="Draw the figure: .svg, .png or .pdf.")] = None,
    kept: Annotated[Path | None, typer.Option("--keep", help="Keep what --document shows in this folder.")] = None,
    page: Annotated[Path | None, typer.Option("--document", help="Write this page from the results kept.")] = None,
    results: Annotated[Path, typer.Option("--results", help="The folder of results kept, for --document.")] = KEPT,
    as_json: o.JsonOption = False,
) -> None:
    """Compute a table or figure of the papers again, and print their numbers beside ours."""
    if listing:
        _list(as_json)
        return
    if page is not None:
        page.write_text(document(results, EXPERIMENTS, page), encoding="utf-8")
        say(f"{page} is written.")
        return
    if name is None:
        raise WrongUse("name a table or figure; fewlabels reproduce --list shows them.")
    with ticking(runs or 1, [0], quiet=as_json) as tick:
        found = run_again(name, data=data, runs=runs, workers=workers, progress=tick)
    if file is not None:
        save_result(found, file)
    if figure is not None:
        draw(found, figure)
    if kept is not None:
        keep_result(found, kept)
    if as_json:
        print_json(found.to_json())
    else:
        say(str(found))


def _list(as_json: bool) -> None:
    if as_json:
        print_json(
            {name: {"about": e.about, "runs": e.runs, "aliases": list(e.aliases)} for name, e in EXPERIMENTS.items()}
        )
        return
    for name, experiment in EXPERIMENTS.items():
        also = f" (also {', '.join(experiment.aliases)})" if experiment.aliases else ""
        runs = "1 run" if experiment.runs == 1 else f"{experiment.runs:,} runs"
        say(f"{name:<22}{experiment.about}; {runs}{also}")
