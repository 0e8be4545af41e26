"""What "auto" stands for: from the question to how items are chosen and labels read. docs/leaderboard.md says why."""

from typing import NamedTuple

import numpy as np

from fewlabels.core.cells import Cells
from fewlabels.core.groups import ScoreStrata
from fewlabels.questions import Against, Compare, Estimate, Question
from fewlabels.stopping import Stopping
from fewlabels.strategies import Gain, Strategy


class Choice(NamedTuple):
    """A strategy, by its name where it is as usual, and the name of an estimator."""

    strategy: str | Strategy
    estimator: str


# An F-score of a rare class: draws where labels are in doubt, read as corrections of calibrated scores.
WEIGHED = Choice("doubt", "difference")
# The same where a model only says yes or no, or gives marks from one to five: each score is a cell of its own.
FEW_SCORES = Choice("thompson", "levels")
MARKS, ITEMS_A_MARK = 5, 10  # as many different scores at most, and items that share one of them at least
IMPORTANCE = Choice("acis", "acis")  # the same before 0.2: draws by importance, each read with its weight
# Means of correctness, and what is made of all classes together: all labels tell how far off the scores are.
LEARNT = Choice("gain", "hierarchical")
# Two groups: a difference is shown by the draws themselves, not by the model, and the best chances of draws that are
# weighed by them are as the roots of what a label takes off the variance. Two draws of five are uniform as it is.
COMPARED = Choice(Gain(power=0.5, uniform=0.4, errors=0.0), "hierarchical")
# Intervals to be short in every group, and to hold when labelling stops at that: by each group's own labels.
EACH_GROUP = Choice("widest", "hierarchical")
# On which side of a threshold each group lies.
THRESHOLD = Choice("nearest", "hierarchical")
SETTLED = Choice("settle", "stratified")  # groups to be found by their accuracy: scores stratify and do not vouch
MODELS = Choice("influence", "paired")  # models set against one another: only where they differ is there something
SCORES_OF_MODELS = Choice("contrast", "contrast")  # the same by F-scores: where labels in doubt tell them apart
CALIBRATIONS = Choice("uniform", "each_model")  # the same by calibration errors: every item tells of a gap
ONE_GROUP = Choice("top_two", "cautious")  # the papers' methods, intervals with caution
PAPERS = Choice("thompson", "cautious")


def auto(question: Question, until: Stopping | None = None, *, own_prior: bool = False) -> Choice:
    """The choice for a question and a goal; `own_prior` where somebody says what to believe beforehand, and how
    firmly."""
    if question.of_models:
        return CALIBRATIONS if question.in_bins else SCORES_OF_MODELS if question.weighable else MODELS
    if question.certifiable and not own_prior:
        return SETTLED
    if question.weighable:
        return WEIGHED
    if own_prior or not (question.measured.of_correctness or _of_all_classes(question)):
        return before_0_2(question)
    if isinstance(question, Against):
        return THRESHOLD
    if isinstance(question, Compare):
        return COMPARED
    every_group = until is not None and until.every_group and isinstance(question, Estimate) and question.groups
    return EACH_GROUP if every_group and question.metric.scale is not None else LEARNT


def _of_all_classes(question: Question) -> bool:
    """Whether figures are estimated, one of a pool, a group or a true class, which are made of what classes are taken
    for."""
    about = question.measured
    return isinstance(question, Estimate) and about.one_a_group and about.of_class is None


def before_0_2(question: Question) -> Choice:
    """The choice of fewlabels 0.1."""
    weighed = question.weighable and question.metric.weighed_first
    return IMPORTANCE if weighed else ONE_GROUP if question.one_winner else PAPERS


def gives_few_scores(cells: Cells) -> bool:
    """Whether the model says of a class no more than yes or no, or gives few marks, each to many items. (Equal scores
    are in one stratum, and the highest of those that are not in strata of their own.)"""
    strata = max(i for i, grouping in enumerate(cells.axes) if isinstance(grouping, ScoreStrata))
    marks = len(np.unique(cells.coordinates[cells.size > 0, strata]))
    return 1 < marks <= MARKS and int(cells.size.sum()) >= ITEMS_A_MARK * marks
