"""The checks any metric, estimator, strategy, goal, storage or engine must pass, for anyone who writes one.

Each `check_…` raises an AssertionError that names every promise its part breaks; the promises are those in the
docstrings of the base classes. Beside fewlabels they need nothing.
"""

from fewlabels.testing.estimators import RATES, check_estimator
from fewlabels.testing.metrics import MetricCase, check_metric, check_metric_cases
from fewlabels.testing.stopping import check_stopping
from fewlabels.testing.storages import check_storage
from fewlabels.testing.strategies import check_strategy
from fewlabels.testing.world import World

__all__ = [
    "RATES",
    "MetricCase",
    "World",
    "check_estimator",
    "check_metric",
    "check_metric_cases",
    "check_stopping",
    "check_storage",
    "check_strategy",
]
