"""Which rules a study follows: those of the version that made it, until `upgrade` moves it to those of today."""

import shlex
from dataclasses import dataclass

from fewlabels.core.events import Changed
from fewlabels.errors import StudyError
from fewlabels.settings import RULES, SCHEMA_VERSION, VERSION_OF_RULES
from fewlabels.storages import SQLITE, Storage, file_of, open_storage, upgrade_storage
from fewlabels.study import clock
from fewlabels.study.study import Study


@dataclass(frozen=True)
class Upgraded:
    """What an upgrade changed."""

    before: int  # the version of the tables
    now: int
    moved: tuple[str, ...]  # studies that follow other rules from here on


def upgrade(address: str) -> Upgraded:
    """Bring the studies of an older version up to date: their tables, and the rules they follow."""
    before, now = upgrade_storage(address)
    place = open_storage(address, must_exist=True)
    return Upgraded(before, now, tuple(name for name in place.names() if _moved(Study(place.load(name), place))))


def check_rules(study: Study, storage: str | Storage | None) -> Study:
    """The study; an error where it follows older rules, with the command that moves it to those of today."""
    rules = study._made.rules
    if rules < RULES:  # it may have been moved since: only then its entries are read
        rules = study.settings.rules
    if rules < RULES:
        in_a_file = isinstance(storage, str) and storage.startswith(SQLITE)
        where = shlex.quote(str(file_of(str(storage)))) if in_a_file else "--storage URL"
        raise StudyError(
            f"study {study.name!r} follows the rules of fewlabels {VERSION_OF_RULES[rules]}, by which items were drawn "
            f"and intervals made in other ways; bring it up to date with: fewlabels upgrade {where} (every label and "
            "every recorded chance stays as it is)."
        )
    return study


def _moved(study: Study) -> bool:
    """Move a study to the rules of today, as an entry of its own; whether it followed older ones."""
    with study._folding.writing() as append:
        if study._agreed.after(study._history.changes).settings.rules >= RULES:
            return False
        append(Changed({"schema": SCHEMA_VERSION, "rules": RULES}, None, clock.now()))
    return True
