"""From a report or a receipt to what differs from it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from fewlabels.answers import answer_data, count_of
from fewlabels.core.cells import Cells
from fewlabels.core.design import design_named
from fewlabels.core.events import Changed, Corrected, Event, Extended, Planned, Query, Relocated, Told
from fewlabels.errors import FewlabelsError, StudyError
from fewlabels.pool import Pool
from fewlabels.pool.classes import with_classes
from fewlabels.reporting.receipt import Receipt, read_receipt
from fewlabels.reporting.render import packed_in, rendered_again
from fewlabels.settings import RULES, StudySettings
from fewlabels.study import Study
from fewlabels.study.growing import whole_pool
from fewlabels.study.reopening import check_same, reopen
from fewlabels.study.terms import changed
from fewlabels.verification.older_rules import compared_counts
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
    as_recorded: int = 0  # draws under older rules, which are not computed again
    computed_by: str | None = None  # the version that computes its numbers, where the rules of this one are others

    @property
    def ok(self) -> bool | None:
        """Whether nothing differs; None where that cannot be told here."""
        return False if self.differences else None if self.computed_by else True

    def __str__(self) -> str:
        numbers = (
            f", and {self.numbers:,} entries of the answer computed again"
            if self.computed_by is None
            else f" and {self.numbers:,} counts of the answer compared"
        )
        looked = [
            f"{self.queries:,} draws{',' if self.computed_by is None else ''} with "
            f"{count_of(self.labels, 'label')}{numbers}",
            *(["the page compared word by word"] if self.page else []),
            *(["every item drawn from the pool again"] if self.pool else []),
        ]
        more = " (the first of them)" if len(self.differences) == MOST else ""
        apart = "." if self.software is None or self.page else "; THE PAGE WAS NOT COMPARED."
        differ = f"{count_of(len(self.differences), 'difference')}{more}:"
        verdict = differ if self.differences else f"nothing differs{apart}"
        said = [f"What the labels say: {self.sentence}"] if self.sentence else []
        lines = [f"{'; '.join(looked)}: {verdict}", *map(str, self.differences), *said, *_limits(self)]
        return "\n".join([lines[0][:1].upper() + lines[0][1:], *lines[1:]])


def _limits(found: Verification) -> Iterator[str]:
    if found.computed_by is not None:
        yield (
            f"Its numbers follow the rules of {found.computed_by}: verify them with that version. What no rule changes "
            "was looked at here: the draws' items, the labels and their counts."
        )
    elif found.software is not None:
        yield (
            f"Made by {found.software}; this is fewlabels {version('fewlabels')}, whose pages read otherwise: compare "
            f"the page with what the labels say, or verify it with {found.software}."
        )
    if found.as_recorded and found.computed_by is None:
        yield (
            f"Draws 1 to {found.as_recorded:,} were made under older rules: their chances are taken as recorded, and "
            "not computed again."
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
    older = _rules_of(receipt) < RULES
    given = [] if pool is None else [pool] if isinstance(pool, Given) else pool
    seen = _older_seen(receipt, given) if older else _seen(receipt, given, text if page and here else None)
    made_by = f"fewlabels {receipt.software.get('fewlabels', 'of another version')}"
    return Verification(
        tuple(seen.differences),
        sum(isinstance(event, Query) for event in receipt.events),
        len({event.item for event in receipt.events if isinstance(event, Told | Corrected)}),
        seen.numbers,
        receipt.digest,
        seen.pages is not None,
        pool is not None,
        () if seen.pages is None else seen.pages.not_drawn,
        None if here else made_by,
        seen.sentence,
        _unbound(receipt.events),
        seen.as_recorded,
        made_by if older else None,
    )


@dataclass
class _Seen:
    """What was compared so far."""

    numbers: int
    differences: list[Difference] = field(default_factory=list)
    as_recorded: int = 0
    sentence: str = ""
    pages: Pages | None = None

    def add(self, differences: Iterable[Difference]) -> None:
        self.differences += islice(differences, MOST - len(self.differences))

    def replay(self, receipt: Receipt, given: Sequence[Given]) -> Study:
        """Compare the draws, from the pool again where it is given; the study that the receipt tells of."""
        opened = _pools_of(receipt, given) if given else []
        replay = Replay(receipt.record, whole_pool(opened) if opened else None)
        self.add(replay.differences(receipt.events))
        self.as_recorded = replay.as_recorded
        return receipt.study(opened or None)


def _seen(receipt: Receipt, given: Sequence[Given], page: str | None) -> _Seen:
    """The draws, the answer, and the words of a page that this version wrote."""
    seen = _Seen(sum(1 for _ in _leaves(receipt.answer)))
    try:
        study = seen.replay(receipt, given)
        answer = study.answer()
        seen.sentence = answer.sentence
        seen.add(_other_numbers(receipt.answer, answer_data(answer)))
        if page is not None:
            seen.pages = Pages(page, rendered_again(study, receipt, page))
            seen.add(seen.pages.differences())
    except FewlabelsError as error:
        seen.add([Difference("the study", str(error))])
    return seen


def _older_seen(receipt: Receipt, given: Sequence[Given]) -> _Seen:
    """The same as far as no rule changes: which items were drawn, and how many labels stand behind each figure."""
    seen = _Seen(0)
    try:
        study = seen.replay(receipt, given)
        counts = compared_counts(receipt.answer, answer_data(study.answer()))
        seen.numbers = len(counts)
        seen.add(one for one in counts if one is not None)
    except FewlabelsError as error:
        seen.add([Difference("the study", str(error))])
    return seen


def _rules_of(receipt: Receipt) -> int:
    """The rules that the study follows at its end."""
    changes = [event for event in receipt.events if isinstance(event, Changed)]
    return changed(StudySettings.from_json(receipt.record.settings), *changes).rules


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
