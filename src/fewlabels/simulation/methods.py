"""Methods to compare: a strategy, an estimator and a prior, and the papers' combinations by name."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fewlabels.core.priors import Prior, PriorName
from fewlabels.errors import QuestionError, listed
from fewlabels.estimators import Averaged, Estimator
from fewlabels.questions import Question
from fewlabels.settings import StudySettings
from fewlabels.strategies import Acis, Strategy, read_strategy


@dataclass(frozen=True)
class Method:
    """How labels are chosen and read. `name` is shown in results; by default it is made of the parts."""

    strategy: str | Strategy = "auto"
    estimator: str | Estimator = "auto"
    prior: PriorName | Prior = "scores"
    prior_strength: float | None = None
    name: str = ""

    @property
    def label(self) -> str:
        if self.name:
            return self.name
        prior = self.prior if isinstance(self.prior, str) else "reported"
        strength = "" if self.prior_strength is None else f"({self.prior_strength:g})"
        strategy, estimator = (p if isinstance(p, str) else p.name for p in (self.strategy, self.estimator))
        return f"{prior}{strength}+{strategy}" + ("" if estimator == "auto" else f"+{estimator}")

    def settings(self, question: Question, base: StudySettings) -> StudySettings:
        """The settings of a study by this method."""
        return replace(
            base,
            question=question,
            strategy=self.strategy,
            estimator=self.estimator,
            prior=self.prior,
            prior_strength=self.prior_strength,
        )


PRESETS: dict[str, Method] = {
    # The papers' baselines. The published code gives "uprior" a strength of 1e-6; the paper says 2 ("uprior2").
    "frequency": Method("uniform", "frequency", "flat"),
    "uprior": Method("uniform", "beta", "flat", 1e-6),
    "uprior2": Method("uniform", "beta", "flat"),
    "iprior": Method("uniform", "beta", "scores"),
    "uprior+ts": Method("thompson", "beta", "flat"),
    "iprior+ts": Method("thompson", "beta", "scores"),
    "top_two": Method("top_two", "beta", "scores"),
    "epsilon_greedy": Method("epsilon_greedy", "beta", "scores"),
    "upper_bound": Method("upper_bound", "beta", "scores"),
    "uniform_groups": Method("uniform_groups", "beta", "scores"),
    "auto": Method(),
    "paired_uniform": Method("uniform", "paired"),  # of two models: every item of the pool has the same chance
    "contrast_uniform": Method("uniform", "contrast"),  # the same by F-scores
    # Of F-scores: ACIS, its ablations and the baselines of its paper.
    "acis": Method("acis", "acis"),
    "acis_last": Method("acis", "acis_last"),
    "acis_platt": Method(Acis(calibration="platt"), "acis"),
    "acis_uncalibrated": Method(Acis(calibration="none"), "acis"),
    "acis_no_mixing": Method(Acis(mixing=()), "acis"),
    "acis_no_reuse": Method(Acis(reuse=False), "acis"),
    "acis_no_top_k": Method(Acis(top_k=None), "acis"),
    "acis_once": Method(Acis(replacement=False), "acis"),
    "acis_no_caution": Method(Acis(caution=0), "acis"),
    "acis_eq5": Method("acis", Averaged(average_by="weights")),
    "acis_printed": Method(Acis(caution=0), Averaged(average_by="weights", reuse="printed", interval="eq6")),
    "rand": Method("uniform", "weighted"),
    "sawade": Method("sawade", "weighted"),
    "top_k": Method("top_k", "weighted"),
    "gmm": Method("top_k", "gmm"),
    "herding": Method("herding", "weighted"),
    "iso": Method("uniform", "iso"),
    "platt": Method("uniform", "platt"),
}


def presets() -> dict[str, Method]:
    """The methods that can be named, and what each stands for."""
    return {name: replace(method, name=name) for name, method in PRESETS.items()}


def usual_methods(question: Question) -> list[str]:
    """The papers' baselines and, last, what they propose; of models, a uniform sample and what is best known."""
    if question.proves:  # the papers' methods prove nothing
        return ["auto"]
    if question.of_models:
        uniform = "contrast_uniform" if question.weighable else "paired_uniform"
        return ["auto"] if question.in_bins else [uniform, "auto"]
    return ["rand", "sawade", "acis"] if question.weighable else ["uprior", "iprior", "iprior+ts"]


def read_methods(methods: Iterable[str | Method] | None, question: Question) -> list[Method]:
    """Methods from names and objects, or the usual ones; names must be known and labels distinct."""
    found = []
    for method in usual_methods(question) if methods is None else [methods] if isinstance(methods, str) else methods:
        if isinstance(method, Method):
            found.append(method)
        elif method in PRESETS:
            found.append(presets()[method])
        else:
            raise QuestionError(f"unknown method {method!r}; known are {listed(PRESETS, 40)}, or pass fl.Method(…).")
        strategy = found[-1].strategy
        if strategy != "auto" and read_strategy(strategy).one_winner and not question.one_winner:
            raise QuestionError(f"method {found[-1].label!r} is for fl.Identify with top=1; leave it out here.")
    labels = [method.label for method in found]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise QuestionError(f"two methods are called {twice!r}; leave one out, or pass fl.Method(…) with a name=.")
    if not found:
        raise QuestionError("no methods to compare; pass methods=['uprior', 'iprior+ts'], say.")
    return found
