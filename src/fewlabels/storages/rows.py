"""Events and pools as rows of their tables."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from fewlabels.core.events import Event, event_from_json
from fewlabels.storages import schema

Row = dict[str, Any]


class Unreadable(Exception):  # noqa: N818 - the storage says it in words
    """What a row holds makes no sense."""


def event_row(study: int, number: int, kind: str, content: Mapping[str, Any]) -> Row:
    """An event's row: who and when in columns of their own, the rest as JSON."""
    rest = {key: value for key, value in content.items() if key not in ("at", "by")}
    text = json.dumps(rest, ensure_ascii=False)
    when, who = content.get("at", ""), content.get("by")
    return {"study": study, "number": number, "kind": kind, "at": when, "who": who, "content": text}


def events_of(rows: Sequence[Any]) -> list[Event]:
    """The events of such rows: number, kind, at, who, content."""
    contents = _parsed([row[4] for row in rows])
    found = []
    for (number, kind, at, who, text), content in zip(rows, contents, strict=True):
        try:
            about = json.loads(text) if content is None else content
            about["at"] = at
            if who is not None:
                about["by"] = who
            found.append(event_from_json(kind, about))
        except (ValueError, TypeError, KeyError) as error:
            raise Unreadable(f"entry {number} of the study cannot be read: {error!r}") from error
    return found


def _parsed(texts: list[str]) -> list[Any]:
    """What each text says, parsed all at once, which is faster; nothing for any of them where one makes no sense."""
    try:
        found = json.loads(f"[{','.join(texts)}]")
    except (ValueError, TypeError):
        found = []
    return found if len(found) == len(texts) else [None] * len(texts)


def pool_of(connection: sa.Connection, about: object, cells: bytes) -> int:
    """The number of a pool, kept once however many studies it has."""
    text = json.dumps(about)
    fingerprint = hashlib.sha256(text.encode() + b"\0" + cells).hexdigest()
    known = sa.select(schema.pools.c.id).where(schema.pools.c.fingerprint == fingerprint)
    found = connection.execute(known).scalar_one_or_none()
    if found is None:
        row = {"fingerprint": fingerprint, "about": text, "cells": cells}
        found = connection.execute(sa.insert(schema.pools).values(row).returning(schema.pools.c.id)).scalar_one()
    return int(found)
