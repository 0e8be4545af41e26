"""Labelling in a real browser: by keyboard, by touch, with many classes, by several people, without a connection."""

from collections import Counter
from typing import Any

import pytest

import fewlabels as fl
from fewlabels.cli.label import find_classes
from fewlabels.core.events import Corrected, Told
from services.at_the_page import at, somebody
from services.page_service import Service, pool_of

ANIMALS = ("cat", "dog", "fox")


def told(study: fl.Study) -> Counter[Any]:
    """How often each item was told."""
    return Counter(str(event.item) for event in study.events if isinstance(event, Told))


def test_thirty_items_are_labelled_by_keyboard_alone(opened: Any, service: Service) -> None:
    study = service.made("keys", pool_of(ANIMALS))
    meant: dict[str, str] = {}
    with at(opened, service, "keys") as ann:
        for turn in range(30):
            name = ANIMALS[turn % 3]
            if turn % 2:
                meant[ann.label(str(turn % 3 + 1))] = name
            else:
                ann.type(name[:2])
                meant[ann.label("Enter")] = name
            if turn == 15:
                here = ann.item
                ann.page.reload()
                assert ann.ready().item == here
        ann.press("ArrowDown", "ArrowDown", "ArrowUp", "ArrowDown")
        meant[ann.label("Enter")] = "dog"
        ann.sent()
        assert ann.page.inner_text("#mine") == "31 yours"
    assert {str(item): label for item, label in study.labels.items()} == meant
    assert len(meant) == 31


def test_undo_shows_the_item_before_and_corrects_it(opened: Any, service: Service) -> None:
    study = service.made("undo", pool_of(ANIMALS))
    with at(opened, service, "undo") as ann:
        first, second = ann.label("1"), ann.label("2")
        third = ann.item
        ann.type("u", "Enter")
        assert (ann.item, ann.page.inner_text("#again").split(".")[0]) == (second, "Again; now dog")
        ann.page.keyboard.press("Control+z")
        assert ann.item == first
        assert ann.label("3") == first
        assert ann.item == third
        ann.type("u", "Enter")
        assert ann.item == first
        assert ann.label("Enter") == first  # as it is
        ann.type("u", "Enter", "u", "Enter")
        ann.page.reload()
        ann.ready().sent()
        assert ann.item == third
    assert {str(item): label for item, label in study.labels.items()} == {first: "fox", second: "dog"}
    assert [event.label for event in study.events if isinstance(event, Corrected)] == ["fox"]


def test_items_are_skipped_with_a_reason_or_without(opened: Any, service: Service) -> None:
    study = service.made("skips", pool_of(ANIMALS))
    with at(opened, service, "skips") as ann:
        ann.type("s", "Enter", "Escape")
        kept = ann.item
        ann.type("s", "Enter")
        ann.type("blurred, <b>all</b> of it")
        assert ann.label("Enter") == kept
        ann.type("s", "Enter")
        listed = ann.label("2")
        ann.type("s", "Enter")
        silent = ann.label("Enter")
        labelled = ann.label("1")
        ann.type("u", "Enter")
        ann.type("s", "Enter")
        assert ann.label("4") == labelled
        ann.sent()
    assert {str(item): reason for item, reason in study.skipped.items()} == {
        kept: "blurred, <b>all</b> of it", listed: "several classes fit", silent: None, labelled: "I cannot tell",
    }  # fmt: skip
    assert study.labels == {}


def test_a_class_found_by_typing_is_the_one_the_terminal_finds(opened: Any, service: Service) -> None:
    names = (
        "lost_card", "lost_or_stolen_phone", "card_lost", "Card arrival", "401k", "pin", "pin_blocked", "Größe", "名前",
    )  # fmt: skip
    service.made("finds", pool_of(names))
    with at(opened, service, "finds") as ann:
        for typed in (
            "lost",
            "phone lost",
            "pin",
            "card",
            "PIN b",
            "arr",
            "4",
            "grö",
            "名",
            "lst_card",
            "ost",
            "zzz",
            "l",
        ):
            ann.page.fill("#typed", typed)
            shown = [text.strip() for text in ann.page.locator("#classes li:not(.command) .name").all_inner_texts()]
            found, fit = find_classes(typed, names)
            marked = ann.page.locator("#classes [aria-selected=true]").count()
            if fit == "near":
                assert marked == 0  # a guess at a slip is nobody's answer
                assert set(found) <= {*shown, *found[1:]}
            else:
                assert shown[: len(found)] == found
                assert marked == 1


def test_numbers_on_the_screen_are_keys_and_others_are_typed(opened: Any, service: Service) -> None:
    study = service.made("digits", pool_of([str(i) for i in range(12)]))
    with at(opened, service, "digits") as ann:
        assert ann.page.locator("#classes kbd:not(:empty)").all_inner_texts() == [
            "0",
            "2",
            "3",
            "4",
            "5",
            "6",
            "7",
            "8",
            "9",
        ]
        seven = ann.label("7")
        ann.type("1")
        one = ann.label("Enter")  # there are 10 and 11 too
        ann.type("11")
        eleven = ann.label("Enter")
        ann.sent()
    assert {str(item): label for item, label in study.labels.items()} == {seven: "7", one: "1", eleven: "11"}


