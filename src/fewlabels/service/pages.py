"""The pages: labelling, a study's answer for its owner, the list of studies, and the form of a new one."""

from typing import Any

from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from fewlabels.errors import FewlabelsError
from fewlabels.metrics import needs_positive
from fewlabels.service.access import IsHere, IsOwner, IsOwnerOfAll
from fewlabels.service.owner_view import LiveParts
from fewlabels.service.rendering import STATIC, error_page, page, static_files
from fewlabels.service.studies import Served, Studies

router = APIRouter(include_in_schema=False)
_FEW = 9  # classes that have a key each, and are shown large
REASONS = ("unreadable, or not there", "several classes fit", "no class fits", "I cannot tell")
_METRICS = (
    "accuracy", "f1", "precision", "recall", "balanced_accuracy", "macro_f1", "calibration_error", "calibration_bias",
    "reliability", "true_positive_rate", "confusion",
)  # fmt: skip
_SHEETS = "report.css page.css owner.css"
_live = LiveParts()
__all__ = ["error_page", "mount_static", "router"]


def mount_static(app: FastAPI) -> None:
    """Styles and scripts, under /static."""
    app.add_api_route(STATIC + "/{stamp}/{file}", static, include_in_schema=False)


def static(file: str, stamp: str) -> Response:  # noqa: ARG001 - it is there to be another one after an upgrade
    """One of the files that pages load."""
    if file not in static_files():
        raise HTTPException(404, "There is no such file.")
    kind, content = static_files()[file]
    return Response(content, media_type=kind, headers={"cache-control": "public, max-age=86400, immutable"})


@router.get("/")
def studies(who: IsOwnerOfAll, request: Request) -> HTMLResponse:
    """All studies."""
    found: Studies = request.app.state.studies
    rows = [_row(found, name) for name in found.names()]
    can_make = request.app.state.settings.pools is not None
    return page("studies.html.j2", csrf=who.csrf, sheets=_SHEETS, studies=rows, can_make=can_make)


@router.get("/new")
def new(who: IsOwnerOfAll, request: Request) -> HTMLResponse:
    """The form of a new study."""
    pools = list(request.app.state.pools.files())
    return page(
        "new.html.j2",
        csrf=who.csrf,
        sheets=_SHEETS,
        scripts="new.js",
        pools=pools,
        metrics={name: needs_positive(name) for name in _METRICS},
    )


@router.get("/s/{study}/")
def label(study: str, who: IsHere, request: Request) -> HTMLResponse:
    """The page on which items are labelled."""
    found, settings = _served(request, study).study, request.app.state.settings
    guess = settings.show_guess and not found.settings.question.of_models
    data = {"study": study, "by": who.by, "classes": found.classes, "positive": found.positive, "guess": guess}
    return page(
        "label.html.j2", csrf=who.csrf, sheets="palette.css page.css label.css", scripts="label.js", study=study,
        data=data, few=len(found.classes) <= _FEW, owner=who.owns, reasons=REASONS,
    )  # fmt: skip


@router.get("/s/{study}")
def without_its_slash(study: str, request: Request) -> RedirectResponse:  # noqa: ARG001 - it is in the address
    """The same, typed by hand."""
    return RedirectResponse(f"{request.url.path}/", 307)


@router.get("/s/{study}/owner")
def owner(study: str, who: IsOwner, request: Request) -> HTMLResponse:
    """The answer as it moves, and what an owner does."""
    served = _served(request, study)
    found, settings = served.study, served.study.settings
    data = {
        "study": study, "live": f"{request.url.path}/live", "budget": settings.budget,
        "goal": None if settings.until is None else {"name": settings.until.name, **vars(settings.until)},
    }  # fmt: skip
    shown: dict[str, Any] = {
        "live": Markup(_live.of(served)),
        "classes": found.classes,
        "budget": settings.budget,
        "data": data,
    }
    return page(
        "owner.html.j2", csrf=who.csrf, sheets=_SHEETS, scripts="tips.js owner.js", study=study, **shown,
        question=settings.question.describe(), goal=settings.until.describe() if settings.until else "",
        all=who.study is None,
    )  # fmt: skip


@router.get("/s/{study}/owner/live")
def live(study: str, _: IsOwner, request: Request, after: int = -1) -> Response:
    """The part of it that moves; nothing where nothing happened since."""
    served = _served(request, study)
    if served.tally.catch_up() == after:
        return Response(status_code=204)
    return HTMLResponse(_live.of(served))


# -- inside ------------------------------------------------------------------------------------------------------------


def _served(request: Request, name: str) -> Served:
    found: Studies = request.app.state.studies
    return found.served(name)


def _row(found: Studies, name: str) -> dict[str, Any]:
    """A study in the list; one that cannot be opened is no reason to show none."""
    try:
        study = found.get(name)
        settings, labels = study.settings, len(study.labels)
    except FewlabelsError as error:
        return {"name": name, "trouble": str(error)}
    goal = settings.until.describe() if settings.until else ""
    question = settings.question.describe()
    return {
        "name": name,
        "trouble": "",
        "question": question,
        "labels": labels,
        "budget": settings.budget,
        "goal": goal,
    }
