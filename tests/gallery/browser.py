"""A browser that looks at pages: Chromium, driven by Playwright (extra `gallery`)."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

PATIENCE = 600_000  # milliseconds before a busy machine is taken for a hung one
COMPLAINTS = (Path(__file__).parent / "complaints.js").read_text()


@dataclass(frozen=True)
class View:
    """How somebody looks at a page."""

    name: str
    width: int
    scheme: Literal["light", "dark"] = "light"
    print: bool = False


VIEWS = (
    View("desktop", 1280),
    View("desktop-dark", 1280, "dark"),
    View("phone", 390),
    View("phone-dark", 390, "dark"),
    View("print", 720, print=True),  # A4 with the page's margins
    View("print-dark", 720, "dark", print=True),
)


def chromium() -> str | None:
    """Where the browser is; None where there is none."""
    return os.environ.get("FEWLABELS_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


@contextmanager
def browser() -> Iterator[Any]:
    """A browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield opened
        opened.close()


@contextmanager
def seen(opened: Any, file: Path, view: View) -> Iterator[Any]:
    """A page as it is seen; what it says to the console or asks to load is kept in `page.heard`."""
    context = opened.new_context(viewport={"width": view.width, "height": 900}, color_scheme=view.scheme)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.heard = []
    page.on("console", lambda message: page.heard.append(message.text))
    page.on("pageerror", lambda error: page.heard.append(str(error)))
    page.on("dialog", lambda dialog: (page.heard.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: None if request.url.startswith("file:") else page.heard.append(request.url))
    if view.print:
        page.emulate_media(media="print", color_scheme=view.scheme)
    page.goto(file.absolute().as_uri())
    yield page
    context.close()


def complaints(page: Any) -> list[str]:
    """What is wrong with a page as it is drawn: overlapping or cut text, nameless axes, too little contrast."""
    return list(page.evaluate(COMPLAINTS))
