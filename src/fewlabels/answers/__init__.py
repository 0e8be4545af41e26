"""Answers: numbers with their intervals, and what they say."""

from fewlabels.answers.answer import Answer, Comparison, Identification, Progress, Proof, borrowed_words, text_table
from fewlabels.answers.finding import (
    LEAST_LABELS,
    MOST_PRIOR,
    BinFinding,
    Finding,
    Holds,
    RankedFinding,
    interval_words,
    level_words,
    sure,
)
from fewlabels.answers.words import (
    Target,
    below_goal,
    beside_goal,
    count_of,
    describe_target,
    percent,
    percent_of_draws,
)

__all__ = [
    "LEAST_LABELS",
    "MOST_PRIOR",
    "Answer",
    "BinFinding",
    "Comparison",
    "Finding",
    "Holds",
    "Identification",
    "Progress",
    "Proof",
    "RankedFinding",
    "Target",
    "below_goal",
    "beside_goal",
    "borrowed_words",
    "count_of",
    "describe_target",
    "interval_words",
    "level_words",
    "percent",
    "percent_of_draws",
    "sure",
    "text_table",
]
