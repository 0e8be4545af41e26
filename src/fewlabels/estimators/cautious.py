"""The papers' posteriors, shown with the caution that few labels call for: the default."""

from typing import ClassVar

from fewlabels.core.beta import LEAST_PSEUDO_COUNT
from fewlabels.estimators.base import CellEstimator
from fewlabels.estimators.bayes import Bayes
from fewlabels.estimators.shared import Pooled


class Cautious(Bayes):
    """Intervals, ranks and probabilities start from at least half a pseudo-label on either side, as Jeffreys' prior has
    it; choices and estimates stay the papers'. Figures summed over groups are read by a belief that these share."""

    name: ClassVar[str] = "cautious"
    least: ClassVar[float] = LEAST_PSEUDO_COUNT

    @property
    def for_sums(self) -> CellEstimator | None:
        return Pooled()
