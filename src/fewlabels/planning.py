"""How many labels will it take? Asked before the first one."""

from dataclasses import dataclass
from typing import Any

from fewlabels.answers import LabelsLeft
from fewlabels.errors import QuestionError
from fewlabels.pool import Pool
from fewlabels.questions import DEFAULT, Question
from fewlabels.stopping import Stopping
from fewlabels.study.creation import create_study


@dataclass(frozen=True)
class Plan:
    """Labels that a goal is likely to take: in a study as it would be run, and by a uniform sample."""

    question: str
    goal: str
    labels: LabelsLeft
    uniform: LabelsLeft
    items: int
    strategy: str

    def __str__(self) -> str:
        return (
            f"{self.question[:1].upper()}{self.question[1:]}, until {self.goal}: about {_in_words(self.labels)} of "
            f"{self.items:,}. A uniform sample would take about {_in_words(self.uniform)}.\n"
            "Ranges hold four studies of five, as far as scores tell before any label; a study with 50 labels says it "
            "better (its progress)."
        )


def _in_words(span: LabelsLeft) -> str:
    return f"{span.likely:,} labels ({span.low:,} to {span.high:,})"


def plan(pool: Pool, question: Question = DEFAULT, *, until: Stopping, **settings: Any) -> Plan:
    """How many labels a study of the pool is likely to take until it reaches the goal; `settings` are those of
    `create_study`.

    The scores say what groups may turn out to be, with all that they may hide; how many labels that takes is averaged
    over it. A study's `progress` says the same once there are labels, and better.
    """
    study = create_study(pool, question, until=until, **settings)
    answer = study.answer()
    if (needed := until.needs(answer)) is None:
        raise QuestionError(
            f"nobody can plan {study.settings.question.describe()} until {until.describe()}: plans are for accuracy, "
            "by the default estimator; label some 50 items, and the study's progress forecasts the rest."
        )
    items = int(sum(answer.outlook.size)) if answer.outlook is not None else len(pool)
    chosen, uniform = (LabelsLeft.of(labels, items, needed.wider) for labels in (needed.chosen, needed.uniform))
    return Plan(answer.question, until.describe(), chosen, uniform, items, answer.strategy)
