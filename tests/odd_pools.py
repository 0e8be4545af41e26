"""Pools with all that engines may understand differently, tables that are no pools, and what being the same means."""

import numpy as np
import pyarrow as pa

import fewlabels as fl
from fewlabels.core.groups import Column, PredictedClass, ScoreBins, ScoreLevels

N = 300


def random_table(seed: int) -> dict[str, object]:
    """Ties, missing values, unicode, ends of the range of whole numbers, scores 0 and 1, an empty group."""
    rng = np.random.default_rng(seed)
    ids = rng.choice(2**62, N, replace=False)
    ids[:2] = -(2**63), 2**63 - 1
    score = rng.choice([0.0, 1.0, 0.5, 0.29, np.nextafter(1, 0), *rng.uniform(size=20)], N)
    region = rng.choice(np.array(["N", "", "Ost ✓", "O'Hara", None], dtype=object), N)
    return {
        "id": ids if seed % 2 else [f"ïd {n} 🦉'" for n in ids],
        "predicted": rng.choice(["ant", "bee", "cät"], N),
        "score": score,
        "region": pa.array(region.tolist(), pa.string()),
        "size": pa.array([None if n % 7 == 0 else float("nan") if n % 13 == 0 else float(n % 5) for n in range(N)]),
        "text": [None if n % 11 == 0 else f"say “{n}”" for n in range(N)],
        "label": rng.choice(["ant", "bee", "owl"], N),
    }


AXES = (
    (),
    (PredictedClass(),),
    (Column("region"), ScoreBins(100)),
    (Column("size"), ScoreBins(5, "mass")),
    (PredictedClass(), ScoreLevels(4)),
)


def assert_same(small: fl.Pool, large: fl.Pool, axes_of=AXES) -> None:
    one, two = small.engine, large.engine
    assert (small.classes, small.columns, len(small), small.positive) == (
        large.classes, large.columns, len(large), large.positive,
    )  # fmt: skip
    assert (one.whole_ids, one.full_probabilities) == (two.whole_ids, two.full_probabilities)
    for axes in axes_of:
        cells, others = (engine.summarise("model", axes, probabilities=True) for engine in (one, two))
        assert cells.names == others.names
        for field in ("coordinates", "size", "score_sum", "probability_sum"):
            assert getattr(cells, field).tolist() == getattr(others, field).tolist()
        for cell in range(cells.count):
            assert one.draw("model", axes, 3, cell, 0, 20) == two.draw("model", axes, 3, cell, 0, 20)


def some_probabilities(kind: str) -> dict[str, object]:
    rng = np.random.default_rng(5)
    table = rng.dirichlet([0.4, 0.3, 0.2], N).astype(np.float32)
    table[:3] = [[1, 0, 0], [0.5, 0.5, 0], [1.0002, 0, -0.0002]]  # ties, and what is cut
    if kind == "list":
        return {"id": np.arange(N), "probabilities": pa.array(list(table), pa.list_(pa.float32()))}
    return {"id": np.arange(N), **{f"p_{name}": table[:, k] for k, name in enumerate(("b", "a", "c"))}}


GOOD = {"id": ["x", "y", "z"], "predicted": ["a", "b", "a"], "score": [0.5, 0.25, 1.0]}
REFUSED = {
    "a score": {**GOOD, "score": [0.5, 1.5, 2.0]},
    "no score": {**GOOD, "score": [0.5, None, 2.0]},
    "not a number": {**GOOD, "score": ["0.5", "0,5", "1"]},
    "an id twice": {**GOOD, "id": ["y", "x", "y"]},
    "a whole id twice": {**GOOD, "id": [7, 3, 3]},
    "no id": {**GOOD, "id": ["x", None, ""]},
    "no class": {**GOOD, "predicted": ["a", "", None]},
    "no predictions": {"id": ["x"], "other": [1]},
    "a probability": {"p_a": [0.5, -0.5], "p_b": [0.5, 1.5]},
    "sums": {"id": ["x", "y"], "p_a": [0.5, 0.75], "p_b": [0.5, 0.75]},
    "lists": {"probabilities": [[0.5, 0.5], [0.5, 0.25, 0.25]]},
    "a list": {"probabilities": [[0.5, 0.5], None]},
    "an entry": {"probabilities": [[0.5, 0.5], [None, 1.0]]},
    "nothing": {
        "id": pa.array([], pa.string()),
        "predicted": pa.array([], pa.string()),
        "score": pa.array([], pa.float64()),
    },
}
