"""Cells that learn from one another: against a slow transcription, and exact where nothing is left to learn."""

import tracemalloc

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln, expit, logit

import fewlabels as fl
from fewlabels.core import pooling
from fewlabels.core.pooling import PooledRates
from fewlabels.engines.memory import MemoryEngine


def make(hits, misses, expected, size):
    return PooledRates(
        np.array(expected, dtype=float), np.array(hits, dtype=float), np.array(misses, dtype=float), np.array(size)
    )


def slow_mean(rates: PooledRates) -> np.ndarray:
    """sum over the grid of prior x beta-binomial likelihood x posterior mean, in plain loops."""
    score = logit(np.clip(rates.expected, 1e-3, 1 - 1e-3))
    centre = np.average(score, weights=rates.size)
    total, mean = 0.0, np.zeros(len(score))
    for a in np.linspace(-5, 5, 41):
        for b in np.linspace(0, 2, 9):
            for k in (0.5, 1, 2, 4, 8, 16, 64):
                m = expit(a + centre + b * (score - centre))
                weight = stats.norm.pdf(a, 0, 2) * stats.norm.pdf(b, 1, 0.5)
                for c in range(len(score)):
                    n = rates.hits[c] + rates.misses[c]
                    weight *= stats.betabinom.pmf(rates.hits[c], n, k * m[c], k * (1 - m[c])) if n else 1.0
                total += weight
                mean += weight * (k * m + rates.hits) / (k + n_of(rates))
    return mean / total


def n_of(rates: PooledRates) -> np.ndarray:
    return rates.hits + rates.misses


def test_the_mean_is_that_of_a_slow_sum_over_the_grid():
    rates = make([3, 0, 5, 0], [1, 2, 0, 0], [0.62, 0.5, 0.9, 0.73], [20, 30, 10, 40])
    np.testing.assert_allclose(rates.mean, slow_mean(rates), atol=2e-3)  # scores are rounded to two digits of the logit


def test_draws_have_the_mean_of_the_belief():
    rates = make([3, 0, 5, 0], [1, 2, 0, 0], [0.6, 0.5, 0.9, 0.7], [20, 30, 10, 40])
    draws = rates.draws(40_000, np.random.default_rng(0), pool=False)
    np.testing.assert_allclose(draws.mean(axis=0), rates.mean, atol=0.01)


def test_every_item_labelled_leaves_nothing_to_share():
    rates = make([7, 2], [3, 8], [0.9, 0.1], [10, 10])
    assert np.ptp(rates.draws(100, np.random.default_rng(0), pool=True), axis=0).tolist() == [0.0, 0.0]
    np.testing.assert_allclose(rates.pool_mean, [0.7, 0.2])


def test_an_error_common_to_all_cells_is_learned_by_cells_without_labels():
    seen = make([10] * 20 + [0] * 20, [10] * 20 + [0] * 20, [0.9] * 40, [100] * 40)
    assert seen.mean[20:].max() < 0.65


def test_uncertainty_about_all_cells_does_not_average_out():
    """A hundred cells and no label: the mean of all is as unknown as the shift, not a tenth of a cell's spread."""
    none = make([0] * 100, [0] * 100, [0.8] * 100, [50] * 100)
    overall = none.draws(4000, np.random.default_rng(0), pool=False).mean(axis=1)
    assert overall.std() > 0.15


def test_cells_are_grouped_without_changing_their_counts():
    cells, count = pooling._together(np.array([0.1, 0.1, 2.0]), np.array([1.0, 1.0, 0.0]), np.array([0.0, 0.0, 3.0]))
    assert cells.tolist() == [[0.1, 1.0, 0.0], [2.0, 0.0, 3.0]]
    assert count.tolist() == [2, 1]


def many_cells(cells: int, most: int) -> PooledRates:
    rng = np.random.default_rng(3)
    hits, misses = rng.integers(0, most, (2, cells)) * (rng.random(cells) < 0.6)
    return make(hits, misses, rng.beta(3, 1, cells), hits + misses + rng.integers(0, 9, cells) + 1)


@pytest.mark.parametrize("most", [3, 20, 400])
def test_the_weights_of_the_grid_are_those_of_a_loop_over_cells(most):
    rates = many_cells(700, most)
    score = logit(np.clip(rates.expected, 1e-3, 1 - 1e-3))
    centre = np.average(score, weights=rates.size)
    shift, slope, spread = (
        a.reshape(-1)
        for a in np.meshgrid(np.linspace(-5, 5, 41), np.linspace(0, 2, 9), [0.5, 1, 2, 4, 8, 16, 64], indexing="ij")
    )
    log_weight = -0.5 * (shift / 2) ** 2 - 0.5 * ((slope - 1) / 0.5) ** 2
    for s, hits, misses in zip(score.round(2), rates.hits, rates.misses, strict=True):
        mean = np.clip(expit(shift + centre + slope * (s - centre)), 1e-9, 1 - 1e-9)
        a, b = spread * mean, spread * (1 - mean)
        log_weight += betaln(a + hits, b + misses) - betaln(a, b)
    weight = np.exp(log_weight - log_weight.max())
    keep = weight > 1e-6
    found = rates._grid
    for mine, slow in zip(found, (shift, slope, spread, weight / weight[keep].sum()), strict=True):
        np.testing.assert_allclose(mine, slow[keep], rtol=1e-9)


