"""What is believed of groups in a compiled run, kept up label by label: as in core/stratified, of the pool's own items.

A group is worked out again when its labels change, or what all groups share.
"""

import math
from typing import NamedTuple

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.compiling import inner, part
from fewlabels.core.stratified.compiled import as_one_of_most, beta_binomial, log_chances, lowering
from fewlabels.core.stratified.counts import FURTHEST, LEAST_CHANCE, MOST_STEPS
from fewlabels.core.stratified.layout import (
    FIRM,
    KAPPAS,
    LEVELS,
    MANY_EXCEPTIONS,
    NODES,
    SPREAD_PARTS,
    SPREAD_WEIGHTS,
    SPREADS,
)
from fewlabels.core.stratified.told import ALPHA, BEFORE, BETA, LOG_NODES, rates_at_nodes
from fewlabels.simulation.kernels.steps import beta_steps

GRID, AT_NODES = len(ALPHA), len(SPREADS) * len(NODES)
BUCKETS = 64  # of uniforms: the places of each are known beforehand
_STRENGTH = np.repeat(KAPPAS, len(LEVELS))
_RATES = np.ascontiguousarray(rates_at_nodes(tuple(range(len(LEVELS)))).T)  # (n_levels, n_nodes)
_LOG_SPREADS = np.log(SPREAD_WEIGHTS)
_LOG_USUAL, _LOG_EXCEPTION = math.log1p(-MANY_EXCEPTIONS), math.log(MANY_EXCEPTIONS)
_LEVELS, _SPREADS, _NODES = len(LEVELS), len(SPREADS), len(NODES)


class Groups(NamedTuple):
    """What stays as it is while a run goes on; cells are in the order of their groups."""

    begins: Ints  # (n_groups + 1,) the first cell of each group
    group: Ints  # (n_cells,)
    stratum: Ints  # (n_cells,)
    size: Array  # (n_cells,)
    share: Array  # (n_cells,) of the items of its group
    items: Array  # (n_groups,)
    quota: Array  # (n_cells,) labels that each needs before anything is claimed
    room: Ints  # (n_groups + 1,) where the chances of each group begin
    scale: float  # of figures, the first of those asked for lowest
    shift: Array  # (n_groups,)
    top: int
    within: float


class Told(NamedTuple):
    """All that changes."""

    hits: Array  # (n_cells,)
    labels: Array  # (n_cells,)
    waiting: Array  # (n_cells,) open queries
    likely: Array  # (n_strata, n_grid) the logarithm of how likely each kappa and level is
    level: Ints  # (n_strata,)
    of_cell: Array  # (n_cells, n_nodes) the logarithm of the chance of each cell's labels
    of_group: Array  # (n_groups, n_nodes) the same, added up
    of_spread: Array  # (n_groups, n_spreads) the same, nodes integrated, and whether or not it is an exception
    alone: Array  # (n_groups,) the same, if the group is an exception
    parts: Array  # (n_spreads,) how likely each spread is
    weight: Array  # (n_nodes,) the logarithm of the weight of each node
    new_cell: Bools  # (n_cells,) labels came since the last was worked out
    new_group: Bools  # (n_groups,) the same
    old: Bools  # (n_groups,) to be worked out again
    # What was worked out, open queries counting at their means.
    seen_hits: Array  # (n_cells,)
    seen_labels: Array  # (n_cells,)
    node: Array  # (n_groups, n_nodes)
    odds: Array  # (n_groups,) the logarithm of those to be no exception
    figure: Array  # (n_groups,)
    steps: Ints  # (n_groups,)
    shares: Array  # (room,) that may be right, and
    usual: Array  # (room,) the chances of these as one of most groups,
    flat: Array  # (room,) as an exception,
    upto: Array  # (room,) and either, added up
    flat_of: Array  # (n_groups, 3) the steps and the rate by which the chances of an exception were made
    guide: Ints  # (n_groups, BUCKETS + 1) places in the last, at uniforms evenly spread
    telling: Ints  # (n_groups,) the cell whose label tells most; -1 where it is not known yet
    worth: Array  # (n_groups,) and what that is worth


