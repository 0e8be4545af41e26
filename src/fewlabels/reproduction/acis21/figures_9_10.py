"""Figures 9 and 10 of [ACIS21]: labels drawn for one model or threshold, read for another. By live studies."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.events import Item
from fewlabels.core.keyed import combine
from fewlabels.engines import gathered
from fewlabels.metrics import FCurve, FScore
from fewlabels.pool import Pool
from fewlabels.questions import Estimate, Question
from fewlabels.reproduction.acis21 import one_vs_rest
from fewlabels.reproduction.base import Compared, Curve, Experiment, Found, Panel, Setup, about, labelled, numbers
from fewlabels.simulation.methods import PRESETS
from fewlabels.study import Study
from fewlabels.study.creation import create_study

BUDGETS = (10, 30, 70, 150, 310)
MODELS = ("lr", "nb", "mlp", "5shot")
ACIS = PRESETS["acis_printed"]
BASELINES = ("sawade", "top_k", "gmm")
THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
CURATED = 0.1  # the threshold labels are drawn for
BEST = "best baseline"
BASELINE_NOTE = "Best baseline: the least of the mean errors of SAWADE, TOP-K and GMM with the model's own labels."
NOTES = (
    "Labels are drawn and read by ACIS as printed.",
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
        truth = np.array([self._truth(name, *one) for one in self._asked(name)])
        seeds = [combine(1, number, trial) >> 1 for trial in range(self.trials)]
        return np.array([[self._errors(name, truth, seed, *one) for one in self._asked(name)] for seed in seeds])

    def _asked(self, name: str) -> list[tuple[Question, str]]:
        """What studies are made for."""
        if self.thresholds:
            return [(Estimate(FScore(0.5, name, t)), self.pool.models[0]) for t in self.thresholds]
        return [(Estimate("f1", positive=name), model) for model in self.pool.models]

    @cached_property
    def _labels(self) -> dict[Item, str]:
        true = labelled(self.pool).true
        return {item: self.pool.true_classes[k] for item, k in zip(self.pool.ids, true, strict=True)}

    def _errors(self, name: str, truth: Array, seed: int, question: Question, model: str) -> Array:
        """Of one study: (n_read_for, n_budgets)."""
        how: dict[str, Any] = {"model": model, "seed": seed, "budget": BUDGETS[-1], "target": "pool"}
        study, out = create_study(self.pool, question, strategy=ACIS.strategy, estimator=ACIS.estimator, **how), []
        for budget in BUDGETS:
            while study.spent < budget and (queries := study.ask(budget - study.spent)):
                study.tell({query.item: self._labels[query.item] for query in queries})
            out.append((self._read(study, name) - truth) ** 2)
        return np.stack(out, axis=1)

    def _read(self, study: Study, name: str) -> Array:
        if self.thresholds:
            found = [f.value for f in study.answer(Estimate(FCurve(name, self.thresholds))).findings]
        else:
            found = [study.answer(model=model).findings[0].value for model in self.pool.models]
        return np.asarray(np.nan_to_num(np.array(found)))

    def _truth(self, name: str, question: Question, model: str) -> float:
        axes = question.metric.axes
        cells = self.pool.engine.summarise(model, axes, probabilities=False)
        rows = gathered(self.pool.engine.scan(model, axes))
        p, y = cells.coordinates[rows.cell, 0] == 1, np.asarray(rows.labels == name)
        return float(2 * (p & y).sum() / max(p.sum() + y.sum(), 1))


def between_models(setup: Setup) -> Found:
    """Figure 9: each of four models, from labels drawn for each of them."""
    pool = Pool.join({name: setup.pool(f"banking77-{name}") for name in MODELS})
    found = _found(setup, Shared(pool, setup.runs), MODELS, None)
    best = {name: _best_baseline(setup, name) for name in MODELS}
    rows = [
        Compared(f"{name}, best baseline, {labels} labels", None, float(mean[b]), float(error[b]))
        for name, (mean, error) in best.items()
        for b, labels in enumerate(BUDGETS)
    ]
    panels = [
        replace(panel, curves=(*panel.curves, Curve(BEST, numbers(BUDGETS), numbers(best[panel.title][0] / 1e4))))
        for panel in found.panels
    ]
    return Found([*found.rows, *rows], (*NOTES, BASELINE_NOTE), panels)


def _best_baseline(setup: Setup, name: str) -> tuple[Array, Array]:
    """The least mean squared error (× 10⁴) of the baselines at each number of labels, and its standard error."""
    places = [one_vs_rest.BUDGETS.index(labels) for labels in BUDGETS]
    found = one_vs_rest.one_vs_rest(setup, f"banking77-{name}", BASELINES, ("mse",))[..., 0].mean(axis=1)
    values = 1e4 * found[:, :, places]
    mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))
    least = mean.argmin(axis=0)
    return mean[least, np.arange(len(BUDGETS))], error[least, np.arange(len(BUDGETS))]


def between_thresholds(setup: Setup) -> Found:
    """Figure 10: one model at six thresholds, from labels drawn for threshold 0.1."""
    names = tuple(f"threshold {t:g}" for t in THRESHOLDS)
    shared = Shared(setup.pool("banking77-large"), setup.runs, THRESHOLDS)
    found = _found(setup, shared, names, THRESHOLDS.index(CURATED))
    return found._replace(panels=[_in_one(found.panels)])


def _in_one(panels: Sequence[Panel]) -> Panel:
    """All thresholds in one panel as in the paper, a colour each; dashed where labels were drawn for the threshold."""
    curves = []
    for place, panel in enumerate(panels):
        for curve in panel.curves:
            own = curve.name.endswith(panel.title)
            name, shade = f"{panel.title}, its own labels" if own else panel.title, place / (len(panels) - 1)
            curves.append(replace(curve, name=name, dashed=own, shade=shade))
    return Panel(f"labels drawn for threshold {CURATED}", "labels", "MSE", tuple(curves), log=True)


def _found(setup: Setup, shared: Shared, names: tuple[str, ...], only: int | None) -> Found:
    """What is read for each of these from labels drawn for each, or drawn for itself and for one only."""
    found = setup.each(shared.run, range(len(shared.pool.classes)))
    values = 1e4 * np.stack([errors.mean(axis=0) for errors in found])
    mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))
    panels, rows = [], []
    for j, target in enumerate(names):
        sources = range(len(names)) if only is None else sorted({only, j})
        curves = [Curve(f"drawn for {names[i]}", numbers(BUDGETS), numbers(mean[i, j] / 1e4)) for i in sources]
        panels.append(Panel(target, "labels", "MSE", tuple(curves), log=True))
        for i, (b, labels) in product(sources, enumerate(BUDGETS)):
            what = f"{target} from {names[i]}, {labels} labels"
            rows.append(Compared(what, None, mean[i, j, b], error[i, j, b]))
            if i != j:
                rows.append(Compared(f"{what}: times its own", None, *_ratio(values[:, i, j, b], values[:, j, j, b])))
    return Found(rows, NOTES, panels)


def _ratio(a: Array, b: Array) -> tuple[float, float]:
    """A ratio of means over the same classes, and its standard error by the delta method."""
    ratio = a.mean() / b.mean()
    return float(ratio), float(np.std(a - ratio * b, ddof=1) / np.sqrt(len(a)) / b.mean())


figure_9 = Experiment(
    between_models,
    "labels shared between models",
    "[ACIS21] Figure 9: labels of one model shared with others",
    about(*(f"banking77-{name}" for name in MODELS)),
    5,
    enough=1,
)
figure_10 = Experiment(
    between_thresholds,
    "labels shared between thresholds",
    "[ACIS21] Figure 10: labels of one threshold shared with others",
    about("banking77-large"),
    5,
    enough=1,
)
