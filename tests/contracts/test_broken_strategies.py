"""Negative controls: strategies that break a promise are noticed, and it is said which."""

from dataclasses import replace
from itertools import count
from typing import ClassVar

import pytest

from fewlabels.core.keyed import Keyed
from fewlabels.strategies import STRATEGIES, Acis, Round, State
from fewlabels.testing import check_strategy
from fewlabels.testing.strategies import QUESTIONS
from strangers import RootSize

pytestmark = pytest.mark.usefixtures("fewer_draws")  # as where strategies keep their promises

CALLS = count()


class EmptyArm(RootSize):
    """Names the first arm, items or not, now and then."""

    def choose(self, state: State, keyed: Keyed) -> Round:
        return Round((0,)) if keyed.step % 5 == 4 else super().choose(state, keyed)


class Moody(RootSize):
    """Draws by the number of its calls rather than by the key."""

    def choose(self, state: State, keyed: Keyed) -> Round:  # noqa: ARG002
        return self.drawn(state.remaining, next(CALLS) * 0.618 % 1)


class WrongProbability(RootSize):
    """Says that cells are drawn in proportion to their size."""

    def choose(self, state: State, keyed: Keyed) -> Round:
        chosen = super().choose(state, keyed)
        size = float(state.remaining[chosen.arms[0]] / state.remaining.sum())
        return replace(chosen, probabilities=(size,))


class HalfTheProbability(RootSize):
    def choose(self, state: State, keyed: Keyed) -> Round:
        chosen = super().choose(state, keyed)
        return replace(chosen, probabilities=(chosen.probabilities[0] / 2,))


class Twice(RootSize):
    """Plays one arm twice in a round, by no known chance."""

    def choose(self, state: State, keyed: Keyed) -> Round:
        return Round(super().choose(state, keyed).arms * min(2, state.plays))


class OutOfRange(RootSize):
    def choose(self, state: State, keyed: Keyed) -> Round:
        return Round((len(state.remaining),)) if keyed.step == 12 else super().choose(state, keyed)


class GivesUp(RootSize):
    """Stops where few items are left."""

    def choose(self, state: State, keyed: Keyed) -> Round:
        return super().choose(state, keyed) if state.remaining.sum() > 9 else Round()


class Nameless(RootSize):
    reason: ClassVar[str] = ""


BROKEN = {
    "names an empty arm": (EmptyArm, "one arm with items left"),
    "other choices for the same key": (Moody, "same state and key give the same choice"),
    "other probabilities than it says": (WrongProbability, "drawn with the probabilities given"),
    "half the probabilities": (HalfTheProbability, "drawn with the probabilities given"),
    "an arm twice": (Twice, "not distinct"),
    "an arm there is not": (OutOfRange, r"arms \[\d\] of \d"),
    "gives up": (GivesUp, "were never asked|items were asked, 7 wanted"),
    "no reason": (Nameless, "how it chooses"),
}


def test_a_strategy_that_keeps_its_promises_passes_and_is_known_only_meanwhile():
    check_strategy(RootSize(0.7))
    assert "root_size" not in STRATEGIES


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_strategy_is_noticed(name):
    made, promise = BROKEN[name]
    with pytest.raises(AssertionError, match=promise):
        check_strategy(made(), [QUESTIONS["accuracy by class"]])


class AllAlike(Acis):
    """Says that each draw had the chance of all cells alike."""

    name: ClassVar[str] = "all_alike"

    def choose(self, state: State, keyed: Keyed) -> Round:
        chosen = super().choose(state, keyed)
        return replace(chosen, probabilities=(1 / len(state.remaining),) * len(chosen.arms))


def test_draws_for_an_f_score_with_other_chances_than_said_are_noticed():
    with pytest.raises(AssertionError, match="drawn with the probabilities given"):
        check_strategy(AllAlike(), [QUESTIONS["F1"]])


def test_items_that_are_asked_in_an_order_of_their_own_are_noticed(monkeypatch):
    """An engine whose first item is always the same: not every item of an arm is first equally often."""
    from fewlabels.engines import MemoryEngine
    from fewlabels.testing.strategies import equal_chances_inside_an_arm

    fair = MemoryEngine.draw

    def draw(self, model, axes, seed, cell, after, n):
        return fair(self, model, axes, 0, cell, after, n)

    monkeypatch.setattr(MemoryEngine, "draw", draw)
    with pytest.raises(AssertionError, match="were expected"):
        equal_chances_inside_an_arm("uniform_groups", QUESTIONS["accuracy by class"])
