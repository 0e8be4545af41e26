"""Which studies there are, and who asks."""

from fastapi import APIRouter, Request

from fewlabels.service.access import IsHere

router = APIRouter(prefix="/api", tags=["studies"])


@router.get("/session")
def session(who: IsHere) -> dict[str, str | None]:
    """Who this is, and what pages of theirs send along when they write."""
    return {"by": who.by, "role": who.role, "study": who.study, "csrf": who.csrf}


@router.get("/studies")
def studies(who: IsHere, request: Request) -> dict[str, list[str]]:
    """The studies somebody has access to."""
    names = request.app.state.studies.names()
    return {"studies": [name for name in names if who.study in (None, name)]}
