"""Which groups lie below the accuracy of the whole: labels until each has its verdict, and the share that is wrong."""

from typing import cast

import numpy as np
from benchmarks.stops.labels import Labelling, begin, tallies
from benchmarks.stops.pools import Case

import fewlabels as fl
from fewlabels.core.arrays import Array
from fewlabels.core.verdicts import LEAST_LABELS, Won, of_counts

GOAL, WITHIN = 0.95, 0.01
METHODS = {"auto": fl.Method(), "uniform": fl.Method("uniform", "hierarchical")}
_LEAST, _LARGEST = 0.02, 0.98  # thresholds of which there is something to find out


def study(case: Case, method: str, number: int, batch: int) -> Labelling:
    """Before its first label."""
    pool = case.pool(number)
    whole = begin(pool, fl.Estimate("accuracy"), fl.Method(), number).accuracy
    question = fl.Below("accuracy", float(np.clip(round(whole, 2), _LEAST, _LARGEST)), by=case.by, within=WITHIN)
    return begin(pool, question, METHODS[method], number, batch, fl.Probability(GOAL))


def run(case: Case, method: str, number: int, batch: int, most: int | None = None) -> dict[str, object]:
    """One study from its first label to its stop. Inside of a group all items have equal chances, so that what was won
    follows from its counts."""
    at = study(case, method, number, batch)
    threshold = cast(fl.Below, at.assessment.question).threshold
    groups, value = at.assessment.view.groups, at.truth.values
    size, score = groups.size.astype(np.float64), groups.mean_score
    for evidence, looks in at.stages(most or at.items):
        chosen = np.array(looks, dtype=np.int64) - 1
        labels, hits = (told[chosen] for told in tallies(groups.index[evidence.cell], at.hits(evidence), groups.count))
        won = _won(size, labels, hits, score, threshold)
        enough = labels >= np.minimum(LEAST_LABELS, size)
        for place in np.flatnonzero(enough.all(axis=1)).tolist():
            side = Won(won[0][place], won[1][place], enough[place]).verdicts(1 - GOAL, "discoveries")
            if side.all():
                wrong = np.where(side < 0, value > threshold + WITHIN + 1e-9, value < threshold - WITHIN - 1e-9)
                return {"labels": looks[place], "stopped": True, "wrong": float(wrong.mean())}
    return {"labels": min(most or at.items, at.items), "stopped": False, "wrong": None}


def _won(size: Array, labels: Array, hits: Array, score: Array, threshold: float) -> Array:
    """Against either side of each group at each look; worked out where the group has another label since the look
    before."""
    new = np.diff(labels, axis=0, prepend=-1.0) > 0
    group, won = np.nonzero(new)[1], np.empty((2, *labels.shape))
    own = (size[group], labels[new], hits[new], score[group], np.full(len(group), threshold))
    won[:, new] = of_counts(*own, WITHIN)
    last = np.maximum.accumulate(np.where(new, np.arange(len(labels))[:, None], 0), axis=0)
    return np.take_along_axis(won, last[None], axis=1)
