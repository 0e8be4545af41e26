"""All that defines a study, frozen and validated; the JSON round trip is exact."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from fewlabels.answers import Target
from fewlabels.core.priors import Prior, PriorName
from fewlabels.errors import QuestionError, StudyError
from fewlabels.estimators import estimator_by_name
from fewlabels.questions import Estimate, Identify, Question, question_from_json
from fewlabels.stopping import HalfWidth, Probability, Stopping, stopping_from_json, stopping_to_json
from fewlabels.strategies import strategy_by_name

SCHEMA_VERSION = 1


def check_level(level: float) -> None:
    """An interval's probability: a share, not a percentage."""
    if not isinstance(level, int | float) or not 0.5 <= level < 1:
        raise QuestionError(
            f"level is the probability an interval holds, from 0.5 to below 1 (0.95, say); got {level!r}."
        )


def _is_whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


@dataclass(frozen=True)
class StudySettings:
    """A question and how to answer it."""

    question: Question
    strategy: str = "auto"
    estimator: str = "auto"
    prior: PriorName | Prior = "scores"
    prior_strength: float | None = None
    target: Target = "pool"
    until: Stopping | None = None
    budget: int | None = None
    seed: int = 0
    level: float = 0.95
    model: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.question, Question):
            raise QuestionError(
                f"a question is fl.Estimate(…), fl.Identify(…) or fl.Compare(…); got {self.question!r}."
            )
        if self.strategy != "auto":
            strategy_by_name(self.strategy)
        estimator_by_name(self.estimator)
        self._check_choices()
        self._check_numbers()
        self._check_goal()

    def _check_choices(self) -> None:
        if not isinstance(self.prior, Prior) and self.prior not in get_args(PriorName):
            raise QuestionError(f"unknown prior {self.prior!r}; use {', '.join(get_args(PriorName))} or fl.Prior(…).")
        if self.target not in get_args(Target):
            raise QuestionError(f"target is 'pool' (these very items) or 'population'; got {self.target!r}.")
        if self.strategy == "top_two" and not (isinstance(self.question, Identify) and self.question.top == 1):
            raise QuestionError("strategy 'top_two' is for fl.Identify with top=1; use 'thompson' for other questions.")

    def _check_numbers(self) -> None:
        check_level(self.level)
        strength = self.prior_strength
        if strength is not None and not (isinstance(strength, int | float) and 0 < strength < math.inf):
            raise QuestionError(f"prior_strength is a positive number of pseudo-labels; got {strength!r}.")
        if self.budget is not None and not (_is_whole(self.budget) and self.budget >= 1):
            raise QuestionError(
                f"budget is a whole number of labels that can be paid for, at least 1; got {self.budget!r}."
            )
        if not _is_whole(self.seed) or not 0 <= self.seed < 2**63:
            raise QuestionError(f"seed is a whole number from 0 to 2⁶³−1; got {self.seed!r}.")

    def _check_goal(self) -> None:
        if self.until is None:
            return
        if not isinstance(self.until, HalfWidth | Probability):
            raise QuestionError(
                f"until is a goal such as fl.HalfWidth(0.05) or fl.Probability(0.95); got {self.until!r}."
            )
        if isinstance(self.until, Probability) and isinstance(self.question, Estimate):
            raise QuestionError("until=fl.Probability is for Identify and Compare; an Estimate stops at fl.HalfWidth.")

    @property
    def strategy_used(self) -> str:
        """What "auto" stands for: the papers' Thompson sampling; to find one extreme group, its top-two form."""
        if self.strategy != "auto":
            return self.strategy
        return "top_two" if isinstance(self.question, Identify) and self.question.top == 1 else "thompson"

    @property
    def plays(self) -> int:
        """Arms queried per draw of the belief."""
        return self.question.top if isinstance(self.question, Identify) else 1

    def to_json(self) -> dict[str, Any]:
        prior: Any = self.prior
        if isinstance(prior, Prior):
            prior = {
                "means": [[list(g), v] for g, v in prior.means],
                "default": prior.default,
                "strength": prior.strength,
            }
        return {
            "schema": SCHEMA_VERSION,
            "question": self.question.to_json(),
            "strategy": self.strategy,
            "estimator": self.estimator,
            "prior": prior,
            "prior_strength": self.prior_strength,
            "target": self.target,
            "until": stopping_to_json(self.until),
            "budget": self.budget,
            "seed": self.seed,
            "level": self.level,
            "model": self.model,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "StudySettings":
        if data["schema"] != SCHEMA_VERSION:
            raise StudyError(
                f"this study was written with settings of version {data['schema']}, and this fewlabels reads version "
                f"{SCHEMA_VERSION}; install the fewlabels that wrote it."
            )
        fields = {k: v for k, v in data.items() if k not in ("schema", "question", "until", "prior")}
        return cls(
            question=question_from_json(data["question"]),
            until=stopping_from_json(data["until"]),
            prior=_prior_from_json(data["prior"]),
            **fields,
        )


def _prior_from_json(data: Any) -> PriorName | Prior:
    if isinstance(data, str):
        name: PriorName = data  # type: ignore[assignment]  # checked by StudySettings
        return name
    prior = Prior(data["default"], data["strength"])
    object.__setattr__(prior, "means", tuple((tuple(g), v) for g, v in data["means"]))
    return prior


def default_question() -> Question:
    """What a study asks when nobody says otherwise."""
    return Estimate("accuracy", by="predicted_class")
