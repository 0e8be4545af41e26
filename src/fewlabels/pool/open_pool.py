"""open_pool: from a file (or frame) of predictions to a pool, columns found by name."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.engines.duckdb_tables import DuckDbTables
from fewlabels.errors import PoolError
from fewlabels.pool.checks import ProbabilitiesAre, check_classes, check_predicted, classes_in_order
from fewlabels.pool.large_pool import columns_of, open_large, open_spark
from fewlabels.pool.pool import Pool
from fewlabels.pool.roles import PAYLOAD, PREFIX, class_columns, needed, no_predictions, split_are_attributes
from fewlabels.pool.several_models import apart, rows_by_model
from fewlabels.tables.large_tables import is_large, may_stay
from fewlabels.tables.read import Table, found_file, is_of_arrays, is_without_types, kind_of, read_table
from fewlabels.tables.spark_table import is_spark
from fewlabels.tables.text_files import opened_text
from fewlabels.tables.values import numbers, plain_list

_ABOUT_CLASSES = ("class_names", "classes", "superclass_of_class", "superclass_names", "models")


def open_pool(
    source: Any,
    *,
    items: Any = None,
    id: str | None = None,
    text: str | None = None,
    label: str | None = None,
    predicted: str | None = None,
    score: str | None = None,
    probabilities: str | None = None,
    positive_score: str | None = None,
    positive: str | None = None,
    threshold: float | None = None,
    classes: Sequence[Any] | str | Path | None = None,
    other_labels: Sequence[Any] = (),
    probabilities_are: ProbabilitiesAre = "exclusive",
) -> Pool:
    """A pool from a file, a folder or pattern (`parts/*.parquet`) of Parquet files, a data frame, an Arrow table or a
    frame of Spark, which stays on its cluster; from a list of files, each of one model over the same ids, which is
    called after its file.

    `id`, `text`, `label`, `predicted`, `score`, `probabilities` and `positive_score` name columns, where they are not
    called so. `items` is a second table joined by id: texts and attributes. `classes` is a list of names, a file with
    one name a line, or a JSON list (`names.json`, or `names.json:key` for one list of several); without it the classes
    are those that are predicted. Columns with no role become attributes to group by.

    All is read as it is written: ids, classes and labels are text unless the file's own type says otherwise (a CSV
    file has no types), and no number is rounded. Names of files and of columns are taken letter by letter; a pattern is
    what no file is called.

    A table of several rows an item, each of another `model`, is a pool of several models. Texts and labels of an item
    must agree; an attribute that differs between the models of one item is left out.
    """
    options = {key: value for key, value in locals().items() if key not in ("source", "items")}
    names = None if classes is None else read_classes(classes)
    if is_spark(source):
        if items is not None:
            raise PoolError(
                "items= is a table in memory, and the pool is not; join the two in Spark, and pass one frame."
            )
        return open_spark(source, options, names)
    if _are_files(source):
        return replace(_open_files(source, items, options), source=_how_to_reopen(source, items, options, names))
    if items is None and isinstance(source, str | Path) and is_large(file := found_file(source)):
        return replace(open_large(file, options, names), source=_how_to_reopen(source, items, options, names))
    table = _read(source, options, names)
    further = None if items is None else read_table(items)
    pool = pool_of_tables(table, further, options, names, arrays=is_of_arrays(source))
    return replace(pool, source=_how_to_reopen(source, items, options, names))


def _are_files(source: Any) -> bool:
    """Whether this is a list of files, of a model each."""
    return isinstance(source, list | tuple) and len(source) > 0 and all(isinstance(file, str | Path) for file in source)


def _open_files(files: Sequence[Any], items: Any, options: Mapping[str, Any]) -> Pool:
    """One pool of several models, a file each; where files name no classes, those that any model predicts.

    They stay where they are if one of them is large and all can.
    """
    paths = [found_file(file) for file in files]
    shared = DuckDbTables() if items is None and any(map(is_large, paths)) and all(map(may_stay, paths)) else None
    for file, path in zip(files, paths, strict=True):
        if (options["id"] or "id") not in (columns_of(path, shared) if shared else read_table(file)):
            raise PoolError(
                f"{str(file)!r} has no column {options['id'] or 'id'!r}; models in several files are joined by the ids "
                "of their items. Add one, or name it with id=."
            )

    def opened(classes: Any) -> dict[str, Pool]:
        more = {**options, "classes": classes}
        if shared is None:
            return {name: open_pool(file, items=items, **more) for name, file in models_of(files).items()}
        names = None if classes is None else read_classes(classes)
        return {name: open_large(path, more, names, shared) for name, path in zip(models_of(files), paths, strict=True)}

    pools = opened(options["classes"])
    found = {name for pool in pools.values() for name in pool.classes}
    known = options["classes"] is not None or any(pool.engine.full_probabilities for pool in pools.values())
    if not known and any(set(pool.classes) != found for pool in pools.values()):
        pools = opened(classes_in_order(found))
    return Pool.join(pools) if len(pools) > 1 else next(iter(pools.values()))


def models_of(files: Sequence[str | Path]) -> dict[str, str | Path]:
    """The files of several models by the models' names: those of the files, with their folders where need be.

    >>> list(models_of(["new/scores.csv", "old/scores.csv"])), list(models_of(["a.parquet", "b.parquet"]))
    (['new/scores', 'old/scores'], ['a', 'b'])
    """
    paths = [Path(file) for file in files]
    names = [_without_kind(path) for path in paths]
    if len(set(names)) < len(names):
        names = [f"{path.parent.name}/{_without_kind(path)}" for path in paths]
    if len(set(names)) < len(names):
        raise PoolError(f"models are called after their files, and two are called {names[0]!r}; call them otherwise.")
    return dict(zip(names, files, strict=True))


def _without_kind(path: Path) -> str:
    """A file's name without what says of which kind it is: 'x' of x.csv.gz, 'x.v2' of x.v2.parquet."""
    plain, kind = path.name, kind_of(path)
    while kind and plain.lower().endswith((kind, ".gz", ".zst")):
        plain = plain[: plain.rindex(".")]
    return plain or path.name


