"""How good is this classifier, where is it worst, is it fair: from few labels, with uncertainty you can trust."""

from fewlabels.answers import Answer, Comparison, Finding, Handover, Identification, Progress, Verdicts
from fewlabels.core.events import Query
from fewlabels.core.groups import ClassMap, ScoreBins
from fewlabels.core.priors import Prior
from fewlabels.errors import FewlabelsError, LabelError, MissingExtraError, PoolError, QuestionError, StudyError
from fewlabels.estimators import Averaged, register_estimator
from fewlabels.figures import Figure, plot
from fewlabels.metrics import (
    AveragePrecision,
    CalibrationError,
    Cost,
    FCurve,
    FScore,
    FScores,
    PrecisionRecall,
    Reliability,
    ReliabilityCurve,
    TruePositiveRate,
    register_metric,
)
from fewlabels.model_questions import BestModel, CompareModels
from fewlabels.planning import Plan, plan
from fewlabels.pool import Pool
from fewlabels.pool.open_pool import open_pool
from fewlabels.questions import Above, Below, Compare, Estimate, Identify
from fewlabels.reporting import report
from fewlabels.reproduction import reproduce
from fewlabels.settings import StudySettings
from fewlabels.simulation import Method, SimulationResult, presets, simulate, synthetic_pool
from fewlabels.stopping import HalfWidth, Probability, Variance, register_stopping
from fewlabels.strategies import Acis, Contrast, Doubt, EpsilonGreedy, Gain, TopTwo, UpperBound, register_strategy
from fewlabels.study import Study
from fewlabels.study.creation import create_study, load_study
from fewlabels.verification import Verification, verify

__version__ = "0.2.0.dev0"

__all__ = [
    "Above",
    "Acis",
    "Answer",
    "AveragePrecision",
    "Averaged",
    "Below",
    "BestModel",
    "CalibrationError",
    "ClassMap",
    "Compare",
    "CompareModels",
    "Comparison",
    "Contrast",
    "Cost",
    "Doubt",
    "EpsilonGreedy",
    "Estimate",
    "FCurve",
    "FScore",
    "FScores",
    "FewlabelsError",
    "Figure",
    "Finding",
    "Gain",
    "HalfWidth",
    "Handover",
    "Identification",
    "Identify",
    "LabelError",
    "Method",
    "MissingExtraError",
    "Plan",
    "Pool",
    "PoolError",
    "PrecisionRecall",
    "Prior",
    "Probability",
    "Progress",
    "Query",
    "QuestionError",
    "Reliability",
    "ReliabilityCurve",
    "ScoreBins",
    "SimulationResult",
    "Study",
    "StudyError",
    "StudySettings",
    "TopTwo",
    "TruePositiveRate",
    "UpperBound",
    "Variance",
    "Verdicts",
    "Verification",
    "create_study",
    "load_study",
    "open_pool",
    "plan",
    "plot",
    "presets",
    "register_estimator",
    "register_metric",
    "register_stopping",
    "register_strategy",
    "report",
    "reproduce",
    "simulate",
    "synthetic_pool",
    "verify",
]
