"""Studies that version 0.1.0 made open, and ask for the same items as before, though files are now read as written."""

import importlib.util
import json
import sqlite3
from pathlib import Path

import pytest

import fewlabels as fl
from fewlabels.study.rules import upgrade
from fewlabels.tables import guessed

DATA = Path(__file__).parent.parent / "data" / "v010"
ASKED = json.loads((DATA / "asked.json").read_text())
WRONG = ("late_scores.csv", "odd_ids.csv")  # numbers of theirs were read wrongly


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of predictions, as they were when the studies were made."""
    spec = importlib.util.spec_from_file_location("make", DATA / "make.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    place = tmp_path_factory.mktemp("then").resolve()
    made.write_files(place)
    return Path(place)


@pytest.fixture
def storage(as_written: str) -> str:
    """The studies, brought up to date."""
    upgrade(as_written)
    return as_written


@pytest.fixture
def as_written(folder: Path, tmp_path: Path) -> str:
    """The studies, as version 0.1.0 left them."""
    dump = (DATA / "studies.sql").read_text().replace("FOLDER", str(folder))
    with sqlite3.connect(tmp_path / "studies.db") as database:
        database.executescript(dump)
    database.close()
    return f"sqlite:///{tmp_path}/studies.db"


@pytest.mark.parametrize("file", [file for file in ASKED if file not in WRONG])
def test_a_study_of_0_1_0_asks_for_the_same_items_as_before(storage: str, file: str) -> None:
    study = fl.load_study(file, storage=storage)
    assert [query.item for query in study.ask(6)] == ASKED[file]
    assert len(study.labels) == 4


@pytest.mark.parametrize("file", [file for file in ASKED if file not in WRONG])
def test_a_study_of_0_1_0_takes_the_pool_as_it_is_opened_now(storage: str, folder: Path, file: str) -> None:
    study = fl.load_study(file, storage=storage, pool=fl.open_pool(folder / file))
    queries = study.ask(6)
    assert [query.item for query in queries] == ASKED[file]
    study.tell({query.item: query.predicted for query in queries})
    assert len(study.labels) == 4 + len(queries)


def test_whole_number_ids_of_a_csv_file_stay_numbers_in_a_study_that_called_them_so(storage: str) -> None:
    study = fl.load_study("numbers.csv", storage=storage)
    (query,) = study.ask()
    assert type(query.item) is int
    study.tell(str(query.item), "cat")
    assert study.labels[query.item] == "cat"
    assert {type(item) for item in study.labels} == {int}


def test_a_file_that_reads_the_same_now_is_not_guessed_again(storage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guessed, "_duckdb", None)
    for file in ("numbers.csv", "codes.csv", "numbered.csv"):
        assert [query.item for query in fl.load_study(file, storage=storage).ask(6)] == ASKED[file]


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("late_scores.csv", ["row 25000", "'score'", "'0.4'", "new study", "drawn='unknown'"]),
        ("odd_ids.csv", ["row 25000", "'id'", "'25000.6'", "25001", "new study"]),
    ],
)
def test_a_study_of_0_1_0_that_rests_on_a_wrong_number_says_which_one(
    storage: str, file: str, words: list[str]
) -> None:
    with pytest.raises(fl.StudyError) as caught:
        fl.load_study(file, storage=storage).ask()
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_what_was_recorded_can_be_answered_from_though_the_pool_was_read_wrongly(storage: str) -> None:
    study = fl.load_study("late_scores.csv", storage=storage)
    assert len(study.labels) == 4
    assert study.answer().overall is not None


def test_codes_without_names_make_the_classes_they_made_then(storage: str) -> None:
    pool = fl.Pool.from_arrays(
        ids=[f"i{i}" for i in range(24)],
        predicted=[[0, 2, 5][i % 3] for i in range(24)],
        score=[round(0.5 + i / 60, 3) for i in range(24)],
    )
    study = fl.load_study("codes.csv", storage=storage, pool=pool)
    assert study.classes == ("0", "1", "2", "3", "4", "5")
    assert [query.item for query in study.ask(6)] == ASKED["codes.csv"]


def test_a_changed_file_is_still_not_the_pool_of_the_study(storage: str, folder: Path, tmp_path: Path) -> None:
    changed = tmp_path / "truth.csv"
    changed.write_text((folder / "truth.csv").read_text().replace("0.617", "0.618"))
    with sqlite3.connect(storage.removeprefix("sqlite:///")) as database:
        database.execute("update fewlabels_pools set about = replace(about, ?, ?)", (str(folder), str(tmp_path)))
    database.close()
    with pytest.raises(fl.FewlabelsError):
        fl.load_study("truth.csv", storage=storage).ask()


def test_a_new_study_of_a_csv_file_calls_its_items_by_text(folder: Path, tmp_path: Path) -> None:
    where = f"sqlite:///{tmp_path}/new.db"
    fl.create_study(fl.open_pool(folder / "numbers.csv"), fl.Estimate("accuracy"), storage=where)
    study = fl.load_study(storage=where)
    item = study.ask()[0].item
    assert type(item) is str
    study.tell(int(item), "cat")
    assert study.labels == {item: "cat"}
