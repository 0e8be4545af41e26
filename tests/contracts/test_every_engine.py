"""The promises of engines/base.py, kept by every engine: a slow loop over the items says what is right."""

import pytest

from fewlabels.engines import Chunk, gathered
from fewlabels.testing import engines as promises
from pools_in_tables import in_duckdb, in_files_of_models

ENGINES = {"memory": lambda items: items, "DuckDB": in_duckdb, "DuckDB, a file a model": in_files_of_models}
every_model = pytest.mark.parametrize("model", promises.MODELS)


@pytest.fixture(params=ENGINES)
def make(request):
    return ENGINES[request.param]


@pytest.fixture(params=promises.AXES)
def axes(request):
    return promises.AXES[request.param]


@every_model
def test_cells_are_the_sums_a_slow_loop_finds(make, axes, model):
    promises.cells_are_sums_over_items(make, axes, model)


def test_probabilities_are_summed_only_when_asked_for(make, axes):
    promises.probabilities_only_when_asked_for(make, axes)


def test_the_order_of_a_cell_holds_each_of_its_items_once(make, axes):
    promises.an_order_holds_each_item_once(make, axes)


def test_a_row_says_what_the_model_said(make, axes):
    promises.a_row_says_what_the_model_said(make, axes)


@every_model
def test_a_scan_says_of_every_item_what_its_row_says(make, axes, model):
    promises.a_scan_says_what_the_rows_say(make, axes, model)


@pytest.mark.parametrize("size", [1, 7, 89])
def test_chunks_are_gathered_in_their_order(make, size):
    engine = make(promises.some_items())
    whole = gathered(engine.scan("one", promises.AXES["crossing"], whole=True))

    def part(values, start):
        if isinstance(values, dict):
            return {name: part(entries, start) for name, entries in values.items()}
        return values[start : start + size]

    parts = [Chunk(**{k: part(v, start) for k, v in vars(whole).items()}) for start in range(0, engine.count, size)]
    again = gathered(parts)
    for name in ("items", "hashes", "cell", "predicted", "score", "labels", "probabilities"):
        assert getattr(again, name).tolist() == getattr(whole, name).tolist()
    assert again.columns["region"].tolist() == whole.columns["region"].tolist()
    assert list(again.payload["text"]) == list(whole.payload["text"])


def test_an_engine_says_what_it_holds(make):
    promises.it_says_what_it_holds(make)


def test_items_that_are_not_there_are_not_found(make, axes):
    promises.unknown_items_are_not_found(make, axes)


@every_model
def test_the_outputs_of_items_are_those_of_their_rows(make, axes, model):
    promises.outputs_are_those_of_the_rows(make, axes, model)


@pytest.mark.parametrize("key", range(3))
def test_all_is_as_in_memory_on_random_pools(make, axes, key):
    promises.same_as_in_memory(make, axes, key)


def test_the_order_depends_on_the_seed_and_on_nothing_else(make):
    promises.the_order_follows_the_seed_alone(make)


def test_the_order_is_uniform():
    """In memory: that of others is the same, as is tried above, and two thousand orders of tables take a minute."""
    promises.the_order_is_uniform(ENGINES["memory"])


def test_the_fingerprint_of_the_payload_changes_with_any_text_and_not_with_their_order(make):
    promises.the_fingerprint_of_texts_changes_with_them(make)


def test_the_fingerprint_changes_with_any_id_prediction_score_or_group_and_not_with_their_order(make):
    promises.the_fingerprint_changes_with_the_items(make)


def test_more_items_than_two_chunks_of_any_reader_are_all_there(make):
    promises.many_items_are_all_there(make)
