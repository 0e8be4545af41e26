"""Claims are judged by rules: what is told, what all parts together say, and that the kept verdicts are the rules'."""

import math
from pathlib import Path

import pytest

from fewlabels.reproduction import Compared
from fewlabels.reproduction.base.claims import All, Claim, Count, Each, Judged, Largest, Part, Ratio
from fewlabels.reproduction.experiments import EXPERIMENTS
from fewlabels.reproduction.results import load_results

KEPT = Path(__file__).parents[3] / "docs" / "reproduction"


def row(what, ours, se=0.1, **more):
    return Compared(what, None, ours, se, **more)


ROWS = [
    row("A, N = 20: UPrior", 10.0),
    row("A, N = 20: IPrior", 4.0),
    row("A, N = 50: UPrior", 6.0),
    row("A, N = 50: IPrior", 6.1),
    row("B, N = 20: UPrior", 3.0),
    row("B, N = 20: IPrior", 5.0),
    row("A, N = 20: UPrior", 99.0, variant="as stated"),
]
BELOW = Ratio("{pool}, N = {n}: IPrior", "{pool}, N = {n}: UPrior", at_most=1.0)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.1, 1.9, "holds"),
        (1.0, 2.0, "holds"),
        (0.9, 1.5, "cannot be told here"),
        (1.5, 2.1, "cannot be told here"),
        (0.2, 0.9, "does not hold"),
        (2.1, 3.0, "does not hold"),
    ],
)
def test_a_number_is_told_where_all_that_it_may_be_lies_on_one_side(low, high, verdict):
    assert Part("x", (low + high) / 2, low, high, 1.0, 2.0).verdict == verdict


def test_what_is_no_number_cannot_be_told():
    assert Part("x", math.nan, math.nan, math.nan, at_most=1.0).verdict == "cannot be told here"


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([0, 0], "holds"),
        ([0, 2], "holds in part"),
        ([2, 2], "does not hold"),
        ([0, 1], "holds"),
        ([0, 1, 1], "cannot be told here"),
        ([], "cannot be told here"),
    ],
)
def test_parts_together_say_what_those_told_say_if_they_are_half_of_all(values, verdict):
    """0 holds, 2 does not, 1 cannot be told."""
    parts = tuple(Part(str(v), v, v - 0.1, v + 0.1, at_most=1.0) for v in values)
    assert Judged("q", "w", "m", parts).verdict == verdict


def test_each_finds_the_rows_of_a_form_and_of_its_variant_with_two_standard_errors():
    (part,) = Each("B, N = {n}: UPrior", at_most=3.5)(ROWS)
    assert (part.value, part.low, part.high) == pytest.approx((3.0, 2.8, 3.2))
    assert [p.value for p in Each("{pool}, N = 20: UPrior", variant="as stated")(ROWS)] == [99.0]


def test_a_ratio_pairs_rows_whose_names_stand_for_the_same():
    found = {part.what: part for part in BELOW(ROWS)}
    assert len(found) == 3
    part = found["A, N = 20: IPrior / A, N = 20: UPrior"]
    assert part.value == pytest.approx(0.4)
    assert part.high - part.value == pytest.approx(2 * 0.4 * math.hypot(0.1 / 4, 0.1 / 10))
    assert [p.verdict for p in found.values()] == ["holds", "cannot be told here", "does not hold"]


def test_a_ratio_of_crossings_goes_by_their_intervals_and_never_over_never_is_not_told():
    crossed = [
        row("TS", 20.0, math.nan, low=18.0, high=22.0),
        row("UCB", math.inf, math.nan, low=50.0, high=math.inf),
        row("greedy", math.inf, math.nan, low=60.0, high=math.inf),
    ]
    (part,) = Ratio("TS", "UCB", at_most=1.0)(crossed)
    assert (part.value, part.high, part.verdict) == (0.0, pytest.approx(0.44), "holds")
    (never,) = Ratio("UCB", "greedy", at_most=1.0)(crossed)
    assert never.verdict == "cannot be told here"


def test_the_largest_serves_claims_of_up_to_and_counts_those_of_so_many_cases():
    (part,) = Largest("{pool}, N = {n}: UPrior", at_least=9.0)(ROWS)
    assert (part.value, part.verdict) == (10.0, "holds")
    (count,) = Count(BELOW, 2)(ROWS)
    assert (count.value, count.low, count.high, count.verdict) == (1, 1, 2, "cannot be told here")
    assert len(All((BELOW, Each("{pool}, N = {n}: UPrior")))(ROWS)) == 6


def test_a_judged_claim_tells_its_numbers_those_against_it_first():
    found = Claim("quote", "Table 1", "lower", BELOW).judge(ROWS)
    assert found.verdict == "holds in part"
    assert found.numbers.startswith("1 say the opposite, 1 cannot be told, 1 say so: B, N = 20: IPrior / UPrior 1.67 (")
    assert found.against.endswith("; …")
    assert found.against.count(" / ") == 1


def test_every_experiment_with_words_on_its_results_has_claims():
    without = [name for name, experiment in EXPERIMENTS.items() if not experiment.claims and "table" in name]
    assert without == []
    assert sum(len(experiment.claims) for experiment in EXPERIMENTS.values()) > 70


def test_kept_verdicts_are_what_the_rules_say_and_every_claim_finds_its_numbers():
    kept = load_results(KEPT)
    now = {n: found for n, found in kept.items() if n in EXPERIMENTS and not EXPERIMENTS[n].is_earlier(found)}
    assert now
    for name, found in now.items():
        assert EXPERIMENTS[name].judged(found.rows) == found.judged, name
        assert all(claim.parts for claim in found.judged), name
