"""From a report or a receipt to what differs from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from fewlabels.answers import answer_data, count_of
from fewlabels.core.cells import Cells
from fewlabels.core.design import design_named
from fewlabels.core.events import Corrected, Event, Extended, Planned, Query, Relocated, Told
from fewlabels.errors import FewlabelsError, StudyError
from fewlabels.pool import Pool
from fewlabels.pool.classes import with_classes
from fewlabels.reporting.receipt import Receipt, read_receipt
from fewlabels.reporting.render import packed_in, rendered_again
from fewlabels.study.growing import whole_pool
from fewlabels.study.reopening import check_same, reopen
from fewlabels.verification.page import Pages
from fewlabels.verification.replay import Difference, Replay

Given: TypeAlias = Pool | str | Path
MOST = 20  # differences named; one label changed may lead to hundreds
_SAME = 1e-9  # numbers computed on another machine may differ in their last digits


@dataclass(frozen=True)
class Verification:
    """What was looked at, and what differs."""

    differences: tuple[Difference, ...]
    queries: int
    labels: int
    numbers: int
    digest: str  # of the receipt
    page: bool  # whether a page was compared with what it says
    pool: bool  # whether items were drawn from the pool again
    pictures: tuple[str, ...]  # of the page that need the pool, and could not be drawn again
    software: str | None  # what made it, where that is another version
    sentence: str  # the answer as it is computed here; empty where none could be
    unbound: int  # labels on which no later choice rests: another one would lead to the same queries

    @property
    def ok(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        looked = [
            f"{self.queries:,} draws, with {count_of(self.labels, 'label')}, and "
            f"{self.numbers:,} entries of the answer computed again",
            *(["the page compared word by word"] if self.page else []),
            *(["every item drawn from the pool again"] if self.pool else []),
        ]
        more = " (the first of them)" if len(self.differences) == MOST else ""
        apart = "." if self.software is None or self.page else "; THE PAGE WAS NOT COMPARED."
        verdict = f"nothing differs{apart}" if self.ok else f"{count_of(len(self.differences), 'difference')}{more}:"
        said = [f"What the labels say: {self.sentence}"] if self.sentence else []
        lines = [f"{'; '.join(looked)}: {verdict}", *map(str, self.differences), *said, *_limits(self)]
        return "\n".join([lines[0][:1].upper() + lines[0][1:], *lines[1:]])


def _limits(found: Verification) -> Iterator[str]:
    if found.software is not None:
        yield (
            f"Made by {found.software}; this is fewlabels {version('fewlabels')}, whose pages read otherwise: compare "
            f"the page with what the labels say, or verify it with {found.software}."
        )
    if not found.pool:
        yield "The pool was not looked at: with it, it is also shown that each item is the one that was due."
    if found.pictures:
        yield f"Pictures that need the pool, and were not drawn again: {', '.join(found.pictures)}."
    if found.unbound:
        yield (
            f"{count_of(found.unbound, 'label')} of {found.labels:,} came after the last choice that rests on labels, "
            "and an earlier one may have left every choice as it was: that nobody changed them is shown by the digest "
            "alone, if it was noted when labelling ended."
        )
    yield f"A label nobody can check but by looking at its item. Digest of the receipt: {found.digest[:16]}"


def verify(path: str | Path, pool: Given | Sequence[Given] | None = None) -> Verification:
    """Compute every choice and every number of a report or receipt again, and say what differs.

    `pool` is the pool, or the file it was opened from: with it, each item asked is shown to be the one that was due. Of
    a study that was extended they are several, in the order they came.
    """
    file = Path(path)
    if not file.is_file():
        raise StudyError(f"no file {str(file)!r}; verify takes a report (HTML) or a receipt (JSON).")
    text = file.read_text(encoding="utf-8")
    page = not text.lstrip().startswith("{")
    receipt = read_receipt(packed_in(text) if page else text)
    here = receipt.software.get("fewlabels") == version("fewlabels")
    found: list[Difference] = []
    sentence, pages = "", None
    try:
        opened = [] if pool is None else _pools_of(receipt, [pool] if isinstance(pool, Given) else pool)
        whole = whole_pool(opened) if opened else None
        found += islice(Replay(receipt.record, whole).differences(receipt.events), MOST)
        study = receipt.study(opened or None)
        answer = study.answer()
        sentence = answer.sentence
        found += islice(_other_numbers(receipt.answer, answer_data(answer)), MOST - len(found))
        if page and here:
            pages = Pages(text, rendered_again(study, receipt, text))
            found += islice(pages.differences(), MOST - len(found))
    except FewlabelsError as error:
        found.append(Difference("the study", str(error)))
    return Verification(
        tuple(found),
        sum(isinstance(event, Query) for event in receipt.events),
        len({event.item for event in receipt.events if isinstance(event, Told | Corrected)}),
        sum(1 for _ in _leaves(receipt.answer)),
        receipt.digest,
        page and here,
        pool is not None,
        () if pages is None else pages.not_drawn,
        None if here else f"fewlabels {receipt.software.get('fewlabels', 'of another version')}",
        sentence,
        _unbound(receipt.events),
    )


def _unbound(events: Sequence[Event]) -> int:
    """How many items have a label that came after the last choice which may rest on labels."""
    rounds = {event.round for event in events if isinstance(event, Planned)}
    last = -1
    for place, event in enumerate(events):
        if not isinstance(event, Planned | Query) or (isinstance(event, Query) and event.round in rounds):
            continue
        if design_named(event.design).chances in ("unequal", "weights"):
            last = place
    return len({event.item for event in events[last + 1 :] if isinstance(event, Told | Corrected)})


def _pools_of(receipt: Receipt, given: Sequence[Given]) -> list[Pool]:
    """The pool, or each part of it, if it is what the receipt is about."""
    more = [event for event in receipt.events if isinstance(event, Extended)]
    about, first = receipt.record.pool, Cells.from_bytes(receipt.record.cells)
    due = [(about, first), *(({**about, **event.pool}, event.cells) for event in more)]
    if len(given) != len(due):
        raise StudyError(
            f"the study was extended {len(more)} times, so that its pool is {len(due)} files or pools, in the order "
            f"they came; got {len(given)}."
        )
    return [_pool_of(receipt, part, *known) for part, known in zip(given, due, strict=True)]


def _pool_of(receipt: Receipt, given: Given, about: Mapping[str, Any], kept: Cells) -> Pool:
    axes = kept.axes

    def check(pool: Pool) -> None:
        check_same(about, axes, pool, lambda: receipt.events, handed_in=True)
        cells = pool.engine.summarise(about["model"], axes, probabilities=False)
        if cells.count != kept.count or (cells.size != kept.size).any():
            raise StudyError("the receipt's cells are not those of this pool: their sizes differ.")

    if isinstance(given, Pool):
        pool = with_classes(given, tuple(about["classes"]), tuple(about["other_labels"])) or given
        check(pool)
        return pool
    texts = (about["source"] or {}).get("items")  # in a second file, looked for beside the first
    return reopen(about, Relocated(str(given), texts and str(Path(given).parent / texts)), check)


def _other_numbers(stated: Mapping[str, Any], due: Mapping[str, Any]) -> Iterator[Difference]:
    one, other = dict(_leaves(stated)), dict(_leaves(due))
    for place in dict.fromkeys([*one, *other]):
        a, b = one.get(place), other.get(place)
        near = isinstance(a, float) and isinstance(b, float) and abs(a - b) <= _SAME * max(1.0, abs(a))
        if a != b and not near:
            yield Difference(f"the answer, {place}", f"it says {a!r}, and the labels say {b!r}")


def _leaves(data: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Everything in plain data that is not made of further parts, with its place; groups by their names."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _leaves(value, f"{place} {key}".strip())
    elif isinstance(data, list | tuple):
        for number, value in enumerate(data, start=1):
            name = value.get("group", number) if isinstance(value, Mapping) else number
            yield from _leaves(value, f"{place} {name!r}")
    else:
        yield place, data
