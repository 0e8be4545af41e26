"""Where a pool's items stand in tables: what a query must say to read ids, predictions, scores and texts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# How columns are called that have names of their own: narrow_0_score is the first model's, wide_1_7 the second's.
NARROW, WIDE = "narrow", "wide"
_NAMED = re.compile(rf"\b({NARROW}|{WIDE})_(\d+)_")


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
    joins: Sequence[str] = ()  # what adds the wide columns of each model to them, where there are several

    def rows_for(self, *expressions: str) -> str:
        """What stands behind `from` where these are asked for."""
        models = {(kind, int(number)) for one in expressions for kind, number in _NAMED.findall(one)}
        wide = sorted(number for kind, number in models if kind == WIDE)
        if self.narrow is None or not wide:
            return self.narrow or self.rows
        if all(number == 0 for _, number in models):
            return self.rows
        return f"(select * from {self.narrow} as e {' '.join(self.joins[number] for number in wide)}) as every_item"
