"""Shares among very many classes, drawn as a few classes with weights: the same in distribution as drawing every one.

Distributions are compared by Kolmogorov-Smirnov and chi-squared tests at LEAST = 1e-4 each, with fixed seeds; what a
small mistake would do is shown to be found by the same tests.
"""

import tracemalloc

import numpy as np
import pytest
from scipy import stats

import fewlabels as fl
from fewlabels.core import atoms as atoms_module
from fewlabels.core import intervals
from fewlabels.core.atoms import Atoms, atom_draws, sticks_needed
from fewlabels.core.cells import View
from fewlabels.core.dirichlet import dirichlet_draws
from fewlabels.metrics import Accuracy, many_classes
from fewlabels.metrics.many_classes import ManyClasses
from fewlabels.reading.cells import CellReading
from fewlabels.study.other_question import read_otherwise

LEAST = 1e-4
PRIOR = np.array([[0.3, 0.2, 0.1, 0.25, 0.15], [0.02, 0.9, 0.01, 0.05, 0.02], [0.001, 0.001, 0.001, 0.001, 0.001]])
COUNTS = np.array([[2.0, 0, 0, 1, 0], [0, 0, 0, 0, 0], [0, 0, 5, 0, 1]])


def shares(prior: np.ndarray, counts: np.ndarray, count: int, key: int = 0) -> np.ndarray:
    """Draws of every share, from those of a few classes."""
    out = np.zeros((count, *prior.shape))
    for found in atom_draws(prior, counts, count, np.random.default_rng(key)):
        add_to(out, found)
    return out


def add_to(out: np.ndarray, found: Atoms) -> None:
    draw, cell = np.ogrid[: len(out), found.cells.start : found.cells.stop]
    np.add.at(out, (draw[..., None], cell[..., None], found.classes), found.weight)


def smallest_p(theta: np.ndarray, alpha: np.ndarray) -> float:
    """Of Kolmogorov-Smirnov tests of each share against draws of every share; both to eight digits, because the sum
    of a few classes ends before smaller shares come up."""
    dense = dirichlet_draws(alpha, len(theta), np.random.default_rng(9)).round(8)
    return min(
        stats.ks_2samp(theta[:, i, j].round(8), dense[:, i, j], method="asymp").pvalue
        for i, j in np.ndindex(alpha.shape)
    )


def test_shares_are_distributed_as_if_every_one_were_drawn():
    theta = shares(PRIOR[:2], COUNTS[:2], 20_000)
    np.testing.assert_allclose(theta.sum(axis=-1), 1.0)
    assert smallest_p(theta, (PRIOR + COUNTS)[:2]) > LEAST


def test_pairs_of_shares_vary_together_as_in_a_dirichlet():
    theta, alpha = shares(PRIOR[:2], COUNTS[:2], 40_000), (PRIOR + COUNTS)[:2]
    total = alpha.sum(axis=1)[:, None, None]
    mean = alpha / total[:, 0]
    exact = (mean[:, :, None] * np.eye(5) - mean[:, :, None] * mean[:, None]) / (total + 1)
    apart = theta - mean
    products = apart[:, :, :, None] * apart[:, :, None]
    error = products.std(axis=0) / np.sqrt(len(theta))
    assert (np.abs(products.mean(axis=0) - exact) < 5 * error).all()


def test_labels_count_as_much_as_they_should():
    """The negative control: one label more in a cell of three, or a prior half as strong again, is found."""
    theta, more = shares(PRIOR[:2], COUNTS[:2], 20_000), COUNTS[:2].copy()
    more[0, 3] += 1
    assert smallest_p(theta, PRIOR[:2] + more) < LEAST
    assert smallest_p(theta, 1.5 * PRIOR[:2] + COUNTS[:2]) < LEAST


