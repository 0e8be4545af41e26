"""Whether stated probabilities come true as often as they say: of the worst group, of a set, of a difference."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from benchmarks.leaderboard.judging import BEYOND_WORST, MET, MISSED, NOT_SHOWN, ONE_SIDED
from benchmarks.leaderboard.pools import Entry
from benchmarks.leaderboard.records import Board, Records

from fewlabels.core.arrays import Array, Ints

EDGES = np.array([0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])
NEAR = 0.1  # a probability is shown to be no surer than it may be where its 95 % limit is within so much of the truth
Cases = tuple[Array, Array, Ints]  # what was said, how far it came true, and the run it is from


@dataclass(frozen=True)
class Bin:
    """Statements of about the same probability."""

    said: float
    came_true: float
    se: float
    cases: int
    too_sure: float  # by so many standard errors; below 0 where too modest
    verdict: str


def of_named(records: Records, look: int, top: int) -> Cases:
    """The probability said of the group named (top = 1), or of the three named being the three worst."""
    truth, named = records.notes["truth"], records.notes["named"][:, look, :top].astype(np.int64)
    said = records.notes["stated"][:, look, 0 if top == 1 else 1]
    known = ~np.isnan(said)
    true = np.array([credit(values, chosen) for values, chosen in zip(truth[known], named[known], strict=True)])
    return said[known], true, np.flatnonzero(known)


def credit(truth: Array, named: Array) -> float:
    """1 where the groups named are the worst ones, 0 where not; where equals would do as well, their chance."""
    top, known = len(named), truth[~np.isnan(truth)]
    last = np.sort(known)[top - 1]
    clear, equal = int((known < last - 1e-9).sum()), int((np.abs(known - last) <= 1e-9).sum())
    right = (truth[named] < last - 1e-9).sum() == clear and (truth[named] <= last + 1e-9).all()
    return 1 / comb(equal, top - clear) if right else 0.0


def of_every_group(records: Records, look: int) -> Cases:
    """The probability of being the worst, of every group."""
    said, truth = records.notes["ranks"][:, look, 0], records.notes["truth"]
    least = np.nanmin(truth, axis=1, keepdims=True)
    tied = np.abs(truth - least) <= 1e-9
    true = tied / tied.sum(axis=1, keepdims=True)
    run, group = np.nonzero(~np.isnan(said))
    return said[run, group], true[run, group], run


def of_regions(records: Records, look: int) -> Cases:
    """The probabilities that a group is worse than another by more than a margin, about equal, or better."""
    said, difference = records.notes["regions"][:, look], records.notes["truth_difference"]
    rope = records.notes["rope"]
    region = np.where(difference < -rope, 0, np.where(difference > rope, 2, 1))
    true = (region[:, None] == np.arange(3)).astype(np.float64)
    return said.ravel(), true.ravel(), np.repeat(np.arange(len(said)), 3)


def in_bins(cases: Cases, *, named: bool) -> list[Bin]:
    """What came true of what was said, bin by bin.

    Too sure by more than three standard errors is missed. A bin is met where it is shown to be too sure by a tenth at
    most, and too modest is never missed. Of what is `named`, less than said is too sure; of any event, what is nearer
    to even odds than said: said .1 and true .3, or said .9 and true .7.
    """
    said, true, run = cases
    place = np.clip(np.searchsorted(EDGES, said, side="right") - 1, 0, len(EDGES) - 2)
    out = []
    for at in range(len(EDGES) - 1):
        chosen = place == at
        n = int(chosen.sum())
        if n == 0:
            continue
        p, y = float(said[chosen].mean()), float(true[chosen].mean())
        gaps = np.bincount(run[chosen], weights=true[chosen] - said[chosen])
        null = np.sqrt((said[chosen] * (1 - said[chosen])).sum())
        se = float(max(np.sqrt((gaps**2).sum()), null, 0.5) / n)  # at least half a case
        sure = (p - y if named or p >= 0.5 else y - p) / se
        within = sure * se + ONE_SIDED * se <= NEAR
        verdict = MISSED if sure > BEYOND_WORST else MET if within else NOT_SHOWN
        out.append(Bin(p, y, se, n, sure, verdict))
    return out


KINDS: dict[str, tuple[str, bool, Callable[[Records, int], Cases]]] = {
    "P(worst), of the group named": ("worst", True, lambda r, look: of_named(r, look, 1)),
    "P(set), of the three named": ("worst", True, lambda r, look: of_named(r, look, 3)),
    "P(worst), of every group": ("worst", False, of_every_group),
    "P(A < B), P(equal), P(A > B)": ("compare", False, of_regions),
}


def stated(board: Board, entries: Sequence[Entry], kind: str, method: str, look: int) -> list[Bin]:
    """The bins of all these pools together, each run of each pool a cluster."""
    study, named, cases = KINDS[kind]
    parts, before = [], 0
    for entry in entries:
        records = board.get(entry, study, method)
        if records is None or look not in records.looks:
            continue
        said, true, run = cases(records, records.looks.index(look))
        parts.append((said, true, run + before))
        before += len(records.run)
    if not parts:
        return []
    said, true, run = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return in_bins((said, true, run), named=named)
