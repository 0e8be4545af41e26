"""A pool with known labels: as plain arrays, and what is believed once some, or all, of the labels are told."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewlabels.answers import Finding
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.evidence import NO_EVIDENCE
from fewlabels.core.groups import PredictedClass
from fewlabels.core.priors import Prior, PriorName
from fewlabels.engines import gathered
from fewlabels.errors import PoolError
from fewlabels.metrics import Metric
from fewlabels.pool import Pool
from fewlabels.questions import Estimate, Question
from fewlabels.reading.cells import CellReading
from fewlabels.reproduction.base.data import SOURCES
from fewlabels.reproduction.base.panels import Numbers, numbers
from fewlabels.settings import StudySettings


@dataclass(frozen=True)
class LabelledPool:
    """Items with their predicted class, score and true class."""

    predicted: Ints  # index into the pool's classes
    score: Array
    true: Ints  # index into the true classes, which begin with the pool's
    n_classes: int

    def __len__(self) -> int:
        return len(self.predicted)

    @cached_property
    def right(self) -> Ints:
        """1 for each item whose prediction is right, else 0."""
        return np.asarray(self.predicted == self.true, dtype=np.int64)

    def bins(self, count: int) -> Ints:
        """The score bin of equal width of each item."""
        return np.minimum((self.score * count).astype(np.int64), count - 1)

    def some(self, items: Ints) -> "LabelledPool":
        """These items only."""
        return LabelledPool(self.predicted[items], self.score[items], self.true[items], self.n_classes)

    def calibration_error(self, count: int = 10) -> float:
        """The usual estimate of ECE from these items alone: their own shares, mean scores and accuracies by bin."""
        bins = self.bins(count)
        gap = np.bincount(bins, self.right, count) - np.bincount(bins, self.score, count)
        return float(np.abs(gap).sum() / len(self))


def model_of(pool: Pool) -> str:
    """The pool's model, of several the one the figures show."""
    wanted = {source.model for source in SOURCES.values()}
    return next((model for model in pool.models if model in wanted), pool.models[0])


def labelled(pool: Pool) -> LabelledPool:
    """The items of a pool with known labels."""
    rows = gathered(pool.engine.scan(model_of(pool)))
    if rows.labels is None:
        raise PoolError("a reproduction needs the true labels; the file of predictions has no column 'label'.")
    where = {name: i for i, name in enumerate(pool.true_classes)}
    true = np.array([where[str(label)] for label in rows.labels])
    return LabelledPool(rows.predicted, rows.score, true, len(pool.classes))


def random_items(pool: Pool, labels: int | None, seed: int = 0) -> Ints:
    """So many items at random, those of fewer being the first of those of more; None for all."""
    return np.random.default_rng(seed).permutation(len(pool))[:labels]


def confusion_counts(pool: Pool, items: Ints | None = None) -> Ints:
    """Items of each predicted and true class, (n_predicted, n_true); of all items, or of these."""
    known = labelled(pool) if items is None else labelled(pool).some(items)
    counts = np.zeros((len(pool.classes), len(pool.true_classes)), dtype=np.int64)
    np.add.at(counts, (known.predicted, known.true), 1)
    return counts


def mean_scores(pool: Pool) -> Array:
    """m_k: the mean class probabilities of the items of each predicted class, (n_predicted, n_true)."""
    cells = pool.engine.summarise(model_of(pool), (PredictedClass(),), probabilities=True)
    assert cells.probability_sum is not None  # as asked for
    out = np.full((len(pool.classes), len(pool.true_classes)), 1 / len(pool.true_classes))
    out[cells.coordinates[:, 0]] = cells.probability_sum / cells.size[:, None]
    return out


def posterior(
    pool: Pool,
    question: Question,
    labels: int | None,
    prior: PriorName | Prior = "scores",
    strength: float | None = None,
) -> CellReading:
    """What the labels of so many random items, None for all, tell about a question of rates, the population being
    meant; 95 % intervals."""
    model, items = model_of(pool), random_items(pool, labels)
    settings = StudySettings(question, estimator="beta", prior=prior, prior_strength=strength, target="population")
    cells = pool.engine.summarise(model, question.axes, probabilities=False)
    assessment = Assessment(settings, question, cells, pool.true_classes)
    cell = gathered(pool.engine.scan(model, question.axes)).cell[items]
    right = labelled(pool).right[items]
    hits, misses = (np.bincount(cell, side, cells.count).astype(np.float64) for side in (right, 1 - right))
    belief = assessment.prior_belief.after(np.stack([hits, misses], axis=-1))
    return CellReading(assessment, NO_EVIDENCE, settings.level, "equal-tailed", believed=belief)


def by_class(pool: Pool, metric: str | Metric, prior: PriorName = "flat") -> CellReading:
    """What all labels tell of each predicted class."""
    return posterior(pool, Estimate(metric, by="predicted_class"), None, prior)


def with_intervals(findings: Iterable[Finding]) -> tuple[Numbers, Numbers, Numbers]:
    """Values, and the lower and upper ends of their intervals, for a curve."""
    found = list(findings)
    return numbers(f.value for f in found), numbers(f.low for f in found), numbers(f.high for f in found)
