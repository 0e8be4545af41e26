"""The leaderboard judges as it says: formulas are right, verdicts follow the bars, runs are kept."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from benchmarks.leaderboard import kept, labelled, studies, work
from benchmarks.leaderboard.bars import all_bars
from benchmarks.leaderboard.coverage import coverage, ranks_held, single_groups, width_against_exact, width_needed
from benchmarks.leaderboard.errors import CLASSES_PAPERS, ECE, OVERALL, labels_for_equal_error, ratios
from benchmarks.leaderboard.judging import MET, MISSED, NOT_SHOWN, Bar, ratio_of_means, ratio_of_rms, share, share_limit
from benchmarks.leaderboard.limits import limit_of
from benchmarks.leaderboard.page import write_page
from benchmarks.leaderboard.pools import Entry, entries, load
from benchmarks.leaderboard.records import Board
from benchmarks.leaderboard.stated import credit, in_bins
from scipy import stats
from scipy.special import expit

import fewlabels as fl
from fewlabels.simulation.run import run_plain

ENTRY = next(e for e in entries() if e.name == "opposite_groups")
REAL = next(e for e in entries() if e.real)


# -- statistics --------------------------------------------------------------------------------------------------------


def jackknife(of, ours, theirs):
    n = len(ours)
    left = np.array([of(np.delete(ours, i), np.delete(theirs, i))[0] for i in range(n)])
    return np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())


@pytest.mark.parametrize("of", [ratio_of_means, ratio_of_rms])
def test_errors_of_ratios_are_those_of_leaving_runs_out(of, rng):
    theirs = np.abs(rng.normal(1, 0.3, 200))
    ours = 0.6 * theirs + np.abs(rng.normal(0, 0.1, 200))
    value, se = of(ours, theirs)
    assert 0.6 < value < 0.8
    assert se == pytest.approx(jackknife(of, ours, theirs), rel=0.05)


def test_shares_know_that_cases_of_one_run_go_together(rng):
    hits = np.repeat((rng.random((400, 1)) < 0.9).astype(float), 50, axis=1)
    value, se, cases = share(hits)
    assert cases == 20_000
    assert se == pytest.approx(np.sqrt(value * (1 - value) / 400), rel=0.05)


def test_a_bar_is_met_missed_or_not_shown():
    bar = Bar(0.9)
    assert bar.judge(0.81, 0.05) == MET
    assert bar.judge(0.83, 0.05) == NOT_SHOWN  # on the good side, but not shown to be
    assert bar.judge(0.95, 0.05) == NOT_SHOWN  # beyond, but not clearly
    assert bar.judge(1.2, 0.05) == MISSED
    assert bar.judge(1.02, 0.05) == NOT_SHOWN  # of many, three standard errors
    assert Bar(0.9, worst=False).judge(1.02, 0.05) == MISSED
    assert bar.judge(0.5, 0.1) == MET  # far enough on the good side for any error
    assert bar.judge(float("nan"), 0.1) == NOT_SHOWN
    assert Bar(0.92, at_least=True).judge(0.80, 0.01) == MISSED
    assert Bar(0.92, at_least=True).judge(0.95, 0.01) == MET
    assert Bar(0.88, at_least=True).judge(0.864, 0.02) == NOT_SHOWN  # printed as met before


def test_a_share_of_few_cases_shows_little_though_all_of_them_hold():
    assert share_limit(1.0, 0.0, 20, 20) == pytest.approx(0.05 ** (1 / 20))
    assert share_limit(1.0, 0.0, 15_400, 20) == pytest.approx(0.05 ** (1 / 20))  # one case of each run is independent
    assert share_limit(0.95, np.sqrt(0.95 * 0.05 / 200), 200, 200) == pytest.approx(stats.beta.ppf(0.05, 190, 11))
    bar = Bar(0.9, at_least=True)
    assert bar.judge(1.0, 0.02, share_limit(1.0, 0.0, 20, 20)) == NOT_SHOWN
    assert bar.judge(1.0, 0.02, share_limit(1.0, 0.0, 40, 40)) == MET


def test_a_rival_of_twice_the_error_needs_four_times_the_labels():
    looks = [20, 50, 100, 200, 500, 1000]
    theirs = 2 / np.sqrt(looks)
    assert labels_for_equal_error(looks, theirs, 1 / np.sqrt(100)) == (pytest.approx(400), "")
    assert labels_for_equal_error(looks, theirs, 0.01) == (1000, "≥")
    assert labels_for_equal_error(looks, theirs, 5.0) == (20, "≤")


def test_the_limit_is_that_of_the_curve(rng):
    score = np.repeat([0.6, 0.99], 20_000)
    right = rng.random(40_000) < score
    found = limit_of(score, right)
    alone = np.sqrt(0.795 * 0.205)
    assert found.stratified == pytest.approx(np.sqrt((0.24 + 0.0099) / 2) / alone, rel=0.02)
    assert found.allocated == pytest.approx((np.sqrt(0.24) + np.sqrt(0.0099)) / 2 / alone, rel=0.02)


def test_the_limit_of_the_calibration_error_is_that_of_labels_shared_out_by_doubt(rng):
    """The model is over-confident at .7 and under-confident at .9: the error is the difference of two shares."""
    items, labels = 1000, 300
    right = rng.random((2, items)) < np.array([[0.6], [0.95]])
    share = right.mean(axis=1)
    spread = np.sqrt(share * (1 - share))
    shared = np.round(labels * spread / spread.sum()).astype(int)
    drawn = [[rng.permuted(right[k])[: shared[k]].mean() for k in range(2)] for _ in range(4000)]
    errors = np.abs((np.array(drawn) - share) @ [-0.5, 0.5])
    least = limit_of(np.repeat([0.7, 0.9], items), right.ravel()).ece_error(labels, 2 * items)
    assert errors.mean() == pytest.approx(least, rel=0.05)


# -- made-up records ---------------------------------------------------------------------------------------------------

LOOKS = [20, 50, 100, 200, 500, 1000]
SPREAD = 1 / np.sqrt(np.array(LOOKS))[:, None]


def write_records(folder, entry, study, method, notes):
    marks = {"N/K = 2": 20, "N/K = 5": 50, "N/K = 10": 100, "third": 1000}
    about = {"looks": LOOKS, "marks": marks, "same_as": None, "seconds": 1.0, "batch": 10, "groups": 10, "items": 5000}
    kept.write(kept.Cell(entry, study, method, 0).path(folder), about, notes)


def figures(rng, truth, error, width):
    """Figures about a truth (n,), off by `error` times the spread at each look, their intervals `width` times right."""
    value = truth + error * SPREAD * rng.standard_normal((len(LOOKS), len(truth)))
    half = 1.96 * error * width * SPREAD
    return np.stack([value, value - half, value + half], axis=1)


def whole(rng, error, width, ppi=1.0):
    """What is kept of one run on the whole pool."""
    truth = rng.uniform(0.4, 0.6, 1)
    scales = {"overall": (error, width), "wilson": (1.0, 1.0), "ppi": (ppi, 1.0), "clopper_pearson": (1.0, 1.0)}
    said = {name: figures(rng, truth, *how)[:, :, 0] for name, how in scales.items()}
    return {"truth_all": truth[0], "cpu": np.ones(2), **said}


def classes(rng, error, width):
    """And of one run by class, each with 25 labels of its own."""
    truth, own = rng.uniform(0.4, 0.6, 10), np.full((len(LOOKS), 10), 25.0)
    ends = figures(rng, truth, error, width)
    return {"truth": truth, "weight": np.full(10, 0.1), "rows": ends, "own": own, **whole(rng, error, width)}


@pytest.fixture
def board_of(tmp_path, rng, monkeypatch):
    """Records of 200 runs, with so many times the rivals' error, and intervals so many times as wide as right."""
    monkeypatch.setattr(kept, "BLOCK", 200)

    def make(error, width=1.0, ppi=1.0):
        ways = {"auto": (error, width), "thompson+beta": (1.0, 1.0), "uniform+frequency": (1.0, 1.0)}
        for method, how in ways.items():
            write_records(tmp_path, REAL, "classes", method, [classes(rng, *how) for _ in range(200)])
            write_records(tmp_path, REAL, "overall", method, [whole(rng, *how, ppi) for _ in range(200)])
        return Board(tmp_path, (REAL,))

    return make


