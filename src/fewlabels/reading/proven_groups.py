"""What the draws of a study prove of the groups it names, however often somebody looked."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from fewlabels.answers import GroupProof
from fewlabels.assessment import Assessment
from fewlabels.core.anytime import Path
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.evidence import NO_ORDER, Evidence
from fewlabels.core.proven import Draw, Proving, Standing, proven
from fewlabels.core.proven.bets import Worth
from fewlabels.core.proven.drawing import shrunk
from fewlabels.core.proven.proof import STARTS
from fewlabels.questions import Identify
from fewlabels.reading.every_look import EveryLook
from fewlabels.settling import among


def proof_of(assessment: Assessment, evidence: Evidence, order: Ints, top: int) -> GroupProof | None:
    """For the first groups in this order; None where the chances of the draws are not known."""
    drawn = _Drawn(assessment, evidence)
    if drawn.why_not is not None:
        return None
    named = among(order, top)
    names, figures = assessment.lens.rows.names, assessment.certified
    assert figures is not None
    most = proven(Proving(drawn.shift, cast(Identify, assessment.question).within), list(drawn.draws()), named)
    at = [tuple(names[g] for g in np.flatnonzero(of).tolist()) for of in (named, ~named)]
    return GroupProof(at[0], at[1], most)


@dataclass(frozen=True)
class _Drawn:
    """The draws of a study, as bets on its groups need them. More hits make a figure higher."""

    assessment: Assessment
    evidence: Evidence

    @cached_property
    def _look(self) -> EveryLook:
        return EveryLook(self.assessment, self.evidence)

    @cached_property
    def why_not(self) -> str | None:
        """Why nothing can be proven, in a clause; None where it can."""
        if (why := self._look.why_not) is not None:
            return why
        if self.assessment.grown:
            return "the pool was extended"
        return "items were drawn with chances that are not known" if self._look.chances_unknown else None

    @cached_property
    def _turned(self) -> bool:
        """Whether hits make a figure lower."""
        figures = self.assessment.certified
        return figures is not None and figures.scale < 0

    @property
    def shift(self) -> Array:
        """What is added to each group's share to make its figure."""
        figures = self.assessment.certified
        assert figures is not None
        return figures.shift - 1 if self._turned else figures.shift

    @cached_property
    def _path(self) -> Path:
        """The draws before the oldest query that waits for its label, with a hit for whatever makes a figure higher.
        A late answer would change what later bets were about."""
        path, order = self._look.path, self.evidence.order or NO_ORDER
        if order.open:
            oldest = min(query.number for query in order.open)
            skipped = sum(query.number < oldest for query in order.skipped)
            path = path.first(int((order.number < oldest).sum()) + skipped)
        return path.with_hits(1 - path.hit) if self._turned else path

    @cached_property
    def _stratum(self) -> Ints:
        return self.assessment.certifying.stratum

    @cached_property
    def _levels(self) -> tuple[Array, Array]:
        """Hits and labels of each stratum that were known when each item was asked, (n_draws, n_strata)."""
        path, count = self._path, int(self._stratum.max()) + 1
        one = np.zeros((2, len(path) + 1, count))
        at = np.minimum(path.told_before, len(path)), self._stratum[path.cell]
        for of, each in zip(one, (path.hit * path.known, path.known), strict=True):
            np.add.at(of, at, each)
        hits, labels = one.cumsum(axis=1)
        return hits, labels

    def draws(self) -> Iterator[Draw]:
        """In the order of asking."""
        path, group = self._path, self.assessment.view.groups.index
        kept = path.known.all()
        worth: dict[int, tuple[int, Worth, Worth, float, float]] = {}
        for g in np.unique(group[path.cell]).tolist():
            cells = np.flatnonzero((group == g) & (path.size > 0))
            low, high = ([*self._worths(cells, most=most)] for most in (False, True)) if not kept else ([], [])
            each = [*self._worths(cells, most=True)] if kept else []
            for one, other in zip(each or low, each or high, strict=True):
                worth[one[0]] = g, one[1], other[1], one[2], other[3]
        first, count = self._first, self.assessment.view.groups.count
        nobody = np.zeros(0, dtype=np.int64)
        for t in range(len(path)):
            yield Draw(*worth[t], first(t) if t in [each * count for each in STARTS] else nobody)

    def _first(self, t: int) -> Ints:
        """The groups in the lead, by the labels that were known when an item was asked."""
        made, path = self.assessment, self._path
        before = np.array(path.told_before) <= t
        size, known = path.size.astype(np.float64), path.known[before]
        both = path.hit[before] * known, known
        hits, labels = (np.bincount(path.cell[before], each, len(size)).astype(np.float64) for each in both)
        at = Standing(made.view.groups.index, self._stratum, size, hits, labels, self.shift)
        return np.argsort(at.mean, kind="stable")[: made.question.plays]

    def _worths(self, cells: Ints, *, most: bool) -> Iterator[tuple[int, Worth, float, float]]:
        """Each draw from a group's cells: its place, what it says, and the ends between which the share lies after it.
        Skipped items count as hits (`most`) or as misses. Predictions and stakes know only what was told when the item
        was asked: else whoever skips items could pick them by looking at later ones."""
        path, stratum, items = self._path, self._stratum[cells], float(self._path.size[cells].sum())
        of_stratum, labels_of = self._levels
        hits, labels, sure, waiting = np.zeros(len(cells)), np.zeros(len(cells)), 0.0, list[tuple[int, int]]()
        for t, j, left, q in path.among(cells):
            for place, cell in [one for one in waiting if path.known[one[0]] and path.told_before[one[0]] <= t]:
                hits[cell] += path.hit[place]
                labels[cell] += 1
                waiting.remove((place, cell))
            rate = shrunk(hits, labels, of_stratum[t], labels_of[t], stratum)
            there = left > 0
            per_label = 1 / (q[there] * items)
            middle = (sure + float(left @ rate)) / items
            low, high = (
                middle - float((rate[there] * per_label).max()),
                middle + float(((1 - rate[there]) * per_label).max()),
            )
            told = float(hits.sum()) - sure  # of the labels so far, fewer hits may be known yet,
            asked = low + told / items, high + (told + len(waiting)) / items  # or more may come
            of_rates = left[there] * rate[there] * (1 - rate[there]) * per_label / items
            known = bool(path.known[t])
            hit = float(path.hit[t]) if known else float(most)
            x = middle + (hit - rate[j]) / (q[j] * items)
            sure += hit
            rest = float(left.sum()) - 1
            found = Worth(x, low, high, middle, float(np.sqrt(of_rates.sum())), *asked)
            yield t, found, sure / items, (sure + rest) / items
            waiting.append((t, j))
