"""One belief for all cells: how far off the scores are, what groups do of their own, and how far to trust either.

    logit p_c = o_c + a + b (z_c - z̄) + d (z̄_g - z̄) + sum_k w_k hat_k(t_c) + u_g

Correctness given the score: a hierarchical logistic regression, summed over the finite pool. The score is read in
three ways: trusted as it is, squeezed where it is extreme (a score of .9999 then allows for one error in a hundred),
and not at all; which of them holds is learnt from the labels, as are the spread of the groups' own effects u_g and how
far the curve may bend. A group may be an exception (a spike and a slab): nobody can tell by its scores, so that a group
without labels keeps a wide belief. Where groups are set against one another scores are believed less, and where one is
picked because it stands out, labels too (`Trust` in model.py). Figures come from joint draws, in which all of this is
integrated, not plugged in.
"""

from fewlabels.core.recalibration.belief import RecalibratedRates
from fewlabels.core.recalibration.model import SCEPTICAL, TRUSTING, WARY, Model, Trust, model_of, squeezed_logit
from fewlabels.core.recalibration.told import using

__all__ = [
    "SCEPTICAL",
    "TRUSTING",
    "WARY",
    "Model",
    "RecalibratedRates",
    "Trust",
    "model_of",
    "squeezed_logit",
    "using",
]
