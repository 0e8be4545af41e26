"""Wald's sequential test: runs are made until they tell, about half as many as a fixed number that errs as seldom."""

import math
from collections.abc import Iterable


def held_often(hits: Iterable[bool], good: float, bad: float, refused: float, accepted: float) -> bool:
    """Whether the share of hits is `good` rather than `bad`, from as few of them as tell.

    A share of `good` or more is refused, and one of `bad` or less accepted, about so often at most [Wald 1945]: by no
    more than one part in 1 - `accepted`, and in 1 - `refused`.
    """
    odds = 0.0  # the logarithm of how much likelier the hits are under one than under the other
    high, low = math.log((1 - refused) / accepted), math.log(refused / (1 - accepted))
    for number, hit in enumerate(hits, start=1):
        odds += math.log(good / bad if hit else (1 - good) / (1 - bad))
        if not low < odds < high:
            print(f"{number} runs, odds {odds:+.2f}")
            return odds > 0
    raise AssertionError(f"not decided: odds {odds:+.2f} between {low:.2f} and {high:.2f}")
