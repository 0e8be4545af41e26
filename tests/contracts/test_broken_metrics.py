"""Negative controls: metrics that break a promise are noticed, and it is said which."""

from typing import ClassVar

import numpy as np
import pytest

from fewlabels.core.arrays import Array
from fewlabels.core.cells import View
from fewlabels.metrics import METRICS, Metric
from fewlabels.testing import World, check_metric
from strangers import ErrorRate

pytestmark = pytest.mark.usefixtures("fewer_draws")  # as where metrics keep their promises


def error_rate(world: World, items: np.ndarray) -> float:
    return float(np.mean(world.true[items] != world.predicted[items]))


class OffByALittle(ErrorRate):
    """Wrong, and says the same of itself wherever it says something."""

    scale: ClassVar[float | None] = -0.999

    def shift(self, view: View) -> Array:
        return np.full(view.groups.count, 0.999)

    def values(self, theta: Array, view: View) -> Array:
        return 0.999 * super().values(theta, view)


class WrongScale(ErrorRate):
    scale: ClassVar[float | None] = 1.0


class NotLinear(ErrorRate):
    scale: ClassVar[float | None] = None

    def values(self, theta: Array, view: View) -> Array:
        return super().values(theta, view) ** 2


class OneNumberForAll(ErrorRate):
    def values(self, theta: Array, view: View) -> Array:
        return super().values(theta, view).mean(axis=1, keepdims=True)


class WrongInfluence(ErrorRate):
    def influence(self, theta: Array, view: View) -> Array:
        return -super().influence(theta, view)


class OutOfBounds(ErrorRate):
    def bounds(self, view: View) -> tuple[float, float]:  # noqa: ARG002
        return 0.0, 0.1


class HalfOfAnything(ErrorRate):
    """Does not look at the labels."""

    linear: ClassVar[bool] = False
    scale: ClassVar[float | None] = None

    def values(self, theta: Array, view: View) -> Array:
        return np.full((len(theta), view.groups.count), 0.5)


class Forgets(ErrorRate):
    def to_json(self) -> dict[str, object]:
        return {"colour": "red"}


BROKEN: dict[str, tuple[type[Metric], str]] = {
    "wrong on a labelled pool": (OffByALittle, "A fully labelled pool has the plain figure"),
    "a wrong scale": (WrongScale, "scale \\* rate \\+ shift"),
    "not linear": (NotLinear, "linear where it says so"),
    "one row for all": (OneNumberForAll, "One value a draw and row"),
    "a wrong influence": (WrongInfluence, "its influence is"),
    "outside its bounds": (OutOfBounds, "between the metric's bounds"),
    "known without labels": (HalfOfAnything, "An interval has a width"),
    "arguments it does not take": (Forgets, "the same after it was kept"),
}


def test_a_metric_that_keeps_its_promises_passes_and_is_known_only_meanwhile():
    check_metric(ErrorRate(), error_rate, by=(None, "side", "predicted_class"))
    assert "error_rate" not in METRICS


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_metric_is_noticed(name):
    made, promise = BROKEN[name]
    with pytest.raises(AssertionError, match=promise):
        check_metric(made(), error_rate)
    assert "error_rate" not in METRICS


def test_a_wrong_idea_of_the_exact_figure_is_noticed():
    with pytest.raises(AssertionError, match=r"(?s)1 of 9 promises.*plain figure.*0\.2333.*where.*0\.7666"):
        check_metric(ErrorRate(), lambda world, items: 1 - error_rate(world, items))
