"""Compiled Thompson sampling, lazy and exact: which arms win, where an arm is one cell with a Beta belief.

The reward of an arm is linear in its draw, so a bracket of the draw (`points.py`) brackets the reward: mostly
enough to know who wins. Where brackets overlap the wider one is refined. Most arms are not even looked at: an arm whose
uniform misses its bar has a reward below the level that winners of late exceeded. What brackets cannot tell (draws
closer than 1e-9, or at the very ends of [0, 1]) is handed to SciPy's inverse, in Python.
"""

from typing import NamedTuple

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.compiling import compiled, inlined
from fewlabels.simulation.kernels.keyed import Record, Records, hash_of, mix, uniform_of
from fewlabels.simulation.kernels.points import SLACK, carry, draw_between, keep, refine, share_between, sharpen

ROUNDING = 1e-14  # relative rounding error of a reward, with a wide margin
RENEWED = 512  # after so many labels an arm's points are dropped, so that rounding errors cannot add up to SLACK
MOST_POINTS = 24  # points added for one choice, after which SciPy is asked
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
_NONE = np.uint64(0)
# The level is set so that one winner in RARELY would have missed it, less DRIFT times what winners fell, anew after
# SHORT draws, twice as many and so on up to WATCHED.
SHORT, WATCHED, RARELY, DRIFT = 8, 48, 6, 0.5
DONE, MISSED, STUCK = range(3)
BLURRED = 0.05  # where a bar is less certain than this, a point is added
GATE = np.dtype([("hash", "u8"), ("turn", "u8"), ("bar", "u8")])
SEEN = np.dtype([("arm", "i8"), ("low", "f8"), ("high", "f8"), ("state", "i8")])
RACE = np.dtype(
    [
        ("level", "f8"),
        ("step_down", "f8"),  # by how much to lower it when nobody clears it
        ("draws", "i8"),  # since it was set
        ("until", "i8"),  # set anew after so many
        ("last", "f8"),  # lower bound of the last winner's reward
        ("won", "f8", WATCHED),  # and of those before it, since the level was set
        ("alive", "i8"),  # how many arms could clear the level at all
        ("digits", "f8"),  # rewards are rounded to one part in so many; 0 for not at all
    ],
    align=True,
)
BOUNDED, EXACT, CHOSEN = range(3)  # states of arms looked at


class Arms(NamedTuple):
    """All that changes while a run goes on."""

    arms: Records  # (n,) of ARM
    # An arm is looked at when its keyed bits, turned so that high is good, reach the bar.
    gates: Records  # (n,) of GATE
    alive: Ints  # (n + 1,) the arms that could clear the level
    seen: Records  # (n + 1,) of SEEN: the arms looked at, with bounds of their rewards
    race: Records  # (1,) of RACE
    duel: Records  # (1,) of DUEL, for a comparison


@inlined
def reward_at(arm: Record, theta: float) -> float:
    """The reward under a draw, operation by operation as the plain step has it."""
    reward: float = arm.w * (arm.v - (theta * arm.h + (1 - theta) * arm.m))
    return reward


@inlined
def rounded(reward: float, digits: float) -> float:
    """The reward to the digits that count."""
    return np.rint(reward * digits) / digits if digits > 0 else reward


@inlined
def set_reward(arm: Record, gate: Record, v: float, h: float, m: float, error: float) -> None:
    """A new reward of an arm; `error` is how far v, h and m may be from those of the plain step."""
    arm.v, arm.h, arm.m = v, h, m
    arm.slack = abs(arm.w) * (error + SLACK * abs(h - m) + ROUNDING * (abs(v) + abs(h) + abs(m)))
    arm.rising = arm.w * (m - h) >= 0
    gate.turn = _NONE if arm.rising else ALL_BITS


@inlined
def set_bar(arm: Record, gate: Record, level: float) -> None:
    """The bits below which the arm's reward surely stays under the level, by the points at hand."""
    gate.bar = _NONE
    if arm.left == 0 or reward_at(arm, 1.0 if arm.rising else 0.0) + arm.slack < level:
        gate.bar = ALL_BITS
    elif level > -np.inf and arm.h != arm.m:
        t = (arm.v - arm.m - level / arm.w) / (arm.h - arm.m) + (-4 * SLACK if arm.rising else 4 * SLACK)
        if 0 < t < 1 and reward_at(arm, t) + arm.slack < level:
            low, high = share_between(arm, t)
            if high - low > BLURRED:
                sharpen(arm, t)
                low, high = share_between(arm, t)
            good = (low if arm.rising else 1 - high) - 4 * SLACK
            gate.bar = np.uint64(min(max(good, 0.0), 1 - SLACK) * 2.0**64)


@compiled
def set_bars(x: Arms) -> None:
    """The bar of every arm for the present level, and which arms can reach theirs at all."""
    n, level = 0, x.race[0].level
    for k in range(len(x.arms)):
        set_bar(x.arms[k], x.gates[k], level)
        x.alive[n] = k
        n += x.gates[k].bar < ALL_BITS
    x.race[0].alive = n


