"""Figures 9 and 10 of [ACIS21]: labels drawn for one model or threshold, read for another. By live studies."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.keyed import combine
from fewlabels.engines import gathered
from fewlabels.metrics import FCurve, FScore
from fewlabels.pool import Pool
from fewlabels.questions import Estimate, Question
from fewlabels.reproduction.base import Reproduction, Row
from fewlabels.reproduction.data import SOURCES, load_pool
from fewlabels.reproduction.panels import Curve, Panel, numbers
from fewlabels.simulation.workers import work
from fewlabels.study import Study
from fewlabels.study.creation import create_study

BUDGETS = (10, 30, 70, 150, 310)
MODELS = ("lr", "nb", "mlp", "5shot")
THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
CURATED = 0.1  # the threshold labels are drawn for
NOTES = (
    "From MSEs of F1, means over classes and trials. Each study asks for its own model or threshold; the others are "
    "read from the same labels by study.answer.",
)


@dataclass(frozen=True)
class Shared:
    """A pool, the questions (each with its model) that labels are drawn for, and those they answer; part k is class
    k."""

    pool: Pool
    trials: int
    thresholds: tuple[float, ...] = ()  # else models

    def run(self, number: int) -> Array:
        """Squared errors of one class: (n_trials, n_drawn_for, n_read_for, n_budgets)."""
        name = self.pool.classes[number]
        truth = self._truth(number)
        return np.stack([self._trial(name, truth, combine(1, number, t) >> 1) for t in range(self.trials)])

    def _asked(self, name: str) -> list[tuple[Question, str]]:
        """What studies are made for."""
        if self.thresholds:
            return [(Estimate(FScore(0.5, name, t)), self.pool.models[0]) for t in self.thresholds]
        return [(Estimate("f1", positive=name), model) for model in self.pool.models]

    def _trial(self, name: str, truth: Array, seed: int) -> Array:
        rows = gathered(self.pool.engine.scan(self.pool.models[0]))
        assert rows.labels is not None
        labels = dict(zip(rows.items.tolist(), rows.labels, strict=True))
        out = np.empty((len(truth), len(truth), len(BUDGETS)))
        for i, (question, model) in enumerate(self._asked(name)):
            study = create_study(self.pool, question, model=model, seed=seed, budget=BUDGETS[-1])
            for b, budget in enumerate(BUDGETS):
                while study.spent < budget and (queries := study.ask(budget - study.spent)):
                    study.tell({query.item: labels[query.item] for query in queries})
                out[i, :, b] = (self._read(study, name) - truth) ** 2
        return out

    def _read(self, study: Study, name: str) -> Array:
        if self.thresholds:
            found = [f.value for f in study.answer(Estimate(FCurve(name, self.thresholds))).findings]
        else:
            found = [study.answer(model=model).findings[0].value for model in self.pool.models]
        return np.asarray(np.nan_to_num(np.array(found)))

    def _truth(self, number: int) -> Array:
        name, out = self.pool.classes[number], []
        for question, model in self._asked(name):
            axes = question.metric.axes
            cells = self.pool.engine.summarise(model, axes, probabilities=False)
            rows = gathered(self.pool.engine.scan(model, axes))
            p, y = cells.coordinates[rows.cell, 0] == 1, np.asarray(rows.labels == name)
            out.append(2 * (p & y).sum() / max(p.sum() + y.sum(), 1))
        return np.array(out)


def models_figure(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """Figure 9: each of four models, from labels drawn for each of them."""
    pool = Pool.join({name: load_pool(f"banking77-{name}", data) for name in MODELS})
    values = _values(Shared(pool, runs), len(pool.classes), workers)
    about = "; ".join(SOURCES[f"banking77-{name}"].about for name in MODELS)
    return _made("acis-figure-9", "Figure 9: sharing labels between models", about, runs, values, MODELS, None)


def thresholds_figure(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """Figure 10: one model at six thresholds, from labels drawn for threshold 0.1."""
    pool = load_pool("banking77-large", data)
    values = _values(Shared(pool, runs, THRESHOLDS), len(pool.classes), workers)
    names = tuple(f"threshold {t:g}" for t in THRESHOLDS)
    about, only = SOURCES["banking77-large"].about, THRESHOLDS.index(CURATED)
    return _made("acis-figure-10", "Figure 10: sharing labels between thresholds", about, runs, values, names, only)


def _values(job: Shared, n_classes: int, workers: int | None) -> Array:
    found = dict(work(job, list(range(n_classes)), workers or os.cpu_count() or 1))
    return 1e4 * np.stack([found[number].mean(axis=0) for number in range(n_classes)])


def _made(
    name: str, title: str, about: str, runs: int, values: Array, names: tuple[str, ...], only: int | None
) -> Reproduction:
    mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))
    panels, rows = [], []
    for j, target in enumerate(names):
        sources = range(len(names)) if only is None else sorted({only, j})
        curves = [Curve(f"drawn for {names[i]}", numbers(BUDGETS), numbers(mean[i, j] / 1e4)) for i in sources]
        panels.append(Panel(target, "labels", "MSE", tuple(curves), log=True))
        for i in sources:
            for b, labels in enumerate(BUDGETS):
                rows.append(Row(f"{target} from {names[i]}, {labels} labels", None, mean[i, j, b], error[i, j, b]))
                if i != j:
                    what = f"{target} from {names[i]}, {labels} labels: times its own"
                    rows.append(Row(what, None, *_ratio(values[:, i, j, b], values[:, j, j, b])))
    return Reproduction(name, f"[ACIS21] {title}", about, runs, tuple(rows), NOTES, tuple(panels))


def _ratio(a: Array, b: Array) -> tuple[float, float]:
    """A ratio of means over the same classes, and its standard error by the delta method."""
    ratio = a.mean() / b.mean()
    return float(ratio), float(np.std(a - ratio * b, ddof=1) / np.sqrt(len(a)) / b.mean())
