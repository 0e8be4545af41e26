"""Compiled runs that settle which groups are the ones asked for: `strategies/settle.py`, with what `settling.py` tells
it; and the look that says whether these groups may be named."""

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints, Keys
from fewlabels.core.compiling import compiled, inner, part
from fewlabels.core.keyed import Use
from fewlabels.core.stratified.certificate import NOTHING, SAME
from fewlabels.core.stratified.compiled import certain
from fewlabels.core.stratified.layout import FEW_EXCEPTIONS, MANY_EXCEPTIONS
from fewlabels.settling import AT_ONCE, MOST
from fewlabels.simulation.kernels.keyed import hash_of, key_of, mix, one_uniform, uniform_of
from fewlabels.simulation.kernels.strata import (
    BUCKETS,
    Groups,
    Told,
    add_up,
    ask,
    exception_of,
    most_telling,
    renew,
    tell,
)
from fewlabels.simulation.kernels.uniform import in_proportion, one_of

_CELL, _ARM_PICK, _ARM_DRAW = np.uint64(Use.CELL), np.uint64(Use.ARM_PICK), np.uint64(Use.ARM_DRAW)
_NEAREST = 3  # groups next to those named: where these leave too much open, the others are not looked at
_FAR = 1e-9  # below a bar, whatever the order of sums


# -- which groups may be named -----------------------------------------------------------------------------------------


@inner
def _chance(groups: Groups, at: Told, among: Ints, named: Bools, exceptions: float) -> float:
    """That the groups named are at most the margin away from the true ones, were these all the groups there are."""
    ends = np.zeros(len(among) + 1, np.int64)
    for place in range(len(among)):
        ends[place + 1] = ends[place] + at.steps[among[place]] + 1
    share, upto = np.empty(ends[-1]), np.zeros(ends[-1] + len(among))
    for place in range(len(among)):
        g, first, end = among[place], ends[place], ends[place + 1]
        share[first:end] = at.shares[groups.room[g] : groups.room[g] + end - first]
        own = exception_of(at.odds[g], exceptions)
        add_up(groups, at, g, own, upto[first + place + 1 : end + place + 1])
    about = (named[among], groups.within, groups.scale, groups.shift[among], SAME, NOTHING)
    return certain(share, upto, ends, about)


@inner
def _sure(groups: Groups, at: Told, bars: tuple[float, float], first: Ints) -> bool:
    """Whether groups may be named, as far as probabilities say; those asked for first are written to the last."""
    every = np.arange(len(groups.items))
    near, named = _lowest(at.figure, min(groups.top + _NEAREST, len(every))), np.zeros(len(every), np.bool_)
    first[:] = near[: groups.top]
    named[first] = True
    if _chance(groups, at, near, named, MANY_EXCEPTIONS) < bars[0] - _FAR:
        return False  # further groups can only leave more open
    many = _chance(groups, at, every, named, MANY_EXCEPTIONS)
    return many >= bars[0] and _chance(groups, at, every, named, FEW_EXCEPTIONS) >= bars[1]


@inner
def _lowest(values: Array, count: int) -> Ints:
    """The places of the lowest of some values, lowest first, and the first of equals."""
    out, taken = np.empty(count, np.int64), np.zeros(len(values), np.bool_)
    for place in range(count):
        found = -1
        for g in range(len(values)):
            if not taken[g] and (found < 0 or values[g] < values[found]):
                found = g
        taken[found], out[place] = True, found
    return out


@inner
def _lacking(groups: Groups, labels: Array) -> Array:
    """The labels that each cell lacks before anything may be claimed."""
    return np.maximum(groups.quota - labels, 0.0)


@part
def _claimable(groups: Groups, at: Told, bars: tuple[float, float], first: Ints) -> bool:
    """Whether groups may be named now that no query is open; they are written to the last."""
    if _lacking(groups, at.labels).any():
        return False
    renew(groups, at)
    return _sure(groups, at, bars, first)


# -- which cell is next ------------------------------------------------------------------------------------------------


@inner
def _drawn(groups: Groups, at: Told, g: int, u: float) -> float:
    """A draw of a group's figure by the inverse of its distribution."""
    room, bucket, goal = groups.room[g], int(u * BUCKETS), u * at.upto[groups.room[g] + at.steps[g]]
    low, high = at.guide[g, bucket], at.guide[g, bucket + 1]
    while low < high:
        middle = (low + high) // 2
        if at.upto[room + middle] < goal:
            low = middle + 1
        else:
            high = middle
    value: float = groups.scale * at.shares[room + low] + groups.shift[g]
    return value


@inner
def _at_least(groups: Groups, at: Told, g: int, u: float) -> float:
    """A bound from below of the same draw."""
    place = at.guide[g, int(u * BUCKETS) + (groups.scale < 0)]
    value: float = groups.scale * at.shares[groups.room[g] + place] + groups.shift[g]
    return value


@inner
def _differ(groups: Groups, at: Told, first: Bools, hashes: Keys, key: np.uint64) -> bool:
    """Whether another draw names other groups than the first one: one that was not named comes before one that was."""
    last = -1
    highest = -np.inf
    for g in range(len(first)):
        if first[g]:
            value = _drawn(groups, at, g, uniform_of(mix(hashes[g] ^ key)))
            if value >= highest:
                last, highest = g, value
    for g in range(len(first)):
        if first[g]:
            continue
        u = uniform_of(mix(hashes[g] ^ key))
        if _at_least(groups, at, g, u) > highest:
            continue
        value = _drawn(groups, at, g, u)
        if value < highest or (value == highest and g < last):
            return True
    return False


