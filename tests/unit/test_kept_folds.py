"""What folding came to is kept beside the events, and counts only where it was made of just these."""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core import kept_fold
from fewlabels.core.history import History
from fewlabels.storages import folds as sql_folds
from fewlabels.study import folding

RANDOM = np.random.default_rng(5)
TABLE = RANDOM.dirichlet([1, 1, 1], 300)
TRUTH = [str(k) for k in RANDOM.integers(0, 3, 300)]
POOL = fl.Pool.from_arrays(probabilities=TABLE, ids=[f"i{n}" for n in range(300)], payload={"text": ["ä"] * 300})
QUESTIONS: dict[str, tuple[Any, dict[str, Any]]] = {
    "uniform": (fl.Estimate("accuracy", by="predicted_class"), {"strategy": "uniform"}),
    "gain": (fl.Estimate("accuracy", by="predicted_class"), {}),
    "overlap": (fl.Estimate("accuracy"), {"labels_per_item": 2, "overlap": 0.4, "strategy": "uniform"}),
    "acis": (fl.Estimate("f1", positive="1"), {}),
    "settle": (fl.Identify("accuracy", by="predicted_class"), {}),
}


def label_of(item: str) -> str:
    return TRUTH[int(item[1:])]


def make(address: str | None, kind: str = "uniform", rounds: int = 4) -> fl.Study:
    """A study in which everything happened that can happen."""
    question, more = QUESTIONS[kind]
    study = fl.create_study(POOL, question, storage=address, budget=280, **more)
    rng = np.random.default_rng(1)
    study.tell({f"i{n}": TRUTH[n] for n in (290, 291, 292)}, drawn="uniform")
    study.tell({f"i{n}": TRUTH[n] for n in range(240, 280)}, drawn="unknown")
    for number in range(rounds):
        for by in ("ann", "ben"):
            queries = study.ask(7, by=by)
            for query in queries[: int(rng.integers(3, 8))]:
                study.tell(query, label_of(query.item), by=by)
        waiting = study.open_queries
        if waiting and "overlap" not in kind:
            study.skip(waiting[0], "too dark", by="ann")
        study.correct(str(rng.choice(sorted(study.labels))), "2", by="chief")
        study.withdraw(str(rng.choice(sorted(study.labels))), by="chief")
        if number == 2:
            study.withdraw("i290")
            study.change(budget=290, by="chief")
        for item in list(study._history.leases)[:1]:
            for by in ("ann", "ben"):
                with suppress(fl.LabelError):
                    study.release(item, by=by)
    return study


def state(history: History) -> dict[str, Any]:
    """All that a history is, to be compared."""
    history.evidence()
    found = {**vars(history), "queries": dict(history.queries), "_evidence": None}
    columns = ("_draws", "_columns", "_order")
    found |= {name: {key: column.tobytes() for key, column in found[name].items()} for name in columns}
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in found.items()}


def replayed(study: fl.Study) -> History:
    history = study._fresh()
    for event in study.events:
        history.apply(event)
    return history


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(folding, "FIRST", 1)
    return f"sqlite:///{tmp_path}/s.db"


