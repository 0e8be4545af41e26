"""A receipt: all that stands behind a report, so that a third party can compute every number of it again."""

import base64
import hashlib
import json
import platform
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fewlabels.answers import Answer, answer_data
from fewlabels.core.events import Event, Extended, Query, Relocated, event_from_json, event_to_json
from fewlabels.errors import StudyError
from fewlabels.pool import Pool
from fewlabels.storages import MemoryStorage, StudyRecord
from fewlabels.study import Study

FORMAT = 1
_SOFTWARE = ("fewlabels", "numpy", "scipy")


@dataclass(frozen=True)
class Receipt:
    """A study as it was made, everything that happened in it, and what it answered. It holds no text of any item,
    unless asked for, and no path of anybody's machine."""

    record: StudyRecord
    events: tuple[Event, ...]
    answer: Mapping[str, Any]  # as answers/as_data.py has it
    software: Mapping[str, str]  # versions of what made it

    @property
    def with_text(self) -> bool:
        """Whether it holds what labellers were shown."""
        return any(isinstance(event, Query) and event.payload for event in self.events)

    def study(self, pool: Pool | Sequence[Pool] | None = None) -> Study:
        """The study once more, in memory, from what the receipt says happened."""
        storage = MemoryStorage()
        storage.create(self.record)
        with storage.locked(self.record.name) as log:
            log.append(self.events)
        return Study(self.record, storage, pool)

    def to_json(self) -> str:
        """As text, the same for the same study: a line for each part, and for each event."""
        record = self.record
        data: dict[str, Any] = {
            "fewlabels_receipt": FORMAT,
            "study": record.name,
            "created": record.created,
            "software": dict(self.software),
            "settings": record.settings,
            "pool": record.pool,
            "cells": base64.b64encode(record.cells).decode(),
            "events": [[kind, content] for kind, content in map(event_to_json, self.events)],
            "answer": self.answer,
        }
        parts = (f"{_text(name)}: {_lines(part) if name == 'events' else _text(part)}" for name, part in data.items())
        return "{\n" + ",\n".join(parts) + "\n}"

    @property
    def digest(self) -> str:
        """A short text that nobody finds another receipt for: who noted it when labelling ended knows this one."""
        return hashlib.sha256(self.to_json().encode("utf-8", "surrogatepass")).hexdigest()

    def packed(self) -> str:
        """As text of letters alone, a tenth as long: how a report carries it."""
        return base64.b64encode(zlib.compress(self.to_json().encode("utf-8", "surrogatepass"))).decode()


def receipt_of(study: Study, answer: Answer | None = None, *, include_text: bool = False) -> Receipt:
    """The receipt of a study now, with this answer of it; what labellers were shown only where that is asked for."""
    events = study.events if include_text else [_without_text(event) for event in study.events]
    software = {name: version(name) for name in _SOFTWARE} | {"python": platform.python_version()}
    shown = study.answer() if answer is None else answer
    made = study.made
    return Receipt(replace(made, pool=_without_paths(made.pool)), tuple(events), answer_data(shown), software)


def read_receipt(text: str) -> Receipt:
    """The receipt that `to_json` or `packed` wrote; an error where it is none."""
    try:
        if not text.lstrip().startswith("{"):
            text = zlib.decompress(base64.b64decode(text)).decode("utf-8", "surrogatepass")
        data = json.loads(text)
        if data["fewlabels_receipt"] != FORMAT:
            raise StudyError(
                f"this receipt is of format {data['fewlabels_receipt']!r}, and this fewlabels reads {FORMAT}; install "
                "the fewlabels that wrote it."
            )
        cells = base64.b64decode(data["cells"], validate=True)
        record = StudyRecord(data["study"], data["settings"], data["pool"], cells, data["created"])
        events = tuple(event_from_json(kind, content) for kind, content in data["events"])
        return Receipt(record, events, data["answer"], data["software"])
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        raise StudyError(f"this is no receipt of a study, or it is damaged ({error!r}); take the original.") from error


def _text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def _lines(data: list[Any]) -> str:
    return "[\n" + ",\n".join(map(_text, data)) + "\n]"


def _without_text(event: Event) -> Event:
    if isinstance(event, Query):
        return replace(event, payload={})
    if isinstance(event, Extended):
        return replace(event, pool=_without_paths(event.pool))
    return _moved_without_path(event) if isinstance(event, Relocated) else event


def _moved_without_path(event: Relocated) -> Relocated:
    return replace(event, source=_name(event.source), items=_name(event.items))


def _without_paths(pool: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is kept of a pool, its files by their names alone."""
    source = pool["source"]
    if source is None:
        return pool
    names = {key: _name(source[key]) for key in ("source", "items") if source.get(key) is not None}
    return {**pool, "source": {**source, **names}}


def _name(files: Any) -> Any:
    """The name of a file, or of each of several, without its folder."""
    return files if files is None else Path(files).name if isinstance(files, str) else [_name(file) for file in files]
