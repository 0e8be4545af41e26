"""The service as one application: what it answers, and what stands in front of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from fewlabels.errors import FewlabelsError, LabelError, StudyError
from fewlabels.service import pages
from fewlabels.service.access import Gate, GuardedHeaders
from fewlabels.service.limits import BoundedBodies
from fewlabels.service.metrics import Counted, Metrics
from fewlabels.service.plain_json import PlainJSON
from fewlabels.service.pools import Pools
from fewlabels.service.routes import labelling, owning, running, studies
from fewlabels.service.settings import ServiceSettings
from fewlabels.service.studies import Studies, UnknownStudyError

_STATUS: tuple[tuple[type[FewlabelsError], int], ...] = (
    (UnknownStudyError, 404),
    (LabelError, 409),
    (StudyError, 503),  # the place studies are kept in is in trouble, or a pool is gone: it may be over soon
    (FewlabelsError, 422),
)


def create_app(settings: ServiceSettings) -> FastAPI:
    """The service of these settings."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await app.state.studies.close()

    app = FastAPI(
        title="fewlabels", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json"
    )  # pages of documentation would load scripts from elsewhere
    app.state.settings, app.state.gate, app.state.studies = settings, Gate(settings), Studies(settings)
    app.state.pools, app.state.metrics = Pools(settings.pools), Metrics()
    for router in (studies.router, labelling.router, owning.router, running.router, pages.router):
        app.include_router(router)
    pages.mount_static(app)
    app.add_exception_handler(FewlabelsError, _said_on_purpose)
    app.add_exception_handler(AnyHTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_middleware(Entrance, gate=app.state.gate)
    app.add_middleware(BoundedBodies)
    app.add_middleware(GuardedHeaders)
    app.add_middleware(Counted, metrics=app.state.metrics)
    return app


class Entrance:
    """Links that carry a token are answered with a cookie, whichever page they lead to."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app, self._gate = app, gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and b"token=" in scope["query_string"]:
            request = Request(scope, receive)
            try:
                answer = self._gate.enter(request)
            except HTTPException as error:
                answer = _in_words(request, error.status_code, error.detail)
            if answer is not None:
                await answer(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _in_words(request: Request, status: int, sentence: str) -> Response:
    if request.url.path.startswith(("/api/", "/health", "/metrics", "/static/")):
        return PlainJSON({"error": sentence}, status)
    return pages.error_page(request, status, sentence)


async def _refused(request: Request, error: Any) -> Response:
    return _in_words(request, error.status_code, str(error.detail))


async def _said_on_purpose(request: Request, error: Any) -> Response:
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    return _in_words(request, status, str(error))


async def _not_understood(request: Request, error: Any) -> Response:
    """Which parts were wrong; never what was sent, which may be anything."""
    wrong = [f"{'.'.join(str(part) for part in one['loc'])}: {one['msg']}" for one in error.errors()[:5]]
    return _in_words(request, 422, f"This was not understood: {'; '.join(wrong)}.")
