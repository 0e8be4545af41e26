"""The pages of the service in every state: what the second room of the gallery hangs."""

import base64
from collections.abc import Callable
from typing import Any

import fewlabels as fl
from gallery.pages import study_of
from services.page_service import Service, pool_of

Visit = Callable[[Service, Any], None]  # brings a page into its state
LONG = (
    "I have been a customer for eleven years. On Monday I tried to pay for a train ticket, and the machine said that "
    "my card was declined; on Tuesday the same in a shop.\n\nI then called, waited for forty minutes, and was told "
    "that a limit had been set which I never asked for. Could somebody explain why, and whether the payment that "
    "shows as pending will be taken twice? "
)
FIVE = ("complaint", "question about a payment", "lost card", "something else entirely", "spam")
_PICTURE = """<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600" viewBox="0 0 90 60">
<rect width="90" height="60" fill="#bcd7ea"/><circle cx="70" cy="13" r="6" fill="#f6d365"/>
<path d="M0 46 22 24l14 14 18-22 36 30v14H0z" fill="#5b7f5e"/><path d="M0 52h90v8H0z" fill="#48683f"/></svg>"""
PICTURE = "data:image/svg+xml;base64," + base64.b64encode(_PICTURE.encode()).decode()
_DIGIT = """<svg xmlns="http://www.w3.org/2000/svg" width="28" height="28">
<path d="M7 7h14L12 23" stroke="#555" fill="none"/></svg>"""
TINY = "data:image/svg+xml;base64," + base64.b64encode(_DIGIT.encode()).decode()
_KINDS = ("transfer_into_account_not_working_abroad", "card_declined", "card_not_working_abroad")
INTENTS = [f"{_KINDS[i % 3]}_{i:02d}" for i in range(20)]


def _at(name: str, pool: Callable[[], fl.Pool], then: Callable[[Any], None] = lambda _: None, **settings: Any) -> Visit:
    """The labelling page of a study of its own."""

    def visit(service: Service, page: Any) -> None:
        service.made(name, pool(), **settings)
        page.goto(service.page(name))
        page.wait_for_selector("body[data-state=item]")
        page.wait_for_selector("#labels:not(:empty)", state="attached")
        then(page)

    return visit


def _typed(text: str, *keys: str) -> Callable[[Any], None]:
    def then(page: Any) -> None:
        page.keyboard.type(text)
        for key in keys:
            page.keyboard.press(key)

    return then


def _offline(page: Any) -> None:
    page.wait_for_function("() => JSON.parse(sessionStorage['fewlabels/offline/queue']).length === 3")
    page.context.set_offline(True)
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.wait_for_selector("#offline:visible")


def _labelled(page: Any) -> None:
    page.keyboard.press("1")
    page.wait_for_selector("body[data-waiting='0']")


def _undone(page: Any) -> None:
    _labelled(page)
    _typed("u", "Enter")(page)


def _refused(page: Any) -> None:
    sentence = "item 17 was told 'lost card' before and is now told 'spam'; if the first was wrong, use correct()."
    page.route("**/tell", lambda route: route.fulfill(status=409, json={"error": sentence}))
    page.keyboard.press("1")
    page.wait_for_selector("#trouble:visible")


def _done(page: Any) -> None:
    page.keyboard.press("1")
    page.wait_for_selector("body[data-state=done][data-waiting='0']")


def _stopped(page: Any) -> None:
    _labelled(page)
    _typed("q", "Enter")(page)
    page.wait_for_selector("body[data-state=stopped]")


def _empty(service: Service, page: Any) -> None:
    study = service.made("empty", pool_of(FIVE, 5))
    study.ask(5, by="ben")
    page.goto(service.page("empty"))
    page.wait_for_selector("body[data-state=empty]")


def _owner(labels: int) -> Visit:
    def visit(service: Service, page: Any) -> None:
        study = study_of(20, labels, f"owner-{labels}")
        service.app.state.studies.add(study)
        page.goto(service.page(study.name, "owner"))

    return visit


def _differ(service: Service, page: Any) -> None:
    texts = [f"{LONG[:120]}… ({i})" for i in range(60)]
    study = service.made(
        "differ", pool_of(FIVE, 60, text=texts), labels_per_item=2, until=fl.HalfWidth(0.1), budget=120
    )
    items = [query.item for query in study.ask(9, by="ann")]
    study.ask(9, by="Benjamin, from the second team")
    for i, item in enumerate(items):
        study.tell(item, FIVE[i % 5], by="ann")
        study.tell(item, FIVE[(i + (i % 3 == 0)) % 5], by="Benjamin, from the second team")
    page.goto(service.page("differ", "owner"))
    page.locator("[name=by]").fill("Cleo")
    page.get_by_role("button", name="Make a link").click()
    page.wait_for_selector("#link-made:visible")


