"""What the command line writes: sentences and tables for people, JSON for machines, complaints on stderr."""

import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fewlabels.answers import (
    Answer,
    BinFinding,
    Comparison,
    Finding,
    Identification,
    describe_target,
    level_words,
    percent,
)
from fewlabels.cli.errors import WrongUse
from fewlabels.cli.visible import visible, visible_json
from fewlabels.reporting.words import interval_words, mix_ups_first

MOST_ROWS = 20
_PLAIN_WIDTH = 160  # of tables where there is no terminal to ask


def console(*, stderr: bool = False) -> Console:
    """A console on stdout or stderr; texts are shown as they are, never read as markup."""
    made = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not made.is_terminal:
        made.width = _PLAIN_WIDTH
    return made


def say(text: str = "", style: str = "", *, stderr: bool = False) -> None:
    """Print a line; only terminals wrap it. What would steer a terminal, or break the line, is shown instead."""
    to = console(stderr=stderr)
    to.print(Text(visible(text, to.encoding), style=style), soft_wrap=not to.is_terminal)


def complain(text: str) -> None:
    """Print an error as one line on stderr, red on a terminal."""
    say(re.sub(r"[ \t\n]+", " ", f"Error: {text}".strip()), "bold red", stderr=True)


def check_can_write(*files: Path | None) -> None:
    """Complain before the work is done where its result could not be written."""
    for file in files:
        if file is not None and not file.parent.is_dir():
            raise WrongUse(f"no folder {str(file.parent)!r} to write {file.name!r} into; make it, or name another.")


def print_json(data: Any) -> None:
    """Print data as JSON on stdout; a number that is not known becomes null."""
    typer.echo(visible_json(_plain(data), sys.stdout.encoding))


def _plain(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_plain(value) for value in data]
    if hasattr(data, "item"):  # a NumPy number
        data = data.item()
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data if isinstance(data, str | int | float | bool | None) else str(data)


def finding_json(finding: Finding | None) -> dict[str, Any] | None:
    """A finding as plain data."""
    if finding is None:
        return None
    return asdict(finding)


def answer_json(answer: Answer) -> dict[str, Any]:
    """An answer as plain data."""
    data: dict[str, Any] = {
        "question": answer.question,
        "sentence": answer.sentence,
        "notes": answer.notes,
        "strategy": answer.strategy,
        "overall": finding_json(answer.overall),
        "findings": answer.to_dicts(),
    }
    if isinstance(answer, Identification):
        data |= {"groups": answer.groups, "probability": answer.probability}
    if isinstance(answer, Comparison):
        data |= {name: getattr(answer, name) for name in ("p_less", "p_equal", "p_more", "rope")}
        data["difference"] = finding_json(answer.difference)
    return data


def print_answer(answer: Answer, *, everything: bool = False, confusion: bool = False) -> None:
    """Print the sentence, the notes, and a table of several groups; mix-ups first in a confusion matrix."""
    say(answer.sentence, "bold")
    for note in answer.notes:
        say(f"Note: {note}", "yellow")
    if len(answer.findings) > 1:
        say()
        rows = None if everything else MOST_ROWS
        if confusion:
            answer = replace(answer, findings=tuple(mix_ups_first(answer.findings)), extra=())
            print_table(answer, rows=rows, first="predicted → true")
            say("predicted → true: how often what is predicted as the first is truly the second.", "dim")
        else:
            scores = {f.group: f"{f.mean_score:.1%}" for f in answer.findings if isinstance(f, BinFinding)}
            print_table(answer, rows=rows, beside={"mean score": scores} if scores else None)
    elif answer.findings:
        say(method_line(answer.findings[0]), "dim")


def print_table(
    answer: Answer,
    *,
    rows: int | None = MOST_ROWS,
    more: str = "--all or --json shows them",
    beside: Mapping[str, Mapping[str, str]] | None = None,
    first: str = "group",
) -> None:
    """Print the findings; `beside` adds columns: heading to {group: text}."""
    ranked, further = isinstance(answer, Identification), beside or {}
    rank = f"rank ({level_words(answer.findings[0].level)})"
    heads = ["value", "interval", "labels", "prior", *([rank, "p(top)"] if ranked else []), *further]
    table = plain_table(first, *heads)
    extra: Sequence[dict[str, Any]] = answer.extra or ({},) * len(answer.findings)
    named = answer.groups if isinstance(answer, Identification) else ()
    for finding, place in list(zip(answer.findings, extra, strict=True))[:rows]:
        cells = [finding.group, finding.show(finding.value), interval_words(finding)]
        cells += [f"{finding.labels:,}", percent(finding.prior_share)]
        if ranked:
            cells += [f"{place['rank_low']}–{place['rank_high']}", percent(place["p_top"])]
        cells += [column.get(finding.group, "") for column in further.values()]
        table.add_row(*cells, style="bold" if finding.group in named else "")
    console().print(table)
    say(method_line(answer.findings[0]), "dim")
    if rows is not None and len(answer.findings) > rows:
        say(f"… and {len(answer.findings) - rows:,} more groups: {more}.", "dim")


class VisibleTable(Table):
    """A table that shows what its cells hold, and does not let a terminal act on it."""

    def add_row(self, *cells: Any, **more: Any) -> None:
        super().add_row(*(visible(c, sys.stdout.encoding) if isinstance(c, str) else c for c in cells), **more)


def plain_table(first: str, *others: str) -> Table:
    """An empty table: first column to the left, the others to the right."""
    table = VisibleTable(box=None, pad_edge=False, header_style="bold")
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def method_line(finding: Finding) -> str:
    """How the numbers were made, in a line."""
    return f"{finding.method}; {level_words(finding.level)} intervals; target: {describe_target(finding.target)}."


def count_of(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: '1 label', '2 labels'."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