@inner
def _all_drawn(groups: Groups, at: Told, hashes: Keys, key: np.uint64) -> Bools:
    """The groups that a draw of all of them names."""
    values = np.empty(len(hashes))
    for g in range(len(values)):
        values[g] = _drawn(groups, at, g, uniform_of(mix(hashes[g] ^ key)))
    out = np.zeros(len(values), np.bool_)
    out[_lowest(values, groups.top)] = True
    return out


@part
def _differing(groups: Groups, at: Told, hashes: Keys, seed: np.uint64, step: int) -> Bools:
    """Groups that are among those asked for in one draw of the belief and not in another."""
    first = _all_drawn(groups, at, hashes[0], key_of(seed, step, _ARM_DRAW, 0))
    for attempt in range(MOST // AT_ONCE):
        key = key_of(seed, step, _ARM_DRAW, attempt)
        for draw in range(AT_ONCE):
            if (attempt or draw) and _differ(groups, at, first, hashes[draw], key):
                return _all_drawn(groups, at, hashes[draw], key) ^ first
    return np.zeros(len(first), np.bool_)


@part
def _lacks_most(groups: Groups, at: Told, bars: tuple[float, float]) -> int:
    """The cell that lacks most labels, of the group that does, where nothing else is missing; -1 where none does."""
    missing = _lacking(groups, at.seen_labels)
    if not missing.any() or not _sure(groups, at, bars, np.empty(groups.top, np.int64)):
        return -1
    of_group = np.zeros(len(groups.items))
    for cell in range(len(missing)):
        of_group[groups.group[cell]] += missing[cell]
    most = of_group.argmax()
    first, last = groups.begins[most], groups.begins[most + 1]
    place: int = first + missing[first:last].argmax()
    return place


@part
def _to_choose_among(groups: Groups, at: Told, items: Ints, hashes: Keys, seed: np.uint64, step: int) -> Bools:
    """The groups contested, of those with items left; else all of them."""
    contested = _differing(groups, at, hashes, seed, step) & (items > 0)
    return contested if contested.any() else items > 0


@part
def _chosen(
    groups: Groups,
    at: Told,
    left: Ints,
    items: Ints,
    hashes: Keys,
    seed: np.uint64,
    step: int,
    bars: tuple[float, float],
) -> int:
    """The next cell, of which and of whose groups so many items are left."""
    new = (items == groups.items).astype(np.int64)
    if new.any():
        g = one_of(new, one_uniform(seed, step, _ARM_PICK))
        inside = left[groups.begins[g] : groups.begins[g + 1]]
        first: int = groups.begins[g]
        return first + in_proportion(inside, one_uniform(seed, step, _CELL))
    renew(groups, at)
    lacks = _lacks_most(groups, at, bars)
    if lacks >= 0:
        return lacks
    among, best = _to_choose_among(groups, at, items, hashes, seed, step), -1
    for g in range(len(among)):
        if not among[g]:
            continue
        if at.telling[g] < 0:
            most_telling(groups, at, g)
        if best < 0 or at.worth[g] > at.worth[best]:
            best = g
    telling: int = at.telling[best]
    return telling


@inner
def _hashes(draws: int, count: int) -> Keys:
    """What keyed numbers have of their index alone, (n_draws, n_groups)."""
    out = np.empty((draws, count), np.uint64)
    for draw in range(draws):
        for g in range(count):
            out[draw, g] = hash_of(draw * count + g)
    return out


@compiled
def run_settle(
    groups: Groups,
    at: Told,
    cards: tuple[Ints, Ints],  # what each item of the deck says, where each cell's begin
    given: Ints,  # the cells to be drawn from, where somebody else chooses them
    how: tuple[int, bool],  # labels that come back at once, and whether to look after them
    bars: tuple[tuple[float, float], tuple[float, float]],  # while choosing, and at a look
    seed: np.uint64,
    drawn: Ints,
    first: Ints,
) -> tuple[int, bool]:
    """The cell of each draw, written to the last but one; how many there are, and whether groups may be named then,
    those written to the last."""
    (outcomes, starts), (batch, look), told = cards, how, 0
    left, items = groups.size.astype(np.int64), groups.items.astype(np.int64)
    taken, hashes, most = np.zeros(len(left), np.int64), _hashes(AT_ONCE, len(items)), min(len(drawn), left.sum())
    for draw in range(most):
        cell = given[draw] if len(given) else _chosen(groups, at, left, items, hashes, seed, draw + 1, bars[0])
        drawn[draw] = cell
        left[cell] -= 1
        items[groups.group[cell]] -= 1
        ask(groups, at, cell)
        if draw + 1 < min(told + batch, most):
            continue
        for cell in drawn[told : draw + 1]:
            tell(groups, at, cell, outcomes[starts[cell] + taken[cell]] == 0)
            taken[cell] += 1
        told = draw + 1
        if look and _claimable(groups, at, bars[1], first):
            return told, True
    return most, False
