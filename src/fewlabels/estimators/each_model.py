"""Two models on the same items, each read by itself: how far what is believed of one is from what is of the other."""

from typing import ClassVar

from fewlabels.estimators.base import Estimator
from fewlabels.estimators.hierarchical import Hierarchical


class EachModel(Estimator):
    """Of figures that every item has a part in, not only those on which models differ: calibration errors.

    The interval of the difference is made of those of both [Zou, Donner 2008], with the correlation that labels show
    [Zou 2007] where that is negative and makes it wider. That both err alike is not counted on: what a belief is off by
    besides chance does not cancel.
    """

    name: ClassVar[str] = "each_model"
    of_models: ClassVar[bool] = True
    in_bins: ClassVar[bool] = True
    learns_prior: ClassVar[bool] = True

    def for_kind(self, kind: str) -> Estimator:
        return Hierarchical().for_kind(kind)

    def in_words(self) -> str:
        """The method, for every number it gives."""
        return (
            "each model by hierarchical recalibration of its scores; the interval of the difference from both of theirs"
        )
