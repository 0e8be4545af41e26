"""Which studies there are, who asks, and new studies."""

from typing import Any

from fastapi import APIRouter, HTTPException, Request

import fewlabels as fl
from fewlabels.service import bodies as b
from fewlabels.service.access import IsHere, IsOwnerOfAll
from fewlabels.service.plain_json import PlainJSON
from fewlabels.service.questions import goal_of, question_of

router = APIRouter(prefix="/api", tags=["studies"])


@router.get("/session")
def session(who: IsHere) -> b.Session:
    """Who this is, and what pages of theirs send along when they write."""
    return b.Session(by=who.by, role=who.role, study=who.study, csrf=who.csrf)


@router.get("/studies", response_model=dict[str, Any])
def studies(who: IsHere, request: Request) -> PlainJSON:
    """The studies somebody has access to, oldest first."""
    found = request.app.state.studies
    names = [name for name in found.names() if who.study in (None, name)]
    return PlainJSON({"studies": [_about(found.get(name)) for name in names]})


@router.post("/studies", status_code=201, response_model=dict[str, Any])
def create(body: b.NewStudy, _: IsOwnerOfAll, request: Request) -> PlainJSON:
    """Make a study of a pool by its name."""
    found = request.app.state.studies
    if body.name in found.names():
        raise HTTPException(409, f"A study named {body.name!r} is there already; choose another name.")
    question, until = question_of(body.question), goal_of(body.until)
    file = request.app.state.pools.file(body.pool)
    try:
        pool = fl.open_pool(str(file))
    except OSError as error:
        raise HTTPException(422, f"The pool {body.pool!r} cannot be read ({error.strerror}).") from error
    made = fl.create_study(
        pool, question, until=until, budget=body.budget, seed=body.seed, name=body.name, storage=found.storage,
        labels_per_item=body.labels_per_item, overlap=body.overlap,
    )  # fmt: skip
    return PlainJSON(_about(found.add(made).study), 201)


@router.get("/pools", response_model=dict[str, Any])
def pools(_: IsOwnerOfAll, request: Request) -> PlainJSON:
    """The pools that new studies can be made of."""
    files = request.app.state.pools.files()
    return PlainJSON({"pools": [{"name": name} for name in files]})


def _about(study: fl.Study) -> dict[str, Any]:
    settings = study.settings
    return {
        "name": study.name,
        "question": settings.question.describe(),
        "until": None if settings.until is None else settings.until.describe(),
        "budget": settings.budget,
        "labels": len(study.labels),
    }
