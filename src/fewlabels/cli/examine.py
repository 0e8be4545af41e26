"""What is in a file of predictions, as plain data: read before anybody knows whether it can be a pool."""

import difflib
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fewlabels.cli.errors import in_shell_words
from fewlabels.cli.lines import is_empty
from fewlabels.core.groups import PredictedClass
from fewlabels.engines import gathered
from fewlabels.errors import PoolError
from fewlabels.pool import Pool
from fewlabels.pool.roles import MODEL, PAYLOAD
from fewlabels.pool.several_models import rows_by_model
from fewlabels.tables.large_tables import bytes_of
from fewlabels.tables.read import Table, found_file, read_table
from fewlabels.tables.values import is_missing, written_number

MOST_GROUPS = 50  # a column of more values is hardly meant as groups
MOST_CLASSES = 1000
MOST_BYTES = 1_000_000_000  # of files that are held in memory to be looked at
_PREDICTION_WORDS = ("pred", "class", "model", "decision", "output", "guess")
_NO_LABEL = ("None", "nan", "")  # how a pool writes a label that is missing
_NEAR = 0.7  # how alike a class must be that a label may be a slip of
COMMONEST = 6  # values of a column that are named
MANY_EQUAL = 0.1  # a share of equal scores worth a warning


@dataclass(frozen=True)
class ColumnFacts:
    """One column of the file."""

    name: str
    kind: str  # "text", "number", "yes/no", "list"
    distinct: int
    missing: int
    commonest: tuple[str, ...]  # values, the most frequent first
    low: float | None = None
    high: float | None = None

    @property
    def groups(self) -> bool:
        """Whether its values can serve as groups."""
        return 2 <= self.distinct <= MOST_GROUPS and self.kind != "list"

    @property
    def looks_like_score(self) -> bool:
        in_range = self.low is not None and self.high is not None and self.low >= 0 and self.high <= 1
        return in_range and self.kind == "number" and self.distinct > 2

    @property
    def looks_like_class(self) -> bool:
        return self.kind != "list" and 2 <= self.distinct <= MOST_CLASSES


@dataclass(frozen=True)
class ScoreFacts:
    """The scores of the predicted classes."""

    low: float
    mean: float
    high: float
    equal: float  # share of items that have the commonest score; 0 where no two are equal
    commonest: float
    distinct: int


class Scores(NamedTuple):
    """The scores of one model as they were found: distinct values, and how many items have the commonest of them."""

    low: float
    high: float
    distinct: int
    times: int
    commonest: float  # of several the lowest


@dataclass(frozen=True)
class ModelFacts:
    """What one model says of the items."""

    model: str
    score: ScoreFacts
    never_predicted: int  # classes
    smallest: int  # items of the rarest predicted class
    median: float
    largest: int


@dataclass(frozen=True)
class UnknownLabel:
    """A label of the file that is none of the classes."""

    label: str
    count: int
    near: str | None  # the class it may be a slip of


@dataclass(frozen=True)
class Examination:
    """What the file holds; `problem` says why it is no pool."""

    rows: int
    columns: tuple[ColumnFacts, ...]
    id_column: str | None = None
    text_columns: tuple[str, ...] = ()
    labelled: int | None = None  # items whose label is in the file
    unknown_labels: tuple[UnknownLabel, ...] = ()  # among those, the commonest first
    form: str | None = None
    classes: tuple[str, ...] = ()  # that a model can predict
    other_labels: tuple[str, ...] = ()  # true classes no model predicts
    positive: str | None = None
    models: tuple[ModelFacts, ...] = ()
    model_column: str | None = None  # that names the models, where an item has a row of each
    differing: tuple[str, ...] = ()  # attributes left out because they differ between the models of one item
    attributes: tuple[ColumnFacts, ...] = ()
    problem: str | None = None
    hints: tuple[str, ...] = ()


def examine(file: str, given: dict[str, Any], opened: Any) -> Examination:
    """What the file holds, read with the options `given`; `opened()` is the pool, or raises PoolError."""
    _check_size(file)
    table: Table = {} if is_empty(file) else read_table(file)
    columns = tuple(_column(name, values) for name, values in table.items() if values.ndim == 1)
    rows = max((len(values) for values in table.values() if values.ndim), default=0)
    id_column = given.get("id") or ("id" if "id" in table else None)
    try:
        pool: Pool = opened()
    except PoolError as error:
        return no_pool(rows, columns, id_column, error)
    items = gathered(pool.engine.scan(pool.models[0], whole=True))
    labels = None if items.labels is None else Counter(items.labels.tolist())
    texts = tuple(name for name, values in items.payload.items() if any(v is not None for v in values))
    long = rows_by_model(table, id_column or "id") is not None
    return Examination(
        rows=rows if long else len(pool),
        columns=columns,
        id_column=id_column,
        text_columns=texts,
        labelled=labelled(labels),
        unknown_labels=tuple(unknown_labels(labels, pool.true_classes)),
        form=form_of(pool, table, given),
        classes=pool.classes,
        other_labels=pool.other_labels,
        positive=pool.positive,
        models=tuple(model_facts(pool, name, _scores(pool, name)) for name in pool.models),
        model_column=MODEL if long else None,
        differing=tuple(_left_out(table, pool, given, id_column)) if long else (),
        attributes=tuple(_column(name, items.columns[name]) for name in pool.columns),
    )


def no_pool(rows: int, columns: tuple[ColumnFacts, ...], id_column: str | None, error: PoolError) -> Examination:
    """What there is in a file that cannot be opened as it stands, and what to try."""
    problem = in_shell_words(str(error))
    return Examination(rows, columns, id_column, problem=problem, hints=tuple(_hints(rows, columns, problem)))


