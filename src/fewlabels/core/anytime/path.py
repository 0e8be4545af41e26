"""The draws of a study in the order of asking, and what each is worth to a figure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.special import expit

from fewlabels.core.anytime.betting import Bets, Worth
from fewlabels.core.anytime.capital import Capital
from fewlabels.core.anytime.ratio import MOST_VALUES
from fewlabels.core.anytime.unseen import Drawn, Unseen
from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.odds import Odds

_FIRST_FIT, _GROWTH = 5, 0.12  # predictions are fitted after so many labels, later after so large a share of them
_NEWTON_STEPS = 6
_SHIFT_PRECISION, _SLOPE_PRECISION = 1 / 2.0**2, 1 / 0.5**2  # of the prior: no shift, and a slope of one
_NONE_OR_ALL = np.array([[0.0], [1.0]])
_SURE = 0.002  # no prediction is nearer to zero or one
_OWN = 4.0  # labels that a group's own residuals are shrunk by


@dataclass(frozen=True)
class Path:
    """One entry a draw. Inside a cell every item left has the same chance."""

    cell: Ints
    hit: Array  # 0 or 1; of no meaning where no label is known
    known: Bools
    round: Ints
    outside: Bools  # told by somebody: drawn uniformly, in no round
    size: Ints  # (n_cells,) items
    reach: Bools  # (n_cells,) whether the cell could be drawn from
    logit: Array  # (n_cells,) of the score
    odds: Mapping[int, Odds] = field(default_factory=dict)  # of rounds; elsewhere chances are equal where they matter
    joined: Ints | int = -1  # (n_cells,) the round after which each could be drawn from
    seen: Ints | None = None  # of each draw, the first draw made when its label was known; None: the next

    def __len__(self) -> int:
        return len(self.cell)

    @cached_property
    def told_before(self) -> list[int]:
        """Of each draw, the first draw that was made when its label was known."""
        seen = np.arange(1, len(self) + 1) if self.seen is None else self.seen
        return [int(place) for place in seen]

    def terms(self, per_hit: Array, group: Ints | None = None) -> Iterator[tuple[int, Worth, list[float]]]:
        """Of each draw among the items that the figure speaks of: its place, what it is worth, and what those before
        came to whose labels were told meanwhile.

        `per_hit` is what a hit in each cell adds to the figure. Predictions of a `group` of cells learn from its own
        labels too.
        """
        cells = np.flatnonzero((per_hit != 0) & (self.size > 0))
        a = per_hit[cells]
        own = np.zeros(len(cells), dtype=np.int64) if group is None else np.unique(group[cells], return_inverse=True)[1]
        residual, labels, unseen = np.zeros(own.max() + 1), np.zeros(own.max() + 1), Unseen()
        logit, fits, last, known, seen = (
            self.logit[cells],
            self._fits.tolist(),
            None,
            self.known.tolist(),
            self.told_before,
        )
        for t, j, left, q in self.among(cells):
            told = unseen.told_by(t)
            for one in told:
                residual[one.group] += one.off
                labels[one.group] += 1
            if fits[t] != last:  # most draws go by the fit of the one before
                last = shift, slope = fits[t]
                predicted = expit(shift + slope * logit)
            shifted = predicted if group is None else predicted + (residual / (labels + _OWN))[own]
            c = np.minimum(np.maximum(shifted, _SURE), 1 - _SURE)
            rest = float((a * c) @ left)
            there = left > 0
            ends = (a * (_NONE_OR_ALL - c))[:, there] / q[there]
            least, most, worth = float(ends.min()), float(ends.max()), float(a[j])
            hits = (float(self.hit[t]),) * 2 if known[t] else (float(worth < 0), float(worth > 0))
            low, high = (float(a[j] * (hit - c[j]) / q[j]) for hit in hits)
            base, bound, middle = unseen.between(rest), unseen.bounds(rest), unseen.middle(rest)
            yield (
                t,
                Worth(
                    base[0] + low, base[1] + high, base[0] + least, base[1] + most, bound[0] + least, bound[1] + most
                ),
                [one.worth for one in told],
            )
            drawn = Drawn(worth, float(c[j]), int(own[j]), float(hits[0] - predicted[j]), middle + low)
            unseen.add(drawn, hits[0] if known[t] else None, seen[t])

    def among(self, cells: Ints) -> Iterator[tuple[int, int, Array, Array]]:
        """Of each draw from these cells: its place, which of them it is from, the items that each had left, and the
        chance of one item of each, given that one of all these is drawn."""
        place_of = np.full(len(self.size), -1)
        place_of[cells] = np.arange(len(cells))
        left = self.size[cells].astype(np.float64)
        for t in np.flatnonzero(place_of[self.cell] >= 0).tolist():
            j, mass = int(place_of[self.cell[t]]), self._mass(t, cells, left)
            yield t, j, left, mass / (mass @ left)
            left[j] -= 1

    def _mass(self, t: int, cells: Ints, left: Array) -> Array:
        """The chance of one item of each of these cells, up to a factor."""
        if self.outside[t] or int(self.round[t]) not in self.odds:
            return np.ones(len(cells))
        odds = self.odds[int(self.round[t])]
        mass = self._evenly[t] + self._by_worth[t] * odds.worth[cells]
        late = self._late.get(int(self.round[t]), [])
        if late:  # items that went while the round was under way: the others of their cell have their chances
            gone = np.bincount([self.cell[o] for o in late if o < t], minlength=len(self.size))[cells]
            mass = mass * np.where(left > 0, (left + gone) / np.maximum(left, 1), 0.0)
        return np.asarray(mass)

    @cached_property
    def _late(self) -> dict[int, list[int]]:
        """Labels from outside that came while a round was under way."""
        found: dict[int, list[int]] = {}
        for place in np.flatnonzero(self.outside).tolist():
            found.setdefault(int(self.round[place]), []).append(place)
        return found

    @cached_property
    def _shares(self) -> tuple[Array, Array]:
        """Of each draw by odds: what every item has alike, and what it has for each unit of its worth."""
        left = np.where(self.reach, self.size, 0).astype(np.float64)
        alike, by_worth, planned, number = np.zeros(len(self)), np.zeros(len(self)), left, -1
        for t in range(len(self)):
            cell, odds = int(self.cell[t]), self.odds.get(int(self.round[t]))
            if odds is not None and not self.outside[t]:
                if self.round[t] != number:
                    number = int(self.round[t])
                    planned = np.where(self.joined < number, left, 0.0)
                total = float(odds.worth @ planned)
                alike[t] = (odds.uniform if total > 0 else 1.0) / planned.sum()
                by_worth[t] = (1 - odds.uniform) / total if total > 0 else 0.0
                planned[cell] -= 1
            left[cell] -= 1
        return alike, by_worth

    @property
    def _evenly(self) -> Array:
        return self._shares[0]

    @property
    def _by_worth(self) -> Array:
        return self._shares[1]

    @cached_property
    def _fits(self) -> Array:
        """Shift and slope of the logit of the score, fitted to the labels before each draw, every so often."""
        found, hits, labels = np.zeros((len(self), 2)), np.zeros(len(self.size)), np.zeros(len(self.size))
        fitted, told, due, waiting = np.array([0.0, 1.0]), 0, _FIRST_FIT, list[int]()
        for t in range(len(self)):
            for s in [s for s in waiting if self.told_before[s] <= t]:
                hits[self.cell[s]] += self.hit[s]
                labels[self.cell[s]] += 1
                told += 1
                waiting.remove(s)
            if told >= due:
                fitted, due = _logistic(hits, labels, self.logit, fitted), told + max(_FIRST_FIT, int(_GROWTH * told))
            found[t] = fitted
            if self.known[t]:
                waiting.append(t)
        return found

    def first(self, count: int) -> "Path":
        """The first so many draws."""
        columns = {name: getattr(self, name)[:count] for name in ("cell", "hit", "known", "round", "outside")}
        return replace(self, **columns, seen=None if self.seen is None else self.seen[:count])

    def with_hits(self, hit: Array) -> "Path":
        """The same draws with other labels."""
        return replace(self, hit=hit)

    def capital(self, per_hit: Array, group: Ints | None = None) -> Capital:
        """What was won against each value of the figure."""
        bets = self.bets(per_hit)
        for _, worth, told in self.terms(per_hit, group):
            bets.add(worth, told)
        return bets.capital

    def bets(self, per_hit: Array) -> Bets:
        """None as yet, against the values that the figure may have."""
        most, least = (float(per_hit[sign * per_hit > 0] @ self.size[sign * per_hit > 0]) for sign in (1, -1))
        items = int(self.size[per_hit != 0].sum())
        every = least == 0 and items < MOST_VALUES and len(np.unique(per_hit[per_hit != 0])) == 1
        values = np.linspace(least, most, items + 1 if every else MOST_VALUES)
        return Bets(values, all_there_are=every, shares=round(most - least))


def _logistic(hits: Array, labels: Array, logit: Array, start: Array) -> Array:
    """Shift and slope of the likeliest logistic curve, by Newton's method."""
    seen = labels > 0
    hits, labels, z = hits[seen], labels[seen], logit[seen]
    shift, slope = start
    for _ in range(_NEWTON_STEPS):
        p = expit(shift + slope * z)
        error, weight = hits - labels * p, labels * p * (1 - p)
        g0, g1 = error.sum() - _SHIFT_PRECISION * shift, error @ z - _SLOPE_PRECISION * (slope - 1)
        h00, h01, h11 = weight.sum() + _SHIFT_PRECISION, weight @ z, weight @ z**2 + _SLOPE_PRECISION
        determinant = h00 * h11 - h01**2
        shift += (h11 * g0 - h01 * g1) / determinant
        slope += (h00 * g1 - h01 * g0) / determinant
    return np.array([shift, slope])
