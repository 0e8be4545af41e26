"""The belief of strata and exceptions: its sums against slow ones, its certificates against all that can happen."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import betaln
from scipy.stats import betabinom

from fewlabels.core import stratified
from fewlabels.core.certificate import Figures, bars, floor_of_each, quotas, sure_enough
from fewlabels.core.keyed import Keyed
from fewlabels.core.stratified import FEW_EXCEPTIONS, MANY_EXCEPTIONS, Layout, StratifiedRates
from fewlabels.core.stratified import layout as constants
from fewlabels.core.stratified.certificate import certificate
from fewlabels.core.stratified.counts import katz
from fewlabels.core.stratified.told import level_of

GROUPS, STRATA = 6, 3
CELLS = GROUPS * STRATA


def made(seed: int = 0, groups: int = GROUPS, low: int = 10, high: int = 60, share: float = 0.5) -> StratifiedRates:
    """Some labels of some cells, in no order."""
    rng = np.random.default_rng(seed)
    group, stratum = (axis.ravel() for axis in np.indices((groups, STRATA)))
    order = rng.permutation(groups * STRATA)
    size = rng.integers(low, high, groups * STRATA)
    labels = (size * rng.random(groups * STRATA) * share).astype(int)
    hits = rng.binomial(labels, np.array([0.7, 0.85, 0.95])[stratum[order]])
    return StratifiedRates(Layout(group[order], stratum[order], size), hits + 0.0, labels - hits + 0.0, size)


def accuracy(groups: int) -> Figures:
    return Figures(1.0, np.zeros(groups))


def cold(belief: StratifiedRates) -> StratifiedRates:
    """The same, with nothing worked out before."""
    return replace(belief, layout=replace(belief.layout))


# -- levels, spreads and shifts ----------------------------------------------------------------------------------------


def log_beta_ratio(k: float, n: float, a: float, b: float) -> float:
    return math.lgamma(a + k) + math.lgamma(b + n - k) - math.lgamma(a + b + n) - float(betaln(a, b))


def test_a_stratum_has_the_likeliest_level_of_the_grid():
    belief = made(1)
    for cells in belief.layout.of_stratum:
        best, found = -math.inf, None
        for kappa in constants.KAPPAS:
            for place, mu in enumerate(constants.LEVELS):
                value = math.log(mu) + math.log(mu * (1 - mu))
                for c in cells:
                    value += log_beta_ratio(belief.hits[c], belief.labels[c], kappa * mu, kappa * (1 - mu))
                if value > best + 1e-9:
                    best, found = value, place
        assert level_of(belief.labels[cells], belief.hits[cells]) == found


def slow_nodes(belief: StratifiedRates, group: int, spread: float) -> list[tuple[float, float]]:
    """The weight of each node of a group's shift, and the logarithm of the chance of its labels there."""
    levels = constants.LEVELS[list(belief._worked.levels)]
    out = []
    for x, weight in zip(constants.NODES, constants.NODE_WEIGHTS, strict=True):
        total = 0.0
        for c in belief.layout.of_group[group]:
            mu = levels[belief.layout.stratum[c]]
            p = 1 / (1 + math.exp(-(math.log(mu / (1 - mu)) + spread * x)))
            p = min(max(p, constants.LOWEST), constants.HIGHEST)
            total += log_beta_ratio(belief.hits[c], belief.labels[c], 50 * p, 50 * (1 - p))
        out.append((weight, total))
    return out


def test_spreads_are_averaged_by_the_labels_of_all_groups():
    belief = made(2)
    parts = []
    for spread, before in zip(constants.SPREADS, constants.SPREAD_WEIGHTS, strict=True):
        total = math.log(before)
        for g in range(GROUPS):
            cells = belief.layout.of_group[g]
            usual = sum(w * math.exp(v) for w, v in slow_nodes(belief, g, spread))
            n, k = belief.labels[cells].sum(), belief.hits[cells].sum()
            total += math.log(0.7 * usual + 0.3 * math.exp(log_beta_ratio(k, n, 1, 1)))
        parts.append(total)
    chance = np.exp(np.array(parts) - max(parts))
    np.testing.assert_allclose(np.array(belief._worked.spreads) / 32, chance / chance.sum(), atol=1 / 64 + 1e-9)


