"""Labellers who ask and tell as fast as they are answered, many in one process: a client that costs next to nothing."""

import asyncio
import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit


class Connection:
    """One connection that stays open, as a browser's does."""

    def __init__(self, url: str, token: str) -> None:
        place = urlsplit(url)
        self._host, self._port, self._token = str(place.hostname), int(place.port or 80), token
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Status and content; an error where the connection ends instead."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        content = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nhost: {self._host}\r\nauthorization: Bearer {self._token}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
        )
        try:
            writer.write(head.encode() + content)
            answer = await reader.readuntil(b"\r\n\r\n")
            fields = answer.decode("latin-1").lower().split("\r\n")
            length = next(int(line.split(":")[1]) for line in fields if line.startswith("content-length:"))
            return int(answer.split(b" ", 2)[1]), json.loads(await reader.readexactly(length))
        except (OSError, asyncio.IncompleteReadError) as error:
            self.close()
            raise ConnectionError from error

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


@dataclass
class Labeller:
    """What one labeller was given, and what was acknowledged; that is noted here, by the client."""

    connection: Connection
    study: str
    classes: list[str]
    seed: int
    given: list[Any] = field(default_factory=list)
    acknowledged: dict[Any, str] = field(default_factory=dict)
    seconds: list[tuple[float, float]] = field(default_factory=list)  # of each ask and tell
    failed: list[tuple[int, Any]] = field(default_factory=list)

    async def label(self, until: float, think: float = 0.0) -> None:
        """Ask and tell until then; `think` is how long one looks at an item, on average."""
        path, chance = f"/api/studies/{quote(self.study)}", random.Random(self.seed)
        while time.monotonic() < until:
            if think:
                await asyncio.sleep(chance.uniform(0, 2 * think))
            started = time.perf_counter()
            status, asked = await self.connection.post(f"{path}/ask", {"n": 1})
            took = time.perf_counter() - started
            if status != 200:
                self.failed.append((status, asked))
                continue
            if not asked["queries"]:
                return
            item = asked["queries"][0]["item"]
            self.given.append(item)
            label, started = chance.choice(self.classes), time.perf_counter()
            told = {"item": item, "label": label, "key": f"{item}"}
            status, answer = await self.connection.post(f"{path}/tell", told)
            if status != 200:
                self.failed.append((status, answer))
                continue
            self.acknowledged[item] = label
            self.seconds.append((took, time.perf_counter() - started))


def label_for(labellers: list[Labeller], seconds: float, think: float = 0.0) -> None:
    """All of them at once, for so many seconds; an error where the service ended."""

    async def all_of_them() -> None:
        until = time.monotonic() + seconds
        ends = await asyncio.gather(*(one.label(until, think) for one in labellers), return_exceptions=True)
        for one in labellers:
            one.connection.close()
        for error in filter(None, ends):
            raise error

    with ThreadPoolExecutor(1) as thread:  # a browser's driver may run in this one
        thread.submit(asyncio.run, all_of_them()).result()
