"""fewlabels label: the labelling loop in a terminal. Each label is recorded before the next item is shown."""

import difflib
import importlib
import importlib.util
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import typer
from rich.columns import Columns

import fewlabels as fl
from fewlabels.answers import percent
from fewlabels.cli import options as o
from fewlabels.cli.errors import WrongUse, in_shell_words
from fewlabels.cli.place import call_of, find_study
from fewlabels.cli.printing import console, count_of, print_json, say, visible
from fewlabels.cli.tell import shown_text
from fewlabels.core.events import Item, Skipped, Told
from fewlabels.core.typed import match_label
from fewlabels.errors import FewlabelsError, listed

Outcome = Literal["next", "undo", "stop"]
Fit = Literal["beginning", "inside", "near"]  # of words; inside a word; hardly: a guess at a slip
COMMANDS = {"s": "skip", "u": "undo", "=": "the model is right", "?": "all classes", "q": "stop"}
_FEW_CLASSES = 9  # so many are listed under every item
_MOST_CANDIDATES = 12
_PROGRESS_EVERY = 10  # labels between two words about the goal
_GOAL_EVERY = 5  # labels between two looks at the goal, where looking takes longer than _CHEAP
_CHEAP = 0.05  # seconds


class Refused(FewlabelsError):  # noqa: N818 - it is said to a person, not caught by programs
    """An answer that was piped in cannot be taken; those after it may be meant for other items. Exit code 1."""


def label(
    *,
    study: o.StudyArgument,
    by: o.ByOption = None,
    show: Annotated[
        bool, typer.Option("--show-prediction", help="Show what the model says and the group, which may sway you.")
    ] = False,
    past_goal: Annotated[bool, typer.Option("--past-goal", help="Go on when the study's goal is reached.")] = False,
    place: o.PlaceOptions,
) -> None:
    """Label in the terminal: type part of a class's name.

    Answers can be piped in, one a line; the first that cannot be taken ends the sitting.
    """
    found = find_study(study, place.storage, place.name)
    if past_goal and found.settings.until is None:
        raise WrongUse("--past-goal has no meaning here: the study has no goal, and asks on anyway. Leave it out.")
    show = show and not found.settings.question.of_models  # what one of them says would speak for it
    sitting = Sitting(found, by, show, stderr=place.as_json, past_goal=past_goal)
    refused = None
    try:
        sitting.run()
    except Refused as error:
        refused = error
    if place.as_json:
        print_json(
            {
                "study": found.name,
                "told": sitting.told,
                "skipped": sitting.skipped,
                "corrected": sitting.corrected,
                "refused": None if refused is None else str(refused),
                "done": found.done,
                "progress": str(found.progress),
            }
        )
    else:
        say()
        say(f"{count_of(sitting.told, 'label')} recorded in this sitting; {found.progress}", "bold")
        say(f"What is known now: fewlabels answer {call_of(found, study, place.storage)}", "dim")
    if refused is not None:
        raise refused


