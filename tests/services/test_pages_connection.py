"""A connection that is lost and comes back: what was said is kept in the browser, and recorded once."""

from collections import Counter
from typing import Any

import fewlabels as fl
from fewlabels.core.events import Told
from services.at_the_page import at, somebody
from services.page_service import Service, pool_of

ANIMALS = ("cat", "dog", "fox")


def told(study: fl.Study) -> list[tuple[str, str]]:
    """Everything that was told, in the order of the record."""
    return [(str(event.item), event.label) for event in study.events if isinstance(event, Told)]


def test_labels_given_without_a_connection_are_sent_once_when_it_is_back(opened: Any, service: Service) -> None:
    study = service.made("cut", pool_of(ANIMALS))
    with somebody(opened, service.page("cut")) as ann:
        said = [(ann.label("1"), "cat")]
        ann.sent()
        ann.page.wait_for_function("() => JSON.parse(sessionStorage['fewlabels/cut/queue']).length === 3")
        ann.context.set_offline(True)
        said += [(ann.label("2"), "dog"), (ann.label("3"), "fox")]
        ann.page.locator("#offline", has_text="2 labels are kept in this browser").wait_for()
        ann.page.keyboard.press("1")
        ann.ready("waiting")
        ann.page.locator("#offline", has_text="3 labels are kept").wait_for()
        assert len(told(study)) == 1
        ann.context.set_offline(False)
        ann.sent().ready()
        ann.page.wait_for_selector("#offline", state="hidden")
    assert told(study)[:3] == said
    assert len(told(study)) == 4
    assert max(Counter(item for item, _ in told(study)).values()) == 1


def test_what_was_said_outlives_the_window(opened: Any, service: Service) -> None:
    study = service.made("closed", pool_of(ANIMALS))
    with somebody(opened, service.page("closed")) as ann:
        ann.page.route("**/tell", lambda route: route.abort())
        said = [(ann.label("1"), "cat"), (ann.label("2"), "dog")]
        ann.page.close()
        assert told(study) == []
        again = ann.context.new_page()
        again.goto(service.page("closed"))
        again.wait_for_selector("body[data-state=item][data-waiting='0']")
    assert told(study) == said


def test_an_answer_that_is_lost_makes_no_second_label(opened: Any, service: Service) -> None:
    """The service has the label, the browser does not know: it sends the same key again."""
    study, bodies = service.made("lost", pool_of(ANIMALS)), []

    def lose_the_first(route: Any) -> None:
        bodies.append(route.request.post_data_json)
        if len(bodies) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    with somebody(opened, service.page("lost")) as ann:
        ann.page.route("**/tell", lose_the_first)
        said = [(ann.label("3"), "fox")]
        ann.sent()
    assert told(study) == said
    assert len(bodies) == 2
    assert bodies[0] == bodies[1]


def test_a_service_in_trouble_is_asked_again(opened: Any, service: Service) -> None:
    study, tries = service.made("trouble", pool_of(ANIMALS)), []

    def fail_twice(route: Any) -> None:
        tries.append(1)
        if len(tries) <= 2:
            route.fulfill(status=503, json={"error": "not now"})
        else:
            route.continue_()

    with somebody(opened, service.page("trouble")) as ann:
        ann.page.route("**/tell", fail_twice)
        said = [(ann.label("1"), "cat")]
        ann.sent()
        assert not ann.page.is_visible("#trouble")
    assert told(study) == said


def test_a_label_that_is_refused_is_said_and_the_others_go_on(opened: Any, service: Service) -> None:
    study = service.made("refused", pool_of(ANIMALS))
    with somebody(opened, service.page("refused")) as ann:
        taken = ann.item
        study.tell(study.open_queries[0].item, "fox", by="ben")
        assert str(next(iter(study.labels))) == taken
        ann.label("1")
        kept = ann.label("2")
        ann.sent()
        words = ann.page.inner_text("#trouble")
        assert words.startswith(f"Item {taken} was not recorded: ")
        assert "'fox'" in words
    assert told(study) == [(taken, "fox"), (kept, "dog")]


def test_a_link_that_ended_keeps_the_labels_for_the_next_one(opened: Any, service: Service) -> None:
    study = service.made("ended", pool_of(ANIMALS))
    with somebody(opened, service.link("ended", "ann")) as ann:
        held, ended = ann.context.cookies(), service.link("ended", "ann", hours=-1).partition("token=")[2]
        ann.context.add_cookies([{**held[0], "value": ended}])
        said = [(ann.label("1"), "cat")]
        ann.page.wait_for_selector("#trouble:visible")
        assert "kept in this browser" in ann.page.inner_text("#trouble")
        assert told(study) == []
        ann.page.goto(service.link("ended", "ann"))
        ann.ready().sent()
    assert told(study) == said


def test_pictures_of_the_next_items_are_fetched_before_they_are_shown(opened: Any, service: Service) -> None:
    pictures = [f"https://pictures.example/{i}.svg" for i in range(60)]
    service.made("pictures", pool_of(ANIMALS, 60, image_url=pictures))
    seen: list[str] = []

    def paint(route: Any) -> None:
        seen.append(route.request.url)
        route.fulfill(
            content_type="image/svg+xml", body="<svg xmlns='http://www.w3.org/2000/svg' width='4' height='3'/>"
        )

    with somebody(opened) as ann:
        ann.context.route("https://pictures.example/**", paint)
        ann.open(service.page("pictures"))
        shown = f"https://pictures.example/{ann.item}.svg"
        ann.page.wait_for_function("() => JSON.parse(sessionStorage['fewlabels/pictures/queue']).length === 3")
        ann.page.wait_for_function("() => document.querySelector('#item img').naturalWidth === 4")
        queue = ann.page.evaluate("() => JSON.parse(sessionStorage['fewlabels/pictures/queue']).map(q => q.item)")
        assert ann.page.get_attribute("#item img", "src") == shown
        assert {f"https://pictures.example/{item}.svg" for item in queue} <= set(seen)
        assert ann.page.get_attribute("#item img", "alt")


def test_two_windows_of_one_browser_send_each_label_once(opened: Any, service: Service) -> None:
    study = service.made("windows", pool_of(ANIMALS))
    with at(opened, service, "windows") as ann:
        said = [ann.label("1"), ann.label("2")]
        other = ann.context.new_page()
        other.goto(service.page("windows"))
        other.wait_for_selector("body[data-state=item][data-waiting='0']")
        ann.sent()
        assert other.get_attribute("#item", "data-item") not in {*said, ann.item}
    assert sorted(item for item, _ in told(study)) == sorted(said)
