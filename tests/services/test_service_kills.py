"""The service killed with -9 under load: what a client saw acknowledged is there, and nobody's item goes to another."""

import pytest

import fewlabels as fl
from fewlabels.core.events import Query, Told
from services.at_the_page import somebody
from services.quick_client import Connection, Labeller, label_for
from services.serving import CLASSES, TOKEN, Command, client, make_study, pool_file

LABELLERS = 6
FULL = "() => JSON.parse(sessionStorage['fewlabels/animals/queue']).length === 3"  # the next items are there
OUTBOX = "() => Object.values(localStorage).map((kept) => JSON.parse(kept))"  # what is not yet acknowledged


@pytest.fixture(params=["sqlite", "postgresql"])
def storage(request, tmp_path):
    """A new and empty place, on either database."""
    return f"sqlite:///{tmp_path}/s.db" if request.param == "sqlite" else request.getfixturevalue("database")


def killed_under_load(storage: str, kill: int, module: str) -> list[Labeller]:
    """Start, let labellers work, and kill in the middle of it; what they noted."""
    service = Command("animals", "--storage", storage, module=module, FEWLABELS_TOKEN=TOKEN)
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
    try:
        with pytest.raises(ConnectionError):
            label_for(them, seconds=600)
    finally:
        service.process.kill()
        assert service.ended() == -9
    return them


def kill_often(storage: str, tmp_path, kills: int, module: str = "fewlabels") -> None:
    make_study(storage, pool_file(tmp_path, items=4000))
    acknowledged, told, given = {}, 0, set()
    for kill in range(kills):
        them = killed_under_load(storage, kill, module)
        for one in them:
            assert one.failed == []
            assert not set(one.acknowledged) & set(acknowledged)
            acknowledged |= one.acknowledged
        items = [item for one in them for item in one.given]
        assert len(set(items)) == len(items)
        told, given = told + sum(len(one.acknowledged) for one in them), given | set(items)
        labels = fl.load_study("animals", storage=storage).labels
        lost = [item for item, label in acknowledged.items() if labels.get(item) != label]
        assert lost == [], f"{len(lost)} of {len(acknowledged)} acknowledged labels are lost"
    assert len(acknowledged) == told >= 3 * LABELLERS * kills
    study = fl.load_study("animals", storage=storage)
    asked = [event.item for event in study.events if isinstance(event, Query)]
    assert len(set(asked)) == len(asked)
    assert given <= set(asked)
    assert len(study.ask(5, by="somebody else")) == 5


def test_what_was_acknowledged_before_the_service_was_killed_is_there(storage, tmp_path):
    kill_often(storage, tmp_path, kills=2)


def test_labels_acknowledged_before_they_are_on_disk_would_be_missed(storage, tmp_path):
    """A control: the service that says so too early is caught by the same look."""
    with pytest.raises(AssertionError, match=r"\d of (1[89]|2[0-3]) acknowledged labels are lost"):
        kill_often(storage, tmp_path, kills=1, module="services.hasty")


def kill_under_a_browser(opened, tmp_path, kills: int) -> None:
    """Somebody labels on while the service is killed and started again: the page has what is not yet recorded."""
    storage, said = f"sqlite:///{tmp_path}/s.db", {}
    make_study(storage, pool_file(tmp_path))
    service = Command("animals", "--storage", storage, FEWLABELS_TOKEN=TOKEN)
    with client(service.url) as owner:
        link = owner.post("/api/studies/animals/links", json={"by": "ann"}).json()["url"]
    with somebody(opened, link) as ann:
        for kill in range(kills):
            ann.ready().page.wait_for_function(FULL)
            for label in CLASSES[: 1 + kill % 2]:
                said[ann.label(str(CLASSES.index(label) + 1))] = label
            service.process.kill()
            assert service.ended() == -9
            said[ann.say("3")] = "eel"  # nobody brings a next item now
            kept = {entry["said"]["item"] for entry in ann.page.evaluate(OUTBOX)}
            labels = fl.load_study("animals", storage=storage).labels
            assert {item: label for item, label in said.items() if item not in kept}.items() <= labels.items()
            service = Command(
                "animals", "--storage", storage, "--port", service.url.rpartition(":")[2], FEWLABELS_TOKEN=TOKEN
            )
            ann.sent()
        service.process.terminate()
        assert service.ended() == 0
    study = fl.load_study("animals", storage=storage)
    assert study.labels == said
    assert sum(isinstance(event, Told) for event in study.events) == len(said)


def test_a_browser_goes_on_when_the_service_is_killed_and_started_again(opened, tmp_path):
    kill_under_a_browser(opened, tmp_path, kills=2)


@pytest.mark.slow
def test_twenty_kills_lose_nothing_that_a_browser_saw_acknowledged(opened, tmp_path):
    kill_under_a_browser(opened, tmp_path, kills=20)


@pytest.mark.slow
def test_twenty_kills_lose_nothing(storage, tmp_path):
    kill_often(storage, tmp_path, kills=20)
