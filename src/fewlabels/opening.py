"""open_pool: from a file (or frame) of predictions to a pool, columns found by name."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.engines.checks import ProbabilitiesAre
from fewlabels.engines.open import Table, read_table
from fewlabels.errors import PoolError, listed
from fewlabels.pool import Pool

PAYLOAD = ("text", "image_url", "url")  # shown to the labeller
_ABOUT_CLASSES = ("class_names", "classes", "superclass_of_class", "superclass_names", "models")
_PREFIX = "p_"


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
    """A pool from a file, a folder of Parquet files, a data frame or an Arrow table.

    `id`, `text`, `label`, `predicted`, `score`, `probabilities` and `positive_score` name columns, where they are not
    called so. `items` is a second table joined by id: texts and attributes. `classes` is a list of names, a file with
    one name a line, or a JSON list (`names.json`, or `names.json:key` for one list of several). Columns with no role
    become attributes to group by.
    """
    options = {key: value for key, value in locals().items() if key not in ("source", "items")}
    table = read_table(source)
    if items is not None:
        table = _joined(table, read_table(items), id or "id")
    for role in ("id", "text", "label", "predicted", "score", "probabilities", "positive_score"):
        if options[role] is not None:
            _need(table, options[role], role)
    names = read_classes(classes) if classes is not None else _names_inside(table)
    forms, used = _forms(table, options, names)
    payload = {name: table[name].tolist() for name in dict.fromkeys((text or "text", *PAYLOAD)) if name in table}
    shared = {
        "ids": table.get(id or "id"),
        "labels": table.get(label or "label"),
        "classes": names,
        "other_labels": other_labels,
        "positive": positive,
        "threshold": threshold,
        "probabilities_are": probabilities_are,
        "payload": payload,
    }
    count = max(len(np.asarray(v)) for form in forms.values() for k, v in form.items() if k != "classes")
    taken = {*used, id or "id", label or "label", *payload, *_ABOUT_CLASSES}
    columns = {k: v for k, v in table.items() if k not in taken and v.ndim == 1 and len(v) == count}
    pools = {model: Pool.from_arrays(columns=columns, **{**shared, **form}) for model, form in forms.items()}
    pool = Pool.join(pools) if len(pools) > 1 else next(iter(pools.values()))
    return replace(pool, source=_how_to_reopen(source, items, options))


def read_classes(classes: Sequence[Any] | str | Path) -> list[str]:
    """Class names from a list, a text file (one a line), or a JSON file (`names.json` or `names.json:key`)."""
    if not isinstance(classes, str | Path):
        return [str(c) for c in classes]
    path, _, key = str(classes).partition(".json:")
    file = Path(f"{path}.json" if key else path)
    if not file.exists():
        raise PoolError(f"no file of class names {str(file)!r}; pass a list, a text file or a JSON list.")
    if file.suffix != ".json":
        return [line.strip() for line in file.read_text().splitlines() if line.strip()]
    try:
        found = json.loads(file.read_text())
    except (ValueError, OSError) as error:
        raise PoolError(f"{file.name} is not JSON ({error}); write a list of class names.") from error
    if isinstance(found, dict):
        if key not in found:
            raise PoolError(f"{file.name} holds lists {', '.join(found)}; name one as {file.name}:{next(iter(found))}.")
        found = found[key]
    if not isinstance(found, list):
        raise PoolError(f"{file.name} must hold a list of class names; got {found!r}.")
    return [str(c) for c in found]


def _need(table: Table, column: str, role: str) -> npt.NDArray[Any]:
    if column not in table:
        raise PoolError(f"no column {column!r} for {role}; columns are {listed(table)}.")
    return table[column]


def _joined(predictions: Table, items: Table, id: str) -> Table:
    """Both tables' columns, in the order of the predictions."""
    left, right = _need(predictions, id, "id in the predictions"), _need(items, id, "id in the items")
    where: dict[Any, int] = {}
    for i, item in enumerate(right.tolist()):
        if item in where:
            raise PoolError(f"id {item!r} appears twice in the items; ids must be unique.")
        where[item] = i
    missing = next((item for item in left.tolist() if item not in where), None)
    if missing is not None:
        raise PoolError(
            f"item {missing!r} has predictions but is not among the {len(where):,} items; ids must match exactly."
        )
    order = np.array([where[item] for item in left.tolist()], dtype=np.int64)
    return {**{k: v[order] for k, v in items.items() if len(v) == len(right)}, **predictions}


def _names_inside(table: Table) -> list[str] | None:
    for key in ("class_names", "classes"):
        if key in table and table[key].ndim == 1:
            return [str(c) for c in table[key].tolist()]
    return None