@compiled
def set_level(x: Arms) -> None:
    """The level that nearly all winners of late exceeded, less what they fell meanwhile."""
    race = x.race[0]
    n, half = race.draws, race.draws // 2
    won = np.empty(n)
    for i in range(n):
        won[i] = race.won[i]
    drift = max(0.0, won[:half].mean() - won[half:].mean())
    won.sort()
    level = won[n // RARELY] - DRIFT * drift
    race.level = level if np.isfinite(level) and race.digits == 0 else -np.inf
    race.step_down = won[half] - level
    race.draws, race.until = 0, min(2 * race.until, WATCHED)
    set_bars(x)


@inlined
def count_label(arm: Record, outcome: int) -> None:
    """One more label: 0 a hit, 1 a miss. The arm's reward and bar are the caller's to renew."""
    carry(arm, outcome)
    if outcome == 0:
        arm.a += 1
        arm.hits += 1
    else:
        arm.b += 1
        arm.misses += 1
    arm.left -= 1
    if int(arm.hits + arm.misses) % RENEWED == 0:
        arm.kept = 0


@inlined
def bound(seen: Record, arm: Record, u: float, stamp: int, digits: float) -> None:
    """Between what the reward of an arm looked at lies."""
    if arm.stamp == stamp:
        seen.low = seen.high = rounded(arm.drawn, digits)
    else:
        left, right = draw_between(arm, u)
        x, y = reward_at(arm, left), reward_at(arm, right)
        seen.low, seen.high = rounded(min(x, y) - arm.slack, digits), rounded(max(x, y) + arm.slack, digits)
    seen.state = EXACT if seen.low == seen.high else BOUNDED


@inlined
def leaders(seen: Records, n: int) -> tuple[int, int]:
    """Of the arms looked at and not yet chosen the one of largest upper bound, and the next; the first of equals."""
    first, second = -1, -1
    for i in range(n):
        if seen[i].state != CHOSEN:
            if first < 0 or seen[i].high > seen[first].high:
                first, second = i, first
            elif second < 0 or seen[i].high > seen[second].high:
                second = i
    return first, second


@inlined
def narrow(x: Arms, place: int, key: np.uint64, stamp: int) -> bool:
    """A narrower bound for an arm looked at; False where no further point of its distribution would tell."""
    k = x.seen[place].arm
    u = uniform_of(mix(x.gates[k].hash ^ key))
    if x.arms[k].stamp == stamp or not refine(x.arms[k], u):
        return False
    bound(x.seen[place], x.arms[k], u, stamp, x.race[0].digits)
    return True


@inlined
def settle(x: Arms, n: int, key: np.uint64, chosen: Ints, stamp: int) -> int:
    """The best of the n arms looked at, in order, into `chosen`; arms not looked at stay below the level.

    The arm of largest upper bound (the first of equals) is next if its reward is exact, or if its lower bound beats
    everybody else's upper bound. MISSED where arms not looked at could be next, STUCK where brackets cannot tell.
    """
    done, added, floor, seen = 0, 0, x.race[0].level, x.seen
    while done < len(chosen):
        first, second = leaders(seen, n)
        if first < 0 or (floor > -np.inf and seen[first].high <= floor):
            return MISSED
        rival = floor if second < 0 else max(floor, seen[second].high)
        if seen[first].state == EXACT or seen[first].low > rival:
            chosen[done], seen[first].state = seen[first].arm, CHOSEN
            x.race[0].last = seen[first].low
            done += 1
            continue
        wider = first
        if rival > floor and seen[second].high - seen[second].low > seen[first].high - seen[first].low:
            wider = second
        added += 1
        if added > MOST_POINTS or not narrow(x, wider, key, stamp):
            return STUCK
    return DONE


@inlined
def look(x: Arms, key: np.uint64, stamp: int) -> int:
    """Note the open arms whose bits reach their bar, with their bounds; how many there are."""
    n, left, digits = 0, 0, x.race[0].digits
    for i in range(x.race[0].alive):
        k = x.alive[i]
        x.seen[n].arm = k
        n += (mix(x.gates[k].hash ^ key) ^ x.gates[k].turn) >= x.gates[k].bar
    for i in range(n):
        k = x.seen[i].arm
        if x.arms[k].left > 0:
            x.seen[left].arm = k
            bound(x.seen[left], x.arms[k], uniform_of(mix(x.gates[k].hash ^ key)), stamp, digits)
            left += 1
    return left


@compiled
def select(x: Arms, key: np.uint64, chosen: Ints, stamp: int) -> int:
    """The arms of highest reward under the keyed draw, best first. While nobody clears the level, it is lowered.

    0 when done; otherwise the arms so many first in `seen` are to be drawn exactly, and this called again.
    """
    race, lowered = x.race[0], 0
    while True:
        n = look(x, key, stamp)
        found = settle(x, n, key, chosen, stamp)
        if found == STUCK:
            return n
        if found == DONE:
            break
        lowered += 1
        race.level = race.level - lowered * race.step_down if lowered < 4 else -np.inf
        set_bars(x)
    race.won[race.draws] = race.last
    race.draws += 1
    if race.draws >= race.until:
        set_level(x)
    return 0


@compiled
def take_exact(x: Arms, waiting: Ints, theta: Array, found: Array, stamp: int) -> None:
    """The exact draws of some arms; those that have few points get the one found, if its density is above 0."""
    for i in range(len(waiting)):
        k = waiting[i]
        arm = x.arms[k]
        reward = reward_at(arm, theta[i])
        arm.drawn = -np.inf if np.isnan(reward) else reward  # sorting puts what is not a number last
        arm.stamp = stamp
        if found[i, 2] > 0 and arm.kept < 2:
            keep(arm, found[i, 0], found[i, 1], found[i, 2])
            set_bar(arm, x.gates[k], x.race[0].level)


@compiled
def begin(x: Arms) -> None:
    """Before the first label."""
    for k in range(len(x.arms)):
        x.gates[k].hash = hash_of(k)
        x.alive[k] = k
    x.race[0].alive = len(x.arms)
