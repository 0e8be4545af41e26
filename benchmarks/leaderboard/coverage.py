"""How often intervals hold the truth, by pool and look, and how wide they are for that."""

from collections.abc import Sequence

import numpy as np

from benchmarks.leaderboard.judging import Figure, ratio_of_means, resampled, share
from benchmarks.leaderboard.pools import Entry
from benchmarks.leaderboard.records import Board, Records, together
from fewlabels.core.arrays import Array

LEVEL = 0.95
OWN_LABELS = 20  # of a group whose own coverage is judged,
_CASES = 20  # over so many cases of it at least
_EXPECTED_ERRORS = 10  # from which on widths are judged
_RESAMPLES = 100

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
            out.append(Figure(entry, f"{look:,}", value, _cautious(se, cases, len(held)), f"{cases:,} cases"))
    return out


def _cautious(se: float, cases: int, runs: int) -> float:
    """A standard error that is not nothing where every interval held: half that of as many independent cases at least."""
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
        out.append(Figure(entry, f"{look:,}", float(mean[least]), float(np.sqrt(0.88 * 0.12 / n)), found))
    return out


def by_own_labels(board: Board, entries: Sequence[Entry], method: str) -> list[tuple[str, float, float, int]]:
    """Coverage of groups by how many labels of their own they have, over these pools and all looks."""
    edges = (0, 1, 3, 6, 11, 20, 10**6)
    hits: dict[int, list[Array]] = {i: [] for i in range(len(edges) - 1)}
    for entry in entries:
        records = board.get(entry, "classes", method)
        if records is None:
            continue
        held, own = records.covered("rows", "truth"), records.own
        for i, (low, high) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
            chosen = np.where((own >= low) & (own < high), held, np.nan).reshape(len(held), -1)
            hits[i].append(np.stack([np.nansum(chosen, axis=1), (~np.isnan(chosen)).sum(axis=1)], axis=1))
    names = [f"{low}" if high == low + 1 else f"{low}–{high - 1}" for low, high in zip(edges[:-2], edges[1:-1], strict=True)]
    out = []
    for name, parts in zip([*names, f"{edges[-2]} and more"], hits.values(), strict=True):
        both = np.concatenate(parts) if parts else np.zeros((0, 2))
        total = both[:, 1].sum() if len(both) else 0
        if total:
            mean = both[:, 0].sum() / total
            se = np.sqrt(((both[:, 0] - mean * both[:, 1]) ** 2).sum()) / total
            out.append((name, float(mean), float(se), int(total)))
    return out


# -- widths ------------------------------------------------------------------------------------------------------------


def width_against_exact(board: Board, entry: Entry, method: str) -> list[Figure]:
    """Mean width of the whole pool's interval over that of Clopper and Pearson's of a uniform sample, from 50 labels."""
    paired = together([board.get(entry, "overall", method), board.get(entry, "overall", "uniform+frequency")])
    if paired is None or len(paired) < 2:
        return []
    ours, theirs = paired
    out = []
    for at, look in enumerate(ours.looks):
        if look >= 50:
            wide, exact = (np.diff(r.notes[what][:, at, 1:])[:, 0] for r, what in ((ours, "overall"), (theirs, "clopper_pearson")))
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
    return factor(needed), resampled(again)