def nothing_told(groups: Groups) -> Told:
    """Before the first label."""
    cells, count, strata, room = len(groups.size), len(groups.items), int(groups.stratum.max()) + 1, groups.room[-1]
    return Told(
        hits=np.zeros(cells),
        labels=np.zeros(cells),
        waiting=np.zeros(cells),
        likely=np.tile(BEFORE, (strata, 1)),
        level=np.full(strata, BEFORE.argmax() % _LEVELS),
        of_cell=np.zeros((cells, AT_NODES)),
        of_group=np.zeros((count, AT_NODES)),
        of_spread=np.zeros((count, _SPREADS)),
        alone=np.zeros(count),
        parts=np.zeros(_SPREADS),
        weight=np.zeros(AT_NODES),
        new_cell=np.zeros(cells, dtype=np.bool_),
        new_group=np.ones(count, dtype=np.bool_),
        old=np.ones(count, dtype=np.bool_),
        seen_hits=np.zeros(cells),
        seen_labels=np.zeros(cells),
        node=np.zeros((count, AT_NODES)),
        odds=np.zeros(count),
        figure=np.zeros(count),
        steps=np.zeros(count, dtype=np.int64),
        shares=np.zeros(room),
        usual=np.zeros(room),
        flat=np.zeros(room),
        upto=np.zeros(room),
        flat_of=np.full((count, 3), -1.0),
        guide=np.zeros((count, BUCKETS + 1), dtype=np.int64),
        telling=np.full(count, -1),
        worth=np.zeros(count),
    )


@inner
def ask(groups: Groups, at: Told, cell: int) -> None:
    """One more open query."""
    at.waiting[cell] += 1
    at.old[groups.group[cell]] = True


@inner
def tell(groups: Groups, at: Told, cell: int, hit: bool) -> None:
    """Its label."""
    likely, n, k = at.likely[groups.stratum[cell]], at.labels[cell], at.hits[cell]
    for j in range(GRID):
        likely[j] += math.log((ALPHA[j] + k if hit else BETA[j] + n - k) / (_STRENGTH[j] + n))
    at.labels[cell] += 1
    at.hits[cell] += hit
    at.waiting[cell] -= 1
    g = groups.group[cell]
    at.new_cell[cell] = at.new_group[g] = at.old[g] = True


@inner
def renew(groups: Groups, at: Told) -> None:
    """All that is believed, as labels and open queries have it now."""
    if at.new_group.any():
        _levels(groups, at)
        for g in range(len(groups.items)):
            if at.new_group[g]:
                _own(groups, at, g)
        at.new_group[:] = False
        _spreads(at)
    for g in range(len(groups.items)):
        if at.old[g]:
            _count(groups, at, g)
            at.old[g], at.telling[g] = False, -1


@part
def _levels(groups: Groups, at: Told) -> None:
    """The likeliest level of each stratum, and the chance of the labels of cells where it or these are others now."""
    for h in range(len(at.level)):
        level = at.likely[h].argmax() % _LEVELS
        if level == at.level[h]:
            continue
        at.level[h] = level
        for cell in range(len(groups.size)):
            if groups.stratum[cell] == h:
                at.old[groups.group[cell]] = True
                at.new_cell[cell] = at.labels[cell] > 0
    for cell in range(len(groups.size)):
        if at.new_cell[cell]:
            at.of_cell[cell] = _of_cell(groups, at, cell, at.labels[cell], at.hits[cell])
            at.new_group[groups.group[cell]] = True
            at.new_cell[cell] = False


@inner
def _of_cell(groups: Groups, at: Told, cell: int, labels: float, hits: float) -> Array:
    """The logarithm of the chance of some labels of a cell, at each node."""
    alpha = FIRM * _RATES[at.level[groups.stratum[cell]]]
    return log_chances(alpha.reshape(AT_NODES, 1), FIRM, np.array([labels]), np.array([hits]))


