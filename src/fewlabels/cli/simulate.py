"""fewlabels simulate: labels needed, by method, against known labels."""

import csv
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

import fewlabels as fl
from fewlabels.answers import Target, level_words
from fewlabels.cli import options as o
from fewlabels.cli.errors import WrongUse
from fewlabels.cli.labels_needed import Goal, needed_json, print_needed, read_goal
from fewlabels.cli.new import as_given, open_several
from fewlabels.cli.printing import check_can_write, console, count_of, print_json, print_rows, say
from fewlabels.cli.question import read_question
from fewlabels.exchange.labels_file import read_labels
from fewlabels.questions import DEFAULT, Question
from fewlabels.simulation import GOOD_END
from fewlabels.simulation.result import EQUAL

INTERRUPTED = 130
USUAL_BUDGETS = [100, 200, 500]
_option = partial(typer.Option, rich_help_panel="The simulation")
_RUNS_TO_TELL = 20  # a twentieth of the runs tells how long the rest will take
_LINE_EVERY = 10.0  # seconds between lines of progress where there is no terminal

MethodsOption = Annotated[
    str | None,
    _option(
        "--methods",
        metavar="A,B",
        help="What to compare; by default the papers' baselines and what they propose.",
    ),
]
BudgetsOption = Annotated[
    str | None,
    _option(
        "--budgets",
        metavar="N,N",
        help="After how many labels to look; 100,200,500 by default, with --until a hundred times up to the last item.",
    ),
]
UntilOption = Annotated[
    str | None,
    _option(
        "--until",
        metavar="MEASURE=X",
        help="How many labels until a measure passes X, such as mrr=0.99 or rmse=0.05.",
    ),
]
RunsOption = Annotated[int, _option("--runs", help="How many runs to average over.")]
MeasuresOption = Annotated[
    str | None,
    _option("--measures", metavar="A,B", help="rmse, mrr, coverage, width, …"),
]
WorkersOption = Annotated[int | None, _option("--workers", help="Processes to use; one a core by default.")]
ResumeOption = Annotated[
    Path | None,
    _option("--resume", metavar="DIR", help="Keep finished runs here, and go on from them."),
]
CsvOption = Annotated[Path | None, _option("--csv", metavar="FILE", help="Write the table here too.")]
LabelsOption = Annotated[
    str | None,
    _option("--labels", metavar="FILE", help="Or a file of them: CSV or JSON lines."),
]
LabelColumnOption = Annotated[
    str | None,
    _option(
        "--label-column",
        "--label",
        metavar="COLUMN",
        help="Where true classes are; 'label' by default.",
    ),
]


def simulate(
    *,
    predictions: o.SeveralArgument,
    methods: MethodsOption = None,
    budgets: BudgetsOption = None,
    until: UntilOption = None,
    runs: RunsOption = 100,
    measures: MeasuresOption = None,
    label_column: LabelColumnOption = None,
    labels: LabelsOption = None,
    workers: WorkersOption = None,
    resume: ResumeOption = None,
    csv_file: CsvOption = None,
    asked: o.QuestionOptions,
    file: o.ColumnsOptions,
    model: o.ModelOption = None,
    target: o.TargetOption = "pool",
    level: o.LevelOption = None,
    seed: o.SeedOption = 0,
    as_json: o.JsonOption = False,
) -> None:
    """What would so many labels have told? Methods compared over many runs against known labels.

    Without a question it estimates accuracy by predicted class.
    """
    goal = None if until is None else read_goal(until)
    if goal and measures is not None:
        raise WrongUse("--until has a measure of its own; leave --measures out.")
    if labels is not None and label_column is not None:
        raise WrongUse("--labels and --label-column are two places for the true classes; name one of them.")
    check_can_write(csv_file)
    question = read_question(asked, file.positive) or DEFAULT
    wanted = [goal.measure] if goal else None if measures is None else _names(measures, "--measures")
    if level is not None and not _has_intervals(wanted, question):
        raise WrongUse("--level is about intervals, and nothing measured has any; add --measures coverage,width.")
    pool = open_several(predictions, as_given(file, label=label_column))
    truth = None if labels is None else _labels(pool, labels)
    looks = _numbers(budgets) if budgets is not None else None if goal else USUAL_BUDGETS
    compared = None if methods is None else _names(methods, "--methods")
    done = [0]
    try:
        with ticking(runs, done, quiet=as_json) as tick:
            result = fl.simulate(
                pool, truth, question, compared, looks, runs, seed, measures=wanted, target=cast(Target, target),
                level=0.95 if level is None else level, model=model, workers=workers, resume=resume, progress=tick,
            )  # fmt: skip
    except KeyboardInterrupt:
        _say_what_was_done(done[0], runs, resume)
        raise typer.Exit(INTERRUPTED) from None
    if csv_file is not None:
        _write(result, csv_file)
    if as_json:
        print_json({**_as_data(result, len(pool), seed, target), **needed_json(result, goal)})
    else:
        _show(result, pool, 0.95 if level is None else level, goal)
        if csv_file is not None:
            say(f"The numbers are in {csv_file}.")


