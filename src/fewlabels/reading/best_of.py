"""Which of several models is best: how likely each is, what choosing it would cost, and how that is said."""

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self, cast

import numpy as np

from fewlabels.answers import BestOfModels, Finding, count_of, percent, percent_of_draws
from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.evidence import Evidence
from fewlabels.core.keyed import Keyed, Use
from fewlabels.errors import QuestionError
from fewlabels.model_questions import BestModel
from fewlabels.reading.base import Reading, united

DRAWS = 4000
_SCEPTIC = 0.5  # what a label counts for the probability of being the best


@dataclass(frozen=True)
class BestOfReading(Reading):
    """Everything an answer about the best of several models needs, whatever they are judged by."""

    shared: ClassVar[bool] = True

    chosen: int | None = field(default=None, kw_only=True)  # the model that others are held against, where it is given

    def having(self, evidence: Evidence) -> Self:
        """The same, if skipped items had labels: of the model that is named without them."""
        return replace(super().having(evidence), chosen=self.best)

    def check(self) -> None:
        """Raise where labels, or the settings, do not allow an answer."""
        if self.assessment.settings.target != "pool":
            raise QuestionError("the best model is that of the items of this pool; leave out target='population'.")

    @property
    def question(self) -> BestModel:
        return cast(BestModel, self.assessment.question)

    @property
    def names(self) -> tuple[str, ...]:
        return self.question.models

    @property
    @abstractmethod
    def dropped(self) -> Ints:
        """(n_models,) the draw after which each was shown to be worse than another; 0 for those left."""

    @property
    @abstractmethod
    def differ(self) -> Bools:
        """(n_cells,) whether models do not say the same."""

    @property
    @abstractmethod
    def labels(self) -> int:
        """Labels that tell those left apart."""

    @property
    @abstractmethod
    def certain(self) -> bool:
        """Whether the one named is next to the best, whoever looks after each label."""

    @property
    @abstractmethod
    def every_look(self) -> str:
        """What holds at every look, in words."""

    @abstractmethod
    def _drawn(self, counts: float) -> Array:
        """Draws of the figures of those left, the higher the better, up to what they have in common, (n_draws, n_left);
        `counts` is what a label counts."""

    @abstractmethod
    def _behind(self, model: int, other: int) -> float:
        """How far one that was dropped is behind another."""

    @abstractmethod
    def _finding(self, model: int) -> Finding:
        """How far a model is from the one named."""

    @cached_property
    def left(self) -> Bools:
        return np.asarray(self.dropped == 0)

    def generator(self, attempt: int = 0) -> np.random.Generator:
        """For draws of what is believed."""
        return Keyed(self.assessment.settings.seed, self.evidence.count).generator(Use.ANSWER, attempt)

    @cached_property
    def draws(self) -> Array:
        """Of the figures of those left, up to what they have in common, (n_draws, n_left)."""
        return self._drawn(1.0)

    @cached_property
    def p_best(self) -> Array:
        """(n_models,) how often each is the best, ties being shared; none of those dropped. A label counts half: the
        best is picked because it stands out, and of models that tie a plain posterior would be too sure of one."""
        drawn = self._drawn(_SCEPTIC)
        first = drawn >= drawn.max(axis=1, keepdims=True) - 1e-12
        out = np.zeros(len(self.names))
        out[self.left] = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
        return out

    @cached_property
    def p_near(self) -> Array:
        """(n_models,) how often each is within the margin of the best."""
        out = np.zeros(len(self.names))
        near = self.draws >= self.draws.max(axis=1, keepdims=True) - self.question.margin - 1e-12
        out[self.left] = near.mean(axis=0)
        return out

    @cached_property
    def best(self) -> int:
        """The likeliest to be next to the best; of equals the likeliest to be it, and the one that costs least."""
        if self.chosen is not None:
            return self.chosen
        found = np.lexsort((self.expected_loss, -np.round(self.p_best, 9), -np.round(self.p_near, 9)))
        return int(found[0])

    @cached_property
    def expected_loss(self) -> Array:
        """(n_models,) how far each is behind the best, on average."""
        of_left = (self.draws.max(axis=1, keepdims=True) - self.draws).mean(axis=0)
        out = np.zeros(len(self.names))
        out[self.left] = of_left
        leader = int(np.flatnonzero(self.left)[of_left.argmin()])
        for model in np.flatnonzero(~self.left).tolist():
            out[model] = max(of_left.min() + self._behind(model, leader), 0.0)
        return out

    @cached_property
    def order(self) -> list[int]:
        """The one named, then by what choosing each is expected to cost."""
        rest = np.lexsort((self.expected_loss, ~self.left)).tolist()
        return [self.best, *(model for model in rest if model != self.best)]

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """How far each is from the one named."""
        others = [[other._finding(model) for model in self.order] for other in self.supposed]
        return united(tuple(self._finding(model) for model in self.order), others)

    @property
    def sure_of_best(self) -> float:
        """The probability that the model named is the best, whatever skipped items are."""
        return float(min(one.p_best[self.best] for one in (self, *self.supposed)))

    @property
    def sure_of_near(self) -> float:
        """The probability that it is within the margin of the best."""
        return float(min(one.p_near[self.best] for one in (self, *self.supposed)))

    @property
    def overall(self) -> Finding | None:
        return None

    @property
    def extra(self) -> tuple[dict[str, Any], ...]:
        return tuple(
            {
                "p_best": float(self.p_best[model]),
                "expected_loss": float(self.expected_loss[model]),
                "dropped": int(self.dropped[model]) or None,
            }
            for model in self.order
        )

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    @property
    def sentence(self) -> str:
        """Which model is best, how surely, and which were dropped."""
        size, what, models = self.assessment.cells.size, self.question.metric.title, len(self.names)
        items, differ = int(size.sum()), int(size[self.differ].sum())
        if differ == 0:
            return f"All {models} models say the same of all {count_of(items, 'item')}: none is better."
        where = f"They do not all agree on {differ:,} of {count_of(items, 'item')} ({percent(differ / items)})"
        if self.evidence.count == 0:
            return f"Which of {models} models has the best {what} cannot be told yet: no labels. {where}."
        sample, after = self.findings[0], count_of(self.evidence.count, "label")
        loss = replace(sample, unit="number").show if sample.unit == "number" else lambda x: f"{100 * x:.2f} points"
        cost = loss(float(self.expected_loss[self.best]))
        return (
            f"{self.names[self.best]} has the best {what} of {models} models with probability "
            f"{self._sure(self.sure_of_best)}{self._near} after {after}; to choose it is expected to cost {cost}. "
            f"{where}. {self.every_look}"
        )

    @property
    def all_labelled(self) -> bool:
        """Whether nothing is left to be told."""
        return self.evidence.count == int(self.assessment.cells.size[self.differ].sum())

    @property
    def _near(self) -> str:
        """How surely it is next to the best, where a margin makes a difference."""
        if not self.question.within:
            return ""
        return f", and is within {self.question.within:g} of the best with probability {self._sure(self.sure_of_near)},"

    def _sure(self, p: float) -> str:
        """The probability of the model named, in words: draws never make it certain."""
        return percent(p) if self.all_labelled else percent_of_draws(min(p, 1 - 1e-4))


def best_of_models(reading: BestOfReading, common: dict[str, Any]) -> BestOfModels:
    """Which of several models is best."""
    size, names, order = reading.assessment.cells.size, reading.names, reading.order
    dropped = {names[m]: int(reading.dropped[m]) for m in order if reading.dropped[m]}
    return BestOfModels(
        findings=reading.findings,
        extra=reading.extra,
        best=names[reading.best],
        p_best={names[m]: float(reading.p_best[m]) for m in order},
        expected_loss={names[m]: float(reading.expected_loss[m]) for m in order},
        dropped=dict(sorted(dropped.items(), key=lambda one: one[1])),
        within=reading.question.within,
        p_near=reading.sure_of_near,
        shown=reading.certain,
        labels=reading.labels,
        items=int(size.sum()),
        differ=int(size[reading.differ].sum()),
        sentence=reading.sentence,
        **common,
    )
