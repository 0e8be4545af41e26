"""Compiled runs of strategies that go by what labels say of each arm by itself: the widest, and the nearest to a
verdict. What an arm is worth changes with its own labels only. Arms may have several cells."""

import math

import numpy as np

from fewlabels.core.anytime.ratio import AT_SCORES, EDGE, KAPPA, LAMBDA, SCORE_EDGE
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.compiling import compiled
from fewlabels.core.keyed import Use
from fewlabels.core.verdicts import LEAST_LABELS
from fewlabels.simulation.kernels.keyed import one_uniform
from fewlabels.simulation.kernels.uniform import in_proportion

WIDEST, NEAREST = 0, 1
_CELL = np.uint64(Use.CELL)


@compiled
def _variance(size: float, labels: float, hits: float) -> float:
    """As in strategies/widest.py."""
    alpha, beta, left = 1 + hits, 1 + labels - hits, size - labels
    strength = alpha + beta
    return left * (left + strength) * alpha * beta / (strength**2 * (strength + 1)) / size**2


@compiled
def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


@compiled
def _log_urn(labels: float, hits: float, mean: float, strength: float) -> float:
    a, b = strength * mean, strength * (1 - mean)
    return _log_beta(a + hits, b + labels - hits) - _log_beta(a, b)


@compiled
def _log_won(size: float, labels: float, hits: float, count: float, score: float) -> float:
    """As in core/anytime/ratio.py."""
    misses = labels - hits
    if count < hits or count > size - misses:
        return math.inf
    centre, at = min(max(count / size, EDGE), 1 - EDGE), min(max(score, SCORE_EDGE), 1 - SCORE_EDGE)
    own = math.log(1 - AT_SCORES) + _log_urn(labels, hits, centre, KAPPA)
    scored = math.log(AT_SCORES) + _log_urn(labels, hits, at, LAMBDA)
    chance = math.lgamma(count + 1) - math.lgamma(count - hits + 1)
    chance += math.lgamma(size - count + 1) - math.lgamma(size - count - misses + 1)
    chance += math.lgamma(size - labels + 1) - math.lgamma(size + 1)
    return max(own, scored) + math.log1p(math.exp(-abs(own - scored))) - chance


@compiled
def _shown(size: float, labels: float, hits: float, score: float, least: float, most: float) -> float:
    """What was won against either verdict being wrong, whichever is more: as in core/verdicts.py."""
    likeliest = (hits / labels if labels > 0 else 0.5) * size
    below = above = math.inf
    if least <= size:
        below = _log_won(size, labels, hits, max(least, 0.0), score)
        below = below if likeliest < least else min(below, 0.0)
    if most >= 0:
        above = _log_won(size, labels, hits, min(most, size), score)
        above = above if likeliest > most else min(above, 0.0)
    return max(below, above)


@compiled
def _worth(
    rule: int, size: float, labels: float, hits: float, about: tuple[Array, Array, Array, float, bool], k: int
) -> float:
    """Of a label in arm k."""
    if rule == WIDEST:
        return _variance(size, labels, hits)
    score, least, most, enough, up = about
    if labels < min(float(LEAST_LABELS), size):
        return 1e6 - labels
    won = _shown(size, labels, hits if up else labels - hits, score[k], least[k], most[k])
    return won if won < enough else -1e6 - labels


@compiled
def _best(worth: Array, remaining: Ints) -> int:
    """The arm of most worth that has items left, the first of equals; -1 where none has."""
    found = -1
    for k in range(len(worth)):
        if remaining[k] > 0 and (found < 0 or worth[k] > worth[found]):
            found = k
    return found


@compiled
def run_told(
    rule: int,
    size: Array,  # (n_arms,)
    about: tuple[Array, Array, Array, float, bool],  # scores, counts next to the threshold, what is enough, which way
    remaining: Ints,  # (n_arms,)
    cells: tuple[Ints, Ints, Ints, Ints],  # cells by arm, where each arm's begin, items left in each, its arm
    cards: tuple[Ints, Ints],  # what each item of the deck says, where each cell's begin
    batch: int,
    seed: np.uint64,
    drawn: Ints,
) -> int:
    """The cell of each draw, written to the last; how many there are. Labels come back `batch` at a time, and until
    then count at the rate of their arm so far."""
    (members, begins, left, arm_of), (outcomes, starts) = cells, cards
    n, taken = len(size), np.zeros(len(left), np.int64)
    hits, labels, waiting, worth = np.zeros(n), np.zeros(n), np.zeros(n), np.empty(n)
    for k in range(n):
        worth[k] = _worth(rule, size[k], 0.0, 0.0, about, k)
    told = 0
    for draw in range(len(drawn)):
        arm = _best(worth, remaining)
        if arm < 0:
            return draw
        inside = members[begins[arm] : begins[arm + 1]]
        cell = inside[0]
        if len(inside) > 1:
            cell = inside[in_proportion(left[inside], one_uniform(seed, draw + 1, _CELL))]
        drawn[draw] = cell
        left[cell] -= 1
        remaining[arm] -= 1
        waiting[arm] += 1
        if draw + 1 == told + batch:
            for cell in drawn[told : draw + 1]:
                k = arm_of[cell]
                hits[k] += outcomes[starts[cell] + taken[cell]] == 0
                labels[k] += 1
                waiting[k] = 0.0
                taken[cell] += 1
            for cell in drawn[told : draw + 1]:
                k = arm_of[cell]
                worth[k] = _worth(rule, size[k], labels[k], hits[k], about, k)
            told = draw + 1
        else:
            expected = (hits[arm] + 0.5) / (labels[arm] + 1) * waiting[arm]
            worth[arm] = _worth(rule, size[arm], labels[arm] + waiting[arm], hits[arm] + expected, about, arm)
    return len(drawn)
