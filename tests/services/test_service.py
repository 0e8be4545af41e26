"""The service as its users know it: labels go in, answers come out."""

import math
import signal

import pytest

import fewlabels as fl
from fewlabels.service.settings import ServiceSettings
from fewlabels.verification import verify
from services.serving import TOKEN, Command, client, labeller, make_study, pool_file, serving

API = "/api/studies/animals"


@pytest.fixture
def place(tmp_path):
    """A storage with a study, and a folder of pools."""
    (tmp_path / "pools").mkdir()
    file = pool_file(tmp_path / "pools")
    storage = f"sqlite:///{tmp_path}/s.db"
    make_study(storage, file, until=fl.HalfWidth(0.05), budget=200)
    return storage


@pytest.fixture
def url(place, tmp_path):
    with serving(ServiceSettings(place, token=TOKEN, pools=tmp_path / "pools")) as found:
        yield found


@pytest.fixture
def owner(url):
    with client(url) as found:
        yield found


@pytest.fixture
def ann(owner):
    with labeller(owner, "animals", "ann") as found:
        yield found


def get(who, path):
    answer = who.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def post(who, path, **body):
    answer = who.post(path, json=body)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def test_labels_that_are_told_are_in_the_study(ann, owner, place):
    asked = post(ann, f"{API}/ask", n=3)
    assert not asked["done"]
    first, second, third = asked["queries"]
    assert set(first) >= {"item", "payload", "query", "lease_until"}
    assert first["group"] is None
    assert first["guess"] is None
    assert first["payload"] == {"text": f"text {first['item'].removeprefix('item-')}"}
    post(ann, f"{API}/tell", item=first["item"], label="cat", key="1")
    post(ann, f"{API}/tell", query=second["query"], label="dog", key="2")
    post(ann, f"{API}/skip", item=third["item"], reason="unreadable", key="3")
    study = fl.load_study("animals", storage=place)
    assert study.labels == {first["item"]: "cat", second["item"]: "dog"}
    assert study.skipped == {third["item"]: "unreadable"}
    progress = get(ann, f"{API}/progress")
    assert (progress["labels"], progress["mine"], progress["budget"]) == (2, 3, 200)
    assert progress["left"].startswith("about ")
    assert progress["labels_left"]["low"] <= progress["labels_left"]["high"]
    assert get(ann, f"{API}/classes")["classes"] == ["cat", "dog", "eel"]


def test_a_label_is_corrected_and_withdrawn_by_whoever_gave_it(ann, owner, place):
    one, other = post(ann, f"{API}/ask", n=2)["queries"]
    post(ann, f"{API}/tell", item=one["item"], label="cat")
    post(ann, f"{API}/correct", item=one["item"], label="dog")
    post(owner, f"{API}/correct", item=one["item"], label="eel")
    assert fl.load_study("animals", storage=place).labels == {one["item"]: "eel"}
    post(ann, f"{API}/withdraw", item=one["item"])
    assert fl.load_study("animals", storage=place).labels == {}
    with labeller(owner, "animals", "ben") as ben:
        for act, more in (("correct", {"label": "cat"}), ("withdraw", {}), ("tell", {"label": "cat"}), ("skip", {})):
            answer = ben.post(f"{API}/{act}", json={"item": other["item"], **more})
            assert answer.status_code == 409, act


def test_what_is_released_goes_to_others_and_nothing_is_given_twice(ann, owner):
    with labeller(owner, "animals", "ben") as ben:
        anns = [q["item"] for q in post(ann, f"{API}/ask", n=5)["queries"]]
        again = [q["item"] for q in post(ann, f"{API}/ask", n=5)["queries"]]
        bens = [q["item"] for q in post(ben, f"{API}/ask", n=5)["queries"]]
        assert len({*anns, *again, *bens}) == 15
        assert post(ann, f"{API}/release", items=[*anns, *bens]) == {"released": 5}
        assert [q["item"] for q in post(ben, f"{API}/ask", n=5)["queries"]] == anns


