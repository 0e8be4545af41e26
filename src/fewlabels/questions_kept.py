"""Questions as settings keep them."""

from collections.abc import Mapping
from typing import Any, cast

from fewlabels.core.groups import grouping_from_json
from fewlabels.metrics import metric_from_json
from fewlabels.model_questions import BestModel, CompareModels
from fewlabels.questions import Above, Below, Compare, Estimate, Identify, Question

QUESTIONS: dict[str, Any] = {
    "estimate": Estimate,
    "identify": Identify,
    "compare": Compare,
    "below": Below,
    "above": Above,
    "compare_models": CompareModels,
    "best_model": BestModel,
}


def question_from_json(data: Mapping[str, Any]) -> Question:
    """The question that `to_json` wrote."""
    arguments = {k: v for k, v in data.items() if k not in ("kind", "metric", "by")}
    if data["kind"] == Identify.kind:
        arguments.setdefault("within", 0.0)  # 0.1 knew of no margin
        arguments.setdefault("proven", False)
    by, made = tuple(grouping_from_json(g) for g in data["by"]), QUESTIONS[data["kind"]]
    metric = metric_from_json(data["metric"])
    if metric.no_meaning(by) is not None:  # 0.1 let it be asked
        return cast(Question, made.kept(metric=metric, by=by, **arguments))
    return cast(Question, made(metric, by=by or None, **arguments))