@pytest.mark.parametrize("pool", [False, True])
def test_draws_in_blocks_are_the_draws_all_at_once(pool):
    rates, count = many_cells(700, 3), 1100
    shift, slope, spread, weight = rates._grid
    score = logit(np.clip(rates.expected, 1e-3, 1 - 1e-3))
    centre = np.average(score, weights=rates.size)
    means = np.clip(expit((shift + centre)[:, None] + slope[:, None] * (score - centre)), 1e-9, 1 - 1e-9)
    rng = np.random.default_rng(4)
    point = rng.choice(len(weight), size=count, p=weight)
    kappa = spread[point][:, None]
    slow = rng.beta(kappa * means[point] + rates.hits, kappa * (1 - means[point]) + rates.misses)
    if pool:
        slow = (rates.hits + rng.binomial(rates.unlabelled.astype(int), slow)) / rates.size
    assert count * 700 > 2 * pooling._BLOCK
    np.testing.assert_array_equal(rates.draws(count, np.random.default_rng(4), pool=pool), slow)


def peak_bytes(work) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_draws_take_little_more_room_than_themselves():
    rates = many_cells(20_000, 2)
    assert peak_bytes(lambda: rates.draws(100, np.random.default_rng(0), pool=True)) < 2.5 * 100 * 20_000 * 8


def test_the_mean_is_found_without_a_table_of_grid_points_and_cells():
    rates = make([0] * 50_000, [0] * 50_000, np.linspace(0.01, 0.99, 50_000), [2] * 50_000)
    assert peak_bytes(lambda: rates.mean) < 0.1 * len(rates._grid[3]) * 50_000 * 8


def labelled_for_groups() -> fl.Study:
    rng = np.random.default_rng(1)
    pool = fl.Pool.from_arrays(probabilities=rng.dirichlet([1, 1, 1], 90), columns={"side": ["l", "r"] * 45})
    study = fl.create_study(pool, fl.Identify("accuracy", by="side"), strategy="top_two")
    study.tell({query.item: int(rng.integers(0, 3)) for query in study.ask(40)})
    return study


def test_another_question_draws_once_for_its_groups_and_for_all_of_them(monkeypatch):
    study, made, draws = labelled_for_groups(), [], PooledRates.draws

    def counted(self, count, rng, *, pool):
        made.append(count)
        return draws(self, count, rng, pool=pool)

    monkeypatch.setattr(PooledRates, "draws", counted)
    study.answer(fl.Estimate("calibration_error", by="predicted_class"))
    assert len(made) == 1


def test_another_question_looks_its_labels_up_all_at_once(monkeypatch):
    study, rows = labelled_for_groups(), []
    row = MemoryEngine._row
    monkeypatch.setattr(MemoryEngine, "_row", lambda *arguments: rows.append(1) or row(*arguments))
    study.answer(fl.Estimate("calibration_error"))
    assert not rows


@pytest.mark.parametrize(
    "metric", ["accuracy", "calibration_bias", "calibration_error", "cost", "balanced_accuracy", "macro_f1"]
)
def test_another_question_from_all_labels_is_exact(metric):
    rng = np.random.default_rng(1)
    pool = fl.Pool.from_arrays(probabilities=rng.dirichlet([1, 1, 1], 60), columns={"side": ["l", "r"] * 30})
    labels = dict(enumerate(rng.integers(0, 3, 60).tolist()))
    study = fl.create_study(pool, fl.Identify("accuracy", by="side"))
    while queries := study.ask(10):
        study.tell({query.item: labels[query.item] for query in queries})
    own = fl.create_study(pool, fl.Estimate(metric))
    own.tell(labels, drawn="uniform")
    assert study.answer(fl.Estimate(metric)).overall.value == pytest.approx(own.answer().overall.value, abs=1e-12)


TRUTH, LABELS = 0.9675, 50


def covered(interval_of) -> float:
    """How often an interval holds the truth, over the numbers of mistakes a random sample may show."""
    found = 0.0
    for mistakes in range(12):
        low, high = interval_of(mistakes)
        found += stats.binom.pmf(mistakes, LABELS, 1 - TRUTH) * (low <= TRUTH <= high)
    return found


def test_the_whole_of_an_accurate_model_is_not_claimed_from_labels_without_a_mistake():
    names = [f"c{k}" for k in range(10)]
    predicted = [names[i % 10] for i in range(4_000)]
    ids = [str(i) for i in range(4_000)]
    pool = fl.Pool.from_arrays(ids=ids, predicted=predicted, score=np.full(4_000, 0.978), classes=names)

    def shown(mistakes: int) -> tuple[float, float]:
        study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), seed=1)
        queries = study.ask(LABELS)
        wrong = {q.item for q in queries[:: LABELS // max(mistakes, 1)][:mistakes]}
        study.tell(
            {
                q.item: names[(names.index(predicted[int(q.item)]) + 1) % 10]
                if q.item in wrong
                else predicted[int(q.item)]
                for q in queries
            }
        )
        overall = study.answer().overall
        return overall.low, overall.high

    def alone(mistakes: int) -> tuple[float, float]:
        misses = (np.arange(40) < mistakes).astype(float)
        labels = np.ones(40) + (np.arange(40) < 10)
        rates = make(labels - misses, misses, np.full(40, 0.978), np.full(40, 100))
        return rates.mean_interval(0.95, pool=True) or (0.0, 0.0)

    assert covered(shown) >= 0.93
    assert covered(alone) < 0.85  # what the shared belief by itself would claim
