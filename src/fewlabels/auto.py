"""What "auto" stands for: from the question to how items are chosen and labels read. docs/leaderboard.md says why."""

from typing import NamedTuple

from fewlabels.questions import Question


class Choice(NamedTuple):
    """The names of a strategy and of an estimator."""

    strategy: str
    estimator: str


WEIGHED = Choice("acis", "acis")  # an F-score of a rare class: draws by importance, each read with its weight
LEARNT = Choice("gain", "hierarchical")  # means of correctness: all labels tell how far off the scores are
SETTLED = Choice("settle", "stratified")  # groups to be found by their accuracy: scores stratify and do not vouch
ONE_GROUP = Choice("top_two", "cautious")  # the papers' methods, intervals with caution
PAPERS = Choice("thompson", "cautious")


def auto(question: Question, *, own_prior: bool) -> Choice:
    """The choice for a question; `own_prior` where somebody says what to believe beforehand, and how firmly."""
    if question.certifiable and not own_prior:
        return SETTLED
    learnt = question.measured.of_correctness and not question.weighable and not own_prior
    return LEARNT if learnt else before_0_2(question)


def before_0_2(question: Question) -> Choice:
    """The choice of fewlabels 0.1."""
    return WEIGHED if question.weighable else ONE_GROUP if question.one_winner else PAPERS
