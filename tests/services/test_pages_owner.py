"""What owners do in a browser: make a study, watch its answer, let people in, decide, change the goal."""

import re
from typing import Any

import fewlabels as fl
from services.at_the_page import somebody
from services.page_service import Service, pool_of

ANIMALS = ("cat", "dog", "fox")


def test_a_study_is_made_labelled_and_watched(opened: Any, service: Service) -> None:
    with somebody(opened) as owner, somebody(opened) as ann:
        owner.page.goto(f"{service.address}/")
        owner.page.get_by_role("link", name="New study").click()
        owner.page.locator("[name=pool]").select_option("animals.csv")
        owner.page.locator("[name=name]").fill("zoo")
        owner.page.locator("[name=by]").select_option("predicted_class")
        owner.page.locator("[name=goal]").select_option("overall")
        owner.page.locator("[name=size]").fill("0.1")
        owner.page.locator("[name=budget]").fill("60")
        owner.page.get_by_role("button", name="Make the study").click()
        owner.page.wait_for_url("**/s/zoo/owner")
        assert owner.page.locator("h1").inner_text() == "Accuracy by predicted class"
        assert "the overall interval at most ±0.1; a budget of 60 labels" in owner.page.inner_text("main")

        owner.page.locator("[name=by]").fill("ann")
        owner.page.get_by_role("button", name="Make a link").click()
        link = owner.page.get_by_label("Link for ann").input_value()
        ann.open(link)
        assert "token" not in ann.page.url
        for key in "123":
            ann.label(key)
        ann.sent()
        owner.page.wait_for_selector("[data-moves=labels]:text-is('3')")  # without anybody loading the page again
        assert owner.page.locator(".people tbody tr").inner_text().split() == ["ann", "3", "0", "–"] or re.match(
            r"ann\s+3\s+0\s+[\d,]+", owner.page.locator(".people tbody tr").inner_text()
        )
        assert owner.page.locator("#figure-groups svg.wide").is_visible()
        assert owner.page.locator("#figure-by_labels svg.wide").is_visible()

        owner.page.locator("[name=budget]").fill("3")
        owner.page.get_by_role("button", name="Change").click()
        owner.page.wait_for_selector("text=a budget of 3 labels")
        owner.page.get_by_role("link", name="Report").click()
        assert "Accuracy by predicted class" in owner.page.inner_text("h1")
        assert (owner.heard, ann.heard) == ([], [])
    assert len(service.study("zoo").labels) == 3


def test_what_cannot_be_made_is_said_where_it_was_asked(opened: Any, service: Service) -> None:
    service.made("taken", pool_of(ANIMALS))
    with somebody(opened) as owner:
        owner.page.goto(f"{service.address}/new")
        owner.page.locator("[name=name]").fill("taken")
        owner.page.get_by_role("button", name="Make the study").click()
        owner.page.wait_for_selector("#trouble:visible")
        assert "taken" in owner.page.inner_text("#trouble")
        owner.page.locator("[name=kind]").select_option("compare")
        assert owner.page.locator("[name=a]").is_visible()
        assert not owner.page.locator("[name=threshold]").is_visible()


def test_labellers_do_not_see_what_is_the_owners(opened: Any, service: Service) -> None:
    service.made("guarded", pool_of(ANIMALS))
    link = service.link("guarded", "ann").replace("127.0.0.1", "localhost")
    with somebody(opened, link) as ann:
        local = ann.page.request.get(service.page("guarded", "owner"))
        assert local.status == 200  # whoever is at this machine owns what is served without a token
        assert ann.page.locator("a[href*=owner]").count() == 0


def test_the_owner_decides_where_labellers_differ(opened: Any, service: Service) -> None:
    study = service.made("differ", pool_of(ANIMALS), labels_per_item=2)
    items = [query.item for query in study.ask(3, by="ann")]
    assert [query.item for query in study.ask(3, by="ben")] == items
    for item, mine, theirs in zip(items, ("cat", "dog", "fox"), ("cat", "fox", "cat"), strict=True):
        study.tell(item, mine, by="ann")
        study.tell(item, theirs, by="ben")
    with somebody(opened) as owner:
        owner.page.goto(service.page("differ", "owner"))
        assert "33% of the pairs of labels agree" in owner.page.inner_text("#live")
        assert owner.page.locator(".disagreements li").count() == 2
        first = owner.page.locator(f".disagreements li[data-item='{items[1]}']")
        assert f"What is item number {items[1]} about?" in first.inner_text()
        first.get_by_role("button", name="It is fox").click()
        first.wait_for(state="detached")
        other = owner.page.locator(f".disagreements li[data-item='{items[2]}']")
        other.get_by_label("Another class").fill("dog")
        other.get_by_role("button", name="Decide").click()
        owner.page.wait_for_selector(".disagreements", state="detached")
        assert owner.heard == []
    assert [study.labels[item] for item in items] == ["cat", "fox", "dog"]
    assert study.disagreements == []


def test_pages_hold_no_script_or_style_of_their_own_and_load_nothing_from_elsewhere(
    opened: Any, service: Service
) -> None:
    service.made("plain", pool_of(ANIMALS), until=fl.HalfWidth(0.1), budget=50)
    with somebody(opened) as anybody:
        asked: list[str] = []
        anybody.page.on("request", lambda request: asked.append(request.url))
        for address in ("/", "/new", "/s/plain/", "/s/plain/owner", "/nowhere", "/s/unknown/"):
            answer = anybody.page.goto(service.address + address, wait_until="networkidle")
            text = answer.text()
            assert re.findall(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:", text) == [], address
            assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert [url for url in asked if not url.startswith(service.address)] == []
        assert [words for words in anybody.heard if "404" not in words] == []


def test_an_address_that_leads_nowhere_is_answered_in_words(opened: Any, service: Service) -> None:
    with somebody(opened) as anybody:
        for address, words in {"/s/unknown/": "'unknown'", "/nowhere": "", "/static/x/..%2fpages.py": ""}.items():
            answer = anybody.page.goto(service.address + address)
            assert (answer.status, words in anybody.page.inner_text("body")) == (404, True)
        ended = service.link("unknown", "ann", hours=-1)
        assert anybody.page.goto(ended).status == 401
        assert "This link has ended" in anybody.page.inner_text("main")
