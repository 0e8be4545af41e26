"""What the command line writes: sentences and tables for people, JSON for machines, complaints on stderr.

Texts, names and ids come from files of others: an escape sequence in them must not colour, move or rename anything.
Hidden characters are made visible, and signs that a terminal's encoding lacks become plain letters.
"""

import codecs
import json
import re
import sys
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fewlabels.answers import (
    Answer,
    BinFinding,
    Identification,
    borrowed_words,
    describe_target,
    interval_words,
    level_words,
    percent,
    plain,
    unlabelled_last,
)
from fewlabels.cli.errors import WrongUse
from fewlabels.figures.words import mix_ups_first

MOST_ROWS = 20
_PLAIN_WIDTH = 160  # of tables where there is no terminal to ask
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))  # controls, formats such as bidi overrides, half characters, breaks
_JOINERS = "\u200c\u200d"  # part of how Persian, Hindi and some pictures are written
_IN_ASCII = {
    "→": "->", "–": "-", "—": "-", "−": "-", "…": "...", "±": "+/-", "✓": "ok", "×": "x", "·": "|",
    "“": '"', "”": '"', "‘": "'", "’": "'", "≤": "<=", "≥": ">=", "\xa0": " ",
}  # fmt: skip
READABLE = "fewlabels.readable"  # what a stream is told to do with a character it cannot carry


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
    typer.echo(visible_json(plain(data), sys.stdout.encoding))


def print_answer(
    answer: Answer,
    *,
    rows: int | None = MOST_ROWS,
    more: str = "--all or --json shows them",
    beside: Mapping[str, Mapping[str, str]] | None = None,
    confusion: bool = False,
) -> None:
    """Print the sentence, the notes, and a table of several groups; mix-ups first in a confusion matrix.

    `beside` adds columns to the table: heading to {group: text}. Past so many `rows`, `more` says where the others are.
    """
    say(answer.sentence, "bold")
    if answer.stop:
        say(answer.stop, "green")
    for note in answer.notes:
        say(f"Note: {note}", "yellow")
    if len(answer.findings) > 1:
        say()
        if confusion:
            answer = replace(answer, findings=tuple(mix_ups_first(answer.findings)), extra=())
        _print_findings(answer, rows, beside or {}, "predicted → true" if confusion else "group")
    for words in borrowed_words(answer) if len(answer.findings) > 1 else []:
        say(words, "dim")
    if answer.findings:
        sample = answer.findings[0]
        say(f"{sample.method}; {interval_words(sample)}; target: {describe_target(sample.target)}.", "dim")
    if answer.without_a_model:
        say(answer.without_a_model, "dim")
    if rows is not None and len(answer.findings) > rows:
        say(f"… and {len(answer.findings) - rows:,} more groups: {more}.", "dim")
    if confusion and len(answer.findings) > 1:
        say("predicted → true: how often what is predicted as the first is truly the second.", "dim")


def _print_findings(answer: Answer, rows: int | None, beside: Mapping[str, Mapping[str, str]], first: str) -> None:
    columns: dict[str, Mapping[str, str]] = {}
    for head, texts in answer.columns.items():
        shown = f"rank ({level_words(answer.findings[0].level)})" if head == "ranks" else head
        columns[shown] = dict(zip((f.group for f in answer.findings), texts, strict=True))
    scores = {f.group: f"{f.mean_score:.1%}" for f in answer.findings if isinstance(f, BinFinding)}
    columns |= beside or ({"mean score": scores} if scores else {})
    cells = [
        [f.group, f.show(f.value), f.interval, f"{f.labels:,}", percent(f.not_its_own)]
        + [column.get(f.group, "") for column in columns.values()]
        for f in [answer.findings[place] for place in unlabelled_last(answer.findings)][:rows]
    ]
    named = answer.groups if isinstance(answer, Identification) else ()
    print_rows([first, "value", "interval", "labels", answer.findings[0].what_else, *columns], cells, bold=named)


def print_rows(
    heads: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    *,
    left: Collection[str] = (),
    wrap: bool = False,
    bold: Collection[str] = (),
) -> None:
    """Print a table: its first column, and those named in `left`, to the left, the others to the right.

    It shows what its cells hold, and does not let a terminal act on it. Rows whose first cell is in `bold` are bold.
    """
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(heads[0], overflow="fold")
    for head in heads[1:]:
        table.add_column(head, justify="left" if head in left else "right", no_wrap=not wrap)
    for cells in rows:
        shown = [visible(cell, sys.stdout.encoding) if isinstance(cell, str) else cell for cell in cells]
        table.add_row(*shown, style="bold" if cells[0] in bold else "")
    console().print(table)


def count_of(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: '1 label', '2 labels'."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def visible(text: str, encoding: str | None = None) -> str:
    r"""The text with hidden characters written out, and in characters that the encoding can carry.

    >>> visible("\x1b[31mred\r"), visible("3 → 4 é", "ascii")
    ('\\x1b[31mred\\r', '3 -> 4 \\xe9')
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(_escaped(c) if _is_hidden(c) else c for c in text)
    return text if encoding is None else text.encode(encoding, READABLE).decode(encoding)


def visible_json(data: Any, encoding: str | None = None) -> str:
    """The data as JSON in which hidden characters, and those the encoding cannot carry, are JSON's own escapes."""
    whole = (encoding or "utf-8").lower().startswith("utf")
    text = json.dumps(data, ensure_ascii=not whole, allow_nan=False, indent=2)
    return "".join(json.dumps(c)[1:-1] if c != "\n" and _is_hidden(c) else c for c in text) if whole else text


def make_streams_readable() -> None:
    """Let stdout and stderr write other words for what they cannot carry, and stdin read what is no text in its
    encoding as such, rather than fail in mid-sentence."""
    for stream, errors in ((sys.stdout, READABLE), (sys.stderr, READABLE), (sys.stdin, "backslashreplace")):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=errors)


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN and character not in _JOINERS


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _readable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(_IN_ASCII.get(c) or _escaped(c) for c in lost), error.end


codecs.register_error(READABLE, _readable)
