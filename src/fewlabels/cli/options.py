"""The options commands share, each written once."""

from typing import Annotated

import typer

from fewlabels.cli.errors import WrongUse


def whole_text(text: str | None) -> str | None:
    """The text of an option that is kept in a study; bytes that are no text in UTF-8 cannot be."""
    if text is not None and any("\ud800" <= character <= "\udfff" for character in text):
        raise WrongUse(f"{text!r} is not text in UTF-8, and a study keeps only text; write it in other letters.")
    return text


StudyArgument = Annotated[
    str, typer.Argument(metavar="STUDY", help="A study's file (march.db), or its name with --storage.")
]
StorageOption = Annotated[
    str | None,
    typer.Option(
        "--storage", envvar="FEWLABELS_STORAGE", metavar="URL", help="Where studies are kept: sqlite:///studies.db"
    ),
]
NameOption = Annotated[
    str | None, typer.Option("--name", callback=whole_text, help="Which study, where a file holds several.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")]
ByOption = Annotated[str | None, typer.Option("--by", callback=whole_text, help="Who says so.")]
CheckOption = Annotated[bool, typer.Option("--check", help="Exit with 1 while the study's goal is not reached.")]

_QUESTION, _FILE, _METHOD = "The question", "The file", "How to answer"

EstimateOption = Annotated[
    str | None,
    typer.Option(
        "--estimate", metavar="METRIC", rich_help_panel=_QUESTION, help="How good is it: accuracy, calibration_error, …"
    ),
]
IdentifyOption = Annotated[
    str | None,
    typer.Option("--identify", metavar="METRIC", rich_help_panel=_QUESTION, help="Which groups are worst (or best)."),
]
CompareOption = Annotated[
    str | None,
    typer.Option("--compare", metavar="METRIC", rich_help_panel=_QUESTION, help="Is group --a different from --b."),
]
GroupsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="GROUPS",
        rich_help_panel=_QUESTION,
        help="predicted_class, true_class, score_bin or a column; repeat to cross several.",
    ),
]
TopOption = Annotated[
    int | None, typer.Option("--top", rich_help_panel=_QUESTION, help="How many groups to identify; 1 by default.")
]
WhichOption = Annotated[
    str | None, typer.Option("--which", rich_help_panel=_QUESTION, help="worst (default), best, highest or lowest.")
]
AOption = Annotated[str | None, typer.Option("--a", rich_help_panel=_QUESTION, help="One group to compare.")]
BOption = Annotated[str | None, typer.Option("--b", rich_help_panel=_QUESTION, help="The other group.")]
RopeOption = Annotated[
    float | None,
    typer.Option("--rope", rich_help_panel=_QUESTION, help="The largest difference of no importance; 0.05 by default."),
]
PositiveClassOption = Annotated[
    str | None,
    typer.Option("--positive-class", rich_help_panel=_QUESTION, help="The class f1, precision, recall, … are about."),
]
AlphaOption = Annotated[
    float | None,
    typer.Option("--alpha", rich_help_panel=_QUESTION, help="Of an f_score: 0 recall, 0.5 F1, 1 precision."),
]
AtScoreOption = Annotated[
    float | None,
    typer.Option("--at-score", rich_help_panel=_QUESTION, help="Take that class for predicted from this score on."),
]
BinsOption = Annotated[
    int | None, typer.Option("--bins", rich_help_panel=_QUESTION, help="How many score bins; 10 by default.")
]
BinsOfOption = Annotated[
    str | None, typer.Option("--bins-of", rich_help_panel=_QUESTION, help="Bins of equal width (default) or mass.")
]

ItemsOption = Annotated[
    str | None,
    typer.Option("--items", metavar="FILE", rich_help_panel=_FILE, help="Texts and attributes, joined by id."),
]
ClassesOption = Annotated[
    str | None,
    typer.Option("--classes", metavar="FILE", rich_help_panel=_FILE, help="Class names: one a line, or a JSON list."),
]
IdOption = Annotated[str | None, typer.Option("--id", metavar="COLUMN", rich_help_panel=_FILE, help="The items' ids.")]
TextOption = Annotated[
    str | None, typer.Option("--text", metavar="COLUMN", rich_help_panel=_FILE, help="What a labeller reads.")
]
LabelOption = Annotated[
    str | None, typer.Option("--label", metavar="COLUMN", rich_help_panel=_FILE, help="True classes, where known.")
]
PredictedOption = Annotated[
    str | None, typer.Option("--predicted", metavar="COLUMN", rich_help_panel=_FILE, help="The predicted class.")
]
ScoreOption = Annotated[
    str | None, typer.Option("--score", metavar="COLUMN", rich_help_panel=_FILE, help="Its score, 0 to 1.")
]
PositiveScoreOption = Annotated[
    str | None,
    typer.Option("--positive-score", metavar="COLUMN", rich_help_panel=_FILE, help="The score of one positive class."),
]
PositiveOption = Annotated[
    str | None, typer.Option("--positive", metavar="CLASS", rich_help_panel=_FILE, help="That class's name.")
]
ThresholdOption = Annotated[
    float | None,
    typer.Option("--threshold", rich_help_panel=_FILE, help="Predicted positive from this score on; 0.5 by default."),
]
OtherLabelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--other-label", metavar="CLASS", rich_help_panel=_FILE, help="A true class no model predicts; repeat."
    ),
]
IndependentOption = Annotated[
    bool,
    typer.Option("--independent", rich_help_panel=_FILE, help="Probabilities are sigmoids: rows need not sum to 1."),
]
ModelOption = Annotated[
    str | None, typer.Option("--model", rich_help_panel=_METHOD, help="Which model, where there are several.")
]
LevelOption = Annotated[
    float | None, typer.Option("--level", rich_help_panel=_METHOD, help="What intervals promise; 0.95 by default.")
]
StrategyOption = Annotated[
    str, typer.Option("--strategy", rich_help_panel=_METHOD, help="How items are chosen: auto, thompson, uniform, …")
]
EstimatorOption = Annotated[
    str, typer.Option("--estimator", rich_help_panel=_METHOD, help="auto, beta, frequency, acis, …")
]
PriorOption = Annotated[
    str, typer.Option("--prior", rich_help_panel=_METHOD, help="What is believed beforehand: scores, flat or diagonal.")
]
PriorStrengthOption = Annotated[
    float | None, typer.Option("--prior-strength", rich_help_panel=_METHOD, help="How many labels the prior is worth.")
]
TargetOption = Annotated[
    str, typer.Option("--target", rich_help_panel=_METHOD, help="pool (these very items) or population.")
]
HalfWidthOption = Annotated[
    float | None,
    typer.Option("--until-half-width", rich_help_panel=_METHOD, help="Goal: every interval at most ± this."),
]
OverallOption = Annotated[
    float | None,
    typer.Option("--until-overall", rich_help_panel=_METHOD, help="Goal: the overall interval at most ± this."),
]
ProbabilityOption = Annotated[
    float | None,
    typer.Option("--until-probability", rich_help_panel=_METHOD, help="Goal: this sure of the groups or direction."),
]
VarianceOption = Annotated[
    float | None,
    typer.Option("--until-variance", rich_help_panel=_METHOD, help="Goal for an F-score: its predicted variance."),
]
BudgetOption = Annotated[
    int | None, typer.Option("--budget", rich_help_panel=_METHOD, help="The most labels that will be asked for.")
]
SeedOption = Annotated[int, typer.Option("--seed", rich_help_panel=_METHOD, help="Repeat the same choices.")]
