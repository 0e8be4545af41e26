"""From the options of a question to the question."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import fewlabels as fl
from fewlabels.cli.errors import WrongUse
from fewlabels.cli.options import GoalOptions, QuestionOptions
from fewlabels.metrics import F_SCORES, Metric, metric_by_name, needs_positive, read_metric
from fewlabels.questions import Question
from fewlabels.stopping import Stopping

_OPTIONS = (
    (("identify",), ("top", "which", "proven")),
    (("compare", "compare_models"), ("a", "b", "rope")),
    (("below", "above"), ("than", "control")),
    (("identify", "below", "above", "best_model"), ("within",)),
)
_KINDS = ("estimate", "identify", "compare", "below", "above", "compare_models", "best_model")
_BINNED = ("calibration_error", "reliability")  # metrics with score bins of their own


def read_question(asked: QuestionOptions, usual_positive: str | None = None) -> Question | None:
    """The question the options describe; None where none of them is given.

    Options that do not go with the question asked are refused rather than ignored. `usual_positive` is the class meant
    where the metric needs one and none is named.
    """
    of_kind = {kind: getattr(asked, kind) for kind in _KINDS}
    kinds = [kind for kind, metric in of_kind.items() if metric is not None]
    if len(kinds) > 1:
        raise WrongUse(f"ask one question: {' and '.join(map(_flag, kinds))} cannot be asked together.")
    if not kinds and not any(value not in (None, []) for value in vars(asked).values()):
        return None
    kind, named = (kinds[0], str(of_kind[kinds[0]])) if kinds else ("", "accuracy")
    _refuse_strays(kind, vars(asked))
    metric, groups = _metric(named, asked, usual_positive), _groups(asked)
    if kind == "identify":
        top, which = 1 if asked.top is None else asked.top, "worst" if asked.which is None else asked.which
        near = 0.01 if asked.within is None else asked.within
        return fl.Identify(metric, groups or "predicted_class", top, which, within=near, proven=bool(asked.proven))  # type: ignore[arg-type]
    if kind == "compare":
        if asked.a is None or asked.b is None:
            raise WrongUse("--compare needs two groups: --by sex --a F --b M, say.")
        one, other = (_group(name, len(asked.by or ())) for name in (asked.a, asked.b))
        return fl.Compare(metric, groups or "predicted_class", one, other, 0.05 if asked.rope is None else asked.rope)
    if kind == "compare_models":
        return fl.CompareModels(metric, asked.a, asked.b, 0.01 if asked.rope is None else asked.rope, groups)
    if kind == "best_model":
        return fl.BestModel(metric, within=0.01 if asked.within is None else asked.within, by=groups)
    if kind in ("below", "above"):
        if asked.than is None:
            raise WrongUse(f"--{kind} needs a threshold: --{kind} {named} --than 0.8, say.")
        more = {name: value for name in ("within", "control") if (value := getattr(asked, name)) is not None}
        return {"below": fl.Below, "above": fl.Above}[kind](metric, asked.than, groups or "predicted_class", **more)
    return fl.Estimate(metric, by=groups)


def _metric(name: str, asked: QuestionOptions, usual_positive: str | None) -> Metric:
    if "," in name:  # several figures at once
        return read_metric([_metric(part.strip(), asked, usual_positive) for part in name.split(",")], None)
    of_class = name == "f_score" or needs_positive(name)
    positive = asked.positive_class or (usual_positive if of_class else None)
    binned = asked.bins is not None or asked.bins_of is not None
    if binned and name in _BINNED:  # its own bins
        return replace(metric_by_name(name, positive), bins=_bins(asked))  # type: ignore[type-var]
    if binned and "score_bin" not in (asked.by or ()):
        option = "--bins" if asked.bins is not None else "--bins-of"
        raise WrongUse(f"{option} goes with --by score_bin, {' and '.join(_BINNED)}; leave it out here.")
    if asked.alpha is not None or asked.at_score is not None or name == "f_score":
        return _f_score(name, positive, asked.alpha, asked.at_score)
    return metric_by_name(name, positive)


def _f_score(name: str, positive: str | None, alpha: float | None, at_score: float | None) -> Metric:
    if name not in ("f_score", *F_SCORES) or (name != "f_score" and alpha is not None):
        raise WrongUse(
            "--alpha goes with f_score, and --at-score with f_score, f1, precision and recall; leave it out here."
        )
    if positive is None:
        raise WrongUse(f"{name} needs to know which class is positive; pass --positive-class.")
    return fl.FScore(F_SCORES.get(name, 0.5 if alpha is None else alpha), positive, at_score)


def read_goal(goal: GoalOptions) -> Stopping | None:
    """The goal the --until options describe."""
    made: dict[str, Callable[[float], Stopping]] = {
        "until_half_width": fl.HalfWidth,
        "until_overall": lambda width: fl.HalfWidth(width, of="overall"),
        "until_probability": fl.Probability,
        "until_variance": fl.Variance,
    }
    goals = [made[name](value) for name, value in vars(goal).items() if value is not None]
    if len(goals) > 1:
        raise WrongUse("set one goal: --until-half-width, --until-overall, --until-probability or --until-variance.")
    return goals[0] if goals else None


def _refuse_strays(kind: str, given: Mapping[str, Any]) -> None:
    """Options of another question than the one asked; without any, accuracy is estimated."""
    for owners, names in _OPTIONS:
        for name in names:
            if given[name] is None or kind in owners:
                continue
            if kind:
                raise WrongUse(f"--{name} does not go with {_flag(kind)}; leave it out.")
            owner = owners[0]
            raise WrongUse(f"--{name} goes with --{owner}; say of what, such as --{owner} accuracy, or leave it out.")


def _flag(kind: str) -> str:
    """The option that asks a question of this kind."""
    return f"--{kind.replace('_', '-')}"


def _groups(asked: QuestionOptions) -> Any:
    groups = tuple(_bins(asked) if g == "score_bin" else g for g in asked.by or ())
    return groups[0] if len(groups) == 1 else groups or None


def _bins(asked: QuestionOptions) -> fl.ScoreBins:
    count = 10 if asked.bins is None else asked.bins
    return fl.ScoreBins(count, asked.bins_of or "width")  # type: ignore[arg-type]  # checked by ScoreBins


def _group(name: str, groupings: int) -> Any:
    """A group made by several groupings is written with commas: --by sex --by region --a F,north."""
    parts = tuple(part.strip() for part in name.split(","))
    return parts if groupings > 1 and len(parts) == groupings else name
