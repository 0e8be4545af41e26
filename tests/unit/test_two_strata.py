"""F-scores of models that only say yes or no: the allocation and the belief against slow transcriptions."""

import math

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import betaln

import fewlabels as fl
from fewlabels.assessment import assess
from fewlabels.core.evidence import NO_EVIDENCE
from fewlabels.core.few_missed import EVEN, FEW, MISSED, FewMissed
from fewlabels.core.keyed import Keyed
from fewlabels.errors import QuestionError
from fewlabels.strategies.neyman import Neyman

ITEMS = 300
RNG = np.random.default_rng(5)
SAID = np.arange(ITEMS) % 10 == 0
TRUE = np.where(SAID, RNG.random(ITEMS) < 0.7, RNG.random(ITEMS) < 0.1)


def study_of(metric: object, seed: int = 3, **more: object) -> fl.Study:
    pool = fl.Pool.from_arrays(positive_score=SAID.astype(float), positive="yes", classes=["no", "yes"])
    question = fl.Estimate(metric) if isinstance(metric, fl.FScore) else fl.Estimate(metric, positive="yes")
    return fl.create_study(pool, question, seed=seed, **more)


def label(item: object) -> str:
    return ("no", "yes")[int(TRUE[int(item)])]


def next_by_hand(alpha: float, asked: list[int]) -> bool:
    """Whether what is predicted positive is next: the stratum that lacks most of its first five, or of a tenth of all
    labels, else that with the larger N |ŷ - (1 - alpha) F| √(p q) / (n + 2), p = (x + ½) / (n + 1)."""
    strata = []
    for said in (False, True):
        mine = [item for item in asked if SAID[item] == said]
        n, x = len(mine), sum(TRUE[item] for item in mine)
        strata.append((int((said == SAID).sum()), n, (x + 0.5) / (n + 1)))
    least = max(5, 0.1 * len(asked))
    lacks = [max(least - n, 0) if n < size else 0 for size, n, _ in strata]
    if any(lacks):
        return lacks[1] > lacks[0]
    found, missed = strata[1][0] * strata[1][2], strata[0][0] * strata[0][2]
    f = found / (alpha * strata[1][0] + (1 - alpha) * (found + missed))
    worth = [
        size * abs(said - (1 - alpha) * f) * math.sqrt(p * (1 - p)) / (n + 2) if n < size else -1
        for said, (size, n, p) in enumerate(strata)
    ]
    return worth[1] > worth[0]


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5])
def test_each_label_goes_where_neymans_allocation_lacks_it_most(alpha):
    study, asked = study_of(fl.FScore(alpha, "yes")), []
    for _ in range(90):
        (query,) = study.ask(1)
        assert SAID[query.item] == next_by_hand(alpha, asked)
        asked.append(query.item)
        study.tell(query, label(query.item))


def test_the_first_labels_go_to_both_strata_alike_in_any_batches():
    for batch in (1, 5, 10):
        study = study_of("recall")
        while len(study.labels) < 10:
            study.tell({query.item: label(query.item) for query in study.ask(batch)})
        assert SAID[list(study.labels)].sum() == 5


def test_a_precision_asks_of_what_is_predicted_alone():
    study = study_of("precision")
    study.tell({query.item: label(query.item) for query in study.ask(30)})
    assert SAID[list(study.labels)].all()
    assert study.answer().overall.half_width <= 1 / ITEMS


def test_no_item_is_out_of_reach():
    study = study_of("recall")
    study.tell({query.item: label(query.item) for query in study.ask(ITEMS)})
    assert len(study.labels) == ITEMS
    assert study.answer().overall.value == pytest.approx((SAID & TRUE).sum() / TRUE.sum())


@pytest.mark.parametrize("given", [{"first": -1}, {"least": 1.0}])
def test_what_neyman_takes_is_checked(given):
    with pytest.raises(QuestionError):
        Neyman(**given)


def belief_of(hits: int, misses: int, few: float = 40.0) -> FewMissed:
    half, one = np.array([0.5, 0.5]), np.array([np.nan, few])
    return FewMissed(half, half, np.array([6.0, hits]), np.array([4.0, misses]), np.array([30, 900]), few=one)


@pytest.mark.parametrize(("hits", "misses"), [(0, 0), (0, 30), (1, 30), (4, 60), (20, 80)])
def test_labels_weigh_both_forms_by_how_likely_they_make_them(hits, misses):
    def likelihood(b: float) -> float:
        def density(p: float) -> float:
            return p ** (hits - 0.5) * (1 - p) ** (misses + b - 1)

        parts = [integrate.quad(density, *ends, limit=400)[0] for ends in ((0, 1e-4), (1e-4, 0.05), (0.05, 1))]
        return sum(parts) / math.exp(betaln(0.5, b))

    for before in (FEW, EVEN):
        few, usual = before * likelihood(40.0), (1 - before) * likelihood(0.5)
        found = belief_of(hits, misses).chance_of_few(before).tolist()
        assert found == pytest.approx([0, few / (few + usual)], rel=1e-4)


@pytest.mark.parametrize(("shown", "before"), [(True, EVEN), (False, FEW)])
def test_draws_are_of_both_forms_with_even_odds_in_what_is_shown(shown, before):
    belief = belief_of(1, 30)
    drawn_by = belief if shown else belief.held
    draws = drawn_by.draws(40_000, np.random.default_rng, pool=False)
    share = belief.chance_of_few(before)[1]
    forms = stats.beta(1.5, 30.5), stats.beta(1.5, 70.0)
    for at in (0.01, 0.03, 0.08):
        expected = (1 - share) * forms[0].cdf(at) + share * forms[1].cdf(at)
        assert (draws[:, 1] <= at).mean() == pytest.approx(expected, abs=0.012)
    assert stats.kstest(draws[:, 0], stats.beta(6.5, 4.5).cdf).pvalue > 1e-4
    assert belief.held.held is None


def test_few_is_a_part_of_what_is_predicted():
    """Beforehand, half a pseudo-hit among as many as make the mean that part of the items predicted, over the rest."""
    study = study_of("recall")
    made = assess(study.settings, study.settings.question, study.pool, "model")
    belief = made.belief(NO_EVIDENCE)
    (few,) = belief.few[~np.isnan(belief.few)]
    assert 0.5 / (0.5 + few) == pytest.approx(MISSED * SAID.sum() / (~SAID).sum())


def test_the_value_lies_midway_between_the_mean_and_the_figure_of_the_mean_counts():
    belief = belief_of(1, 30)
    share = belief.chance_of_few(FEW)[1]
    rate = (1 - share) * 1.5 / 32 + share * 1.5 / 71.5
    assert belief.pool_mean.tolist() == pytest.approx([(6 + 20 * 6.5 / 11) / 30, (1 + 869 * rate) / 900])
    study = study_of("recall")
    study.tell({query.item: label(query.item) for query in study.ask(60)})
    settings = study.settings
    made = assess(settings, settings.question, study.pool, "model")
    asked = np.array([int(item) for item in study.labels])
    hits, misses = np.array(
        [[(TRUE[asked] == true)[SAID[asked] == said].sum() for said in (False, True)] for true in (True, False)]
    )
    belief = made.prior_belief.after(np.stack([hits, misses], axis=1).astype(float))
    missed, found = belief.pool_mean * belief.size
    (draws,) = belief.held.joint(10_000, Keyed(settings.seed, 0), pool=True)
    missed_drawn, found_drawn = (draws * belief.size).T
    mean = (found_drawn / (found_drawn + missed_drawn)).mean()
    assert study.answer().overall.value == pytest.approx((found / (found + missed) + mean) / 2)
