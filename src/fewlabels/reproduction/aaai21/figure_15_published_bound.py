"""The upper bound of Figure 15 as the published code has it: the posterior mean plus the posterior variance, not a
quantile.

For the least accurate classes, from Beta(1, 1). All runs advance together; their items come in the order of the other
methods' runs.
"""

import numpy as np
import numpy.typing as npt

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.beta import beta_variance
from fewlabels.pool import Pool
from fewlabels.questions import Identify
from fewlabels.reproduction.base import model_of
from fewlabels.simulation import Method, run_seed
from fewlabels.simulation.measures import mrr
from fewlabels.simulation.simulate import prepare


def published_bound_mrr(pool: Pool, question: Identify, budgets: list[int], runs: int) -> Array:
    """MRR of the true top m at each budget, (n_runs, n_budgets)."""
    flat = Method("upper_bound", "beta", "flat")
    job = prepare(pool, None, question, [flat], np.array(budgets), 0, ["mrr"], ("population", 0.95, model_of(pool)))
    starts = job.known[0].deal(0).starts
    right = np.stack([job.known[0].deal(run_seed(0, number)).correct.astype(np.int8) for number in range(runs)])
    wrong = np.ones((runs, len(starts) - 1, 2))  # Beta parameters of being wrong
    left = np.broadcast_to(np.diff(starts), wrong.shape[:2]).copy()
    labels, out = 0, np.empty((runs, len(budgets)))
    for place, budget in enumerate(budgets):
        while labels < budget:
            labels += _take_highest(wrong, left, right, starts, min(question.top, budget - labels))
        out[:, place] = mrr(job.truths[0], 1 - wrong[..., 0] / wrong.sum(axis=-1))
    return out


def _take_highest(wrong: Array, left: Ints, right: npt.NDArray[np.int8], starts: Ints, count: int) -> int:
    """A label each in the so many open classes of highest mean plus variance; how many labels a run."""
    a, b = wrong[..., 0], wrong[..., 1]
    bound = np.where(left > 0, a / (a + b) + beta_variance(a, b), -np.inf)
    count = min(count, int((left > 0).sum(axis=1).min()))
    where = np.argsort(-bound, axis=1, kind="stable")[:, :count] if count > 1 else bound.argmax(axis=1)[:, None]
    run = np.arange(len(bound))[:, None]
    item = starts[1:][where] - left[run, where]
    wrong[run, where, right[run, item]] += 1
    left[run, where] -= 1
    return count
