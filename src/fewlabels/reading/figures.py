"""The one reading of a group's value and interval, whatever is asked about the group."""

from dataclasses import replace
from typing import cast

from fewlabels.core.remembered import Remembered
from fewlabels.estimators import CellEstimator
from fewlabels.reading.cells import CellReading

_MADE: Remembered[tuple[CellReading, CellReading]] = Remembered(4)


def figures_of(reading: CellReading) -> CellReading:
    """What values and intervals are taken from: the reading that fl.Estimate has of the same groups.

    Which group is worst, and whether one is worse than another, may be judged by a belief of its own. That belief gives
    ranks, probabilities and certificates. The value of a group and its interval are one number, by the method whose
    intervals were measured to hold.
    """
    by = cast(CellEstimator, reading.assessment.estimator).for_figures
    if by is None or reading.by is not None or reading.believed is not None:
        return reading
    *_, found = _MADE.get((id(reading),), lambda: (reading, replace(reading, by=by, kept=None)))
    return found
