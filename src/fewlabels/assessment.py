"""A question on a pool's cells: what is believed after the evidence, and which arms to query next.

Pure: a live study drives it with a storage, a simulation with known labels.
"""

import sys
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from fewlabels import aims
from fewlabels.auto import FEW_SCORES, gives_few_scores
from fewlabels.between_calibrations import of_several
from fewlabels.between_models import BetweenModels
from fewlabels.between_scores import BetweenScores
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Aim, Belief, CertifyingBelief, LearningBelief, OwnBelief
from fewlabels.core.cells import Cells, Partition, View, gathered
from fewlabels.core.certificate import Figures
from fewlabels.core.difference import part_of
from fewlabels.core.evidence import NO_EVIDENCE, Evidence, Labels
from fewlabels.core.f_samples import samples_of
from fewlabels.core.groups import OF_SCORES, Grouping, OfModel, ScoreStrata
from fewlabels.core.importance import FSample
from fewlabels.core.joined import PART
from fewlabels.core.keyed import Keyed
from fewlabels.core.objectives import Objective, OfArms
from fewlabels.core.outcomes import Correct, Outcome
from fewlabels.core.pooling import PooledClasses
from fewlabels.core.round import Round, cell_within
from fewlabels.errors import QuestionError, listed
from fewlabels.estimators import CellEstimator, Estimator
from fewlabels.learnt import Learnt
from fewlabels.lens import Lens, lens_of
from fewlabels.metrics import FScore, Metric, OfOneClass
from fewlabels.pool import Pool
from fewlabels.questions import Compare, Identify, Question
from fewlabels.settings import StudySettings
from fewlabels.settling import Contested, in_order
from fewlabels.strategies import State, Strategy, ToldOfArms
from fewlabels.worth import objective_of

_CONTEST = 400  # draws that tell which groups may yet be the ones asked for


def assess(
    settings: StudySettings, question: Question, pool: Pool, model: str, strata: tuple[Grouping, ...] = (),
    *, any_prior: bool = False,
) -> "Assessment":  # fmt: skip
    """A question on a pool, its cells split by `strata` too; raises where it does not fit the pool. With `any_prior`
    the cells know what every prior needs, not only that of the settings."""
    question = question.on(pool.models)
    settings = settings.on(pool.classes, full=pool.engine.full_probabilities)
    metric, estimator, own = question.measured, settings.estimator_for(question), settings.model
    metric.check_pool(pool.classes, full=pool.engine.full_probabilities)
    outcome = metric.outcome(pool.true_classes)
    wanted = settings.split_for(question).axes(metric.of_class, question.groups) if outcome.rates else ()
    further = (g if own in (None, model) else OfModel(own, g) for g in wanted)
    axes = tuple(dict.fromkeys((*question.axes, *further, *strata)))
    from_scores = any_prior or settings.prior == "scores" or estimator.reads_draws
    probabilities = from_scores and outcome.from_probabilities
    several = question.in_bins or (probabilities and question.of_models and metric.of_class is not None)
    asked = question.models if several else (model,)
    each = [pool.engine.summarise(name, axes, probabilities=probabilities) for name in asked]
    cells = each[0] if len(each) == 1 else of_several(each, metric, pool.true_classes)
    if settings.undecided and gives_few_scores(cells):
        settings = settings.by(FEW_SCORES)  # whose cells are the same
    made = Assessment(settings, question, cells, pool.true_classes)
    made.check()
    return made


