"""A proof of which groups stand out: one-sided bets on each group, which hold however often somebody looks.

It is wrong to name group b if another group j is lower by more than the margin. Take j to be one of the true groups.
One capital bets that b is lower than it truly is, another that j is higher than it truly is. Neither grows on average.
A label moves only the capital of its own group, so the product does not grow on average either, whichever group the
next label comes from [Waudby-Smith, Ramdas 2024]. It reaches 1 / alpha with a chance of at most alpha [Ville 1939].
Nobody knows the two figures. So b is shown to be within the margin of j once the product is that large for every value
u of j, with b at u plus the margin.

Several groups could be named wrongly. They share one capital, so there is no union over them: a quarter is staked on
all groups alike, and half of the rest goes to a group when it first takes the lead, from then on. What is not staked
counts too. Where `top` groups are named there is a union over these.

docs/decisions/0028-the-worst-group-certified.md has the figures.
"""

from fewlabels.core.proven.drawing import Standing, shared_out
from fewlabels.core.proven.proof import Draw, Proving, proven

__all__ = ["Draw", "Proving", "Standing", "proven", "shared_out"]
