"""fewlabels demo."""

import math
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fewlabels.answers import answer_data, percent
from fewlabels.cli import options as o
from fewlabels.cli.printing import console, print_answer, print_json, print_rows, say
from fewlabels.demo import MODELS, QUESTION, Demo, Run, demo_pool, run_demo, save_pool
from fewlabels.reporting import report

_ROWS = 10


def demo(
    context: typer.Context,
    labels: Annotated[int, typer.Option("--labels", min=1, help="How many labels to tell.")] = 400,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another seed makes another run.")] = 0,
    model: Annotated[
        str, typer.Option("--model", help=f"Which classifier: {' or '.join(MODELS)}.")
    ] = "minilm_mlp_5shot",
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="How many seeds the closing averages are over.")] = 3,
    out: Annotated[Path, typer.Option("--out", help="Where the report goes.")] = Path("report.html"),
    save: Annotated[
        Path | None, typer.Option("--save", metavar="DIR", help="Copy the demo's files here, and stop.")
    ] = None,
    as_json: o.JsonOption = False,
) -> None:
    """The whole loop on the bundled pool: ask, label, answer, report."""
    if save is not None:
        o.refuse_beside(context, "--save", "labels", "seed", "repeats", "out")
        _save(save, model, as_json)
        return
    started = time.monotonic()
    pool = demo_pool(model)
    if not as_json:
        _introduce(len(pool), len(pool.classes), model, labels)
    with _ticking(2 * labels * repeats, quiet=as_json) as tick:
        found = run_demo(pool, labels, seed, repeats, tick)
    written = report(found.chosen.study, out)
    if as_json:
        print_json(_as_data(found, labels, seed, model, written))
        return
    _show(found, labels)
    say()
    say(f"The report is in {written} ({time.monotonic() - started:.0f} s in all). To go on:", "bold")
    say(f"  {f'fewlabels demo --labels {min(2 * labels, len(pool))}':<40}the same with more labels")
    say(f"  {f'fewlabels verify {written}':<40}every choice and number of it computed again")
    say(f"  {'fewlabels demo --save banking':<40}the demo's files, to label some messages yourself")
    say(f"  {'fewlabels doctor YOUR_PREDICTIONS':<40}what can be answered from your own file")


def _introduce(items: int, classes: int, model: str, labels: int) -> None:
    say("Which intents is this classifier worst at?", "bold")
    say(
        f"{items:,} messages to a bank (BANKING77 by PolyAI, CC BY 4.0), sorted into {classes} intents by a classifier:"
        f" {MODELS[model]}. Their true intents are known here, so the demo plays the labeller; fewlabels itself sees "
        f"{labels:,} of the {items:,} labels."
    )
    say()


@contextmanager
def _ticking(total: int, *, quiet: bool) -> Iterator[Callable[[int], object]]:
    """What to call after so many labels: a bar on a terminal, a line now and then elsewhere, nothing when quiet."""
    screen = console()
    if quiet:
        yield lambda _: None
    elif screen.is_terminal:
        columns = (TextColumn("labelling"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=screen, transient=True) as bar:
            task = bar.add_task("labelling", total=total)
            yield lambda done: bar.advance(task, done)
    else:
        told = 0

        def count(done: int) -> None:
            nonlocal told
            before, told = told, told + done
            if before * 4 // total != told * 4 // total:
                say(f"{told:,} of {total:,} labels told (all runs together)")

        yield count
        say()


def _points(half_width: float) -> str:
    """A half-width; a dash where no class has enough labels to be named."""
    return "–" if math.isnan(half_width) else f"± {100 * half_width:.0f} points"


def _show(demo: Demo, labels: int) -> None:
    truth = {group: f"{value:.1%}" for group, value in demo.truth.items()}
    place = {group: f"{i}" for i, group in enumerate(demo.truth, start=1)}
    beside = {"truth": truth, "true rank": place}
    print_answer(demo.chosen.answer, rows=_ROWS, more="the report has them", beside=beside)
    top, repeats = QUESTION.top, len(demo.found_chosen)
    say()
    say(f"Beside it: {labels:,} labels of messages drawn uniformly, read by the same estimator", "bold")
    pair = (demo.chosen, demo.uniform)
    rows = [
        (f"named, and truly among the worst {top}", *(f"{run.found} of {top}" for run in pair)),
        ("  how many it expected to be right", *(f"{run.expected:.1f}" for run in pair)),
        ("probability that each is within a point", *(percent(run.answer.probability) for run in pair)),
        (f"labels on the {top} it named", *(f"{run.labels_on_named}" for run in pair)),
        (f"mean interval of the {top} it named", *(_points(run.half_width) for run in pair)),
    ]
    luck = "This is one run with one seed, and part of it is luck: --repeats 10 averages over ten."
    if repeats > 1:
        averages = [sum(found) / repeats for found in (demo.found_chosen, demo.found_uniform)]
        rows.append((f"found on average over {repeats} seeds", *(f"{mean:.1f} of {top}" for mean in averages)))
        luck = "All but the last line is one run with one seed, and part of it is luck; the last line says more."
    print_rows(("", "fewlabels", "uniform"), rows)
    say(luck, "dim")
    edge, past = list(demo.truth.values())[top - 1 : top + 1]
    say(
        f"With every label, the {top} worst end at {edge:.1%} and the next is at {past:.1%}: the closer those are, the "
        f"more labels it takes to be sure of exactly the right {top}.",
        "dim",
    )


def _as_data(demo: Demo, labels: int, seed: int, model: str, written: Path) -> dict[str, Any]:
    def one(run: Run) -> dict[str, Any]:
        return {"found": run.found, "expected": run.expected, "half_width": run.half_width, **answer_data(run.answer)}

    return {
        "labels": labels,
        "seed": seed,
        "model": model,
        "truth": demo.truth,
        "worst": demo.worst,
        "fewlabels": one(demo.chosen),
        "uniform": one(demo.uniform),
        "found_by_seed": {"fewlabels": demo.found_chosen, "uniform": demo.found_uniform},
        "report": str(written),
    }


def _save(folder: Path, model: str, as_json: bool) -> None:
    predictions, items, classes, attribution = save_pool(folder, model)
    if as_json:
        print_json({"predictions": str(predictions), "items": str(items), "classes": str(classes)})
        return
    say(f"Copied {predictions.name}, {items.name}, {classes.name} and {attribution.name} to {folder}. For instance:")
    files = shlex.join([str(predictions), "--items", str(items), "--classes", str(classes)])
    say(f"  fewlabels new {files} --study bank.db --identify accuracy --top 5")
    say("  fewlabels label bank.db")
