"""Somebody at the labelling page, in a browser of their own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from services.page_service import Service


class AtThePage:
    """Acts as a person would, and waits for what a person would see."""

    def __init__(self, context: Any) -> None:
        self.context, self.page = context, context.new_page()
        self.heard: list[str] = []  # what the page says to the console, and errors
        self.page.on("console", lambda message: self.heard.append(message.text))
        self.page.on("pageerror", lambda error: self.heard.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.heard.append(dialog.message), dialog.dismiss()))

    def open(self, address: str) -> "AtThePage":
        self.page.goto(address)
        return self.ready()

    def ready(self, state: str = "item") -> "AtThePage":
        """Wait until the page shows an item, or whatever else."""
        self.page.wait_for_selector(f"body[data-state='{state}']")
        return self

    @property
    def state(self) -> str:
        return str(self.page.get_attribute("body", "data-state"))

    @property
    def item(self) -> str:
        """The item that is shown."""
        return str(self.page.get_attribute("#item", "data-item"))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str, *keys: str) -> None:
        """What is typed goes wherever the focus is."""
        self.page.keyboard.type(text)
        self.press(*keys)

    def say(self, *keys: str) -> str:
        """Press keys that label the item shown; which one it was, once the page has taken it."""
        before = self.item
        self.press(*keys)
        other = "before => document.getElementById('item').dataset.item !== before"
        self.page.wait_for_function(f"{other} || document.body.dataset.state !== 'item'", arg=before)
        return before

    def label(self, *keys: str) -> str:
        """The same, once the next item is there."""
        before = self.say(*keys)
        self.page.wait_for_selector("body:not([data-state='waiting'])")
        return before

    def sent(self) -> "AtThePage":
        """Wait until everything that was said has arrived."""
        self.page.wait_for_selector("body[data-waiting='0']")
        return self


@contextmanager
def somebody(opened: Any, address: str = "", **context: Any) -> Iterator[AtThePage]:
    """A person with a browser; given an address, at an item."""
    made = opened.new_context(**{"viewport": {"width": 1280, "height": 800}, **context})
    made.set_default_timeout(120_000)  # a guard: states are waited for, however slow the machine
    person = AtThePage(made)
    if address:
        person.open(address)
    yield person
    made.close()


@contextmanager
def at(opened: Any, service: Service, name: str, **context: Any) -> Iterator[AtThePage]:
    """The owner at the page of a study."""
    with somebody(opened, service.page(name), **context) as person:
        yield person
        assert person.heard == []