@pytest.mark.parametrize("pool", [True, False])
def test_a_group_is_distributed_as_draws_of_the_model_are(pool):
    """Right items of each group: exact sums against 40,000 draws of shift, cells and items."""
    belief = made(3)
    drawn = belief.draws(40_000, np.random.default_rng(0), pool=pool) * belief.size
    for g, counts in enumerate(belief.counts(pool=pool)):
        share = drawn[:, belief.layout.of_group[g]].sum(axis=1) / belief.layout.items[g]
        at = np.quantile(share, [0.05, 0.25, 0.5, 0.75, 0.95])
        upto = counts.upto(MANY_EXCEPTIONS)[np.searchsorted(counts.share, at + 1e-9, "right")]
        np.testing.assert_allclose(upto, (share[:, None] <= at + 1e-9).mean(axis=0), atol=0.03)
        assert counts.chances(MANY_EXCEPTIONS).sum() == pytest.approx(1)
        if pool:
            rate = belief.pool_mean[belief.layout.of_group[g]] @ belief.size[belief.layout.of_group[g]]
            mean = counts.share @ counts.chances(MANY_EXCEPTIONS)
            assert rate / belief.layout.items[g] == pytest.approx(mean, abs=2e-3)
            assert share.mean() == pytest.approx(mean, abs=4e-3)


@pytest.mark.parametrize(("mean", "variance"), [(20.0, 15.0), (20.0, 30.0), (3.0, 3.0), (0.4, 0.38), (170.0, 60.0)])
def test_counts_have_the_mean_and_variance_they_are_made_of(mean, variance):
    p = katz(200, np.array([mean]), np.array([variance]), np.ones(1))
    i = np.arange(201)
    assert p @ i == pytest.approx(mean, rel=0.02)
    assert p @ i**2 - (p @ i) ** 2 == pytest.approx(variance, rel=0.03)


def test_an_exception_may_be_anything_that_its_labels_allow():
    counts = made(4).counts(pool=True)[0]
    left = len(counts.share) - 1
    exact = betabinom(left, counts.flat_alpha, counts.flat_beta).pmf(np.arange(left + 1))
    np.testing.assert_allclose(counts.flat, exact, atol=1e-12)


def test_the_more_exceptions_there_are_the_likelier_a_group_is_one():
    for counts in made(5).counts(pool=True):
        assert counts.exception(0.0) == 0 < counts.exception(FEW_EXCEPTIONS) < counts.exception(MANY_EXCEPTIONS) < 1


# -- certificates ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loops", ["plain", "compiled"])
@pytest.mark.parametrize(("scale", "within"), [(1.0, 0.0), (1.0, 0.05), (-1.0, 0.05), (-1.0, 0.0)])
@pytest.mark.parametrize("top", [1, 2])
def test_a_certificate_is_the_chance_of_all_that_can_happen(top, scale, within, loops):
    """Every combination of right items in three groups of few, ties and shifts included."""
    belief = made(6, groups=3, low=1, high=4, share=0.6)
    figures = Figures(scale, np.array([0.0, 0.02, -0.1]) if scale < 0 else np.zeros(3))
    named = np.array([True, False, True]) if top == 2 else np.array([False, True, False])
    with using(loops):
        counts = cold(belief).counts(pool=True)
        found = certificate(counts, named, np.zeros(3), within, figures)
    for exceptions, certified in ((MANY_EXCEPTIONS, found.many), (FEW_EXCEPTIONS, found.few)):
        right, in_the_way = 0.0, np.zeros(3)
        chances = [c.chances(exceptions) for c in counts]
        for places in itertools.product(*(range(len(c.share)) for c in counts)):
            value = np.array([scale * counts[g].share[i] + figures.shift[g] for g, i in enumerate(places)])
            p = math.prod(chances[g][i] for g, i in enumerate(places))
            last, first = value[named].max(), value[~named].min()
            right += p * (last <= first + within + 1e-9)
            in_the_way += p * np.where(named, value > first + within + 1e-9, value < last - within - 1e-9)
        assert certified == pytest.approx(right, abs=1e-9)
        if exceptions == MANY_EXCEPTIONS:
            np.testing.assert_allclose(found.open, in_the_way, atol=1e-9)


