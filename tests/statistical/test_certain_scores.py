"""Models that only ever say 0 or 1, as many prompts do: their scores tell nothing of what they miss.

600 items of five classes, one of them against the rest, accuracies .8, .95 and .99: intervals of each figure of one
class at 20, 50 and 100 labels, 50 pools each, 150 a figure. A true coverage of 92 % falls below 84 % once in 1,500. The
control is the reach of before, which left out all that share a score and are more than it allows.

And models that give few marks, most of what they miss among the lowest: 40 pools of 3,000 items. The recall was held in
7 % of them where the scores were believed, and told with three times the squared error of a uniform sample.
"""

from functools import cache

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score, precision_score, recall_score

import fewlabels as fl
from fewlabels.core.difference import Differences
from fewlabels.strategies import Doubt

pytestmark = pytest.mark.usefixtures("fewer_draws")  # of the posterior, whose noise has hardly a part

ITEMS, CLASSES, RUNS, LEAST = 600, 5, 50, 0.84
LOOKS = (20, 50, 100)  # labels
METRICS = {
    "f1": f1_score,
    "precision": precision_score,
    "recall": recall_score,
    "average_precision": average_precision_score,
}


NAMES = [f"c{i}" for i in range(CLASSES)]


@cache
def certain(accuracy: float, seed: int) -> tuple[fl.Pool, np.ndarray, np.ndarray]:
    """A pool, what is true and what is predicted; one for all metrics."""
    rng = np.random.default_rng(seed)
    truth, other = rng.integers(0, CLASSES, ITEMS), rng.integers(1, CLASSES, ITEMS)
    predicted = np.where(rng.random(ITEMS) < accuracy, truth, (truth + other) % CLASSES)
    return fl.Pool.from_arrays(probabilities=np.eye(CLASSES)[predicted], classes=NAMES), truth, predicted


@cache
def true_value(metric: str, accuracy: float, seed: int) -> float:
    _, truth, predicted = certain(accuracy, seed)
    return float(METRICS[metric](truth == 0, predicted == 0))


def coverage(metric: str, accuracy: float, strategy: str = "auto") -> np.ndarray:
    """How many intervals hold the truth at each look."""
    held = np.zeros(len(LOOKS))
    for seed in range(RUNS):
        (pool, truth, _), true = certain(accuracy, seed), true_value(metric, accuracy, seed)
        study = fl.create_study(pool, fl.Estimate(metric, positive="c0"), strategy=strategy, seed=seed)
        for place, labels in enumerate(LOOKS):
            study.tell({query.item: NAMES[truth[query.item]] for query in study.ask(labels - len(study.labels))})
            (found,) = study.answer().findings
            held[place] += found.low - 1e-9 <= true <= found.high + 1e-9
    return held / RUNS


@pytest.mark.parametrize(("metric", "strategy"), [*((m, "doubt") for m in METRICS), ("f1", "auto"), ("recall", "auto")])
def test_intervals_hold_what_scores_of_0_and_1_do_not_tell(metric, strategy):
    found = np.mean([coverage(metric, accuracy, strategy) for accuracy in (0.8, 0.95, 0.99)], axis=0)
    print(found)
    assert found.min() >= LEAST


def test_leaving_out_whoever_shares_a_score_is_caught(monkeypatch):
    def before(self, sample, predicted, labels):
        items = float(sample.size @ predicted) * (self.reach - 1 + np.log2(1 + labels / self.first))
        held = np.bincount(sample.stratum, weights=sample.size)[::-1].cumsum()[::-1]
        return int(next(iter(np.flatnonzero(held <= items)), len(held))), 1.0

    monkeypatch.setattr(Doubt, "frame", before)
    monkeypatch.setattr(Differences, "may_hide", lambda *_: 0.0)
    assert coverage("recall", 0.95, "doubt").min() < LEAST


MARKS = {  # score: how many of the positives, and of the negatives, get it
    "yes or no": {0.0: (0.14, 0.99), 1.0: (0.86, 0.01)},
    "four marks": {0.0: (0.15, 0.85), 0.1: (0.05, 0.135), 0.9: (0.2, 0.01), 1.0: (0.6, 0.005)},
}


@cache
def marked(kind: str, seed: int) -> tuple[fl.Pool, np.ndarray, float]:
    """A pool of 3,000 items, which of them are positive, and the recall."""
    rng, scores = np.random.default_rng(seed), np.array(list(MARKS[kind]))
    of_positives, of_negatives = np.array(list(MARKS[kind].values())).T
    positive = rng.random(3000) < 0.08
    said = np.where(positive, rng.choice(scores, 3000, p=of_positives), rng.choice(scores, 3000, p=of_negatives))
    pool = fl.Pool.from_arrays(probabilities=np.stack([1 - said, said], axis=1), classes=["no", "yes"])
    return pool, positive, float(recall_score(positive, said > 0.5))


def recalls(kind: str, strategy: str, runs: int = 40, **more: float) -> tuple[np.ndarray, np.ndarray]:
    """Errors and how many intervals hold the truth after 50, 100 and 200 labels in tens, (n_runs, 3)."""
    errors, held = np.zeros((2, runs, 3))
    for seed in range(runs):
        pool, positive, true = marked(kind, seed)
        study = fl.create_study(pool, fl.Estimate("recall", positive="yes"), strategy=strategy, seed=seed, **more)
        for place, labels in enumerate((50, 100, 200)):
            while len(study.labels) < labels:
                study.tell({query.item: ("no", "yes")[int(positive[query.item])] for query in study.ask(10)})
            (found,) = study.answer().findings
            errors[seed, place], held[seed, place] = found.value - true, found.low <= true <= found.high
    return errors, held


@pytest.mark.parametrize("kind", MARKS)
def test_marks_are_no_worse_than_a_uniform_sample(kind):
    errors, held = recalls(kind, "auto")
    assert held.mean(axis=0).min() >= LEAST  # of 40: at a true 92 % once in 17 looks one falls short of 35, of 34 less
    uniform, _ = recalls(kind, "uniform")
    assert (errors**2).mean() <= 1.5 * (uniform**2).mean()


def test_believing_the_lowest_mark_and_that_none_hides_is_caught(monkeypatch):
    monkeypatch.setattr(Differences, "may_hide", lambda *_: 0.0)
    assert recalls("four marks", "doubt", runs=20, hidden=0)[1].mean(axis=0).min() < 0.5
