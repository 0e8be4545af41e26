"""From the evidence to what an F-score is read off."""

from collections.abc import Sequence

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.evidence import Evidence
from fewlabels.core.importance import FSample


def samples_of(
    evidence: Evidence,
    positive: Array,  # (n_rows,) y of each labelled item
    size: Ints,
    score: Array,
    stratum: Ints,  # (n_cells,) of the score that draws went by
    figures: Sequence[tuple[float, Array]],
    of_all: Array | None = None,
    rank: Ints | None = None,
) -> list[FSample]:
    """The labelled items and draws, one sample for each alpha and its ŷ; `of_all`, `rank` see FSample."""
    draws, maps = evidence.draws, dict[bytes, Array]()
    return [
        FSample(
            alpha=alpha,
            size=size,
            score=score,
            predicted=predicted,
            stratum=stratum,
            cell=evidence.cell,
            positive=positive,
            since=evidence.since,
            row=draws.row,
            round=draws.round,
            probability=draws.probability,
            whole=evidence.of_whole,
            frames=draws.frames,
            by_now=draws.by_now,
            of_all=of_all,
            rank=rank,
            reach=draws.reach,
            maps=maps,
        )
        for alpha, predicted in figures
    ]
