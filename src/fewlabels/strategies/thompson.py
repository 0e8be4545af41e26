"""Thompson sampling, one or several arms a round, and its top-two variant."""

from dataclasses import dataclass
from typing import ClassVar

from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.round import Round
from fewlabels.errors import QuestionError
from fewlabels.strategies.base import State, Strategy, best

# When one arm almost surely wins, waiting for another to win a draw may take for ever; after so many draws the
# runner-up of the last one is taken. At P(leader) = 0.9 that happens once in 1e9 rounds.
MOST_RESAMPLES = 200


class Thompson(Strategy):
    """[Ji21] Algorithm 1: draw the belief, take the arm of highest reward.

    With several plays (top m of m > 1) the m best arms of the one draw are queried: multiple-play Thompson sampling,
    supplement Algorithm 3 [Komiyama, Honda, Nakagawa 2015].
    """

    name: ClassVar[str] = "thompson"
    estimator: ClassVar[str | None] = "cautious"
    kernel: ClassVar[str | None] = "thompson"
    reason: ClassVar[str] = "Thompson sampling: groups are chosen by a random draw of what is believed about them"

    def choose(self, state: State, keyed: Keyed) -> Round:
        return Round(best(state.objective.sampled(keyed), state.remaining, state.plays))


@dataclass(frozen=True)
class TopTwo(Strategy):
    """Top-two Thompson sampling, supplement Algorithm 2: with probability `beta` draw again until another arm wins.

    The paper's pseudocode keeps the winner when B = 1, B ~ Bernoulli(beta); its text resamples with probability beta.
    At beta = 1/2, which the paper and [Russo16] have, both are the same; the text is followed.
    """

    beta: float = 0.5

    name: ClassVar[str] = "top_two"
    estimator: ClassVar[str | None] = "cautious"
    kernel: ClassVar[str | None] = "top_two"
    reason: ClassVar[str] = "top-two Thompson sampling: the likely winner and its strongest rival take turns"
    one_winner: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.beta <= 1:
            raise QuestionError(f"TopTwo's beta is the chance of drawing again, from 0 to 1; got {self.beta!r}.")

    @property
    def tuned(self) -> float:
        return self.beta

    def choose(self, state: State, keyed: Keyed) -> Round:
        objective, remaining = state.objective, state.remaining
        first = best(objective.sampled(keyed), remaining, 1)
        if (remaining > 0).sum() == 1 or keyed.uniform(Use.COIN) >= self.beta:
            return Round(first)
        for attempt in range(1, MOST_RESAMPLES + 1):
            two = best(objective.sampled(keyed, attempt), remaining, 2)
            if two[:1] != first:
                return Round(two[:1])
        return Round(two[1:])
