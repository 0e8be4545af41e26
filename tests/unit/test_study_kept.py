"""A study kept in a file: found again with its pool and settings, or refused in words."""

from pathlib import Path

import numpy as np
import pytest

import fewlabels as fl
from card_studies import CLASSES, POOL, make_study, tell_all, timeless


def test_a_loaded_study_goes_on_where_it_was(tmp_path):
    where = f"sqlite:///{tmp_path}/s.db"
    study, twin = make_study(storage=where, name="march"), make_study(name="march")
    for one in (study, twin):
        tell_all(one, one.ask(7))
        one.ask(2)
    again = fl.load_study("march", storage=where, pool=POOL)
    assert again.settings == study.settings
    assert again.labels == study.labels
    assert again.open_queries == study.open_queries
    assert again.answer() == twin.answer()
    assert timeless(again.ask(3)) == timeless(twin.ask(3))


def test_answering_and_telling_need_no_pool(tmp_path):
    where = f"sqlite:///{tmp_path}/s.db"
    study = make_study(storage=where)
    queries = study.ask(4)
    again = fl.load_study(storage=where)
    tell_all(again, queries)
    assert again.answer() == study.answer()
    assert again.progress == study.progress
    with pytest.raises(fl.StudyError, match=r"needs the pool.*pool="):
        again.ask()
    with pytest.raises(fl.StudyError, match=r"needs the pool.*pool="):
        again.answer(fl.Estimate("accuracy", by="region"))


def test_two_objects_on_one_file_see_each_other(tmp_path):
    where = f"sqlite:///{tmp_path}/s.db"
    one = make_study(storage=where)
    two = fl.load_study(storage=where, pool=POOL)
    asked = one.ask(3)
    assert two.open_queries == asked
    two.tell(asked[0], "refund")
    assert one.labels == {asked[0].item: "refund"}
    assert one.answer().overall.labels == 1
    with pytest.raises(fl.LabelError, match="correct"):
        one.tell(asked[0], "lost_card")


def test_another_pool_is_refused(tmp_path):
    where = f"sqlite:///{tmp_path}/s.db"
    make_study(storage=where, name="march")
    probabilities = POOL.engine.models["model"].probabilities
    ids = POOL.engine.ids.tolist()
    others = {
        "fewer items": {"probabilities": probabilities[:59], "ids": ids[:59], "classes": CLASSES},
        "another id": {"probabilities": probabilities, "ids": [*ids[:59], "z"], "classes": CLASSES},
        "items exchanged": {"probabilities": probabilities[::-1], "ids": ids, "classes": CLASSES},
        "another score": {"probabilities": probabilities * 0.5 + 1 / 6, "ids": ids, "classes": CLASSES},
        "another class": {"probabilities": probabilities, "ids": ids, "classes": [*CLASSES[:2], "other"]},
        "a label more": {"probabilities": probabilities, "ids": ids, "classes": CLASSES, "other_labels": ["oos"]},
    }
    for name, arrays in others.items():
        other = fl.Pool.from_arrays(**arrays)
        with pytest.raises(fl.StudyError, match=r"not the pool the study was created with.*create a new study"):
            fl.load_study("march", storage=where, pool=other)
        with pytest.raises(fl.StudyError, match="not the pool"):
            make_study(pool=other, storage=where, name="march", load_if_exists=True)
        assert name


def test_a_pool_whose_groups_changed_is_refused(tmp_path):
    """The cells were summarised when the study was created; other groups would be asked under the old names."""
    where = f"sqlite:///{tmp_path}/s.db"
    make_study(fl.Estimate("accuracy", by="region"), storage=where)
    arrays = {
        "probabilities": POOL.engine.models["model"].probabilities,
        "ids": POOL.engine.ids,
        "classes": CLASSES,
    }
    exchanged = ["S" if value == "N" else "N" for value in POOL.engine.columns["region"]]
    for region in (exchanged, ["N"] * 40 + ["S"] * 20, ["W"] * 60):
        other = fl.Pool.from_arrays(**arrays, columns={"region": region})
        with pytest.raises(fl.StudyError, match="not the pool"):
            fl.load_study(storage=where, pool=other).ask(3)


