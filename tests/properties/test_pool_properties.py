"""What holds for every pool: groups partition the items, bins keep order, files give back what went in."""

from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import fewlabels as fl
from fewlabels.core.groups import Column, PredictedClass, ScoreBins
from fewlabels.engines.binning import bin_scores

quick = settings(derandomize=True, deadline=None, max_examples=60)
scores = hnp.arrays(
    np.float64, st.integers(1, 60), elements=st.floats(0, 1) | st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0])
)
texts = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)


@quick
@given(scores, st.integers(1, 40))
def test_each_score_lies_between_the_edges_of_its_bin(values, count):
    index, names = bin_scores(values, ScoreBins(count))
    assert len(set(names)) == len(names) == count
    for value, number in zip(values, index, strict=True):
        assert number / count <= value < (number + 1) / count or (value == 1.0 and number == count - 1)


@quick
@given(scores, st.integers(1, 40))
def test_bins_of_equal_mass_keep_order_and_equal_scores_together(values, count):
    index, names = bin_scores(values, ScoreBins(count, "mass"))
    order = np.argsort(values, kind="stable")
    assert (np.diff(index[order]) >= 0).all()
    assert set(index.tolist()) == set(range(len(names)))
    assert len(set(names)) == len(names) <= count
    for value in np.unique(values):
        assert len(set(index[values == value].tolist())) == 1


@quick
@given(hnp.arrays(np.float64, st.integers(1, 80), elements=st.floats(0, 1), unique=True), st.integers(1, 20))
def test_distinct_scores_fill_bins_of_equal_mass_evenly(values, count):
    index, _ = bin_scores(values, ScoreBins(count, "mass"))
    sizes = np.bincount(index)
    if len(values) >= count:
        assert len(sizes) == count
        assert sizes.max() - sizes.min() <= 1
    else:
        assert (sizes == 1).all()


@st.composite
def pools(draw):
    items = draw(st.integers(1, 30))
    classes = draw(st.lists(texts, min_size=2, max_size=4, unique=True))
    weights = draw(hnp.arrays(np.float64, (items, len(classes)), elements=st.floats(0.01, 1)))
    region = draw(st.lists(st.sampled_from(["N", "S", None]), min_size=items, max_size=items))
    ids = draw(st.lists(texts, min_size=items, max_size=items, unique=True))
    return fl.Pool.from_arrays(
        probabilities=weights / weights.sum(axis=1, keepdims=True), classes=classes, ids=ids, columns={"region": region}
    )


@quick
@given(pools(), st.sampled_from([(), (PredictedClass(),), (Column("region"), ScoreBins(4)), (ScoreBins(3, "mass"),)]))
def test_cells_part_the_items_and_keep_their_sums(pool, axes):
    cells = pool.engine.summarise("model", axes, probabilities=True)
    outputs = pool.engine.models["model"]
    assert cells.size.sum() == len(pool)
    assert cells.score_sum.sum() == pytest.approx(outputs.score.sum())
    np.testing.assert_allclose(cells.probability_sum.sum(axis=0), outputs.probabilities.sum(axis=0), atol=1e-9)
    rows = pool.engine.find("model", axes, pool.engine.ids.tolist())
    assert np.bincount([row.cell for row in rows], minlength=cells.count).tolist() == cells.size.tolist()


@quick
@given(pools())
def test_weights_of_the_groups_sum_to_one(pool):
    for by in ("predicted_class", "region", ("region", "predicted_class"), "score_bin", None):
        answer = fl.create_study(pool, fl.Estimate("accuracy", by=by)).answer()
        assert sum(f.weight for f in answer.findings) == pytest.approx(1)


@quick
@given(pools())
def test_a_pool_joined_with_itself_in_another_order_agrees_with_itself(pool):
    order = np.argsort(pool.engine.ids.astype(str))
    table = pool.engine.models["model"].probabilities
    again = fl.Pool.from_arrays(
        probabilities=table[order][:, ::-1], classes=pool.classes[::-1], ids=pool.engine.ids[order]
    )
    both = fl.Pool.join({"one": pool, "two": again})
    one, two = both.engine.models["one"], both.engine.models["two"]
    np.testing.assert_array_equal(one.score, two.score)
    np.testing.assert_array_equal(one.probabilities, two.probabilities)
    clear = (table == table.max(axis=1, keepdims=True)).sum(axis=1) == 1  # of equal ones, the first counts
    np.testing.assert_array_equal(one.predicted[clear], two.predicted[clear])


def write(table: dict, path: str) -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.feather")
    pytest.importorskip("pyarrow.parquet")
    pd = pytest.importorskip("pandas")
    if path.endswith("csv"):
        pd.DataFrame(table).to_csv(path, index=False)
    elif path.endswith("jsonl"):
        pd.DataFrame(table).to_json(path, orient="records", lines=True, double_precision=15)
    elif path.endswith("feather"):
        pa.feather.write_feather(pa.table(table), path)
    else:
        pa.parquet.write_table(pa.table(table), path)


@settings(derandomize=True, deadline=None, max_examples=20)
@given(pools(), st.sampled_from(["parquet", "csv", "jsonl", "feather"]))
def test_a_pool_written_to_a_file_and_opened_is_the_same_pool(pool, kind):
    ids = [f"id {item}" for item in pool.engine.ids]
    outputs = pool.engine.models["model"]
    table = {"id": ids, "region": pool.engine.columns["region"].tolist()}
    table |= {f"p_{j:03}": outputs.probabilities[:, j] for j in range(len(pool.classes))}
    with TemporaryDirectory() as folder:
        write(table, f"{folder}/pool.{kind}")
        again = fl.open_pool(f"{folder}/pool.{kind}", classes=pool.classes)
    assert again.engine.ids.tolist() == ids
    assert again.classes == pool.classes
    digits = 1e-14 if kind == "jsonl" else 0  # JSON was written with 15 digits
    np.testing.assert_allclose(again.engine.models["model"].probabilities, outputs.probabilities, rtol=0, atol=digits)
    assert [v if isinstance(v, str) else None for v in again.engine.columns["region"]] == table["region"]