def _read(source: Any, options: Mapping[str, Any], names: Sequence[str] | None) -> Table:
    """The predictions; of a file without types the columns of scores are read as numbers, and no other one."""
    table = read_table(source, lambda columns: number_columns(columns, options))
    if not is_without_types(source) or not _split_are_attributes(table, options, names):
        return table
    return read_table(source, lambda _: (options["score"] or "score",))


def pool_of_tables(
    table: Table, items: Table | None, options: Mapping[str, Any], names: Sequence[str] | None, *, arrays: bool
) -> Pool:
    """The pool in a table of predictions and one of items; `arrays`: the first may hold more than columns."""
    id, label = options["id"] or "id", options["label"] or "label"
    if items is not None:
        table = _joined(table, items, id)
    for role in ("id", "text", "label", "predicted", "score", "probabilities", "positive_score"):
        if options[role] is not None:
            _need(table, options[role], role)
    if names is None and arrays:
        names = _names_inside(table)
    forms, used = _forms(table, options, names)
    texts = [name for name in dict.fromkeys((options["text"] or "text", *PAYLOAD)) if name in table]
    count = max(len(v) for form in forms.values() for k, v in form.items() if k != "classes")
    taken = {*used, id, label, *texts, *(_ABOUT_CLASSES if arrays else ())}
    shared = {
        "labels": table.get(label),
        "classes": names,
        **{key: options[key] for key in ("other_labels", "positive", "threshold", "probabilities_are")},
        "payload": {name: table[name] for name in texts},
        "columns": {k: v for k, v in table.items() if k not in taken and v.ndim == 1 and len(v) == count},
    }
    rows = rows_by_model(table, id) if len(forms) == 1 else None
    if rows is not None:
        return apart(Pool.from_arrays(**{**shared, **next(iter(forms.values()))}), table[id], rows)
    pools = {model: Pool.from_arrays(ids=table.get(id), **{**shared, **form}) for model, form in forms.items()}
    return Pool.join(pools) if len(pools) > 1 else next(iter(pools.values()))


def read_classes(classes: Sequence[Any] | str | Path) -> list[str]:
    """Class names from a list, a text file (one a line), or a JSON file (`names.json` or `names.json:key`)."""
    if not isinstance(classes, str | Path):
        return list(check_classes(classes))
    path, _, key = str(classes).partition(".json:")
    if not key or Path(classes).exists():
        path, key = str(classes), ""
    try:
        file = found_file(f"{path}.json" if key else path)
    except PoolError as error:
        raise PoolError(f"class names: {error} Pass a list, a text file or a JSON list.") from error
    if file.is_dir():
        raise PoolError(f"{str(file)!r} is a folder; class names come as a list, a text file or a JSON list.")
    with opened_text(file) as text:
        lines = list(text)
    if file.suffix.lower() != ".json":
        return list(check_classes([line.strip() for line in lines if line.strip()]))
    return list(check_classes(_json_list("".join(lines), file.name, key)))


