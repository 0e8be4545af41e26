"""Coverage at fixed truths: many runs of one method on a pool whose labels are known, each row's interval judged."""

from functools import cache

import numpy as np

import fewlabels as fl
from fewlabels.core.evidence import NO_EVIDENCE
from fewlabels.reading.answer import read
from fewlabels.reading.cells import CellReading
from fewlabels.simulation.methods import read_methods
from fewlabels.simulation.run import Trace
from fewlabels.simulation.simulate import prepare, run_seed


@cache
def digits_pool() -> fl.Pool:
    """Handwritten digits, classified by a small network: 98 % right, and nearly always sure of itself."""
    from sklearn.datasets import load_digits
    from sklearn.neural_network import MLPClassifier

    images, digit = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(digit))
    train, test = order[:900], order[900:]
    network = MLPClassifier((64,), max_iter=400, random_state=0, alpha=0.0).fit(images[train] / 16, digit[train])
    return fl.Pool.from_sklearn(network, images[test] / 16, labels=digit[test])


def row_coverage(
    pool: fl.Pool, question: object, budgets: list[int], runs: int, strategy: str = "auto", estimator: str = "auto"
) -> np.ndarray:
    """How often each row's 95 % interval holds the truth, where it has one, (n_budgets, n_rows): one label at a time,
    target the pool."""
    method = fl.Method(strategy, estimator)
    looks = np.array(budgets, dtype=np.int64)
    job = prepare(pool, None, question, read_methods([method], question), looks, 0, None)
    (assessment,), (truth,), (runner,) = job.assessments, job.truths, job.runners
    hits, shown = np.zeros((2, len(budgets), len(truth.values)))
    for number in range(runs):
        seed = run_seed(0, number)
        noted = runner(job.known[0].deal(seed), job.budgets, seed)
        if isinstance(noted, Trace):
            beliefs = [assessment.prior_belief.after(counts) for counts in noted.counts]
            readings = [CellReading(assessment, NO_EVIDENCE, 0.95, believed=belief) for belief in beliefs]
        else:
            readings = [read(assessment, evidence) for evidence in noted]
        for place, reading in enumerate(readings):
            low, high = (np.array([getattr(f, end) for f in reading.findings]) for end in ("low", "high"))
            hits[place] += (low - 1e-12 <= truth.values) & (truth.values <= high + 1e-12)
            shown[place] += ~np.isnan(low)
    assert (shown.sum(axis=1) > 0).all()
    return np.where(shown > 0, hits / np.maximum(shown, 1), 1.0)
