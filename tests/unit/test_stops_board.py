"""The leaderboard of stops: runs stop where a live study would say so, are kept, and make the page."""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.stops import anytime, below, compare, identify, widths
from benchmarks.stops.__main__ import main
from benchmarks.stops.figures import RULES, Figure, foretold, ratio
from benchmarks.stops.goals import GOALS
from benchmarks.stops.kept import Cell
from benchmarks.stops.labels import begin, first, wilson
from benchmarks.stops.pools import AGAINST, PAIRS, Case, cases
from scipy import stats

import fewlabels as fl
from fewlabels.simulation.run import run_draws

SMALL = Case("small", "design", "against")
PAIR = Case("pair_apart", "design", "pair")


@pytest.fixture(autouse=True)
def small_pools(monkeypatch):
    from benchmarks.stops import pools

    monkeypatch.setitem(AGAINST, "small", lambda rng: pools._exactly(rng, [60, 60, 80], [30, 5, 4]))
    monkeypatch.setitem(PAIRS, "pair_apart", ([80, 80], [5, 40], False))


def said(question, until, case, labels, strategy="auto", estimator="auto"):
    """Whether the goal is reached after so many labels of a run, as a simulation takes them."""
    study = begin(case.pool(0), question, fl.Method(strategy, estimator), 0, 1, until)
    (evidence,) = run_draws(study.assessment, study.known.deal(study.seed), np.array([labels]), study.seed)
    return study.answer(evidence)[1]


@pytest.mark.parametrize("method", ["auto", "uniform"])
def test_the_worst_is_named_when_a_study_says_so(method):
    found = identify.run(SMALL, method, 0, 1)
    question = fl.Identify("accuracy", by="predicted_class", within=identify.WITHIN)
    used = identify.METHODS[method]
    asked = (question, fl.Probability(0.95), SMALL)
    assert found["stopped"]
    assert found["right"]
    assert said(*asked, found["labels"], used.strategy, used.estimator)
    assert not said(*asked, found["labels"] - 1, used.strategy, used.estimator)


@pytest.mark.parametrize("method", ["auto", "uniform"])
def test_two_groups_are_told_apart_when_a_study_says_so(method):
    found = compare.run(PAIR, method, 0, 1)
    asked = (compare.question_of(PAIR, PAIR.pool(0)), fl.Probability(0.95), PAIR)
    used = compare.METHODS[method]
    assert found["right"]
    assert said(*asked, found["labels"], used.strategy, used.estimator)
    assert not said(*asked, found["labels"] - 1, used.strategy, used.estimator)


def test_verdicts_are_passed_when_a_study_says_so():
    found = below.run(SMALL, "auto", 0, 1)
    whole = begin(SMALL.pool(0), fl.Estimate("accuracy"), fl.Method(), 0).accuracy
    asked = (fl.Below("accuracy", round(whole, 2), by="predicted_class"), fl.Probability(0.95), SMALL)
    assert found["wrong"] == 0
    assert said(*asked, found["labels"])
    assert not said(*asked, found["labels"] - 1)


def test_intervals_are_short_when_a_study_says_so():
    found = widths.run_groups(SMALL, "auto", 0, 1)
    asked = (fl.Estimate("accuracy", by="predicted_class"), fl.HalfWidth(widths.OF_GROUPS), SMALL)
    assert said(*asked, found["labels"])
    assert not said(*asked, found["labels"] - 1)
    found = widths.run_all(SMALL, "auto", 0, 1)
    asked = (fl.Estimate("accuracy"), fl.HalfWidth(widths.OF_ALL, of="overall"), SMALL)
    assert said(*asked, found["labels"])


