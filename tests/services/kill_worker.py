"""A labeller's process that dies at a named point. It keeps a log of its own: what it was told had been recorded."""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine.default import DefaultDialect

import fewlabels as fl
from fewlabels.storages import open_storage, upgrade_storage
from fewlabels.study import folding

ITEMS = 5000
AHEAD = 4  # steps of the labeller who goes on, for each who is killed
EARLY = 64  # events from which on what folding came to is kept here, so that kills fall into that too
POOL = fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1, 1], ITEMS))
ACTS = ("ask", "tell", "change", "withdraw")
POINTS = (
    "as the transaction begins",
    "under the lock",
    "before events are written",
    "after events are written",
    "before the commit",
    "after the commit",
)


def make_study(address: str) -> None:
    fl.create_study(POOL, fl.Estimate("accuracy"), strategy="uniform", budget=10, storage=address)


class Failpoint:
    """Kills this process where an act passes a point."""

    def __init__(self, act: str, point: str) -> None:
        self._wanted, self._doing, self._commit = (act, point), "", DefaultDialect.do_commit
        sa.event.listen(sa.Engine, "begin", lambda _: self.passed("as the transaction begins"))
        sa.event.listen(sa.Engine, "before_cursor_execute", self._before)
        sa.event.listen(sa.Engine, "after_cursor_execute", self._after)
        sa.event.listen(sa.Engine, "commit", lambda _: self.passed("before the commit"))
        DefaultDialect.do_commit = self._committing  # type: ignore[method-assign]

    def doing(self, act: str) -> None:
        self._doing = act

    def passed(self, point: str) -> None:
        if (self._doing, point) == self._wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    def _before(self, _connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "max(fewlabels_events.number)" in statement:
            self.passed("under the lock")
        if statement.startswith("INSERT INTO fewlabels_events"):
            self.passed("before events are written")

    def _after(self, _connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("INSERT INTO fewlabels_events"):
            self.passed("after events are written")

    def _committing(self, dbapi_connection: Any) -> None:
        self._commit(DefaultDialect(), dbapi_connection)
        self.passed("after the commit")


class Client:
    """Asks, tells, changes and takes back; acknowledges each in its log when the call has returned."""

    def __init__(self, address: str, log: Path, seed: int, doing: Callable[[str], None], *, early: bool) -> None:
        folding.FIRST = EARLY
        self._storage, self._early, self._doing = open_storage(address), early, doing
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._random, self._told, self._words = random.Random(seed), [], ""
        if early:
            self._locked, self._storage.locked = self._storage.locked, self._acknowledging  # type: ignore[method-assign]
        self.study = fl.load_study(storage=self._storage, pool=POOL)

    @contextmanager
    def _acknowledging(self, name: str) -> Iterator[Any]:
        """The control: it says that all is kept before the commit."""
        with self._locked(name) as log:
            yield log
            os.write(self._log, f"{self._words}\n".encode())

    def _do(self, act: str, words: str, work: Callable[[], Any]) -> Any:
        self._words = words
        self._doing(act)
        done = work()
        self._doing("")
        if not self._early:
            os.write(self._log, f"{words or 'asked ' + ' '.join(str(q.item) for q in done)}\n".encode())
        return done

    def step(self) -> None:
        """Each act once, a label or two at a time."""
        budget = self._random.randrange(100, 10**9)
        self._do("change", f"changed {budget}", lambda: self.study.change(budget=budget))
        for query in self._do("ask", "" if not self._early else "asked", lambda: self.study.ask(2)):
            label = str(query.item % 3)
            self._do("tell", f"told {query.item} {label}", lambda q=query, la=label: self.study.tell(q, la, by="me"))
            self._told.append(query.item)
        taken = self._told.pop(self._random.randrange(len(self._told)))
        self._do("withdraw", f"withdrawn {taken}", lambda: self.study.withdraw(taken))
        self._do("tell", f"told {taken} {taken % 3}", lambda: self.study.tell(taken, taken % 3, by="me"))
        self._told.append(taken)


def die_at(address: str, log: Path, seed: int, act: str, point: str, early: bool = False) -> None:
    """One step, then a second in which the process is killed at the point."""
    point_reached = Failpoint(act, point)
    armed: list[bool] = []
    client = Client(address, log, seed, lambda doing: point_reached.doing(doing if armed else ""), early=early)
    client.step()
    armed.append(True)
    client.step()
    os._exit(3)  # the point was not reached


def go_on(address: str, log: Path, seed: int, stop: Path) -> None:
    """Step after step, some for each labeller that there is a log of, until there is a file that says stop or somebody
    kills the process."""
    client, steps = Client(address, log, seed, lambda _: None, early=False), 0
    while not stop.exists():
        if steps < AHEAD * len(list(log.parent.glob("*.log"))):
            client.step()
            steps += 1
        time.sleep(0.02)  # SQLite's lock goes to whoever asks first, and no labeller is as fast as this


def die_in_upgrade(address: str, at: int) -> None:
    """An upgrade in which the process is killed at a statement, or commit, counted from 1."""
    seen = 0

    def count(*_: Any) -> None:
        nonlocal seen
        seen += 1
        if seen == at:
            os.kill(os.getpid(), signal.SIGKILL)

    sa.event.listen(sa.Engine, "before_cursor_execute", count)
    sa.event.listen(sa.Engine, "commit", count)
    upgrade_storage(address)
