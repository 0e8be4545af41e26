"""What comes from outside is text and nothing else: in items, classes, names, reasons and addresses."""

from functools import partial
from typing import Any

import fewlabels as fl
from gallery.pages import HOSTILE
from services.at_the_page import AtThePage, somebody
from services.page_service import Service, pool_of

ADDRESSES = (
    "javascript:window.pwned=5",
    " javascript:window.pwned=5",
    "JaVaScRiPt:window.pwned=5",
    "data:text/html,<script>window.pwned=6</script>",
    "vbscript:x",
    "/s/x/?token=y",
    '"><img src=x onerror=window.pwned=7>',
    "https://pictures.example/\"onerror='window.pwned=8'",
)
NAME = "<img src=x onerror='window.pwned=9'>"  # a study's name has no slash


def harmless(person: AtThePage) -> None:
    assert person.page.evaluate("() => window.pwned") is None
    assert person.page.locator("[onerror], [onload], [onclick], iframe, object, embed, base").count() == 0
    bad = "es => es.map(e => e.getAttribute('href') || e.getAttribute('src')).filter(a => !/^(https?:|[\\/#])/.test(a))"
    assert person.page.locator("a, img").evaluate_all(bad) == []


def test_hostile_texts_classes_names_and_reasons_stay_inert(opened: Any, service: Service) -> None:
    n = len(HOSTILE)
    study = service.made(
        NAME, pool_of(HOSTILE, 5 * n, text=HOSTILE * 5), fl.Estimate("accuracy", by="predicted_class"),
        labels_per_item=2,
    )  # fmt: skip
    service.made("none", pool_of(("a", "b")))
    with somebody(opened, service.page(NAME)) as ann:
        seen = set()
        for turn in range(4):
            seen.add(ann.page.inner_text("#item"))
            harmless(ann)
            ann.label(str(turn + 1))
        ann.type("s", "Enter")
        ann.type(HOSTILE[1])
        ann.label("Enter")
        ann.type("u", "Enter")
        harmless(ann)
        ann.sent()
        assert seen & set(HOSTILE)
        for item, given in list(study.opinions.items())[:3]:
            study.ask(1, by=HOSTILE[0])
            study.tell(item, next(name for name in HOSTILE if name not in given.values()), by=HOSTILE[0])
        for address in (service.page(NAME, "owner"), f"{service.address}/"):
            ann.page.goto(address)
            harmless(ann)
            assert NAME in ann.page.inner_text("main")
        ann.page.goto(service.page(NAME, "owner"))
        assert ann.page.locator(".disagreements li").count() == 3
        button = ann.page.locator(".decide button[data-label]").first
        button.click()
        ann.page.wait_for_selector("#said:not(:empty)")
        harmless(ann)
        report = service.address + ann.page.get_by_role("link", name="Report").get_attribute("href")
        ann.page.goto(report)
        assert ann.page.evaluate("() => window.pwned") is None
        assert ann.heard == []
    assert HOSTILE[1] in study.skipped.values()


def test_addresses_that_are_none_are_shown_as_text(opened: Any, service: Service) -> None:
    pool = pool_of(("a", "b"), 4 * len(ADDRESSES), image_url=ADDRESSES * 4, url=ADDRESSES * 4)
    service.made("addresses", pool)
    wanted = {address.strip() for address in ADDRESSES}
    with somebody(opened) as ann:
        ann.context.route("https://pictures.example/**", lambda route: route.abort())
        ann.open(service.page("addresses"))
        shown = set()
        while shown < wanted:
            harmless(ann)
            shown.add(ann.page.locator("#item .address").last.inner_text().strip())
            for link in ann.page.locator("#item a").all():
                assert link.get_attribute("href").startswith("https://pictures.example/")
                assert link.get_attribute("rel") == "noopener noreferrer"
            ann.label("1")
        assert shown == wanted
        assert ann.page.evaluate("() => window.pwned") is None


def test_were_something_not_escaped_the_policy_would_stop_it(opened: Any, service: Service) -> None:
    """A negative control: what would run without the policy does not run with it."""
    service.made("control", pool_of(("a", "b")))
    spoilt = "<img src=x onerror='window.pwned=1'><script>window.pwned=2</script>"

    def spoil(route: Any, *, policy: bool) -> None:
        answer = route.fetch()
        headers = {k: v for k, v in answer.headers.items() if policy or k != "content-security-policy"}
        route.fulfill(response=answer, headers=headers, body=answer.text().replace("<main>", f"<main>{spoilt}"))

    for policy in (True, False):
        with somebody(opened) as anybody:
            anybody.page.route(service.page("control"), partial(spoil, policy=policy))
            anybody.page.goto(service.page("control"))
            anybody.ready()
            assert (anybody.page.evaluate("() => window.pwned") is None) == policy
            assert any("Content Security Policy" in words for words in anybody.heard) == policy
