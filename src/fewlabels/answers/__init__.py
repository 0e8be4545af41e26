"""Answers: numbers with their intervals, and what they say."""

from fewlabels.answers.answer import Answer, Certified, Comparison, Identification, Progress, borrowed_words, text_table
from fewlabels.answers.finding import LEAST_LABELS, MOST_PRIOR, BinFinding, Finding, RankedFinding, level_words, sure
from fewlabels.answers.words import (
    Target,
    below_goal,
    beside_goal,
    count_of,
    describe_target,
    few_of,
    margin_words,
    percent,
    percent_of_draws,
)

__all__ = [
    "LEAST_LABELS",
    "MOST_PRIOR",
    "Answer",
    "BinFinding",
    "Certified",
    "Comparison",
    "Finding",
    "Identification",
    "Progress",
    "RankedFinding",
    "Target",
    "below_goal",
    "beside_goal",
    "borrowed_words",
    "count_of",
    "describe_target",
    "few_of",
    "level_words",
    "margin_words",
    "percent",
    "percent_of_draws",
    "sure",
    "text_table",
]
