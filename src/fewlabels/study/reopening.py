"""A study's pool, found again: opened from its file, wherever that is now, and the same in all that counts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from fewlabels.core.events import Event, Query, Relocated, payload_text
from fewlabels.core.groups import Grouping
from fewlabels.errors import PoolAwayError, PoolError, QuestionError, StudyError
from fewlabels.pool import Pool
from fewlabels.pool.open_pool import open_pool
from fewlabels.study.pools_of_0_1_0 import Check, reopened
from fewlabels.tables.read import is_there


def reopen(about: Mapping[str, Any], moved: Relocated | None, check: Check) -> Pool:
    """The pool of a study, from the file it came from, or was last found in, if it is still the same."""
    source = about["source"]
    if source is None and moved is None:
        raise PoolAwayError("this needs the pool, and it did not come from a file; pass pool= to load_study.")
    file, items = (source["source"], source.get("items")) if moved is None else (moved.source, moved.items)
    if moved is not None and source is not None and isinstance(source["source"], list):  # the folder of all of them
        file = [str(Path(moved.source) / Path(one).name) for one in source["source"]]
    for place in (*(file if isinstance(file, list) else [file]), items):
        if place is not None and not is_there(Path(place)):
            raise PoolAwayError(
                f"the study's pool is not where it was: no file {place!r}. If it moved, say where it is now with "
                "study.relocate(…)."
            )
    options = {k: v for k, v in (source or {}).items() if k not in ("source", "items")}
    if "positive_score" not in options:  # older studies keep what had no effect
        options.pop("threshold", None)
        if options.get("positive") not in about["classes"]:
            options.pop("positive", None)
    return reopened({**about, "source": {**options, "source": file, "items": items}}, check)


def opened_like(about: Mapping[str, Any], source: str | Path, items: str | Path | None = None) -> Pool:
    """Another file, read as that of a study's pool was."""
    kept = about["source"] or {}
    if isinstance(kept.get("source"), list):
        raise StudyError("the study's models are in several files; open those of the new items with fl.open_pool([…]).")
    return open_pool(source, **{**{k: v for k, v in kept.items() if k not in ("source", "items")}, "items": items})


def new_place(about: Mapping[str, Any], moved: Relocated | None, source: Any, items: Any) -> tuple[str, str | None]:
    """The files a pool is to be found in from now on; texts in a second file stay where they are unless named."""
    for place in (source, items):
        if place is not None and not is_there(Path(place)):
            raise PoolError(f"no file {str(place)!r}; check the path (the current folder is {Path.cwd()}).")
    several = about["source"] is not None and isinstance(about["source"]["source"], list)
    if several and not Path(source).is_dir():
        raise PoolError(
            f"the study's models are in several files; name the folder they all are in now, not {str(source)!r}."
        )
    if items is None:
        items = moved.items if moved is not None else (about["source"] or {}).get("items")
        if items is not None and not Path(items).exists():
            raise StudyError(
                f"the pool's texts and attributes are in a second file, and {items!r} is not there any more; say where "
                "that is now, too, with items=."
            )
    return str(Path(source).resolve()), None if items is None else str(Path(items).resolve())


def found_again(
    abouts: Sequence[Mapping[str, Any]],
    before: Mapping[int, Relocated],
    source: Any,
    items: Any,
    check: Callable[[Mapping[str, Any], Pool], None],
) -> tuple[int, Relocated, Pool]:
    """Which part of a pool has moved to these files, where it is to be found from now on, and the part itself."""
    for part, about in enumerate(abouts):
        try:
            moved = Relocated(*new_place(about, before.get(part), source, items))
            return part, moved, reopen(about, moved, partial(check, about))
        except (PoolError, StudyError):
            if len(abouts) == 1:
                raise
    raise StudyError(
        f"{str(source)!r} is none of the {len(abouts)} files that the study's pool is made of: ids, predictions, "
        "scores, classes or texts differ. Use the same file, or create a new study."
    )


def check_same(
    about: Mapping[str, Any],
    axes: tuple[Grouping, ...],
    pool: Pool,
    events: Callable[[], Iterable[Event]],
    *,
    handed_in: bool,
) -> None:
    """Raise where this is not the pool of the study; what was shown of items asked before tells which texts changed.

    A pool that is handed in may show nothing at all, as where labellers see the items elsewhere; its file must not.
    """
    model, engine = about["model"], pool.engine
    if model not in pool.models:
        raise StudyError(f"this study is about model {model!r}; the pool has {', '.join(pool.models)}.")
    try:
        found = engine.fingerprint(model, axes)
    except QuestionError as error:  # a column it groups by, or a class, is missing
        raise StudyError(
            f"this is not the pool the study was created with: {error} Use the same file, or create a new study."
        ) from error
    classes = (*about["classes"], *about["other_labels"])
    if found != about["fingerprint"] or pool.true_classes != classes:
        raise StudyError(
            "this is not the pool the study was created with: ids, predictions, scores or classes differ "
            f"({about['fingerprint']} then, {found} now). Use the same file, or create a new study."
        )
    shown = engine.payload_fingerprint
    if about.get("texts", shown) != shown and not (handed_in and shown.startswith("0-")):
        raise StudyError(
            "this is not the pool the study was created with: the predictions are the same, but what labellers are "
            f"shown differs{_changed(pool, model, axes, events())}. Use the same texts, or create a new study."
        )


def _changed(pool: Pool, model: str, axes: tuple[Grouping, ...], events: Iterable[Event]) -> str:
    """Which of the items asked so far have other texts now, in words."""
    asked = {event.item: event for event in events if isinstance(event, Query)}
    rows = pool.engine.find(model, axes, list(asked))
    differing = [
        query.item
        for query, row in zip(asked.values(), rows, strict=True)
        if row is not None and _shown(query.payload) != _shown(row.payload)
    ]
    if not differing:
        return "" if not asked else f", though not for the {len(asked):,} items asked so far"
    return f": of the {len(asked):,} items asked so far {len(differing):,} read differently, first {differing[0]!r}"


def _shown(payload: Mapping[str, Any]) -> list[str]:
    return sorted(payload_text(value) for value in payload.values())
