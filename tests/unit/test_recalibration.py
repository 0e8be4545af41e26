"""The hierarchical recalibration, against loops of its formulas and against its prior, weighed by the labels."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit

from fewlabels.core.belief import Aim
from fewlabels.core.recalibration import RecalibratedRates, compiled, compiled_fit, model_of, told, using
from fewlabels.core.recalibration.draws import Logits
from fewlabels.core.recalibration.fit import fit
from fewlabels.core.recalibration.model import SCEPTICAL, TRUSTING, WARY, Trust

EXCEPTION, SLAB = TRUSTING.exception, TRUSTING.slab
SCORE = np.array([0.55, 0.7, 0.9, 0.97, 0.6, 0.8, 0.99, 0.5, 0.95])
GROUP = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
SIZE = np.array([4, 6, 10, 20, 5, 5, 15, 3, 12])
HITS = np.array([1.0, 0, 2, 3, 0, 1, 2, 0, 0])
MISSES = np.array([1.0, 0, 0, 1, 2, 0, 0, 0, 0])


def belief(hits: np.ndarray = HITS, misses: np.ndarray = MISSES) -> RecalibratedRates:
    return RecalibratedRates(model_of(SCORE, SIZE, GROUP), hits, misses, SIZE)


def both_aims(order: np.ndarray | None = None) -> list[list[Aim]]:
    """The share of hits in each group, and in the whole."""
    order = np.arange(len(SIZE)) if order is None else order
    size, group = SIZE[order], GROUP[order]
    of_group = np.bincount(GROUP, weights=SIZE)
    whole = Aim(np.full(len(size), 1 / SIZE.sum()), np.zeros(len(size), dtype=int), np.ones(1))
    return [[Aim(1 / of_group[group], group, of_group / SIZE.sum())], [whole]]


def softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def group_terms(model, point, beta, g, k, hits, labels):
    """The mode of a group's effect under one of its priors, the log of its part of the posterior there, and D."""
    sd = model.tau[point] if k == 0 else math.hypot(model.tau[point], SLAB)
    cells = [c for c in range(len(SIZE)) if model.group[c] == g and labels[c] > 0]
    v = model.reading[point]
    base = {c: model.offset[v, c] + model.terms[v, c] @ beta for c in cells}
    u = 0.0
    for _ in range(200):
        slope, d = -u / sd**2, 1 / sd**2
        for c in cells:
            p = expit(base[c] + u)
            slope += hits[c] - labels[c] * p
            d += labels[c] * p * (1 - p)
        u += slope / d
    height = -u * u / (2 * sd**2) - math.log(sd)
    height += sum(hits[c] * (base[c] + u) - labels[c] * softplus(base[c] + u) for c in cells)
    return u, height, d


def log_posterior(model, point, beta, hits, labels):
    """Of beta, the groups' effects integrated by Laplace's method under both of their priors."""
    found = -0.5 * float((model.precision[point] * beta**2).sum()) + 0.5 * float(np.log(model.precision[point]).sum())
    for g in sorted({int(model.group[c]) for c in range(len(SIZE)) if labels[c] > 0}):
        parts = []
        for k, share in enumerate((1 - EXCEPTION, EXCEPTION)):
            _, height, d = group_terms(model, point, beta, g, k, hits, labels)
            parts.append(math.log(share) + height - 0.5 * math.log(d))
        found += float(np.logaddexp(*parts))
    return found


def test_modes_and_evidence_are_those_of_the_formulas_in_loops():
    made = belief()
    model, found = made.model, made.fitted
    hits, labels = HITS[model.order], (HITS + MISSES)[model.order]
    log_weight = []
    for point in range(len(model.tau)):
        beta = found.beta[point]
        here = log_posterior(model, point, beta, hits, labels)
        log_weight.append(here - 0.5 * np.linalg.slogdet(found.curvature[point])[1] + model.log_prior[point])
        for g in range(2):  # the third group has no labels
            u = [group_terms(model, point, beta, g, k, hits, labels) for k in (0, 1)]
            odds = math.log(EXCEPTION / (1 - EXCEPTION)) + u[1][1] - u[0][1] - 0.5 * math.log(u[1][2] / u[0][2])
            assert found.exception[point, g] == pytest.approx(expit(odds), abs=1e-3)
            mean = (1 - expit(odds)) * u[0][0] + expit(odds) * u[1][0]
            assert found.effect[point, g] == pytest.approx(mean, abs=2e-3)
    weight = np.exp(np.array(log_weight) - max(log_weight))
    np.testing.assert_allclose(found.weight, weight / weight.sum(), atol=2e-3)
    assert (found.effect[:, 2] == 0).all()
    assert found.exception[:, 2] == pytest.approx(EXCEPTION)