def _names(given: str, option: str) -> list[str]:
    names = [name.strip() for name in given.split(",") if name.strip()]
    if not names:
        raise WrongUse(f"{option} takes names with commas between; got {given!r}.")
    return names


def _numbers(given: str) -> list[int]:
    try:
        return [int(number.replace("_", "")) for number in _names(given, "--budgets")]
    except ValueError:
        raise WrongUse(f"--budgets takes whole numbers with commas between, such as 200,500; got {given!r}.") from None


def _labels(pool: fl.Pool, file: str) -> dict[str, str]:
    """{item: label} of a file; those of items that are not in the pool have no effect, which is said."""
    read, _, _ = read_labels(file)
    rows = pool.engine.find(pool.models[0], (), list(read))
    strange = [item for item, row in zip(read, rows, strict=True) if row is None]
    if strange:
        others = count_of(len(strange), "label is", "labels are")
        say(f"{others} of items that are not in the pool ({strange[0]!r} first) and left out.", "yellow", stderr=True)
    return read


def _has_intervals(measures: list[str] | None, question: Question) -> bool:
    """Whether what is measured has to do with intervals; by default that of a plain estimate has."""
    if measures is not None:
        return any(name in ("coverage", "width") for name in measures)
    return isinstance(question, fl.Estimate) and "coverage" in question.metric.measures