def test_a_wider_margin_is_easier_to_certify():
    belief, named = made(7), np.arange(GROUPS) == 2
    found = [belief.certificate(named, w, accuracy(GROUPS), pool=True).many for w in (0.0, 0.01, 0.05, 0.2, 0.99)]
    assert found == sorted(found)
    assert found[-1] == pytest.approx(1, abs=1e-6)


def test_what_is_labelled_throughout_is_certain():
    belief = made(8)
    hits = np.rint(belief.size * 0.8)
    known = belief.after(np.stack([hits, belief.size - hits], axis=1))
    value = known.layout.in_groups(hits) / known.layout.items
    for group in range(GROUPS):
        found = known.certificate(np.arange(GROUPS) == group, 0.0, accuracy(GROUPS), pool=True)
        assert found.many == found.few == (value[group] <= value.min())
    np.testing.assert_array_equal(known.pool_mean, hits / known.size)


@pytest.mark.parametrize(("groups", "floor"), [(2, 30), (20, 30), (21, 29), (60, 10), (100, 6), (200, 3), (1000, 3)])
def test_the_floor_is_thirty_labels_a_group_and_six_hundred_in_all_but_three_each(groups, floor):
    assert floor_of_each(groups) == floor


def test_the_floor_of_a_group_is_shared_out_by_the_items_of_its_cells():
    size, group = np.array([600, 300, 100, 2, 1, 1, 0]), np.array([0, 0, 0, 1, 1, 1, 0])
    np.testing.assert_array_equal(quotas(size, group), [18, 9, 3, 2, 1, 1, 0])


def test_quotas_add_up_to_the_floor_and_never_ask_for_more_than_there_is():
    rng = np.random.default_rng()
    for _ in range(200):
        group = np.concatenate([np.arange(5), rng.integers(0, 5, 20)])
        size = rng.integers(0, rng.integers(2, 60), len(group))
        found, items = quotas(size, group), np.bincount(group, weights=size)
        assert (found <= size).all()
        np.testing.assert_array_equal(np.bincount(group, weights=found), np.minimum(items, 30))
        exact = np.minimum(items, 30)[group] * size / np.maximum(items[group], 1)
        assert (np.abs(found - exact) < 1).all()


# -- what to label -----------------------------------------------------------------------------------------------------