def test_a_replayed_write_is_recorded_once(ann, place):
    (query,) = post(ann, f"{API}/ask")["queries"]
    for _ in range(3):
        post(ann, f"{API}/tell", item=query["item"], label="cat", key="one")
    post(ann, f"{API}/correct", item=query["item"], label="dog", key="two")
    post(ann, f"{API}/correct", item=query["item"], label="eel", key="three")
    post(ann, f"{API}/correct", item=query["item"], label="dog", key="two")  # it comes late
    post(ann, f"{API}/withdraw", item=query["item"], key="four")
    post(ann, f"{API}/tell", item=query["item"], label="cat", key="one")
    study = fl.load_study("animals", storage=place)
    assert study.labels == {}
    assert [type(event).__name__ for event in study.events] == [
        "Query", "Leased", "Told", "Corrected", "Corrected", "Withdrawn",
    ]  # fmt: skip
    other = ann.post(f"{API}/tell", json={"item": query["item"], "label": "dog", "key": "one"})
    assert other.status_code == 409
    assert "was used for something else" in other.json()["error"]


def test_what_is_sent_again_after_a_restart_is_acknowledged_and_recorded_once(place):
    settings = ServiceSettings(place, token=TOKEN)
    with serving(settings) as url, client(url) as owner, labeller(owner, "animals", "ann") as ann:
        one, other, third = (query["item"] for query in post(ann, f"{API}/ask", n=3)["queries"])
        post(ann, f"{API}/tell", item=third, label="dog", key="0")
        last = (("tell", one, {"label": "cat"}), ("skip", other, {"reason": "?"}), ("correct", third, {"label": "eel"}))
        for act, item, more in last:
            post(ann, f"{API}/{act}", item=item, key=act, **more)
    with serving(settings) as url, client(url) as owner, labeller(owner, "animals", "ann") as ann:
        for act, item, more in last:
            post(ann, f"{API}/{act}", item=item, key=act, **more)
    kinds = [type(event).__name__ for event in fl.load_study("animals", storage=place).events]
    assert [kind for kind in kinds if kind not in ("Query", "Leased", "Released")] == [
        "Told", "Told", "Skipped", "Corrected",
    ]  # fmt: skip


def test_the_budget_ends_the_asking_and_a_change_lets_it_go_on(ann, owner):
    post(owner, f"{API}/change", budget=3, until=None)
    for query in post(ann, f"{API}/ask", n=10)["queries"]:
        post(ann, f"{API}/tell", item=query["item"], label="cat")
    asked = post(ann, f"{API}/ask")
    assert asked == {"queries": [], "done": True, "reason": "The budget of 3 labels is spent."}
    changed = post(owner, f"{API}/change", budget=4)
    assert (changed["budget"], changed["done"]) == (4, False)
    assert len(post(ann, f"{API}/ask", n=5)["queries"]) == 1
    refused = owner.post(f"{API}/change", json={"until": {"half_width": 0.1, "probability": 0.9}})
    assert refused.status_code == 422
    assert "set one goal" in refused.json()["error"]


def test_the_owner_sees_the_answer_events_and_labellers(ann, owner, place):
    for query in post(ann, f"{API}/ask", n=4)["queries"]:
        post(ann, f"{API}/tell", item=query["item"], label="cat")
    answer = get(owner, f"{API}/answer")
    assert answer["overall"]["labels"] == 4
    assert 0 <= answer["overall"]["low"] < answer["overall"]["high"] <= 1
    events = get(owner, f"{API}/events")
    assert [event["kind"] for event in events["events"]] == ["asked"] * 4 + ["leased"] * 4 + ["told"] * 4
    assert get(owner, f"{API}/events?after={events['next']}") == {"events": [], "next": 12}
    (row,) = get(owner, f"{API}/labellers")["labellers"]
    assert (row["by"], row["labels"], row["skips"]) == ("ann", 4, 0)
    assert row["seconds_a_label"] >= 0
    report = owner.get(f"{API}/report")
    assert report.headers["content-type"].startswith("text/html")
    assert "script-src 'sha256-" in report.headers["content-security-policy"]
    assert "<title>" in report.text