@pytest.mark.parametrize("batch", [1, 10, 50])
@pytest.mark.parametrize("power", [0.3, 0.5, 1.0])  # of the number of labels, that widths fall as
@pytest.mark.parametrize("enough", [57, 163, 1234])
def test_looks_that_are_passed_over_are_too_wide(batch, power, enough, monkeypatch):
    looks = []

    def wide(_, labels):
        looks.append(labels)
        half = widths.OF_ALL * (enough / labels) ** power
        return SimpleNamespace(half_width=half, low=0.0, high=1.0), labels >= enough

    class Taken(int):
        count = property(int)

    monkeypatch.setattr(widths, "_whole", wide)
    monkeypatch.setattr(widths, "first", lambda _, labels: labels)
    study = SimpleNamespace(take=lambda labels: Taken(-(-labels // batch) * batch), batch=batch, accuracy=0.5)
    found = widths._of_whole(study, 10_000)
    assert found["labels"] == -(-enough // batch) * batch
    assert len(looks) < 100


@pytest.mark.parametrize("batch", [10, 50])
@pytest.mark.parametrize("goal", sorted(set(GOALS) - {"anytime"}))
def test_labels_may_come_back_several_at_a_time(goal, batch):
    for method in GOALS[goal].methods:
        found = GOALS[goal].run(SMALL, method, 0, batch)
        assert found["labels"] % batch == 0
        assert found["stopped"]


@pytest.mark.parametrize("batch", [1, 7, 10, 50, 90])
@pytest.mark.parametrize(
    ("question", "until"),
    [
        (fl.Below("accuracy", 0.8, by="predicted_class"), fl.Probability(0.95)),
        (fl.Compare("accuracy", "predicted_class", "g000", "g001", rope=0.05), fl.Probability(0.95)),
    ],
    ids=["compiled", "plain"],
)
def test_every_batch_is_looked_at_until_nothing_is_left(question, until, batch):
    study = begin(SMALL.pool(0), question, fl.Method(), 0, batch, until)
    items = study.items
    looks = [look for _, some in study.stages(items) for look in some]
    assert looks == sorted({*range(batch, items + 1, batch), items})


@pytest.mark.parametrize("batch", [1, 7, 10])
@pytest.mark.parametrize(
    ("question", "until"),
    [
        (fl.Below("accuracy", 0.8, by="predicted_class"), fl.Probability(0.95)),
        (fl.Estimate("accuracy", by="predicted_class"), fl.HalfWidth(0.05)),
    ],
    ids=["nearest", "widest"],
)
def test_a_compiled_twin_takes_the_labels_of_a_live_study(question, until, batch, monkeypatch):
    compiled = begin(SMALL.pool(0), question, fl.Method(), 0, batch, until)
    live = begin(SMALL.pool(0), question, fl.Method(), 0, batch, until)
    assert compiled._compiled is not None
    monkeypatch.setattr(live, "_compiled", None)
    for labels in (3, 60, 185, 200):
        one, other = compiled.take(labels), live.take(labels)
        assert one.items == [int(item) for item in other.items]
        for name in ("cell", "predicted", "label", "asked_in"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        np.testing.assert_array_equal(one.order.number, other.order.number)
        assert one.designs == other.designs
        assert compiled.answer(one) == live.answer(other)


@pytest.mark.parametrize("strategy", ["auto", "uniform"])
def test_intervals_for_every_look_are_the_product_s(strategy):
    study = begin(SMALL.pool(0), fl.Estimate("accuracy", by="predicted_class"), anytime.METHODS[strategy], 0)
    evidence = study.take(60)
    look = anytime.EveryLook(study.assessment, evidence)
    capital, ends = anytime._on_path(look, np.full(study.assessment.cells.count, 1 / study.items), [20, 60])
    assert study.assessment.whole is not None
    assert look.ends(study.assessment.whole, 0.95)[:, 0] == pytest.approx(ends[-1])
    assert capital.interval(0.95) == ends[-1]
    early = anytime.EveryLook(study.assessment, first(evidence, 20))
    assert early.ends(study.assessment.whole, 0.95)[:, 0] == pytest.approx(ends[0])


def test_a_path_that_missed_is_found_in_the_end():
    values = np.linspace(0, 1, 5)
    for won, value, missed in (
        ([9.0, 0, 0, 9, 9], 0.3, False),
        ([9.0, 0, 0, 9, 9], 0.9, True),
        ([9.0, 3, 4, 9, 9], 0.25, True),  # all are ruled out
    ):
        capital = anytime.Capital(values, np.array([9.0, 0, 0, 9, 9]), all_there_are=True, most_won=np.array(won))
        assert anytime._missed(capital, value) == missed


def test_what_was_known_earlier_is_the_beginning_of_what_is_known():
    study = begin(SMALL.pool(0), fl.Estimate("accuracy"), fl.Method(), 0, 1, fl.HalfWidth(0.03, of="overall"))
    early, late = study.take(30), study.take(50)
    again = first(late, 30)
    assert again.items == early.items
    assert study.answer(again)[0].overall == study.answer(early)[0].overall


def test_the_posterior_that_a_group_is_worst_is_summed_exactly():
    rng = np.random.default_rng(0)
    a, b = np.array([8.0, 12.0, 30.0]), np.array([4.0, 3.0, 5.0])
    drawn = rng.beta(a, b, (200_000, 3)).argmin(axis=1)
    below_ = identify.betainc(a[:, None], b[:, None], identify._EDGES)
    above = identify._log_above(below_)
    exact = np.diff(below_[0]) @ np.exp(above.sum(axis=0) - above[0])
    assert exact == pytest.approx((drawn == 0).mean(), abs=0.005)


def test_wilson_has_no_width_when_all_is_labelled():
    low, high = wilson(100, np.array([50.0, 100.0]), np.array([40.0, 80.0]))
    assert low[1] == pytest.approx(0.8)
    assert high[1] == pytest.approx(0.8)
    assert high[0] - low[0] > 0.1


def test_a_share_keeps_a_promise_only_where_its_one_sided_limit_does():
    assert not Figure(1.0, 0.0, 20).keeps(single=True)
    assert Figure(1.0, 0.0, 60).keeps(single=True)
    assert Figure(0.974, 0.007, 500).least(single=True) == pytest.approx(stats.beta.ppf(0.05, 487, 14))
    assert Figure(0.974, 0.007, 500).keeps(single=True)
    assert not Figure(0.958, 0.009, 500).keeps(single=True)
    assert Figure(0.97, 0.005, 500).keeps(single=False)
    assert not Figure(0.97, 0.05, 500).keeps(single=False)


def test_a_share_misses_by_what_is_seldom_where_the_promise_is_kept():
    assert Figure(0.8, 0.1, 20).misses(single=True)
    assert not Figure(0.85, 0.1, 20).misses(single=True)
    assert not Figure(2 / 3, 1 / 3, 3).misses(single=True)
    assert not Figure(0.8, 0.1, 20).misses(single=False)
    assert Figure(0.8, 0.05, 20).misses(single=False)


def test_labels_over_a_rival_s_are_of_the_same_runs_and_their_error_is_that_of_pairs():
    own = [{"run": run, "labels": labels} for run, labels in enumerate([100, 210, 330, 999])]
    other = [{"run": run, "labels": labels} for run, labels in enumerate([100, 200, 300])]
    found = ratio(own, other)
    assert found.runs == 3
    assert found.value == pytest.approx(640 / 600)
    assert found.error == pytest.approx(np.std([100 - 640 / 6, 210 - 1280 / 6, 330 - 320], ddof=1) / 3**0.5 / 200)
    assert not found.dearer()
    assert Figure(1.2, 0.05, 9).dearer()
    assert ratio(own, []) is None


def test_what_was_foretold_is_held_against_what_it_took():
    said = [(60, 100, 200), (60, 100, 140), (50, 200, 300), (50, 60, 70), None]
    took = [(100, True), (150, True), (120, True), (90, False), (40, True)]
    entries = [{"run": run, "labels": n, "stopped": s} for run, (n, s) in enumerate(took)]
    forecasts = [{"run": run, "foretold": f} for run, f in enumerate(said)]
    found = foretold(entries, forecasts)
    assert [held for held, _ in found] == [True, False, True, False]  # the second took more, the last had to go on
    assert [near for _, near in found] == [True, True, False, True]  # the third took three fifths
    assert foretold(entries[:1], forecasts) == found[:1]
    assert not foretold(entries, [])


def test_every_goal_has_a_promise_and_every_pair_a_pool():
    assert set(RULES) == set(GOALS)
    assert {c.name for c in cases() if c.kind == "pair"} <= set(PAIRS)


def test_runs_are_kept_extended_and_shown(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.stops.__main__.fast", nullcontext)  # nothing is compiled for so few runs
    kept, docs = tmp_path / "stops", tmp_path
    some = ["--pools", "pair_equal_saturated", "opposite_groups", "--methods", "auto", "uniform"]
    for runs in ("1", "2"):
        main(["run", "--runs", runs, "--goals", "compare", "overall", "--kept", str(kept), *some])
    main(["run", "--runs", "1", "--goals", "compare", "--batch", "50", "--kept", str(tmp_path / "stops-50"), *some])
    main(
        ["foretell", "--runs", "1", "--goals", "overall", "anytime", "--kept", str(kept), "--pools", "opposite_groups"]
    )
    entries = Cell("compare", "pair_equal_saturated", "auto").read(kept)
    assert [e["run"] for e in entries] == [0, 1]
    assert entries[0]["code"] == entries[1]["code"]
    main(["page", "--kept", str(kept), "--docs", str(docs)])
    text = (docs / "stops.md").read_text()
    assert "| pair_equal_saturated |" in text
    assert "## Which of two groups is worse" in text
    assert "| opposite_groups |" in text
    assert "labels come back one by one" in " ".join(text.split())
    assert "### Labels 50 at a time" in text
    assert "10 at a time" not in text.partition("## How this page")[0]
    assert "| The whole pool to ±.03 | design | 1 |" in text.partition("## How many labels it will take")[2]