def _studies(service: Service, page: Any) -> None:
    for name in (
        "march-audit",
        "which of these very long names of studies will have to go on in a second line, and why",
    ):
        service.made(name, pool_of(FIVE), fl.Identify("accuracy", by="predicted_class", top=2), budget=500)
    page.goto(f"{service.address}/")


def _new(kind: str) -> Visit:
    def visit(service: Service, page: Any) -> None:
        page.goto(f"{service.address}/new")
        page.locator("[name=kind]").select_option(kind)
        page.locator("[name=goal]").select_option("probability" if kind == "compare" else "overall")

    return visit


def _ended(service: Service, page: Any) -> None:
    page.goto(service.link("anything", "ann", hours=-1))


STATES: dict[str, Visit] = {
    "text-3-classes": _at("three", lambda: pool_of(("cat", "dog", "fox")), budget=120),
    "text-5-classes": _at("five", lambda: pool_of(FIVE), _labelled, until=fl.HalfWidth(0.1)),
    "text-20-classes": _at("twenty", lambda: pool_of(INTENTS)),
    "text-1000-classes": _at("thousand", lambda: pool_of(1000, 1200)),
    "typing": _at("typing", lambda: pool_of(INTENTS), _typed("card")),
    "typing-a-slip": _at("slip", lambda: pool_of(INTENTS), _typed("crad not workng")),
    "a-command": _at("command", lambda: pool_of(FIVE), _typed("s")),
    "image": _at("image", lambda: pool_of(FIVE, 60, image_url=[PICTURE] * 60)),
    "image-tiny": _at("tiny", lambda: pool_of(FIVE, 60, image_url=[TINY] * 60)),
    "image-and-text": _at("both", lambda: pool_of(FIVE, 60, image_url=[PICTURE] * 60, text=["Which season?"] * 60)),
    "image-lost": _at("lost", lambda: pool_of(FIVE, 60, image_url=["data:image/png;base64,AAAA"] * 60)),
    "link": _at("link", lambda: pool_of(FIVE, 60, url=["https://example.org/messages/2024/03/17?of=1234567890"] * 60)),
    "long-text": _at("long", lambda: pool_of(FIVE, 60, text=[LONG * 6] * 60)),
    "medium-text": _at("medium", lambda: pool_of(FIVE, 60, text=[LONG] * 60)),
    "fields": _at("fields", lambda: pool_of(FIVE, 60, subject=["Card declined"] * 60, sender=["a@example.org"] * 60)),
    "undo": _at("undone", lambda: pool_of(FIVE), _undone),
    "skip": _at("skips", lambda: pool_of(FIVE), _typed("s", "Enter")),
    "keys": _at("keys", lambda: pool_of(FIVE), _typed("?", "Enter")),
    "offline": _at("offline", lambda: pool_of(FIVE), _offline),
    "refused": _at("refused", lambda: pool_of(FIVE), _refused),
    "done": _at("done", lambda: pool_of(FIVE), _done, budget=1),
    "stopped": _at("stopped", lambda: pool_of(FIVE), _stopped),
    "empty": _empty,
    "owner-0-labels": _owner(0),
    "owner-5-labels": _owner(5),
    "owner-500-labels": _owner(500),
    "owner-people-differ": _differ,
    "studies": _studies,
    "new": _new("estimate"),
    "new-compare": _new("compare"),
    "link-ended": _ended,
}  # fmt: skip


def _touched(*buttons: str) -> Callable[[Any], None]:
    def then(page: Any) -> None:
        for name in buttons:
            page.get_by_role("button", name=name).tap()

    return then


def _labelled_and_undone(page: Any) -> None:
    page.locator("#classes li").first.tap()
    _touched("Undo")(page)


def _searched(page: Any) -> None:
    page.locator("#typed").tap()
    page.keyboard.type("07")


TOUCHED: dict[str, Visit] = {  # what fingers do
    "five": _at("hand five", lambda: pool_of(FIVE, 60, text=[LONG] * 60), until=fl.HalfWidth(0.1)),
    "thousand-found": _at("hand thousand", lambda: pool_of(1000, 1200), _searched),
    "skip-touched": _at("hand skip", lambda: pool_of(FIVE), _touched("Skip")),
    "undo-touched": _at("hand undo", lambda: pool_of(FIVE), _labelled_and_undone),
    "picture": _at("hand picture", lambda: pool_of(INTENTS, 60, image_url=[PICTURE] * 60)),
    "stopped-touched": _at("hand stop", lambda: pool_of(FIVE), _touched("Stop")),
}
