"""The regression's terms for given cells: offsets, covariates and prior variances, at every point of the grid."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import logit

from fewlabels.core.arrays import Array, Ints

# The three ways to read a score: as it is, squeezed beyond KNEE, or not at all. Each with the standard deviations of
# the shift a, of the slope b and of the slope between groups d.
RAW, SQUEEZED, FLAT = 0, 1, 2
SHIFT_SD, SLOPE_SD, BETWEEN_SD = (2.5, 3.0, 2.0), (0.5, 0.5, 0.35), 0.5
KNEE, SQUEEZE = 2.2, 0.35  # beyond a score of .9 a logit counts about a third
YES = 0.9  # what a 1 is taken for where scores are 0 and 1 alone, and a 0 for one less this
MARKS, DIGITS = 12, 9  # scores of so few values are marks; so many digits tell values apart
FLAT_CENTRE = 1.4  # a model of which nothing is known is right four times in five
CLIP, RAW_CLIP = 1e-4, 1e-6  # scores of exactly 0 or 1 have no logit

SPREADS = ((0.2, 1.0), (0.7, 1.0))  # tau, the standard deviation of groups' own effects, and its weight
WIDE_SPREAD, AS_GROUPS, LEAST_WIDE = 1.5, 2.0, 0.05  # one more where groups are few: weighs as much as two of them
BENDS = ((0.1, 0.6), (0.7, 0.4))  # omega, that of the heights of the hats, and its weight
HATS = 5
LEAST_SPAN = 0.3  # where squeezed logits span less there is no curve to bend
CROSSED_SD, MOST_CROSSED = 0.5, 12  # of what the values of one of several groupings have in common; of so many at most


@dataclass(frozen=True)
class Trust:
    """How far scores and labels are believed."""

    readings: tuple[float, float, float]  # what each reading of the score weighs before any label
    exceptions: tuple[float, float]  # how many groups are exceptions, with even chances
    slab: float  # the further standard deviation of the effect of an exception
    anything: bool  # exceptions may do anything, whatever their scores; else they are off from these
    per_label: float  # what a label counts for the rates; items labelled are known whatever it is

    @property
    def exception(self) -> float:
        """The mean share of exceptions."""
        return sum(self.exceptions) / 2


# For a figure by itself: most groups do as their scores say, and a label is a label.
TRUSTING = Trust((0.35, 0.40, 0.25), (0.01, 0.1), 2.0, False, 1.0)

# For two groups set against one another: no score is taken as it is, for that groups differ in how far their scores
# are off is what is asked; and three groups in ten may do anything (a logit of standard deviation 1.8 is about as
# likely to be any rate as any other), so that no group is ruled out by its scores before it has labels of its own.
WARY = Trust((0.0, 0.6, 0.4), (0.1, 0.5), 1.8, True, 1.0)

# For the group that stands out among many, which is picked because it does: there a label counts half as well. Groups
# that tie have no weight of their own in a belief about rates that all differ, which is then too sure of the one that
# happens to be behind; half of the evidence takes back most of that, not all.
SCEPTICAL = replace(WARY, per_label=0.5)


@dataclass(frozen=True)
class Model:
    """Cells in the order of their groups; a point of the grid is a reading of the score, a spread and a bend."""

    order: Ints  # (n_cells,) the cells, sorted by group
    group: Ints  # (n_cells,) of the sorted cells, 0, 1, … without gaps
    size: Ints  # (n_cells,) sorted
    offset: Array  # (3, n_cells) o_c
    terms: Array  # (3, n_cells, n_terms) what beta = (a, b, d, w_1, …) is multiplied with
    reading: Ints  # (n_points,) RAW, SQUEEZED or FLAT, in this order
    tau: Array  # (n_points,)
    precision: Array  # (n_points, n_terms) of beta beforehand
    log_prior: Array  # (n_points,)
    trust: Trust
    away: Array  # (3, n_groups) where the effect of an exception is centred, under each reading

    @cached_property
    def starts(self) -> Ints:
        """Where each group's cells start, and the end."""
        return np.searchsorted(self.group, np.arange(self.group[-1] + 2))

    @property
    def groups(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def leads(self) -> Ints:
        """(n_points,) the first point of the same reading."""
        _, first, which = np.unique(self.reading, return_index=True, return_inverse=True)
        return np.asarray(first[which])

    @cached_property
    def group_size(self) -> Array:
        return np.bincount(self.group, weights=self.size).astype(np.float64)

    @cached_property
    def sds(self) -> Array:
        """(2, n_points) the standard deviation of a group's effect: of most groups, and of exceptions."""
        return np.stack([self.tau, np.hypot(self.tau, self.trust.slab)])

    def linear(self, beta: Array, reading: Ints, cells: Ints | slice = slice(None)) -> Array:
        """o_c + x_c' beta of some cells for each row of beta (n, n_terms): (n, n_cells)."""
        out = np.empty((len(beta), self.offset[0, cells].shape[0]))
        for which in range(3):
            rows = np.flatnonzero(reading == which)
            if len(rows):
                out[rows] = self.offset[which, cells] + beta[rows] @ self.terms[which, cells].T
        return out


def model_of(score: Array, size: Ints, group: Ints, trust: Trust = TRUSTING, crossed: Sequence[Ints] = ()) -> Model:
    """The model of cells with these mean scores, sizes and groups; groups may be crossings of several groupings, each
    given by the value of every cell. Readings without weight are left out."""
    order, group = _in_order(score, size, group)
    score, size = _meant(score[order]), size[order]
    inside = np.clip(score, CLIP, 1 - CLIP)
    squeezed = squeezed_logit(score)
    raw = logit(np.clip(score, RAW_CLIP, 1 - RAW_CLIP))
    hats = _hats(inside, size) if np.ptp(squeezed) >= LEAST_SPAN else np.zeros((len(score), 0))
    mains = _main_effects([values[order] for values in crossed], len(score))
    terms = [_terms(z, size, group, hats, mains) for z in (raw, squeezed, squeezed)]
    bends = BENDS if hats.shape[1] else BENDS[:1]
    readings, wide = [(v, p) for v, p in enumerate(trust.readings) if p > 0], min(0.5, AS_GROUPS / (group[-1] + 1))
    grid = [(v, tau, omega, p * q * r) for v, p in readings for tau, q in SPREADS for omega, r in bends]
    grid += [(v, WIDE_SPREAD, bends[0][0], p * wide) for v, p in readings if wide >= LEAST_WIDE]
    reading, weight = np.array([v for v, *_ in grid]), np.array([w for *_, w in grid])
    more = [CROSSED_SD] * mains.shape[1]
    sds = [[SHIFT_SD[v], SLOPE_SD[v], BETWEEN_SD, *[omega] * hats.shape[1], *more] for v, _, omega, _ in grid]
    offset = np.stack([raw, squeezed, np.full(len(score), FLAT_CENTRE)])
    of_group = np.stack([np.bincount(group, weights=o * size) for o in offset]) / np.bincount(group, weights=size)
    return Model(
        order,
        group,
        size,
        offset,
        np.stack(terms),
        reading,
        np.array([tau for _, tau, *_ in grid]),
        np.array(sds) ** -2.0,
        np.log(weight / weight.sum()),
        trust,
        -of_group if trust.anything else np.zeros_like(of_group),
    )


def _in_order(score: Array, size: Ints, group: Ints) -> tuple[Ints, Ints]:
    """The cells by group, groups by their size, largest first, and mean score: draws depend on what groups are, not on
    what they are called."""
    group = np.unique(group, return_inverse=True)[1].reshape(-1)
    items, score_sum = (np.bincount(group, weights=w) for w in (size, size * score))
    place = np.argsort(np.lexsort((score_sum / items, -items)))[group]
    order = np.lexsort((score, place))
    return order, place[order]


def _meant(score: Array) -> Array:
    """Scores, a 0 and a 1 among them taken for no more than they say. A model that says yes or no does not say that it
    is never wrong; and of a few marks the highest, if it is 1, stands for all that is nearer to it than to the next:
    it is taken for the middle of that."""
    marks = np.unique(np.round(score, DIGITS))
    if len(marks) > MARKS:
        return score
    between = marks[(marks > RAW_CLIP) & (marks < 1 - RAW_CLIP)]
    if not len(between):
        return np.clip(score, 1 - YES, YES)
    return np.clip(score, between[0] / 4, 1 - (1 - between[-1]) / 4)


def squeezed_logit(score: Array) -> Array:
    """The logit of a score, what lies beyond .9 counting less: scores that near one are seldom meant."""
    z = logit(np.clip(score, CLIP, 1 - CLIP))
    beyond = np.abs(z) - KNEE
    return np.asarray(np.where(beyond <= 0, z, np.sign(z) * (KNEE + SQUEEZE * beyond)))


def _hats(score: Array, size: Ints) -> Array:
    """Triangles over a scale on which half the items' mass and half that of expected doubt are spread evenly."""
    doubt, order = size * score * (1 - score), np.argsort(score, kind="stable")
    mass = (size / size.sum() + doubt / doubt.sum()) / 2
    place = np.empty(len(score))
    place[order] = np.cumsum(mass[order]) - mass[order] / 2
    knots = np.linspace(0, 1, HATS)
    return np.asarray(np.maximum(0.0, 1 - np.abs(place[:, None] - knots) * (HATS - 1)))


def _main_effects(crossed: list[Ints], cells: int) -> Array:
    """A column for each value of each of several groupings, (n_cells, n); those of many values have none."""
    few = [values for values in crossed if len(crossed) > 1 and len(np.unique(values)) <= MOST_CROSSED]
    columns = [values[:, None] == np.unique(values) for values in few]
    return np.concatenate([np.zeros((cells, 0)), *columns], axis=1)


def _terms(z: Array, size: Ints, group: Ints, hats: Array, mains: Array) -> Array:
    """One column for each part of beta."""
    centre = np.average(z, weights=size)
    of_group = (np.bincount(group, weights=z * size) / np.bincount(group, weights=size))[group]
    return np.asarray(np.column_stack([np.ones(len(z)), z - centre, of_group - centre, hats, mains]))
