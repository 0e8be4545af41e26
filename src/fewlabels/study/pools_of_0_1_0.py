"""Pools of studies that version 0.1.0 made, which guessed what files hold."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fewlabels.errors import PoolError, StudyError
from fewlabels.pool import Pool
from fewlabels.pool.classes import with_classes
from fewlabels.pool.open_pool import number_columns, open_pool, pool_of_tables
from fewlabels.tables.guessed import misread, read_guessed
from fewlabels.tables.read import is_of_arrays

AS_WRITTEN = "as written"  # how a pool was read; 0.1.0, which guessed, recorded nothing here
Check = Callable[[Pool], None]  # raises StudyError where a pool is not the study's


def reopened(about: Mapping[str, Any], check: Check) -> Pool:
    """The pool of a study's record, from its file, if it is still the same."""
    source = about["source"]
    options = {key: value for key, value in source.items() if key != "source"}
    if about.get("read") == AS_WRITTEN:
        pool = open_pool(source["source"], **options)
        check(pool)
        return pool
    try:
        pool = open_pool(source["source"], **{**options, "classes": about["classes"]})
        check(pool)
    except (PoolError, StudyError) as error:
        return _guessed(about, check, error)
    return pool


def fitting(pool: Pool, about: Mapping[str, Any], check: Check) -> Pool:
    """The given pool, if it is the study's; for a study of version 0.1.0 also read as it was then."""
    try:
        check(pool)
    except StudyError:
        if about.get("read") == AS_WRITTEN:
            raise
        if pool.source is not None:
            return reopened({**about, "source": pool.source}, check)
        wider = with_classes(pool, tuple(about["classes"]))
        if wider is None:
            raise
        check(wider)
        return wider
    return pool


def _guessed(about: Mapping[str, Any], check: Check, reason: Exception) -> Pool:
    """The pool as version 0.1.0 read it, if that is the study's and no number of it was read wrongly."""
    source = about["source"]
    file, items = Path(source["source"]), source.get("items")
    options = {
        **dict.fromkeys(("id", "text", "label", "predicted", "score", "probabilities", "positive_score", "positive")),
        "other_labels": (), "threshold": None, "probabilities_are": "exclusive", **source,
    }  # fmt: skip
    try:
        table = read_guessed(file)
        further = None if items is None else read_guessed(Path(items))
        pool = pool_of_tables(table, further, options, about["classes"], arrays=is_of_arrays(file))
        check(pool)
    except (PoolError, StudyError):
        raise reason from None
    roles = [options["id"] or "id", options["predicted"] or "predicted", *number_columns(list(table), options)]
    wrong = misread(file, table, list(dict.fromkeys((*roles, options["probabilities"] or "probabilities"))))
    if wrong is not None:
        raise StudyError(
            f"version 0.1.0 read {str(file)!r} wrongly: {wrong}. This study's figures rest on that. Create a new study "
            "of the file and tell it the labels of this one, with drawn='unknown'."
        )
    return replace(pool, source=source)
