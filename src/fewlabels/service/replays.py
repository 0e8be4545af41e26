"""What was done already is done once: a client that heard no answer sends the same thing again with the same key."""

from collections import OrderedDict
from collections.abc import Callable, Hashable

from fewlabels.errors import LabelError

_MOST = 20_000  # keys of a study that are remembered; a client sends again within minutes


class Replays:
    """The keys of a study, the newest ones. Used under the study's lock.

    After a restart they are forgotten.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._done: OrderedDict[tuple[str, str], Hashable] = OrderedDict()

    def once(self, by: str, key: str | None, what: Hashable, act: Callable[[], object]) -> None:
        """Do it, unless it was done under this key."""
        if key is not None and (by, key) in self._done:
            if self._done[by, key] != what:
                raise LabelError(f"key {key!r} was used for something else before; make a new one for each label.")
            return
        act()
        if key is not None:
            self._done[by, key] = what
            if len(self._done) > self._most:
                self._done.popitem(last=False)