def verdicts(board):
    return {row.title: row for row in all_bars(board, "auto")}


def test_a_method_of_half_the_error_meets_the_bars(board_of):
    found = verdicts(board_of(0.5))
    for title in (
        "classes, N/K = 2, 5, 10, against the papers",
        "groups on average, real pools",
    ):
        assert found[title].verdict == MET
    assert found["overall, from 50 labels"].verdict != MISSED  # 200 runs do not show each cell to meet it
    row = found["classes, N/K = 2, 5, 10, against the papers"]
    assert row.median[0] == pytest.approx(0.5, abs=0.05)
    assert row.median_verdict == MET
    assert len(row.figures) == 3


def test_a_method_no_better_than_its_rival_misses_the_bar_for_classes(board_of):
    found = verdicts(board_of(1.0))
    row = found["classes, N/K = 2, 5, 10, against the papers"]
    assert row.verdict == row.median_verdict == MISSED
    assert (
        found["overall accuracy, 50 to 1,000 labels, against the better of uniform and PPI++"].median_verdict == MISSED
    )


def test_intervals_half_as_wide_as_they_should_be_are_noticed(board_of):
    board = board_of(0.5, 0.5)
    found = verdicts(board)
    for title in (
        "groups on average, real pools",
        "overall, at 20 labels",
        "every single group with 20 labels of its own",
    ):
        assert found[title].verdict == MISSED
    assert all(f.value == pytest.approx(0.67, abs=0.12) for f in coverage(board, REAL, "groups", "auto"))


