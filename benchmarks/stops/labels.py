"""A study whose labels are known: it asks as a live one would, and is looked at as it was after any label."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

import fewlabels as fl
from fewlabels.answers import Answer, Progress
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.events import Item, Query, Told
from fewlabels.core.evidence import Evidence
from fewlabels.core.history import History
from fewlabels.engines import PoolItem
from fewlabels.questions import Question
from fewlabels.reading.answer import answer_to_goal
from fewlabels.settings import StudySettings
from fewlabels.simulation.compiled import runner_for
from fewlabels.simulation.drawn import DrawnRun, dealt
from fewlabels.simulation.measures import Truth
from fewlabels.simulation.methods import Method
from fewlabels.simulation.oracle import Deck, Known
from fewlabels.simulation.simulate import prepare, run_seed
from fewlabels.step import next_event
from fewlabels.stopping import Stopping

MOST = 3000  # labels of a run, where nothing else is said
PILOT = 50  # labels after which a study says how many it will take
_FIRST, _GROWTH = 60, 1.5  # labels taken at first, and how many more at a time


@dataclass
class Labelling:
    """One run of a study."""

    assessment: Assessment
    known: Known
    seed: int
    batch: int  # labels that come back at once
    _history: History = field(init=False)

    def __post_init__(self) -> None:
        names = self.assessment.true_classes
        self._history = History({name: i for i, name in enumerate(names)}, self.assessment.cells.count)

    @cached_property
    def truth(self) -> Truth:
        return Truth(self.assessment, self.known)

    @cached_property
    def accuracy(self) -> float:
        """Of the whole pool."""
        return float((self.known.label == self.known.predicted).mean())

    @cached_property
    def items(self) -> int:
        """That the question speaks of."""
        return int(self.assessment.remaining(np.zeros(self.assessment.cells.count, dtype=np.int64)).sum())

    def hits(self, evidence: Evidence) -> Bools:
        """Whether each label says that the prediction is right."""
        return np.asarray(self.assessment.outcome.codes(evidence.label, evidence.predicted) == 0)

    def counted(self, most: int) -> Array:
        """Labels by cell after each of so many, (most, n_cells, 2), of methods that read nothing else."""
        looks = np.arange(1, most + 1)
        return runner_for(self.assessment)(self.deck, looks, self.seed).counts

    # -- as a live study asks ------------------------------------------------------------------------------------------

    def stages(self, most: int) -> Iterator[tuple[Evidence, list[int]]]:
        """What is known after more and more labels, each time with the looks since the time before."""
        most = min(most, self.items)
        done, goal = 0, _FIRST
        while done < most:
            evidence = self.take(min(goal, most))
            looks = list(range(done + self.batch - done % self.batch, evidence.count + 1, self.batch))
            last = evidence.count == self.items and evidence.count % self.batch != 0  # all that were left
            yield evidence, [*looks, evidence.count] if last else looks
            if evidence.count == done:
                return
            done, goal = evidence.count, int(max(goal, evidence.count) * _GROWTH)  # a batch may be more than that

    def take(self, labels: int) -> Evidence:
        """What is known after so many labels, whole batches of them."""
        if self._compiled is not None:
            return dealt(self.deck, self._compiled.drawn(self.deck, self._whole(labels), self.seed))
        history = self._history
        while history.spent < labels and (asked := self._ask(min(self.batch, self.items - history.spent))):
            for item in asked:
                history.apply(Told(item, self.assessment.true_classes[self.deck.label[int(item)]]))
        return history.evidence()

    def _whole(self, labels: int) -> int:
        """So many labels as there are in whole batches."""
        return min(-(-labels // self.batch) * self.batch, self.items)

    def _ask(self, count: int) -> list[Item]:
        asked: list[Item] = []
        while len(asked) < count:
            wanted = count - len(asked)
            event = next_event(self.assessment, self._history, self._item, seed=self.seed, budget=None, wanted=wanted)
            if event is None:
                break
            self._history.apply(event)
            if isinstance(event, Query):
                asked.append(event.item)
        return asked

    @cached_property
    def _compiled(self) -> DrawnRun | None:
        """Its compiled twin, where there is one that tells the cell of each draw: the same items."""
        found = runner_for(self.assessment)
        return replace(found, batch=self.batch) if isinstance(found, DrawnRun) else None

    @cached_property
    def deck(self) -> Deck:
        """The order of the items."""
        return self.known.deal(self.seed)

    def _item(self, cell: int, position: int) -> PoolItem:
        place = int(self.deck.starts[cell]) + position
        return PoolItem(place, cell, self.assessment.true_classes[self.deck.predicted[place]], np.nan, {})

    # -- what the product says -----------------------------------------------------------------------------------------

    def answer(self, evidence: Evidence) -> tuple[Answer, bool]:
        """The answer as far as the goal reads it, and whether that is reached. Nothing is foretold, for speed."""
        found = self._found(evidence)
        return found, self._progress(replace(found, outlook=None), evidence).done

    def foretold(self) -> tuple[int, int, int] | None:
        """After the pilot, how many labels it will take in all: at least, likely, at most. None where nothing is said,
        or it is done."""
        evidence = self.take(min(PILOT, self.items))
        evidence = first(evidence, min(PILOT, evidence.count))
        progress = self._progress(self._found(evidence), evidence)
        left = progress.labels_left
        if left is None or progress.done:
            return None
        return evidence.count + left.low, evidence.count + left.likely, evidence.count + left.high

    def _found(self, evidence: Evidence) -> Answer:
        settings = self.assessment.settings
        assert settings.until is not None
        return answer_to_goal(self.assessment, evidence, settings.level, settings.until, {})

    def _progress(self, answer: Answer, evidence: Evidence) -> Progress:
        until = self.assessment.settings.until
        assert until is not None
        return until.progress(answer, self.items - evidence.count, evidence)


def begin(
    pool: fl.Pool, question: Question, method: Method, run: int, batch: int = 1, until: Stopping | None = None
) -> Labelling:
    """A study on a pool that knows its labels, before the first one."""
    seed = run_seed(0, run)
    settings = StudySettings(question, method.strategy, method.estimator, method.prior, until=until, seed=seed)
    used = replace(method, strategy=settings.strategy_used, estimator=settings.estimator_used)
    job = prepare(pool, None, question, [used], np.array([1]), seed, None)
    made = job.assessments[0]
    return Labelling(replace(made, settings=replace(made.settings, until=until)), job.known[0], seed, batch)


def first(evidence: Evidence, labels: int) -> Evidence:
    """What was known after the first labels."""
    if labels == evidence.count:
        return evidence
    order, part = evidence.order, slice(labels)
    assert order is not None
    assert evidence.drawn is None
    return replace(
        evidence,
        items=evidence.items[:labels],
        cell=evidence.cell[part],
        predicted=evidence.predicted[part],
        label=evidence.label[part],
        score=evidence.score[part],
        asked_in=None if evidence.asked_in is None else evidence.asked_in[part],
        chance=None if evidence.chance is None else evidence.chance[part],
        order=replace(order, number=order.number[part], outside=order.outside[part]),
    )


def tallies(group: Ints, hit: Bools, count: int) -> tuple[Array, Array]:
    """Labels and hits of each group after each label, (n_labels, n_groups)."""
    one = np.zeros((len(group), count))
    one[np.arange(len(group)), group] = 1
    return one.cumsum(axis=0), (one * hit[:, None]).cumsum(axis=0)


def wilson(items: int, labels: Array, hits: Array) -> tuple[Array, Array]:
    """The interval of a uniform sample, at 95 %, labels counting for more as a finite pool runs out."""
    z = 1.959964
    left = np.maximum(items - labels, 1e-9)
    n, share = labels * (items - 1) / left, hits / labels
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
