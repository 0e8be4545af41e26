"""Questions and goals, from what clients send."""

from typing import Any

import fewlabels as fl
from fewlabels.errors import QuestionError
from fewlabels.questions import Question
from fewlabels.service.bodies import Asking, Goal
from fewlabels.stopping import Stopping

_TAKES: dict[str, tuple[str, ...]] = {  # beside metric, groups and class
    "estimate": (),
    "identify": ("top", "which", "within", "proven"),
    "compare": ("a", "b", "rope"),
    "below": ("threshold", "within"),
    "above": ("threshold", "within"),
}
_NEEDS = {"compare": ("a", "b"), "below": ("threshold",), "above": ("threshold",)}


def question_of(asking: Asking) -> Question:
    """The question; what does not go with its kind is refused rather than ignored."""
    kind = asking.kind
    more = asking.model_dump(exclude={"kind", "metric", "by", "positive"}, exclude_none=True)
    if strays := [name for name in more if name not in _TAKES[kind]]:
        raise QuestionError(f"{', '.join(strays)} does not go with the question {kind!r}; leave it out.")
    if missing := [name for name in _NEEDS.get(kind, ()) if name not in more]:
        raise QuestionError(f"the question {kind!r} needs {', '.join(missing)}.")
    by: Any = asking.by[0] if asking.by is not None and len(asking.by) == 1 else tuple(asking.by or ()) or None
    if by is None and kind != "estimate":
        by = "predicted_class"
    of: Any = asking.metric
    made: Any = {"estimate": fl.Estimate, "identify": fl.Identify, "compare": fl.Compare, "below": fl.Below,
                 "above": fl.Above}[kind]  # fmt: skip
    question: Question = made(of, by=by, positive=asking.positive, **more)
    return question


def goal_of(goal: Goal | None) -> Stopping | None:
    """The goal, where there is one."""
    if goal is None:
        return None
    given = goal.model_dump(exclude={"of"}, exclude_none=True)
    if len(given) != 1:
        raise QuestionError("set one goal: half_width, probability or variance.")
    if goal.half_width is not None:
        return fl.HalfWidth(goal.half_width, of=goal.of)
    return fl.Probability(goal.probability) if goal.probability is not None else fl.Variance(float(goal.variance or 0))