def test_items_on_which_labellers_differ_are_the_owners_to_decide(owner, tmp_path):
    post(owner, "/api/studies", name="pairs", pool="animals.csv", labels_per_item=2)
    with labeller(owner, "pairs", "ann") as ann, labeller(owner, "pairs", "ben") as ben:
        for who, label in ((ann, "cat"), (ben, "dog")):
            for query in post(who, "/api/studies/pairs/ask", n=2)["queries"]:
                post(who, "/api/studies/pairs/tell", item=query["item"], label=label)
        post(ben, "/api/studies/pairs/correct", item=query["item"], label="eel")  # another opinion, no decision
        post(ben, "/api/studies/pairs/correct", item=query["item"], label="dog")
        for item, label in ((query["item"], "cat"), (query["item"], "cat")):  # told again, after others have
            post(ann, "/api/studies/pairs/tell", item=item, label=label)
    found = get(owner, "/api/studies/pairs/disagreements")["disagreements"]
    assert [one["opinions"] for one in found] == [{"ann": "cat", "ben": "dog"}] * 2
    assert found[0]["payload"]["text"].startswith("text ")
    rows = get(owner, "/api/studies/pairs/labellers")
    assert [(row["by"], row["pairs"], row["agreeing"]) for row in rows["labellers"]] == [("ann", 2, 0), ("ben", 2, 0)]
    assert rows["agreement"]["raw"] == 0
    post(owner, "/api/studies/pairs/correct", item=found[0]["item"], label="eel")
    assert len(get(owner, "/api/studies/pairs/disagreements")["disagreements"]) == 1
    assert '<b data-moves="people">2</b>' in owner.get("/s/pairs/owner").text  # to decide is not to label


def test_what_is_taken_back_or_said_otherwise_is_nobodys_work_any_more(ann, owner):
    def work():
        rows = get(owner, f"{API}/labellers")["labellers"]
        return [(row["labels"], row["skips"]) for row in rows]

    one, other = (query["item"] for query in post(ann, f"{API}/ask", n=2)["queries"])
    post(ann, f"{API}/skip", item=one)
    assert work() == [(1, 1)]
    post(ann, f"{API}/correct", item=one, label="cat")
    assert work() == [(1, 0)]
    post(ann, f"{API}/withdraw", item=one)
    assert work() == [(0, 0)]
    post(ann, f"{API}/skip", item=other)
    post(ann, f"{API}/withdraw", item=other)
    assert work() == [(0, 0)]


@pytest.mark.parametrize("database_of", ["sqlite", "postgresql"])
def test_the_report_of_a_study_that_several_labelled_can_be_verified(database_of, request, tmp_path):
    file = pool_file(tmp_path)
    place = f"sqlite:///{tmp_path}/s.db" if database_of == "sqlite" else request.getfixturevalue("database")
    path = "/api/studies/pairs"
    with serving(ServiceSettings(place, token=TOKEN, pools=tmp_path)) as url, client(url) as owner:
        post(owner, "/api/studies", name="pairs", pool=file.name, labels_per_item=2, overlap=0.5, budget=40)
        with labeller(owner, "pairs", "ann") as ann, labeller(owner, "pairs", "ben") as ben:
            for who, label in ((ann, "cat"), (ben, "dog"), (ann, "eel")):
                first, second, *others = (query["item"] for query in post(who, f"{path}/ask", n=6)["queries"])
                post(who, f"{path}/skip", item=first, reason="no class fits")
                for item in (second, *others):
                    post(who, f"{path}/tell", item=item, label=label)
                post(who, f"{path}/withdraw", item=others[0])
                post(who, f"{path}/correct", item=others[1], label="eel")
        post(
            owner, f"{path}/correct", item=get(owner, f"{path}/disagreements")["disagreements"][0]["item"], label="cat"
        )
        post(owner, f"{path}/change", budget=50)
        report = tmp_path / "report.html"
        report.write_bytes(owner.get(f"{path}/report").content)
    found = verify(report, [file])
    assert found.ok, str(found)
    assert found.page
    assert found.pool
    assert found.labels > 0


