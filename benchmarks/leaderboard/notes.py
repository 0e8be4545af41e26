"""What is kept of one run: figures with intervals at each look, what is true, and what it cost."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import numpy as np
from benchmarks.leaderboard.labelled import Labelled
from benchmarks.leaderboard.rivals import of_a_sample
from benchmarks.leaderboard.studies import MANY, TOP

import fewlabels as fl
from fewlabels.answers import Finding
from fewlabels.core.arrays import Array, Ints
from fewlabels.questions import Compare, Identify
from fewlabels.reading.cells import CellReading
from fewlabels.reading.comparison import comparison
from fewlabels.reading.identification import identification, probability_of_first
from fewlabels.simulation.measures import point

Notes = dict[str, Array]  # figures are (n_looks, 3, …): the estimate and the two ends of its interval
BINS = 10
_BIAS_AT = (100, 1000)  # looks at which the bias of classes is read too


def note(run: Labelled, study: str, *, rival: bool) -> Notes:
    """Everything that is kept of a run."""
    start = time.process_time()
    found = _NOTERS[study](run, rival)
    spent = np.array([run.seconds["draw"], time.process_time() - start])
    return {"truth_all": np.array(run.right.mean()), "cpu": spent, **found}


def _ends(finding: Finding) -> tuple[float, float, float]:
    """The figure and its ends; the modelled figure where a group has no label, so that errors are of all groups."""
    value = finding.value if finding.pooled_value is None else finding.pooled_value
    return value, finding.low, finding.high


def _rows(readings: Sequence[CellReading], where: Ints, count: int) -> dict[str, Array]:
    """Figures of every row, (n_looks, 3, count), and the labels of its own; nan and 0 where there is no such row."""
    ends, own = np.full((len(readings), 3, count), np.nan), np.zeros((len(readings), count))
    for look, reading in enumerate(readings):
        ends[look][:, where] = np.array([_ends(f) for f in reading.findings]).T
        own[look, where] = [f.labels for f in reading.findings]
    return {"rows": ends, "own": own}


def _spread(values: Array, where: Ints, count: int) -> Array:
    """Values of the rows there are, nan for the others."""
    out = np.full(count, np.nan)
    out[where] = values
    return out


def _groups(run: Labelled, names: Iterable[str]) -> Ints:
    index = {name: i for i, name in enumerate(run.board.groups)}
    return np.array([index[name] for name in names], dtype=np.int64)


def _classes(run: Labelled, rival: bool) -> Notes:
    count = len(run.board.groups)
    where = _groups(run, run.assessment.lens.rows.names)
    readings = [run.reading(place) for place in range(len(run.looks))]
    kept = _rows(readings, where, count)
    kept["truth"] = _spread(run.truth.values, where, count)
    kept["weight"] = _spread(run.truth.weight, where, count)
    if not rival:  # theirs is read in a study of its own; a sum over many independent groups takes long to draw
        overall = [_ends(cast(Finding, reading.overall)) for reading in readings]
        kept["overall"] = np.array(overall)
    if count <= MANY:
        bias = run.beside(fl.Estimate("calibration_bias", by=run.board.by))
        at = [place for place, look in enumerate(run.looks) if look in _BIAS_AT]
        named = _groups(run, bias.assessment.lens.rows.names)
        read = _rows([bias.reading(place) for place in at], named, count)
        kept["bias"] = np.full_like(kept["rows"], np.nan)
        kept["bias"][at] = read["rows"]
        kept["bias_truth"] = _spread(bias.truth.values, named, count)
    return kept


def _overall(run: Labelled, rival: bool) -> Notes:
    places = range(len(run.looks))
    kept = {"overall": np.array([_ends(cast(Finding, run.reading(place).overall)) for place in places])}
    if rival and run.assessment.strategy.name == "uniform":
        said: dict[str, list[Any]] = {}
        for place in places:
            items = run.labelled(place)
            rest = np.setdiff1d(np.arange(len(run.right)), items)
            right = run.right[items].astype(np.float64)
            for name, ends in of_a_sample(right, run.score[items], run.score[rest]).items():
                said.setdefault(name, []).append(ends)
        kept |= {name: np.array(ends) for name, ends in said.items()}
    return kept


def _calibration(run: Labelled, rival: bool) -> Notes:
    """The error overall, with the plug-in of what is believed of each bin beside it for rivals; then every bin."""
    places = range(len(run.looks))
    kept = {"overall": np.array([_ends(cast(Finding, run.reading(place).overall)) for place in places])}
    kept["truth_error"] = np.array(run.truth.values[0])
    if rival:
        kept["plug_in"] = np.array([point(run.assessment, run.reading(place).belief)[0] for place in places])
    bins = run.beside(fl.Estimate("reliability"))
    scores = cast(Array, bins.assessment.lens.mean_scores)
    where = np.minimum((scores * BINS + 1e-9).astype(np.int64), BINS - 1)
    kept |= _rows([bins.reading(place) for place in places], where, BINS)
    return kept | {"truth": _spread(bins.truth.values, where, BINS)}


def _common(run: Labelled) -> dict[str, Any]:
    return {"question": run.assessment.title, "overall": None, "notes": (), "shared": False}


def _worst(run: Labelled, rival: bool) -> Notes:  # noqa: ARG001 - the same of every method
    count, looks = len(run.board.groups), len(run.looks)
    ranks, stated = np.full((looks, 3, count), np.nan), np.full((looks, 2), np.nan)
    named = np.full((looks, TOP), -1.0)
    question = cast(Identify, run.assessment.question)
    several = Identify(question.metric, question.by, top=TOP)
    readings = [run.reading(place) for place in range(looks)]
    for look, reading in enumerate(readings):
        found = identification(reading, question, _common(run))
        where = _groups(run, [f.group for f in found.findings])
        ranks[look][:, where] = np.array([(f.p_top, f.rank_low, f.rank_high) for f in found.findings], dtype=float).T
        first = where[:TOP]
        named[look, : len(first)] = first
        stated[look, 0] = found.probability
        if len(where) > TOP:
            stated[look, 1] = probability_of_first(reading, several)
    where = _groups(run, run.assessment.lens.rows.names)
    kept = {"truth": _spread(run.truth.values, where, count), "ranks": ranks, "stated": stated, "named": named}
    return kept | _rows(readings, where, count)


def _compare(run: Labelled, rival: bool) -> Notes:  # noqa: ARG001 - the same of every method
    question = cast(Compare, run.assessment.question)
    regions, ends = [], []
    for place in range(len(run.looks)):
        found = comparison(run.reading(place), question, _common(run))
        regions.append((found.p_less, found.p_equal, found.p_more))
        ends.append(_ends(cast(Finding, found.difference)))
    first, second = run.truth.values[run.truth.pair]
    true = {"truth_difference": np.array(first - second), "rope": np.array(question.rope)}
    return {"regions": np.array(regions), "difference": np.array(ends), **true}


_NOTERS: dict[str, Callable[[Labelled, bool], Notes]] = {
    "classes": _classes,
    "overall": _overall,
    "calibration": _calibration,
    "worst": _worst,
    "compare": _compare,
}