def test_digits_of_a_name_are_typed_and_not_taken_for_keys(opened: Any, service: Service) -> None:
    """Among many classes a digit that stands in a name is part of what is typed, or three labels would be wrong."""
    study = service.made("in-names", pool_of([*(f"class_{i:03d}" for i in range(40)), "plain"]))
    with at(opened, service, "in-names") as ann:
        first = ann.item
        ann.type("23")
        assert ann.item == first
        assert ann.page.locator("#classes li").all_inner_texts() == ["1\nclass_023"]
        typed = ann.label("Enter")
        ann.type("class 0")
        assert ann.page.locator("#classes kbd:not(:empty)").all_inner_texts() == ["4", "5", "6", "7", "8", "9"]
        ann.type("12")
        narrowed = ann.label("Enter")
        ann.type("pla")
        numbered = ann.label("1")
        ann.sent()
    assert {str(item): label for item, label in study.labels.items()} == {
        typed: "class_023", narrowed: "class_012", numbered: "plain",
    }  # fmt: skip


def test_a_pool_of_one_positive_class_has_the_terminals_keys(opened: Any, service: Service) -> None:
    pool = fl.Pool.from_arrays(positive_score=[i / 50 for i in range(50)], positive="fraud")
    study = service.made("binary", pool)
    with at(opened, service, "binary") as ann:
        yes, no = ann.label("1"), ann.label("0")
        ann.sent()
    assert {str(item): label for item, label in study.labels.items()} == {yes: "fraud", no: "not fraud"}


def test_a_class_called_like_a_command_wins_and_a_colon_makes_the_command(opened: Any, service: Service) -> None:
    study = service.made("letters", pool_of(["s", "u", "other"]))
    with at(opened, service, "letters") as ann:
        ann.type("s")
        labelled = ann.label("Enter")
        ann.type(":s", "Enter")
        skipped = ann.label("1")
        ann.sent()
    assert {str(item): label for item, label in study.labels.items()} == {labelled: "s"}
    assert [str(item) for item in study.skipped] == [skipped]


def test_a_thousand_classes_are_a_few_keys_away(opened: Any, service: Service) -> None:
    study = service.made("thousand", pool_of(1000, items=1500))
    with at(opened, service, "thousand") as ann:
        assert ann.page.locator("#classes li").count() == 1000
        ann.type("0734")
        assert ann.page.locator("#classes li").count() == 1
        typed = ann.label("Enter")
        ann.press("ArrowUp")
        last = ann.label("Enter")
        ann.press("PageDown", "PageDown")
        option = ann.page.locator("#classes [aria-selected=true]")
        assert option.inner_text().strip() == "class_0019"
        box, around = option.bounding_box(), ann.page.locator("#classes").bounding_box()
        assert around["y"] <= box["y"] <= around["y"] + around["height"] - box["height"]
        twentieth = ann.label("Enter")
        ann.sent()
    assert {str(item): label for item, label in study.labels.items()} == {
        typed: "class_0734", last: "class_0999", twentieth: "class_0019",
    }  # fmt: skip


@pytest.mark.parametrize("names", [("ann", "ben"), ("ann", "ann")])
def test_two_browsers_at_once_never_get_one_item(opened: Any, service: Service, names: tuple[str, str]) -> None:
    name = "-".join(names)
    study = service.made(name, pool_of(ANIMALS))
    with somebody(opened, service.link(name, names[0])) as one, somebody(opened, service.link(name, names[1])) as other:
        seen = [person.label(key) for key in "123" * 2 for person in (one, other)]
        shown = [*seen, one.item, other.item]
        assert len(set(shown)) == len(shown)
        for person in (one.sent(), other.sent()):
            assert person.heard == []
    assert told(study) == Counter(seen)
    assert {event.by for event in study.events if isinstance(event, Told)} == set(names)


def test_on_a_phone_classes_are_touched(opened: Any, service: Service) -> None:
    study = service.made("phone", pool_of(ANIMALS))
    with at(opened, service, "phone", viewport={"width": 390, "height": 760}, has_touch=True, is_mobile=True) as ann:
        assert ann.page.evaluate("document.activeElement === document.body")  # else its keyboard would hide the item
        first = ann.item
        ann.page.locator("#classes li", has_text="fox").tap()
        ann.page.wait_for_function("first => document.getElementById('item').dataset.item !== first", arg=first)
        second = ann.item
        ann.page.get_by_role("button", name="Skip").tap()
        ann.page.get_by_role("button", name="no class fits").tap()
        ann.page.get_by_role("button", name="Undo").tap()
        assert ann.item == second
        ann.page.locator("#classes li", has_text="cat").tap()
        ann.sent()
        assert ann.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert {str(item): label for item, label in study.labels.items()} == {first: "fox", second: "cat"}


