"""One run of one method: its labels, as a live study would have asked for them, and readings of them at each look."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import numpy as np
from benchmarks.leaderboard.pools import BoardPool
from benchmarks.leaderboard.studies import METHODS, RIVALS, Study

import fewlabels as fl
from fewlabels.assessment import Assessment, assess
from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.evidence import NO_EVIDENCE, Evidence
from fewlabels.core.keyed import item_order
from fewlabels.engines import gathered
from fewlabels.parts import part_to_json
from fewlabels.questions import Question
from fewlabels.reading.answer import read
from fewlabels.reading.cells import CellReading
from fewlabels.simulation.compiled import runner_for
from fewlabels.simulation.measures import Truth
from fewlabels.simulation.oracle import Known
from fewlabels.simulation.run import Trace, run_draws
from fewlabels.simulation.simulate import Job, prepare, run_seed

MODEL = "model"  # the only one of a sub-pool


@dataclass
class Labelled:
    """A sub-pool, a question, and what one method knew of it at each look."""

    board: BoardPool
    pool: fl.Pool
    job: Job
    known_at: Trace | list[Evidence]
    order: Ints  # the place in the pool of each item of the deck
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def assessment(self) -> Assessment:
        return self.job.assessments[0]

    @property
    def known(self) -> Known:
        return self.job.known[0]

    @property
    def truth(self) -> Truth:
        return self.job.truths[0]

    @property
    def looks(self) -> Sequence[int]:
        return cast(list[int], self.job.budgets.tolist())

    @cached_property
    def right(self) -> Bools:
        """Whether each item's prediction is right, in the pool's order."""
        return np.asarray(self.known.label == self.known.predicted)

    @cached_property
    def score(self) -> Array:
        """Of each item's predicted class, in the pool's order."""
        return np.asarray(cast(Any, self.pool.engine).models[MODEL].score)

    def labelled(self, place: int) -> Ints:
        """The items labelled by a look, in the pool's order."""
        assert not isinstance(self.known_at, Trace)
        return self.order[np.array(self.known_at[place].items, dtype=np.int64)]

    def reading(self, place: int) -> CellReading:
        """What is read off the labels of a look."""
        return self._read(self.assessment, place)

    def _read(self, assessment: Assessment, place: int, evidence: Evidence | None = None) -> CellReading:
        if isinstance(self.known_at, Trace):
            belief = assessment.prior_belief.after(self.known_at.counts[place])
            return CellReading(assessment, NO_EVIDENCE, assessment.settings.level, believed=belief)
        own = self.known_at[place]
        borrowed = evidence is not None and not own.equal_chances
        return cast(CellReading, read(assessment, own if evidence is None else evidence, borrowed=borrowed))

    # -- another question, answered from the same labels ---------------------------------------------------------------

    def beside(self, question: Question) -> "Beside":
        """The same labels, read for another question as a study would."""
        own = self.assessment
        strata = () if isinstance(self.known_at, Trace) or self._uniform else own.strata_needed
        assessment = assess(own.settings, question, self.pool, MODEL, strata, any_prior=True)
        rows = gathered(self.pool.engine.scan(MODEL, assessment.cells.axes))
        return Beside(
            self, assessment, Known(assessment.cells, rows.cell, rows.predicted, self.known.label, rows.hashes)
        )

    @property
    def _uniform(self) -> bool:
        return not isinstance(self.known_at, Trace) and self.known_at[-1].equal_chances


@dataclass(frozen=True)
class Beside:
    """Another question on the labels of a run."""

    run: Labelled
    assessment: Assessment
    known: Known

    @cached_property
    def truth(self) -> Truth:
        return Truth(self.assessment, self.known)

    def reading(self, place: int) -> CellReading:
        """What is read off the labels of a look."""
        run = self.run
        if isinstance(run.known_at, Trace):  # its counts are of the question's own cells, which must be these
            assert self.assessment.cells.axes == run.assessment.cells.axes
            return run._read(self.assessment, place)
        items = run.labelled(place)
        moved = run.known_at[place].moved(self.known.cell[items], self.known.predicted[items], run.score[items])
        return run._read(self.assessment, place, moved)


def take(board: BoardPool, pool: fl.Pool, study: Study, method: str, run: int, batch: int) -> Labelled:
    """The labels of one run. Rivals are counted and compiled where that is possible, and take labels one by one."""
    start, seed = time.process_time(), run_seed(0, run)
    looks = np.array(study.looks(board), dtype=np.int64)
    job = prepare(pool, None, study.question(board, pool), [METHODS[method]], looks, seed, None)
    assessment, known = job.assessments[0], job.known[0]
    deck = known.deal(seed)
    order = np.lexsort((item_order(seed, known.hashes), known.cell))  # as the deck was dealt
    taken: Trace | list[Evidence]
    if method in RIVALS and study.name != "overall":  # there other rivals read the same items
        taken = runner_for(assessment)(deck, job.budgets, seed)
    else:
        taken = run_draws(assessment, deck, job.budgets, seed, (batch,))
    return Labelled(board, pool, job, taken, order, {"draw": time.process_time() - start})


def parts_of(assessment: Assessment) -> str:
    """The strategy and the estimator that an assessment uses, whatever they were called."""
    return f"{part_to_json(assessment.strategy)} {part_to_json(assessment.estimator)}"


def same_as(board: BoardPool, pool: fl.Pool, study: Study, method: str) -> str | None:
    """Another method on the list that is this one under another name, if there is one: what "auto" may stand for."""
    if method != "auto":
        return None
    question, looks = study.question(board, pool), np.array(study.looks(board), dtype=np.int64)

    def parts(name: str) -> str:
        return parts_of(prepare(pool, None, question, [METHODS[name]], looks, 0, None).assessments[0])

    own = parts(method)
    others = (name for name in study.methods if name != method and name not in RIVALS)
    return next((name for name in others if parts(name) == own), None)
