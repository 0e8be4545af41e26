"""Is one model better than another on the same items: the difference, of all items and by groups, and the sentence."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from fewlabels.answers import Finding, ModelComparison, Proof, Unit, Verdict, count_of, percent, verdict_of
from fewlabels.assessment import Assessment
from fewlabels.between_models import BetweenModels
from fewlabels.core.anytime import Capital, of_mean
from fewlabels.core.arrays import Array, Bools
from fewlabels.core.comparison import draws_region_probabilities
from fewlabels.core.evidence import Evidence
from fewlabels.core.intervals import draws_interval
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.paired import Told, tally
from fewlabels.errors import QuestionError
from fewlabels.estimators import Paired
from fewlabels.model_questions import CompareModels
from fewlabels.reading.apart import ApartReading
from fewlabels.reading.comparison import at_every_look, sentence
from fewlabels.reading.two_models import TwoModels

_DRAWS = 20_000  # of each difference
_FORECASTS = 400  # draws of how many labels it may take


def check_drawn_evenly(assessment: Assessment, evidence: Evidence) -> None:
    """Raise where labels are no simple random sample of the items on which models differ."""
    asked = assessment.settings.question
    if (not asked.of_models or asked.weighable) and not evidence.equal_chances:
        raise QuestionError(
            "the labels were drawn for another question, some items more often than others, and nobody knows how often "
            "among those on which the models differ; make a study of it, or one with strategy='uniform'."
        )


@dataclass(frozen=True)
class PairReading(TwoModels):
    """Everything an answer about two models needs: of each group asked for, and last of all items."""

    def check(self) -> None:
        """Raise where labels are no simple random sample of the items on which the models differ, or intervals cannot
        hold as they are to."""
        check_drawn_evenly(self.assessment, self.evidence)
        if self.holds == "every look" and not self.provable:
            raise QuestionError(
                "there are no intervals for every look here: they are of the items of this pool (leave out "
                "target='population'), and of labels in the order of asking."
            )

    @property
    def provable(self) -> bool:
        """Whether anything holds at every look."""
        in_order = self.evidence.order is not None or self.evidence.count == 0
        return in_order and self.pool

    @property
    def pool(self) -> bool:
        """Whether these very items are meant."""
        return self.assessment.settings.target == "pool"

    @cached_property
    def models(self) -> BetweenModels:
        return cast(BetweenModels, self.assessment.between)

    @cached_property
    def _cells(self) -> list[Bools]:
        """Those of each of these."""
        index = self.assessment.view.groups.index
        return [*(index == g for g in range(len(self.names) - 1)), np.ones(len(index), dtype=bool)]

    @cached_property
    def _value(self) -> Array:
        """What each label says: the value of a less that of b."""
        found = self.models.values(self.evidence.label, self.evidence.cell)
        return np.asarray(found[:, 0] - found[:, 1])

    @cached_property
    def told(self) -> list[Told]:
        """Of each group and of all items."""
        return [self._told(cells) for cells in self._cells]

    def _told(self, cells: Bools) -> Told:
        size, differ = self.assessment.cells.size, self.models.differ
        among = (cells & differ)[self.evidence.cell]
        return tally(
            self._value[among], self.models.differences, int(size[cells].sum()), int(size[cells & differ].sum())
        )

    @cached_property
    def draws(self) -> Array:
        """Of each by itself, (n_draws, n_groups + 1)."""
        key = Keyed(self.assessment.settings.seed, self.evidence.count)
        numbers = reversed(range(len(self.told)))  # those of all items are the same, by groups or not
        of_each = [
            told.draws(_DRAWS, key.generator(Use.ANSWER, number), pool=self.pool)
            for told, number in zip(self.told, numbers, strict=True)
        ]
        return np.stack(of_each, axis=1)

    @cached_property
    def proofs(self) -> tuple[Proof | None, ...]:
        """What was won by betting against each value of each difference."""
        if not self.provable:
            return (None,) * len(self.told)
        return tuple(Proof(self._capital(cells, told)) for cells, told in zip(self._cells, self.told, strict=True))

    def _capital(self, cells: Bools, told: Told) -> Capital:
        drawn, low, high = self.evidence.in_order, float(told.worth.min()), float(told.worth.max())
        among = (cells & self.models.differ)[drawn.cell]
        gaps = np.diff(told.worth)
        steps = len(gaps) if len(gaps) and np.allclose(gaps, gaps[0]) else None

        least, most = (drawn.of(self._value, otherwise)[among] for otherwise in (low, high))
        missing = None if drawn.known[among].all() else most
        found = of_mean(least, told.differ, low, high, steps, missing)
        return Capital(found.values * told.differ / told.items, found.log_won, found.all_there_are)

    @property
    def higher_is_better(self) -> bool:
        return self.assessment.metric.worst == "lowest"

    @property
    def extra(self) -> tuple[dict[str, Any], ...]:
        """Of each finding: the probability of each region, the items that count, and the verdict, all of which hold
        together."""
        found, question = [], cast(CompareModels, self.assessment.question)
        each = 1 - (1 - self.level) / len(self.findings)
        for row in range(len(self.findings)):
            chances = dict(zip(("p_less", "p_equal", "p_more"), self.regions(row), strict=True))
            proof = self.proofs[row]
            shown = () if proof is None else proof.of(each, question.rope)
            verdict = verdict_of(shown, higher_is_better=self.higher_is_better)
            found.append({**chances, "differ": self.told[row].differ, "verdict": verdict})
        return tuple(found)

    def _finding(self, row: int) -> Finding:
        told, (low, high) = self.told[row], self._ends(row)
        value = told.mean if told.count or told.differ == 0 else float("nan")
        unit: Unit = "points" if self.assessment.metric.shown_as == "share" else "number"
        return Finding(
            value=value,
            low=low if value != value else min(low, value),
            high=high if value != value else max(high, value),
            level=self.level,
            method=cast(Paired, self.assessment.estimator).in_words(),
            target=self.assessment.settings.target,
            labels=told.count,
            prior_share=told.prior_share,
            group=self.names[row],
            weight=told.items / self.told[-1].items,
            holds=self.holds,
            unit=unit,
            left=told.left,
        )

    def _ends(self, row: int) -> tuple[float, float]:
        told, proof = self.told[row], self.proofs[row] if self.holds == "every look" else None
        if self.pool and (told.left == 0 or told.count == 0):
            return told.widest
        if proof is not None:
            return proof.interval(self.level)
        low, high = (float(end[0]) for end in draws_interval(self.draws[:, [row]], self.level, self.interval))
        if not self.pool:
            return low, high
        item, (least, most) = 1 / told.items, told.widest  # an item unlabelled leaves at least its own share open
        return max(min(low, told.mean - item / 2), least), min(max(high, told.mean + item / 2), most)

    def regions(self, row: int) -> tuple[float, float, float]:
        """The probabilities that a is lower by more than the rope, about the same, higher."""
        question = cast(CompareModels, self.assessment.question)
        own = draws_region_probabilities(self.draws[:, row], question.rope)
        others = [np.array(other.regions(row)) for other in self.supposed]
        less, equal, more = np.min([own, *others], axis=0).tolist()
        return less, equal, more

    @property
    def at_one_look(self) -> Verdict | None:
        """Verdicts hold at every look."""
        return None

    @property
    def items(self) -> int:
        """Of the pool."""
        return self.told[-1].items

    @property
    def differ(self) -> int:
        """Items on which the models do not say the same."""
        return self.told[-1].differ

    @property
    def per_item(self) -> Array | None:
        """What an item may add on which the models differ: what a forecast is made of."""
        if self.assessment.settings.until is None or self.told[-1].differ == 0:
            return None
        key = Keyed(self.assessment.settings.seed, self.evidence.count)
        return self.told[-1].per_item(_FORECASTS, key.generator(Use.ANSWER, len(self.told)))

    @property
    def sentence(self) -> str:
        """Which model is better, how surely, and where they differ."""
        question, told, difference = cast(CompareModels, self.assessment.question), self.told[-1], self.overall
        a, b, what, items = question.a, question.b, question.metric.title, count_of(told.items, "item")
        if told.differ == 0:
            return (
                f"{a} and {b} say the same of all {items}: their {what} is the same, whatever the labels are, and none "
                "is needed."
            )
        where = f"They differ on {told.differ:,} of {items} ({percent(told.differ / told.items)})"
        if told.count == 0:
            return (
                f"{a} and {b} cannot be compared yet: no labels. {where}, and the difference of their {what} may be "
                f"anything from {difference.show(difference.low)} to {difference.show(difference.high)}."
            )
        said = sentence(question, self.regions(-1), difference, told.count)
        return f"{said} {where}.{at_every_look(question, self.proofs[-1], self.level, difference.unit)}"


def model_comparison(reading: PairReading | ApartReading, common: dict[str, Any]) -> ModelComparison:
    """Whether one model's figure is lower than another's, about equal or higher; of all items, and by groups."""
    question = cast(CompareModels, reading.assessment.question)
    less, equal, more = reading.regions(-1)
    return ModelComparison(
        findings=reading.findings,
        extra=reading.extra,
        p_less=less,
        p_equal=equal,
        p_more=more,
        rope=question.rope,
        difference=reading.overall,
        proof=reading.proofs[-1],
        proofs=reading.proofs[: len(reading.findings)],
        a=str(question.a),
        b=str(question.b),
        items=reading.items,
        differ=reading.differ,
        higher_is_better=reading.higher_is_better,
        per_item=reading.per_item,
        at_one_look=reading.at_one_look,
        fewest=reading.fewest,
        sentence=reading.sentence,
        **common,
    )