@dataclass
class Sitting:
    """One sitting of one labeller."""

    study: fl.Study
    by: str | None = None
    show: bool = False  # what the model says, and the group
    stderr: bool = False  # where the conversation goes
    past_goal: bool = False
    told: int = 0
    skipped: int = 0
    corrected: int = 0
    _past: list[fl.Query] = field(default_factory=list)  # told or skipped in this sitting, newest last
    _listed: dict[str, str] = field(default_factory=dict)  # what the numbers on the screen mean
    _looked: tuple[int, float] | None = None  # labels at the last look at the goal, and the seconds it took

    def run(self) -> None:
        """Ask until the labeller, the goal, the budget or the pool is done."""
        self._say(f"Study '{self.study.name}': {self.study.settings.question.describe()}", "bold")
        self._say("Type part of a class's name. " + self._help(), "dim")
        complete_names(self.study.classes)
        while True:
            if self._reached():
                self._say("The goal is reached, so nothing more is asked; --past-goal goes on.", "cyan")
                return
            waiting = self._waiting()
            if not waiting:
                self._say("There is nothing more to ask.")
                return
            outcome = self._one(waiting[0], self._tell)
            while outcome == "undo":
                outcome = self._undo()
            if outcome == "stop":
                return

    def _waiting(self) -> list[fl.Query]:
        """What is to be labelled now: nothing that another labeller has at this moment."""
        if self.by is not None:
            return self.study.leased_to(self.by) or self.study.ask(1, by=self.by)
        return self.study.unleased or self.study.ask(1)

    def _reached(self) -> bool:
        """Whether the goal is reached; looked at after every label where that is cheap, else after every few."""
        if self.study.settings.until is None or self.past_goal:
            return False
        done = self.told + self.corrected
        if self._looked is not None:
            since = done - self._looked[0]
            if since == 0 or (since < _GOAL_EVERY and self._looked[1] > _CHEAP):
                return False
        started = time.monotonic()
        reached = self.study.done
        self._looked = (done, time.monotonic() - started)
        return reached

    def _one(self, query: fl.Query, write: Callable[[fl.Query, str], None]) -> Outcome:
        """Show one item and act on what is typed, until it is dealt with."""
        self._show(query)
        while (typed := self._read("> ")) is not None:
            command = self._command(typed)
            if command == "q":
                return "stop"
            if command == "u":
                return "undo"
            try:
                if command == "s":
                    if self._skip(query):
                        return "next"
                    continue
                accepts = command == "=" and not self.study.settings.question.of_models
                name = query.predicted if accepts else None if command == "?" else self._choose(query, typed)
                if name is not None:
                    write(query, name)
                    return "next"
            except fl.LabelError as error:
                self._refuse(query, typed, in_shell_words(str(error)), "red")
                if query.item not in {q.item for q in self.study.open_queries} and write == self._tell:
                    return "next"  # somebody else dealt with it
            if command == "?":
                self._list(self.study.classes)
        return "stop"

    def _tell(self, query: fl.Query, name: str) -> None:
        self.study.tell(query, name, by=self.by)
        self.told += 1
        self._past.append(query)
        self._say(f"✓ {name}", "green")
        if self.told % _PROGRESS_EVERY == 0:
            self._say(str(self.study.progress), "cyan")

    def _correct(self, query: fl.Query, name: str) -> None:
        before = self._now(query)
        if name != before:
            self._replace(query, name)
            self.corrected += 1
        self._past.append(query)
        self._say(f"✓ {name} (was {before or 'skipped'})" if name != before else f"✓ still {name}", "green")

    def _replace(self, query: fl.Query, name: str) -> None:
        """Another label in place of one's own; where an item wants those of several people, theirs stay."""
        if query.labels == 1 or query.item in self.study.skipped:
            self.study.correct(query, name, by=self.by)
            return
        with self.study.together():
            self.study.withdraw(query, by=self.by)
            self.study.tell(query, name, by=self.by)

    def _now(self, query: fl.Query) -> str | None:
        """The label that this labeller gave an item, or that it has."""
        if query.labels > 1:
            return self.study.opinions.get(query.item, {}).get(str(self.by))
        return self.study.labels.get(query.item)

    def _skip(self, query: fl.Query) -> bool:
        """Whether it was skipped; leaving the question for a reason takes the skip back."""
        reason = self._read("why? (Enter for no reason) ")
        if reason is None:
            self._say("not skipped", "yellow")
            return False
        if self._now(query) is not None or query.item in self.study.skipped:
            self.study.withdraw(query, by=self.by)
        self.study.skip(query, reason.strip() or None, by=self.by)
        self.skipped += 1
        self._past.append(query)
        self._say("skipped", "yellow")
        return True

    def _undo(self) -> Outcome:
        """Ask for the last item again, in this sitting or one before; its label stands until another is given."""
        if not self._past and self.by is not None:
            self._past = self._before()
        if not self._past:
            also = "" if self.by is not None else "; with --by it would be known what you did before"
            self._say(f"There is nothing to undo in this sitting{also}.", "yellow")
            return "next"
        return self._one(self._past.pop(), self._correct)

    def _before(self) -> list[fl.Query]:
        """What this labeller told or skipped in other sittings and still stands, newest last."""
        events, queries = self.study.events, dict[Item, fl.Query]()
        labels, several, skipped = self.study.labels, self.study.opinions, self.study.skipped
        asked = {event.item: event for event in reversed(events) if isinstance(event, fl.Query)}
        for event in events:
            if isinstance(event, Told | Skipped) and event.by == self.by and event.item in asked:
                queries.pop(event.item, None)
                queries[event.item] = asked[event.item]
        return [
            query
            for item, query in queries.items()
            if item in skipped or (item in labels if query.labels == 1 else self.by in several.get(item, {}))
        ]

    def _choose(self, query: fl.Query, typed: str) -> str | None:
        """The class meant; None, with a list to choose from, where that is not clear."""
        word, classes = typed.strip(), self.study.classes
        meant = match_label(word, classes, self.study.positive) or self._listed.get(word)
        if meant is not None:
            return meant
        if is_number(word):
            numbers = sorted(int(key[1:]) for key in self._listed if key.startswith("#"))
            shown = [f"{self._sign}{number}" for number in numbers]
            on_screen = f"The numbers on the screen are {listed(shown)}; ? lists all." if shown else ""
            self._refuse(query, word, on_screen or "No list is shown; type ? first.")
            return None
        found, fit = find_classes(word, classes)
        if len(found) == 1 and fit == "beginning":
            return found[0]
        if not found:
            self._refuse(query, word, f"No class is like {word!r}; ? lists all." if word else self._help())
            return None
        self._list(found[:5] if fit == "near" else found, "" if fit == "beginning" else "Did you mean: ")
        self._refuse(query, word, "" if at_terminal() else f"It could mean {listed(found, 5)}; write the whole name.")
        return None

    def _refuse(self, query: fl.Query, entry: str, why: str, style: str = "yellow") -> None:
        """Say why an answer is not taken; where answers are piped in, end: the next may be meant for another item."""
        if not at_terminal():
            before = f"{count_of(self.told, 'label')} before it {'is' if self.told == 1 else 'are'} recorded"
            raise Refused(
                f"item {query.item!r} was answered {entry!r}, which is not taken: {why} Stopped here; {before}."
            )
        if why:
            self._say(why, style)

    @property
    def _sign(self) -> str:
        """What stands before the numbers of a list, where classes are called by numbers themselves."""
        return "#" if any(name.isdecimal() for name in self.study.classes) else ""

    def _list(self, names: Sequence[str], before: str = "") -> None:
        """Show classes with numbers, each the same in every list: its place among all, or 0 and 1 in a pool of one
        positive class. Only numbers on the screen are taken."""
        classes, positive = self.study.classes, self.study.positive
        shown = names if names is classes else names[:_MOST_CANDIDATES]
        binary = positive is not None and len(classes) == 2
        numbers = [int(name == positive) if binary else classes.index(name) + 1 for name in shown]
        pairs = list(zip(numbers, shown, strict=True))
        self._listed = {f"{sign}{number}": name for sign in {self._sign, "#"} for number, name in pairs}
        cells = [f"{self._sign}{number} {name}" for number, name in pairs]
        if len(shown) > _MOST_CANDIDATES:
            to = console(stderr=self.stderr)
            to.print(Columns([visible(c, to.encoding) for c in cells], padding=(0, 3), column_first=True))
            return
        more = [f"… and {len(names) - len(shown)} more"] if len(names) > len(shown) else []
        self._say(before + "   ".join(cells + more))

    def _show(self, query: fl.Query) -> None:
        self._say()
        self._say(f"[{self._where(query)}] {shown_text(query) or query.item}", "bold")
        if self.show:
            group = f"; group {query.group}" if self.study.settings.question.by else ""
            self._say(f"the model says {query.predicted} ({percent(query.score)}){group}", "dim")
        self._listed = {}
        if len(self.study.classes) <= _FEW_CLASSES:
            self._list(self.study.classes)

    def _where(self, query: fl.Query) -> str:
        labels, several, budget = self.study.labels, self.study.opinions, self.study.settings.budget
        now = self._now(query)
        if now is not None or all(query.item != waiting.item for waiting in self.study.open_queries):
            return f"again; now {now or 'skipped'}"
        given = sum(map(len, several.values())) + sum(item not in several for item in labels)
        return f"{given + 1:,}" + (f" of {budget:,}" if budget is not None else "")

    def _command(self, typed: str) -> str | None:
        """The command typed; a class of that very name wins, and then a colon makes the command: ':q'."""
        word = typed.strip()
        if word.startswith(":") and word[1:] in COMMANDS and (self.show or word != ":="):
            return word[1:]
        if word == "=" and not self.show:
            return None
        return word if word in COMMANDS and word not in self.study.classes else None

    def _help(self) -> str:
        words = [f"{':' if key in self.study.classes else ''}{key} {what}" for key, what in COMMANDS.items()]
        return " · ".join(word for word in words if self.show or not word.lstrip(":").startswith("="))

    def _read(self, prompt: str) -> str | None:
        """A line from the labeller; None at the end of input or on Ctrl-C."""
        try:
            if self.stderr:
                sys.stderr.write(prompt)
                sys.stderr.flush()
            line = input("" if self.stderr else prompt)
        except (EOFError, KeyboardInterrupt):
            self._say()
            return None
        if not at_terminal():
            self._say(line)
        return line

    def _say(self, text: str = "", style: str = "") -> None:
        say(text, style, stderr=self.stderr)


