"""Models on the same items: the differences of their figures, off labels of the items on which they differ."""

from typing import ClassVar

from fewlabels.estimators.base import Estimator
from fewlabels.estimators.hierarchical import Hierarchical


class Paired(Estimator):
    """See core/paired.py. Of the items on which models differ labels are a simple random sample; all others add nothing
    to a difference. Scores have no say. Questions about one model are read by the hierarchical estimator."""

    name: ClassVar[str] = "paired"
    of_models: ClassVar[bool] = True
    learns_prior: ClassVar[bool] = True

    def for_kind(self, kind: str) -> Estimator:
        return Hierarchical().for_kind(kind)

    def in_words(self) -> str:
        """The method, for every number it gives."""
        return "paired: labels of items on which the models differ, known shares of such items"