def test_a_study_is_made_of_a_pool_by_its_name(owner, place):
    assert get(owner, "/api/pools") == {"pools": [{"name": "animals.csv"}]}
    question = {"kind": "identify", "metric": "accuracy", "top": 2}
    made = post(owner, "/api/studies", name="worst", pool="animals.csv", question=question, until={"probability": 0.9})
    assert made["question"] == "2 groups of lowest accuracy by predicted class"
    assert [one["name"] for one in get(owner, "/api/studies")["studies"]] == ["animals", "worst"]
    assert fl.load_study("worst", storage=place).settings.until == fl.Probability(0.9)
    again = owner.post("/api/studies", json={"name": "worst", "pool": "animals.csv"})
    assert again.status_code == 409
    stray = owner.post("/api/studies", json={"name": "x", "pool": "animals.csv", "question": {"top": 3}})
    assert stray.status_code == 422
    assert "does not go with" in stray.json()["error"]


def test_labellers_see_the_guess_only_where_that_was_turned_on(place):
    with serving(ServiceSettings(place, token=TOKEN, show_guess=True)) as url, client(url) as owner:
        (query,) = post(owner, f"{API}/ask")["queries"]
        assert query["guess"] in ("cat", "dog", "eel")
        assert query["group"] == query["guess"]


def test_health_is_open_and_metrics_are_read_by_prometheus(owner, url):
    parser = pytest.importorskip("prometheus_client.parser")
    post(owner, f"{API}/ask", n=2)
    owner.get("/api/studies/nothing/progress")
    with client(url, None) as nobody:
        assert get(nobody, "/health") == {"status": "ok"}
        assert nobody.get("/metrics").status_code == 401
    families = {family.name: family for family in parser.text_string_to_metric_families(owner.get("/metrics").text)}
    counts = {(s.labels["route"], s.labels["status"]): s.value for s in families["fewlabels_requests"].samples}
    assert counts["/api/studies/{name}/ask", "200"] == 1
    assert counts["/api/studies/{name}/progress", "404"] == 1
    seconds = [s for s in families["fewlabels_request_seconds"].samples if s.labels["route"].endswith("/ask")]
    assert {s.value for s in seconds if s.labels.get("le") == "+Inf"} == {1}
    (held,) = families["fewlabels_items_held"].samples
    assert held.value == 2
    assert not math.isnan(held.value)


def test_a_service_that_is_told_to_end_gives_leases_back(place):
    service = Command(place, FEWLABELS_TOKEN=TOKEN)
    with client(service.url) as owner, labeller(owner, "animals", "ann") as ann:
        one, *others = post(ann, f"{API}/ask", n=3)["queries"]
        post(ann, f"{API}/tell", item=one["item"], label="cat")
    service.process.send_signal(signal.SIGTERM)
    assert service.ended() == 0
    study = fl.load_study("animals", storage=place)
    assert study.labels == {one["item"]: "cat"}
    assert [query.item for query in study.unleased] == [query["item"] for query in others]
    assert [query.item for query in study.ask(2, by="ben")] == [query["item"] for query in others]


def test_an_address_others_can_reach_needs_a_token_that_is_not_short(place):
    with pytest.raises(fl.QuestionError, match="can be reached from other machines"):
        ServiceSettings(place, host="0.0.0.0")
    with pytest.raises(fl.QuestionError, match="at least 16 characters"):
        ServiceSettings(place, host="0.0.0.0", token="secret")
    assert "of-tests" not in repr(ServiceSettings(place, token=TOKEN))
