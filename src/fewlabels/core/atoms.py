"""Class shares among very many classes, drawn as a few classes with weights instead of one number a class.

A Dirichlet of weak pseudo-counts over a thousand classes puts its mass on a handful of them. Sethuraman (1994), *A
constructive definition of Dirichlet priors*: with A the sum of the pseudo-counts,

    theta = sum_i w_i delta(c_i),  c_i ~ alpha / A,  w_i = v_i prod_{j<i} (1 - v_j),  v_i ~ Beta(1, A),

for every alpha, exactly; a class may come up more than once. Labels come in by the sum of gammas: Dirichlet(alpha + n)
is Dirichlet(alpha) and Dirichlet(n) mixed in the ratio Gamma(A) to Gamma(sum n), and n is 0 for nearly all classes.
The one approximation is the end of the sum: see CUT.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.dirichlet import CHUNK

# The sum ends where so little of a cell's mass is expected to be left, and the last class takes it: no draw of a share
# is off by more than this on average, when five hundred draws tell a quantile to a hundredth.
CUT = 1e-9


@dataclass(frozen=True)
class Atoms:
    """Draws of the class shares of some cells: each the sum of a few classes with weights."""

    cells: slice
    classes: Ints  # (n_draws, n_cells, n_atoms); a class may come more than once
    weight: Array  # (n_draws, n_cells, n_atoms), of sum 1 over the atoms

    def share_of(self, wanted: Ints) -> Array:
        """The share of one class of each cell, (n_draws, n_cells)."""
        return np.asarray(np.where(self.classes == wanted[:, None], self.weight, 0.0).sum(axis=-1))

    def beside(self, classes: Ints, share: Array) -> "Atoms":
        """These shares made room for one more class of each cell, of a given share (n_draws, n_cells)."""
        more = np.broadcast_to(classes, share.shape)[..., None]
        weight = np.concatenate([share[..., None], self.weight * (1 - share)[..., None]], axis=-1)
        return Atoms(self.cells, np.concatenate([more, self.classes], axis=-1), weight)

    def of_items(self, known: Array, size: Ints, rng: np.random.Generator) -> "Atoms":
        """Shares among the cell's very items: those labelled (n_cells, n_classes) and the others, drawn from these."""
        unlabelled = np.maximum(size - known.sum(axis=1), 0.0).astype(np.int64)
        drawn = rng.multinomial(unlabelled, self.weight)
        classes, counts = _packed(known)
        everywhere = (len(self.weight), *classes.shape)
        return Atoms(
            self.cells,
            np.concatenate([np.broadcast_to(classes, everywhere), self.classes], axis=-1),
            np.concatenate([np.broadcast_to(counts, everywhere), drawn], axis=-1) / size[:, None],
        )


def sticks_needed(prior: Array) -> int:
    """How many terms of the sum leave CUT of a cell's mass: after n of them (A / (1 + A))^n is expected to be left."""
    strength = float(prior.sum(axis=1).max())
    return 1 + math.ceil(math.log(CUT) / math.log(strength / (1 + strength)))


def atom_draws(
    prior: Array,  # (n_cells, n_classes) pseudo-counts
    counts: Array,  # (n_cells, n_classes) labels
    count: int,
    rng: np.random.Generator,
    within: slice = slice(None),
) -> Iterator[Atoms]:
    """Joint draws from Dirichlet(prior + counts) of the cells, some at a time so that memory stays bounded."""
    sticks = sticks_needed(prior)
    at_once = max(1, CHUNK // (count * (sticks + int((counts > 0).sum(axis=1).max()))))
    first, end, _ = within.indices(len(prior))
    for start in range(first, end, at_once):
        cells = slice(start, min(start + at_once, end))
        yield _labelled(_sticks(prior[cells], count, sticks, rng), prior[cells], counts[cells], cells, rng)


def _sticks(prior: Array, count: int, sticks: int, rng: np.random.Generator) -> tuple[Ints, Array]:
    """Classes and weights of draws from the prior alone, (count, n_cells, sticks)."""
    strength = prior.sum(axis=1)
    # 1 - v = U^(1/A), so that what is left after i terms is exp(-(E_1 + … + E_i) / A), E exponential.
    left = np.exp(-np.cumsum(rng.standard_exponential((count, len(prior), sticks)), axis=-1) / strength[:, None])
    left[..., -1] = 0.0
    weight = -np.diff(left, axis=-1, prepend=1.0)
    uniform = rng.random(weight.shape)
    classes = np.empty(weight.shape, dtype=np.int64)
    upto = np.cumsum(prior, axis=1)
    upto /= upto[:, -1:]
    for i in range(len(prior)):
        classes[:, i] = np.searchsorted(upto[i], uniform[:, i], side="right")
    return classes, weight


def _labelled(sticks: tuple[Ints, Array], prior: Array, counts: Array, cells: slice, rng: np.random.Generator) -> Atoms:
    """Draws from the prior mixed with those of the labelled classes."""
    classes, weight = sticks
    known, times = _packed(counts)
    of_prior = rng.standard_gamma(prior.sum(axis=1), size=weight.shape[:2])
    of_labels = rng.standard_gamma(times, size=(len(weight), *times.shape))
    total = of_prior + of_labels.sum(axis=-1)
    unseen = times.sum(axis=1) == 0  # there a gamma of a weak prior may underflow, and the prior is all there is
    with np.errstate(invalid="ignore"):
        share = np.where(unseen, 1.0, of_prior / total)[..., None]
        of_labels = np.where(unseen[:, None], 0.0, of_labels / total[..., None])
    return Atoms(
        cells,
        np.concatenate([np.broadcast_to(known, of_labels.shape), classes], axis=-1),
        np.concatenate([of_labels, share * weight], axis=-1),
    )


def _packed(counts: Array) -> tuple[Ints, Array]:
    """The classes counted in each row and how often, (n_rows, most classes of a row); rows of fewer end in zeros."""
    row, column = np.nonzero(counts)
    per_row = np.bincount(row, minlength=len(counts))
    place = np.arange(len(row)) - np.repeat(np.cumsum(per_row) - per_row, per_row)
    classes = np.zeros((len(counts), int(per_row.max(initial=0))), dtype=np.int64)
    times = np.zeros(classes.shape)
    classes[row, place], times[row, place] = column, counts[row, column]
    return classes, times
