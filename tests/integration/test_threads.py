"""One study used from many threads: nothing raises, nothing is counted twice, and readers wait for no other process."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.storages import MemoryStorage, Storage, open_storage

ITEMS = 90
POOL = fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1, 1], ITEMS))
BY_CLASS = fl.Estimate("accuracy", by="predicted_class")
CEILING = 3600  # seconds after which a test gives up waiting; a machine has to be very busy for a hundredth of it


@pytest.fixture(params=["memory", "sqlite"])
def storage(request: pytest.FixtureRequest, tmp_path) -> Storage:
    return open_storage(None if request.param == "memory" else f"sqlite:///{tmp_path}/s.db")


@pytest.fixture(autouse=True)
def frequent_switches() -> Iterator[None]:
    """Threads take turns every few steps, so that what can go wrong does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*works: Callable[[], object]) -> None:
    """Run all at once; the first error of any is raised here."""
    start, errors = threading.Barrier(len(works)), []

    def run(work: Callable[[], object]) -> None:
        try:
            start.wait(CEILING)
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def label_everything(study: fl.Study, size: int = 2) -> None:
    while queries := study.ask(size):
        for query in queries:
            study.tell(query, query.item % 3)


def is_exact(study: fl.Study, storage: Storage) -> None:
    """The study's own count, that of its events and that of a study folded anew agree."""
    again = fl.load_study(storage=storage)
    assert study.labels == again.labels == {item: str(item % 3) for item in range(ITEMS)}
    assert study.answer() == again.answer()
    assert study.spent == again.spent == ITEMS
    assert study.open_queries == []
    asked = [event for event in study.events if isinstance(event, fl.Query)]
    assert sorted(query.item for query in asked) == list(range(ITEMS))
    assert [query.number for query in asked] == list(range(1, ITEMS + 1))


def test_many_threads_read_while_one_writes(storage):
    """The writer is another study object on the same storage, so that each reader has something to catch up with."""
    study = fl.create_study(POOL, BY_CLASS, storage=storage, until=fl.HalfWidth(0.01))
    writer = fl.load_study(storage=storage, pool=POOL)
    finished = threading.Event()

    def write() -> None:
        try:
            label_everything(writer)
        finally:
            finished.set()

    def read(look: Callable[[], int]) -> Callable[[], None]:
        def work() -> None:
            seen = 0
            while not finished.is_set():
                now = look()
                assert now >= seen  # labels are only ever added
                seen = now

        return work

    def figures() -> int:
        answer = study.answer()
        assert sum(finding.labels for finding in answer.findings) == answer.overall.labels
        return answer.overall.labels

    looks = [lambda: len(study.labels), figures, lambda: len(study.events), lambda: study.spent]
    together(write, *(read(look) for look in looks for _ in range(2)), read(lambda: int(study.progress.done)))
    is_exact(study, storage)


def test_many_threads_ask_and_tell_one_study(storage):
    study = fl.create_study(POOL, BY_CLASS, storage=storage)
    reads = [lambda: [study.labels for _ in range(20)], lambda: [study.answer() for _ in range(5)]]
    together(*(lambda size=size: label_everything(study, size) for size in (1, 2, 3, 1, 2, 3)), *reads)
    is_exact(study, storage)


def test_the_pool_is_opened_once_however_many_threads_ask_for_it(storage, tmp_path, monkeypatch):
    from fewlabels.study import pools_of_0_1_0 as module

    lines = [f"i{n},{'ab'[n % 2]},0.{n % 9 + 1}" for n in range(40)]
    (tmp_path / "p.csv").write_text("\n".join(["id,predicted,score", *lines]))
    fl.create_study(fl.open_pool(tmp_path / "p.csv"), BY_CLASS, storage=storage)
    opened: list[object] = []
    open_pool = module.open_pool
    monkeypatch.setattr(module, "open_pool", lambda *given, **named: opened.append(given) or open_pool(*given, **named))
    study = fl.load_study(storage=storage)
    asked: list[str] = []
    together(*(lambda: asked.extend(query.item for query in study.ask(2)) for _ in range(6)))
    assert len(opened) == 1
    assert len(set(asked)) == 12


# -- who waits for whom ------------------------------------------------------------------------------------------------


def in_another_thread(work: Callable[[], object]) -> object:
    """What it returns; an error where it is still waiting when a whole test could have run many times."""
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
    thread.start()
    thread.join(CEILING)
    assert found, "still waiting"
    return found[0]


class Announcing(MemoryStorage):
    """Says when somebody is about to wait for the lock, and lets a test look on while it is given back."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = threading.Event()
        self.before_kept: Callable[[], None] = lambda: None

    @contextmanager
    def locked(self, name: str) -> Iterator:
        self.waiting.set()
        with super().locked(name) as log:
            yield log
            self.before_kept()


def test_threads_read_on_while_one_waits_for_another_process():
    storage = Announcing()
    study = fl.create_study(POOL, BY_CLASS, storage=storage)
    (query,) = study.ask()
    storage.waiting.clear()
    writer = threading.Thread(target=lambda: study.tell(query, 0))
    with MemoryStorage.locked(storage, "study"):  # the other process
        writer.start()
        assert storage.waiting.wait(CEILING)
        assert in_another_thread(lambda: (study.labels, study.answer().overall.labels)) == ({}, 0)
        assert study.labels == {}
    writer.join()
    assert len(study.labels) == 1


def test_others_tell_on_while_an_answer_is_computed(storage, monkeypatch):
    from fewlabels.study import study as module

    study = fl.create_study(POOL, BY_CLASS, storage=storage)
    computing, go_on = threading.Event(), threading.Event()
    compute = module.answer_question

    def slowly(*given, **named):
        computing.set()
        assert go_on.wait(CEILING)
        return compute(*given, **named)

    first, second = study.ask(2)
    study.tell(first, 0)
    monkeypatch.setattr(module, "answer_question", slowly)
    answers: list[fl.Answer] = []
    thread = threading.Thread(target=lambda: answers.append(study.answer()))
    thread.start()
    assert computing.wait(CEILING)
    in_another_thread(lambda: study.tell(second, 0))
    assert in_another_thread(lambda: len(study.labels)) == 2
    go_on.set()
    thread.join()
    assert answers[0].overall.labels == 1  # as things were when it was asked


def test_what_may_still_be_taken_back_is_not_seen_by_other_threads():
    storage = Announcing()
    study = fl.create_study(POOL, BY_CLASS, storage=storage)
    (query,) = study.ask()
    seen: list[dict] = []
    reader = threading.Thread(target=lambda: seen.append(study.labels))

    def fail() -> None:
        reader.start()
        assert in_another_thread(lambda: study._folding._lock.acquire(blocking=False)) is False
        raise fl.StudyError("the disk is full")

    storage.before_kept = fail
    with pytest.raises(fl.StudyError, match="disk is full"):
        study.tell(query, 0)
    reader.join()
    assert seen == [{}]
    storage.before_kept = lambda: None
    study.tell(query, 1)
    assert study.labels == {query.item: "1"}
