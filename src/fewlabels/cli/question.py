"""From the options of a question to the question."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import fewlabels as fl
from fewlabels.cli.errors import WrongUse
from fewlabels.metrics import F_SCORES, Metric, metric_by_name, needs_positive
from fewlabels.questions import Question
from fewlabels.stopping import Stopping

_BINNED = ("calibration_error", "reliability")  # metrics with score bins of their own


def read_question(
    estimate: str | None = None,
    identify: str | None = None,
    compare: str | None = None,
    by: Sequence[str] | None = None,
    *,
    top: int | None = None,
    which: str | None = None,
    a: str | None = None,
    b: str | None = None,
    rope: float | None = None,
    positive_class: str | None = None,
    bins: int | None = None,
    bins_of: str | None = None,
    alpha: float | None = None,
    at_score: float | None = None,
    usual_positive: str | None = None,
) -> Question | None:
    """The question the options describe; None where none of them is given.

    Options that do not go with the question asked are refused rather than ignored. `usual_positive` is the class meant
    where the metric needs one and none is named.
    """
    asked = {"estimate": estimate, "identify": identify, "compare": compare}
    kinds = [kind for kind, metric in asked.items() if metric is not None]
    given = {"top": top, "which": which, "a": a, "b": b, "rope": rope}
    if len(kinds) > 1:
        raise WrongUse(f"ask one question: --{' and --'.join(kinds)} cannot be asked together.")
    said = [v for v in (*given.values(), by or None, positive_class, bins, bins_of, alpha, at_score) if v is not None]
    if not kinds and not said:
        return None
    kind, named = (kinds[0], str(asked[kinds[0]])) if kinds else ("", "accuracy")
    _refuse_strays(kind, given)
    groups = _groups(by, bins, bins_of)
    positive = positive_class or (usual_positive if named == "f_score" or needs_positive(named) else None)
    if named in _BINNED and (bins is not None or bins_of is not None):
        metric = _binned(named, positive, bins, bins_of)
    else:
        _refuse_bins(bins, bins_of, binned="score_bin" in (by or ()))
        of_f = alpha is not None or at_score is not None or named == "f_score"
        metric = _f_score(named, positive, alpha, at_score) if of_f else metric_by_name(named, positive)
    if kind == "identify":
        more: dict[str, Any] = {"top": 1 if top is None else top, "which": "worst" if which is None else which}
        return fl.Identify(metric, by=groups or "predicted_class", **more)
    if kind == "compare":
        if a is None or b is None:
            raise WrongUse("--compare needs two groups: --by sex --a F --b M, say.")
        one, other = (_group(name, len(by or ())) for name in (a, b))
        return fl.Compare(metric, groups or "predicted_class", one, other, 0.05 if rope is None else rope)
    return fl.Estimate(metric, by=groups)


def _f_score(name: str, positive: str | None, alpha: float | None, at_score: float | None) -> Metric:
    if name not in ("f_score", *F_SCORES) or (name != "f_score" and alpha is not None):
        raise WrongUse(
            "--alpha goes with f_score, and --at-score with f_score, f1, precision and recall; leave it out here."
        )
    if positive is None:
        raise WrongUse(f"{name} needs to know which class is positive; pass --positive-class.")
    return fl.FScore(F_SCORES.get(name, 0.5 if alpha is None else alpha), positive, at_score)


def read_goal(
    half_width: float | None, overall: float | None, probability: float | None, variance: float | None = None
) -> Stopping | None:
    """The goal the --until options describe."""
    goals: list[Stopping] = []
    if half_width is not None:
        goals.append(fl.HalfWidth(half_width))
    if overall is not None:
        goals.append(fl.HalfWidth(overall, of="overall"))
    if probability is not None:
        goals.append(fl.Probability(probability))
    if variance is not None:
        goals.append(fl.Variance(variance))
    if len(goals) > 1:
        raise WrongUse("set one goal: --until-half-width, --until-overall, --until-probability or --until-variance.")
    return goals[0] if goals else None


def _refuse_strays(kind: str, given: dict[str, Any]) -> None:
    """Options of another question than the one asked; without any, accuracy is estimated."""
    for owner, names in (("identify", ("top", "which")), ("compare", ("a", "b", "rope"))):
        for name in names:
            if given[name] is None or kind == owner:
                continue
            if kind:
                raise WrongUse(f"--{name} does not go with --{kind}; leave it out.")
            raise WrongUse(f"--{name} goes with --{owner}; say of what, such as --{owner} accuracy, or leave it out.")


def _groups(by: Sequence[str] | None, bins: int | None, bins_of: str | None) -> Any:
    groups = tuple(_bins(bins, bins_of) if g == "score_bin" else g for g in by or ())
    return groups[0] if len(groups) == 1 else groups or None


def _bins(bins: int | None, bins_of: str | None) -> fl.ScoreBins:
    return fl.ScoreBins(10 if bins is None else bins, bins_of or "width")  # type: ignore[arg-type]  # checked by ScoreBins


def _binned(name: str, positive: str | None, bins: int | None, bins_of: str | None) -> Metric:
    """A metric with score bins of its own."""
    made = metric_by_name(name, positive)
    return replace(made, bins=_bins(bins, bins_of))  # type: ignore[type-var]  # metrics are dataclasses


def _refuse_bins(bins: int | None, bins_of: str | None, *, binned: bool) -> None:
    if not binned and (bins is not None or bins_of is not None):
        option = "--bins" if bins is not None else "--bins-of"
        raise WrongUse(f"{option} goes with --by score_bin, {' and '.join(_BINNED)}; leave it out here.")


def _group(name: str, groupings: int) -> Any:
    """A group made by several groupings is written with commas: --by sex --by region --a F,north."""
    parts = tuple(part.strip() for part in name.split(","))
    return parts if groupings > 1 and len(parts) == groupings else name
