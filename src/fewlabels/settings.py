"""All that defines a study, frozen and validated; the JSON round trip is exact."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, cast, get_args

from fewlabels.answers import Target
from fewlabels.auto import PAPERS, WEIGHED, Choice, auto, before_0_2
from fewlabels.core.priors import Prior, PriorName
from fewlabels.errors import QuestionError, StudyError
from fewlabels.estimators import ESTIMATORS, Cautious, Estimator, FEstimator, names, read_estimator
from fewlabels.parts import part_from_json, part_to_json
from fewlabels.questions import Against, Question
from fewlabels.questions_kept import question_from_json
from fewlabels.settling import USUAL_GOAL
from fewlabels.stopping import STOPPING, Stopping, read_stopping
from fewlabels.strategies import STRATEGIES, Gain, Settle, Strategy, read_strategy

SCHEMA_VERSION = 1
Consensus: TypeAlias = Literal["majority", "dawid_skene"]  # of several labels of an item
Skipping: TypeAlias = Literal["worst", "ignorable"]  # what skipped items may be: anything, or like the others


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
    strategy: str | Strategy = "auto"
    estimator: str | Estimator = "auto"
    prior: PriorName | Prior = "scores"
    prior_strength: float | None = None
    target: Target = "pool"
    until: Stopping | None = None
    budget: int | None = None
    seed: int = 0
    level: float = 0.95
    model: str | None = None
    labels_per_item: int = 1
    overlap: float = 1.0  # the share of items that get as many labels; the others get one
    consensus: Consensus = "majority"
    label_error: float | None = None  # how often a label is wrong, where that is known
    skips: Skipping = "worst"

    def __post_init__(self) -> None:
        if not isinstance(self.question, Question):
            raise QuestionError(
                f"a question is fl.Estimate(…), fl.Identify(…) or fl.Compare(…); got {self.question!r}."
            )
        if self.until is not None:
            read_stopping(self.until)
        self._check_parts()
        self._check_choices()
        self._check_numbers()

    def _check_parts(self) -> None:
        strategy, estimator, question = self.strategy_used, self.estimator_used, self.question
        self._check_models()
        if (estimator.reads_draws or not strategy.by_cells) and not question.weighable:
            who = [] if strategy.by_cells else [f"strategy {strategy.name!r}"]
            who += [f"estimator {estimator.name!r}"] if self.estimator != "auto" and estimator.reads_draws else []
            are, them = ("are", "both") if len(who) > 1 else ("is", "it")
            raise QuestionError(
                f"{' and '.join(who)} {are} for the F-score of a whole pool, such as fl.Estimate('f1', positive='…'), "
                f"not for {question.describe()}; leave {them} out."
            )
        if not (strategy.by_draws if estimator.reads_draws else strategy.by_cells):
            only = [name for name, made in STRATEGIES.items() if not made.by_cells and made.for_models != "only"]
            given = "auto" if self.estimator == "auto" else estimator.name
            raise QuestionError(
                f"strategy {strategy.name!r} does not go with estimator {given!r}; the estimators "
                f"{', '.join(names(draws=True))} go with {', '.join(only)} and uniform, the others with the rest."
            )
        if strategy.by_gain and not estimator.tells_gain:
            raise QuestionError(
                f"strategy {strategy.name!r} goes by what labels are worth to estimator 'hierarchical', not to "
                f"{estimator.name!r}; leave one of them out."
            )
        if estimator.learns_prior and self._own_prior:
            raise QuestionError(
                f"estimator {estimator.name!r} learns how much the scores are worth: prior is 'scores' or 'flat', and "
                f"prior_strength has no meaning; leave them out, or pass estimator='beta'."
            )
        self._check_question()

    def _check_models(self) -> None:
        """Parts for several models set against one another go with such questions, and no others do."""
        strategy, estimator, about = self.strategy_used, self.estimator_used, self.question.describe()
        if self.question.of_models and strategy.for_models == "never":
            raise QuestionError(
                f"strategy {strategy.name!r} is for questions about one model, not for {about}; leave it out, or pass "
                "'uniform'."
            )
        if not self.question.of_models and strategy.for_models == "only":
            raise QuestionError(f"strategy {strategy.name!r} is for fl.CompareModels, not for {about}; leave it out.")
        if self.question.of_models != estimator.of_models:
            raise QuestionError(
                f"estimator {estimator.name!r} is {'' if estimator.of_models else 'not '}for fl.CompareModels; "
                f"leave it out for {about}."
            )
        fitting = strategy.by_draws and estimator.reads_draws if self.question.weighable else not estimator.reads_draws
        if self.question.in_bins:  # every item has a part in them
            fitting = strategy.for_models == "also"
        if self.question.of_models and not (fitting and estimator.in_bins == self.question.in_bins):
            raise QuestionError(
                f"strategy {strategy.name!r} and estimator {estimator.name!r} do not go together with {about}; leave "
                "them out, or pass strategy='uniform'."
            )

    def _check_question(self) -> None:
        """What strategies are for, and whether the question has such a goal."""
        strategy, estimator, question = self.strategy_used, self.estimator_used, self.question
        if strategy.settles and not (question.certifiable and estimator.certifies):
            raise QuestionError(
                f"strategy {strategy.name!r} is for fl.Identify of accuracy or calibration bias, by groups known "
                "beforehand and read by estimator 'stratified'; leave it out here."
            )
        if strategy.one_winner and not question.one_winner:
            raise QuestionError(
                f"strategy {strategy.name!r} is for fl.Identify with top=1; use 'thompson' for other questions."
            )
        if strategy.of_threshold and not isinstance(question, Against):
            raise QuestionError(f"strategy {strategy.name!r} is for fl.Below and fl.Above; leave it out here.")
        if isinstance(question, Against) and self.target != "pool":
            raise QuestionError("verdicts are of the items of this pool; leave out target='population'.")
        if question.metric.ranked and estimator.reads_draws and not cast(FEstimator, estimator).ranks:
            raise QuestionError(
                f"estimator {estimator.name!r} reads F-scores, and no {question.metric.title}; leave it out, or pass "
                f"{WEIGHED.estimator!r}."
            )
        if self.until is not None:
            self.until.fits(question.kind, draws=estimator.reads_draws)

    def _check_choices(self) -> None:
        if not isinstance(self.prior, Prior) and self.prior not in get_args(PriorName):
            raise QuestionError(f"unknown prior {self.prior!r}; use {', '.join(get_args(PriorName))} or fl.Prior(…).")
        if self.target not in get_args(Target):
            raise QuestionError(f"target is 'pool' (these very items) or 'population'; got {self.target!r}.")

    def _check_numbers(self) -> None:
        check_level(self.level)
        strength = self.prior_strength
        if strength is not None and not (isinstance(strength, int | float) and 0 < strength < math.inf):
            raise QuestionError(f"prior_strength is a positive number of pseudo-labels; got {strength!r}.")
        if self.budget is not None and not (_is_whole(self.budget) and self.budget >= 1):
            raise QuestionError(
                f"budget is a whole number of labels that can be paid for, at least 1; got {self.budget!r}."
            )
        self._check_labellers()
        if not _is_whole(self.seed) or not 0 <= self.seed < 2**63:
            raise QuestionError(f"seed is a whole number from 0 to below 2**63; got {self.seed!r}.")

    def _check_labellers(self) -> None:
        several, overlap, error = self.labels_per_item, self.overlap, self.label_error
        if not _is_whole(several) or several < 1:
            raise QuestionError(f"labels_per_item is a whole number of labellers, at least 1; got {several!r}.")
        if not isinstance(overlap, int | float) or not 0 < overlap <= 1:
            raise QuestionError(f"overlap is the share of items that get several labels, up to 1; got {overlap!r}.")
        if overlap < 1 and several == 1:
            raise QuestionError(
                f"overlap={overlap!r} needs labels_per_item=2 or more: how many labels those items get."
            )
        if error is not None and not (isinstance(error, int | float) and 0 < error < 0.5):
            raise QuestionError(f"label_error is the share of labels that are wrong, below 0.5; got {error!r}.")
        if self.skips not in get_args(Skipping):
            raise QuestionError(
                "skips is 'worst' (intervals hold whatever skipped items are) or 'ignorable' (they are taken to be "
                f"like the others); got {self.skips!r}."
            )
        if self.consensus not in get_args(Consensus):
            raise QuestionError(f"consensus is {' or '.join(map(repr, get_args(Consensus)))}; got {self.consensus!r}.")

    @cached_property
    def strategy_used(self) -> Strategy:
        """The strategy itself. "auto" is what goes with the estimator."""
        if self.strategy != "auto":
            return read_strategy(self.strategy)
        if self.estimator == "auto" or self.question.of_models:
            return read_strategy(self._auto.strategy)
        given = read_estimator(self.estimator)
        if self.question.weighable and given.reads_draws:
            return read_strategy(cast(FEstimator, given).strategy)
        if given.tells_gain:
            return Gain()
        if given.certifies and self.question.certifiable:
            return Settle()
        return read_strategy("top_two" if self.question.one_winner else "thompson")

    @cached_property
    def estimator_used(self) -> Estimator:
        """The estimator itself. "auto" is what goes with the strategy, or else with the question."""
        if self.estimator != "auto":
            return read_estimator(self.estimator)
        if self.question.metric.ranked and self.strategy_used.by_draws:
            return read_estimator(WEIGHED.estimator)
        usual = PAPERS if self.question.weighable and not self.question.of_models else self._auto
        return read_estimator(self.strategy_used.estimator or usual.estimator)

    @property
    def _auto(self) -> Choice:
        return auto(self.question, self.until, own_prior=self._own_prior)

    @property
    def _own_prior(self) -> bool:
        """Whether somebody says what to believe beforehand, or how firmly."""
        return self.prior not in ("scores", "flat") or self.prior_strength is not None

    def estimator_for(self, question: Question) -> Estimator:
        """What reads the study's labels for another question: where they were drawn for an F-score of one class, the
        same reads any other of that class, and the default the rest; else the study's own, as for that kind of
        question."""
        own = self.estimator_used
        if question.of_models:
            return read_estimator(auto(question).estimator)
        if not own.reads_draws:
            return own.for_kind(question.kind)
        same = self.question.metric.of_class == question.metric.of_class
        if not (question.weighable and same):
            return Cautious()
        return read_estimator(WEIGHED.estimator) if question.metric.ranked else own

    @property
    def undecided(self) -> bool:
        """Whether nobody says how items are chosen nor how labels are read for one F-score, so that the pool does."""
        metric, question = self.question.metric, self.question
        one = question.weighable and metric.one_a_group and not (metric.ranked or question.of_models)
        return one and self.strategy == self.estimator == "auto"

    def by(self, choice: Choice) -> "StudySettings":
        """The same by this strategy and this estimator."""
        return replace(self, strategy=choice.strategy, estimator=choice.estimator)

    def resolved(self) -> "StudySettings":
        """The same with every "auto" replaced by what it stands for, so that a later default changes nothing."""
        return replace(self, strategy=self.strategy_used, estimator=self.estimator_used)

    def as_kept(self) -> "StudySettings":
        """The settings of a kept study: where one of 0.1 kept the word "auto", what it stood for then."""
        usual, strategy = before_0_2(self.question), self.strategy
        if strategy == "auto":
            cells = self.estimator != "auto" and not read_estimator(self.estimator).reads_draws
            strategy = read_strategy(PAPERS.strategy if cells and self.question.weighable else usual.strategy)
        own = read_strategy(strategy).estimator or PAPERS.estimator
        return replace(self, strategy=strategy, estimator=own if self.estimator == "auto" else self.estimator)

    @property
    def sure(self) -> float:
        """How sure it has to be, by the goal or as usual."""
        return USUAL_GOAL if self.until is None or self.until.sure is None else self.until.sure

    @property
    def plays(self) -> int:
        """Arms queried per draw of the belief."""
        return self.question.plays

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
            "strategy": self.strategy if isinstance(self.strategy, str) else part_to_json(self.strategy),
            "estimator": self.estimator if isinstance(self.estimator, str) else part_to_json(self.estimator),
            "prior": prior,
            "prior_strength": self.prior_strength,
            "target": self.target,
            "until": None if self.until is None else part_to_json(self.until),
            "budget": self.budget,
            "seed": self.seed,
            "level": self.level,
            "model": self.model,
            "labels_per_item": self.labels_per_item,
            "overlap": self.overlap,
            "consensus": self.consensus,
            "label_error": self.label_error,
            "skips": self.skips,
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
        strategy, estimator, until = data["strategy"], data["estimator"], data["until"]
        return cls(
            question=question_from_json(data["question"]),
            strategy=strategy if isinstance(strategy, str) else part_from_json(strategy, STRATEGIES),
            estimator=estimator if isinstance(estimator, str) else part_from_json(estimator, ESTIMATORS),
            until=None if until is None else part_from_json(until, STOPPING),
            prior=_prior_from_json(data["prior"]),
            **fields,
        )


def _prior_from_json(data: Any) -> PriorName | Prior:
    if isinstance(data, str):
        return cast(PriorName, data)  # checked by StudySettings
    prior = Prior(data["default"], data["strength"])
    object.__setattr__(prior, "means", tuple((tuple(g), v) for g, v in data["means"]))
    return prior
