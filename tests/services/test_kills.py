"""Killed at any point, a process loses nothing that was acknowledged: the log of that is the client's, not ours."""

import itertools
import random
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import fewlabels as fl
from fewlabels.core.events import Changed, Query, Told, Withdrawn
from fewlabels.storages import open_storage
from fewlabels.testing.processes import starting
from services import kill_worker, old_tables
from services.kill_worker import ACTS, POINTS, POOL

CEILING = 600


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new and empty place, on either database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/s.db"
    return str(request.getfixturevalue("database"))


def start(work: Any, *arguments: Any) -> Any:
    """A process of its own."""
    process = starting().Process(target=work, args=arguments, daemon=True)
    process.start()
    return process


def ended(process: Any) -> int:
    process.join(CEILING)
    code = process.exitcode
    process.close()
    return code


def acknowledged(log: Path) -> list[list[str]]:
    """The lines of a client's log, without one that was cut short."""
    return [line.split() for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]


@dataclass
class Audit:
    """What the storage holds, read again and again, and held against what clients were told."""

    address: str
    known: int = 0
    asked: list[int] = field(default_factory=list)
    entries: set[tuple[str, ...]] = field(default_factory=set)

    def look(self) -> None:
        """Read what is new; events are never changed, so that nothing has to be read twice."""
        for event in open_storage(self.address).events("study", self.known):
            self.known += 1
            match event:
                case Query():
                    self.asked.append(event.item)
                    self.entries.add(("asked", str(event.item)))
                case Told():
                    assert event.label == str(event.item % 3)
                    self.entries.add(("told", str(event.item), event.label))
                case Withdrawn():
                    self.entries.add(("withdrawn", str(event.item)))
                case Changed():
                    self.entries.add(("changed", str(event.settings["budget"])))

    def check(self, *logs: Path) -> None:
        """Raise where something that was acknowledged is not there, or an item was asked twice."""
        said = [line for log in logs for line in acknowledged(log)]  # before one looks: clients go on
        self.look()
        assert len(set(self.asked)) == len(self.asked), "an item was asked twice"
        for what, *about in said:
            wanted = [(what, item) for item in about] if what == "asked" else [(what, *about)]
            lost = [entry for entry in wanted if entry not in self.entries]
            assert not lost, f"acknowledged, and lost: {lost}"

    def check_whole(self) -> None:
        """The state is that of a replay, entries are numbered without a gap, and the study goes on."""
        study = fl.load_study(storage=self.address, pool=POOL)
        labels = study.labels
        replay = study._fresh()
        for event in study.events:
            replay.apply(event)
        assert replay.labels == labels
        assert list(replay.open) == [query.item for query in study.open_queries]
        assert all(label == str(item % 3) for item, label in labels.items())
        numbers = [event.number for event in study.events if isinstance(event, Query)]
        assert numbers == list(range(1, len(numbers) + 1))
        study.change(budget=10**9 + 1)
        assert len(study.ask(3)) == 3


def kill_often(address: str, folder: Path, kills: int, at_random: int) -> None:
    """Kill one labeller after another at named points, and then at random moments, while another goes on telling."""
    kill_worker.make_study(address)
    audit, stop, other_log = Audit(address), folder / "stop", folder / "other.log"
    other_log.touch()
    other = start(kill_worker.go_on, address, other_log, 10**6, stop)
    cases = itertools.cycle(itertools.product(ACTS, POINTS))
    for number, (act, point) in zip(range(kills), cases, strict=False):
        log = folder / f"{number}.log"
        assert ended(start(kill_worker.die_at, address, log, number, act, point)) == -9, f"{act}, {point}"
        audit.check(log, other_log)
    moments = random.Random(1)
    for number in range(at_random):
        log = folder / f"random-{number}.log"
        log.touch()
        victim = start(kill_worker.go_on, address, log, 2 * 10**6 + number, stop)
        while not acknowledged(log):  # it is at work
            time.sleep(0.001)
        time.sleep(moments.uniform(0, 0.05))
        victim.kill()
        assert ended(victim) == -9
        audit.check(log, other_log)
    stop.touch()
    assert ended(other) == 0
    assert len(acknowledged(other_log)) > 5, "nothing was told meanwhile"
    audit.check(other_log)
    audit.check_whole()


def test_whatever_was_acknowledged_before_a_kill_is_there(address, tmp_path):
    kill_often(address, tmp_path, kills=len(ACTS) * len(POINTS), at_random=4)


@pytest.mark.slow
def test_two_hundred_kills_lose_nothing(address, tmp_path):
    kill_often(address, tmp_path, kills=150, at_random=50)


def test_a_client_told_so_before_the_commit_is_noticed(address, tmp_path):
    """The control: these tests can fail."""
    kill_worker.make_study(address)
    log = tmp_path / "early.log"
    assert ended(start(kill_worker.die_at, address, log, 0, "tell", "before the commit", True)) == -9
    with pytest.raises(AssertionError, match="acknowledged, and lost"):
        Audit(address).check(log)


# -- upgrades ----------------------------------------------------------------------------------------------------------


def upgrade_through_kills(address: str, log: Path, points: Iterable[int]) -> int:
    """Upgrade old tables, each time killed at another statement, while a labeller goes on with the old version. How
    many kills there were."""
    old_tables.write(address)
    before, done = old_tables.read(address), 0
    log.touch()
    labeller = start(old_tables.tell_as_before, address, log)
    for at in points:
        code = ended(start(kill_worker.die_in_upgrade, address, at))
        if code == 0:
            break
        assert code == -9
        done += 1
        assert old_tables.read(address) == before
    assert ended(labeller) == 0, "the labeller was not told that the tables are of another version"
    storage = open_storage(address, must_exist=True)
    names = storage.names()
    told = [event for name in names for event in storage.events(name)]
    by = [event.by for event in told if (getattr(event, "by", None) or "").startswith("old ")]
    assert by == [" ".join(words) for words in acknowledged(log)], "acknowledged before the upgrade, and lost"
    assert (len(names), len(told) - len(by)) == (len(before[0]), len(before[1]))
    return done


def test_an_upgrade_killed_at_any_statement_leaves_the_old_tables_and_can_be_made_again(address, tmp_path):
    assert upgrade_through_kills(address, tmp_path / "log", (1, 8, 20, 30, 40, 45, 10**6)) == 6


@pytest.mark.slow
def test_two_hundred_upgrades_killed_at_every_statement_lose_nothing(address, tmp_path):
    done = 0
    while done < 200:
        done += upgrade_through_kills(address, tmp_path / f"{done}.log", itertools.count(1))
