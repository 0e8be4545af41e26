"""Methods to compare: a strategy, an estimator and a prior, and the papers' combinations by name."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fewlabels.core.priors import Prior, PriorName
from fewlabels.errors import QuestionError, listed
from fewlabels.questions import Identify, Question
from fewlabels.settings import StudySettings


@dataclass(frozen=True)
class Method:
    """How labels are chosen and read. `name` is shown in results; by default it is made of the parts."""

    strategy: str = "auto"
    estimator: str = "auto"
    prior: PriorName | Prior = "scores"
    prior_strength: float | None = None
    name: str = ""

    @property
    def label(self) -> str:
        if self.name:
            return self.name
        prior = self.prior if isinstance(self.prior, str) else "reported"
        strength = "" if self.prior_strength is None else f"({self.prior_strength:g})"
        return f"{prior}{strength}+{self.strategy}" + ("" if self.estimator == "auto" else f"+{self.estimator}")

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
}


def presets() -> dict[str, Method]:
    """The methods that can be named, and what each stands for."""
    return {name: replace(method, name=name) for name, method in PRESETS.items()}


def read_methods(methods: Iterable[str | Method], question: Question) -> list[Method]:
    """Methods from names and objects; names must be known and labels distinct."""
    found = []
    for method in methods:
        if isinstance(method, Method):
            found.append(method)
        elif method in PRESETS:
            found.append(presets()[method])
        else:
            raise QuestionError(f"unknown method {method!r}; known are {listed(PRESETS, 20)}, or pass fl.Method(…).")
        if found[-1].strategy == "top_two" and not (isinstance(question, Identify) and question.top == 1):
            raise QuestionError("method 'top_two' is for fl.Identify with top=1; leave it out here.")
    labels = [method.label for method in found]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise QuestionError(f"two methods are called {twice!r}; give each a name of its own.")
    if not found:
        raise QuestionError("no methods to compare; pass methods=['uprior', 'iprior+ts'], say.")
    return found
