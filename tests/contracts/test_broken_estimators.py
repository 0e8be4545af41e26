"""Negative controls: estimators that break a promise are noticed, and it is said which."""

from typing import Any, ClassVar

import numpy as np
import pytest

from fewlabels.core.belief import Belief, OwnBelief
from fewlabels.core.beta import BetaBelief
from fewlabels.core.cells import View
from fewlabels.core.evidence import Evidence
from fewlabels.core.importance import FSample
from fewlabels.core.outcomes import Outcome
from fewlabels.estimators import ESTIMATORS, FEstimate, OwnCells
from fewlabels.estimators.weighted import Weighted
from fewlabels.testing import RATES, check_estimator

pytestmark = pytest.mark.usefixtures("fewer_draws")  # as where estimators keep their promises


class Laplace(OwnCells):
    """One imagined hit and one imagined miss a unit; nothing is broken here."""

    name: ClassVar[str] = "laplace"

    def fit(self, evidence: Evidence, view: View, outcome: Outcome, prior: Any, strength: float | None) -> OwnBelief:  # noqa: ARG002
        hits, misses = np.ascontiguousarray(evidence.counts(outcome, view.cells.count).T)
        return self.belief(hits, misses, evidence, view)

    def belief(self, hits: Any, misses: Any, evidence: Evidence, view: View) -> OwnBelief:  # noqa: ARG002
        return BetaBelief(view.cell_share, view.cell_share, hits, misses, view.cells.size)

    def method(self, belief: Belief, prior: Any) -> str:  # noqa: ARG002
        return "rule of succession"


class MindsTheOrder(Laplace):
    """The cell of the last label is believed in a little more."""

    def belief(self, hits, misses, evidence, view):
        more = np.zeros(view.cells.count)
        more[evidence.cell[-1:]] = 0.1
        return BetaBelief(view.cell_share + more, view.cell_share, hits, misses, view.cells.size)


class CountsThePrior(Laplace):
    def belief(self, hits, misses, evidence, view):  # noqa: ARG002
        none = np.zeros(view.cells.count)
        return BetaBelief(none + 1e-9, none + 1e-9, hits + 1, misses + 1, view.cells.size)


class ForgetsMisses(Laplace):
    def belief(self, hits, misses, evidence, view):
        return super().belief(hits, misses // 2, evidence, view)


class NeverNarrower(Laplace):
    def belief(self, hits, misses, evidence, view):
        many = (1 + evidence.labels_per_cell(view.cells.count)) ** 2
        return super().belief(hits / many, misses / many, evidence, view)


class Wordless(Laplace):
    def method(self, belief: Belief, prior: Any) -> str:  # noqa: ARG002
        return ""


BROKEN = {
    "minds the order": (MindsTheOrder, "The order of the evidence does not matter"),
    "counts its prior as labels": (CountsThePrior, "the prior is not counted as labels"),
    "forgets misses": (ForgetsMisses, "A fully labelled pool is known exactly"),
    "is never narrower": (NeverNarrower, "More labels narrow"),
    "has no words": (Wordless, "by which method"),
}


def test_an_estimator_that_keeps_its_promises_passes_and_is_known_only_meanwhile():
    check_estimator(Laplace(), RATES.values())
    assert "laplace" not in ESTIMATORS


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_estimator_is_noticed(name):
    made, promise = BROKEN[name]
    with pytest.raises(AssertionError, match=promise):
        check_estimator(made(), [RATES["accuracy by class"]])


def test_an_estimator_of_rates_asked_about_classes_is_noticed():
    with pytest.raises(AssertionError, match="too many values to unpack"):
        check_estimator(Laplace())


class FirstTwice(Weighted):
    """Reads the first label twice."""

    name: ClassVar[str] = "first_twice"

    def read(self, sample: FSample) -> FEstimate:
        found = super().read(sample)
        return FEstimate(found.value + 1e-3 * sample.positive[0], found.variance, found.cautious, found.counted)


def test_a_broken_estimator_of_f_scores_is_noticed():
    with pytest.raises(AssertionError, match=r"(?s)F-score of a fully labelled.*order of draws and labels"):
        check_estimator(FirstTwice())