def test_a_sum_cut_too_early_is_found(monkeypatch):
    monkeypatch.setattr(atoms_module, "CUT", 0.2)
    assert smallest_p(shares(PRIOR[:2], COUNTS[:2], 20_000), (PRIOR + COUNTS)[:2]) < LEAST


@pytest.mark.parametrize("strength", [0.01, 1.0, 30.0])
def test_what_the_cut_leaves_out_is_as_little_as_said(strength):
    prior = np.full((1, 4), strength / 4)
    left = (strength / (1 + strength)) ** np.array([sticks_needed(prior) - 1, sticks_needed(prior) - 2])
    assert left[0] <= atoms_module.CUT
    assert left[1] > atoms_module.CUT or sticks_needed(prior) == 2


def test_a_prior_too_weak_for_gammas_still_gives_shares():
    theta = shares(np.full((2, 3), 1e-7), np.array([[0.0, 0, 0], [0, 4, 0]]), 500)
    np.testing.assert_allclose(theta.sum(axis=-1), 1.0)
    assert (theta[:, 0].max(axis=-1) > 0.999).all()
    assert (theta[:, 1, 1] > 0.999).all()


def test_the_items_of_a_pool_are_beta_binomial():
    size, known = np.array([9, 14, 8]), COUNTS
    hits = np.zeros((30_000, *PRIOR.shape))
    rng = np.random.default_rng(1)
    for found in atom_draws(PRIOR, COUNTS, len(hits), rng):
        part = found.cells
        add_to(hits, found.of_items(known[part], size[part], rng))
    hits = np.rint(hits * size[:, None]) - known
    assert (hits.sum(axis=-1) == size - known.sum(axis=1)).all()
    alpha = PRIOR + COUNTS
    for i, j in np.ndindex(2, alpha.shape[1]):
        rest = int(size[i] - known[i].sum())
        expected = len(hits) * stats.betabinom.pmf(np.arange(rest + 1), rest, alpha[i, j], alpha[i].sum() - alpha[i, j])
        seen = np.bincount(hits[:, i, j].astype(int), minlength=rest + 1)
        enough = expected >= 5
        if enough.all():
            assert stats.chisquare(seen, expected).pvalue > LEAST
        else:
            both = [np.append(x[enough], x[~enough].sum()) for x in (seen, expected)]
            assert stats.chisquare(*both).pvalue > LEAST


# -- metrics ---------------------------------------------------------------------------------------------------------

METRICS = {
    "balanced accuracy": fl.Estimate("balanced_accuracy"),
    "macro-F1": fl.Estimate("macro_f1"),
    "balanced accuracy by side": fl.Estimate("balanced_accuracy", by="side"),
    "accuracy by true class": fl.Estimate("accuracy", by="true_class"),
    "cost": fl.Estimate("cost"),
    "confusion": fl.Estimate("confusion"),
}


def make_study(question: fl.Estimate, target: str, *, borrowed: bool, labels: int = 25) -> fl.Study:
    rng = np.random.default_rng(2)
    table = rng.dirichlet([0.3] * 5, 120)
    pool = fl.Pool.from_arrays(
        probabilities=table, columns={"side": ["l", "r"] * 60}, classes=list("abcde"), other_labels=["never"]
    )
    asked = fl.Estimate("accuracy", by=fl.ScoreBins(3)) if borrowed else question
    study = fl.create_study(pool, asked, target=target, strategy="auto" if borrowed else "uniform", seed=4)
    true = [rng.choice(6, p=[*(0.95 * row), 0.05]) for row in table]
    study.tell({query.item: (*"abcde", "never")[true[query.item]] for query in study.ask(labels)})
    return study


def reading_of(question: fl.Estimate, target: str, *, borrowed: bool, labels: int = 25) -> CellReading:
    study = make_study(question, target, borrowed=borrowed, labels=labels)
    assessment, evidence = study._assessment, study._history.evidence()
    if borrowed:
        assessment, evidence, _ = read_otherwise(study.pool, "model", study._known(), question, None)
    return CellReading(assessment, evidence, 0.9, "equal-tailed", borrowed)


