"""How pages are filled in, and the files they load: all of them ours, named here, and from nowhere else."""

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader

from fewlabels.figures.palette import css
from fewlabels.reporting.render import page_environment, part, styles_of_report

STATIC = "/static"
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@cache
def static_files() -> dict[str, tuple[str, bytes]]:
    """Of each file its type and content."""
    ours = (file for file in (files("fewlabels.service") / "static").iterdir() if file.name.count(".") == 1)
    texts = {file.name: file.read_text(encoding="utf-8") for file in ours}
    texts |= {"palette.css": css(), "report.css": styles_of_report(), "tips.js": part("tips.js")}
    return {
        name: (f"{_TYPES[name.rpartition('.')[2]]}; charset=utf-8", text.encode())
        for name, text in texts.items()
        if name.rpartition(".")[2] in _TYPES
    }


@cache
def _stamp() -> str:
    """Changes with the files: a browser that has old ones fetches them anew."""
    return hashlib.sha256(b"".join(content for _, content in static_files().values())).hexdigest()[:12]


@cache
def _environment() -> Environment:
    return page_environment(PackageLoader("fewlabels.service"))


def rendered(template: str, **shown: Any) -> str:
    """A page, or part of one."""
    return _environment().get_template(template).render(static=f"{STATIC}/{_stamp()}", **shown)


def page(
    template: str, *, status: int = 200, csrf: str = "", sheets: str, scripts: str = "", **shown: Any
) -> HTMLResponse:
    """A page with its style sheets and scripts, by their names."""
    text = rendered(template, csrf=csrf, sheets=sheets.split(), scripts=scripts.split(), **shown)
    return HTMLResponse(text.encode("utf-8", "backslashreplace"), status)


_HEADS = {
    401: "No way in",
    403: "No way in",
    404: "There is nothing here",
    409: "That cannot be done",
    422: "That was not understood",
}


def error_page(request: Request, status: int, sentence: str) -> HTMLResponse:  # noqa: ARG001 - whatever was asked for
    """What somebody sees whose address leads nowhere, or whose link has ended."""
    head = _HEADS.get(status, "Something went wrong" if status >= 500 else "That did not work")
    return page("message.html.j2", status=status, sheets="report.css page.css", head=head, sentence=sentence)
