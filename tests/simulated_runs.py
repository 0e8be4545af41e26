"""Questions to simulate, and one run of a simulation taken apart."""

import sys
from typing import Any

import numpy as np

import fewlabels as fl
from fewlabels.simulation import run_seed
from fewlabels.simulation.measures import OF_ESTIMATES, OF_STATES, Truth, point
from fewlabels.simulation.methods import read_methods
from fewlabels.simulation.run import run_plain

simulating = sys.modules["fewlabels.simulation.simulate"]
ACCURACY = fl.Estimate("accuracy", by="predicted_class")
WORST = fl.Identify("accuracy", by="predicted_class")
WORST_3 = fl.Identify("accuracy", by="predicted_class", top=3)
SEXES = fl.Compare("accuracy", by="sex", a="F", b="M")
CONFUSION = fl.Estimate("confusion")
CALIBRATION = fl.Estimate(fl.CalibrationError(fl.ScoreBins(5)))
COST = fl.Identify(fl.Cost(1 - np.eye(6)), by="predicted_class", top=2)
TPR = fl.Estimate("true_positive_rate", by="sex", positive="class-1")


def job_of(pool: fl.Pool, question: Any, methods: list[Any], budgets: list[int], **more: Any) -> Any:
    """What fl.simulate hands to its workers."""
    how = (more.get("target", "pool"), 0.95, None)
    return simulating.prepare(
        pool, None, question, read_methods(methods, question), np.array(budgets), 5, more.get("measures"), how
    )


def truth_and_trace(pool: fl.Pool, question: Any, method: Any, budgets: list[int], **more: Any) -> tuple[Truth, Any]:
    job = job_of(pool, question, [method], budgets, **more)
    trace = run_plain(job.assessments[0], job.known[0].deal(run_seed(5, 0)), job.budgets, run_seed(5, 0))
    return job.truths[0], [job.assessments[0].prior_belief.after(counts) for counts in trace.counts]


def measured(name: str, truth: Truth, belief: Any) -> float:
    """One measure of what is known at one budget."""
    if name in OF_ESTIMATES:
        return float(OF_ESTIMATES[name](truth, point(truth.assessment, belief)))
    return OF_STATES[name](truth, belief)
