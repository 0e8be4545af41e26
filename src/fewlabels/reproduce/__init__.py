"""The papers' tables and figures, again: `fl.reproduce("aaai-table-3")`, or `fewlabels reproduce --list`.

The experiments themselves are imported when one is run.
"""

from fewlabels.reproduce.base import Experiment, Reproduction, Row
from fewlabels.reproduce.panels import Curve, Panel
from fewlabels.reproduce.run import reproduce

__all__ = ["Curve", "Experiment", "Panel", "Reproduction", "Row", "reproduce"]
