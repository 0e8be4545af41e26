"""Intervals that are short enough: labels until then, and whether they hold at that moment."""

import numpy as np
from benchmarks.stops.labels import Labelling, begin, first, tallies, wilson
from benchmarks.stops.pools import Case

import fewlabels as fl
from fewlabels.answers import LEAST_LABELS, Finding
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.beta import BetaBelief
from fewlabels.core.evidence import Evidence
from fewlabels.core.intervals import exact_share_intervals, level_at_a_stop, pool_share_intervals

OF_GROUPS, OF_ALL, LEVEL = 0.05, 0.03, 0.95
_SAME_RULE = {"auto": fl.Method(), "uniform": fl.Method("uniform", "hierarchical")}
METHODS_GROUPS = {**_SAME_RULE, "papers": fl.Method("uniform", "beta")}
METHODS_ALL = {**_SAME_RULE, "wilson": fl.Method("uniform", "frequency", "flat")}
_FROM = 30  # labels from which on Wilson's interval is read
_FIRST_LOOK, _PART = 20, 0.5  # of the labels that a width foretells so many are passed over,
_MOST, _FEW, _NEAR = 1.0, 0.01, 1.1  # and at most as many as there are so far, or, with so short an interval, so few
_AGAIN, _ALL = 0.1, 1.05  # of those passed over, so many again once it is known where it ends, and none from this width
_REFUSED = 0.01  # of the labels so far: of groups, after so many more a study that wants them is asked again
_SLACK = 1e-9


def study_of_groups(case: Case, method: str, number: int, batch: int) -> Labelling:
    """Before its first label."""
    question, goal = fl.Estimate("accuracy", by=case.by), fl.HalfWidth(OF_GROUPS)
    return begin(case.pool(number), question, METHODS_GROUPS[method], number, batch, goal)


def run_groups(case: Case, method: str, number: int, batch: int, most: int | None = None) -> dict[str, object]:
    """Of every group. Each is read by its own labels, but by the papers, so that only looks at which these are enough
    are read in full; where the study wants more than that, it is asked again after so many more labels."""
    at = study_of_groups(case, method, number, batch)
    most = min(most or at.items, at.items)
    return _of_papers(at, most) if method == "papers" else _of_groups(at, most)


def _of_groups(at: Labelling, most: int) -> dict[str, object]:
    groups = at.assessment.view.groups
    floor, ends, again = np.minimum(LEAST_LABELS, groups.size), _Ends(groups.size.astype(np.float64)), 0
    for evidence, looks in at.stages(most):
        labels, hits = tallies(groups.index[evidence.cell], at.hits(evidence), groups.count)
        for look in looks:
            if look < again or (labels[look - 1] < floor).any() or not ends.short(labels[look - 1], hits[look - 1]):
                continue
            again = look + int(_REFUSED * look)
            answer, done = at.answer(first(evidence, look))
            if done:
                low, high = np.array([[f.low, f.high] for f in answer.findings]).T
                return _covered(look, at, low, high)
    return {"labels": most, "stopped": False, "covered": None}


class _Ends:
    """Intervals of groups by their own labels, exact or by a belief before them; a group is read again when it has
    another, and none as long as one that is too wide has not."""

    def __init__(self, size: Array, before: Array | None = None) -> None:
        self.size, self.before = size, before
        self.ends = np.array([np.zeros(len(size)), np.ones(len(size))])
        self._labels = np.full(len(size), -1.0)
        self._wide: int | None = None

    def short(self, labels: Array, hits: Array) -> bool:
        """Whether all are short enough after these labels."""
        if self._wide is not None and labels[self._wide] == self._labels[self._wide]:
            return False
        new = np.flatnonzero(labels != self._labels)
        self._labels = labels
        self.ends[:, new] = self._of(new, hits[new], (labels - hits)[new], self.size[new])
        width = self.ends[1] - self.ends[0]
        wide = np.flatnonzero(width > 2 * OF_GROUPS + _SLACK)
        # Of those too wide the one that has its labels last.
        self._wide = int(wide[width[wide].argmin()]) if len(wide) else None
        return self._wide is None

    def _of(self, groups: Ints, hits: Array, misses: Array, size: Array) -> tuple[Array, Array]:
        if self.before is None:
            return exact_share_intervals(hits, misses, size, level_at_a_stop(LEVEL))
        alpha, beta = self.before[:, groups]
        rest = size - hits - misses
        return pool_share_intervals(hits, rest, size, alpha + hits, beta + misses, LEVEL, "equal-tailed")


