"""Clients that mean no good, or know no better: nobody gets in who should not, and nothing breaks."""

import base64
import json
import re
import time

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings

import fewlabels as fl
from fewlabels.service.access import Gate
from fewlabels.service.app import create_app
from fewlabels.service.limits import MOST_BYTES
from fewlabels.service.settings import ServiceSettings
from fewlabels.storages import open_storage
from services.serving import TOKEN, client, labeller, make_study, pool_file, serving

API = "/api/studies/animals"
READS = ("progress", "classes")
OWNER_READS = ("answer", "events", "labellers", "disagreements", "report")
WRITES = {
    "ask": {"n": 1},
    "tell": {"item": "item-1", "label": "cat"},
    "skip": {"item": "item-1"},
    "correct": {"item": "item-1", "label": "cat"},
    "withdraw": {"item": "item-1"},
    "release": {"items": ["item-1"]},
}
OWNER_WRITES = {"change": {"budget": 5}, "links": {"by": "ann"}}
PATHS = (
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "/etc/passwd",
    "....//",
    "..\\..\\x",
    "%00",
    "~root",
    "a\nb",
    ".",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    (folder / "pools").mkdir()
    (folder / "outside.csv").write_text("secret")
    file = pool_file(folder / "pools")
    storage = f"sqlite:///{folder}/s.db"
    for name in ("animals", "others"):
        make_study(storage, file, name)
    return ServiceSettings(storage, token=TOKEN, pools=folder / "pools")


@pytest.fixture(scope="module")
def url(place):
    with serving(place) as found:
        yield found


@pytest.fixture(scope="module")
def owner(url):
    with client(url) as found:
        yield found


def every_request(study=API):
    for name in (*READS, *OWNER_READS):
        yield "GET", f"{study}/{name}", None
    for name, body in {**WRITES, **OWNER_WRITES}.items():
        yield "POST", f"{study}/{name}", body
    yield "GET", "/api/studies", None
    yield "GET", "/api/pools", None
    yield "GET", "/api/session", None
    yield "GET", "/metrics", None
    yield "POST", "/api/studies", {"name": "x", "pool": "animals.csv"}


def statuses(who, study=API):
    return {(path, body is not None): who.request(method, path, json=body).status_code
            for method, path, body in every_request(study)}  # fmt: skip


def expired(place):
    return Gate(place).link_token("animals", "ann", "labeller", int(time.time()) - 1)


def forged(place):
    said, _, signature = Gate(place).link_token("animals", "ann", "labeller", int(time.time()) + 60).partition(".")
    content = json.loads(base64.urlsafe_b64decode(said + "=="))
    content[2] = "owner"
    return f"{base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b'=').decode()}.{signature}"


def of_another_service(place):
    other = Gate(ServiceSettings(place.storage, token="another token, as long"))
    return other.link_token("animals", "ann", "labeller", int(time.time()) + 60)


@pytest.mark.parametrize(
    "token",
    [lambda _: None, lambda _: "wrong", lambda _: TOKEN + "x", lambda _: ".", lambda _: "é", lambda _: "a.b.c",
     expired, forged, of_another_service],
    ids=["missing", "wrong", "longer", "dot", "letters", "parts", "expired", "forged", "of another service"],
)  # fmt: skip
def test_without_a_good_token_nobody_gets_in(url, place, token):
    given = token(place)
    headers = {} if given is None else {"authorization": f"Bearer {given}".encode()}
    with httpx.Client(base_url=url, headers=headers, trust_env=False) as nobody:
        assert set(statuses(nobody).values()) == {401}
    with httpx.Client(base_url=url, trust_env=False) as nobody:
        link = nobody.get("/s/animals/", params={"token": given or ""})
        assert link.status_code == 401
        assert "set-cookie" not in link.headers


def test_a_labellers_link_opens_their_study_and_nothing_of_the_owners(url, owner):
    with labeller(owner, "animals", "ann") as ann:
        found = statuses(ann)
        own = {f"{API}/{name}" for name in (*READS, *WRITES)} | {"/api/studies", "/api/session"}
        for (path, posts), status in found.items():
            mine = path in own and not (path == "/api/studies" and posts)
            assert (status != 403) == mine, (path, status)
        assert set(statuses(ann, "/api/studies/others").values()) - {200, 201} == {403}
        assert set(statuses(ann, "/api/studies/nowhere").values()) - {200, 201} == {403}  # nor learns what there is
        assert [one["name"] for one in ann.get("/api/studies").json()["studies"]] == ["animals"]
        by_another = ann.post(f"{API}/ask", json={"by": "ben"})
        assert by_another.status_code == 403


def test_an_owners_link_is_for_one_study(owner):
    with labeller(owner, "animals", "eve", role="owner") as eve:
        assert eve.get(f"{API}/answer").status_code == 200
        assert eve.get("/api/studies/others/answer").status_code == 403
        assert eve.get("/api/pools").status_code == 403
        assert eve.post("/api/studies", json={"name": "x", "pool": "animals.csv"}).status_code == 403


def test_a_link_becomes_a_cookie_that_scripts_and_other_sites_do_not_get(url, owner):
    link = owner.post(f"{API}/links", json={"by": "ann"}).json()["url"]
    with httpx.Client(trust_env=False) as browser:
        first = browser.get(link)
        assert first.status_code == 303
        assert first.headers["location"] == "/s/animals/"
        cookie = first.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert browser.get(f"{url}{API}/progress").status_code == 200
        assert browser.get(f"{url}/api/session").status_code == 401  # a link to one study says nothing of others


def test_a_write_by_cookie_must_come_from_a_page_of_ours(url, owner, place):
    link = owner.post(f"{API}/links", json={"by": "ann"}).json()
    with httpx.Client(base_url=url, trust_env=False) as browser:
        browser.get(link["url"])
        for name, body in WRITES.items():
            assert browser.post(f"{API}/{name}", json=body).status_code == 403, name
            assert browser.post(f"{API}/{name}", json=body, headers={"x-csrf-token": "é".encode()}).status_code == 403
        csrf = Gate(place)._sign("csrf", link["token"].encode())
        assert browser.post(f"{API}/ask", json={"n": 1}, headers={"x-csrf-token": csrf}).status_code == 200


def test_a_link_from_a_mail_leads_on_from_a_page_of_ours_and_never_elsewhere(url, owner):
    link = owner.post(f"{API}/links", json={"by": "ann"}).json()
    with httpx.Client(trust_env=False) as browser:
        page = browser.get(link["url"], headers={"sec-fetch-site": "cross-site"})
        assert page.status_code == 200
        assert 'content="0; url=/s/animals/"' in page.text
        for path in ("//evil.example/", "/\\evil.example/", "/s/animals/%22%3E%3Cscript%3E"):
            found = browser.get(f"{url}{path}?token={link['token']}", headers={"sec-fetch-site": "cross-site"})
            assert "<script" not in found.text
            assert not re.search(r"url=(//|/\\|http)", found.text)
            to = browser.get(f"{url}{path}?token={link['token']}").headers.get("location", "/x")
            assert re.match(r"/[^/\\]", to)


def test_without_a_token_only_this_machine_by_its_own_names_is_the_owner(place):
    with serving(ServiceSettings(place.storage)) as url, httpx.Client(base_url=url, trust_env=False) as local:
        csrf = local.get("/api/session").json()["csrf"]
        assert local.post(f"{API}/ask", json={"n": 1}).status_code == 403
        assert local.post(f"{API}/ask", json={"n": 1}, headers={"x-csrf-token": csrf}).status_code == 200
        for name in ("evil.example", "127.0.0.1.evil.example", "10.0.0.1"):  # a name of others that leads here
            assert local.get("/api/session", headers={"host": name}).status_code == 403


@pytest.mark.parametrize("length", ["said", "unsaid"])
def test_bodies_are_bounded(url, owner, length):
    body = json.dumps({"item": "x" * MOST_BYTES, "label": "cat"}).encode()
    content = body if length == "said" else (body[i : i + 1000] for i in range(0, len(body), 1000))
    answer = owner.post(f"{API}/tell", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == 413
    assert "at most 65,536 bytes" in answer.json()["error"]
    assert owner.get("/health").status_code == 200


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'{"item": "\\ud800", "label": "cat"}', b'{"item": "a\\u0000", "label": "cat"}',
     b'{"item": 1e999, "label": "cat"}', b'{"item": ' + b"9" * 5000 + b', "label": "cat"}', b"\xff\xfe",
     b'{"item": true, "label": "cat"}', b'{"item": {"a": 1}, "label": "cat"}', b'{"query": "!!!", "label": "cat"}',
     b'{"query": "eyJhIjoxfQ==", "label": "cat"}', b'{"label": "cat"}', b'{"item": "item-1", "label": "\\ud800"}',
     b'{"item": "item-1", "label": "cat", "other": 1}', b"[" * 30_000],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_words(owner, body):
    answer = owner.post(f"{API}/tell", content=body, headers={"content-type": "application/json"})
    assert 400 <= answer.status_code < 500
    assert answer.json()["error"]


@pytest.mark.parametrize("path", PATHS)
def test_no_text_of_a_client_is_ever_a_path(owner, url, place, path):
    quoted = re.sub(r"[^a-z.]", lambda found: f"%{ord(found[0]):02x}", path)
    for method, address, body in every_request(f"/api/studies/{quoted}"):
        if quoted in address:
            found = owner.request(method, address, json=body)
            assert found.status_code in (404, 405), (address, found.text)
    asked = [("/api/studies", {"name": "x", "pool": path}), ("/api/studies", {"name": path, "pool": "outside.csv"}),
             ("/api/studies", {"name": "x", "pool": f"../{path}"}),
             ("/api/studies", {"name": "x", "pool": "animals.csv", "question": {"metric": path}}),
             ("/api/studies", {"name": "x", "pool": "animals.csv", "question": {"by": [path]}}),
             (f"{API}/tell", {"item": path, "label": "cat"}), (f"{API}/tell", {"item": "item-1", "label": path}),
             (f"{API}/withdraw", {"item": path}), (f"{API}/skip", {"item": path, "reason": path})]  # fmt: skip
    for address, body in asked:
        found = owner.post(address, json=body)
        assert 400 <= found.status_code < 500, (body, found.text)
        assert "secret" not in found.text
    assert open_storage(place.storage).names() == ["animals", "others"]
    for page in ("/static/{}", "/static/x/{}", "/s/{}/", "/s/{}/owner", "/s/{}/owner/live"):
        assert owner.get(page.format(quoted), follow_redirects=True).status_code in (404, 405), page


def strings_in(document, schema, path):
    """What may be said by a schema, with this text for one string after another."""
    for option in schema.get("anyOf", [schema]):
        kind = document["components"]["schemas"][option["$ref"].rpartition("/")[2]] if "$ref" in option else option
        if kind["type"] == "string":
            yield path
        elif kind["type"] == "array":
            yield [path]
        for name, part in kind.get("properties", {}).items():
            yield from ({name: said} for said in strings_in(document, part, path))


@pytest.mark.parametrize("path", PATHS)
def test_a_path_in_any_string_of_the_interface_touches_no_file(owner, place, path):
    """Names, keys and reasons may look like paths; nothing is read or written there, and nothing breaks."""

    def files():
        return {file for file in place.pools.parent.rglob("*") if not file.name.startswith("s.db")}

    before, document, tried = files(), owner.get("/api/openapi.json").json(), set()
    for method, address, body in every_request("/api/studies/{name}"):
        if method == "POST":
            body = {**body, "pool": "nothing.csv"} if "pool" in body else body  # no study is made
            about = document["paths"][address]["post"]["requestBody"]["content"]["application/json"]["schema"]
            for said in strings_in(document, about, path):
                found = owner.post(address.format(name="animals"), json={**body, **said})
                assert found.status_code < 500, (address, said, found.text)
                assert not re.search("secret|root:", found.text)
                tried |= set(said)
    assert tried == {
        "by", "item", "items", "key", "label", "name", "pool", "query", "question", "reason", "role", "skips", "until",
    }  # fmt: skip
    assert files() == before
    assert open_storage(place.storage).names() == ["animals", "others"]


def test_every_answer_carries_what_guards_a_browser(owner, url):
    with client(url, None) as nobody:
        for found in (owner.get(f"{API}/progress"), nobody.get(f"{API}/progress"), nobody.get("/nowhere"),
                      owner.post(f"{API}/tell", content=b"x" * (MOST_BYTES + 1)), nobody.get("/health")):  # fmt: skip
            assert "default-src 'none'" in found.headers["content-security-policy"]
            assert "'unsafe" not in found.headers["content-security-policy"]
            assert found.headers["x-content-type-options"] == "nosniff"
            assert found.headers["referrer-policy"] == "no-referrer"
            assert found.headers["cache-control"] == "no-store"
            assert "access-control-allow-origin" not in found.headers


def test_injected_text_goes_through_as_text(tmp_path):
    evil = "<script>alert(1)</script>\"'&--><img src=x onerror=alert(1)>'; DROP TABLE fewlabels_events; --{{7*7}}"
    storage = f"sqlite:///{tmp_path}/s.db"
    pool = fl.Pool.from_arrays(
        predicted=[evil, "b"] * 10,
        score=[0.6] * 20,
        ids=[f"{evil}{n}" for n in range(20)],
        payload={"text": [evil] * 20},
    )
    fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), storage=storage, name="s")
    fl.load_study("s", storage=storage, pool=pool).ask(4, by=evil)
    settings_ = ServiceSettings(storage, token=TOKEN)
    with serving(settings_) as url, client(url) as owner:
        study = fl.load_study("s", storage=storage)
        one, other, *_ = (query.item for query in study.open_queries)
        told = owner.post("/api/studies/s/tell", json={"item": one, "label": evil, "by": evil[:100]})
        assert told.status_code == 200, told.text
        assert owner.post("/api/studies/s/skip", json={"item": other, "reason": evil}).status_code == 200
        report = owner.get("/api/studies/s/report").text
        assert "<script>alert" not in report
        assert "<img src=x" not in report
    assert study.labels == {one: evil}
    assert study.skipped == {other: evil}


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@(schema := schemathesis.openapi.from_asgi(
    "/api/openapi.json", create_app(ServiceSettings("sqlite:///nothing-is-written-here.db", token=TOKEN))
)).parametrize()  # fmt: skip
def test_no_request_of_any_kind_is_answered_with_a_5xx(case, url):
    """Made from the OpenAPI document, for a study that is there."""
    if "name" in case.path_parameters:
        case.path_parameters["name"] = "animals"
    answer = case.call(base_url=url, headers={"authorization": f"Bearer {TOKEN}"})
    assert answer.status_code < 500, answer.text