@inner
def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


@part
def _own(groups: Groups, at: Told, g: int) -> None:
    """What the labels of a group say."""
    own, total, right = at.of_group[g], 0.0, 0.0
    own[:] = 0.0
    for cell in range(groups.begins[g], groups.begins[g + 1]):
        if at.labels[cell] > 0:
            own += at.of_cell[cell]
            total += at.labels[cell]
            right += at.hits[cell]
    at.alone[g] = _log_beta(1 + right, 1 + total - right)
    for spread in range(_SPREADS):
        nodes = LOG_NODES + own[spread * _NODES : (spread + 1) * _NODES]
        top = nodes.max()
        usual = _LOG_USUAL + top + math.log(np.exp(nodes - top).sum())
        exception = _LOG_EXCEPTION + at.alone[g]
        larger, smaller = max(usual, exception), min(usual, exception)
        at.of_spread[g, spread] = larger + math.log1p(math.exp(smaller - larger))


@part
def _spreads(at: Told) -> None:
    """How likely each spread is, in parts; every group is old where that changes."""
    total = _LOG_SPREADS.copy()
    for g in range(len(at.of_spread)):
        total += at.of_spread[g]
    chance = np.exp(total - total.max())
    parts = np.rint(SPREAD_PARTS * chance / chance.sum())
    if (parts == at.parts).all():
        return
    at.parts[:], at.old[:] = parts, True
    for spread in range(_SPREADS):
        logarithm = math.log(parts[spread] / parts.sum()) if parts[spread] > 0 else -np.inf
        at.weight[spread * _NODES : (spread + 1) * _NODES] = logarithm + LOG_NODES


@inner
def exception_of(log_odds: float, exceptions: float) -> float:
    """As in counts.py."""
    return 1 / (1 + (1 - exceptions) / exceptions * math.exp(min(log_odds, FURTHEST)))


@inner
def _alpha(groups: Groups, at: Told, hits: Array, g: int) -> Array:
    """Of the rate of each cell of a group at each node, after so many hits of each, (n_nodes, n_cells)."""
    first, last = groups.begins[g], groups.begins[g + 1]
    out = np.empty((AT_NODES, last - first))
    for j in range(AT_NODES):
        for c in range(last - first):
            out[j, c] = FIRM * _RATES[at.level[groups.stratum[first + c]], j] + hits[c]
    return out


@inner
def _rates(node: Array, alpha: Array, strength: Array, own: float, flat: float) -> Array:
    """The mean rate of each cell of a group that is an exception by the chance `own`."""
    out = np.zeros(len(strength))
    for j in range(len(node)):
        for c in range(len(strength)):
            out[c] += node[j] * alpha[j, c]
    return (1 - own) * out / strength + own * flat


@part
def _expected(groups: Groups, at: Told, g: int) -> tuple[Array, float]:
    """Open queries of a group come out at their means: its hits and labels are written down. What these say, at each
    node and if it is an exception."""
    cells = slice(groups.begins[g], groups.begins[g + 1])
    hits, labels, waiting = at.hits[cells], at.labels[cells], at.waiting[cells]
    at.seen_hits[cells], at.seen_labels[cells] = hits, labels + waiting
    if not waiting.any():
        return at.of_group[g], at.alone[g]
    alpha, strength, nobody = _alpha(groups, at, hits, g), FIRM + labels, np.zeros(len(hits))
    _, node, log_chance = as_one_of_most(at.weight + at.of_group[g], alpha, strength, nobody, 0, True, LEAST_CHANCE)
    own, right, told = exception_of(log_chance - at.alone[g], MANY_EXCEPTIONS), hits.sum(), labels.sum()
    at.seen_hits[cells] = hits + waiting * _rates(node, alpha, strength, own, (1 + right) / (2 + told))
    out = np.zeros(AT_NODES)
    for cell in range(groups.begins[g], groups.begins[g + 1]):
        if at.waiting[cell] > 0:
            out += _of_cell(groups, at, cell, at.seen_labels[cell], at.seen_hits[cell])
        elif at.labels[cell] > 0:
            out += at.of_cell[cell]
    right, told = at.seen_hits[cells].sum(), at.seen_labels[cells].sum()
    return out, _log_beta(1 + right, 1 + told - right)