def at_terminal() -> bool:
    """Whether what is read is typed, not piped in."""
    return sys.stdin.isatty()


def complete_names(names: Sequence[str]) -> None:
    """Let the Tab key complete class names, where the terminal can."""
    if not sys.stdin.isatty() or importlib.util.find_spec("readline") is None:
        return
    readline: Any = importlib.import_module("readline")

    def complete(typed: str, state: int) -> str | None:
        fitting = [name for name in names if name.casefold().startswith(typed.casefold())]
        return fitting[state] if state < len(fitting) else None

    readline.set_completer(complete)
    readline.set_completer_delims("")
    readline.parse_and_bind("tab: complete")


def find_classes(typed: str, classes: Sequence[str]) -> tuple[list[str], Fit]:
    """The classes meant, likeliest first, and how they fit; only one found by the beginning of its words is sure.

    A name itself wins over names that begin so, these over names whose words begin so, these over names that merely
    contain it.

    >>> find_classes("phone lost", ["lost_card", "lost_or_stolen_phone"])
    (['lost_or_stolen_phone'], 'beginning')
    """
    if typed in classes:
        return [typed], "beginning"
    wanted = _normal(typed)
    if not wanted:
        return [], "beginning"
    tests: list[tuple[Fit, Callable[[str], bool]]] = [
        ("beginning", lambda name: name == wanted),
        ("beginning", lambda name: name.startswith(wanted)),
        ("beginning", lambda name: all(any(w.startswith(part) for w in name.split()) for part in wanted.split())),
        ("inside", lambda name: wanted in name),
    ]
    for fit, test in tests:
        if found := [name for name in classes if test(_normal(name))]:
            return found, fit
    names: dict[str, str] = {}
    for name in classes:
        names.setdefault(_normal(name), name)
    return [names[near] for near in difflib.get_close_matches(wanted, names, n=5, cutoff=0.5)], "near"


def is_number(typed: str) -> bool:
    """Whether this is a number and signs only, and so no part of a name: '1', '#4', '2.'.

    >>> is_number("#4"), is_number("401k")
    (True, False)
    """
    return re.fullmatch(r"[\W\d_]*\d[\W\d_]*", typed) is not None


def _normal(name: str) -> str:
    return " ".join(re.split(r"[\W_]+", name.casefold())).strip() or name.casefold().strip()
