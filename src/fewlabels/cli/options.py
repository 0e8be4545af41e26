"""The options commands share, each written once."""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_type_hints

import typer

from fewlabels.cli.errors import WrongUse


def whole_text(text: str | None) -> str | None:
    """The text of an option that is kept in a study; bytes that are no text in UTF-8 cannot be."""
    if text is not None and any("\ud800" <= character <= "\udfff" for character in text):
        raise WrongUse(f"{text!r} is not text in UTF-8, and a study keeps only text; write it in other letters.")
    return text


def is_given(context: typer.Context, name: str) -> bool:
    """Whether an option was typed; defaults and the environment do not count."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse_beside(context: typer.Context, what: str, *names: str) -> None:
    """Raise where one of these options was typed beside `what`, which would leave it without effect."""
    flags = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    for name in names:
        if is_given(context, name):
            shown = flags[name] if flags[name].startswith("-") else flags[name].upper()
            raise WrongUse(f"{shown} has no effect beside {what}; leave one of them out.")


PredictionsArgument = Annotated[
    str, typer.Argument(metavar="PREDICTIONS", help="Parquet, CSV, JSON lines, Feather or NPZ.")
]
SeveralArgument = Annotated[
    list[str],
    typer.Argument(metavar="PREDICTIONS", help="Parquet, CSV, JSON lines, Feather or NPZ; several: a model each."),
]
StudyArgument = Annotated[
    str, typer.Argument(metavar="STUDY", help="A study's file (march.db), or its name with --storage.")
]
StorageOption = Annotated[
    str | None,
    typer.Option(
        "--storage",
        envvar="FEWLABELS_STORAGE",
        metavar="URL",
        help="sqlite:///studies.db, or postgresql://user@server/database",
    ),
]
DrawnOption = Annotated[
    str | None,
    typer.Option("--drawn", help="How items never asked were chosen: uniform, or unknown (kept apart)."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")]
ByOption = Annotated[str | None, typer.Option("--by", callback=whole_text, help="Who says so.")]
CheckOption = Annotated[bool, typer.Option("--check", help="Exit with 1 while the study's goal is not reached.")]

of_question = partial(typer.Option, rich_help_panel="The question")
of_file = partial(typer.Option, rich_help_panel="The file")
of_method = partial(typer.Option, rich_help_panel="How to answer")


ModelOption = Annotated[str | None, of_method("--model", help="Which model, where there are several.")]
LevelOption = Annotated[float | None, of_method("--level", help="What intervals promise; 0.95 by default.")]
StrategyOption = Annotated[str, of_method("--strategy", help="How items are chosen: auto, thompson, uniform, …")]
EstimatorOption = Annotated[str, of_method("--estimator", help="auto, beta, frequency, acis, …")]
PriorOption = Annotated[str, of_method("--prior", help="What is believed beforehand: scores, flat or diagonal.")]
PriorStrengthOption = Annotated[float | None, of_method("--prior-strength", help="How many labels the prior is worth.")]
TargetOption = Annotated[str, of_method("--target", help="pool (these very items) or population.")]
BudgetOption = Annotated[int | None, of_method("--budget", help="The most labels that will be asked for.")]
SeedOption = Annotated[int, of_method("--seed", help="Repeat the same choices.")]


@dataclass(frozen=True)
class QuestionOptions:
    """What is asked; see cli/question.py."""

    estimate: Annotated[
        str | None,
        of_question(
            "--estimate",
            metavar="METRIC",
            help="How good is it: accuracy, calibration_error, …",
        ),
    ] = None
    identify: Annotated[
        str | None,
        of_question("--identify", metavar="METRIC", help="Which groups are worst (or best)."),
    ] = None
    compare: Annotated[
        str | None,
        of_question("--compare", metavar="METRIC", help="Is group --a different from --b."),
    ] = None
    below: Annotated[
        str | None,
        of_question("--below", metavar="METRIC", help="Which groups lie below --than."),
    ] = None
    above: Annotated[
        str | None,
        of_question("--above", metavar="METRIC", help="Which groups lie above --than, and do all."),
    ] = None
    compare_models: Annotated[
        str | None,
        of_question("--compare-models", metavar="METRIC", help="Is model --a better than model --b."),
    ] = None
    best_model: Annotated[
        str | None,
        of_question("--best-model", metavar="METRIC", help="Which of several models is best, --within so much."),
    ] = None
    by: Annotated[
        list[str] | None,
        of_question(
            "--by",
            metavar="GROUPS",
            help="predicted_class, true_class, score_bin or a column; repeat to cross several.",
        ),
    ] = None
    top: Annotated[int | None, of_question("--top", help="How many groups to identify; 1 by default.")] = None
    which: Annotated[str | None, of_question("--which", help="worst (default), best, highest or lowest.")] = None
    a: Annotated[str | None, of_question("--a", help="One group, or model, to compare.")] = None
    b: Annotated[str | None, of_question("--b", help="The other.")] = None
    rope: Annotated[
        float | None,
        of_question("--rope", help="The largest difference of no importance; 0.05 by default, of models 0.01."),
    ] = None
    than: Annotated[float | None, of_question("--than", help="The threshold of --below and --above: 0.8, say.")] = None
    control: Annotated[
        str | None,
        of_question("--control", help="Of verdicts: few wrong among them (discoveries, default), or none (family)."),
    ] = None
    within: Annotated[
        float | None,
        of_question("--within", help="How near is near enough; 0.01 by default."),
    ] = None
    positive_class: Annotated[
        str | None,
        of_question("--positive-class", help="The class f1, precision, recall, … are about."),
    ] = None
    alpha: Annotated[
        float | None,
        of_question("--alpha", help="Of an f_score: 0 recall, 0.5 F1, 1 precision."),
    ] = None
    at_score: Annotated[
        float | None,
        of_question("--at-score", help="Take that class for predicted from this score on."),
    ] = None
    bins: Annotated[int | None, of_question("--bins", help="How many score bins; 10 by default.")] = None
    bins_of: Annotated[str | None, of_question("--bins-of", help="Bins of equal width (default) or mass.")] = None


@dataclass(frozen=True)
class ColumnsOptions:
    """Where a file of predictions has what."""

    items: Annotated[
        str | None,
        of_file("--items", metavar="FILE", help="Texts and attributes, joined by id."),
    ] = None
    classes: Annotated[
        str | None,
        of_file("--classes", metavar="FILE", help="Class names: one a line, or a JSON list."),
    ] = None
    id_: Annotated[str | None, of_file("--id", metavar="COLUMN", help="The items' ids.")] = None
    predicted: Annotated[str | None, of_file("--predicted", metavar="COLUMN", help="The predicted class.")] = None
    score: Annotated[str | None, of_file("--score", metavar="COLUMN", help="Its score, 0 to 1.")] = None
    positive_score: Annotated[
        str | None,
        of_file("--positive-score", metavar="COLUMN", help="The score of one positive class."),
    ] = None
    positive: Annotated[str | None, of_file("--positive", metavar="CLASS", help="That class's name.")] = None
    threshold: Annotated[
        float | None,
        of_file("--threshold", help="Predicted positive from this score on; 0.5 by default."),
    ] = None
    other_label: Annotated[
        list[str] | None,
        of_file("--other-label", metavar="CLASS", help="A true class no model predicts; repeat."),
    ] = None
    independent: Annotated[
        bool,
        of_file("--independent", help="Probabilities are sigmoids: rows need not sum to 1."),
    ] = False


@dataclass(frozen=True)
class FileOptions(ColumnsOptions):
    """The same, with what labellers see and labels known before."""

    text: Annotated[str | None, of_file("--text", metavar="COLUMN", help="What a labeller reads.")] = None
    label: Annotated[str | None, of_file("--label", metavar="COLUMN", help="True classes, where known.")] = None


@dataclass(frozen=True)
class GoalOptions:
    """When it is enough."""

    until_half_width: Annotated[
        float | None,
        of_method("--until-half-width", help="Goal: every interval at most ± this."),
    ] = None
    until_overall: Annotated[
        float | None,
        of_method("--until-overall", help="Goal: the overall interval at most ± this."),
    ] = None
    until_probability: Annotated[
        float | None,
        of_method("--until-probability", help="Goal: this sure of the groups or direction."),
    ] = None
    until_variance: Annotated[
        float | None,
        of_method("--until-variance", help="Goal for an F-score: its predicted variance."),
    ] = None


@dataclass(frozen=True)
class LabellerOptions:
    """Who labels, and how well."""

    labels_per_item: Annotated[
        int, of_method("--labels-per-item", min=1, help="Labels of so many labellers for an item.")
    ] = 1
    overlap: Annotated[float, of_method("--overlap", help="For this share of the items only; the others get one.")] = (
        1.0
    )
    consensus: Annotated[
        str, of_method("--consensus", help="What several labels come to: majority or dawid_skene.")
    ] = "majority"
    label_error: Annotated[
        float | None, of_method("--label-error", help="The share of labels that are wrong, where that is known.")
    ] = None
    skips: Annotated[
        str,
        of_method("--skips", help="What skipped items may be: worst (anything) or ignorable (like the others)."),
    ] = "worst"


@dataclass(frozen=True)
class PlaceOptions:
    """Which study, and how its answer is printed."""

    storage: StorageOption = None
    name: Annotated[
        str | None, typer.Option("--name", callback=whole_text, help="Which study, where a file holds several.")
    ] = None
    as_json: JsonOption = False


def taking(command: Callable[..., None]) -> Callable[..., None]:
    """A command in which each group of options is taken for the options in it."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        options = {name: hints[name]} if name not in groups else get_type_hints(groups[name], include_extras=True)
        defaults = {f.name: f.default for f in fields(groups[name])} if name in groups else {name: parameter.default}
        parameters += [
            Parameter(option, Parameter.KEYWORD_ONLY, default=defaults[option], annotation=annotation)
            for option, annotation in options.items()
        ]

    def run(**given: Any) -> None:
        made = {name: kind(**{f.name: given.pop(f.name) for f in fields(kind)}) for name, kind in groups.items()}
        command(**given, **made)

    run.__doc__ = command.__doc__
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # what typer reads
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