def _of_papers(study: Labelling, most: int) -> dict[str, object]:
    belief = study.assessment.prior_belief
    assert isinstance(belief, BetaBelief)
    ends = _Ends(belief.size.astype(np.float64), np.stack([belief.prior_alpha, belief.prior_beta]))
    for number, counts in enumerate(study.counted(most), start=1):
        if number % study.batch == 0 and ends.short(counts.sum(axis=1), counts[:, 0]):
            return _covered(number, study, *ends.ends)
    return {"labels": most, "stopped": False, "covered": None}


def _covered(labels: int, study: Labelling, low: Array, high: Array) -> dict[str, object]:
    value = study.truth.values
    holds = (low - _SLACK <= value) & (value <= high + _SLACK)
    return {"labels": labels, "stopped": True, "covered": float(holds.mean())}


def study_of_all(case: Case, method: str, number: int, batch: int) -> Labelling:
    """Before its first label."""
    question, goal = fl.Estimate("accuracy"), fl.HalfWidth(OF_ALL, of="overall")
    return begin(case.pool(number), question, METHODS_ALL[method], number, batch, goal)


def run_all(case: Case, method: str, number: int, batch: int, most: int | None = None) -> dict[str, object]:
    """Of the whole pool."""
    at = study_of_all(case, method, number, batch)
    most = min(most or at.items, at.items)
    return _of_wilson(at, most) if method == "wilson" else _of_whole(at, most)


def _of_whole(at: Labelling, most: int) -> dict[str, object]:
    """Looks are passed over while the interval is too wide, and once it is not, those since the last that was too wide
    are gone through with shorter steps: the first that allows to stop counts."""
    look, before, width = min(_FIRST_LOOK, most), 0, 0.0
    while True:
        evidence = at.take(look)
        overall, done = _whole(at, evidence)
        if done:
            break
        if evidence.count >= most or evidence.count == before:
            return {"labels": most, "stopped": False, "covered": None}
        before, width = evidence.count, overall.half_width
        look = min(_after(before, width, OF_ALL, _PART, at.batch), most)
    labels = evidence.count
    while before and (passed := _after(before, width, _ALL * OF_ALL, _AGAIN, at.batch)) < labels:
        earlier, done = _whole(at, first(evidence, passed))
        if done:
            overall, labels = earlier, passed
            break
        before, width = passed, earlier.half_width
    holds = overall.low - _SLACK <= at.accuracy <= overall.high + _SLACK
    return {"labels": labels, "stopped": True, "covered": float(holds)}


def _whole(at: Labelling, evidence: Evidence) -> tuple[Finding, bool]:
    answer, done = at.answer(evidence)
    assert answer.overall is not None
    return answer.overall, done


def _after(labels: int, half_width: float, goal: float, part: float, batch: int) -> int:
    """The look after one at which the interval was so wide: on by a part of the labels that this foretells."""
    foretold = min(part * ((half_width / goal) ** 2 - 1), _MOST if half_width > _NEAR * OF_ALL else _FEW)
    return labels + max(batch, int(labels * foretold) // batch * batch)


def _of_wilson(study: Labelling, most: int) -> dict[str, object]:
    right = (study.known.label == study.known.predicted)[np.random.default_rng(study.seed).permutation(study.items)]
    n = np.arange(1, most + 1)
    low, high = wilson(study.items, n.astype(np.float64), right[:most].cumsum())
    found = np.flatnonzero((high - low <= 2 * OF_ALL) & (n >= _FROM) & (n % study.batch == 0))
    if not len(found):
        return {"labels": most, "stopped": False, "covered": None}
    holds = low[found[0]] - _SLACK <= study.accuracy <= high[found[0]] + _SLACK
    return {"labels": int(n[found[0]]), "stopped": True, "covered": float(holds)}
