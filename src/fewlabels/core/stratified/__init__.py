"""A belief for finding groups: scores stratify and do not vouch, and every group may be an exception.

    rate of a cell ~ Beta(50 p, 50 (1 - p)),   logit p = logit mu_h + u_g,   u_g ~ N(0, tau^2)
    or, with chance w, the group is an exception: one rate for all of its cells, and that may be anything

Cells are groups crossed with strata h of the score. What an item's score says of it is learnt from the labels of its
stratum alone, mu_h, so that a model that is sure of itself is not believed. A group is better or worse than others in
all of its strata together, by u_g: strata that vary by themselves would average out, and the belief be surer than it
may. The spread tau is averaged over what the labels leave of it.

No draws are needed: how many of a group's items are right has a distribution in closed form but for a sum over the
nodes of u_g, and so has the chance that the groups named are at most a margin away from the true ones: the certificate.
It is a function of the counts alone, whatever the order of the labels and whatever was worked out before.
"""

from fewlabels.core.stratified.belief import StratifiedRates
from fewlabels.core.stratified.layout import FEW_EXCEPTIONS, MANY_EXCEPTIONS, Layout
from fewlabels.core.stratified.told import using

__all__ = [
    "FEW_EXCEPTIONS",
    "MANY_EXCEPTIONS",
    "Layout",
    "StratifiedRates",
    "using",
]
