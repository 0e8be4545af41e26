"""The kept figures are laid out as the papers have them: panels, curves, names of axes, ranges; and words fit."""

from pathlib import Path

import pytest

from fewlabels.reproduction.drawing import figure_of
from fewlabels.reproduction.experiments import EXPERIMENTS
from fewlabels.reproduction.results import load_results

KEPT = load_results(Path(__file__).parents[3] / "docs" / "reproduction")
RELIABILITY = ("scores", "calibration error", "accuracy, 95 % interval")
FIVE, POOL = ("IPrior+TS", "UPrior+TS", "IPrior", "UPrior", "Frequentist"), "% of the pool labelled"
RIVALS = ("ACIS, as printed", "ACIS, ours", "SAWADE", "TOP-K", "GMM", "HERDING")
PARTS = (*RIVALS[:2], "ACIS-LAST, as printed", "ACIS-LAST, ours", "SAWADE", "ISO", "PLATT", "RAND")
BOUNDS = ("TS", "Epsilon greedy", "Bayesian UCB", "Mean + variance (as printed)")
ROUNDS = (*(f"round {i}" for i in range(1, 6)), "all labels")
MODELS = ("lr", "nb", "mlp", "5shot")

# figure: panels, of them beside one another, and the x axis, y axis and curves of the first panel
STRUCTURE = {
    "aaai-figure-1": (1, None, "accuracy", "ECE", ("10 least accurate", "10 most accurate", "others")),
    "aaai-figure-3": (4, 2, "labels", "MRR", ("IPrior+TS", "IPrior", "UPrior")),
    "aaai-figure-4": (15, 5, "score", "accuracy", RELIABILITY),
    "aaai-figure-5": (6, 3, "score", "accuracy", RELIABILITY),
    "aaai-figure-6": (5, 5, "labels", "% error of ECE", ("Bayesian", "Frequentist", "Frequencies, weights of the pool")),
    "aaai-figure-7": (5, 5, "accuracy", "ECE", ("10 least accurate", "10 most accurate", "others")),
    "aaai-figure-8": (2, None, "difference of accuracy", "density", ("posterior",)),
    "aaai-figure-9": (3, None, "", "rank, 1 being the most accurate", ("rank",)),
    "aaai-figure-11": (5, 5, POOL, "MRR", ("TS", "TTTS")),
    "aaai-figure-15": (10, 5, POOL, "MRR", BOUNDS),
    "aaai-figure-16": (10, 5, POOL, "MRR", ("IPrior+TS", "UPrior+TS")),
    "aaai-figure-17": (30, 5, "score", "accuracy", RELIABILITY),
    "aaai-figure-18": (30, 5, POOL, "MRR", FIVE),
    "aaai-figure-19": (30, 5, POOL, "MRR", ("IPrior+TS", "Frequentist")),
    "v1-figure-2": (6, 3, "score", "accuracy", RELIABILITY),
    "v1-figure-4": (10, 5, POOL, "MRR", ("Active (TS)", "Non-active")),
    "v1-figure-5": (2, 2, POOL, "MRR", ("Informative", "Uninformative")),
    "v1-figure-7": (10, 5, POOL, "MRR", ("Active (TS)", "Non-active")),
    "v1-figure-9": (15, 5, "score", "accuracy", RELIABILITY),
    "v1-figure-12": (30, 5, POOL, "MRR", ("Active (TS)", "Non-active")),
    "v1-figure-13": (30, 5, POOL, "MRR", ("Active (TS)", "Non-active")),
    "workshop-figure-3": (2, None, POOL, "share of runs", ("Active", "Random")),
    "workshop-figure-5": (2, None, "", "accuracy", ("accuracy",)),
    "workshop-figure-7": (2, None, POOL, "share of runs", ("Active", "Random")),
    "workshop-figure-10": (2, None, POOL, "share of runs", ("Active", "Random")),
    "acis-figure-2": (4, None, "score", "calibrated score", ROUNDS),
    "acis-figure-3": (4, 2, "labels", "MSE", RIVALS),
    "acis-figure-4": (2, 1, "labels", "MSE", RIVALS),
    "acis-figure-5": (2, 1, "labels", "MSE", RIVALS),
    "acis-figure-6": (8, 4, "labels", "MSE", PARTS),
    "acis-figure-7": (3, None, "labels", "variance", ("empirical", "Eq. 6", "worst case")),
    "acis-figure-8": (1, None, "items labelled", "variance", ("empirical", "Eq. 6")),
    "acis-figure-9": (4, None, "labels", "MSE", (*(f"drawn for {name}" for name in MODELS), "best baseline")),
}  # fmt: skip
FIGURES = [name for name, found in KEPT.items() if found.panels]


