"""How far a pass over a large pool has come: a bar on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from fewlabels.cli.printing import console, say
from fewlabels.engines.passes import heard

_LINE_EVERY = 10.0  # seconds between lines where there is no terminal


@contextmanager
def passes_shown() -> Iterator[None]:
    """Passes over the pool are shown while this lasts; those that are over at once are not."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        with heard(_Lines()):
            yield
        return
    columns = (TextColumn("reading the pool"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=screen, transient=True)

    def show(share: float) -> None:
        if not bar.tasks:
            bar.add_task("reading", total=1.0)
            bar.start()
        bar.update(bar.tasks[0].id, completed=share)

    try:
        with heard(show):
            yield
    finally:
        bar.stop()


class _Lines:
    """A line every ten seconds."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, share: float) -> None:
        if time.monotonic() - self._last >= _LINE_EVERY:
            self._last = time.monotonic()
            say(f"reading the pool, {share:.0%}", stderr=True)
