"""The service killed with -9 under load: what a client saw acknowledged is there, and nobody's item goes to another."""

import pytest

import fewlabels as fl
from fewlabels.core.events import Query
from services.quick_client import Connection, Labeller, label_for
from services.serving import CLASSES, TOKEN, Command, client, make_study, pool_file

LABELLERS = 6


@pytest.fixture(params=["sqlite", "postgresql"])
def storage(request, tmp_path):
    """A new and empty place, on either database."""
    return f"sqlite:///{tmp_path}/s.db" if request.param == "sqlite" else request.getfixturevalue("database")


def killed_under_load(storage: str, kill: int) -> list[Labeller]:
    """Start, let labellers work, and kill in the middle of it; what they noted."""
    service = Command("animals", "--storage", storage, FEWLABELS_TOKEN=TOKEN)
    with client(service.url) as owner:
        links = [
            owner.post("/api/studies/animals/links", json={"by": f"labeller-{n}"}).json() for n in range(LABELLERS)
        ]
    them = [
        Labeller(Connection(service.url, link["token"]), "animals", list(CLASSES), kill * LABELLERS + n)
        for n, link in enumerate(links)
    ]
    labels = 3 * LABELLERS + kill  # so many acknowledged in all, and the next moment is the last

    class Killing(dict):
        def __setitem__(self, item, label):
            super().__setitem__(item, label)
            if sum(len(one.acknowledged) for one in them) == labels:
                service.process.kill()

    for one in them:
        one.acknowledged = Killing()
    with pytest.raises(ConnectionError):
        label_for(them, seconds=600)
    assert service.ended() == -9
    return them


def kill_often(storage: str, tmp_path, kills: int) -> None:
    make_study(storage, pool_file(tmp_path, items=4000))
    acknowledged, told, given = {}, 0, set()
    for kill in range(kills):
        them = killed_under_load(storage, kill)
        for one in them:
            assert one.failed == []
            assert not set(one.acknowledged) & set(acknowledged)
            acknowledged |= one.acknowledged
        items = [item for one in them for item in one.given]
        assert len(set(items)) == len(items)
        told, given = told + sum(len(one.acknowledged) for one in them), given | set(items)
        labels = fl.load_study("animals", storage=storage).labels
        assert {item: labels.get(item) for item in acknowledged} == acknowledged
    assert len(acknowledged) == told >= 3 * LABELLERS * kills
    study = fl.load_study("animals", storage=storage)
    asked = [event.item for event in study.events if isinstance(event, Query)]
    assert len(set(asked)) == len(asked)
    assert given <= set(asked)
    assert len(study.ask(5, by="somebody else")) == 5


def test_what_was_acknowledged_before_the_service_was_killed_is_there(storage, tmp_path):
    kill_often(storage, tmp_path, kills=2)


@pytest.mark.slow
def test_twenty_kills_lose_nothing(storage, tmp_path):
    kill_often(storage, tmp_path, kills=20)