@dataclass(frozen=True)
class Assessment:
    """One question, with the cells of its pool."""

    settings: StudySettings
    question: Question
    cells: Cells
    true_classes: tuple[str, ...]

    @cached_property
    def view(self) -> View:
        axes = () if self.question.of_models else self.metric.axes
        return View(self.cells, self.question.groups, axes, self.true_classes)

    @cached_property
    def between(self) -> BetweenModels | None:
        """Models set against one another by what each item adds, where that is asked."""
        asked = self.question
        about = (self.metric, asked.models, self.cells, self.true_classes, asked.margin, self.settings.sure)
        return BetweenModels(*about) if asked.of_models and not (asked.weighable or asked.in_bins) else None

    @cached_property
    def scores(self) -> BetweenScores | None:
        """Models set against one another by an F-score, where that is asked."""
        asked = self.question
        about = (cast(FScore, self.metric), asked.models, self.cells, self.true_classes)
        return BetweenScores(*about) if asked.of_models and asked.weighable else None

    @cached_property
    def metric(self) -> Metric:
        return self.question.measured

    @cached_property
    def lens(self) -> Lens:
        """The question's metric, on its groups."""
        return lens_of(self.metric, self.view)

    @cached_property
    def whole(self) -> Lens | None:
        """The metric of the whole pool that is shown beside the groups, where there is one; where the one row there is
        is the whole pool, the lens itself."""
        beside = self.metric.overall
        metric = self.question.metric if beside is self.metric else beside
        if metric is None or (not self.view.by and metric is self.metric and len(self.lens.rows.names) == 1):
            return None if metric is None else self.lens
        return lens_of(metric, View(self.cells, (), metric.axes, self.true_classes), ("overall",))

    @cached_property
    def title(self) -> str:
        """The question in words."""
        return self.question.describe()

    @cached_property
    def estimator(self) -> Estimator:
        """What reads the labels for this question."""
        return self.settings.estimator_for(self.question)

    @cached_property
    def strategy(self) -> Strategy:
        return self.settings.strategy_used

    @cached_property
    def outcome(self) -> Outcome:
        return self.metric.outcome(self.true_classes)

    @cached_property
    def grown(self) -> bool:
        """Whether the pool was extended: its parts were not sampled at equal rates."""
        return PART in self.cells.axes

    def check(self) -> None:
        """Raise where the question does not fit the pool."""
        if self.question.of_models:
            return
        rows = self.lens.rows.names
        if isinstance(self.question, Identify) and self.question.top >= len(rows):
            raise QuestionError(
                f"top={self.question.top} of {len(rows)} groups leaves nothing to find out; ask for fewer groups."
            )
        if isinstance(self.question, Compare):
            self.compared()
        if not self.estimator.reads_draws:
            self.metric.check(self.prior_belief, self.view)

    def compared(self) -> tuple[int, int]:
        """The rows of the two groups compared."""
        assert isinstance(self.question, Compare)
        rows = self.lens.rows.names
        for name in (self.question.a, self.question.b):
            if name not in rows:
                raise QuestionError(f"no group {name!r}{self.question.by_words}; groups are {listed(rows)}.")
        return rows.index(self.question.a), rows.index(self.question.b)

    def belief(self, evidence: Evidence, by: CellEstimator | None = None) -> Belief:
        """What is believed of each cell after the evidence; `by` another estimator than the question's own."""
        own = cast(CellEstimator, self.estimator)
        if own.from_counts and by in (None, own):
            return self.to_choose(evidence)
        if own.certifies and by in (None, own) and self.outcome.rates and evidence is not NO_EVIDENCE:
            return self.certifying.after(evidence.counts(self.outcome, self.cells.count))
        if own.tells_gain and by in (None, own) and self.outcome.rates and evidence is not NO_EVIDENCE:
            return self.learning.after(evidence.counts(self.outcome, self.cells.count))
        prior, strength = self.settings.prior, self.settings.prior_strength
        return (by or own).fit(evidence, self.view, self.outcome, prior, strength)

    def to_choose(self, labels: Labels) -> OwnBelief:
        """The belief that labels are chosen by; counts of them are enough where the estimator says so."""
        if self.estimator.from_counts and labels is not NO_EVIDENCE:
            return self.prior_belief.after(labels.counts(self.outcome, self.cells.count))
        prior, strength = self.settings.prior, self.settings.prior_strength
        return cast(CellEstimator, self.estimator).to_choose.fit(
            cast(Evidence, labels), self.view, self.outcome, prior, strength
        )

    def f_samples(self, evidence: Evidence) -> list[FSample]:
        """The labelled items and draws as an F-score reads them, one sample a row of the metric, or a model; of models
        by groups, those of all items, then of each group."""
        cells, models = self.cells, self.scores
        hit = (self.outcome.codes(evidence.label, evidence.predicted) == 0).astype(np.float64)
        if models is not None:
            figures, groups = (models.score, models.stratum, models.figures, models.predicted), self.view.groups
            whole = samples_of(evidence, hit, cells.size, *figures)
            parts = [groups.index == group for group in range(groups.count)] if self.question.by else []
            return [*whole, *(part_of(sample, part) for part in parts for sample in whole)]
        metric, score = cast(OfOneClass, self.metric), self.outcome.expected(self.view)
        by = [g.grouping if isinstance(g, OfModel) else g for g in cells.axes]
        drawn_by = max(i for i, grouping in enumerate(by) if isinstance(grouping, ScoreStrata))
        about = evidence, hit, cells.size, score, cells.coordinates[:, drawn_by], metric.figures(cells)
        return samples_of(*about, rank=metric.rank(cells))

    @cached_property
    def prior_belief(self) -> OwnBelief:
        """What is believed before the first label."""
        return self.to_choose(NO_EVIDENCE)

    @cached_property
    def arms(self) -> Partition:
        """What strategies choose among: groups where one is to be found, cells where an F-score is read off draws, else
        the units beliefs are held about."""
        if self.of_cells:
            return self.cells.partition(self.cells.axes)
        return self.view.groups if self.of_groups else self.view.units

    @property
    def of_groups(self) -> bool:
        """Whether arms are the groups of which one is to be found."""
        return isinstance(self.question, Identify) and not self.question.by_true_class

    @cached_property
    def in_question(self) -> Ints:
        """The arms worth a label: for a comparison its two groups, for precision what is predicted positive, of models
        where they differ; but a uniform sample is of all items."""
        if self.between is not None:
            everywhere = self.strategy.for_models == "also"
            return np.arange(self.arms.count) if everywhere else np.flatnonzero(self.between.differ)
        if self.scores is not None:
            return np.flatnonzero(self.scores.in_question)
        if self.estimator.reads_draws:
            return np.flatnonzero(cast(OfOneClass, self.metric).can_count(self.cells))
        if not isinstance(self.question, Compare) or self.question.by_true_class:
            return np.arange(self.arms.count)
        pair = self.compared()
        return np.flatnonzero(np.isin(self.view.groups.index if self.of_cells else self.view.group_of_unit, pair))

    @property
    def of_cells(self) -> bool:
        """Whether arms are cells."""
        return self.estimator.reads_draws or self.strategy.of_cells or self.question.of_models

    def choose(
        self, labels: Labels, pending: Array, taken: Ints, keyed: Keyed, most: int | None = None, wanted: int = 1
    ) -> Round:
        """The next round, without arms when no item is left; `pending` open and `taken` items of each cell, `most`
        what the budget still allows, `wanted` how many items somebody waits for."""
        remaining = self.remaining(taken)
        if not remaining.any():
            return Round()
        two_arms = self.two_cells and not self.of_cells  # a comparison of two cells is of two arms
        only, learnt = self.in_question if two_arms else None, Learnt(self, labels, pending, keyed)
        state = State(
            remaining if only is None else remaining[only],
            self.settings.plays,
            sys.maxsize if most is None else most,
            wanted,
            lambda: self.objective(self.to_choose(labels).expecting(pending), taken),
            lambda: self._middle_sample(cast(Evidence, labels)),
            lambda: learnt.gain if self.between is None else self.between.influence(labels),
            int(taken.sum()),
            lambda: learnt.contest,
            lambda: self.told_of_arms(labels, pending, only),
            lambda told: None if self.sides is None else self.sides.shown(told),
            lambda: self._settling(labels, pending, taken),
            lambda: self.f_samples(cast(Evidence, labels)),
            lambda: learnt.likeliest,
        )
        chosen = self.strategy.choose(state, keyed)
        return chosen if only is None else replace(chosen, arms=tuple(only[list(chosen.arms)].tolist()))

    def told_of_arms(self, labels: Labels, pending: Array, only: Ints | None) -> ToldOfArms:
        """Hits and labels of each arm by itself, or of these arms; open queries count at its rate so far."""
        outcome = self.outcome if self.outcome.rates else Correct()
        hits, misses, waiting = self.arms.sums(np.vstack([labels.counts(outcome, self.cells.count).T, pending]))
        expected = (hits + 0.5) / (hits + misses + 1)
        arms = slice(None) if only is None else only
        told = hits + waiting * expected, hits + misses + waiting
        return ToldOfArms(told[0][arms], told[1][arms], self.arms.size[arms])

    @cached_property
    def sides(self) -> aims.Sides | None:
        """What is to be shown of each arm, where the question is about a threshold."""
        return aims.sides(self.question, self.arms, self.metric.shift(self.view), self.settings.level)

    def aims(self, contested: Array | None) -> list[list[Aim]]:
        """The figures labels are chosen for. Whatever is to be estimated, these are the shares of the groups that have
        effects of their own, and of the whole: calibration errors and curves follow from the same. Where groups are to
        be found, it is the shares of those that are `contested`."""
        question, view = self.question, self.view
        if isinstance(question, Compare) and self.outcome.rates:
            return [[aims.difference(view.groups, self.compared())]]
        if contested is not None:
            return [[aims.shares(view.groups, contested)]]
        own = tuple(axis for axis in self.cells.axes if not isinstance(axis, OF_SCORES))
        return [[aims.shares(self.cells.partition(own))], [aims.shares(self.cells.partition(()))]]

    def contested(self, belief: LearningBelief, rng: np.random.Generator) -> Array | None:
        """How open it is of each group whether it is among those to be found; None where none is."""
        question = self.question
        if not isinstance(question, Identify) or not self.outcome.rates:
            return None
        drawn = self.metric.values(belief.draws(_CONTEST, rng, pool=True), self.view)
        return aims.contested(drawn if question.lowest_first else -drawn, question.top)

    @cached_property
    def learning(self) -> LearningBelief:
        """What is believed before the first label, by an estimator that tells what one is worth."""
        found = self.belief(NO_EVIDENCE)
        return cast(LearningBelief, found if found.rates else cast(PooledClasses, found).right)

    @cached_property
    def certifying(self) -> CertifyingBelief:
        """What is believed before the first label, by an estimator that certifies which groups stand out."""
        return cast(CertifyingBelief, self.belief(NO_EVIDENCE))

    @cached_property
    def certified(self) -> Figures | None:
        """The figures that groups are found by, as a belief certifies them; None where it does not."""
        question = self.question
        if not (self.estimator.certifies and question.certifiable and isinstance(question, Identify)):
            return None
        sign = 1.0 if question.lowest_first else -1.0
        return Figures(sign * (self.metric.scale or 0.0), sign * self.metric.shift(self.view))

    def first(self, belief: Belief) -> Ints:
        """Groups in the order asked for, by what is believed of them."""
        values = self.metric.values(
            (belief.pool_mean if self.settings.target == "pool" else belief.mean)[None], self.view
        )
        told = self.metric.behind(belief, self.view)[0]
        return in_order(values[0] if cast(Identify, self.question).lowest_first else -values[0], told == 0)

    def _settling(self, labels: Labels, pending: Array, taken: Ints) -> Contested | None:
        """The groups to be found, as open queries leave them, where they can be certified."""
        if self.certified is None:
            return None
        belief = self.certifying.after(labels.counts(self.outcome, self.cells.count)).expecting(pending)
        asked, until, groups = cast(Identify, self.question), self.settings.until, self.view.groups
        goal, new = None if until is None else until.sure, np.flatnonzero(groups.sums(taken.astype(np.float64)) == 0)
        order = self.first(belief)
        return Contested(belief, self.certified, groups.index, order, asked.top, asked.within, goal, new)

    def _middle_sample(self, evidence: Evidence) -> FSample:
        """Of several thresholds, or alphas, draws go by the one in the middle."""
        samples = sorted(self.f_samples(evidence), key=lambda sample: sample.alpha)
        return samples[len(samples) // 2]

    @property
    def two_cells(self) -> bool:
        """Whether two groups are compared that are one cell each, by a metric that is a line in its rate."""
        question, scale = self.question, self.metric.scale
        return isinstance(question, Compare) and scale is not None and self.view.groups.single

    def remaining(self, taken: Ints) -> Ints:
        """Items left in each arm; none in arms the question does not ask about."""
        left = self.arms.sums((self.cells.size - taken).astype(np.float64)).astype(np.int64)
        return np.asarray(left * self._is_in_question)

    def remaining_in(self, arm: int, taken: Ints) -> int:
        """The same for one arm, at a cost that does not depend on how many there are."""
        cells = self._cells_of_arm[arm]
        if len(cells) == 1:  # the usual case, and the sum of one takes long
            return int((self.cells.size[cells[0]] - taken[cells[0]]) * self._is_in_question[arm])
        return int((self.cells.size[cells] - taken[cells]).sum() * self._is_in_question[arm])

    def cell_in(self, arm: int, taken: Ints, keyed: Keyed) -> int:
        """The cell of the arm that holds its next item: cells in proportion to the items they have left."""
        cells = self._cells_of_arm[arm]
        return int(cells[0]) if len(cells) == 1 else cell_within(cells, self.cells.size[cells] - taken[cells], keyed)

    @cached_property
    def _is_in_question(self) -> Ints:
        """1 for each arm in question, 0 for the others."""
        return np.bincount(self.in_question, minlength=self.arms.count)

    @cached_property
    def _cells_of_arm(self) -> list[Ints]:
        return gathered(self.arms.index, self.arms.count)

    def objective(self, belief: OwnBelief, taken: Ints | None = None) -> Objective:
        """What a label in each arm is worth; where an arm is several cells, of one of its items left."""
        found = objective_of(self, belief)
        if self.of_cells or self.of_groups or self.arms.single:
            return found
        return OfArms(found, self.arms, self.cells.size - (0 if taken is None else taken))

    @property
    def strata_needed(self) -> tuple[Grouping, ...]:
        """The groupings a later question must keep apart, because these arms were not sampled at equal rates."""
        if self.between is not None:
            return tuple(axis for axis in self.cells.axes if isinstance(axis, OfModel))
        if self.of_cells:
            return self.cells.axes
        return self.question.groups if self.arms is self.view.groups else self.question.axes
