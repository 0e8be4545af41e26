"""Which groups stand out, proven however often somebody looks: one-sided bets on each group, by draws of their own.

A group b is named wrongly if some group j that it is set against is lower by more than the margin. Let j be one of the
groups that are truly asked for, theta_b and theta_j the figures. What was won by betting that b is lower than
theta_b, times what was won by betting that j is higher than theta_j, does not grow on average, whichever group the next
label is from: each factor moves with the labels of its own group alone [Waudby-Smith, Ramdas 2024; Ville 1939]. So the
product ever reaches 1 / alpha with a chance of at most alpha. b is shown to be within the margin of j once the product
is that large at every value u that j may have, b being at u plus the margin.

Only groups that are not among those truly asked for can be named wrongly. Instead of a union over them the first
factor is one capital that is shared out: a part is staked on each group from the beginning, and half of what is kept
back goes to a group when it comes first, from then on. What is kept back counts too. Where `top` groups are asked for,
a union over these remains. docs/decisions/0028-the-worst-group-certified.md has the figures.
"""

from fewlabels.core.proven.drawing import Standing, shared_out
from fewlabels.core.proven.proof import Draw, Proving, proven

__all__ = ["Draw", "Proving", "Standing", "proven", "shared_out"]