def test_the_same_items_in_another_order_are_the_same_pool(tmp_path):
    where = f"sqlite:///{tmp_path}/s.db"
    make_study(fl.Estimate("accuracy"), storage=where)
    order = np.random.default_rng(0).permutation(60)
    shuffled = fl.Pool.from_arrays(
        probabilities=POOL.engine.models["model"].probabilities[order], ids=POOL.engine.ids[order], classes=CLASSES
    )
    assert len(fl.load_study(storage=where, pool=shuffled).ask(3)) == 3


def test_a_pool_of_other_models_is_refused(tmp_path):
    where = f"sqlite:///{tmp_path}/s.db"
    make_study(storage=where)
    with pytest.raises(fl.StudyError, match=r"model 'model'.*lr, nb"):
        fl.load_study(storage=where, pool=fl.Pool.join({"lr": POOL, "nb": POOL}))


def test_a_taken_name_is_refused_unless_it_may_be_loaded(tmp_path):
    where = f"sqlite:///{tmp_path}/s.db"
    study = make_study(storage=where, name="march")
    tell_all(study, study.ask(3))
    with pytest.raises(fl.StudyError, match=r"'march' exists already.*load_if_exists=True.*another name"):
        make_study(storage=where, name="march")
    again = make_study(storage=where, name="march", load_if_exists=True)
    assert again.labels == study.labels
    assert make_study(storage=where, name="april", load_if_exists=True).labels == {}


@pytest.mark.parametrize(
    ("other", "word"),
    [
        ({"budget": 5}, "budget"),
        ({"seed": 1}, "seed"),
        ({"question": fl.Estimate("accuracy")}, "question"),
        ({"prior": "flat"}, "prior"),
        ({"until": fl.HalfWidth(0.05)}, "until"),
    ],
)
def test_a_study_with_other_settings_is_not_loaded_in_place_of_a_new_one(tmp_path, other, word):
    where = f"sqlite:///{tmp_path}/s.db"
    make_study(storage=where, name="march")
    with pytest.raises(fl.StudyError, match=rf"'march' exists with other settings.*{word}.*load_study"):
        make_study(storage=where, name="march", load_if_exists=True, **other)


def test_an_unknown_study_lists_the_known_ones(tmp_path):
    where = f"sqlite:///{tmp_path}/s.db"
    make_study(storage=where, name="march")
    make_study(storage=where, name="april")
    with pytest.raises(fl.StudyError, match=r"'may'.*march, april"):
        fl.load_study("may", storage=where)


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path):
    path = Path(tmp_path) / "notes.db"
    path.write_text("these are my notes, and no database\n" * 200)
    for use in (lambda url: make_study(storage=url), lambda url: fl.load_study(storage=url)):
        with pytest.raises(fl.StudyError, match=r"notes.db.*cannot be opened.*another file"):
            use(f"sqlite:///{path}")
    assert path.read_text() == "these are my notes, and no database\n" * 200


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path):
    import sqlite3
    from contextlib import closing

    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table events (id integer primary key, sold text)")
    with pytest.raises(fl.StudyError, match=r"shop.db"):
        fl.load_study(storage=f"sqlite:///{path}")
    with closing(sqlite3.connect(path)) as connection:
        assert [row[0] for row in connection.execute("select name from sqlite_master")] == ["events"]


@pytest.mark.parametrize("where", ["study.db", Path("study.db"), "mysql://host/db", 3])
def test_an_address_that_is_none_says_how_to_write_one(where):
    for use in (lambda: make_study(storage=where), lambda: fl.load_study(storage=where)):
        with pytest.raises(fl.StudyError, match=r"sqlite:///study\.db"):
            use()


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(fl.StudyError, match=r"cannot be opened"):
        make_study(storage=f"sqlite:///{tmp_path}/nowhere/s.db")


def test_loading_from_a_file_that_is_not_there_does_not_make_one(tmp_path):
    with pytest.raises(fl.StudyError):
        fl.load_study(storage=f"sqlite:///{tmp_path}/s.db")
    assert list(tmp_path.iterdir()) == []
