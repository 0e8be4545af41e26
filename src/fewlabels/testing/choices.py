"""What every strategy promises of a single round, whatever the study: tried on small states made up for it."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.importance import FSample
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.round import Round
from fewlabels.strategies import Shown, State, Strategy, ToldOfArms
from fewlabels.testing.promises import assert_drawn_with

ROUNDS = 80  # so many random states are tried
KEYS = 3000  # and so many keys, where chances are looked at
LEFT = np.array([5, 0, 1, 14])  # items left in each arm of a state that is drawn from with many keys
F_SIZE, F_LEFT = np.array([5, 2, 1, 14, 3]), np.array([5, 0, 1, 13, 3])


@dataclass(frozen=True)
class Rewards:
    """An objective of fixed means, with draws about them."""

    means: Array

    def sampled(self, keyed: Keyed, attempt: int = 0) -> Array:
        return self.means + keyed.uniforms(Use.ARM_DRAW, np.arange(len(self.means)), attempt)

    def mean(self) -> Array:
        return self.means

    def upper(self, keyed: Keyed, level: float = 0.975) -> Array:  # noqa: ARG002 - the protocol's signature
        return self.means + level


def state_of(remaining: Ints, most: int, seen: Any) -> State:
    """What a strategy looks at: rewards (which are gains, too), or the sample of an F-score."""
    told = ToldOfArms(np.zeros(len(remaining)), np.zeros(len(remaining)), np.maximum(remaining, 1))
    shown = Shown(np.zeros(len(remaining)), 3.0)
    looks = (lambda: seen, lambda: seen, lambda: np.abs(seen.mean()))
    rate = np.full(len(remaining), 0.8)
    return State(
        remaining, most, most, 1, *looks,
        make_told=lambda: told, make_shown=lambda _: shown, make_likeliest=lambda: rate,
    )  # fmt: skip


def f_sample(size: Any, score: Any, predicted: Any, alpha: float, labelled: Any = (), positive: Any = ()) -> FSample:
    """A sample whose labelled items, given by cell, all came from outside."""
    none, cell = np.zeros(0, dtype=np.int64), np.array(labelled, dtype=np.int64)
    return FSample(
        alpha=alpha,
        size=np.array(size),
        score=np.array(score),
        predicted=np.array(predicted, dtype=float),
        stratum=np.unique(score, return_inverse=True)[1],
        cell=cell,
        positive=np.array(positive, dtype=float),
        since=np.zeros(len(cell), dtype=np.int64),
        row=none,
        round=none,
        probability=np.zeros(0),
    )


def rounds(strategy: Strategy) -> list[Round]:
    """What is chosen of one state by many keys, one arm being asked for."""
    if strategy.by_cells:
        state = state_of(LEFT, 1, Rewards(np.array([0.1, 0.9, 0.2, 0.3])))
        return [strategy.choose(state, Keyed(9, step)) for step in range(KEYS)]
    sample = f_sample(F_SIZE, [0.1, 0.9, 0.6, 0.05, 0.7], [0, 1, 1, 0, 1], 0.5, [1, 1, 3], [1, 1, 0])
    return [strategy.choose(state_of(F_LEFT, 1, sample), Keyed(key, 1)) for key in range(KEYS)]


def draws(strategy: Strategy) -> list[tuple[int, float | None]]:
    """The arms of these, with the probability of each where it is known; of rounds in which that changes from draw to
    draw, the first."""
    return [
        (arm, made.probability(i))
        for made in rounds(strategy)
        for i, arm in enumerate(made.arms if made.design.weighs else made.arms[:1])
    ]


def _some_rewards(rng: np.random.Generator) -> tuple[Ints, Any]:
    left = rng.integers(0, 4, size=rng.integers(1, 9))
    left[rng.integers(len(left))] += 1
    return left, Rewards(rng.choice([rng.uniform(-1, 1, len(left)), np.zeros(len(left))]))


def _some_sample(rng: np.random.Generator) -> tuple[Ints, Any]:
    size = rng.integers(1, 4, size=rng.integers(1, 9))
    taken = size.copy() if rng.uniform() < 0.1 else rng.integers(0, size + 1)
    n, cells = len(size), np.repeat(np.arange(len(size)), taken)
    score = rng.choice([rng.uniform(size=n), rng.integers(0, 2, n).astype(float)])
    alpha = float(rng.choice([0.0, 0.3, 0.5, 0.9]))
    return size - taken, f_sample(size, score, rng.integers(0, 2, n), alpha, cells, rng.integers(0, 2, len(cells)))


# -- one promise each ----------------------------------------------------------------------------------------------


def rounds_of_arms_with_items_left(strategy: Strategy) -> None:
    """A round is one arm with items left, or some distinct ones, or draws with known probabilities.

    Draws with replacement from the whole pool may return what is labelled. Where nothing is left, nothing is chosen.
    """
    rng = np.random.default_rng(13)

    @cache
    def whole() -> bool:
        return any(made.design.whole for made in rounds(strategy))

    for _ in range(ROUNDS):
        left, seen = _some_rewards(rng) if strategy.by_cells else _some_sample(rng)
        plays, key = int(rng.integers(1, 5 if strategy.by_cells else 41)), Keyed(0, int(rng.integers(1, 13)))
        chosen = strategy.choose(state_of(left, plays, seen), key)
        arms = list(chosen.arms)
        assert len(arms) <= plays, f"{len(arms)} arms where {plays} were to be played"
        assert all(0 <= arm < len(left) for arm in arms), f"arms {arms} of {len(left)}"
        if not left.any():
            assert not arms, f"arms {arms} were chosen, and no items are left"
        assert arms or not left.any() or whole(), "no arm was chosen, and items are left"
        some_left = all(left[arm] > 0 for arm in arms)
        assert some_left or whole(), f"arms {arms} were chosen; items left are {left.tolist()}"
        assert chosen.probabilities or len(set(arms)) == len(arms), (
            f"arms {arms} are not distinct, nor are their probabilities known"
        )


def same_key_same_choice(strategy: Strategy) -> None:
    """The same state and key give the same choice, and choosing changes nothing."""
    rng = np.random.default_rng(14)
    for _ in range(ROUNDS):
        left, seen = _some_rewards(rng) if strategy.by_cells else _some_sample(rng)
        before, key = left.copy(), Keyed(0, int(rng.integers(1, 13)))
        first, again = (strategy.choose(state_of(left, 3, seen), key) for _ in range(2))
        assert first == again, f"{first}, and then {again}"
        assert (left == before).all(), "the strategy changed how many items are left"


def drawn_with_the_probabilities_given(strategy: Strategy) -> None:
    """Arms are drawn with the probabilities given, by chi-square; those of one draw sum up to one."""
    drawn_as_said(draws(strategy))


def drawn_as_said(drawn: list[tuple[int, float | None]]) -> None:
    """The same of arms and probabilities that were drawn already."""
    given = {probability for _, probability in drawn}
    if given == {None}:
        return
    assert None not in given, "some draws have a probability, and others of the same state none"
    probability = {arm: p or 0.0 for arm, p in drawn}
    wrong = [(arm, p) for arm, p in drawn if p != probability[arm]]
    assert not wrong, f"one state and arm, two probabilities: {wrong[:1]} and {probability}"
    assert_drawn_with(Counter(arm for arm, _ in drawn), probability, len(drawn))


def says_its_name_and_how_it_chooses(strategy: Strategy) -> None:
    """A strategy has a name and, for the answer, a clause that says how it chooses."""
    assert strategy.name.isidentifier(), f"the name {strategy.name!r} cannot be used in settings"
    assert len(strategy.reason) > 10, f"{strategy.reason!r} does not say how it chooses"
