"""What those who run the service look at."""

from fastapi import APIRouter

router = APIRouter(tags=["running"])


@router.get("/health")
def health() -> dict[str, str]:
    """Whether the service answers."""
    return {"status": "ok"}
