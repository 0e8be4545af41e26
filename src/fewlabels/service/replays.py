"""What was done already is done once: a client that heard no answer sends the same thing again with the same key."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import Future

from fewlabels.errors import LabelError

_MOST = 20_000  # keys of a study that are remembered; a client sends again within minutes


class Replays:
    """The keys of a study, the newest ones, with what they stood for. After a restart they are forgotten."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._done: OrderedDict[tuple[str, str], tuple[Hashable, Future[None]]] = OrderedDict()

    async def once(self, by: str, key: str | None, what: Hashable, act: Callable[[], Awaitable[object]]) -> None:
        """Do it, unless it was done under this key, or is being done: then wait for that."""
        if key is None:
            await act()
            return
        mine: Future[None] = Future()
        mine.set_running_or_notify_cancel()  # who waits for it and goes does not end it
        was, before = self._done.setdefault((by, key), (what, mine))
        if len(self._done) > self._most:
            self._done.popitem(last=False)
        if was != what:
            raise LabelError(f"key {key!r} was used for something else before; make a new one for each label.")
        if before is not mine:
            await asyncio.wrap_future(before)
            return
        try:
            await act()
        except BaseException as error:  # it was not done, and may be tried again
            self._done.pop((by, key), None)
            mine.set_exception(error)
            raise
        mine.set_result(None)
