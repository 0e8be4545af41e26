"""A service of the tests' own, on a free port: in this process, or as the command in one that can be killed."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import uvicorn

import fewlabels as fl
from fewlabels.service.app import create_app
from fewlabels.service.settings import ServiceSettings

TOKEN = "the-owner's-token-of-tests"
CLASSES = ("cat", "dog", "eel")
PATIENCE = 120  # seconds after which one gives up waiting


def pool_file(folder: Path, items: int = 300, name: str = "animals.csv") -> Path:
    """A file of predictions with texts."""
    rows = np.random.default_rng(0).dirichlet([1, 1, 1], items)
    head = "id,text," + ",".join(f"p_{c}" for c in CLASSES)
    lines = [f"item-{n},text {n}," + ",".join(f"{p:.6f}" for p in row) for n, row in enumerate(rows)]
    file = folder / name
    file.write_text("\n".join([head, *lines]) + "\n")
    return file


def make_study(storage: str, file: Path, name: str = "animals", **more: Any) -> fl.Study:
    return fl.create_study(
        fl.open_pool(str(file)), fl.Estimate("accuracy", by="predicted_class"), storage=storage, name=name, **more
    )


@contextmanager
def serving(settings: ServiceSettings) -> Iterator[str]:
    """The address of a service that runs as long as the block lasts, in a thread."""
    config = uvicorn.Config(create_app(settings), port=0, log_level="error", lifespan="on")
    server = uvicorn.Server(config)
    started, startup = threading.Event(), server.startup

    async def noted(sockets: Any = None) -> None:
        await startup(sockets)
        started.set()

    server.startup = noted  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert started.wait(PATIENCE)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


class Command:
    """`fewlabels serve` in a process of its own."""

    def __init__(self, *arguments: str, module: str = "fewlabels", **environment: str) -> None:
        command = [sys.executable, "-m", module, "serve", "--port", "0", *arguments]
        env = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": os.pathsep.join(sys.path), **environment}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
        self.said = ""
        self.url = self._address()

    def _address(self) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if found := re.search(r"http://[0-9.:]+", line):
                return found[0]
        raise AssertionError(f"it did not start: {self.said}")

    def ended(self) -> int:
        """Wait until it ends; its exit code."""
        self.said += self.process.communicate(timeout=PATIENCE)[0]
        return self.process.returncode


def client(url: str, token: str | None = TOKEN, **more: Any) -> httpx.Client:
    """Somebody with a token."""
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    return httpx.Client(base_url=url, headers=headers, timeout=PATIENCE, trust_env=False, **more)


def labeller(owner: httpx.Client, study: str, by: str, **more: Any) -> httpx.Client:
    """A labeller, by the link that the owner gives them."""
    link = owner.post(f"/api/studies/{study}/links", json={"by": by, **more})
    assert link.status_code == 200, link.text
    return client(str(owner.base_url), link.json()["token"])
