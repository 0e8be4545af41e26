"""All that defines a study, frozen and validated; the JSON round trip is exact."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from fewlabels.answers import Target
from fewlabels.core.priors import Prior, PriorName
from fewlabels.errors import QuestionError, StudyError
from fewlabels.estimators import F_ESTIMATORS, Averaged, FEstimator, estimator_by_name
from fewlabels.metrics import FCurve, FScore
from fewlabels.questions import Estimate, Identify, Question, question_from_json
from fewlabels.stopping import HalfWidth, Probability, Stopping, Variance, stopping_from_json, stopping_to_json
from fewlabels.strategies import FOR_F_SCORES, Acis, AnyStrategy, strategy_by_name

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
    strategy: str | Acis = "auto"
    estimator: str | Averaged = "auto"
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
        self._check_names()
        self._check_choices()
        self._check_numbers()
        self._check_goal()

    def _check_names(self) -> None:
        for given, made, example in ((self.strategy, Acis, "fl.Acis(…)"), (self.estimator, Averaged, "fl.Averaged(…)")):
            if not isinstance(given, str | made):
                raise QuestionError(f"a strategy or estimator is a name or {example}; got {given!r}.")
        if isinstance(self.strategy, str) and self.strategy != "auto":
            strategy_by_name(self.strategy)
        if isinstance(self.estimator, str) and self.estimator not in F_ESTIMATORS:
            estimator_by_name(self.estimator)
        if self.by_draws and not self.question.one_f_score:
            raise QuestionError(
                f"strategy {self.strategy_name!r} and estimator {self.estimator_name!r} are for the F-score of a whole "
                f"pool, such as fl.Estimate('f1', positive='…'), not for {self.question.describe()}; leave both out."
            )
        fixed = self.strategy_name in FOR_F_SCORES and self.f_estimator is None
        uneven = self.f_estimator is not None and self.strategy_name not in (*FOR_F_SCORES, "uniform")
        if fixed or uneven:
            raise QuestionError(
                f"strategy {self.strategy_name!r} does not go with estimator {self.estimator_name!r}; the estimators "
                f"{', '.join(F_ESTIMATORS)} go with {', '.join(FOR_F_SCORES)} and uniform, the others with the rest."
            )

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
            raise QuestionError(f"seed is a whole number from 0 to below 2**63; got {self.seed!r}.")

    def _check_goal(self) -> None:
        if self.until is None:
            return
        if not isinstance(self.until, HalfWidth | Probability | Variance):
            raise QuestionError(
                f"until is a goal such as fl.HalfWidth(0.05) or fl.Probability(0.95); got {self.until!r}."
            )
        if isinstance(self.until, Variance) and not self.by_draws:
            raise QuestionError(
                "until=fl.Variance is for F-scores estimated from draws; other questions stop at fl.HalfWidth."
            )
        if isinstance(self.until, Probability) and isinstance(self.question, Estimate):
            raise QuestionError("until=fl.Probability is for Identify and Compare; an Estimate stops at fl.HalfWidth.")

    @property
    def strategy_name(self) -> str:
        """What "auto" stands for: ACIS for an F-score of the whole pool, else the papers' Thompson sampling; to find
        one extreme group, its top-two form."""
        if isinstance(self.strategy, Acis):
            return self.strategy.name
        if self.strategy != "auto":
            return self.strategy
        if self.question.one_f_score and (self.estimator == "auto" or self._named_f_estimator is not None):
            return Acis.name
        return "top_two" if isinstance(self.question, Identify) and self.question.top == 1 else "thompson"

    @property
    def strategy_used(self) -> AnyStrategy:
        """The strategy itself."""
        return self.strategy if isinstance(self.strategy, Acis) else strategy_by_name(self.strategy_name)

    @property
    def estimator_name(self) -> str:
        return self.estimator if isinstance(self.estimator, str) else self.estimator.name

    @property
    def f_estimator(self) -> FEstimator | None:
        """What reads an F-score off draws; None where beliefs about cells are held instead."""
        if self.estimator == "auto" and self.strategy_name in FOR_F_SCORES:
            return Averaged() if self.strategy_name == Acis.name else F_ESTIMATORS["weighted"]()
        return self._named_f_estimator

    @property
    def _named_f_estimator(self) -> FEstimator | None:
        if isinstance(self.estimator, Averaged):
            return self.estimator
        return F_ESTIMATORS[self.estimator]() if self.estimator in F_ESTIMATORS else None

    @property
    def by_draws(self) -> bool:
        """Whether the question is answered from draws with known weights rather than from beliefs."""
        return self.f_estimator is not None or self.strategy_name in FOR_F_SCORES

    def answers_by_draws(self, question: Question) -> bool:
        """The same for another question asked of the study's labels: an F-score of the class they were drawn for."""
        own, other = self.question.metric, question.metric
        same = (
            isinstance(own, FScore | FCurve) and isinstance(other, FScore | FCurve) and own.positive == other.positive
        )
        return self.by_draws and question.one_f_score and same

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
            "strategy": _part_to_json(self.strategy),
            "estimator": _part_to_json(self.estimator),
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
        made = ("schema", "question", "strategy", "estimator", "until", "prior")
        fields = {k: v for k, v in data.items() if k not in made}
        strategy, estimator = data["strategy"], data["estimator"]
        if isinstance(strategy, Mapping):
            strategy = Acis(**{**_arguments(strategy), "mixing": tuple(strategy["mixing"])})
        return cls(
            question=question_from_json(data["question"]),
            strategy=strategy,
            estimator=Averaged(**_arguments(estimator)) if isinstance(estimator, Mapping) else estimator,
            until=stopping_from_json(data["until"]),
            prior=_prior_from_json(data["prior"]),
            **fields,
        )


def _part_to_json(part: str | Acis | Averaged) -> str | dict[str, Any]:
    return part if isinstance(part, str) else {"name": part.name, **part.to_json()}


def _arguments(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key != "name"}


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