def change(address: str, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as file, file:
        file.execute(statement, values)


def kept_of(study: fl.Study) -> bytes | None:
    return study._storage.folds.kept("study", folding.folded_by())


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_fold_that_was_kept_is_the_state_that_all_events_come_to(address, kind):
    study = make(address, kind)
    again = fl.load_study(storage=address, pool=POOL)
    assert kept_of(again) is not None
    assert state(again._folding.history)["events"] == 0
    again.labels  # noqa: B018 - to look is to open
    assert isinstance(again._history.queries, kept_fold.Asked)
    assert state(again._history) == state(replayed(study)) == state(study._history)
    assert again.answer() == study.answer()
    asked = [query.item for query in again.ask(5, by="eve")]
    change(address, "delete from fewlabels_events where number > ?", study._history.events)
    change(address, "delete from fewlabels_folds")
    assert asked == [query.item for query in fl.load_study(storage=address, pool=POOL).ask(5, by="eve")]


def test_what_was_asked_before_is_looked_up_when_somebody_looks(address):
    make(address)
    study = fl.load_study(storage=address, pool=POOL)
    told = [item for item in study.labels if item in study.asked and item not in study._history.queries._made]
    study.withdraw(told[0])
    query = next(query for query in study.open_queries if query.item == told[0])
    assert query in study.events
    assert query.payload == {"text": "ä"}


def test_every_part_of_a_history_is_kept_or_known_to_follow():
    assert set(vars(History({"a": 0}, 1))) == kept_fold.KNOWN


SPOILT: dict[str, Callable[[str], None]] = {
    "labels were changed": lambda a: change(
        a, "update fewlabels_events set content = replace(content, '\"label\": \"1\"', '\"label\": \"0\"')"),
    "a name was changed": lambda a: change(a, "update fewlabels_events set who = 'eve' where kind = 'leased'"),
    "the file is an older copy": lambda a: change(
        a, "delete from fewlabels_events where number > (select events - 3 from fewlabels_folds)"),
    "bytes of the fold were lost": lambda a: change(a, "update fewlabels_folds set content = substr(content, 1, 99)"),
    "it is a fold of fewer events": lambda a: change(a, "update fewlabels_folds set events = events - 1"),
    "another version made it": lambda a: change(a, "update fewlabels_folds set mark = 'another'"),
    "there is none": lambda a: change(a, "drop table fewlabels_folds"),
}  # fmt: skip


@pytest.mark.parametrize("how", SPOILT)
def test_a_fold_that_does_not_fit_its_events_is_noticed_and_made_anew(address, how):
    make(address)
    SPOILT[how](address)
    study = fl.load_study(storage=address, pool=POOL)
    assert kept_of(study) is None
    labels = study.labels
    assert state(study._history) == state(replayed(study))
    assert labels == replayed(study).labels
    study.ask(1, by="eve")  # whoever writes next keeps what it had to fold
    assert kept_of(study) is not None
    assert state(fl.load_study(storage=address, pool=POOL)._known() and study._history) == state(replayed(study))


def test_these_tests_would_see_a_wrong_fold(address, monkeypatch):
    """The control: with nothing checked, labels come from the fold."""
    make(address)
    monkeypatch.setattr(sql_folds.Digests, "of", lambda *_: "0 unchecked")
    change(address, "update fewlabels_folds set digest = '0 unchecked'")
    SPOILT["labels were changed"](address)
    study = fl.load_study(storage=address, pool=POOL)
    assert study.labels != replayed(study).labels


def test_a_digest_read_on_is_the_one_read_anew(address):
    study = make(address)
    database, count = study._storage._database, len(study.events)
    reading, whole = sql_folds.Digests(), sql_folds.Digests()

    def read(digests: sql_folds.Digests, first: int) -> str:
        return database.read(lambda connection: digests.of(connection, 1, first, "mark", b"content"))

    assert len({read(reading, first) for first in range(1, count)}) == count - 1
    assert read(reading, count) == read(whole, count)
    assert read(reading, 3) == read(sql_folds.Digests(), 3)


def test_trouble_in_keeping_a_fold_is_none_for_the_label(address, monkeypatch):
    study = make(address)

    def refuse(*_: Any) -> None:
        raise fl.StudyError("no room")

    monkeypatch.setattr(sql_folds.SqlFolds, "keep", refuse)
    count = len(study.labels)
    for query in study.open_queries:
        study.tell(query, label_of(query.item), by="ann")
    assert len(fl.load_study(storage=address).labels) > count


def test_a_fold_may_be_kept_by_somebody_who_has_time(address):
    study, later = make(address), []
    change(address, "delete from fewlabels_folds")
    study.keep_folds_by(later.append)
    for query in study.open_queries:
        study.tell(query, label_of(query.item), by="ann")
    assert later
    assert kept_of(study) is None
    study.ask(1, by="ann")  # what is kept is of the events that were there
    later[-1]()
    assert kept_of(study) is not None
    again = fl.load_study(storage=address, pool=POOL)
    assert again.labels == study.labels
    assert state(again._history) == state(replayed(study))


def test_small_studies_keep_none_and_readers_never_do(tmp_path):
    address = f"sqlite:///{tmp_path}/s.db"
    study = make(address)
    with closing(sqlite3.connect(tmp_path / "s.db")) as file:
        assert not file.execute("select name from sqlite_master where name = 'fewlabels_folds'").fetchall()
    assert kept_of(study) is None


@pytest.mark.parametrize(("before", "now"), [(100, 8191), (8192, 8703), (10_000, 10_001)])
def test_between_marks_nothing_is_kept(before, now):
    assert not folding.is_due(before, now)