def test_what_a_phones_keyboard_leaves_of_the_window_is_the_page(opened: Any, service: Service) -> None:
    """Where the keyboard lies over the window, the window says so; classes that were found are still to be seen."""
    service.made("keyboard", pool_of(1000))
    with at(opened, service, "keyboard", viewport={"width": 390, "height": 760}, has_touch=True, is_mobile=True) as ann:
        ann.page.locator("#typed").tap()
        ann.type("0734")
        ann.page.evaluate(
            "() => { Object.defineProperty(visualViewport, 'height', { value: 400 });"
            " visualViewport.dispatchEvent(new Event('resize')); }"
        )
        box = ann.page.locator("#classes li", has_text="class_0734").bounding_box()
        assert box["y"] + box["height"] <= 400


def test_the_end_of_the_budget_is_said_and_what_is_held_given_back(opened: Any, service: Service) -> None:
    study = service.made("ends", pool_of(ANIMALS), budget=4)
    with at(opened, service, "ends") as ann:
        for _ in range(4):
            ann.label("1")
        ann.ready("done").sent()
        assert "budget of 4 labels is spent" in ann.page.inner_text("#done-reason")
        ann.page.get_by_role("button", name="Undo").click()
        ann.ready().label("2")
        ann.ready("done").sent()
        study.change(budget=6)
        ann.page.get_by_role("button", name="Look again").click()
        ann.ready()
        ann.type("q", "Enter")
        ann.ready("stopped")
    assert sorted(study.labels.values()) == ["cat", "cat", "cat", "dog"]


def test_the_guess_is_hidden_unless_the_owner_shows_it(opened: Any, service: Service, tmp_path: Any) -> None:
    from services.page_service import serving

    service.made("hidden", pool_of(ANIMALS))
    with at(opened, service, "hidden") as ann:
        assert "The model says" not in ann.page.content()
        ann.type("=")
        assert ann.page.locator("#classes .command").count() == 0
    with serving(tmp_path, show_guess=True) as open_one:
        study = open_one.made("shown", pool_of(ANIMALS))
        with at(opened, open_one, "shown") as ann:
            guess = ann.page.inner_text("#guess").removeprefix("The model says ").split(";")[0]
            ann.type("=")
            ann.label("Enter")
            ann.sent()
    assert list(study.labels.values()) == [guess]


def test_a_screen_reader_is_told_what_there_is(opened: Any, service: Service) -> None:
    service.made("heard", pool_of(ANIMALS), budget=100)
    with at(opened, service, "heard") as ann:
        box = ann.page.get_by_role("combobox", name="Which class is it?")
        assert box.evaluate("e => e === document.activeElement")
        ann.press("ArrowDown")
        marked = box.get_attribute("aria-activedescendant")
        assert ann.page.locator(f"[id='{marked}'][role=option][aria-selected=true]").count() == 1
        assert ann.page.get_by_role("region", name="Item to label").get_attribute("aria-live") == "polite"
        ann.label("Enter")
        assert ann.page.locator("[role=status]", has_text="✓ cat").count() == 1
        assert ann.page.get_by_role("progressbar", name="Progress to the goal").count() == 1
        nameless = (
            "es => es.filter(e => !e.textContent.trim() && !e.labels?.length && !e.ariaLabel).map(e => e.outerHTML)"
        )
        assert ann.page.locator("button, input").evaluate_all(nameless) == []
        ann.type("s", "Enter")
        assert ann.page.get_by_role("dialog", name="Why skip it?").is_visible()
        ann.press("Escape")
        assert box.evaluate("e => e === document.activeElement")


def test_the_order_of_the_focus_is_that_of_the_page_and_nothing_holds_it(opened: Any, service: Service) -> None:
    service.made("tabs", pool_of(ANIMALS))
    with at(opened, service, "tabs") as ann:
        ann.label("1")
        ann.sent()
        ann.press("Tab")  # out of the page, at its end
        order = []
        named = (
            "() => { const e = document.activeElement; return e.labels?.[0]?.innerText || e.ariaLabel || e.innerText; }"
        )
        for _ in range(7):
            ann.press("Tab")
            order.append(ann.page.evaluate(named).split("\n")[0].strip())
        tabs = ["tabs", "Undo u", "Skip s", "Keys ?", "Stop q", "Item to label", "Which class is it?"]
        assert order == tabs
        ann.press("Shift+Tab")
        assert ann.page.evaluate(named) == "Item to label"
        ann.type("fox")  # whoever types means the box
        assert ann.page.get_by_role("combobox").input_value() == "fox"
        ann.press("Shift+Tab", "Shift+Tab")
        assert ann.page.evaluate(named).startswith("Stop")
        ann.press("Enter")
        ann.ready("stopped")
        assert ann.page.evaluate(named) == "Stopped"  # the focus is where a screen reader reads on
        assert ann.page.get_by_role("heading", name="Stopped", level=1).is_visible()
