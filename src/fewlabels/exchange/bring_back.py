"""Labels that come back in a file: every line is looked at before one of them is recorded."""

from collections.abc import Sequence
from typing import NamedTuple

from fewlabels.core.events import Drawn, Item
from fewlabels.core.typed import read_item, read_label
from fewlabels.errors import LabelError
from fewlabels.exchange.labels_file import Line, name_of, read_lines
from fewlabels.study import Study
from fewlabels.study.telling import Given

_MOST = 20  # lines complained of


class Brought(NamedTuple):
    """What a file brought."""

    new: int
    known: int  # lines whose label was there already, or stood in the file twice
    empty: int  # lines without a label


def bring_back(study: Study, file: str, *, by: str | None = None, drawn: Drawn | None = None) -> Brought:
    """Record the labels and skips of a file, all or none; `by` is whose they are where the file does not say."""
    lines = list(read_lines(file))
    said = [line for line in lines if line.label or line.skipped]
    if not said:
        raise LabelError(f"{name_of(file)} holds no labels: expected columns 'id' and 'label', one row an item.")
    given, wrong = _checked(study, said, by, foreign=drawn is not None)
    if wrong:
        shown = wrong[:_MOST] + ([f"… and {len(wrong) - _MOST:,} more lines"] if len(wrong) > _MOST else [])
        raise LabelError("\n".join([f"nothing of {name_of(file)} was recorded:", *(f"  {words}" for words in shown)]))
    known = study.skipped  # nothing new to say of these
    new = study.record([one for one in given if one.label is not None or one.item not in known], drawn=drawn)
    return Brought(new, len(said) - new, len(lines) - len(said))


def _checked(study: Study, lines: Sequence[Line], by: str | None, *, foreign: bool) -> tuple[list[Given], list[str]]:
    """What each line says, once; and what is wrong, line by line."""
    against = _Known(study.asked, study.labels, study.opinions, foreign)
    found: dict[tuple[Item, str | None], Given] = {}
    wrong: list[str] = []
    for line in lines:
        try:
            given = _read(study, line, by)
        except LabelError as error:
            wrong.append(f"line {line.number}: {error}")
            continue
        objection = against.objection(given, found.get((given.item, given.by)))
        if objection is not None:
            wrong.append(f"line {line.number}: item {given.item!r} {objection}")
        found[given.item, given.by] = given
    return list(found.values()), wrong


class _Known(NamedTuple):
    asked: set[Item]
    labels: dict[Item, str]
    opinions: dict[Item, dict[str, str]]
    foreign: bool  # items that were never asked are welcome

    def objection(self, given: Given, above: Given | None) -> str | None:
        """Why a line cannot be taken; None where it can."""
        item, label = given.item, given.label
        if above is not None and above.label != label:
            return f"is {label!r} here and {above.label!r} further up; keep one."
        if item not in self.asked and item not in self.labels and not self.foreign:
            return "was never asked; check its id."
        before = self.opinions.get(item, {}).get(str(given.by)) if item in self.opinions else self.labels.get(item)
        if before is not None and before != label:
            return f"was told {before!r} before; if that was wrong, use correct()."
        return None


def _read(study: Study, line: Line, by: str | None) -> Given:
    item = read_item(line.item, whole=study.whole_ids)
    label = read_label(line.label, study.classes, study.positive) if line.label else None
    return Given(item, label, line.by or by, line.skipped or None)
