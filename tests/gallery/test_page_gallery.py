"""The pages of the service as a browser draws them: in every state nothing overlaps, is cut or unreadable."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gallery.browser import VIEWS, chromium, complaints
from gallery.page_states import STATES, TOUCHED
from services.page_service import Service, serving

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium; apt-get install chromium"),
]
SCREENS = [view for view in VIEWS if not view.print]
RESTYLE = "css => { const s = new CSSStyleSheet(); s.replaceSync(css); document.adoptedStyleSheets = [s]; }"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.fixture
def page(opened: Any) -> Iterator[Any]:
    context = opened.new_context(viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()


@pytest.fixture
def phone(opened: Any) -> Iterator[Any]:
    context = opened.new_context(viewport={"width": 390, "height": 760}, has_touch=True, is_mobile=True)
    yield context.new_page()
    context.close()


# The window has its height, and a page that follows it has heard of that.
FOLLOWED = """height => window.innerHeight === height
    && [`${height}px`, ""].includes(document.body.style.height)"""


def looked_at(page: Any, view: Any, height: int = 800) -> list[str]:
    """What is wrong with a page as it is seen so."""
    page.emulate_media(color_scheme=view.scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": view.width, "height": height})
    page.wait_for_function(FOLLOWED, arg=height)
    return complaints(page)


def keep(page: Any, name: str) -> None:
    """Its picture, where pictures are wanted."""
    if folder := os.environ.get("FEWLABELS_GALLERY"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"page-{name}.png", full_page=True)


@pytest.mark.parametrize("state", STATES)
def test_a_page_in_any_state_is_well_drawn(service: Service, page: Any, state: str) -> None:
    found = {}
    STATES[state](service, page)
    for view in SCREENS:
        if wrong := looked_at(page, view, 760 if view.width < 700 else 800):
            found[view.name] = wrong
        keep(page, f"{state}-{view.name}")
    assert found == {}


@pytest.mark.parametrize("state", TOUCHED)
def test_in_the_hand_it_is_well_drawn_with_the_keyboard_open_too(service: Service, phone: Any, state: str) -> None:
    TOUCHED[state](Renamed(service.address, service.app, "touched"), phone)
    found = {}
    for name, height in (("hand", 760), ("keyboard", 420)):
        for view in (view for view in SCREENS if view.width < 700):
            if wrong := looked_at(phone, view, height):
                found[name, view.name] = wrong
            keep(phone, f"{state}-{view.name}-{name}")
    assert found == {}
    assert phone.locator("kbd:visible").count() == 0  # there are no such keys


@pytest.mark.parametrize(
    ("kind", "state", "spoilt"),
    [
        ("overlap", "text-3-classes", "#classes li { margin-bottom: -50px !important; }"),
        ("overlap", "studies", ".studies h2 { margin-bottom: -22px !important; }"),
        ("cut", "text-20-classes", ".choose { width: 700px; }"),
        ("cut", "long-text", ".item { overflow: hidden !important; }"),
        ("cut", "text-3-classes", ".top { height: 900px; } .tools { margin-top: 850px; }"),
        ("cut", "stopped", ".panel { padding-top: 900px !important; }"),
        ("cut", "new", "fieldset select { width: 90px !important; }"),
        ("contrast", "text-3-classes", ":root { --soft: #b8bec6 !important; }"),
        ("contrast", "link-ended", "h1 { color: #999 !important; }"),
        ("small", "skip", ".reasons button { height: 12px; padding: 0 !important; overflow: visible; }"),
    ],
)
def test_a_page_that_is_spoilt_on_purpose_fails(
    service: Service, page: Any, kind: str, state: str, spoilt: str
) -> None:
    address = {"studies": "/", "new": "/new", "link-ended": "/nowhere"}.get(state)
    if address:
        page.goto(service.address + address)
    else:
        STATES[state](Renamed(service.address, service.app, f"spoilt {kind}"), page)
    page.evaluate(RESTYLE, spoilt)
    assert any(words.startswith(kind) for words in looked_at(page, SCREENS[0]))


class Renamed(Service):
    """The same service; studies get other names, as there is one of theirs already."""

    def __init__(self, address: str, app: Any, more: str) -> None:
        super().__init__(address, app)
        object.__setattr__(self, "more", more)

    def made(self, name: str, *about: Any, **settings: Any) -> Any:
        return super().made(f"{name} {self.more}", *about, **settings)  # type: ignore[attr-defined]

    def page(self, name: str, part: str = "") -> str:
        return super().page(f"{name} {self.more}", part)  # type: ignore[attr-defined]
