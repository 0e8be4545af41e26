"""What holds at every look: bets on the draws of a study, in the order of asking."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewlabels.answers import count_of
from fewlabels.assessment import Assessment
from fewlabels.core.anytime import Capital, Path, along_share, of_share, of_sum
from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.evidence import NO_ORDER, Evidence
from fewlabels.core.intervals import exact_share_intervals, exact_summed_interval, level_at_a_stop
from fewlabels.core.joined import part_of
from fewlabels.core.recalibration import squeezed_logit
from fewlabels.errors import QuestionError
from fewlabels.lens import Lens

_FEWEST_OF_ALL = 30  # labels from which on the interval of the whole pool is relied on at a stop


@dataclass(frozen=True)
class EveryLook:
    """The draws of a study, and what was won by betting against the values its figures may have.

    Where items were drawn with known chances the bets are on each draw. Where chances are equal inside of what a figure
    speaks of, they are on its labels, as from an urn; and where they are equal only inside of its cells, on those of
    each cell by itself, which is dearer.
    """

    assessment: Assessment
    evidence: Evidence

    def check(self) -> None:
        """Raise where nothing of the kind is known."""
        if (why := self.why_not) is not None:
            raise QuestionError(f"there are no intervals for every look here: {why}.")

    @property
    def why_not(self) -> str | None:
        """Why nothing of the kind is known, in a clause; None where it is."""
        made = self.assessment
        if made.metric.scale is None or not made.outcome.rates:
            return f"they are of accuracy and calibration bias, not of {made.question.metric.title}"
        if made.settings.target != "pool":
            return "they are of the items of this pool; leave out target='population'"
        if any(design.repeats for design in self.evidence.designs):
            return "items were drawn more often than once"
        if self.evidence.count and self.evidence.order is None:
            return "labels were drawn for another question, with chances that are not known of this one's groups"
        return None

    @cached_property
    def path(self) -> Path:
        """The draws in the order of asking; some labels may be missing."""
        made, evidence = self.assessment, self.evidence
        drawn, order = evidence.in_order, evidence.order or NO_ORDER
        hit = drawn.of((made.outcome.codes(evidence.label, evidence.predicted) == 0).astype(np.float64))
        reach = np.isin(made.arms.index, made.in_question)
        logit, size = squeezed_logit(made.outcome.expected(made.view)), made.cells.size
        joined = np.array([-1, *order.joined])[self._part]
        about = (drawn.cell, hit, drawn.known, drawn.round, drawn.outside, size, reach, logit, order.odds, joined)
        return Path(*about, drawn.seen)

    @cached_property
    def _part(self) -> Ints:
        """The part of the pool that each cell is of. Draws from one say nothing of another, as they were drawn from
        when there was no other yet: bets are made on each by itself, and hold together."""
        return part_of(self.assessment.cells)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know: which labels are not counted yet."""
        late = self.evidence.count - int(self.path.known.sum())
        wait = "waits" if late == 1 else "wait"
        notes = [f"{count_of(late, 'label')} {wait} for older queries, for the order of asking counts."] if late else []
        skipped = 0 if self.evidence.order is None else len(self.evidence.order.skipped)
        if (open_ := int((~self.path.known).sum()) - skipped) > 0:
            have = "item that was asked has" if open_ == 1 else "items that were asked have"
            notes.append(f"{open_:,} older {have} no answer yet; the intervals hold whatever the right labels are.")
        return tuple(notes)

    @cached_property
    def _by_arm(self) -> Bools:
        """Of each draw: whether chances were equal inside of its arm, and nothing more is known of them."""
        equal = np.ones(len(self.path), dtype=bool)
        if self.evidence.order is not None and not self.evidence.equal_chances:
            equal = self.path.outside | np.isin(self.path.round, list(self.path.odds))
        return ~equal

    @cached_property
    def _by_odds(self) -> Bools:
        return np.isin(self.path.round, list(self.path.odds)) & ~self.path.outside

    def of_rows(self, lens: Lens, *, along: bool = False) -> list[Capital]:
        """Against each value of the share of hits in each row's part of the pool; `along` its labels, what was won
        after any of them."""
        parts = lens.rows.partition
        whole = parts.count == 1
        made = [self._of_share(parts.index == part, whole=whole, along=along) for part in range(parts.count)]
        return [made[part] for part in lens.rows.part]

    def ends(self, lens: Lens, level: float) -> Array:
        """The ends of the interval of each row's share, (2, n_rows), that hold at every look."""
        return np.array([capital.interval(level) for capital in self.of_rows(lens, along=True)]).T

    def ends_at_a_stop(self, lens: Lens, level: float, *, relied_on: bool) -> Array:
        """The same, for labels that end when intervals are short enough. A width hardly depends on the error, so that
        less is needed: where chances were equal inside of a row's part, the exact interval of its own labels; elsewhere
        what holds at every look with four times the error. Of the whole pool nan where its interval is `relied_on`,
        being made so that it holds then too, once there are a few labels."""
        parts = lens.rows.partition
        if parts.count == 1:
            enough = relied_on and len(self.path) >= _FEWEST_OF_ALL
            now = [capital.now.interval(softer(level)) for capital in ([] if enough else self.of_rows(lens))]
            return np.array(now).T if now else np.full((2, 1), np.nan)
        made = self.assessment
        counts = self.evidence.counts(made.outcome, made.cells.count)
        hits, misses = parts.sums(counts.T)
        size, at_once = parts.size.astype(np.float64), level_at_a_stop(level)
        missing = self._missing
        open_ = parts.sums(missing)
        exact = np.array(
            [
                exact_share_intervals(hits, misses + open_, size, at_once)[0],
                exact_share_intervals(hits + open_, misses, size, at_once)[1],
            ]
        )
        for part in range(parts.count):
            cells = parts.index == part
            each = [cells & (self._part == number) for number in np.unique(self._part[cells])]
            if not all(self._evenly_inside(own) for own in each):
                exact[:, part] = self._of_share(cells, whole=False).now.interval(softer(level))
            elif len(each) > 1:
                hit, miss = np.array([counts[own].sum(axis=0) for own in each]).T
                items = np.array([made.cells.size[own].sum() for own in each], dtype=np.float64)
                more = np.array([missing[own].sum() for own in each])
                exact[0, part] = exact_summed_interval(hit, miss + more, items, at_once)[0]
                exact[1, part] = exact_summed_interval(hit + more, miss, items, at_once)[1]
        return exact[:, lens.rows.part]

    def of_difference(self, a: int, b: int) -> Capital:
        """Against each value of the share of hits in one group, less that in another, by what is won now: what is shown
        of two groups is taken back where later labels speak against it."""
        groups = self.assessment.view.groups
        per_hit = np.select([groups.index == a, groups.index == b], [1.0, -1.0], 0.0) / groups.size[groups.index]
        return self._of_parts(per_hit, lambda own: self._of_difference(own, groups.index))

    def _of_difference(self, per_hit: Array, groups: Ints) -> Capital:
        if self._by_arm[per_hit[self.path.cell] != 0].any():
            return self._of_arms(per_hit)
        return self.path.capital(per_hit, groups).now

    def _of_parts(self, per_hit: Array, capital: Callable[[Array], Capital]) -> Capital:
        """Of a figure that may be of several parts of the pool: what is won against the sum of what it is in each."""
        parts = np.unique(self._part[per_hit != 0])
        if len(parts) < 2:
            return capital(per_hit)
        each = [np.where(self._part == part, per_hit, 0.0) for part in parts]
        size = self.assessment.cells.size
        weights = [max(float(np.maximum(sign * own, 0.0) @ size) for sign in (1, -1)) for own in each]
        return of_sum([capital(own / weight) for own, weight in zip(each, weights, strict=True)], weights)

    def _evenly_inside(self, cells: Bools) -> bool:
        """Whether every item of these cells had the same chance whenever one of them was drawn."""
        among = cells[self.path.cell]
        if len(np.unique(self._part[cells])) > 1:
            return False
        one_arm = len(np.unique(self.assessment.arms.index[cells])) == 1
        return not self._by_odds[among].any() and (one_arm or not self._by_arm[among].any())

    @cached_property
    def _missing(self) -> Array:
        """(n_cells,) draws whose labels are missing: skipped, or passed over so far."""
        path = self.path
        return np.bincount(path.cell[~path.known], minlength=len(path.size)).astype(np.float64)

    def _of_share(self, cells: Bools, *, whole: bool, along: bool = False) -> Capital:
        per_hit = np.where(cells, 1 / self.assessment.cells.size[cells].sum(), 0.0)
        return self._of_parts(per_hit, lambda own: self._of_share_in(own, whole=whole, along=along))

    def _of_share_in(self, per_hit: Array, *, whole: bool, along: bool) -> Capital:
        """A share in one part of the pool."""
        cells = per_hit != 0
        every = self.path.known[cells[self.path.cell]].sum() == self.assessment.cells.size[cells].sum()
        if every or (not whole and self._evenly_inside(cells)):
            return self._of_urn(cells, along=along)
        if self._by_arm[cells[self.path.cell]].any():
            return self._of_arms(per_hit)
        own = None if whole else np.zeros(len(cells), dtype=np.int64)
        return self.path.capital(per_hit, own)

    def _of_urn(self, cells: Bools, *, along: bool = False) -> Capital:
        """Of cells inside of which all items had equal chances."""
        size, among = self.assessment.cells.size[cells], cells[self.path.cell]
        hit, known = self.path.hit[among], self.path.known[among]
        score = float(self.assessment.outcome.expected(self.assessment.view)[cells] @ size / size.sum())
        if along:
            return along_share(int(size.sum()), hit, score, known)
        return of_share(int(size.sum()), len(hit), int(hit[known].sum()), score, int((~known).sum()))

    def _of_arms(self, per_hit: Array) -> Capital:
        """Of several arms, each drawn from uniformly, when nobody knows why."""
        arms = self.assessment.arms.index
        spoken_of = [(arms == arm) & (per_hit != 0) for arm in np.unique(arms[per_hit != 0])]
        weights = [float(per_hit[cells] @ self.assessment.cells.size[cells]) for cells in spoken_of]
        return of_sum([self._of_urn(cells) for cells in spoken_of], weights)


def softer(level: float) -> float:
    """With four times the error."""
    return max(1 - 4 * (1 - level), 0.5)
