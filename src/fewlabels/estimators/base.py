"""What an estimator is: it turns evidence and cells into numbers, cell by cell or draw by draw."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from fewlabels.core.belief import Belief, OwnBelief
from fewlabels.core.cells import View
from fewlabels.core.evidence import Evidence
from fewlabels.core.groups import Grouping
from fewlabels.core.outcomes import Outcome
from fewlabels.core.priors import Prior, PriorName


class Estimator(ABC):
    """Reads labels. Promises: exact on a fully labelled pool; the order of the evidence does not matter."""

    name: ClassVar[str]
    reads_draws: ClassVar[bool] = False  # draw by draw, each with its weight; else cell by cell
    learns_prior: ClassVar[bool] = False  # nobody has to say what to believe beforehand, nor how firmly
    tells_gain: ClassVar[bool] = False  # its belief says what one more label in each cell is worth
    certifies: ClassVar[bool] = False  # its belief certifies which groups are the ones asked for
    of_models: ClassVar[bool] = False  # it reads what sets several models against one another, and nothing else
    in_bins: ClassVar[bool] = False  # by gaps in bins of each one's scores
    from_counts: ClassVar[bool] = False  # what it believes follows from a prior and counts of each cell's own labels

    def __init_subclass__(cls, **more: Any) -> None:
        """One that reads otherwise than its base does not read off counts alone, unless it says so."""
        super().__init_subclass__(**more)
        if "fit" in vars(cls) and "from_counts" not in vars(cls):
            cls.from_counts = False

    def check(self, evidence: Evidence) -> None:  # noqa: B027 - most read whatever was drawn inside cells
        """Raise where labels were not drawn as it needs."""

    def axes(self, of_class: str | None, by: tuple[Grouping, ...]) -> tuple[Grouping, ...]:  # noqa: ARG002
        """The further axes it wants cells to be split by, where a question is about a class, or by groups. Most take
        the question's own cells."""
        return ()

    def for_kind(self, kind: str) -> "Estimator":  # noqa: ARG002 - most read all alike
        """What reads questions of this kind: that for groups set against one another may believe less."""
        return self


class CellEstimator(Estimator):
    """Turns evidence into a belief about each cell, inside which the labelled items must be a simple random sample:
    every strategy here guarantees that, and `Study.answer` splits cells until it holds."""

    @property
    def for_sums(self) -> "CellEstimator | None":
        """What reads figures summed over many cells with few labels each; None for this one."""
        return None

    @property
    def for_whole(self) -> "CellEstimator | None":
        """What reads the figure of the whole pool beside those of groups; None for this one."""
        return self.for_sums

    @property
    def for_figures(self) -> "CellEstimator | None":
        """What reads the values of groups and their intervals, where this one ranks groups or sets them against one
        another; None for this one."""
        return None

    @abstractmethod
    def fit(
        self, evidence: Evidence, view: View, outcome: Outcome, prior: PriorName | Prior, strength: float | None
    ) -> Belief:
        """The belief after the evidence."""

    @property
    @abstractmethod
    def to_choose(self) -> "OwnCells":
        """What makes the belief that labels are chosen by."""

    @abstractmethod
    def method(self, belief: Belief, prior: PriorName | Prior) -> str:
        """The method in words, for every number it gives."""


class OwnCells(CellEstimator):
    """An estimator in whose belief each cell stands alone, so that labels can be chosen by it too."""

    @property
    def to_choose(self) -> "OwnCells":
        return self

    @abstractmethod
    def fit(
        self, evidence: Evidence, view: View, outcome: Outcome, prior: PriorName | Prior, strength: float | None
    ) -> OwnBelief:
        """The belief after the evidence."""
