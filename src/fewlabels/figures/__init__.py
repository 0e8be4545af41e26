"""Figures of a study: each one a module, a name and a line in FIGURES."""

from pathlib import Path

from fewlabels.answers import BinFinding, Comparison
from fewlabels.errors import QuestionError
from fewlabels.figures.accuracy_calibration import accuracy_calibration
from fewlabels.figures.by_class import calibration_bias, cost
from fewlabels.figures.by_labels import POINTS, by_labels
from fewlabels.figures.calibration_error import calibration_error
from fewlabels.figures.confusion import confusion
from fewlabels.figures.difference import difference
from fewlabels.figures.f_rounds import f_rounds
from fewlabels.figures.figure import NARROW, WIDE, Figure, Number, Table
from fewlabels.figures.groups import groups
from fewlabels.figures.kinds import Kind
from fewlabels.figures.labels import labels_by_group, labels_over_time
from fewlabels.figures.models import models
from fewlabels.figures.ranks import ranks
from fewlabels.figures.reliability import reliability
from fewlabels.figures.thresholds import f_threshold, precision_recall
from fewlabels.pool.pool import ONE_MODEL
from fewlabels.study import Study
from fewlabels.study.look import Look, look

__all__ = ["FIGURES", "NARROW", "WIDE", "Figure", "Kind", "Number", "Table", "plot"]


def _of_groups(seen: Look) -> bool:
    """Whether there are rows to be set below one another; pairs, curves and models have pictures of their own."""
    rows, asked = seen.answer.findings, seen.question
    own = isinstance(seen.answer, Comparison) or asked.metric.pairs or asked.of_models
    return len(rows) > 1 and not own and not isinstance(rows[0], BinFinding)


def _by_groups(seen: Look) -> bool:
    return _of_groups(seen) and seen.question.metric.one_a_group and bool(seen.question.groups)


def _of_scores(seen: Look) -> bool:
    """Whether the question is about how often predictions are right, all of them: what scores speak of."""
    asked = seen.question
    return asked.metric.of_correctness and not isinstance(seen.answer, Comparison) and not asked.of_models


def _of_one_class(seen: Look) -> bool:
    return seen.assessment.estimator.reads_draws and not seen.question.of_models


def _of_classes(seen: Look) -> bool:
    return _of_scores(seen) and _by_groups(seen)


def _followed(seen: Look) -> bool:
    """Whether one figure can be followed without a search for groups at each look."""
    several = isinstance(seen.answer, Comparison)
    return several or (seen.question.kind == "estimate" and seen.answer.overall is not None)


def _several_models(seen: Look) -> bool:
    return seen.question.of_models or seen.record.pool["model"] != ONE_MODEL


FIGURES: dict[str, Kind] = {
    "groups": Kind(groups, "each group with its interval, in order", _of_groups),
    "difference": Kind(
        difference, "two groups, and their difference against what matters",
        lambda seen: seen.question.kind == "compare", readings=1,
    ),
    "confusion": Kind(confusion, "what is taken for what", lambda seen: seen.question.metric.pairs),
    "cost": Kind(
        cost, "what the predictions of each class cost",
        lambda seen: seen.question.metric.shown_as == "number" and not seen.question.by, readings=1,
    ),
    "ranks": Kind(
        ranks, "between which ranks groups lie, and which may be worst or best",
        lambda seen: seen.question.kind == "identify", readings=2,
    ),
    "by_labels": Kind(by_labels, "estimate and interval as the labels came in", _followed, readings=POINTS),
    "f_rounds": Kind(f_rounds, "how an F-score was found, round by round", _of_one_class),
    "f_threshold": Kind(f_threshold, "F1 at other thresholds", _of_one_class, readings=1),
    "precision_recall": Kind(
        precision_recall, "precision and recall as thresholds move", _of_one_class, readings=2
    ),
    "reliability": Kind(reliability, "accuracy at each score, and the gap", _of_scores, readings=1),
    "accuracy_calibration": Kind(
        accuracy_calibration, "accuracy and calibration error of each group", _of_classes, readings=2
    ),
    "calibration_error": Kind(
        calibration_error, "how likely each calibration error is", _of_scores, readings=1
    ),
    "calibration_bias": Kind(
        calibration_bias, "by how much the scores of each group are too high", _of_classes, readings=1
    ),
    "models": Kind(models, "model against model, from the same labels", _several_models, readings=2),
    "labels_by_group": Kind(labels_by_group, "where the labels went", _by_groups),
    "labels_over_time": Kind(labels_over_time, "where the labels went, one after another", _by_groups),
}  # fmt: skip


def plot(study: Study, name: str = "groups", path: str | Path | None = None) -> Figure:
    """A figure of the study, written to `path` where one is given (.svg, or .png with the extra `plots`).

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"))
    >>> fl.plot(study, "groups")
    <Figure groups: Accuracy by predicted class>
    """
    if name not in FIGURES:
        raise QuestionError(f"no figure {name!r}; there are {', '.join(FIGURES)}.")
    figure = FIGURES[name].make(look(study))
    if path is not None:
        figure.save(path)
    return figure