def test_intervals_twice_as_wide_as_they_should_be_are_noticed(board_of):
    board = board_of(1.0, 2.0)
    found = verdicts(board)
    assert found["groups, against what holds 95 %"].verdict == MISSED
    assert found["overall, against Clopper-Pearson, from 50 labels"].verdict == MISSED
    assert all(f.value == pytest.approx(2, rel=0.1) for f in width_needed(board, REAL, "groups", "auto"))
    assert all(f.value == pytest.approx(2, rel=0.01) for f in width_against_exact(board, REAL, "auto"))
    assert all(f.value > 0.99 for f in single_groups(board, REAL, "auto"))


def test_the_better_of_two_rivals_is_the_one_to_beat(board_of):
    found = ratios(board_of(0.5, ppi=0.25), REAL, OVERALL, "auto", [("100", 100)])
    assert [f.beside for f in found] == ["PPI++"]
    assert found[0].value == pytest.approx(2, rel=0.3)


def test_what_was_not_run_has_no_figures(tmp_path):
    board = Board(tmp_path, (REAL,))
    assert all_bars(board, "auto") == []
    assert (
        ratios(board, REAL, ECE, "auto", [("50", 50)])
        == ratios(board, REAL, CLASSES_PAPERS, "auto", [("50", 50)])
        == []
    )


# -- stated probabilities ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("power", "verdict"), [(1.0, MET), (3.0, MISSED), (0.4, MET)])
@pytest.mark.parametrize("named", [True, False])
def test_probabilities_too_sure_are_noticed_and_modest_ones_are_not(power, verdict, named, rng):
    """What is said has `power` times the log odds of what is true; false alarms at 13 bins are below 4 %."""
    odds = rng.normal(0, 1.5, 4000) if not named else np.abs(rng.normal(0, 1.5, 4000))
    true = (rng.random(4000) < expit(odds)).astype(float)
    bins = in_bins((expit(power * odds), true, np.arange(4000)), named=named)
    assert (MISSED in {b.verdict for b in bins}) == (verdict == MISSED)


def test_equal_groups_share_the_credit():
    truth = np.array([0.2, 0.2, 0.5, np.nan, 0.9])
    assert credit(truth, np.array([0])) == 0.5
    assert credit(truth, np.array([2])) == 0
    assert credit(truth, np.array([0, 1, 2])) == 1
    assert credit(truth, np.array([0, 1, 4])) == 0


def test_a_rank_interval_holds_any_of_the_ranks_that_equals_share():
    ranks = np.zeros((1, 1, 3, 3))
    ranks[0, 0, 1:] = [[2, 1, 1], [2, 1, 2]]
    held = ranks_held(ranks, np.array([[0.2, 0.2, 0.9]]))
    assert held[0, 0].tolist() == [1, 1, 0]


# -- doing and keeping the runs ----------------------------------------------------------------------------------------


@pytest.fixture
def _small(monkeypatch):
    """Two runs a cell, few labels, nothing compiled."""
    monkeypatch.setattr(kept, "BLOCK", 2)
    monkeypatch.setattr(studies, "LOOKS", (20, 50))
    monkeypatch.setitem(studies.STUDIES, "worst", replace(studies.STUDIES["worst"], looks=lambda _: [100]))
    monkeypatch.setattr(labelled, "runner_for", lambda assessment: partial(run_plain, assessment))


