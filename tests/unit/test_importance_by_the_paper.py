"""ACIS (Poms et al., ICCV 2021) against a slow transcription, item by item, driven by the events of a live study."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from scipy import stats

import fewlabels as fl
from acis_of_the_paper import ALPHAS, Paper, pool_adjacent_violators, read_map
from fewlabels.core.events import Planned, Query
from fewlabels.core.importance import weigh

CLOSE = 1e-10


# -- a pool, a live study of it, and the same study by the transcription -------------------------------------------


@dataclass(unsafe_hash=True)
class Case:
    number: int
    n: int = 160

    def __post_init__(self):
        rng = np.random.default_rng(self.number)
        self.y = (rng.uniform(size=self.n) < (0.12, 0.5, 0.3)[self.number % 3]).astype(int)
        # Distinct scores, so that each item is a cell of its own; badly calibrated, and predictions with a threshold.
        s = 1 / (1 + np.exp(-(2.5 * self.y - 1.5 + rng.normal(size=self.n))))
        self.s = np.clip(s**1.5, 1e-6, 1 - 1e-6)
        self.hat = (self.s >= 0.3).astype(int)
        assert len(set(self.s.tolist())) == self.n

    @cache  # noqa: B019 - a dozen pools in all
    def pool(self) -> fl.Pool:
        return fl.Pool.from_arrays(positive_score=self.s, threshold=0.3, positive="rare")

    def paper(self, alpha: float, **more) -> Paper:
        return Paper(alpha, self.s.tolist(), self.hat.tolist(), **more)


def run(case: Case, alpha: float, labels: int, strategy: fl.Acis | str = "acis", seed: int = 1, **more) -> fl.Study:
    question = fl.Estimate(fl.FScore(alpha, "rare"))
    study = fl.create_study(case.pool(), question, strategy=strategy, seed=seed, **more)
    for _ in range(labels):
        for query in study.ask(1):
            study.tell(query, bool(case.y[query.item]))
    return study


def rounds_of(study: fl.Study) -> list[tuple[Planned, list[Query]]]:
    plans = [event for event in study.events if isinstance(event, Planned)]
    queries = [event for event in study.events if isinstance(event, Query)]
    return [(plan, [query for query in queries if query.round == plan.round]) for plan in plans]


def replayed(study: fl.Study, case: Case, alpha: float, *, printed: bool = False, **more) -> tuple[Paper, list[dict]]:
    """The transcription on the very items the study drew, and the distribution of each round.

    How the labels are read afterwards does not change what was drawn: rounds are planned with the certainty stratum.
    """
    planned, read = case.paper(alpha, **more), case.paper(alpha, printed=printed, **more)
    in_question = {j for j in range(case.n) if alpha < 1 or case.hat[j]}
    distributions, y = [], dict(enumerate(case.y.tolist()))
    for plan, queries in rounds_of(study):
        q = planned.distribution(len(plan.arms), in_question)
        distributions.append(q)
        out_of_reach = [j for j in range(case.n) if case.hat[j] and j not in q and j not in planned.labels]
        for paper in (planned, read):
            paper.add_round([query.item for query in queries], q, y, alpha * len(out_of_reach))
    return read, distributions


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(
    "acis",
    [fl.Acis(), fl.Acis(top_k=None), fl.Acis(caution=0.0), fl.Acis(top_k=0.4)],
    ids=["default", "whole pool", "no caution", "narrow"],
)
def test_the_probability_stored_with_each_query_is_that_of_equation_4(number, alpha, acis):
    """Four rounds of 10, 20, 40 and (in part) 80; every q of a round sums to one, each stored one is its item's."""
    case = Case(number)
    study = run(case, alpha, 85, acis)
    paper, distributions = replayed(study, case, alpha, top_k=acis.top_k, caution=acis.caution)
    sizes = [len(plan.arms) for plan, _ in rounds_of(study)]
    assert sizes[:2] == [10, 20]
    assert len(sizes) >= 3
    for (_, queries), q in zip(rounds_of(study), distributions, strict=True):
        assert sum(q.values()) == pytest.approx(1, abs=CLOSE)
        for query in queries:
            assert query.probability == pytest.approx(q[query.item], rel=CLOSE)
            assert query.design == "round"
    assert paper.labels == {item: int(name == "rare") for item, name in study.labels.items()}


