"""Figures of a study: what they show is the answer, their marks lie where they belong, and words fit."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.figures import FIGURES, NARROW, WIDE
from fewlabels.figures.axes import counts, fitting, scale, width_of
from fewlabels.figures.calibration_error import frequencies
from fewlabels.figures.intervals import MOST_ROWS
from fewlabels.figures.marks import Box, Dot, Drawing, Line, Mark, Moved, Words
from fewlabels.figures.marks import Path as Stroke
from fewlabels.figures.thresholds import _turn
from fewlabels.study.look import look

NAMES = ["north", "east", "south", "west"]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def pool() -> fl.Pool:
    """120 items of four classes, two models, labels known."""
    rng = np.random.default_rng(0)
    truth = rng.choice(NAMES, size=120)
    one, two = (
        fl.Pool.from_arrays(
            probabilities=0.6 * np.array([[c == t for c in NAMES] for t in truth])
            + 0.4 * rng.dirichlet([0.5] * 4, 120),
            classes=NAMES,
            labels=truth,
        )
        for _ in range(2)
    )
    return fl.Pool.join({"one": one, "two": two})


def told(pool: fl.Pool, question: object, n: int = 60, **settings: object) -> fl.Study:
    settings = {"model": "one"} | settings
    study = fl.create_study(pool, question, **settings)  # type: ignore[arg-type]
    known = dict(zip(pool.ids, pool.known_labels, strict=True))  # type: ignore[arg-type]
    for size in (n // 2, n - n // 2):
        study.tell({query.item: known[query.item] for query in study.ask(size)})
    return study


@pytest.fixture(scope="module")
def studies(pool: fl.Pool) -> dict[str, fl.Study]:
    """A study that each figure belongs to."""
    by_class, f1 = (
        told(pool, fl.Estimate("accuracy", by="predicted_class")),
        told(pool, fl.Estimate("f1", positive="east")),
    )
    of_one = dict.fromkeys(("f_rounds", "f_threshold", "precision_recall"), f1)
    return dict.fromkeys(FIGURES, by_class) | of_one | {
        "difference": told(pool, fl.Compare("accuracy", by="predicted_class", a="north", b="west")),
        "confusion": told(pool, fl.Estimate("confusion")),
        "cost": told(pool, fl.Estimate(fl.Cost(2 * (1 - np.eye(4)), classes=NAMES))),
    }  # fmt: skip


def spread(marks: tuple[Mark, ...], dx: float = 0.0, dy: float = 0.0) -> list[tuple[Mark, float, float]]:
    """Every mark with the place of the drawing it is in."""
    found: list[tuple[Mark, float, float]] = []
    for mark in marks:
        found += spread(mark.marks, dx + mark.x, dy + mark.y) if isinstance(mark, Moved) else [(mark, dx, dy)]
    return found


def corners(mark: Mark) -> list[tuple[float, float]]:
    match mark:
        case Line(x1, y1, x2, y2):
            return [(x1, y1), (x2, y2)]
        case Box(x, y, width, height):
            return [(x, y), (x + width, y + height)]
        case Dot(x, y):
            return [(x, y)]
        case Stroke(points):
            return list(points)
        case Words(x, y, text, _, anchor):
            wide = 0.75 * width_of(text, 11)  # widths are rather too large than too small
            left = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor]
            return [(left, y - 8), (left + wide, y)]
    return []


def inside(drawing: Drawing) -> None:
    for mark, dx, dy in spread(drawing.marks):
        for x, y in corners(mark):
            assert -1 <= x + dx <= drawing.width + 1, mark
            assert -1 <= y + dy <= drawing.height + 1, mark


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_drawn_inside_of_its_sheet_wide_and_narrow(studies: dict[str, fl.Study], name: str) -> None:
    figure = fl.plot(studies[name], name)
    for width in (WIDE, NARROW):
        drawing = figure.draw(width)
        assert drawing.width <= width
        inside(drawing)
        titles = [mark for mark, _, _ in spread(drawing.marks) if isinstance(mark, Words) and mark.style == "title"]
        assert titles
    assert re.search(r"\d labels|label", figure.caption)
    assert "interval" in figure.caption or "no interval" in figure.caption or "blocks" in figure.caption
    assert figure.table.rows
    assert all(len(row) == len(figure.table.heads) for row in figure.table.rows)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_an_svg_file_that_answers_to_a_hover(
    studies: dict[str, fl.Study], tmp_path: Path, name: str
) -> None:
    file = tmp_path / f"{name}.svg"
    figure = fl.plot(studies[name], name, file)
    root = ET.fromstring(file.read_text())
    assert root.find(f"{SVG}title").text == f"{figure.title}. {figure.caption}"  # type: ignore[union-attr]
    assert [e for e in root.iter() if "tip" in e.get("class", "").split() and e.find(f"{SVG}title") is not None]
    assert figure.svg == fl.plot(studies[name], name).svg == figure._repr_svg_()


@pytest.mark.parametrize("name", ["groups", "confusion", "f_rounds", "labels_over_time"])
def test_figures_become_png_files_too(studies: dict[str, fl.Study], tmp_path: Path, name: str) -> None:
    fl.plot(studies[name], name, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_the_table_behind_the_groups_is_the_answer(studies: dict[str, fl.Study]) -> None:
    answer = studies["groups"].answer()
    for row in fl.plot(studies["groups"]).to_dicts():
        finding = answer[row["group"]]
        assert (row["estimate"], row["low"], row["high"], row["labels"]) == (
            finding.value, finding.low, finding.high, finding.labels)  # fmt: skip


def test_a_bar_lies_between_the_ends_of_its_interval(studies: dict[str, fl.Study]) -> None:
    figure, answer = fl.plot(studies["groups"]), studies["groups"].answer()
    drawing = figure.draw(WIDE)
    marks = [mark for mark, _, _ in spread(drawing.marks)]
    ticks = {m.text: m.x for m in marks if isinstance(m, Words) and m.style == "axis" and m.text.endswith("%")}
    (a, xa), (b, xb) = ((float(text[:-1]) / 100, x) for text, x in list(ticks.items())[:2])
    at = [a + (b - a) * (dot.x - xa) / (xb - xa) for dot in marks if isinstance(dot, Dot)]
    assert sorted(at) == pytest.approx(sorted(f.value for f in answer.findings), abs=0.002)
    bars = [m for m in marks if isinstance(m, Line) and m.style.startswith("bar")]
    low = [a + (b - a) * (bar.x1 - xa) / (xb - xa) for bar in bars]
    assert sorted(low) == pytest.approx(sorted(f.low for f in answer.findings), abs=0.002)


def test_the_plain_calibration_error_is_what_a_loop_over_bins_says(pool: fl.Pool) -> None:
    study = told(pool, fl.Estimate("accuracy"))
    labels, rows = study.labels, {r.item: r for r in pool.engine.find("one", (), pool.ids)}  # type: ignore[union-attr]
    total, gap = 0.0, 0.0
    for b in range(10):
        items = [i for i in pool.ids if min(int(rows[i].score * 10), 9) == b]
        known = [i for i in items if i in labels]
        if known:
            right = sum(rows[i].predicted == labels[i] for i in known) / len(known)
            gap += len(items) * abs(right - sum(rows[i].score for i in items) / len(items))
            total += len(items)
    found = frequencies(look(study).reading(fl.Estimate("calibration_error")))  # type: ignore[arg-type]
    assert found == pytest.approx(gap / total, abs=1e-9)


def test_the_last_point_of_the_course_is_the_answer_and_earlier_ones_are_those_of_then(pool: fl.Pool) -> None:
    study = fl.create_study(pool, fl.Estimate("accuracy"), model="one")
    known = dict(zip(pool.ids, pool.known_labels, strict=True))  # type: ignore[arg-type]
    then = {}
    for _ in range(16):
        (query,) = study.ask(1)
        study.tell(query, known[query.item])
        then[str(len(study.labels))] = study.answer().overall
    rows = fl.plot(study, "by_labels").to_dicts()
    assert rows[-1]["labels"] == "16"
    for row in rows:
        finding = then[row["labels"]]
        assert (row["estimate"], row["low"], row["high"]) == (finding.value, finding.low, finding.high)  # type: ignore[union-attr]


def test_labels_went_where_the_evidence_has_them(studies: dict[str, fl.Study]) -> None:
    study = studies["labels_by_group"]
    told_of = {f.group: f.labels for f in study.answer().findings}
    assert {row["group"]: row["labels"] for row in fl.plot(study, "labels_by_group").to_dicts()} == told_of
    for row in fl.plot(study, "labels_over_time").to_dicts():
        assert sum(v for head, v in row.items() if head != "group") == told_of[row["group"]]


def test_ranks_are_those_of_the_question_for_the_worst_and_the_best(studies: dict[str, fl.Study]) -> None:
    study = studies["ranks"]
    worst = study.answer(fl.Identify("accuracy", by="predicted_class"))
    best = study.answer(fl.Identify("accuracy", by="predicted_class", which="best"))
    for row in fl.plot(study, "ranks").to_dicts():
        assert row["P(worst)"] == worst[row["group"]].p_top  # type: ignore[attr-defined]
        assert row["P(best)"] == best[row["group"]].p_top  # type: ignore[attr-defined]


def test_the_band_of_precision_and_recall_holds_every_interval_and_the_curve(studies: dict[str, fl.Study]) -> None:
    figure = fl.plot(studies["precision_recall"], "precision_recall")
    marks = figure.draw(WIDE).marks
    bands = [mark.points for mark in marks if isinstance(mark, Stroke) and mark.style == "band"]
    (curve,) = [mark for mark in marks if isinstance(mark, Stroke) and mark.style == "line"]
    assert len(bands) == max(len(curve.points) - 1, 1)
    for band, one, other in zip(bands, curve.points, curve.points[1:], strict=False):
        ends = [(f(x), f(y)) for f in (min, max) for x, y in [tuple(zip(*band, strict=True))]]
        for x, y in (one, other):
            assert ends[0][0] - 1e-6 <= x <= ends[1][0] + 1e-6
            assert ends[0][1] - 1e-6 <= y <= ends[1][1] + 1e-6
        turns = [_turn(band[i - 2], band[i - 1], band[i]) for i in range(len(band))]
        assert all(turn >= -1e-9 for turn in turns)  # no corner points inwards
    names = [mark.text for mark in marks if isinstance(mark, Words) and mark.style == "small"]
    assert names[0] == figure.to_dicts()[0]["threshold"]


def test_two_models_are_set_against_one_another(pool: fl.Pool) -> None:
    study = told(pool, fl.CompareModels("accuracy", a="one", b="two", rope=0.02), 10, model=None)
    figure, answer = fl.plot(study, "models"), study.answer()
    assert figure.title == "one against two"
    assert figure.to_dicts()[0]["estimate"] == answer.difference.value  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", [name for name in FIGURES if name not in ("groups", "models")])
def test_what_a_study_does_not_have_is_said(pool: fl.Pool, name: str) -> None:
    study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), model="one")
    with pytest.raises(
        fl.QuestionError, match=r"no labels yet|fewer than two|compares no|asks for no|not about|about no one"
    ):
        fl.plot(study, name)


def test_an_unknown_figure_and_an_unknown_ending_are_refused(studies: dict[str, fl.Study], tmp_path: Path) -> None:
    with pytest.raises(fl.QuestionError, match="no figure 'pie'; there are groups, "):
        fl.plot(studies["groups"], "pie")
    with pytest.raises(fl.QuestionError, match=r"written as \.svg or \.png"):
        fl.plot(studies["groups"], "groups", tmp_path / "figure.gif")


def test_of_many_groups_both_ends_are_drawn() -> None:
    predicted = [f"c{i:03d}" for i in range(100)] * 3
    many = fl.Pool.from_arrays(predicted=predicted, score=np.linspace(0.2, 0.99, 300))
    study = fl.create_study(many, fl.Estimate("accuracy", by="predicted_class"))
    study.tell(dict(zip(many.ids[:100], predicted, strict=False)), drawn="uniform")
    figure = fl.plot(study)
    marks = [mark for mark, _, _ in spread(figure.draw(WIDE).marks)]
    assert sum(isinstance(mark, Dot) for mark in marks) == MOST_ROWS
    assert any(isinstance(mark, Words) and mark.text.startswith("… 60 more") for mark in marks)
    assert len(figure.table.rows) == 100


def test_axes_fit_what_they_show() -> None:
    assert scale([0.93, 0.99], bounds=(0, 1)).ends == (0.92, 1.0)
    assert scale([0.981, 0.9995], bounds=(0, 1)).ends == (0.98, 1.0)
    assert scale([0.0, 1.0]).ticks == (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    assert [scale([0.5, 1.0]).text(t) for t in (0.5, 1.0)] == ["50%", "100%"]
    assert [scale([0.9, 0.925]).text(t) for t in (0.9, 0.905)] == ["90.0%", "90.5%"]
    assert [scale([-0.1, 0.1], "points").text(t) for t in (-0.1, 0.0, 0.1)] == ["-10", "0", "+10"]
    assert scale([]).ends == (0.0, 1.0)
    assert scale([0.5]).ends[0] < 0.5 < scale([0.5]).ends[1]
    assert counts(3).ticks == (0, 1, 2, 3)


def test_names_are_shortened_to_the_room_there_is_and_pairs_show_both_halves() -> None:
    for name in ("a_rather_long_name_of_a_class", "WWWWWWWWWWWWWWWWWWW", "名前が日本語で書かれた"):
        short = fitting(name, 90)
        assert width_of(short) <= 90
        assert short.endswith("…")
    pair = fitting("a_rather_long_name_of_a_class → another_quite_long_name", 160, arrow=" → ")
    assert re.fullmatch(r"a_\w*… → an\w*…", pair)
    assert width_of(pair) <= 161