def _check_size(file: str) -> None:
    bytes_there = bytes_of(found_file(file))
    if bytes_there > MOST_BYTES:
        raise PoolError(
            f"{file} has {bytes_there / 1e9:.1f} GB, and would be held in memory, which is done up to "
            f"{MOST_BYTES / 1e9:g} GB; only Parquet and CSV files, without --items, are looked at where they are. "
            "Write Parquet, with all columns in it."
        )


def _column(name: str, values: npt.NDArray[Any]) -> ColumnFacts:
    cells = values.tolist()
    present = [v for v in cells if not is_missing(v)]
    if any(isinstance(v, list | tuple | dict | np.ndarray) for v in present):
        return ColumnFacts(name, "list", len(present), len(cells) - len(present), ())
    counts = Counter(map(str, present))
    numbers = _numbers(present)
    yes_no = bool(present) and (
        all(isinstance(v, bool) for v in present) or {str(v).lower() for v in counts} <= {"true", "false"}
    )
    return ColumnFacts(
        name,
        "yes/no" if yes_no else "number" if numbers else "text",
        len(counts),
        len(cells) - len(present),
        tuple(value for value, _ in counts.most_common(COMMONEST)),
        min(numbers) if numbers else None,
        max(numbers) if numbers else None,
    )


def _numbers(values: list[Any]) -> set[float]:
    """The distinct numbers of a column, also where a file without types has them as text; none if it holds others."""
    found = set()
    for value in set(values) if all(isinstance(v, str) for v in values) else values:
        number = written_number(value) if isinstance(value, str) else value
        if not isinstance(number, int | float) or number != number:
            return set()
        found.add(float(number))
    return found


def _left_out(table: Table, pool: Pool, given: dict[str, Any], id_column: str | None) -> Iterator[str]:
    """Attributes of a table of several models that the pool does not have."""
    roles = {given.get(role) or role for role in ("text", "label", "predicted", "score", "probabilities")}
    roles |= {id_column, MODEL, given.get("positive_score"), *PAYLOAD, *pool.columns}
    for name in table:
        if name not in roles and not (name.startswith("p_") and pool.engine.full_probabilities):
            yield name


def labelled(labels: Counter[str] | None) -> int | None:
    """How many labels there are; None where the file has no column of them."""
    return None if labels is None else sum(n for label, n in labels.items() if label not in _NO_LABEL)


def unknown_labels(labels: Counter[str] | None, classes: tuple[str, ...]) -> Iterator[UnknownLabel]:
    """Those that are none of the classes, the commonest first."""
    for label, count in (labels or Counter()).most_common():
        if label not in classes and label not in _NO_LABEL:
            near = difflib.get_close_matches(label, classes, n=1, cutoff=_NEAR)
            yield UnknownLabel(label, count, near[0] if near else None)


def form_of(pool: Pool, table: Collection[str], given: dict[str, Any]) -> str:
    """How predictions stand in the file."""
    if given.get("positive_score"):
        return f"the score of one class, {pool.positive!r}, in column {given['positive_score']!r}"
    if not pool.engine.full_probabilities:
        return "the predicted class and its score"
    listed = (given.get("probabilities") or "probabilities") in table
    return "a list of class probabilities" if listed else "a probability column for each class"


def _scores(pool: Pool, model: str) -> Scores:
    values, counts = np.unique(gathered(pool.engine.scan(model)).score, return_counts=True)
    first = counts.argmax()
    return Scores(float(values[0]), float(values[-1]), len(values), int(counts[first]), float(values[first]))


def model_facts(pool: Pool, name: str, found: Scores) -> ModelFacts:
    """What a model says; classes and the mean score by the sums that engines make, which are alike to the bit."""
    cells = pool.engine.summarise(name, (PredictedClass(),), probabilities=False)
    mean = float(cells.score_sum.sum()) / len(pool)
    equal = found.times / len(pool) if found.times > 1 else 0.0
    score = ScoreFacts(found.low, mean, found.high, equal, found.commonest, found.distinct)
    never, sizes = len(pool.classes) - cells.count, cells.size
    return ModelFacts(name, score, never, int(sizes.min()), float(np.median(sizes)), int(sizes.max()))


def _hints(rows: int, columns: tuple[ColumnFacts, ...], problem: str) -> Iterator[str]:
    """What to try where the file is no pool as it stands."""
    if "sum to one" in problem:
        yield "If these are independent sigmoids, add --independent."
    if "no predictions found" in problem:
        scores = [c for c in columns if c.looks_like_score]
        others = ("id", "label", *PAYLOAD, *(c.name for c in scores))
        named = [c for c in columns if any(word in c.name.lower() for word in _PREDICTION_WORDS)]
        classes = [c for c in named if c.looks_like_class and c.name not in others]
        if scores and classes:
            pair = f"--predicted {classes[0].name} --score {scores[0].name}"
            yield f"If {classes[0].name!r} is the predicted class and {scores[0].name!r} its score, add {pair}."
        if scores:
            single = f"--positive-score {scores[0].name} --positive NAME_OF_THE_CLASS"
            yield f"If {scores[0].name!r} is the score of one positive class, add {single}."
    if "ids must be unique" in problem:
        taken = ("id", "predicted", "score", "label", *PAYLOAD)
        unique = [c.name for c in columns if c.distinct == rows and not c.missing and c.name not in taken]
        if unique:
            yield f"Column {unique[0]!r} has no value twice: perhaps --id {unique[0]}."
