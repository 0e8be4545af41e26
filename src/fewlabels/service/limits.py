"""Bodies are bounded: what is longer is refused, unread."""

from fastapi import HTTPException
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 64 * 1024  # of a body; the longest that makes sense has a hundredth of it


class BoundedBodies:
    """Refuses bodies of over so many bytes, whether they say their length or not."""

    def __init__(self, app: ASGIApp, most: int = MOST_BYTES) -> None:
        self._app, self._most = app, most
        self._words = f"A body has at most {most:,} bytes."

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self._most:
            answer = JSONResponse({"error": self._words}, 413, {"connection": "close"})
            await answer(scope, receive, send)
            return
        seen = 0

        async def counting() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._most:
                raise HTTPException(413, self._words)
            return message

        await self._app(scope, counting, send)
