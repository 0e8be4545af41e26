"""Two models: the error of their difference against that of a paired uniform sample, intervals, and the label at which
a verdict is shown."""

from typing import Any

import numpy as np
from benchmarks.models.pools import ModelSet

import fewlabels as fl
from fewlabels.answers import LEAST_LABELS, Proof
from fewlabels.core.anytime.capital import Capital
from fewlabels.core.anytime.means import MeanBets
from fewlabels.core.evidence import Evidence
from fewlabels.reading.models import PairReading
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import prepare, run_seed

LOOKS = (50, 100, 200)
MOST = 1000  # labels after which a study without a verdict is given up
ROPE, GOAL = 0.01, 0.95
_SEED = 13
_SLACK = 1e-9


def run(one: ModelSet, a: str, b: str, number: int, batches: tuple[int, ...] = (1,)) -> dict[str, Any]:
    """One study of a sub-pool, from its first label to its verdict; and what a paired uniform sample is worth there."""
    job = prepare(
        one.pool(number), None, fl.CompareModels("accuracy", a, b, ROPE), [fl.Method()], np.array([1]), _SEED, None
    )  # fmt: skip
    (made,), (known,), seed = job.assessments, job.known, run_seed(_SEED, number)
    between = made.between
    assert between is not None
    found = between.values(known.label, known.cell)
    d = found[:, 0] - found[:, 1]
    differ = int(made.cells.size[between.differ].sum())
    budgets = np.unique(np.minimum((*LOOKS, MOST), differ))
    evidence = run_draws(made, known.deal(seed), budgets, seed, batches)
    looks = {}
    for look, at in zip(budgets.tolist(), evidence, strict=True):
        if look in LOOKS:
            seen = PairReading(made, at, GOAL).overall
            looks[look] = {"value": seen.value, "low": seen.low, "high": seen.high}
    truth = float(d.mean())
    return {
        "items": len(d),
        "differ": differ,
        "truth": truth,
        "variance": float(d.var(ddof=1)),  # of one item of a uniform sample
        "looks": looks,
        **_stop(evidence[-1], PairReading(made, evidence[-1], GOAL), truth, batches[0]),
    }


def _stop(evidence: Evidence, reading: PairReading, truth: float, batch: int) -> dict[str, Any]:
    """Where the product stops when it is asked after every batch."""
    told, values = reading.told[-1], evidence.in_order.of(reading._value)
    bets, share = MeanBets(told.differ, float(told.worth.min()), float(told.worth.max()), 2), told.differ / told.items
    right = {"less": truth < 0, "equal": abs(truth) <= ROPE + _SLACK, "more": truth > 0}
    for n, value in enumerate(values.tolist(), start=1):
        bets.add(value)
        if (n % batch and n < told.differ) or n < min(LEAST_LABELS, told.differ):
            continue
        won = bets.capital
        shown = Proof(Capital(won.values * share, won.log_won, won.all_there_are)).of(GOAL, ROPE)
        if shown:
            return {"labels": n, "said": list(shown), "right": all(right[one] for one in shown)}
    return {"labels": len(values), "said": [], "right": False}
