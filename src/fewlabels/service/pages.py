"""What people see in a browser."""

import html

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse

router = APIRouter(include_in_schema=False)


def mount_static(app: FastAPI) -> None:
    """Styles and scripts, under /static."""


def error_page(request: Request, status: int, sentence: str) -> HTMLResponse:  # noqa: ARG001
    """What somebody reads whose address leads nowhere, or whose link ended."""
    return HTMLResponse(f"<!doctype html><title>{status}</title><p>{html.escape(sentence)}</p>", status)
