"""One HTML file about a study: computed as plain data, then rendered. Item texts are part of it only where asked
for."""

from fewlabels.reporting.data import ReportData, report_data
from fewlabels.reporting.render import report

__all__ = ["ReportData", "report", "report_data"]
