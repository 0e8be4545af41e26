"""The papers' tables and figures, again: `fl.reproduce("aaai-table-3")`, or `fewlabels reproduce --list`.

The experiments themselves are imported when one is run.
"""

from fewlabels.reproduction.base import Experiment, Reproduction, Row
from fewlabels.reproduction.panels import Curve, Panel
from fewlabels.reproduction.run import reproduce

__all__ = ["Curve", "Experiment", "Panel", "Reproduction", "Row", "reproduce"]
