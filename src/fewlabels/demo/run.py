"""The demo's loop: ask, label from the known truth, answer; beside it uniform sampling with as many labels."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from fewlabels.answers import Identification
from fewlabels.core.events import Item
from fewlabels.engines import gathered
from fewlabels.errors import QuestionError
from fewlabels.pool import Pool
from fewlabels.questions import Identify
from fewlabels.study import Study
from fewlabels.study.creation import create_study

QUESTION = Identify("accuracy", by="predicted_class", top=5)
BATCH = 5  # queries that share one draw of the belief


@dataclass(frozen=True)
class Run:
    """One study played to its last label."""

    study: Study
    answer: Identification
    found: int  # of the groups it names, how many truly belong there

    @property
    def expected(self) -> float:
        """How many of the groups it names it expects to belong there itself."""
        return float(sum(more["p_top"] for more in self.answer.extra[: len(self.answer.groups)]))

    @property
    def labels_on_named(self) -> int:
        return sum(f.labels for f in self.answer.findings[: len(self.answer.groups)])

    @property
    def half_width(self) -> float:
        """The mean half-width over the groups it names; nan where no group has enough labels to be named."""
        named = self.answer.findings[: len(self.answer.groups)]
        return sum(f.half_width for f in named) / len(named) if named else float("nan")


@dataclass(frozen=True)
class Demo:
    """What the demo found out, and the truth beside it."""

    truth: dict[str, float]  # accuracy of each group with every item labelled, lowest first
    chosen: Run  # labels where fewlabels asked for them
    uniform: Run  # as many labels drawn uniformly
    found_chosen: tuple[int, ...]  # the same with other seeds: how many of the worst each run found
    found_uniform: tuple[int, ...]

    @property
    def worst(self) -> tuple[str, ...]:
        """The groups that are truly the worst."""
        return tuple(self.truth)[: QUESTION.top]


def run_demo(
    pool: Pool, labels: int = 400, seed: int = 0, repeats: int = 3, tick: Callable[[int], object] = lambda _: None
) -> Demo:
    """The demo on a pool whose labels are known; `tick` hears how many labels each step told.

    With seeds seed, seed + 1, …: the first run is shown, the others only say how much of it was luck.
    """
    if not 1 <= labels <= len(pool):
        raise QuestionError(f"the demo can tell 1 to {len(pool):,} labels, as many as the pool has; got {labels:,}.")
    known = true_labels(pool)
    everything = create_study(pool, QUESTION)
    everything.tell(known, drawn="uniform")
    truth = {f.group: f.value for f in everything.answer().findings}
    worst = set(tuple(truth)[: QUESTION.top])

    def play(strategy: str, seed: int) -> Study:
        study = create_study(pool, QUESTION, strategy=strategy, budget=labels, seed=seed, name="demo")
        while queries := study.ask(BATCH):
            study.tell({query.item: known[query.item] for query in queries}, by="the known labels")
            tick(len(queries))
        return study

    def score(study: Study) -> Run:
        answer = cast(Identification, study.answer())
        return Run(study, answer, len(worst.intersection(answer.groups)))

    chosen, uniform = score(play("auto", seed)), score(play("uniform", seed))
    more = [tuple(score(play(strategy, seed + i)).found for i in range(1, repeats)) for strategy in ("auto", "uniform")]
    return Demo(truth, chosen, uniform, (chosen.found, *more[0]), (uniform.found, *more[1]))


def true_labels(pool: Pool) -> dict[Item, str]:
    """The known label of each item."""
    rows = gathered(pool.engine.scan(pool.models[0]))
    if rows.labels is None:
        raise QuestionError("the demo plays the labeller, so it needs a pool whose labels are known.")
    return dict(zip(rows.items.tolist(), rows.labels.tolist(), strict=True))
