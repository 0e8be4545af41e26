"""The kept figures are laid out as the papers have them: panels, curves, names of axes, ranges; and words fit."""

from pathlib import Path

import pytest

from fewlabels.reproduction.drawing import figure_of
from fewlabels.reproduction.experiments import EXPERIMENTS
from fewlabels.reproduction.results import load_results
from figure_structure import POOL, STRUCTURE, structure_of

_ALL = load_results(Path(__file__).parents[3] / "docs" / "reproduction")
KEPT = {name: found for name, found in _ALL.items() if not EXPERIMENTS[name].is_earlier(found)}  # of the present design
FIGURES = [name for name, found in KEPT.items() if found.panels]


@pytest.mark.parametrize("name", [name for name in STRUCTURE if name in KEPT])
def test_a_kept_figure_is_laid_out_as_the_paper_has_it(name):
    assert structure_of(KEPT[name]) == STRUCTURE[name]


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


@pytest.mark.parametrize("name", ["aaai-figure-1", "aaai-figure-8", "aaai-figure-17", "acis-figure-8"])
def test_no_title_is_cut_off(name):
    figure = figure_of(KEPT[name])
    figure.draw_without_rendering()
    sheet = figure.bbox
    for text in [figure._suptitle, *(axis.title for axis in figure.axes)]:
        box = text.get_window_extent()
        assert sheet.x0 <= box.x0, text.get_text()
        assert box.x1 <= sheet.x1, text.get_text()