def draws_both_ways(reading: CellReading, count: int, monkeypatch) -> tuple[np.ndarray, np.ndarray]:
    """Draws of the metric's rows with every share drawn, and from a few classes."""
    metric, view, belief = reading.assessment.metric, reading.view, reading.belief
    dense = [
        metric.values(theta, view) for theta in belief.draw_chunks(count, np.random.default_rng(5), pool=reading.pool)
    ]
    monkeypatch.setattr(many_classes, "MANY", 0)
    monkeypatch.setattr(many_classes, "WORTH", 0)
    made = ManyClasses(belief, view, count, np.random.default_rng(6), reading.pool)
    sparse = made.draws(metric)
    if sparse is None:
        sparse = made._matrix(0, view.units.count)
    return np.concatenate(dense), sparse


def smallest_p_between(one: np.ndarray, two: np.ndarray) -> float:
    np.testing.assert_array_equal(np.isnan(one).all(axis=0), np.isnan(two).all(axis=0))
    pairs = [(a[~np.isnan(a)], b[~np.isnan(b)]) for a, b in zip(one.T, two.T, strict=True)]
    return min((stats.ks_2samp(a.round(9), b.round(9), method="asymp").pvalue for a, b in pairs if len(a)), default=1.0)


@pytest.mark.parametrize("borrowed", [False, True], ids=["own", "borrowed"])
@pytest.mark.parametrize("target", ["pool", "population"])
@pytest.mark.parametrize("name", METRICS)
def test_metrics_are_distributed_as_if_every_share_were_drawn(name, target, borrowed, monkeypatch):
    reading = reading_of(METRICS[name], target, borrowed=borrowed)
    one, two = draws_both_ways(reading, 4000, monkeypatch)
    assert one.shape == two.shape
    assert smallest_p_between(one, two) > LEAST / 10  # up to 36 rows at once


@pytest.mark.parametrize("borrowed", [False, True], ids=["own", "borrowed"])
def test_five_labels_more_would_be_found(borrowed, monkeypatch):
    question = METRICS["balanced accuracy"]
    one, _ = draws_both_ways(reading_of(question, "population", borrowed=borrowed), 4000, monkeypatch)
    other = reading_of(question, "population", borrowed=borrowed, labels=30)
    assert smallest_p_between(one, draws_both_ways(other, 4000, monkeypatch)[1]) < LEAST / 10


@pytest.mark.parametrize("borrowed", [False, True], ids=["own", "borrowed"])
@pytest.mark.parametrize("target", ["pool", "population"])
def test_overall_accuracy_is_distributed_as_if_every_share_were_drawn(target, borrowed, monkeypatch):
    reading = reading_of(METRICS["confusion"], target, borrowed=borrowed)
    metric, view = Accuracy(), View(reading.view.cells, (), (), reading.view.true_classes)
    belief = reading.belief
    chunks = belief.draw_chunks(4000, np.random.default_rng(5), pool=reading.pool)
    dense = np.concatenate([metric.values(theta, view) for theta in chunks])
    monkeypatch.setattr(many_classes, "MANY", 0)
    sparse = ManyClasses(belief, view, 4000, np.random.default_rng(6), reading.pool).draws(metric)
    assert smallest_p_between(dense, sparse) > LEAST