@contextmanager
def ticking(runs: int, done: list[int], *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """What to call as runs finish: a bar on a terminal, a line now and then elsewhere; `done` keeps the count."""
    screen = console(stderr=True)
    if quiet or not screen.is_terminal:
        yield _lines(done, quiet=quiet)
        return
    columns = (TextColumn("simulating"), BarColumn(), MofNCompleteColumn(), TextColumn("runs,"), TimeRemainingColumn())
    with Progress(*columns, TextColumn("left"), console=screen, transient=True) as bar:
        task = bar.add_task("simulating", total=runs)

        def tick(finished: int, of: int) -> None:
            done[0] = finished
            bar.update(task, completed=finished, total=of)

        yield tick


def _lines(done: list[int], *, quiet: bool) -> Callable[[int, int], None]:
    started = last = time.monotonic()
    at_start: int | None = None

    def tick(finished: int, runs: int) -> None:
        nonlocal started, last, at_start
        now = time.monotonic()
        if at_start is None or finished < done[0]:  # the first simulation, or another one
            started, at_start = (started if at_start is None else now), finished - 1
        done[0] = finished
        if quiet or (now - last < _LINE_EVERY and finished < runs):
            return
        last = now
        left = (now - started) / max(finished - at_start, 1) * (runs - finished)
        known = left and finished - at_start > runs / _RUNS_TO_TELL  # the first run may compile
        say(f"{finished:,} of {runs:,} runs" + (f", about {left:.0f} s left" if known else ""), stderr=True)

    return tick


def _say_what_was_done(done: int, runs: int, resume: Path | None) -> None:
    kept = (
        f"They are kept in {resume}: the same command goes on from there."
        if resume is not None
        else "Nothing was kept; with --resume DIR finished runs are."
    )
    say(f"Stopped after {done:,} of {runs:,} runs. {kept}", stderr=True)


def _write(result: fl.SimulationResult, file: Path) -> None:
    rows = result.to_dicts()
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _as_data(result: fl.SimulationResult, items: int, seed: int, target: str) -> dict[str, Any]:
    best = [
        {"measure": measure, "labels": labels, "method": found.method, "next": found.next, "p_value": found.p_value}
        for measure in result.measures
        for labels in result.budgets
        if (found := result.best(measure, labels)) is not None
    ]
    about = {"question": result.question, "items": items, "runs": result.runs, "seed": seed, "target": target}
    return {**about, "sentence": sentence(result), "results": result.to_dicts(), "best": best}


def _show(result: fl.SimulationResult, pool: fl.Pool, level: float, goal: Goal | None) -> None:
    size = f"{count_of(len(pool), 'item')}, {count_of(len(pool.classes), 'class', 'classes')}"
    say(f"{result.question[:1].upper()}{result.question[1:]}: {count_of(result.runs, 'run')}, {size}", "bold")
    if goal is not None:
        print_needed(result, goal)
        return
    marked = False
    for place, measure in enumerate(result.measures):
        say()
        aside = f" of {level_words(level)} intervals" if measure in ("coverage", "width") else ""
        marked = _print_measure(result, measure, place, aside) or marked
    say()
    say(sentence(result), "bold")
    what = "Means ± standard errors over runs" if result.runs > 1 else "A single run"
    more = "; * is best, and better than the next with p < 0.05 (Wilcoxon's signed-rank test, paired runs)"
    say(f"{what}{more if marked else ''}.", "dim")


def _print_measure(result: fl.SimulationResult, measure: str, place: int, aside: str) -> bool:
    """A table, methods × budgets; whether something in it is marked as clearly best."""
    good = {"low": ", lower is better", "high": ", higher is better", None: aside}[GOOD_END.get(measure)]
    say(f"{measure}{good}", "bold")
    best = [result.best(measure, labels) for labels in result.budgets]
    clear = [found.method if found is not None and found.clear else None for found in best]
    rows: list[list[str | Text]] = [
        [method, *(_cell(_number(result, i, j, place), method == ahead) for j, ahead in enumerate(clear))]
        for i, method in enumerate(result.methods)
    ]
    print_rows(("method", *(count_of(labels, "label") for labels in result.budgets)), rows)
    return any(clear)


def _cell(number: str, clear: bool) -> Text:
    return Text(f"{number} *", style="bold") if clear else Text(f"{number}  ")


def _number(result: fl.SimulationResult, method: int, budget: int, measure: int) -> str:
    """The mean ± its standard error; percentages need fewer digits than shares."""
    mean, error = result.mean[method, budget, measure], result.se[method, budget, measure]
    if mean != mean:
        return "–"
    digits = 2 if np.nanmax(np.abs(result.mean[..., measure])) > 1 else 4
    spread = "" if error != error else " in all runs" if error == 0 else f" ± {error:.{digits}f}"
    return f"{mean:.{digits}f}{spread}"


def sentence(result: fl.SimulationResult) -> str:
    """What came out at the largest budget, by the first measure that has a good end, and how far it can be trusted."""
    limit = f"This is one pool and {count_of(result.runs, 'run')}: on another pool the order may be another."
    measure = next((name for name in result.measures if name in GOOD_END), result.measures[0])
    labels, number = result.budgets[-1], result.measures.index(measure)
    after = f"after {count_of(labels, 'label')}"
    shown = {m: _number(result, i, len(result.budgets) - 1, number) for i, m in enumerate(result.methods)}
    if len(shown) == 1:
        return f"{result.methods[0]} has {measure} {shown[result.methods[0]]} {after}. {limit}"
    if measure not in GOOD_END:
        return f"By {' and '.join(result.measures)} no method is called best: neither end is better by itself. {limit}"
    found = result.best(measure, labels)
    if found is None:
        return f"By {measure} {_level(result, measure, shown)} {after}. {limit}"
    p = "p < 0.001" if found.p_value < 0.001 else f"p = {found.p_value:.3f}"
    what, beside = (
        ("Better", f"against {shown[found.next]} of {found.next}")
        if len(shown) == 2
        else ("Best", f"next {found.next} with {shown[found.next]}")
    )
    pair = f"{found.method}, {shown[found.method]}, {beside}"
    if found.clear:
        return f"{what} by {measure} {after}: {pair} ({p}). {limit}"
    doubt = "that may be luck" if found.agrees else f"the runs, pair by pair, rather speak for {found.next}"
    return f"{what} on average by {measure} {after}: {pair}, but {doubt} ({p}). {limit}"


def _level(result: fl.SimulationResult, measure: str, shown: dict[str, str]) -> str:
    """Which methods are best alike, in words."""
    means = result.mean[:, -1, result.measures.index(measure)]
    best = means.min() if GOOD_END[measure] == "low" else means.max()
    alike = [m for m, mean in zip(result.methods, means, strict=True) if np.isclose(mean, best, rtol=EQUAL, atol=EQUAL)]
    if len(alike) in (0, len(means)):
        return "no method is ahead"
    return f"{' and '.join(alike)} are ahead, alike with {shown[alike[0]]},"
