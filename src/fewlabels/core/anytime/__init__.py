"""Intervals that hold at every look: whoever looks after each label, and stops when the answer pleases, has them."""

from fewlabels.core.anytime.betting import using
from fewlabels.core.anytime.capital import Capital
from fewlabels.core.anytime.means import of_mean
from fewlabels.core.anytime.path import Path
from fewlabels.core.anytime.ratio import along_share, of_share, of_sum

__all__ = ["Capital", "Path", "along_share", "of_mean", "of_share", "of_sum", "using"]
