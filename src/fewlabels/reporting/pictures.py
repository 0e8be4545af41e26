"""Which figures a report has: those that fit the question, and of large studies those that are quickly made."""

from dataclasses import dataclass

import numpy as np

from fewlabels.errors import FewlabelsError, PoolAwayError
from fewlabels.figures import FIGURES, Figure
from fewlabels.study.look import Look

WITHOUT_POOL = "the pool was not at hand when this was written, and it is drawn from that"
_MOST = 15_000  # what all readings together may take, see `quick`: about four seconds
_UNTOLD = 3  # cells without labels that take as long as one with
_LOOKS = 1_200_000  # labels times groups, and half a thousand more, up to which bets at every look take a second


@dataclass(frozen=True)
class LeftOut:
    """A figure that is not in the report, and why."""

    name: str
    why: str


def quick(seen: Look) -> frozenset[str]:
    """The figures that fit the question and take no long time together: those that take the least first. A reading of
    the labels takes as long as there are cells, above all those with labels, or figures to be told from them."""
    kinds = sorted((kind.readings, name) for name, kind in FIGURES.items() if kind.fits(seen))
    size = reading_size(seen)
    upto = np.cumsum([size * readings for readings, _ in kinds])
    return frozenset(n for (readings, n), sum_ in zip(kinds, upto, strict=True) if not readings or sum_ + size <= _MOST)


def reading_size(seen: Look) -> int:
    """How long one reading of the labels takes."""
    told = len(np.unique(seen.evidence.cell))
    return max(told + (seen.assessment.cells.count - told) // _UNTOLD, len(seen.answer.findings))


def quick_at_every_look(seen: Look) -> bool:
    """Whether the intervals that hold at every look take no long time."""
    return seen.evidence.count * (len(seen.answer.findings) + 500) <= _LOOKS


def pictures(seen: Look) -> tuple[tuple[Figure, ...], tuple[LeftOut, ...]]:
    """The figures, in the order of their dictionary, and those that there are not."""
    found, missing, soon = [], [], quick(seen)
    for name, kind in FIGURES.items():
        if not kind.fits(seen):
            continue
        if name not in soon:
            missing.append(
                LeftOut(name, f"left out for time in so large a study; fewlabels plot STUDY {name} draws it")
            )
            continue
        try:
            found.append(kind.make(seen))
        except PoolAwayError:
            missing.append(LeftOut(name, WITHOUT_POOL))
        except FewlabelsError as error:
            missing.append(LeftOut(name, str(error)))
    return tuple(found), tuple(missing)
