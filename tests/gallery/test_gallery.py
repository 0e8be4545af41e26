"""Reports as a browser draws them: at every size nothing overlaps, is cut or unreadable, and nothing hostile runs."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

import fewlabels as fl
from gallery.browser import VIEWS, View, chromium, complaints, seen
from gallery.pages import GROUPS, HOSTILE, LABELS, hostile_study, of_demo, questions, study_of, write

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium; apt-get install chromium"),
]
RESTYLE = "css => { const s = new CSSStyleSheet(); s.replaceSync(css); document.adoptedStyleSheets = [s]; }"
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
DESKTOP, PHONE, PRINT = VIEWS[0], VIEWS[2], VIEWS[4]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pages and pictures go: FEWLABELS_GALLERY, or nowhere that lasts."""
    kept = os.environ.get("FEWLABELS_GALLERY")
    path = Path(kept) if kept else tmp_path_factory.mktemp("gallery")
    path.mkdir(parents=True, exist_ok=True)
    return path


def looked_at(opened: Any, file: Path) -> dict[str, list[str]]:
    """What is wrong with a page in each view; a picture of each is kept beside it."""
    found = {}
    for view in VIEWS:
        with seen(opened, file, view) as page:
            found[view.name] = [*complaints(page), *page.heard]
            if os.environ.get("FEWLABELS_GALLERY"):
                page.screenshot(path=file.with_name(f"{file.stem}-{view.name}.png"), full_page=True)
    return {name: wrong for name, wrong in found.items() if wrong}


@pytest.mark.parametrize("groups", GROUPS)
@pytest.mark.parametrize("labels", LABELS)
def test_a_report_of_any_size_is_well_drawn(opened: Any, folder: Path, groups: int, labels: int | None) -> None:
    file = write(study_of(groups, labels), folder, f"groups-{groups}-labels-{'all' if labels is None else labels}")
    assert file.stat().st_size < 3_000_000
    assert looked_at(opened, file) == {}


@pytest.fixture(scope="module")
def asked() -> dict[str, Any]:
    return questions()


@pytest.mark.parametrize(
    "kind", ["identify", "compare", "confusion", "f1", "overall", "below", "models", "best", "f_scores"]
)
def test_a_report_of_every_question_is_well_drawn(opened: Any, folder: Path, asked: dict[str, Any], kind: str) -> None:
    assert looked_at(opened, write(asked[kind], folder, kind)) == {}


def test_hostile_names_texts_and_addresses_stay_inert(opened: Any, folder: Path) -> None:
    file = write(hostile_study(), folder, "hostile", include_text=True)
    assert looked_at(opened, file) == {}
    with seen(opened, file, DESKTOP) as page:
        here = page.url
        assert page.evaluate("window.pwned") is None
        assert page.locator("img, iframe, a, form, object, embed, link, base").count() == 0
        assert page.locator("script:not([type='text/plain'])").count() == 1  # the other is the receipt
        for name in HOSTILE[:4]:
            for place in page.get_by_text(name, exact=True).all()[:3]:
                if place.is_visible():
                    place.click(force=True)
        page.mouse.move(400, 300)
        assert (page.evaluate("window.pwned"), page.url, page.heard) == (None, here, [])


def test_what_would_run_without_the_policy_does_not_run_with_it(opened: Any, folder: Path) -> None:
    """A negative control: were a name not escaped, the policy would still stop it, and we would hear of that."""
    file = write(of_demo_small(), folder, "injected")
    text = file.read_text().replace(
        "<main>", '<main><img src=x onerror="window.pwned=1"><script>window.pwned=2</script>'
    )
    file.write_text(text)
    with seen(opened, file, DESKTOP) as page:
        assert page.evaluate("window.pwned") is None
        assert any("Content Security Policy" in words for words in page.heard)
    file.write_text(re.sub(r"<meta http-equiv[^>]*>", "", text))
    with seen(opened, file, DESKTOP) as page:
        assert page.evaluate("window.pwned") is not None


def of_demo_small() -> Any:
    return study_of(20, 5)


