"""The time of events, in one place: as text, which sorts as the time does."""

from datetime import UTC, datetime, timedelta


def now() -> str:
    """This moment."""
    return later(0)


def later(seconds: float) -> str:
    """The moment so many seconds from now."""
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
