"""How often intervals hold the truth, by pool and look, and how wide they are for that."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from benchmarks.leaderboard.judging import Figure, ratio_of_means, resampled, share, share_limit
from benchmarks.leaderboard.pools import Entry
from benchmarks.leaderboard.records import Board, Records, together

from fewlabels.core.arrays import Array

LEVEL = 0.95
OWN_LABELS = 20  # of a group whose own coverage is judged,
_CASES = 20  # over so many cases of it at least
_EXPECTED_ERRORS = 10  # from which on widths are judged
_OWN = (0, 1, 3, 6, 11, 20, 10**9)  # labels of a group's own, in classes
_RESAMPLES = 100
_QUANTILE_CASES = 40  # below which the 95 % quantile is about the largest case

# What is covered: the study, the intervals, the truth.
KINDS: dict[str, tuple[str, str, str]] = {
    "groups": ("classes", "rows", "truth"),
    "overall": ("overall", "overall", "truth_all"),
    "overall, beside groups": ("classes", "overall", "truth_all"),
    "ECE": ("calibration", "overall", "truth_error"),
    "bins": ("calibration", "rows", "truth"),
    "bias": ("classes", "bias", "bias_truth"),
    "differences": ("compare", "difference", "truth_difference"),
    "ranks": ("worst", "ranks", "true_ranks"),
}


def covered(records: Records, kind: str) -> Array | None:
    """Whether each interval holds the truth, (n_runs, n_looks, …); None where the records have no such intervals."""
    _, what, truth = KINDS[kind]
    if kind == "ranks":
        return ranks_held(records.notes["ranks"], records.notes["truth"])
    return records.covered(what, truth) if what in records.notes else None


def ranks_held(ranks: Array, truth: Array) -> Array:
    """Whether rank intervals hold the true rank; of groups that are equal, any of the ranks they share."""
    n = truth.shape[-1]
    out = np.full((ranks.shape[0], ranks.shape[1], n), np.nan)
    for run, values in enumerate(truth):
        known = ~np.isnan(values)
        first = np.array([np.sum(values[known] < v - 1e-9) + 1 for v in values])
        last = np.array([np.sum(values[known] <= v + 1e-9) for v in values])
        low, high = ranks[run, :, 1], ranks[run, :, 2]
        inside = ((low <= last) & (high >= first)).astype(np.float64)
        out[run] = np.where(np.isnan(low) | ~known, np.nan, inside)
    return out


def coverage(board: Board, entry: Entry, kind: str, method: str) -> list[Figure]:
    """The share of intervals that hold the truth, at each look."""
    records = board.get(entry, KINDS[kind][0], method)
    held = None if records is None else covered(records, kind)
    if records is None or held is None:
        return []
    out = []
    for at, look in enumerate(records.looks):
        value, se, cases = share(held[:, at])
        if cases:
            runs = int((~np.isnan(held[:, at].reshape(len(held), -1))).any(axis=1).sum())
            limit = share_limit(value, se, cases, runs)
            error = _cautious(se, cases, len(held))
            out.append(Figure(entry, f"{look:,}", value, error, f"{cases:,} cases", limit=limit))
    return out


def _cautious(se: float, cases: int, runs: int) -> float:
    """A standard error that is not nothing where every interval held: at least half that of independent cases."""
    least = np.sqrt(LEVEL * (1 - LEVEL) / cases) / 2
    return float(max(se, least)) if runs > 1 else float("nan")


def single_groups(board: Board, entry: Entry, method: str) -> list[Figure]:
    """The least coverage of any single group with enough labels of its own, at each look. Its error is that of a group
    that just meets the bar, for the worst of many groups has a small one by selection."""
    records = board.get(entry, "classes", method)
    if records is None:
        return []
    held, out = records.covered("rows", "truth"), []
    for at, look in enumerate(records.looks):
        seen = np.where(records.own[:, at] >= OWN_LABELS, held[:, at], np.nan)
        cases = (~np.isnan(seen)).sum(axis=0)
        enough = cases >= _CASES
        if not enough.any():
            continue
        mean = np.nansum(seen, axis=0)[enough] / cases[enough]
        least = int(np.argmin(mean))
        n = int(cases[enough][least])
        found = f"of {enough.sum():,} groups, {n:,} cases"
        limit = share_limit(float(mean[least]), 0.0, n, n)
        out.append(Figure(entry, f"{look:,}", float(mean[least]), float(np.sqrt(0.88 * 0.12 / n)), found, limit=limit))
    return out


def by_own_labels(board: Board, entries: Sequence[Entry], method: str) -> list[tuple[str, float, float, int]]:
    """Coverage of groups by how many labels of their own they have, over these pools and all looks: how many labels,
    the share that holds, its standard error with runs of pools as clusters, and the cases."""
    found = [r for entry in entries if (r := board.get(entry, "classes", method)) is not None]
    out = []
    for low, high in pairwise(_OWN):
        sums = []
        for records in found:
            chosen = (records.own >= low) & (records.own < high)
            held = np.where(chosen, records.covered("rows", "truth"), np.nan).reshape(len(chosen), -1)
            sums.append(np.stack([np.nansum(held, axis=1), (~np.isnan(held)).sum(axis=1)]))
        held_of, cases = np.concatenate(sums, axis=1) if sums else np.zeros((2, 0))
        if cases.sum() > 0:
            mean = held_of.sum() / cases.sum()
            se = np.sqrt(((held_of - mean * cases) ** 2).sum()) / cases.sum()
            name = f"{low}" if high == low + 1 else f"{low} and more" if high == _OWN[-1] else f"{low} to {high - 1}"
            out.append((name, float(mean), float(se), int(cases.sum())))
    return out


# -- widths ------------------------------------------------------------------------------------------------------------


def width_against_exact(board: Board, entry: Entry, method: str) -> list[Figure]:
    """Mean width of the whole pool's interval over that of Clopper-Pearson of a uniform sample, from 50 labels on."""
    paired = together([board.get(entry, "overall", method), board.get(entry, "overall", "uniform+frequency")])
    if paired is None or len(paired) < 2:
        return []
    ours, theirs = paired
    out = []
    for at, look in enumerate(ours.looks):
        if look >= 50:
            wide, exact = (
                np.diff(r.notes[what][:, at, 1:])[:, 0] for r, what in ((ours, "overall"), (theirs, "clopper_pearson"))
            )
            value, se = ratio_of_means(wide, exact)
            out.append(Figure(entry, f"{look:,}", value, se))
    return out