def variance_of(chance: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> float:
    chance = chance / chance.sum()
    return float(chance @ (variance + mean**2) - (chance @ mean) ** 2)


@pytest.mark.parametrize("loops", ["plain", "compiled"])
def test_a_label_lowers_the_variance_by_what_it_does_on_average(loops):
    """Both outcomes of a label in each cell, the nodes weighed anew."""
    belief = made(9)
    with using(loops):
        belief = cold(belief)
        for g in range(GROUPS):
            cells, found = belief.lowering(g)
            counts, left = belief.counts(pool=True)[g], belief.unlabelled[cells]
            own = counts.exception(MANY_EXCEPTIONS)

            def spread(alpha, strength, left, flat, chance, known):
                beta = strength - alpha
                mean = (left * alpha / strength).sum(axis=-1)
                var = (left * (left + strength) * alpha * beta / strength**2 / (strength + 1)).sum(axis=-1)
                a, b, rest = flat[0], flat[1], left.sum()
                flat_var = rest * (rest + a + b) * a * b / (a + b) ** 2 / (a + b + 1)
                means = np.append(mean, rest * a / (a + b)) + known
                return variance_of(chance, means, np.append(var, flat_var))

            flat, chance = (counts.flat_alpha, counts.flat_beta), np.append((1 - own) * counts.node, own)
            now = spread(counts.alpha, counts.strength, left, flat, chance, 0.0)
            for place in range(len(cells)):
                after = 0.0
                for hit in (1, 0):
                    rate = counts.alpha[:, place] / counts.strength[place]
                    flat_rate = flat[0] / sum(flat)
                    rates = np.append(rate, flat_rate) if hit else 1 - np.append(rate, flat_rate)
                    alpha, strength, rest = counts.alpha.copy(), counts.strength.copy(), left.copy()
                    alpha[:, place] += hit
                    strength[place] += 1
                    rest[place] -= 1
                    more = (flat[0] + hit, flat[1] + 1 - hit)
                    after += (chance * rates).sum() * spread(alpha, strength, rest, more, chance * rates, hit)
                assert found[place] == pytest.approx((now - after) / belief.layout.items[g] ** 2, rel=2e-3)
                assert found[place] > 0


def test_a_cell_without_items_left_is_worth_nothing():
    belief = made(10)
    cells = belief.layout.of_group[0]
    tally = belief.tally
    tally[cells[1]] = [belief.size[cells[1]], 0]
    found_cells, worth = belief.after(tally).lowering(0)
    assert worth[1] == -np.inf
    assert np.isfinite(worth[[0, 2]]).all()
    np.testing.assert_array_equal(found_cells, cells)


@pytest.mark.parametrize("scale", [1.0, -1.0])
def test_draws_of_figures_are_distributed_as_believed(scale):
    belief, figures = made(11), Figures(scale, np.full(GROUPS, 0.1))
    uniforms = (np.arange(5000)[:, None] + 0.5) / 5000 * np.ones(GROUPS)
    drawn = (belief.figures_drawn(uniforms, figures) - 0.1) / scale
    for g, counts in enumerate(belief.counts(pool=True)):
        assert drawn[:, g].mean() == pytest.approx(counts.share @ counts.chances(MANY_EXCEPTIONS), abs=1e-3)


# -- a function of the counts ------------------------------------------------------------------------------------------


def using(loops: str):
    if loops == "plain":
        return stratified.using(None)
    pytest.importorskip("numba")
    from fewlabels.core.stratified import compiled

    return stratified.using(compiled)


def told_one_by_one(belief: StratifiedRates, labels: int, seed: int):
    """The tallies after each of so many labels."""
    rng, tally = np.random.default_rng(seed), np.zeros((CELLS, 2))
    for _ in range(labels):
        open_cells = np.flatnonzero(tally.sum(axis=1) < belief.size)
        tally[rng.choice(open_cells), int(rng.random() > 0.8)] += 1
        yield tally.copy()


def everything(belief: StratifiedRates) -> list[np.ndarray]:
    named, figures = np.arange(GROUPS) < 2, accuracy(GROUPS)
    found = belief.certificate(named, 0.01, figures, pool=True)
    return [
        belief.mean,
        found.open,
        np.array([found.many, found.few]),
        *(np.asarray(belief.lowering(g)[1]) for g in range(GROUPS)),
        belief.draws(5, np.random.default_rng(0), pool=True),
        belief.figures_drawn(Keyed(1, 2).uniforms(2, np.arange(3 * GROUPS)).reshape(3, GROUPS), figures),
    ]


@pytest.mark.parametrize("loops", ["plain", "compiled"])
def test_what_is_believed_does_not_depend_on_what_was_worked_out_before(loops):
    """To the last bit: after every one of 120 labels, with open queries or without."""
    start, rng = made(12), np.random.default_rng(1)
    with using(loops):
        for tally in told_one_by_one(start, 120, 3):
            warm = start.after(tally)
            again = cold(start).after(tally)
            pending = np.minimum(rng.integers(0, 2, CELLS), start.size - tally.sum(axis=1))
            for one, two in ((warm, again), (warm.expecting(pending), again.expecting(pending))):
                for a, b in zip(everything(one), everything(two), strict=True):
                    np.testing.assert_array_equal(a, b)


def test_compiled_loops_find_the_same():
    start = made(13)
    for tally in told_one_by_one(start, 60, 4):
        with using("plain"):
            plain = everything(start.after(tally))
        with using("compiled"):
            compiled = everything(start.after(tally))
        for a, b in zip(plain, compiled, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-10)


def test_counts_that_go_on_changing_are_not_kept_hold_of():
    belief, tally = made(14), np.zeros((CELLS, 2))
    before = belief.after(tally)
    tally[0, 0] += 1
    assert before.labels.sum() == 0


def test_open_queries_make_a_group_surer_and_move_nothing_much():
    belief = made(15)
    pending = np.zeros(CELLS)
    cells = belief.layout.of_group[3]
    pending[cells] = np.minimum(5, belief.unlabelled[cells])
    expected = belief.expecting(pending)
    np.testing.assert_allclose(expected.pool_mean[cells], belief.pool_mean[cells], atol=0.01)
    np.testing.assert_array_equal(expected.labels, belief.labels + pending)
    others = np.setdiff1d(np.arange(CELLS), cells)
    np.testing.assert_array_equal(expected.mean[others], belief.mean[others])
    assert expected.expecting(np.zeros(CELLS)) is expected


def test_groups_of_any_size_are_counted_in_steps():
    """A group of 50,000 items is counted in 2,000 steps; its mean and spread are those of its draws."""
    size = np.array([20_000, 30_000, 40, 60])
    layout = Layout(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), size)
    belief = StratifiedRates(layout, np.array([150.0, 190, 8, 9]), np.array([50.0, 10, 2, 1]), size)
    counts = belief.counts(pool=True)[0]
    assert len(counts.share) == 2001
    p = counts.chances(MANY_EXCEPTIONS)
    drawn = belief.draws(20_000, np.random.default_rng(0), pool=True)[:, :2] @ (size[:2] / size[:2].sum())
    assert counts.share @ p == pytest.approx(drawn.mean(), abs=1e-3)
    assert np.sqrt(counts.share**2 @ p - (counts.share @ p) ** 2) == pytest.approx(drawn.std(), rel=0.05)


def test_three_right_labels_of_a_group_are_not_enough_as_every_group_may_be_an_exception():
    """Eleven groups are alike, one is worse, of one there are three labels; without exceptions it would be settled."""
    groups = 12
    layout = Layout(np.arange(groups), np.zeros(groups, dtype=np.int64), np.full(groups, 200))
    labels = np.where(np.arange(groups) == 7, 3.0, 60.0)
    hits = np.select([np.arange(groups) == 2, labels == 3], [41.0, 3.0], 57.0)
    belief = StratifiedRates(layout, hits, labels - hits, layout.size)
    counts, named = belief.counts(pool=True), np.arange(groups) == 2
    guarded = certificate(counts, named, np.zeros(groups), 0.01, accuracy(groups))
    assert guarded.many < bars(0.95)[0]
    assert guarded.open.argmax() in (2, 7)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("MANY_EXCEPTIONS", "FEW_EXCEPTIONS"):
            patch.setattr(f"fewlabels.core.stratified.certificate.{name}", 0.0)
        trusting = certificate(counts, named, np.zeros(groups), 0.01, accuracy(groups))
    assert sure_enough(0.95, trusting.many, trusting.few)