def _forms(
    table: Table, options: Mapping[str, Any], names: list[str] | None
) -> tuple[dict[str, dict[str, Any]], set[str]]:
    """The model outputs as arguments of Pool.from_arrays, by model; and the columns they came from."""
    if options["positive_score"] is not None:
        column = options["positive_score"]
        return {"model": {"positive_score": _need(table, column, "positive_score")}}, {column}
    together = options["probabilities"] or "probabilities"
    if together in table:
        return {"model": {"probabilities": _stacked(table[together])}}, {together}
    predicted, score = options["predicted"] or "predicted", options["score"] or "score"
    split = [c for c in table if c.startswith(_PREFIX)]
    if len(split) >= 2 and not (
        predicted in table and score in table and _are_attributes(split, table[predicted], names)
    ):
        return {"model": _from_columns(table, split, names)}, set(split)
    if predicted in table and score in table:
        if table[predicted].ndim == 2:
            return _several_models(table, predicted, score, names), {predicted, score, "models"}
        return {"model": {"predicted": table[predicted], "score": table[score]}}, {predicted, score}
    raise PoolError(
        "no predictions found. Expected a column per class (p_<class>), a list column 'probabilities', 'predicted' "
        f"with 'score', or positive_score= naming a column; columns are {listed(table)}."
    )


def _are_attributes(split: list[str], predicted: npt.NDArray[Any], names: list[str] | None) -> bool:
    """Whether columns called p_… are something else beside `predicted` and `score`: none is a predicted class."""
    classes = {str(p) for p in predicted.reshape(-1).tolist()} | set(names or ())
    suffixes = {c.removeprefix(_PREFIX) for c in split}
    return not suffixes & classes and not all(s.isdigit() for s in suffixes)


def _several_models(table: Table, predicted: str, score: str, names: list[str] | None) -> dict[str, dict[str, Any]]:
    """A table of models × items each of predictions and scores, with `models` naming the rows."""
    rows = table[predicted]
    models = [str(m) for m in table["models"]] if "models" in table else [f"model {i}" for i in range(len(rows))]
    if not len(models) == len(rows) == len(table[score]):
        raise PoolError(
            f"{len(models)} models are named, and there are {len(rows)} rows of predictions and {len(table[score])} of "
            "scores; give one row of each a model."
        )
    if names is None and rows.dtype.kind in "iu":
        names = [str(i) for i in range(int(rows.max()) + 1)]
    elif names is None:
        names = sorted({str(v) for v in rows.reshape(-1).tolist()})
    found = zip(models, rows, table[score], strict=True)
    return {m: {"predicted": p, "score": s.astype(np.float64), "classes": names} for m, p, s in found}


def _from_columns(table: Table, split: list[str], names: list[str] | None) -> dict[str, Any]:
    suffixes = [c.removeprefix(_PREFIX) for c in split]
    if all(s.isdigit() for s in suffixes):
        split = sorted(split, key=lambda c: int(c.removeprefix(_PREFIX)))
        names = names if names is not None else [str(int(s)) for s in sorted(suffixes, key=int)]
    elif names is None:
        names = suffixes
    elif set(names) == set(suffixes):
        split = [_PREFIX + name for name in names]
    else:
        odd = sorted(set(names) ^ set(suffixes))[0]
        raise PoolError(
            f"classes and the columns p_… do not agree on {odd!r}; leave classes out, or name the same ones."
        )
    values = [table[c] for c in split]
    kind = np.result_type(*(v.dtype for v in values)) if all(v.dtype.kind == "f" for v in values) else np.float64
    try:
        return {"probabilities": np.stack([v.astype(kind) for v in values], axis=1), "classes": names}
    except (TypeError, ValueError) as error:
        raise PoolError(f"columns {split[0]} … {split[-1]} must hold numbers; {error}.") from error


def _stacked(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if values.dtype != object:
        return values
    width = len(values[0]) if len(values) and values[0] is not None else 0
    for row, value in enumerate(values):
        if value is None or len(value) != width:
            got = "no" if value is None else f"{len(value)}"
            raise PoolError(
                f"row {row} has {got} probabilities and the first row {width}; every row needs one a class."
            )
    return np.stack([np.ma.filled(np.ma.asarray(v, dtype=np.float64), np.nan) for v in values])


def _how_to_reopen(source: Any, items: Any, options: Mapping[str, Any]) -> dict[str, Any] | None:
    """Plain data from which the command line opens the same pool again; None where it did not come from files."""
    if not isinstance(source, str | Path) or not (items is None or isinstance(items, str | Path)):
        return None
    kept = {
        k: list(v) if isinstance(v, tuple) else str(v) if isinstance(v, Path) else v
        for k, v in options.items()
        if v is not None
    }
    classes = options["classes"]
    if isinstance(classes, str | Path):
        kept["classes"] = read_classes(classes)
    return {
        "source": str(Path(source).resolve()),
        "items": None if items is None else str(Path(items).resolve()),
        **kept,
    }
