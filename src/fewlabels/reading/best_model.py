"""Which of several models is best by what each item adds: off labels of the items on which those left differ."""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from fewlabels.answers import Finding, Unit, few_of, level_words
from fewlabels.between_models import BetweenModels
from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.best_of import Race, drawn_means
from fewlabels.core.intervals import draws_interval
from fewlabels.core.paired import Told, tally
from fewlabels.estimators import Paired
from fewlabels.reading.best_of import DRAWS, BestOfReading
from fewlabels.reading.models import check_drawn_evenly


@dataclass(frozen=True)
class BestReading(BestOfReading):
    """Everything an answer about the model of highest accuracy needs."""

    def check(self) -> None:
        """Raise where labels are no simple random sample of the items on which models left differ."""
        check_drawn_evenly(self.assessment, self.evidence)
        super().check()

    @cached_property
    def models(self) -> BetweenModels:
        return cast(BetweenModels, self.assessment.between)

    @cached_property
    def race(self) -> Race:
        return self.models.race(self.evidence)

    @property
    def dropped(self) -> Ints:
        return self.race.dropped

    @cached_property
    def differ(self) -> Bools:
        return self.models.differ

    @property
    def labels(self) -> int:
        return int(self.models.among(self.left)[self.evidence.cell].sum())

    @cached_property
    def _higher(self) -> float:
        """One, or minus one where less is better."""
        return 1.0 if self.assessment.metric.worst == "lowest" else -1.0

    def _drawn(self, counts: float) -> Array:
        left = self.race.left
        cells = self.models.among(left)
        mine = cells[self.evidence.cell]
        value = self.models.values(self.evidence.label, self.evidence.cell)[mine][:, left]
        rest = int(self.assessment.cells.size[cells].sum()) - len(value)
        return self._higher * drawn_means(value, rest, self.race.items, DRAWS, self.generator(), counts=counts)

    def _behind(self, model: int, other: int) -> float:
        return -self._higher * self._told(model, other).mean

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

    def _finding(self, model: int) -> Finding:
        told = self._told(model, self.best)
        value, (low, high) = told.mean, told.widest
        if told.count and told.left:
            drawn = told.draws(DRAWS, self.generator(1 + model), pool=True)[:, None]
            ends = draws_interval(drawn, self.level, self.interval)
            item = 0.5 / told.items
            low, high = max(min(ends[0][0], value - item), low), min(max(ends[1][0], value + item), high)
        unit: Unit = "points" if self.assessment.metric.shown_as == "share" else "number"
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
    def certain(self) -> bool:
        return bool(self.race.near[self.best]) or not self.models.differ.any()

    @property
    def every_look(self) -> str:
        gone = [m for m in np.argsort(self.dropped, kind="stable").tolist() if not self.left[m]]
        out = few_of([f"{self.names[m]} (at label {self.dropped[m]})" for m in gone]) if gone else "none so far"
        name, at = self.names[self.best], level_words(self.models.goal)
        if self.certain:
            shown = f"Proven at {at}, however often you check: no model is more than {self._within} better than {name}."
            return shown if not gone else f"{shown} Ruled out: {out}."
        return f"Ruled out at {at}, however often you check: {out}."
