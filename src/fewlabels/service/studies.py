"""The studies that are served: each opened once, by name, when somebody asks for it."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

from anyio import to_thread

import fewlabels as fl
from fewlabels.core.events import Item, Query
from fewlabels.core.typed import read_item, read_label
from fewlabels.errors import LabelError, StudyError
from fewlabels.service.replays import Replays
from fewlabels.service.settings import ServiceSettings
from fewlabels.service.standing import Seen, Standing
from fewlabels.service.tally import Act, Tally
from fewlabels.service.writer import Writer
from fewlabels.storages import open_storage


class UnknownStudyError(StudyError):
    """There is no study of this name here."""


class Served:
    """A study, and what a service remembers of it. Every write goes through the study, by one thread for all."""

    def __init__(self, study: fl.Study, executor: ThreadPoolExecutor) -> None:
        self.study = study
        self.tally = Tally(study.events_after)
        self.standing = Standing(study, self.tally.catch_up, executor)
        study.keep_folds_by(partial(_if_there_is_time, executor))
        self._writer, self._replays = Writer(study), Replays()
        self._answering = threading.Lock()
        self._answer: tuple[int, fl.Answer] | None = None  # after so many events
        self._given: dict[Item, str] = {}  # by this service, and neither told nor given back since

    def item(self, said: object) -> Item:
        """The item meant."""
        return read_item(said, whole=self.study.whole_ids)

    def label(self, said: str) -> str:
        """The class that a label names."""
        return read_label(said, self.study.classes, self.study.positive)

    async def ask(self, n: int, by: str, lease: float) -> list[Query]:
        """The next items, which are theirs for so many seconds."""
        queries = await self._writer.do(lambda: self.study.ask(n, by=by, lease=lease))
        self._given |= {query.item: by for query in queries}
        self.tally.gave((query.item for query in queries), by)
        return queries

    async def write(self, by: str, key: str | None, item: Item, what: Act, act: Callable[[], object]) -> None:
        """Do something with an item, once for each key.

        Keys are forgotten when a service ends. What is sent again after that is known by what it says: it is what they
        last did with the item.
        """

        async def unless_done() -> None:
            if what[0] == "correct" and await to_thread.run_sync(self.tally.did_last, item, by, what):
                return
            try:
                await self._writer.do(act)
            except LabelError:
                if not await to_thread.run_sync(self.tally.did, item, by, what):
                    raise

        await self._replays.once(by, key, (item, what), unless_done)
        if what[0] in ("tell", "skip"):
            self._given.pop(item, None)

    async def change(self, by: str, **new: Any) -> None:
        """Set another budget or goal."""
        await self._writer.do(lambda: self.study.change(**new, by=by))

    async def release(self, items: Sequence[Item], by: str) -> int:
        """Give items back that are theirs; how many were."""
        released = await self._writer.do(partial(self._give_back, items, by))
        for item in items:
            self._given.pop(item, None)
        return released

    def _give_back(self, items: Sequence[Item], by: str) -> int:
        released = 0
        with self.study.together():
            for item in items:
                with suppress(LabelError):  # told meanwhile, or given back before
                    self.study.release(item, by=by)
                    released += 1
        return released

    @property
    def held(self) -> int:
        """How many items labellers hold."""
        return len(self._given)

    def answer(self) -> fl.Answer:
        """The answer from the labels so far; computed once however many look at it."""
        with self._answering:
            events = self.tally.catch_up()
            if self._answer is None or self._answer[0] != events:
                self._answer = events, self.study.answer()
            return self._answer[1]

    async def close(self) -> None:
        """Give back what labellers hold: whoever starts again finds it free."""
        held: dict[str, list[Item]] = {}
        for item, by in self._given.items():
            held.setdefault(by, []).append(item)
        for by, items in held.items():
            await self._writer.do(partial(self._give_back, items, by))
        await self._writer.close()

    async def seen(self, *, now: bool = False) -> Seen:
        """How far the study is, as of now or as of lately."""
        lately = None if now else self.standing.lately()
        return await to_thread.run_sync(self.standing.now) if lately is None else lately


def _if_there_is_time(executor: ThreadPoolExecutor, work: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the service ends
        executor.submit(work)


class Studies:
    """Safe in threads; a study that takes long to open holds up nobody who asks for another."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.storage = open_storage(settings.storage)
        self._executor = ThreadPoolExecutor(1, "fewlabels-look")
        self._lock = threading.Lock()
        self._opening: dict[str, threading.Lock] = {}
        self._served: dict[str, Served] = {}

    def names(self) -> list[str]:
        """The studies there are, oldest first."""
        return self.storage.names()

    def get(self, name: str) -> fl.Study:
        """The study of this name."""
        return self.served(name).study

    def opened(self, name: str) -> Served | None:
        """The same with what the service remembers of it, where somebody asked for it before."""
        return self._served.get(name)

    def served(self, name: str) -> Served:
        """The same, opened where nobody did."""
        found = self.opened(name)
        if found is not None:
            return found
        if name not in self.names():
            raise UnknownStudyError(f"there is no study named {name!r} here.")
        with self._lock:
            opening = self._opening.setdefault(name, threading.Lock())
        with opening:
            if name not in self._served:
                self._served[name] = Served(fl.load_study(name, storage=self.storage), self._executor)
        return self._served[name]

    def add(self, study: fl.Study) -> Served:
        """A study just made, with its pool."""
        with self._lock:
            return self._served.setdefault(study.name, Served(study, self._executor))

    def open(self) -> list[Served]:
        """Those that were opened so far."""
        return list(self._served.values())

    async def close(self) -> None:
        """Give back all items that labellers hold, in every study."""
        await to_thread.run_sync(partial(self._executor.shutdown, wait=True, cancel_futures=True))
        for served in self.open():
            await served.close()
