"""The papers' tables and figures, again: `fl.reproduce("aaai-table-3")`, or `fewlabels reproduce --list`.

The experiments themselves are imported when one is run.
"""

from fewlabels.reproduction.base import Compared, Curve, Experiment, Panel, Reproduction
from fewlabels.reproduction.run import reproduce

__all__ = ["Compared", "Curve", "Experiment", "Panel", "Reproduction", "reproduce"]
