"""Where a pool's items stand in tables: what a query must say to read ids, predictions, scores and texts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

WIDE = "wide_"  # how the names of columns begin that narrow rows do not have


@dataclass(frozen=True)
class ModelColumns:
    """What one model said, as SQL."""

    predicted: str  # index into the classes
    score: str  # of the predicted class, a double in [0, 1]
    probabilities: tuple[str, ...] | None = None  # of each class, doubles in [0, 1], where known


@dataclass(frozen=True)
class Layout:
    """The items of a pool in a table: each field but the first few is an expression over its rows."""

    rows: str  # what stands behind `from`
    count: int
    whole_ids: bool
    classes: tuple[str, ...]
    other_labels: tuple[str, ...]
    row: str  # the place of an item in the pool, counted from 0
    item: str  # the id, a whole number or text
    models: Mapping[str, ModelColumns]
    columns: Mapping[str, str] = field(default_factory=dict)
    payload: Mapping[str, str] = field(default_factory=dict)
    label: str | None = None  # the name of the true class, where it is known
    narrow: str | None = None  # rows that know ids, classes and scores alone, where these are cheaper to read

    def rows_for(self, *expressions: str) -> str:
        """What stands behind `from` where these are asked for."""
        return self.rows if self.narrow is None or any(WIDE in one for one in expressions) else self.narrow