@inner
def _count(groups: Groups, at: Told, g: int) -> None:
    """How many of a group's items are right, as in counts.py, and its figure if all is at its mean."""
    cells = slice(groups.begins[g], groups.begins[g + 1])
    own, alone = _expected(groups, at, g)
    hits, labels, size = at.seen_hits[cells], at.seen_labels[cells], groups.size[cells]
    left, right, told = size - labels, hits.sum(), labels.sum()
    rest = left.sum()
    steps, alpha, strength = min(int(np.rint(rest)), MOST_STEPS), _alpha(groups, at, hits, g), FIRM + labels
    usual, node, log_chance = as_one_of_most(at.weight + own, alpha, strength, left, steps, True, LEAST_CHANCE)
    at.node[g], at.odds[g], at.steps[g] = node, log_chance - alone, steps
    room = groups.room[g]
    at.usual[room : room + steps + 1] = usual
    _as_exception(groups, at, g, rest, 1 + right, 1 + told - right)
    unit, exception = rest / max(steps, 1), exception_of(at.odds[g], MANY_EXCEPTIONS)
    for i in range(steps + 1):
        at.shares[room + i] = (right + i * unit) / groups.items[g]
    add_up(groups, at, g, exception, at.upto[room : room + steps + 1])
    _guide(at.upto[room : room + steps + 1], at.guide[g])
    mean, value = _rates(node, alpha, strength, exception, (1 + right) / (2 + told)), 0.0
    for c in range(len(mean)):
        value += (hits[c] + left[c] * mean[c]) / size[c] * groups.share[groups.begins[g] + c]
    at.figure[g] = groups.scale * value + groups.shift[g]


@part
def _as_exception(groups: Groups, at: Told, g: int, rest: float, alpha: float, beta: float) -> None:
    """The chances of a group as an exception, where they are not there yet."""
    of, steps = at.flat_of[g], at.steps[g]
    if of[0] == rest and of[1] == alpha and of[2] == beta:
        return
    of[0], of[1], of[2] = rest, alpha, beta
    flat = beta_binomial(steps, alpha, beta) if steps == rest else beta_steps(steps, alpha, beta)
    at.flat[groups.room[g] : groups.room[g] + steps + 1] = flat


@inner
def add_up(groups: Groups, at: Told, g: int, exception: float, out: Array) -> None:
    """The chances of a group that is an exception by this chance, added up and written to the last."""
    room, total = groups.room[g], 0.0
    for i in range(at.steps[g] + 1):
        total += (1 - exception) * at.usual[room + i] + exception * at.flat[room + i]
        out[i] = total


@part
def _guide(upto: Array, out: Ints) -> None:
    """The first place whose chances reach each of some uniforms, evenly spread; written to the last."""
    place, last = 0, len(upto) - 1
    for bucket in range(BUCKETS + 1):
        goal = bucket / BUCKETS * upto[last]
        while place < last and upto[place] < goal:
            place += 1
        out[bucket] = place


@inner
def most_telling(groups: Groups, at: Told, g: int) -> None:
    """The cell of a group whose label is expected to take most off the variance of its figure, the first of equals."""
    cells = slice(groups.begins[g], groups.begins[g + 1])
    hits, labels = at.seen_hits[cells], at.seen_labels[cells]
    right, told, exception = hits.sum(), labels.sum(), exception_of(at.odds[g], MANY_EXCEPTIONS)
    flat, left = (1 + right, 1 + told - right), groups.size[cells] - labels
    alpha = _alpha(groups, at, hits, g)
    worth = lowering(at.node[g], alpha, FIRM + labels, exception, flat[0], flat[1], left, groups.items[g])
    at.telling[g] = groups.begins[g] + worth.argmax()
    at.worth[g] = worth.max()