@pytest.mark.parametrize("kind", ["equal-tailed", "highest-density"])
def test_intervals_of_a_confusion_matrix_are_those_of_its_draws(kind, monkeypatch):
    reading = reading_of(METRICS["confusion"], "pool", borrowed=True)
    monkeypatch.setattr(many_classes, "MANY", 0)
    monkeypatch.setattr(many_classes, "WORTH", 0)
    monkeypatch.setattr(many_classes, "_BLOCK", 4000 * 6)  # one unit at a time
    made = ManyClasses(reading.belief, reading.view, 4000, np.random.default_rng(7), pool=True)
    low, high = made.intervals(reading.assessment.metric, 0.9, kind)
    again = ManyClasses(reading.belief, reading.view, 4000, np.random.default_rng(7), pool=True)
    units = range(reading.view.units.count)
    slow = [many_classes.draws_interval(again._matrix(u, u + 1), 0.9, kind) for u in units]
    np.testing.assert_array_equal(low, np.concatenate([ends[0] for ends in slow]))
    np.testing.assert_array_equal(high, np.concatenate([ends[1] for ends in slow]))
    assert len(low) == len(reading.assessment.metric.rows(reading.view).names)


# -- what it costs -----------------------------------------------------------------------------------------------------

CLASSES, ITEMS = 300, 3000
LARGE = {
    **{name: METRICS[name] for name in ("balanced accuracy", "macro-F1", "accuracy by true class", "cost")},
    "confusion": fl.Estimate("confusion"),
}


def large_study(question: fl.Estimate, labels: int = 200) -> fl.Study:
    rng = np.random.default_rng(0)
    true = np.arange(ITEMS) % CLASSES
    score = rng.beta(6, 2, ITEMS)
    predicted = np.where(rng.random(ITEMS) < score, true, rng.integers(0, CLASSES, ITEMS))
    study = fl.create_study(fl.Pool.from_arrays(predicted=predicted, score=score), question, seed=1)
    study.tell({int(i): int(true[i]) for i in rng.choice(ITEMS, labels, replace=False)}, drawn="uniform")
    return study


@pytest.mark.parametrize("name", LARGE)
def test_a_matrix_of_many_classes_is_never_drawn_as_a_whole(name, monkeypatch):
    study = large_study(LARGE[name])
    shapes = []

    def counted(alpha, count, rng):
        shapes.append(alpha.shape)
        return dirichlet_draws(alpha, count, rng)

    for module in ("dirichlet", "pooling"):
        monkeypatch.setattr(f"fewlabels.core.{module}.dirichlet_draws", counted)
    tracemalloc.start()
    try:
        study.answer()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert not shapes
    assert peak < 500 * CLASSES**2 * 8  # five hundred draws of the matrix would take this


@pytest.mark.parametrize("name", [name for name in LARGE if name != "cost"])
def test_a_pool_of_many_classes_labelled_to_the_end_is_answered_exactly(name):
    study = large_study(LARGE[name], ITEMS)
    answer = study.answer()
    assert all(f.low == pytest.approx(f.value, abs=1e-12) == f.high for f in answer.findings if f.value == f.value)
    rows = study.pool.engine.find("model", (), list(range(ITEMS)))
    predicted, true = np.array([int(row.predicted) for row in rows]), np.arange(ITEMS) % CLASSES
    recall = [float((predicted[true == k] == k).mean()) for k in range(CLASSES)]
    if name == "balanced accuracy":
        assert answer.overall.value == pytest.approx(np.mean(recall), abs=1e-12)
    if name == "accuracy by true class":
        found = {f.group: f.value for f in answer.findings}
        assert [found[str(k)] for k in range(CLASSES)] == pytest.approx(recall, abs=1e-12)


def test_few_classes_are_drawn_one_and_all_as_before(monkeypatch):
    reading = reading_of(METRICS["balanced accuracy"], "pool", borrowed=False)
    monkeypatch.setattr(ManyClasses, "_atoms", None)
    assert len(reading.row_draws) == 10_000


def test_equal_pairs_of_a_confusion_matrix_are_worked_out_once(monkeypatch):
    rows = []
    real = intervals._hits_intervals
    monkeypatch.setattr(
        intervals, "_hits_intervals", lambda count, *more: rows.append(len(count)) or real(count, *more)
    )
    study = large_study(LARGE["confusion"])
    assert len(study.answer().findings) == CLASSES**2
    assert sum(rows) < 10 * CLASSES