ESTIMATORS = {
    "averaged by draws": fl.Averaged(),
    "averaged by weights": fl.Averaged(average_by="weights"),
    "last two rounds": fl.Averaged(window=2, average_by="weights"),
    "last round": fl.Averaged(window=1),
    "as printed": fl.Averaged(average_by="weights", reuse="printed"),
}


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("alpha", ALPHAS)
def test_estimate_and_variance_are_those_of_equations_2_5_and_6(number, alpha, name):
    """After 4, 10, 22, 55 and 100 labels, so in the middle of rounds too; precision has fewer items to label."""
    made, case = ESTIMATORS[name], Case(number)
    study = run(case, alpha, 0, estimator=made)
    most = case.n if alpha < 1 else int(case.hat.sum())
    for upto in (4, 10, 22, 55, 100):
        while len(study.labels) < min(upto, most - 1):
            (query,) = study.ask(1)
            study.tell(query, bool(case.y[query.item]))
        paper, _ = replayed(study, case, alpha, printed=made.reuse == "printed")
        G, variance, worst = paper.averaged(made.window, made.average_by)
        answer = study.answer()
        assert answer.overall.value == pytest.approx(G, abs=CLOSE)
        assert answer.extra[0]["variance"] == pytest.approx(variance, abs=CLOSE)
        (sample,) = study._assessment.f_samples(study._history.evidence())
        assert fl.Averaged(made.window, made.average_by, "worst_case", made.reuse).read(
            sample
        ).cautious == pytest.approx(worst, abs=CLOSE)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_weights_are_p_over_q_times_v_and_the_effective_size_is_kishs(alpha):
    """Item by item, in items: n/p times smaller than the paper's, which cancels; the interval "effective" is Wilson's
    for one over the sum of squared shares of each round."""
    case = Case(1)
    study = run(case, alpha, 60)
    paper, _ = replayed(study, case, alpha)
    (sample,) = study._assessment.f_samples(study._history.evidence())
    for number, made in enumerate(paper.rounds, 1):
        found = weigh(sample, number, "stratum")
        n = len(made["drawn"])
        w = found.weight * sample.counts[found.rows] * n / case.n
        assert sorted(w) == pytest.approx(sorted(made["w"]), abs=CLOSE)
    G, _, _ = paper.averaged(None, "draws")
    a = [len(r["drawn"]) for r in paper.rounds]
    kish = sum((x / sum(a)) ** 2 * r["shares"] for x, r in zip(a, paper.rounds, strict=True))
    estimate = fl.Averaged(interval="effective").read(sample)
    assert estimate.cautious == pytest.approx(max(G * (1 - G), 0.02 * 0.98) * kish, abs=CLOSE)
    low, high = estimate.interval(0.95, pool=True)
    size, z = max(G * (1 - G), 0.02 * 0.98) / estimate.cautious, stats.norm.ppf(0.975)
    middle = (G + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * math.sqrt(G * (1 - G) / size + z**2 / (4 * size**2))
    item = 1 / estimate.counted
    assert low == pytest.approx(max(0, min(middle - half, G - item)), abs=1e-9)
    assert high == pytest.approx(min(1, max(middle + half, G + item)), abs=1e-9)


def test_the_default_interval_is_never_shorter_than_the_worst_case_or_the_effective_one():
    for number in range(3):
        study = run(Case(number), 0.5, 40)
        (sample,) = study._assessment.f_samples(study._history.evidence())
        read = {
            kind: fl.Averaged(interval=kind).read(sample) for kind in ("cautious", "worst_case", "effective", "eq6")
        }
        assert read["cautious"].cautious == max(read["worst_case"].cautious, read["effective"].cautious)
        assert read["worst_case"].cautious >= read["eq6"].cautious == read["eq6"].variance


def test_the_earlier_labels_count_for_themselves_and_not_as_printed():
    """Where every item has the same chance, the weights of a round with its certainty stratum sum to the pool; with the
    printed |L|/|X| they do not, unless |L| is the number of draws."""
    n = 60
    pool = fl.Pool.from_arrays(positive_score=0.6 + 1e-12 * np.arange(n), positive="rare")
    study = fl.create_study(pool, fl.Estimate("f1", positive="rare"), strategy=fl.Acis(calibration="none"), seed=1)
    for query in [query for _ in range(22) for query in study.ask(1)]:
        study.tell(query, query.item % 3 == 0)
    (sample,) = study._assessment.f_samples(study._history.evidence())
    stratum, printed = weigh(sample, 2, "stratum"), weigh(sample, 2, "printed")
    known, draws = int(stratum.before.sum()), len(stratum.rows)
    assert 0 < known != draws
    assert stratum.weight.sum() + stratum.before_weight * known == pytest.approx(n)
    assert printed.weight.sum() + printed.before_weight * known == pytest.approx(n - known + known**2 / draws)


def test_a_predicted_positive_out_of_reach_counts_once_also_when_its_label_came_from_outside():
    """The restriction takes items below for negatives, so predicted positives there are false; not those whose label is
    known, which count for themselves."""
    case = Case(1)
    study = fl.create_study(
        case.pool(), fl.Estimate("precision", positive="rare"), strategy=fl.Acis(top_k=0.3, first=5), seed=1
    )
    ranked = sorted(np.flatnonzero(case.hat).tolist(), key=lambda j: -case.s[j])
    npos = len(ranked)
    reach = int(0.3 * 2 * npos)
    study.tell({j: bool(case.y[j]) for j in ranked[reach:]}, drawn="uniform")
    for query in study.ask(3):
        study.tell(query, bool(case.y[query.item]))
    (sample,) = study._assessment.f_samples(study._history.evidence())
    (first,) = sample.rounds
    assert {query.item for query in study.events if isinstance(query, Query)} <= set(ranked[:reach])
    made = weigh(sample, int(first), "stratum")
    assert made.before.sum() == npos - reach
    assert made.beyond == 0


# -- do the draws follow the probabilities? ------------------------------------------------------------------------


def test_items_are_drawn_as_often_as_their_probability_says():
    """The first round of 400 studies that all know the same labels, 4,000 draws by the labels' calibration. Chi-square
    over the items fails by chance once in 10,000; it must fail for the probabilities of the calibration prior, for
    those of another alpha, and for equal ones."""
    case, runs = Case(0, n=40), 400
    told = {j: int(case.y[j]) for j in range(0, 40, 3)} | {int(np.argmax(case.y)): 1}
    paper = case.paper(0.5, mixing=(), labels=told)
    q = paper.distribution(10, set(range(case.n)))
    counts = dict.fromkeys(range(case.n), 0)
    for seed in range(runs):
        study = run(case, 0.5, 0, fl.Acis(mixing=()), seed=seed)
        study.tell({j: bool(y) for j, y in told.items()}, drawn="uniform")
        for _ in range(11):  # one round has ten draws, so that all of the first are made
            study.ask(1)
        for query in rounds_of(study)[0][1]:
            counts[query.item] += 1
            assert query.probability == pytest.approx(q[query.item], rel=CLOSE)
    assert sum(counts.values()) == 10 * runs == sum(counts[j] for j in q)
    assert fits(counts, q) > 1e-4
    everything = set(range(case.n))
    assert fits(counts, case.paper(0.5, labels=told).distribution(10, everything)) < 1e-4
    assert fits(counts, case.paper(0.0, mixing=(), labels=told).distribution(10, everything)) < 1e-4
    assert fits(counts, dict.fromkeys(q, 1 / len(q))) < 1e-4


def fits(counts: dict[int, int], q: dict[int, float]) -> float:
    """The p-value of these counts under q; items expected less than five times are taken together."""
    draws = sum(counts.values())
    often = [j for j in q if draws * q[j] >= 5]
    observed = [*(counts[j] for j in often), draws - sum(counts[j] for j in often)]
    expected = [*(draws * q[j] for j in often), draws * (1 - sum(q[j] for j in often))]
    if expected[-1] < 1:
        observed, expected = observed[:-1], [e * sum(observed[:-1]) / sum(expected[:-1]) for e in expected[:-1]]
    return float(stats.chisquare(observed, expected).pvalue)


def test_without_replacement_each_item_is_drawn_with_its_share_of_the_round():
    """replacement=False: n q of each item is its chance to be in the round. 400 studies, each item's count within 4.5
    standard errors of the binomial, which systematic sampling does not exceed; equal chances are the control."""
    case, runs = Case(0, n=40), 400
    counts, chance = np.zeros(case.n), np.zeros(case.n)
    for seed in range(runs):
        study = run(case, 0.5, 0, fl.Acis(replacement=False), seed=seed)
        queries = study.ask(10)
        assert {query.design for query in queries} == {"once"}
        for query in queries:
            counts[query.item] += 1
            chance[query.item] = 10 * query.probability
    assert chance.sum() == pytest.approx(10)
    error = np.sqrt(runs * chance * (1 - chance)) + 1e-9
    assert (np.abs(counts - runs * chance) <= 4.5 * error + 1e-6).all()
    assert (np.abs(counts - runs * 10 / case.n) > 4.5 * np.sqrt(runs * 0.25 * 0.75)).any()


# -- the transcription itself --------------------------------------------------------------------------------------


def test_the_isotonic_regression_written_here_is_that_of_scikit_learn(rng):
    from sklearn.isotonic import IsotonicRegression

    for _ in range(20):
        x, y = rng.choice(np.linspace(0, 1, 15), size=30), rng.integers(0, 2, size=30)
        grid = rng.uniform(size=50)
        fitted = pool_adjacent_violators(x.tolist(), y.tolist())
        expected = IsotonicRegression(out_of_bounds="clip").fit(x, y).predict(grid)
        assert [read_map(fitted, s) for s in grid] == pytest.approx(expected.tolist(), abs=1e-12)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_with_equal_weights_the_transcription_is_the_f_score_and_its_plain_variance(alpha):
    """Appendix D.2: all w = 1 gives the mean of l and the sample variance with Bessel's correction."""
    case = Case(1, n=30)
    paper = case.paper(alpha)
    everything = list(range(case.n))
    paper.add_round(everything, dict.fromkeys(everything, 1 / case.n), dict(enumerate(case.y.tolist())))
    tp = int((case.y & case.hat).sum())
    G = tp / (alpha * case.hat.sum() + (1 - alpha) * case.y.sum())
    assert paper.rounds[0]["G"] == pytest.approx(G)
    if alpha == 1:
        right = case.y[case.hat == 1]
        assert paper.rounds[0]["S2"] == pytest.approx(np.var(right, ddof=1) / len(right))