@pytest.mark.parametrize(
    ("kind", "spoilt"),
    [
        ("overlap", "svg text { font-size: 27px !important; }"),
        ("overlap", "td:nth-child(2) { position: relative; left: 90px; }"),
        ("cut", "main { width: 2000px !important; max-width: none !important; }"),
        ("cut", "svg { overflow: visible; } svg .m-words { transform: translateX(-260px); }"),
        ("axis", ""),
        ("contrast", ":root { --soft: #b8bec6 !important; }"),
        ("contrast", "h1 { color: #999 !important; }"),
    ],
)
def test_a_page_that_is_spoilt_on_purpose_fails(opened: Any, folder: Path, kind: str, spoilt: str) -> None:
    file = write(of_demo_small(), folder, "spoilt")
    with seen(opened, file, DESKTOP) as page:
        assert complaints(page) == []
        page.evaluate(RESTYLE, spoilt)
        if kind == "axis":
            page.evaluate("document.querySelectorAll('.m-title').forEach(e => e.remove())")
        assert any(words.startswith(kind) for words in complaints(page))


def test_marks_answer_to_a_hover_and_to_a_touch(opened: Any, folder: Path) -> None:
    file = write(study_of(20, 500), folder, "hover")
    for view, svg in ((DESKTOP, "svg.wide"), (PHONE, "svg.narrow")):
        with seen(opened, file, view) as page:
            mark = page.locator(f"#figure-groups {svg} .tip").first
            mark.scroll_into_view_if_needed()
            page.evaluate(DRAWN)  # its scroll event has been told; one that came after the hover would hide the tip
            mark.hover(force=True)
            tip = page.locator("#tip")
            tip.wait_for(state="visible")
            words = r"_\d{4}: \d+\.\d% \((95% interval|all \d+ labelled|its one item labelled)"
            assert re.search(words, tip.inner_text())
            box = tip.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= view.width
            page.mouse.move(5, 5)
            tip.wait_for(state="hidden")


def test_print_repeats_the_heads_of_tables_and_breaks_no_row(opened: Any, folder: Path) -> None:
    file = write(study_of(100, 500), folder, "printed")
    with seen(opened, file, PRINT) as page:
        style = "(e, what) => getComputedStyle(e)[what]"
        assert page.locator("table.numbers thead").evaluate(style, "display") == "table-header-group"
        assert page.locator("table.numbers tbody tr").first.evaluate(style, "breakInside") == "avoid"
        assert page.locator("details").first.evaluate(style, "display") == "none"
        pdf = page.pdf(format="A4", prefer_css_page_size=True)
        assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") + pdf.count(b"/Type /Page/") > 3


def test_a_picture_taller_than_a_sheet_would_be_noticed(opened: Any, folder: Path) -> None:
    file = write(study_of(100, 500), folder, "tall")
    with seen(opened, file, PRINT) as page:
        assert complaints(page) == []
        page.evaluate(RESTYLE, "svg { max-height: none !important; min-height: 1000px; }")
        assert any("torn between sheets" in words for words in complaints(page))


def test_a_dark_page_is_dark_and_prints_light(opened: Any, folder: Path) -> None:
    file, ground = (
        write(of_demo_small(), folder, "dark"),
        "() => getComputedStyle(document.querySelector('main')).backgroundColor",
    )
    for view, colour in (
        (VIEWS[1], "rgb(23, 29, 37)"),
        (DESKTOP, "rgb(255, 255, 255)"),
        (VIEWS[5], "rgb(255, 255, 255)"),
    ):
        with seen(opened, file, view) as page:
            assert page.evaluate(ground) == colour, view.name


COLUMNS = """
main { max-width: none; margin: 14px; padding: 22px 36px; height: 782px; columns: 2; column-gap: 44px; }
main { column-fill: auto; }
main > * { display: none; } main > header, main > .doubts { display: block; }
main > h2:has(+ ul) { display: block; margin-top: 22px; }
main > #picture-reliability { display: block; break-before: column; }
#picture-reliability > h3 { margin: 0; } #picture-reliability > details { display: none; }
"""


def test_the_bundled_pool_makes_the_picture_of_the_readme(opened: Any, folder: Path) -> None:
    """The first part of a page and one of its pictures, side by side: `FEWLABELS_PICTURE=docs/report.png make gallery`
    makes it again."""
    study = of_demo(fl.Estimate("accuracy"), 300, until=fl.HalfWidth(0.05), name="march-audit")
    with seen(opened, write(study, folder, "readme"), View("readme", 1480)) as page:
        page.set_viewport_size({"width": 1480, "height": 812})
        page.evaluate(RESTYLE, COLUMNS)
        left, right = (page.locator(where).bounding_box() for where in ("main > header", "#picture-reliability"))
        assert right["x"] >= left["x"] + left["width"]
        assert page.screenshot(path=os.environ.get("FEWLABELS_PICTURE")).startswith(b"\x89PNG")