@pytest.mark.parametrize("name", STRUCTURE)
def test_a_kept_figure_is_laid_out_as_the_paper_has_it(name):
    found = KEPT[name]
    first = found.panels[0]
    shape = (len(found.panels), found.across, first.x_label, first.y_label, first.names_of_curves)
    assert shape == STRUCTURE[name]


@pytest.mark.parametrize("name", FIGURES)
def test_what_is_a_share_is_between_nothing_and_all(name):
    shares = ("MRR", "share of runs", "accuracy", "probability", "calibrated score", "ECE")
    for panel in KEPT[name].panels:
        if panel.y_label in shares:
            assert all(0 <= y <= 1 for curve in panel.curves for y in curve.y), panel.title
        if panel.x_label == POOL:
            assert all(0 < x <= 100 for curve in panel.curves for x in curve.x), panel.title
        if panel.log:
            assert all(y > 0 for curve in panel.curves for y in curve.y), panel.title


@pytest.mark.parametrize("name", [name for name, e in EXPERIMENTS.items() if e.claims])
def test_what_is_claimed_of_a_table_or_figure_is_judged_from_what_was_kept(name):
    assert len(KEPT[name].judged) == len(EXPERIMENTS[name].claims)


@pytest.mark.parametrize("name", ["aaai-figure-5", "aaai-figure-8", "aaai-figure-9", "v1-figure-2"])
def test_printed_numbers_of_figures_come_out(name):
    assert any(row.agrees for row in KEPT[name].rows)
    assert KEPT[name].agrees


def test_lines_stand_where_the_papers_draw_them():
    for panel in KEPT["aaai-figure-8"].panels:
        assert [name for name, _ in panel.marks] == ["rope", "rope", "frequentist"]
    for name in ("aaai-figure-5", "v1-figure-2"):
        for panel in KEPT[name].panels[3:]:
            marks = dict(panel.marks)
            assert set(marks) == {"truth", "frequentist"}
        assert marks["truth"] == pytest.approx(marks["frequentist"], abs=1e-4)  # with all labels


def test_matrices_have_a_colour_bar_each():
    found = KEPT["aaai-figure-14"]
    assert [len(panel.image) for panel in found.panels] == [100, 100]
    assert len(figure_of(found).axes) == 4


def test_thresholds_share_one_panel_a_colour_each_their_own_labels_dashed():
    (panel,) = KEPT["acis-figure-10"].panels
    assert len({curve.shade for curve in panel.curves}) == 6
    assert sum(curve.dashed for curve in panel.curves) == 6


@pytest.mark.parametrize("name", ["aaai-figure-1", "aaai-figure-8", "aaai-figure-17", "acis-figure-6"])
def test_no_title_is_cut_off(name):
    figure = figure_of(KEPT[name])
    figure.draw_without_rendering()
    sheet = figure.bbox
    for text in [figure._suptitle, *(axis.title for axis in figure.axes)]:
        box = text.get_window_extent()
        assert sheet.x0 <= box.x0, text.get_text()
        assert box.x1 <= sheet.x1, text.get_text()
