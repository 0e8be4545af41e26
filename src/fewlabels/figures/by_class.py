"""Further figures of each class: what its mistakes cost, and by how much its scores are too high."""

from fewlabels.errors import QuestionError
from fewlabels.figures.figure import Figure
from fewlabels.figures.groups import of_answer
from fewlabels.questions import Estimate
from fewlabels.study.look import Look


def cost(look: Look) -> Figure:
    """What the predictions of each class are expected to cost."""
    metric = look.question.metric
    if metric.shown_as != "number":
        raise QuestionError("this study asks for no cost; fl.Estimate(fl.Cost(matrix), by='predicted_class') does.")
    question = Estimate(metric, by=look.question.groups or "predicted_class")
    return of_answer("cost", question, look.answer if question == look.question else look.other(question))


def calibration_bias(look: Look) -> Figure:
    """By how much the scores of each class are too high, or too low (workshop version of [Ji21], Fig. 1)."""
    if look.evidence.count == 0:
        raise QuestionError("no labels yet: nothing can be held against the scores.")
    question = Estimate("calibration_bias", by=look.question.groups or "predicted_class")
    return of_answer("calibration_bias", question, look.other(question))