def from_the_prior(model, hits, labels, count, rng):
    """Draws of everything from the prior, and the likelihood of the labels under each: no approximation at all."""
    point = rng.choice(len(model.tau), size=count, p=np.exp(model.log_prior))
    beta = rng.standard_normal((count, model.precision.shape[1])) / np.sqrt(model.precision[point])
    share = rng.choice(model.trust.exceptions, size=count)
    exception = rng.random((count, 3)) < share[:, None]
    sd = np.where(exception, np.hypot(model.tau[point], model.trust.slab)[:, None], model.tau[point][:, None])
    effect = np.where(exception, model.away[model.reading[point]], 0.0) + rng.standard_normal((count, 3)) * sd
    eta = np.stack([model.offset[v] + b @ model.terms[v].T for v, b in zip(model.reading[point], beta, strict=True)])
    eta += effect[:, model.group]
    weight = np.exp(model.trust.per_label * (hits * eta - labels * np.logaddexp(0, eta)).sum(axis=1))
    return expit(eta), weight / weight.sum()


SURE = np.array([0.9, 0.9999, 1.0, 1.0, 0.99999, 1.0, 1.0, 0.999, 1.0])  # and every label bears it out
WEIGHED = {
    "trusting": (TRUSTING, SCORE, MISSES),
    "wary": (WARY, SCORE, MISSES),
    "sceptical": (SCEPTICAL, SCORE, MISSES),
    "saturated": (TRUSTING, SURE, np.zeros(9)),
}


@pytest.mark.parametrize(("trust", "score", "misses"), WEIGHED.values(), ids=WEIGHED)
def test_draws_are_the_prior_weighed_by_the_labels(trust, score, misses):
    """Against importance sampling from the prior, of which with a dozen labels one draw in some dozens counts."""
    rng = np.random.default_rng(1)
    made = RecalibratedRates(model_of(score, SIZE, GROUP, trust=trust), HITS, misses, SIZE)
    model = made.model
    theta, weight = from_the_prior(model, HITS[model.order], (HITS + misses)[model.order], 150_000, rng)
    drawn = made.draws(20_000, np.random.default_rng(2), pool=False)[:, model.order]
    size, in_group = SIZE[model.order], model.group
    exact = 1 / float((weight**2).sum())
    assert exact > 1000
    for which in (np.ones(len(size), dtype=bool), *(in_group == g for g in range(3))):
        share = np.where(which, size, 0) / size[which].sum()
        true, ours = theta @ share, drawn @ share
        mean = float(weight @ true)
        spread = math.sqrt(float(weight @ (true - mean) ** 2))
        assert ours.mean() == pytest.approx(mean, abs=4 * spread / math.sqrt(exact) + 0.003)
        order = np.argsort(true)
        upto = np.cumsum(weight[order])
        for level in (0.025, 0.25, 0.75, 0.975):
            quantile = true[order][np.searchsorted(upto, level)]
            assert (ours <= quantile).mean() == pytest.approx(level, abs=0.03)


