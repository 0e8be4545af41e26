"""What those who run the service look at."""

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse

from fewlabels.service.access import IsOwnerOfAll
from fewlabels.service.metrics import TYPE

router = APIRouter(tags=["running"])


@router.get("/health")
async def health() -> dict[str, str]:
    """Whether the service answers; anybody may ask."""
    return {"status": "ok"}


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(_: IsOwnerOfAll, request: Request) -> PlainTextResponse:
    """What the service counts, for Prometheus."""
    state = request.app.state
    gauges = {
        "fewlabels_studies_open": ("Studies that somebody asked for.", len(state.studies.open())),
        "fewlabels_items_held": ("Items that labellers hold.", sum(one.held for one in state.studies.open())),
    }
    return PlainTextResponse(state.metrics.text(gauges), media_type=TYPE)
