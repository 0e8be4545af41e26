"""fewlabels label: the labelling loop in a terminal. Each label is recorded before the next item is shown."""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import typer
from rich.columns import Columns

import fewlabels as fl
from fewlabels.cli import options as o
from fewlabels.cli.matching import find_classes
from fewlabels.cli.place import call_of, find_study
from fewlabels.cli.printing import console, count_of, print_json, say
from fewlabels.cli.tell import shown_text

Outcome = Literal["next", "undo", "stop"]
COMMANDS = {"s": "skip", "u": "undo", "=": "the model is right", "?": "all classes", "q": "stop"}
_FEW_CLASSES = 9  # so many are listed under every item
_MOST_CANDIDATES = 12
_PROGRESS_EVERY = 10  # labels between two looks at the goal


def label(
    study: o.StudyArgument,
    by: o.ByOption = None,
    hide: Annotated[bool, typer.Option("--hide-prediction", help="Do not show what the model says.")] = False,
    storage: o.StorageOption = None,
    name: o.NameOption = None,
    as_json: o.JsonOption = False,
) -> None:
    """Label in the terminal: type part of a class's name."""
    found = find_study(study, storage, name)
    sitting = Sitting(found, by, hide, stderr=as_json)
    sitting.run()
    if as_json:
        told = {"told": sitting.told, "skipped": sitting.skipped, "corrected": sitting.corrected}
        print_json({"study": found.name, **told, "done": found.done, "progress": str(found.progress)})
    else:
        say()
        say(f"{count_of(sitting.told, 'label')} recorded in this sitting; {found.progress}", "bold")
        say(f"What is known now: fewlabels answer {call_of(found, study, storage)}", "dim")


@dataclass
class Sitting:
    """One sitting of one labeller."""

    study: fl.Study
    by: str | None = None
    hide: bool = False
    stderr: bool = False  # where the conversation goes
    told: int = 0
    skipped: int = 0
    corrected: int = 0
    _past: list[fl.Query] = field(default_factory=list)  # told or skipped in this sitting, newest last
    _listed: Sequence[str] = ()  # the classes that numbers mean
    _goal_said: bool = False

    def run(self) -> None:
        """Ask until the labeller, the budget or the pool is done."""
        self._say(f"Study '{self.study.name}': {self.study.settings.question.describe()}", "bold")
        self._say("Type part of a class's name. " + self._help(), "dim")
        complete_names(self.study.classes)
        while (query := self._next()) is not None:
            outcome = self._one(query, self._tell)
            while outcome == "undo":
                outcome = self._undo()
            if outcome == "stop":
                return
        self._say("There is nothing more to ask.")

    def _next(self) -> fl.Query | None:
        waiting = self.study.open_queries or self.study.ask(1)
        return waiting[0] if waiting else None

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
                    self._skip(query)
                    return "next"
                name = query.predicted if command == "=" else None if command == "?" else self._choose(typed)
                if name is not None:
                    write(query, name)
                    return "next"
            except fl.LabelError as error:
                self._say(str(error), "red")
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
        if self.told % _PROGRESS_EVERY == 0 and not self._goal_said:
            progress = self.study.progress
            self._goal_said = progress.done
            self._say(f"{progress}{' Go on as you like; q stops.' if progress.done else ''}", "cyan")

    def _correct(self, query: fl.Query, name: str) -> None:
        before = self.study.labels.get(query.item)
        if name != before:
            self.study.correct(query, name, by=self.by)
            self.corrected += 1
        self._past.append(query)
        self._say(f"✓ {name} (was {before or 'skipped'})" if name != before else f"✓ still {name}", "green")

    def _skip(self, query: fl.Query) -> None:
        reason = self._read("why? (Enter for no reason) ")
        self.study.skip(query, reason.strip() or None if reason else None, by=self.by)
        self.skipped += 1
        self._past.append(query)
        self._say("skipped", "yellow")

    def _undo(self) -> Outcome:
        """Ask for the last item again; its label stands until another is given."""
        if not self._past:
            self._say("There is nothing to undo in this sitting.", "yellow")
            return "next"
        query = self._past.pop()
        return self._one(query, self._correct)

    def _choose(self, typed: str) -> str | None:
        """The class meant; None, with a list to choose from, where that is not clear."""
        number = typed.strip().removeprefix("#")
        plain_number = typed.strip() not in self.study.classes
        if number.isdecimal() and plain_number and 1 <= int(number) <= len(self._listed):
            return self._listed[int(number) - 1]
        found, literal = find_classes(typed.strip(), self.study.classes)
        if len(found) == 1 and literal:
            return found[0]
        if not found:
            self._say(f"No class is like {typed.strip()!r}; ? lists all." if typed.strip() else self._help(), "yellow")
        else:
            self._list(found if literal else found[:5], "" if literal else "Did you mean: ")
        return None

    def _list(self, names: Sequence[str], before: str = "") -> None:
        self._listed = names
        shown = names if names is self.study.classes else names[:_MOST_CANDIDATES]
        sign = "#" if any(name.isdecimal() for name in self.study.classes) else ""
        cells = [f"{sign}{i} {name}" for i, name in enumerate(shown, start=1)]
        if len(shown) > _MOST_CANDIDATES:
            console(stderr=self.stderr).print(Columns(cells, padding=(0, 3), column_first=True))
            return
        more = [f"… and {len(names) - len(shown)} more"] if len(names) > len(shown) else []
        self._say(before + "   ".join(cells + more))

    def _show(self, query: fl.Query) -> None:
        self._say()
        self._say(f"[{self._where(query)}] {shown_text(query) or query.item}", "bold")
        if not self.hide:
            self._say(f"the model says {query.predicted} ({query.score:.0%})", "dim")
        self._listed = ()
        if len(self.study.classes) <= _FEW_CLASSES:
            self._list(self.study.classes)

    def _where(self, query: fl.Query) -> str:
        labels, budget = self.study.labels, self.study.settings.budget
        if all(query.item != waiting.item for waiting in self.study.open_queries):
            return f"again; now {labels.get(query.item, 'skipped')}"
        return f"{len(labels) + 1:,}" + (f" of {budget:,}" if budget is not None else "")

    def _command(self, typed: str) -> str | None:
        """The command typed; a class of that very name wins, and then a colon makes the command: ':q'."""
        word = typed.strip()
        if word.startswith(":") and word[1:] in COMMANDS:
            return word[1:]
        return word if word in COMMANDS and word not in self.study.classes else None

    def _help(self) -> str:
        words = [f"{':' if key in self.study.classes else ''}{key} {what}" for key, what in COMMANDS.items()]
        return " · ".join(word for word in words if not (self.hide and word.startswith("=")))

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
        if not sys.stdin.isatty():
            self._say(line)
        return line

    def _say(self, text: str = "", style: str = "") -> None:
        say(text, style, stderr=self.stderr)


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