def test_a_group_without_labels_is_wider_than_one_with_many():
    hits = np.where(GROUP == 0, SIZE // 2, 0).astype(float)
    misses = np.where(GROUP == 0, SIZE - SIZE // 2 - 1, 0).astype(float).clip(0)
    drawn = belief(hits, misses).draws(2000, np.random.default_rng(0), pool=True)
    width = [np.ptp(np.quantile((drawn * SIZE)[:, g == GROUP].sum(axis=1) / SIZE[g == GROUP].sum(), [0.025, 0.975]))
             for g in range(3)]  # fmt: skip
    assert width[0] < 0.5 * width[1]
    assert width[0] < 0.5 * width[2]


def test_the_fit_is_a_function_of_the_labels_alone():
    one, two = belief(), belief(HITS + 1).after(np.stack([HITS, MISSES], axis=-1))
    np.testing.assert_array_equal(one.fitted.beta, two.fitted.beta)
    np.testing.assert_array_equal(one.mean, two.mean)


def test_cells_in_another_order_have_the_same_belief():
    order = np.array([8, 3, 0, 6, 2, 7, 1, 5, 4])
    moved = RecalibratedRates(
        model_of(SCORE[order], SIZE[order], GROUP[order]), HITS[order], MISSES[order], SIZE[order]
    )
    np.testing.assert_allclose(moved.likeliest, belief().likeliest[order], rtol=1e-6)
    np.testing.assert_allclose(moved.gain(both_aims(order)), belief().gain(both_aims())[order], rtol=1e-5)


def test_without_labels_the_grid_keeps_its_prior():
    model = model_of(SCORE, SIZE, GROUP)
    found = fit(model, np.zeros(9), np.zeros(9))
    np.testing.assert_allclose(found.weight, np.exp(model.log_prior))
    assert (found.beta == 0).all()


def laplace_variances(model, found, point, labels):
    """Parts of the variances of the groups' figures and the whole: the Hessian of (beta, effects), coins not tossed."""
    terms, v = model.terms[model.reading[point]], model.reading[point]
    eta = model.offset[v] + terms @ found.beta[point] + found.effect[point][model.group]
    coin = expit(eta) * (1 - expit(eta))
    n_terms, n_groups = terms.shape[1], model.groups
    x = np.hstack([terms, np.eye(n_groups)[model.group]])
    exception, tau = found.exception[point], model.tau[point] ** 2
    prior = np.concatenate([np.zeros(n_terms), (1 - exception) / tau + exception / (tau + SLAB**2)])
    hessian = (x * (labels * coin)[:, None]).T @ x + np.diag(prior)
    # what beta's curvature was found to be, both priors of the effects in it, takes the place of one Laplace step's
    own = hessian[n_terms:, n_terms:]
    cross = hessian[:n_terms, n_terms:]
    hessian[:n_terms, :n_terms] = found.curvature[point] + cross @ np.linalg.inv(own) @ cross.T
    covariance = np.linalg.inv(hessian)
    rest = model.size - labels
    rows = [np.where(model.group == g, rest / model.group_size[g], 0.0) for g in range(n_groups)]
    rows.append(rest / model.size.sum())
    sums = [(row * coin) @ x for row in rows]
    tossed = [float((row * coin / np.where(rest > 0, rest, 1)) @ row) for row in rows]
    return covariance, sums, tossed, coin, x


def test_gains_are_what_one_more_label_takes_off_the_variances():
    made = belief()
    model, found = made.model, made.fitted
    labels = (HITS + MISSES)[model.order]
    heaviest = np.argsort(-found.weight)[:8]
    heaviest = heaviest[found.weight[heaviest] > 0.01 * found.weight[heaviest[0]]]
    weight = found.weight[heaviest] / found.weight[heaviest].sum()
    share = model.group_size / model.size.sum()
    off_groups, off_whole, groups, whole = np.zeros(len(SIZE)), np.zeros(len(SIZE)), 0.0, 0.0
    for w, point in zip(weight, heaviest, strict=True):
        covariance, sums, tossed, coin, x = laplace_variances(model, found, int(point), labels)
        for c in range(len(SIZE)):
            off = [coin[c] * (s @ covariance @ x[c]) ** 2 / (1 + coin[c] * x[c] @ covariance @ x[c]) for s in sums]
            mine = model.group[c]
            off_groups[c] += w * (share @ off[:3] + coin[c] * share[mine] / model.group_size[mine] ** 2)
            off_whole[c] += w * (off[3] + coin[c] / model.size.sum() ** 2)
        groups += w * sum(share[g] * (sums[g] @ covariance @ sums[g] + tossed[g]) for g in range(3))
        whole += w * (sums[3] @ covariance @ sums[3] + tossed[3])
    open_cells = model.size > labels
    expected = (off_groups / groups + off_whole / whole)[open_cells]
    np.testing.assert_allclose(made.gain(both_aims())[model.order][open_cells], expected, rtol=1e-9)


@pytest.mark.parametrize("score", [np.full(9, 0.999), np.full(9, 0.5), np.zeros(9), np.ones(9)])
def test_scores_that_are_all_alike_or_at_an_end_are_no_trouble(score):
    made = RecalibratedRates(model_of(score, SIZE, GROUP), HITS, MISSES, SIZE)
    drawn = made.draws(200, np.random.default_rng(0), pool=True)
    assert np.isfinite(drawn).all()
    assert ((drawn >= HITS / SIZE - 1e-12) & (drawn <= 1 - MISSES / SIZE + 1e-12)).all()
    assert np.isfinite(made.gain(both_aims())).all()


# -- groups set against one another ---------------------------------------------------------------------------------


def stated_and_right(trust: Trust, truth: np.ndarray, score: np.ndarray, runs: int, labels: int) -> np.ndarray:
    """P(worst) of every group in every run, and whether it is: groups of one cell each, one label in five anywhere, the
    others where the scores have most doubt."""
    size, out, doubt = np.full(len(truth), 200), [], score * (1 - score)
    chance = 0.8 * doubt / doubt.sum() + 0.2 / len(doubt)
    for run in range(runs):
        rng = np.random.default_rng([3, run])
        n = rng.multinomial(labels, chance)
        hits = rng.binomial(n, truth).astype(float)
        made = RecalibratedRates(model_of(score, size, np.arange(len(truth)), trust), hits, n - hits, size)
        worst = made.draws(200, rng, pool=True).argmin(axis=1)
        out.append(np.stack([np.bincount(worst, minlength=len(truth)) / 200, truth == truth.min()]))
    return np.concatenate(out, axis=1)


@pytest.mark.parametrize(
    ("scores", "meant"),
    [
        ([1.0, 0.9], [0.975, 0.9]),  # nearer to 1 than to the next mark is what lies above .95
        ([0.0, 0.2, 0.6, 1.0], [0.05, 0.2, 0.6, 0.9]),
        ([0.9, 0.5], [0.9, 0.5]),
        ([1.0, 0.0], [0.9, 0.1]),  # yes and no
        ([1.0, 1.0], [0.9, 0.9]),
        ([1.0, *np.linspace(0.3, 0.9, 12)], [1.0, *np.linspace(0.3, 0.9, 12)]),  # no marks: rounded probabilities
    ],
)
def test_marks_at_an_end_are_taken_for_no_more_than_they_say(scores, meant):
    model = model_of(np.array(scores), np.full(len(scores), 50), np.zeros(len(scores), dtype=int))
    told = np.clip(meant, 1e-6, 1 - 1e-6)[np.argsort(scores, kind="stable")]
    assert model.offset[0] == pytest.approx(np.log(told / (1 - told)))


def test_a_confidently_wrong_class_is_not_ruled_out_by_its_scores():
    """The worst of twenty classes is one of the most confident and has hardly been looked at. Whoever trusts the scores
    is sure of another; the sceptical belief leaves open which it is."""
    score = np.array([0.7, *np.linspace(0.85, 0.98, 19)])
    truth = np.where(np.arange(20) == 18, 0.5, score)
    claims = {}
    for name, trust in (("trusting", TRUSTING), ("sceptical", SCEPTICAL)):
        stated, right = stated_and_right(trust, truth, score, 30, 60)
        claims[name] = int(((stated > 0.6) & (right == 0)).sum())
    assert claims["trusting"] >= 9
    assert claims["sceptical"] <= 1


def test_of_groups_that_tie_a_label_that_counts_half_is_less_sure():
    """Two groups that are equally bad: whichever is behind, a belief in rates that all differ is too sure of it."""
    score = np.array([0.8, 0.8, 0.95, 0.95, 0.95])
    truth = np.array([0.7, 0.7, 0.95, 0.95, 0.95])
    sure = {}
    for trust in (WARY, SCEPTICAL):
        stated, _ = stated_and_right(trust, truth, score, 60, 150)
        sure[trust] = int((stated > 0.8).sum())
    assert sure[WARY] >= 15
    assert sure[SCEPTICAL] < 0.75 * sure[WARY]


def test_whatever_a_label_counts_what_is_labelled_is_known():
    labelled = GROUP == 0
    hits, misses = np.where(labelled, SIZE - 1.0, HITS), np.where(labelled, 1.0, MISSES)
    made = RecalibratedRates(model_of(SCORE, SIZE, GROUP, SCEPTICAL), hits, misses, SIZE)
    drawn = made.draws(50, np.random.default_rng(0), pool=True)
    np.testing.assert_allclose(drawn[:, labelled], np.broadcast_to(((SIZE - 1) / SIZE)[labelled], (50, 4)))


def test_readings_without_weight_are_left_out():
    model = model_of(SCORE, SIZE, GROUP, SCEPTICAL)
    assert set(model.reading.tolist()) == {1, 2}
    assert np.exp(model.log_prior).sum() == pytest.approx(1)


@pytest.mark.parametrize("trust", [TRUSTING, WARY, SCEPTICAL])
@pytest.mark.parametrize(("groups", "cells_each", "n"), [(1, 4, 3), (3, 8, 40), (40, 6, 25), (40, 6, 700)])
def test_compiled_loops_say_the_same(trust, groups, cells_each, n):
    """Cells with one label or many, of all groups or few, counting half or fractions: as if queries were open."""
    rng = np.random.default_rng([groups, n])
    group = np.repeat(np.arange(groups), cells_each)
    score, size = rng.beta(3, 1, len(group)), rng.integers(1, 40, len(group))
    labels = np.minimum(np.bincount(rng.integers(0, len(group), n), minlength=len(group)), size) + 0.0
    hits = rng.binomial(labels.astype(int), np.clip(score - 0.3 * (group % 3 == 0), 0, 1)) + 0.0
    hits[0] += 0.3 * (size[0] - labels[0])
    misses = np.maximum(labels - hits, 0.0)
    made = RecalibratedRates(model_of(score, size, group, trust), hits, misses, size)
    plain, drawn = made.fitted, made.draws(300, np.random.default_rng(1), pool=True)
    fast = made.after(np.stack([hits, misses], axis=1))
    with using(compiled):
        again, other = (fast.draws(300, np.random.default_rng(seed), pool=True) for seed in (1, 2))
    for name in ("beta", "effect", "exception", "curvature", "weight"):
        np.testing.assert_allclose(getattr(fast.fitted, name), getattr(plain, name), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(again, drawn, rtol=1e-8)
    assert not np.allclose(other, drawn, rtol=1e-8)


@pytest.mark.parametrize("extreme", [False, True])
@pytest.mark.parametrize("most", [1, 14, 300, 5000])
def test_compiled_items_are_those_numpy_draws(most, extreme):
    rng, size = np.random.default_rng(most), np.full(60, 2 * most)
    model = model_of(rng.random(60), size, rng.integers(0, 5, 60))
    left, hits = rng.integers(0, most + 1, 60), rng.integers(0, most, 60).astype(float)
    shared, effect = logit(rng.beta(0.4, 0.4, (500, 60))), rng.normal(0, 0.5, (500, 5))
    if extreme:
        shared[:, :2], shared[0] = [-np.inf, np.inf], logit(np.linspace(0, 1, 60))
    logits = Logits(model, shared, effect)
    with using(compiled):
        drawn = logits.pool_shares(left, hits, size, np.random.default_rng(8))
    np.testing.assert_array_equal(drawn, logits.pool_shares(left, hits, size, np.random.default_rng(8)))
    expected = (hits + np.random.default_rng(8).binomial(left, logits.rates)) / size
    np.testing.assert_array_equal(drawn[:, model.order], expected)
    assert not np.array_equal(drawn, logits.pool_shares(left, hits, size, np.random.default_rng(9)))


def test_compiled_loops_say_the_same_of_groups_with_very_many_labels():
    """Densities that no product can hold."""
    size = np.array([40_000, 30_000, 50, 9000])
    hits = np.array([20_000.0, 29_000.0, 3.0, 10.0])
    made = RecalibratedRates(
        model_of(np.array([0.9, 0.5, 0.7, 0.99]), size, np.array([0, 0, 1, 2])), hits, hits // 2, size
    )
    drawn = made.draws(200, np.random.default_rng(1), pool=True)
    with using(compiled):
        again = made.after(np.stack([hits, hits // 2], axis=1)).draws(200, np.random.default_rng(1), pool=True)
    np.testing.assert_allclose(again, drawn, rtol=1e-8)


@pytest.mark.parametrize("effect", [-2000.0, -100.0, -3.0, 0.0, 89.0, 91.0, 600.0, 2000.0])
def test_compiled_searches_survive_a_step_that_leads_too_far(effect):
    """As Newton's may from where the curve is nearly flat: what is seen there is what the plain search sees."""
    linear, ends = np.array([-8.0, 0.5, 3.0, 25.0]), np.array([0, 3, 4])
    hits, labels, sd, centre = np.array([1.0, 0.4, 30, 0]), np.array([1.0, 2, 40, 2]), np.array([0.7, 2.1]), 0.3
    weight, rest, odds = *np.empty((2, 2, 4)), np.empty(4)
    own, slope, part, product = np.empty((4, 2, 2))
    effects, centres = np.full((2, 2), effect), np.full((2, 2), centre)
    compiled_fit._look(
        linear, effects, (hits, labels, ends), sd, centres, odds, weight, rest, own, slope, part, product
    )
    eta, precision = linear + effect, sd[:, None] ** -2.0
    residual = np.add.reduceat(hits - labels * expit(eta), ends[:-1])
    np.testing.assert_allclose(slope, residual - precision * (effect - centre), rtol=1e-9)
    likelihood = np.add.reduceat(hits * eta - labels * np.logaddexp(0.0, eta), ends[:-1])
    before = 0.5 * precision * (effect - centre) ** 2 + np.log(sd)[:, None]
    np.testing.assert_allclose(part - np.log(product), likelihood - before, rtol=1e-9)
    assert (own >= precision).all()
    assert np.isfinite(weight).all()


def test_loops_are_compiled_where_that_is_said():
    made = belief()
    with using(None):
        plain = made.fitted
    with using(compiled):
        assert np.abs(belief().fitted.beta - plain.beta).max() < 1e-8
        assert told.compiled() is compiled
    assert told.compiled() is None
