"""One HTML file about a study: computed as plain data, then rendered. Item texts are never part of it."""

from fewlabels.reporting.data import ReportData, report_data
from fewlabels.reporting.render import report

__all__ = ["ReportData", "report", "report_data"]
