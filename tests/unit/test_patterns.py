"""Patterns of files: parts/*.parquet, where no file is called so."""

from pathlib import Path

import pytest

import fewlabels as fl
from odd_pools import GOOD
from pools_in_tables import write


def test_a_pattern_means_the_files_it_fits_in_the_order_of_their_names(tmp_path: Path) -> None:
    folder = tmp_path / "runs [1]"  # letter by letter: no sign of a pattern
    folder.mkdir()
    for name, ids in (("b-2", ["d", "e", "f"]), ("b-1", ["a", "b", "c"]), ("c", ["x", "y", "z"])):
        write(folder / f"{name}.parquet", {**GOOD, "id": ids})
    pool = fl.open_pool(folder / "b-?.parquet")
    assert pool.ids == ["a", "b", "c", "d", "e", "f"]
    assert pool.source is not None
    assert fl.open_pool(pool.source["source"]).ids == pool.ids
    write(folder / "b-?.parquet", GOOD)
    assert fl.open_pool(folder / "b-?.parquet").ids == GOOD["id"]


def test_a_pattern_that_means_no_file_or_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(fl.PoolError, match=r"no file '.*\*.parquet'; check the path"):
        fl.open_pool(tmp_path / "*.parquet")
    write(tmp_path / "a.parquet", GOOD)
    (tmp_path / "a.csv").write_text("id,predicted,score\n")
    with pytest.raises(fl.PoolError, match=r"a\.csv', which '.*a\.\*' means too, is no Parquet file"):
        fl.open_pool(tmp_path / "a.*")


def test_files_with_other_columns_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", GOOD)
    write(tmp_path / "b.parquet", {**GOOD, "region": ["n", "s", "n"]})
    with pytest.raises(fl.PoolError, match="do not both have column 'region'; files that are read together"):
        fl.open_pool(tmp_path / "?.parquet")
