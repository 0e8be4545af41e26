"""fewlabels doctor: what is in a file, what can be answered from it, what blocks the rest."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import typer

from fewlabels.cli import options as o
from fewlabels.cli.examine import MANY_EQUAL, ColumnFacts, Examination, ModelFacts, UnknownLabel, examine
from fewlabels.cli.examine_large import examine_large, stays_in_files
from fewlabels.cli.new import as_given, open_predictions
from fewlabels.cli.printing import count_of, print_json, say

_MOST_UNKNOWN = 8
_MOST_COLUMNS = 15
_SMALL_GROUP = 10  # items; below, a group can simply be labelled whole


def doctor(
    *,
    predictions: o.PredictionsArgument,
    file: o.FileOptions,
    as_json: o.JsonOption = False,
) -> None:
    """Say what is in a file of predictions, what can be answered from it, and what blocks the rest."""
    given = as_given(file)
    look = examine_large if stays_in_files(predictions, given) else examine
    found = look(predictions, given, lambda: open_predictions(predictions, given))
    start = "fewlabels new " + shlex.join([predictions, *_flags(given)])
    blocked = [] if found.problem else list(blocks(found))
    answers = [] if found.problem else list(questions(found))
    if as_json:
        can = [{"what": what, "command": f"{start} {options}"} for what, options in answers]
        print_json({"file": predictions, **asdict(found), "answers": can, "blocks": blocked})
    else:
        _print(predictions, found, start, answers, blocked)
    if found.problem:
        raise typer.Exit(1)


def _flags(given: dict[str, Any]) -> Iterator[str]:
    for key, value in given.items():
        flag = "--" + {"other_labels": "other-label"}.get(key, key.replace("_", "-"))
        if value is True:
            yield flag
        elif isinstance(value, list):
            yield from (part for one in value for part in (flag, one))
        elif value is not None and value is not False:
            yield from (flag, str(value))


def _print(file: str, found: Examination, start: str, answers: list[tuple[str, str]], blocked: list[str]) -> None:
    say(f"{file}: {count_of(found.rows, 'row')}", "bold")
    for line in described(found.columns) if found.problem else facts(found):
        say(f"  {line}")
    say()
    if found.problem:
        say("It cannot be used as it is", "bold")
        say(f"  {found.problem}", "red")
        for hint in found.hints:
            say(f"  {hint}", "yellow")
        return
    say("What can be answered from it", "bold")
    say(f"  {start} …", "cyan")
    width = max(len(options) for _, options in answers)
    for what, options in answers:
        say(f"    … {options:<{width}}  {what}")
    if blocked:
        say()
        say("What to know, and what blocks the rest", "bold")
        for line in blocked:
            say(f"  {line}", "yellow")


def facts(found: Examination) -> Iterator[str]:
    """The file's contents, a line each."""
    few = ", ".join(found.classes[:5]) + (", …" if len(found.classes) > 5 else "")
    others = f", beside them {', '.join(found.other_labels)}" if found.other_labels else ""
    yield f"predictions: {found.form}; {count_of(len(found.classes), 'class', 'classes')} ({few}){others}"
    if found.model_column is not None:
        names = ", ".join(model.model for model in found.models)
        items, named = count_of(found.rows // len(found.models), "item"), found.model_column
        yield f"a pool of several models, a row of each for {items}: {names} (column {named!r}); --model names one"
    for model in found.models:
        s, name = model.score, "" if len(found.models) == 1 else f" of {model.model}"
        yield f"scores{name}: from {s.low:.3g} to {s.high:.3g}, mean {s.mean:.3g}"
        sizes = f"{model.smallest:,} to {model.largest:,} items each, half have {_number(model.median)} or more"
        yield f"predicted classes{name}: {sizes}"
    yield f"ids: column {found.id_column!r}" if found.id_column else "ids: none, so rows are numbered from 0"
    yield (
        f"for the labeller: {', '.join(found.text_columns)}"
        if found.text_columns
        else "for the labeller: nothing to read"
    )
    yield (
        "labels: none, and none are needed"
        if found.labelled is None
        else f"labels: {found.labelled:,}, for simulation; studies never look"
    )
    yield from described(found.attributes, "column ")


def described(columns: Sequence[ColumnFacts], before: str = "") -> Iterator[str]:
    """The first columns in words, a line each, and how many there are beside them."""
    yield from (f"{before}{describe_column(column)}" for column in columns[:_MOST_COLUMNS])
    if len(columns) > _MOST_COLUMNS:
        yield f"… and {len(columns) - _MOST_COLUMNS:,} more columns"


def describe_column(column: ColumnFacts) -> str:
    """A column in words."""
    missing = f", {column.missing:,} missing" if column.missing else ""
    if column.kind == "list":
        return f"{column.name}: lists{missing}"
    if column.groups:
        few = ", ".join(column.commonest[:5]) + (", …" if column.distinct > 5 else "")
        return f"{column.name}: {count_of(column.distinct, 'value')} ({few}){missing}"
    span = "" if column.low is None or column.high is None else f" from {_number(column.low)} to {_number(column.high)}"
    return f"{column.name}: {column.kind}, {count_of(column.distinct, 'distinct value')}{span}{missing}"


def _number(number: float) -> str:
    """A number of the file: whole ones in full."""
    return f"{int(number):,}" if abs(number) < 1e15 and number == int(number) else f"{number:,.6g}"


def questions(found: Examination) -> Iterator[tuple[str, str]]:
    """What can be asked of the file, each with the options that ask it."""
    model = f"--model {shlex.quote(found.models[0].model)} " if len(found.models) > 1 else ""
    yield "how accurate, overall and for each class", f"{model}--estimate accuracy --by predicted_class"
    binary = len(found.classes) <= 2
    positive = shlex.quote(found.positive or found.classes[-1])
    if not binary:
        top = min(5, len(found.classes) - 1)
        yield "which classes it is worst at", f"{model}--identify accuracy --by predicted_class --top {top}"
    else:
        yield f"how good it is at {positive}", f"{model}--estimate f1 --positive-class {positive}"
        yield f"how many {positive} it finds", f"{model}--estimate recall --positive-class {positive}"
    yield "whether its scores can be trusted", f"{model}--estimate calibration_error"
    yield "what it takes for what", f"{model}--estimate confusion"
    for column in [c for c in found.attributes if c.groups][:3]:
        by = shlex.join(["--by", column.name])
        a, b = (shlex.quote(value) for value in column.commonest[:2])
        yield f"where it is worst, by {column.name}", f"{model}--identify accuracy {by}"
        yield f"whether {a} and {b} are treated alike", f"{model}--compare accuracy {by} --a {a} --b {b}"
        if binary:
            rate = f"{model}--compare true_positive_rate {by} --a {a} --b {b} --positive-class {positive}"
            yield f"whether it finds {positive} as often for {a} as for {b}", rate


def blocks(found: Examination) -> Iterator[str]:
    """What a user should know before starting, and what cannot be asked."""
    yield from _unknown_labels(found.unknown_labels)
    for model in found.models:
        yield from _warnings(model, "" if len(found.models) == 1 else f" of {model.model}")
    numbered = len(found.classes) > 2 and all(name.isdecimal() for name in found.classes)
    wide = [c.name for c in found.attributes if not c.groups and c.distinct > 1 and c.kind != "list"]
    lines = [
        (numbered, "Classes are numbers only: --classes FILE gives them names (one a line, or a JSON list)."),
        (
            not any(c.groups for c in found.attributes),
            "No column can serve as groups: to compare regions, say, add a column or join one with --items FILE.",
        ),
        (
            found.differing,
            f"Left out, because they differ between the models of one item: {', '.join(found.differing[:5])}.",
        ),
        (wide, f"Too many values to be groups: {', '.join(wide[:5])}; cut them into ranges or kinds first."),
        (
            not found.text_columns,
            "A labeller sees only ids: name the text with --text COLUMN, or join it with --items FILE.",
        ),
        (
            not found.id_column,
            "Without ids an item is known by its row number: the file must keep its order while the study runs.",
        ),
    ]
    yield from (line for holds, line in lines if holds)


def _unknown_labels(unknown: tuple[UnknownLabel, ...]) -> Iterator[str]:
    for one in unknown[:_MOST_UNKNOWN]:
        are = f"{count_of(one.count, 'label is', 'labels are')} {one.label!r}"
        other = f"--other-label {shlex.quote(one.label)}"
        if one.near is None:
            yield f"{are}, which no model predicts: add {other}"
        else:
            yield f"{are}; did you mean {one.near!r}? If it is a class no model predicts: add {other}"
    if more := unknown[_MOST_UNKNOWN:]:
        labels = count_of(sum(one.count for one in more), "label is", "labels are")
        yield f"{labels} of {count_of(len(more), 'further class', 'further classes')} no model predicts."


def _warnings(model: ModelFacts, name: str) -> Iterator[str]:
    score = model.score
    if score.distinct == 1:
        yield f"All scores{name} are {score.commonest:g}: calibration has one point only; use --prior flat."
    elif score.equal >= MANY_EQUAL:
        yield (
            f"{score.equal:.0%} of the scores{name} are exactly {score.commonest:g}: bins of equal mass cannot part "
            "them, and such scores say little as a prior; compare with --prior flat."
        )
    if model.never_predicted:
        never = count_of(model.never_predicted, "class is", "classes are")
        yield f"{never} never predicted{name}, so by predicted class there is nothing to say of them."
    if model.smallest < _SMALL_GROUP:
        yield f"The rarest predicted class{name} has {count_of(model.smallest, 'item')}: too few to say much."