def plan(folder, methods, names=("overall",), runs=2):
    return work.Plan((ENTRY,), names, methods, runs, folder)


@pytest.mark.usefixtures("_small")
def test_finished_cells_are_not_done_again(tmp_path, monkeypatch):
    wanted = plan(tmp_path, ("uniform+frequency", "thompson+beta"), runs=4)
    done, doing = [], work.do
    monkeypatch.setattr(work, "do", lambda cell, *more: (done.append(cell), doing(cell, *more))[1])
    work.work(wanted, workers=1)
    assert done == list(wanted.cells())
    assert len(done) == 4
    before = Board(tmp_path, (ENTRY,)).get(ENTRY, "overall", "uniform+frequency")
    assert before.run.tolist() == [0, 1, 2, 3]

    done.clear()
    work.work(wanted, workers=1)
    assert done == []

    lost = next(iter(wanted.cells()))
    path = lost.path(tmp_path)
    path.rename(path.with_suffix(".99.partial"))  # as if killed while it was written
    work.work(wanted, workers=1)
    assert done == [lost]
    after = Board(tmp_path, (ENTRY,)).get(ENTRY, "overall", "uniform+frequency")
    np.testing.assert_array_equal(before.notes["ppi"], after.notes["ppi"])

    done.clear()
    monkeypatch.setattr(kept, "code_state", lambda: "other")
    assert len(wanted.sorted_out().stale) == 4
    work.work(wanted, workers=1)
    assert done == []
    work.work(wanted, workers=1, again=True)
    assert len(done) == 4
    assert wanted.sorted_out().stale == []


@pytest.mark.usefixtures("_small")
def test_a_method_that_is_another_by_a_second_name_is_not_run_twice(tmp_path, monkeypatch):
    monkeypatch.setitem(studies.METHODS, "auto", studies.METHODS["uniform+hierarchical"])
    work.work(plan(tmp_path, ("uniform+hierarchical", "auto")), workers=1)
    board = Board(tmp_path, (ENTRY,))
    assert board.stands_for("overall", "auto") == "uniform+hierarchical"
    assert board.get(ENTRY, "overall", "auto") is board.get(ENTRY, "overall", "uniform+hierarchical")


@pytest.mark.usefixtures("_small")
def test_a_run_is_what_a_live_study_with_its_seed_would_have_known():
    study, board = studies.STUDIES["overall"], load(ENTRY)
    pool = board.sub_pool(1)
    run = labelled.take(board, pool, study, "auto", 1, 10)
    live = fl.create_study(pool, fl.Estimate("accuracy"), seed=run.assessment.settings.seed)
    truth = dict(zip(pool.ids, pool.known_labels.tolist(), strict=True))
    for _ in range(2):
        live.tell({query.item: truth[query.item] for query in live.ask(10)})
    assert set(live.labels) == {pool.ids[i] for i in run.labelled(0)}
    found, said = run.reading(0).overall, live.answer().overall
    assert (found.value, found.low, found.high) == (said.value, said.low, said.high)


@pytest.mark.usefixtures("_small")
def test_the_page_is_written_from_a_few_runs(tmp_path):
    methods = ("thompson+beta", "uniform+frequency", "gain+hierarchical")
    work.work(plan(tmp_path / "kept", methods, tuple(studies.STUDIES)), workers=1)
    page = write_page(tmp_path / "kept", (ENTRY,), "gain+hierarchical", tmp_path)
    text = page.read_text(encoding="utf-8")
    for words in ("## The short answer", "opposite_groups (made up, design)", "P(worst)", "make leaderboard", "numpy"):
        assert words in text
    pictures = sorted((tmp_path / "leaderboard").glob("*.svg"))
    assert len(pictures) == 6
    for picture in pictures:
        assert ElementTree.parse(picture).getroot().tag.endswith("svg")
        assert f"leaderboard/{picture.name}" in text


def test_modules_stay_small():
    folder = Path(kept.__file__).parent
    assert {p.name: n for p in folder.glob("*.py") if (n := len(p.read_text().splitlines())) >= 300} == {}


def test_an_entry_has_a_short_name_of_its_own():
    titles = [e.title for e in entries()]
    assert len(set(titles)) == len(titles)
    assert Entry("text/a__b.parquet", "test", True).title == "a.b"
    assert Entry("many.npz#3", "test", True).title == "many-3"
