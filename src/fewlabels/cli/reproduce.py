"""fewlabels reproduce."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from fewlabels.cli.errors import WrongUse
from fewlabels.cli.options import is_given, refuse_beside
from fewlabels.cli.printing import check_can_write, count_of, print_json, say
from fewlabels.cli.simulate import ticking
from fewlabels.pool.open_pool import open_pool
from fewlabels.reproduction import reproduce as run_again
from fewlabels.reproduction.drawing import KINDS, draw
from fewlabels.reproduction.page import document
from fewlabels.reproduction.results import keep_result, load_results, save_result

KEPT = Path("docs/reproduction")  # where the project keeps its own results
STDOUT = "-"
JSON = "--json"
UNFINISHED = ".runs"  # where finished runs lie until all of an experiment are
RUNNING = ("name", "runs", "data", "pool", "workers", "figure", "kept")


class JsonToFile(TyperCommand):
    """A command whose --json may name a file, and prints without one as all commands do."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if JSON in args:
            from fewlabels.reproduction.experiments import EXPERIMENTS

            after = args.index(JSON) + 1
            names = {name for n, e in EXPERIMENTS.items() for name in (n, *e.aliases)}
            value = args[after] if after < len(args) else "--"
            if (value.startswith("-") and value != STDOUT) or value in names:
                args = [*args[:after], STDOUT, *args[after:]]
        return super().parse_args(ctx, args)


def reproduce(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="A table or figure; --list names them.")] = None,
    listing: Annotated[bool, typer.Option("--list", help="What can be reproduced.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Do all that --keep has not; goes on where it was.")
    ] = False,
    runs: Annotated[int | None, typer.Option("--runs", min=1, help="Runs; as many as the paper's by default.")] = None,
    data: Annotated[Path | None, typer.Option("--data", help="The folder of pools (else $FEWLABELS_DATA).")] = None,
    pool: Annotated[Path | None, typer.Option("--pool", help="Your own predictions and labels in their place.")] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes; all cores by default.")] = None,
    figure: Annotated[Path | None, typer.Option("--figure", help="Draw the figure: .svg, .png or .pdf.")] = None,
    kept: Annotated[Path | None, typer.Option("--keep", help="Keep what --document shows in this folder.")] = None,
    page: Annotated[Path | None, typer.Option("--document", help="Write this page from the results kept.")] = None,
    results: Annotated[Path, typer.Option("--results", help="The folder of results kept, for --document.")] = KEPT,
    json: Annotated[
        str | None, typer.Option(JSON, metavar="[FILE]", help="Print the result as JSON and nothing else, or write it.")
    ] = None,
) -> None:
    """Compute a table or figure of the papers again, and print their numbers beside ours."""
    from fewlabels.reproduction.experiments import EXPERIMENTS

    if listing:
        refuse_beside(context, "--list", *RUNNING, "everything", "page", "results")
        if json not in (None, STDOUT):
            raise WrongUse(f"--list prints its JSON and writes no file; leave {json!r} out.")
        _list(json is not None)
    elif page is not None:
        refuse_beside(context, "--document", *RUNNING, "everything", "json")
        page.write_text(document(results, EXPERIMENTS, page), encoding="utf-8")
        say(f"{page} is written.")
    elif is_given(context, "results"):
        raise WrongUse("--results goes with --document, which reads that folder; leave it out.")
    elif everything:
        refuse_beside(context, "--all", "name", "figure", "pool", "json")
        _all(kept or KEPT, runs, data, workers)
    elif name is None:
        raise WrongUse("name a table or figure; fewlabels reproduce --list shows them.")
    else:
        _one(name, runs, data, pool, workers, figure, kept, json)


def _one(
    name: str,
    runs: int | None,
    data: Path | None,
    pool: Path | None,
    workers: int | None,
    figure: Path | None,
    kept: Path | None,
    json: str | None,
) -> None:
    """One table or figure: printed, and written as asked."""
    from fewlabels.reproduction.experiments import TABLES

    as_json = json == STDOUT
    check_can_write(None if as_json or json is None else Path(json), figure, kept)
    if figure is not None and (name in TABLES or figure.suffix.lower() not in KINDS):
        raise WrongUse(f"--figure draws a figure, as {', '.join(KINDS)}; got {name} and {str(figure)!r}.")
    if pool is not None and (data is not None or kept is not None):
        raise WrongUse("--pool takes the place of the papers' pools, and no page shows it; leave out --data, --keep.")
    own = None if pool is None else open_pool(pool)
    with ticking(runs or 1, [0], quiet=as_json) as tick:
        found = run_again(name, data=data, runs=runs, workers=workers, pool=own, progress=tick)
    if json is not None and not as_json:
        save_result(found, json)
    if figure is not None:
        draw(found, figure)
    if kept is not None:
        keep_result(found, kept)
    if as_json:
        print_json(found.to_json())
    else:
        for line in str(found).split("\n"):
            say(line)


def _all(kept: Path, runs: int | None, data: Path | None, workers: int | None) -> None:
    """All tables and figures that are not kept yet with as many runs; finished runs of a broken one are kept too."""
    from fewlabels.reproduction.experiments import EXPERIMENTS

    check_can_write(kept)
    wanted = {name: e.wanted(runs) for name, e in EXPERIMENTS.items()}
    done = load_results(kept) if any(kept.glob("*.json")) else {}
    todo = [name for name, e in EXPERIMENTS.items() if name not in done or e.is_behind(done[name], wanted[name])]
    for place, name in enumerate(todo, 1):
        say(f"{place} of {len(todo)}: {name}, {count_of(wanted[name], 'run')}")
        with ticking(wanted[name], [0], quiet=False) as tick:
            found = run_again(
                name, data=data, runs=wanted[name], workers=workers, kept=kept / UNFINISHED, progress=tick
            )
        keep_result(found, kept)
    say(f"{count_of(len(wanted), 'result')} in {kept}, {len(todo)} of them new.")


def _list(as_json: bool) -> None:
    from fewlabels.reproduction.experiments import EXPERIMENTS

    if as_json:
        print_json(
            {name: {"about": e.about, "runs": e.runs, "aliases": list(e.aliases)} for name, e in EXPERIMENTS.items()}
        )
        return
    for name, experiment in EXPERIMENTS.items():
        also = f" (also {', '.join(experiment.aliases)})" if experiment.aliases else ""
        say(f"{name:<22}{experiment.about}; {count_of(experiment.runs, 'run')}{also}")
