"""Whether compiled loops are used in place of plain ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType


class Loops:
    """The compiled twin of some plain loops, where it is switched on: the same figures but for the last digit. A live
    study never does; what it keeps must not depend on what is installed."""

    def __init__(self, name: str) -> None:
        self._used: ContextVar[ModuleType | None] = ContextVar(name, default=None)

    def used(self) -> ModuleType | None:
        """The compiled loops, where they are used."""
        return self._used.get()

    @contextmanager
    def using(self, loops: ModuleType | None) -> Iterator[None]:
        """Inside, these loops are used, the compiled ones or none."""
        before = self._used.set(loops)
        try:
            yield
        finally:
            self._used.reset(before)
