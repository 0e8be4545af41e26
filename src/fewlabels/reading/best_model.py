"""Which of several models is best: how likely each is, what choosing it would cost, and which were dropped."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np

from fewlabels.answers import BestOfModels, Finding, Unit, count_of, few_of, level_words, percent, percent_of_draws
from fewlabels.between_models import BetweenModels
from fewlabels.core.arrays import Array, Bools
from fewlabels.core.best_of import Race, drawn_means
from fewlabels.core.intervals import draws_interval
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.paired import Told, tally
from fewlabels.errors import QuestionError
from fewlabels.estimators import Paired
from fewlabels.model_questions import BestModel
from fewlabels.reading.base import Reading
from fewlabels.reading.models import check_drawn_evenly

_DRAWS = 4000
_SCEPTIC = 0.5  # what a label counts for the probability of being the best


@dataclass(frozen=True)
class BestReading(Reading):
    """Everything an answer about the best of several models needs."""

    shared: ClassVar[bool] = True

    def check(self) -> None:
        """Raise where labels are no simple random sample of the items on which models left differ."""
        check_drawn_evenly(self.assessment, self.evidence)
        if self.assessment.settings.target != "pool":
            raise QuestionError("the best model is that of the items of this pool; leave out target='population'.")

    @cached_property
    def models(self) -> BetweenModels:
        return cast(BetweenModels, self.assessment.between)

    @cached_property
    def race(self) -> Race:
        return self.models.race(self.evidence)

    @property
    def names(self) -> tuple[str, ...]:
        return self.models.models

    @cached_property
    def _higher(self) -> float:
        """One, or minus one where less is better."""
        return 1.0 if self.assessment.metric.worst == "lowest" else -1.0

    @cached_property
    def draws(self) -> Array:
        """Of the figures of those left, up to what they have in common, (n_draws, n_left)."""
        return self._drawn(1.0)

    def _drawn(self, counts: float) -> Array:
        left = self.race.left
        cells = self.models.among(left)
        mine = cells[self.evidence.cell]
        value = self.models.values(self.evidence.label, self.evidence.cell)[mine][:, left]
        rest = int(self.assessment.cells.size[cells].sum()) - len(value)
        rng = Keyed(self.assessment.settings.seed, self.evidence.count).generator(Use.ANSWER)
        return self._higher * drawn_means(value, rest, self.race.items, _DRAWS, rng, counts=counts)

    @cached_property
    def p_best(self) -> Array:
        """(n_models,) how often each is the best, ties being shared; none of those dropped. A label counts half: the
        best is picked because it stands out, and of models that tie a plain posterior would be too sure of one."""
        drawn = self._drawn(_SCEPTIC)
        first = drawn >= drawn.max(axis=1, keepdims=True) - 1e-12
        out = np.zeros(len(self.names))
        out[self.race.left] = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
        return out

    @cached_property
    def p_near(self) -> Array:
        """(n_models,) how often each is within the margin of the best."""
        out = np.zeros(len(self.names))
        near = self.draws >= self.draws.max(axis=1, keepdims=True) - self.models.margin - 1e-12
        out[self.race.left] = near.mean(axis=0)
        return out

    @cached_property
    def best(self) -> int:
        """The likeliest to be next to the best; of equals the likeliest to be it, and the one that costs least."""
        found = np.lexsort((self.expected_loss, -np.round(self.p_best, 9), -np.round(self.p_near, 9)))
        return int(found[0])

    @cached_property
    def expected_loss(self) -> Array:
        """(n_models,) how far each is behind the best, on average."""
        of_left = (self.draws.max(axis=1, keepdims=True) - self.draws).mean(axis=0)
        out = np.zeros(len(self.names))
        out[self.race.left] = of_left
        leader = int(np.flatnonzero(self.race.left)[of_left.argmin()])
        for model in np.flatnonzero(~self.race.left).tolist():
            out[model] = max(of_left.min() - self._higher * self._told(model, leader).mean, 0.0)
        return out

    def _told(self, model: int, other: int) -> Told:
        """What labels say of the difference of two models, as long as neither was dropped."""
        pair, drawn = self.models.pair(model, other), self.evidence.in_order
        until = min((t for t in (self.race.dropped[model], self.race.dropped[other]) if t), default=None)
        rows = np.arange(self.evidence.count)
        if until is not None:
            rows = drawn.row[:until][drawn.known[:until]]
        rows = rows[pair.differ[self.evidence.cell[rows]]]
        value = pair.values(self.evidence.label[rows], self.evidence.cell[rows])
        size = self.assessment.cells.size
        return tally(value[:, 0] - value[:, 1], pair.differences, int(size.sum()), int(size[pair.differ].sum()))

    @cached_property
    def order(self) -> list[int]:
        """The one named, then by what choosing each is expected to cost."""
        rest = np.lexsort((self.expected_loss, ~self.race.left)).tolist()
        return [self.best, *(model for model in rest if model != self.best)]

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """How far each is from the one named."""
        return tuple(self._finding(model) for model in self.order)

    def _finding(self, model: int) -> Finding:
        told, unit = self._told(model, self.best), self._unit
        value, (low, high) = told.mean, told.widest
        if told.count and told.left:
            rng = Keyed(self.assessment.settings.seed, self.evidence.count).generator(Use.ANSWER, 1 + model)
            drawn = told.draws(_DRAWS, rng, pool=True)[:, None]
            ends = draws_interval(drawn, self.level, self.interval)
            item = 0.5 / told.items
            low, high = max(min(ends[0][0], value - item), low), min(max(ends[1][0], value + item), high)
        return Finding(
            value=value if told.count or told.differ == 0 else float("nan"),
            low=float(low),
            high=float(high),
            level=self.level,
            method=cast(Paired, self.assessment.estimator).in_words(),
            target="pool",
            labels=told.count,
            prior_share=told.prior_share,
            group=self.names[model],
            unit=unit,
            left=told.left,
        )

    @property
    def _unit(self) -> Unit:
        return "points" if self.assessment.metric.shown_as == "share" else "number"

    @property
    def overall(self) -> Finding | None:
        return None

    @property
    def extra(self) -> tuple[dict[str, Any], ...]:
        return tuple(
            {
                "p_best": float(self.p_best[model]),
                "expected_loss": float(self.expected_loss[model]),
                "dropped": int(self.race.dropped[model]) or None,
            }
            for model in self.order
        )

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    @property
    def certain(self) -> bool:
        """Whether the one named is next to the best, whoever looks after each label."""
        return bool(self.race.near[self.best]) or not self.models.differ.any()

    @cached_property
    def _differ(self) -> Bools:
        return self.models.differ

    @property
    def sentence(self) -> str:
        """Which model is best, how surely, and which were dropped."""
        question, size = cast(BestModel, self.assessment.question), self.assessment.cells.size
        items, differ, what = int(size.sum()), int(size[self._differ].sum()), question.metric.title
        if differ == 0:
            return f"All {len(self.names)} models say the same of all {count_of(items, 'item')}: none is better."
        where = f"They do not all agree on {differ:,} of {count_of(items, 'item')} ({percent(differ / items)})"
        if self.evidence.count == 0:
            return f"Which of {len(self.names)} models has the best {what} cannot be told yet: no labels. {where}."
        name, sample = self.names[self.best], self.findings[0]
        loss = replace(sample, unit="number").show if self._unit == "number" else lambda x: f"{100 * x:.2f} points"
        gone = [m for m in np.argsort(self.race.dropped, kind="stable").tolist() if not self.race.left[m]]
        out = few_of([f"{self.names[m]} (at label {self.race.dropped[m]})" for m in gone]) if gone else "none so far"
        level = level_words(self.models.goal)
        every = f"{name} is within {question.within:g} of the best" if self.certain else "it is open which is best"
        after, cost = count_of(self.evidence.count, "label"), loss(float(self.expected_loss[self.best]))
        return (
            f"{name} has the best {what} of {len(self.names)} models with probability {self._sure} after {after}; to "
            f"choose it is expected to cost {cost}. {where}. At every look ({level}): {every}; dropped: {out}."
        )

    @property
    def _sure(self) -> str:
        """The probability of the model named, in words: draws never make it certain."""
        p, known = float(self.p_best[self.best]), self.evidence.count == self.assessment.cells.size[self._differ].sum()
        return percent(p) if known else percent_of_draws(min(p, 1 - 1e-4))


def best_of_models(reading: BestReading, common: dict[str, Any]) -> BestOfModels:
    """Which of several models is best."""
    size, names, order = reading.assessment.cells.size, reading.names, reading.order
    dropped = {names[m]: int(reading.race.dropped[m]) for m in order if reading.race.dropped[m]}
    return BestOfModels(
        findings=reading.findings,
        extra=reading.extra,
        best=names[reading.best],
        p_best={names[m]: float(reading.p_best[m]) for m in order},
        expected_loss={names[m]: float(reading.expected_loss[m]) for m in order},
        dropped=dict(sorted(dropped.items(), key=lambda one: one[1])),
        within=cast(BestModel, reading.assessment.question).within,
        p_near=float(reading.p_near[reading.best]),
        shown=reading.certain,
        labels=int(reading.models.among(reading.race.left)[reading.evidence.cell].sum()),
        items=int(size.sum()),
        differ=int(size[reading.models.differ].sum()),
        sentence=reading.sentence,
        **common,
    )
