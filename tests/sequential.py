"""Wald's sequential test: runs are made until they tell, about half as many as a fixed number that errs as seldom."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Often:
    """Whether the share of hits is `good` rather than `bad`, from as few of them as tell.

    A share of `good` or more is refused, and one of `bad` or less accepted, about so often at most [Wald 1945]: by no
    more than one part in 1 - `accepted`, and in 1 - `refused`.
    """

    good: float
    bad: float
    refused: float
    accepted: float
    odds: float = field(default=0.0, init=False)  # the logarithm of how much likelier the hits are if good than if bad
    number: int = field(default=0, init=False)
    verdict: bool | None = field(default=None, init=False)  # None as long as the hits do not tell

    def add(self, hit: bool) -> None:
        if self.verdict is None:
            self.number += 1
            self.odds += math.log(self.good / self.bad if hit else (1 - self.good) / (1 - self.bad))
            if self.odds >= math.log((1 - self.refused) / self.accepted):
                self.verdict = True
            elif self.odds <= math.log(self.refused / (1 - self.accepted)):
                self.verdict = False


def held_often(hits: Iterable[bool], good: float, bad: float, refused: float, accepted: float) -> bool:
    """The same of hits that come one by one."""
    often = Often(good, bad, refused, accepted)
    for hit in hits:
        often.add(hit)
        if often.verdict is not None:
            print(f"{often.number} runs, odds {often.odds:+.2f}")
            return often.verdict
    raise AssertionError(f"not decided after {often.number} runs: odds {often.odds:+.2f}")
