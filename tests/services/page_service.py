"""A service with pages, in a thread of this process, and studies for a browser to look at."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import Any
from urllib.parse import quote

import numpy as np
import uvicorn

import fewlabels as fl
from fewlabels.service.app import create_app
from fewlabels.service.run import Server
from fewlabels.service.settings import ServiceSettings

_ROWS = ("cat", 0.9, "north"), ("dog", 0.7, "south"), ("fox", 0.6, "south")


@dataclass(frozen=True)
class Service:
    """Where it is, and what it serves."""

    address: str
    app: Any

    def study(self, name: str) -> fl.Study:
        found: fl.Study = self.app.state.studies.get(name)
        return found

    def made(self, name: str, pool: fl.Pool, question: Any = None, **settings: Any) -> fl.Study:
        """A new study, served; its pool need not be a file."""
        question, storage = question or fl.Estimate("accuracy"), self.app.state.studies.storage
        study = fl.create_study(pool, question, name=name, storage=storage, **settings)
        found: fl.Study = self.app.state.studies.add(study).study
        return found

    def page(self, name: str, part: str = "") -> str:
        return f"{self.address}/s/{quote(name, safe='')}/{part}"

    def link(self, name: str, by: str, *, hours: float = 1.0) -> str:
        """A labeller's way in."""
        token = self.app.state.gate.link_token(name, by, "labeller", int(time.time() + 3600 * hours))
        return f"{self.page(name)}?token={token}"


@contextmanager
def serving(folder: Path, **settings: Any) -> Iterator[Service]:
    """A service on a free port, with a folder of pools that has one in it, animals.csv."""
    pools = folder / "pools"
    pools.mkdir()
    rows = [f"item-{i},What animal is number {i}?,{','.join(map(str, _ROWS[i % 3]))}" for i in range(300)]
    (pools / "animals.csv").write_text("\n".join(["id,text,predicted,score,region", *rows]))
    app = create_app(ServiceSettings(f"sqlite:///{folder / 'studies.db'}", port=0, pools=pools, **settings))
    ports: Queue[int] = Queue()
    server = Server(uvicorn.Config(app, "127.0.0.1", 0, log_level="warning", access_log=False), ports.put)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield Service(f"http://127.0.0.1:{ports.get(timeout=60)}", app)
    server.should_exit = True
    thread.join()


def pool_of(classes: int | Sequence[str], items: int = 200, **payload: Sequence[Any]) -> fl.Pool:
    """A pool of so many classes; its items are texts, unless they are something else."""
    names = [f"class_{i:04d}" for i in range(classes)] if isinstance(classes, int) else list(classes)
    rng = np.random.default_rng(len(names))
    shown: dict[str, Any] = dict(payload) or {"text": [f"What is item number {i} about?" for i in range(items)]}
    predicted = np.array(names)[np.arange(items) % len(names)].tolist()
    return fl.Pool.from_arrays(predicted=predicted, score=rng.beta(8, 2, items), classes=names, payload=shown)