def _json_list(text: str, file: str, key: str) -> list[Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PoolError(f"{file} is not JSON ({error}); write a list of class names.") from error
    if isinstance(found, dict) and not found:
        raise PoolError(f'{file} holds no list of class names; write one, such as ["cat", "dog"].')
    if isinstance(found, dict):
        if key not in found:
            raise PoolError(f"{file} holds lists {', '.join(found)}; name one as {file}:{next(iter(found))}.")
        found = found[key]
    if not isinstance(found, list):
        raise PoolError(f"{file} must hold a list of class names; got {found!r}.")
    return found


def _need(table: Table, column: str, role: str) -> npt.NDArray[Any]:
    needed(table, column, role)
    if table[column].ndim == 0:
        raise PoolError(f"{column!r} is a single value, {table[column]}; {role} needs an array, one entry an item.")
    return table[column]


def _joined(predictions: Table, items: Table, id: str) -> Table:
    """Both tables' columns, in the order of the predictions; ids are one if they read the same."""
    left = plain_list(_need(predictions, id, "id in the predictions"), "ids")
    right = plain_list(_need(items, id, "id in the items"), "ids")
    where: dict[str, int] = {}
    for i, item in enumerate(right):
        if str(item) in where:
            raise PoolError(f"id {item!r} appears twice in the items; ids must be unique.")
        where[str(item)] = i
    missing = next((item for item in left if str(item) not in where), None)
    if missing is not None:
        raise PoolError(
            f"item {missing!r} has predictions but is not among the {len(where):,} items; ids must match exactly."
        )
    order = np.array([where[str(item)] for item in left], dtype=np.int64)
    return {**{k: v[order] for k, v in items.items() if v.ndim and len(v) == len(right)}, **predictions}


def _names_inside(table: Table) -> list[str] | None:
    for key in ("class_names", "classes"):
        if key in table:
            return list(check_classes(_need(table, key, "the names of classes"), key))
    return None


def number_columns(columns: Sequence[str], options: Mapping[str, Any]) -> Sequence[str]:
    """Of all columns, by their names alone, those that hold scores: to be read as numbers where nothing has a type."""
    if options["positive_score"] is not None:
        return (options["positive_score"],)
    if (options["probabilities"] or "probabilities") in columns:
        return ()
    split = [c for c in columns if c.startswith(PREFIX)]
    return split if len(split) >= 2 else (options["score"] or "score",)


def _split_are_attributes(table: Table, options: Mapping[str, Any], names: Sequence[str] | None) -> bool:
    """Whether columns called p_… are something else beside `predicted` and `score`: none is a predicted class."""
    predicted, score = options["predicted"] or "predicted", options["score"] or "score"
    split = [c for c in table if c.startswith(PREFIX)]
    if len(split) < 2 or predicted not in table or score not in table:
        return False
    return split_are_attributes(split, [str(p) for p in plain_list(table[predicted].reshape(-1), predicted)], names)


def _forms(
    table: Table, options: Mapping[str, Any], names: Sequence[str] | None
) -> tuple[dict[str, dict[str, Any]], set[str]]:
    """The model outputs as arguments of Pool.from_arrays, by model; and the columns they came from."""
    if options["positive_score"] is not None:
        column = options["positive_score"]
        return {"model": {"positive_score": numbers(_need(table, column, "positive_score"), column)}}, {column}
    together = options["probabilities"] or "probabilities"
    if together in table:
        return {"model": {"probabilities": _need(table, together, "probabilities")}}, {together}
    predicted, score = options["predicted"] or "predicted", options["score"] or "score"
    split = [c for c in table if c.startswith(PREFIX)]
    if len(split) >= 2 and not _split_are_attributes(table, options, names):
        return {"model": _from_columns(table, split, names)}, set(split)
    if predicted in table and score in table:
        given, scores = _need(table, predicted, "predicted"), numbers(_need(table, score, "score"), score)
        if given.ndim == 2:
            return _several_models(table, given, scores, names), {predicted, score, "models"}
        return {"model": {"predicted": given, "score": scores}}, {predicted, score}
    raise no_predictions(table)


def _several_models(
    table: Table, rows: npt.NDArray[Any], scores: npt.NDArray[Any], names: Sequence[str] | None
) -> dict[str, dict[str, Any]]:
    """A table of models × items each of predictions and scores, with `models` naming the rows."""
    models = [f"model {i}" for i in range(len(rows))]
    if "models" in table:
        models = list(check_classes(_need(table, "models", "the names of models"), "models"))
    if not len(models) == len(rows) == len(scores):
        raise PoolError(
            f"{len(models)} models are named, and there are {len(rows)} rows of predictions and {len(scores)} of "
            "scores; give one row of each a model."
        )
    if names is None:
        names = classes_in_order({name for row in rows for name in check_predicted(row, None, None)[1]})
    return {
        model: {"predicted": predicted, "score": score, "classes": names}
        for model, predicted, score in zip(models, rows, scores, strict=True)
    }


def _from_columns(table: Table, split: list[str], names: Sequence[str] | None) -> dict[str, Any]:
    """Probabilities from a column a class."""
    split, names = class_columns(split, names)
    values = [_need(table, c, "a class") for c in split]
    if not all(v.dtype.kind == "f" for v in values):
        values = [numbers(v, f"column {c!r}") for c, v in zip(split, values, strict=True)]
    return {"probabilities": np.stack(values, axis=1), "classes": names}


def _how_to_reopen(
    source: Any, items: Any, options: Mapping[str, Any], names: Sequence[str] | None
) -> dict[str, Any] | None:
    """Plain data from which the command line opens the same pool again; None where it did not come from files."""
    several = _are_files(source)
    if not (several or isinstance(source, str | Path)) or not (items is None or isinstance(items, str | Path)):
        return None
    return {
        "source": [str(found_file(f).resolve()) for f in source] if several else str(found_file(source).resolve()),
        "items": None if items is None else str(found_file(items).resolve()),
        **{k: list(v) if isinstance(v, tuple) else v for k, v in options.items() if v is not None},
        **({} if names is None else {"classes": list(names)}),
    }