def width_needed(board: Board, entry: Entry, kind: str, method: str) -> list[Figure]:
    """How many times as wide intervals are as the same ones rescaled about their figure to hold exactly 95 %, from ten
    expected errors on."""
    study, what, truth = KINDS[kind]
    records = board.get(entry, study, method)
    if records is None or what not in records.notes:
        return []
    ends, true = records.notes[what], records.notes[truth]
    wrong, out = 1 - float(records.notes["truth_all"].mean()), []
    for at, look in enumerate(records.looks):
        if look * wrong >= _EXPECTED_ERRORS:
            value, se = _excess(ends[:, at], true)
            out.append(Figure(entry, f"{look:,}", value, se))
    return out


def _excess(ends: Array, truth: Array) -> tuple[float, float]:
    """1 over the factor by which intervals (n_runs, 3[, n_rows]) hold 95 % of the truths (n_runs[, n_rows])."""
    value, low, high = ends[:, 0], ends[:, 1], ends[:, 2]
    side = np.where(truth > value, high - value, value - low)
    with np.errstate(invalid="ignore", divide="ignore"):
        needed = np.where(np.abs(truth - value) < 1e-6, 0.0, np.abs(truth - value) / side)
    needed = needed.reshape(len(needed), -1)

    def factor(chosen: Array) -> float:
        known = chosen[~np.isnan(chosen)]
        quantile = np.quantile(known, LEVEL) if len(known) else np.nan
        return float(1 / quantile) if quantile > 0 else float("nan")

    rng, n = np.random.default_rng(0), len(needed)
    again = np.array([factor(needed[rng.integers(0, n, n)]) for _ in range(_RESAMPLES)])
    enough = (~np.isnan(needed)).sum() >= _QUANTILE_CASES
    return factor(needed), resampled(again) if enough else float("nan")
