"""Which group is worst: the label at which it is named, and whether it is within a point of the worst."""

import numpy as np
from benchmarks.stops.labels import MOST, Labelling, begin
from benchmarks.stops.pools import Case
from scipy.special import betainc, expit

import fewlabels as fl
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.beta import BetaBelief
from fewlabels.core.certificate import quotas
from fewlabels.simulation.kernels.settled import SettleRun

WITHIN, GOAL = 0.01, 0.95
METHODS = {
    "auto": fl.Method(),
    "uniform": fl.Method("uniform", "stratified"),
    "papers": fl.Method("top_two", "beta"),
}
_EDGES = np.concatenate([[0.0], expit(np.linspace(-9, 16, 600)), [1.0]])  # of shares, between which a belief is summed


def study(case: Case, method: str, number: int, batch: int) -> Labelling:
    """Before its first label."""
    question = fl.Identify("accuracy", by=case.by, within=0.0 if method == "papers" else WITHIN)
    return begin(case.pool(number), question, METHODS[method], number, batch, fl.Probability(GOAL))


def run(case: Case, method: str, number: int, batch: int, most: int = MOST) -> dict[str, object]:
    """One study from its first label to its stop."""
    at = study(case, method, number, batch)
    most = min(most, at.items)
    labels, named = _of_papers(at, most) if method == "papers" else _certified(at, most)
    value = at.truth.values
    right = named is not None and bool(value[named] <= value.min() + WITHIN + 1e-9)
    return {"labels": labels, "stopped": named is not None, "right": right}


def _certified(at: Labelling, most: int) -> tuple[int, int | None]:
    """Until a look says that the worst may be named; nothing is claimed before every group has labels."""
    made, groups = at.assessment, at.assessment.view.groups
    if quotas(groups.size, np.arange(groups.count)).sum() >= most:
        return most, None
    given = np.zeros(0, dtype=np.int64) if made.strategy.settles else _cells(at.counted(most))
    labels, named = SettleRun(made, at.batch).until(GOAL, at.deck, most, at.seed, given)
    return labels, None if named is None else int(named[0])


def _cells(counts: Array) -> Ints:
    """From which cell each label is."""
    labels = counts.sum(axis=2)
    return np.diff(labels, axis=0, prepend=0.0).argmax(axis=1)


def _of_papers(at: Labelling, most: int) -> tuple[int, int | None]:
    """Until the posterior says so: P(the group of the lowest mean is the lowest) at the goal."""
    belief = at.assessment.prior_belief
    assert isinstance(belief, BetaBelief)
    alpha, beta = belief.prior_alpha.copy(), belief.prior_beta.copy()
    before = np.zeros((len(alpha), 2))
    below = betainc(alpha[:, None], beta[:, None], _EDGES)
    above = _log_above(below)
    for number, counts in enumerate(at.counted(most), start=1):
        cell = int(np.argmax((counts != before).any(axis=1)))
        before = counts
        below[cell] = betainc(alpha[cell] + counts[cell, 0], beta[cell] + counts[cell, 1], _EDGES)
        above[cell] = _log_above(below[cell])
        if number % at.batch:
            continue
        a, b = alpha + counts[:, 0], beta + counts[:, 1]
        lowest = int((a / (a + b)).argmin())
        others = np.exp(above.sum(axis=0) - above[lowest])
        if np.diff(below[lowest]) @ others >= GOAL:
            return number, lowest
    return most, None


def _log_above(below: Array) -> Array:
    """The logarithm of the chance to lie above, between two edges."""
    return np.asarray(np.log(np.maximum(1 - (below[..., 1:] + below[..., :-1]) / 2, 1e-300)))
