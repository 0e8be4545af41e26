"""Figures of curves: how soon each method identifies the extreme classes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fewlabels.metrics import CalibrationError, Metric
from fewlabels.questions import Identify
from fewlabels.reproduction.base import Reproduction, Row
from fewlabels.reproduction.figure_pools import BY_NAME, FIGURE_POOLS, INSTEAD, FigurePool, about
from fewlabels.reproduction.panels import Panel, mean_curves
from fewlabels.reproduction.published_bound import PUBLISHED_BOUND, published_bound_mrr
from fewlabels.reproduction.setup import DIFFERENCE, Setup, difference_rows, mean_row
from fewlabels.simulation import Method, SimulationResult

LOOKS = 40  # points of a curve
METRICS: dict[str, str | Metric] = {
    "accuracy": "accuracy",
    "calibration": CalibrationError(),
    "bias": "calibration_bias",
}

FREQUENTIST = Method("uniform", "beta", "flat", 1e-6)
TS = Method("thompson", "beta", "flat")
IPRIOR_TS = Method("thompson", "beta", "scores")


@dataclass(frozen=True)
class CurveFigure:
    """A figure of MRR or success against labels: a panel a pool and number of classes looked for."""

    name: str
    title: str
    methods: dict[str, Method]
    metrics: tuple[str, ...] = ("accuracy",)
    measure: str = "mrr"
    pools: tuple[FigurePool, ...] = FIGURE_POOLS
    tops: tuple[bool, ...] = (False, True)  # one class, and m of them
    strengths: tuple[float | None, ...] = (None,)
    notes: tuple[str, ...] = (INSTEAD,)
    reach: float | None = None  # share of the pool to look at, where it is the same for all
    claim: str = ""  # what the paper says of it
    published_bound: bool = False  # whether to show the published code's upper bound too
    rows: Callable[[dict[str, SimulationResult]], tuple[Row, ...]] = lambda results: ()  # noqa: ARG005 - most have none

    def __call__(self, data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
        setup, panels, results = Setup(data, runs, workers), list[Panel](), dict[str, SimulationResult]()
        for strength in self.strengths:
            for metric in self.metrics:
                for several in self.tops:
                    for pool in self.pools:
                        result = self._simulate(setup, pool, metric, several, strength)
                        panels.append(self._panel(pool, metric, several, strength, result))
                        results[panels[-1].title] = result
        same = {name: name for name in self._curves}
        rows = list(self.rows(results))
        for title, result in results.items():
            rows += difference_rows(title, result, self.measure, same)
        notes = (
            *([f"The paper: {self.claim}"] if self.claim else []),
            DIFFERENCE,
            *self._fewer_runs(runs),
            *self.notes,
        )
        return Reproduction(self.name, self.title, about(self.pools), runs, tuple(rows), notes, tuple(panels))

    @property
    def _curves(self) -> list[str]:
        return [*self.methods, *([PUBLISHED_BOUND] if self.published_bound else [])]

    def _simulate(
        self, setup: Setup, chosen: FigurePool, metric: str, several: bool, strength: float | None
    ) -> SimulationResult:
        pool, top = setup.pool(chosen.name), chosen.top if several else 1
        last = chosen.reach(pool, metric, top) if self.reach is None else int(self.reach * len(pool))
        budgets = np.unique(np.linspace(0, last, LOOKS + 1).round().astype(int))[1:]
        methods = [
            replace(method, name=name, prior_strength=method.prior_strength or strength)
            for name, method in self.methods.items()
        ]
        question = Identify(METRICS[metric], by="predicted_class", top=top)
        runs = chosen.runs(setup.runs, metric)
        result = setup.simulate(pool, question, methods, budgets.tolist(), [self.measure], runs=runs)
        if not self.published_bound:
            return result
        more = published_bound_mrr(pool, question, budgets.tolist(), runs)
        values = np.concatenate([result.values, more[:, None, :, None]], axis=1)
        return replace(result, methods=(*result.methods, PUBLISHED_BOUND), values=values)

    def _fewer_runs(self, runs: int) -> list[str]:
        """Where fewer runs were done than elsewhere."""
        return [
            f"{pool.title}: {pool.runs(runs, metric)} runs."
            for pool in self.pools
            for metric in self.metrics
            if pool.runs(runs, metric) < runs
        ]

    def _panel(
        self, chosen: FigurePool, metric: str, several: bool, strength: float | None, result: SimulationResult
    ) -> Panel:
        parts = [chosen.title, f"top {chosen.top if several else 1}"]
        parts += [metric] if len(self.metrics) > 1 else []
        parts += [] if strength is None else [f"strength {strength:g}"]
        label = "MRR" if self.measure == "mrr" else "share of runs"
        curves = mean_curves(result, self.measure, {name: name for name in self._curves})
        return Panel(", ".join(parts), "labels", label, curves)


def in_every_run(results: dict[str, SimulationResult]) -> tuple[Row, ...]:
    """[Ji19] 6.3: in all of the trials the least accurate class is identified within 3,000 queries."""
    found = next(iter(results.values()))
    place = int(np.searchsorted(found.budgets, min(3000, found.budgets[-1])))
    rate = 100 * found.of("Active", "success")[:, min(place, len(found.budgets) - 1)]
    error = float(np.sqrt(max(rate.mean() * (100 - rate.mean()), 100.0) / len(rate)))
    return (
        Row("% of runs that name the class at 3,000 labels, active", 100.0, float(rate.mean()), error, rounding=0.5),
    )


def at_the_end(results: dict[str, SimulationResult]) -> tuple[Row, ...]:
    """[Ji20] v1 4.3: after 30 % of CIFAR-100 and 20 % of ImageNet all runs name the class; MRR is 0.5 and 0.2 else."""
    out = []
    for called, share, otherwise in (("CIFAR-100", 30, 0.5), ("ImageNet", 20, 0.2)):
        found = next(result for title, result in results.items() if title.startswith(called))
        for method, paper, rounding in (("Active (TS)", 1.0, 0.005), ("Non-active", otherwise, 0.05)):
            last = found.of(method, "mrr")[:, -1]
            what = f"{called}, top 1: MRR at {share} % of the pool, {method}"
            out.append(mean_row(what, paper, last, "as printed", rounding=rounding, other_pool=called == "ImageNet"))
    return tuple(out)


_V1_POOLS = (
    replace(FIGURE_POOLS[0], accuracy_reach=(0.3, 0.65)),
    replace(FIGURE_POOLS[1], accuracy_reach=(0.2, 0.3)),
    *FIGURE_POOLS[2:],
)
_V1_RUNS = (INSTEAD, "The non-active method reads plain frequencies; Thompson sampling starts from Beta(1, 1).")
_RUN_NOTE = (
    "Success is measured at the labels shown, not kept once reached: a run may lose the class again. Random selection "
    "draws items, and reads them under the same prior."
)
ROBUST = "the gain of active assessment is relatively robust to the strength of the prior."
_WORKSHOP = {"Active": TS, "Random": Method("uniform", "beta", "flat")}

CURVES = {
    "aaai-figure-11": CurveFigure(
        "aaai-figure-11",
        "[Ji21] Figure 11: Thompson and top-two Thompson sampling, least accurate class",
        {"TS": TS, "TTTS": Method("top_two", "beta", "flat")},
        claim="both are equally efficient, their curves lying on top of each other.",
        tops=(False,),
    ),
    "aaai-figure-15": CurveFigure(
        "aaai-figure-15",
        "[Ji21] Figure 15: Thompson sampling, epsilon-greedy, upper bound; least accurate classes",
        {
            "TS": TS,
            "Epsilon greedy": Method("epsilon_greedy", "beta", "flat"),
            "Bayesian UCB": Method("upper_bound", "beta", "flat"),
        },
        published_bound=True,
        claim="Thompson sampling always converges faster than either of the others.",
        notes=(
            INSTEAD,
            "The upper bound is the 97.5 % quantile, as stated; the published code takes the posterior mean plus the "
            "posterior variance, the fourth curve. A mean height does not tell which curve is first to stay at 1: "
            "rules that explore little rise early and are late at the end.",
        ),
    ),
    "aaai-figure-16": CurveFigure(
        "aaai-figure-16",
        "[Ji21] Figure 16: informative and flat priors with Thompson sampling, least accurate classes",
        {"IPrior+TS": IPRIOR_TS, "UPrior+TS": TS},
        claim="an informative prior helps where it orders the classes well (ImageNet), less where they hardly differ.",
    ),
    "aaai-figure-18": CurveFigure(
        "aaai-figure-18",
        "[Ji21] Figure 18: least accurate classes under priors of strength 2, 10 and 100",
        {"IPrior+TS": IPRIOR_TS, "Frequentist": FREQUENTIST},
        claim=ROBUST,
        strengths=(2.0, 10.0, 100.0),
    ),
    "aaai-figure-19": CurveFigure(
        "aaai-figure-19",
        "[Ji21] Figure 19: least calibrated classes under priors of strength 2, 5 and 10",
        {"IPrior+TS": IPRIOR_TS, "Frequentist": FREQUENTIST},
        claim=ROBUST,
        metrics=("calibration",),
        strengths=(2.0, 5.0, 10.0),
    ),
    "v1-figure-4": CurveFigure(
        "v1-figure-4",
        "[Ji20] v1 Figure 4: active and non-active assessment, least accurate classes",
        {"Active (TS)": TS, "Non-active": FREQUENTIST},
        pools=_V1_POOLS,
        notes=_V1_RUNS,
        rows=at_the_end,
    ),
    "v1-figure-5": CurveFigure(
        "v1-figure-5",
        "[Ji20] v1 Figure 5: informative and flat priors, least accurate class",
        {"Informative": IPRIOR_TS, "Uninformative": TS},
        pools=(BY_NAME["imagenet"], BY_NAME["cifar10"]),
        tops=(False,),
    ),
    "v1-figure-7": CurveFigure(
        "v1-figure-7",
        "[Ji20] v1 Figure 7: active and non-active assessment, least calibrated classes",
        {"Active (TS)": Method("thompson", "beta", "diagonal"), "Non-active": Method("uniform", "beta", "diagonal")},
        metrics=("calibration",),
    ),
    "workshop-figure-3": CurveFigure(
        "workshop-figure-3",
        "[Ji19] Figure 3: success in finding the least accurate and the most biased class, CIFAR-100",
        _WORKSHOP,
        metrics=("accuracy", "bias"),
        measure="success",
        pools=(BY_NAME["cifar100-paper"],),
        tops=(False,),
        notes=(_RUN_NOTE,),
        reach=1.0,
        rows=in_every_run,
    ),
    "workshop-figure-7": CurveFigure(
        "workshop-figure-7",
        "[Ji19] Figure 7: success in finding the least accurate and the most biased class, SVHN",
        _WORKSHOP,
        metrics=("accuracy", "bias"),
        measure="success",
        pools=(BY_NAME["cifar10"],),
        tops=(False,),
        notes=(INSTEAD, _RUN_NOTE),
        reach=1.0,
    ),
    "workshop-figure-10": CurveFigure(
        "workshop-figure-10",
        "[Ji19] Figure 10: success in finding the least accurate and the most biased class, medical dialogues",
        _WORKSHOP,
        metrics=("accuracy", "bias"),
        measure="success",
        pools=(replace(BY_NAME["20news"], called="Dialogues", instead="20 Newsgroups instead"),),
        tops=(False,),
        notes=(INSTEAD, _RUN_NOTE),
        reach=1.0,
    ),
}
CURVES["v1-figure-12"] = replace(
    CURVES["aaai-figure-18"],
    name="v1-figure-12",
    methods={"Active (TS)": TS, "Non-active": FREQUENTIST},
    title="[Ji20] v1 Figure 12: least accurate classes under priors of strength 2, 10 and 100",
)
CURVES["v1-figure-13"] = replace(
    CURVES["v1-figure-7"],
    name="v1-figure-13",
    strengths=(2.0, 5.0, 10.0),
    title="[Ji20] v1 Figure 13: least calibrated classes under priors of strength 2, 5 and 10",
)
