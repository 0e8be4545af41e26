"""Starts the service, says where it is, and ends it when it is told to."""

import gc
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import uvicorn

from fewlabels.errors import QuestionError
from fewlabels.service.app import create_app
from fewlabels.service.settings import ServiceSettings

_LAST_WORDS = 10  # seconds that requests under way have, once the service is told to end
_SLICE = 0.0005  # seconds after which a thread that computes lets another go on: labellers wait for several such turns


class Server(uvicorn.Server):
    """Says where it is as soon as it answers."""

    def __init__(self, config: uvicorn.Config, started: Callable[[int], None]) -> None:
        super().__init__(config)
        self._said = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._said(self.servers[0].sockets[0].getsockname()[1])


def run(settings: ServiceSettings, study: str | None, say: Callable[[str], Any]) -> None:
    """Serve until SIGTERM or Ctrl-C; then requests are answered, items of labellers given back."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host

    def started(port: int) -> None:
        gc.collect()
        gc.freeze()  # what is there now stays: to search all of it for garbage would hold up everybody who labels
        path = "/" if study is None else f"/s/{quote(study, safe='')}/"
        say(f"Serving at http://{host}:{port}{path}")
        if settings.token is not None:
            say("Open it once with your token behind it: ?token=… ; labellers get links from you.")

    sys.setswitchinterval(_SLICE)
    config = uvicorn.Config(
        create_app(settings), settings.host, settings.port,
        log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=_LAST_WORDS,
    )  # fmt: skip
    for number in (signal.SIGTERM, signal.SIGINT):
        # uvicorn ends on either, and sends it once more to whoever listened before: the exit code is to say all is well
        signal.signal(number, lambda *_: None)
    try:
        Server(config, started).run()
    except SystemExit as error:
        if error.code:
            raise QuestionError(
                f"{settings.host}:{settings.port} cannot be listened on; if another service is there, choose another "
                "--port."
            ) from error
