"""Where a study is: a file, or a name in a storage."""

import os
import re
import shlex
from pathlib import Path

import fewlabels as fl
from fewlabels.cli.errors import WrongUse
from fewlabels.storages import SQLITE, file_of, open_storage
from fewlabels.study.creation import study_names
from fewlabels.tables.parquet_table import is_several

_SUFFIXES = (".db", ".sqlite", ".sqlite3")


def find_study(study: str, storage: str | None = None, name: str | None = None) -> fl.Study:
    """The study that STUDY, --storage and --name point at; two places, or two names, are refused."""
    typed = None if storage == os.environ.get("FEWLABELS_STORAGE") else storage
    if is_address(study):
        if typed is not None and typed != study:
            raise WrongUse(f"STUDY {study} and --storage {typed} are two places; name one of them.")
        storage, study = study, name or ""
    if storage is not None:
        known = names_in(storage)
        if study in known or not _is_file(study):
            if name is not None and study not in ("", name):
                raise WrongUse(f"with --storage STUDY is the study's name ({study!r}); leave --name {name!r} out.")
            return fl.load_study(_pick(study or None, known, storage), storage=storage)
    if typed is not None:
        raise WrongUse(f"the file {study!r} and --storage {typed} are two places; name one of them.")
    address = SQLITE + study
    return fl.load_study(_pick(name, names_in(address), study), storage=address)


def names_in(storage: str) -> list[str]:
    """The studies of a storage; a file that is not there is an error, and is not created."""
    if storage.startswith(SQLITE):
        file = file_of(storage)
        try:
            file.stat()
        except (FileNotFoundError, NotADirectoryError) as error:
            others = sorted(f.name for s in _SUFFIXES for f in file.parent.glob(f"*{s}"))
            there = f"; there is {', '.join(others[:5])}" if others else ""
            raise WrongUse(
                f"no study file {str(file)!r}{there}. STUDY is a file such as march.db, or a name with --storage; "
                "'fewlabels new' makes one."
            ) from error
        except OSError:
            pass  # the storage says what is wrong with it
    return list(study_names(storage))


def new_place(predictions: str, study: str | None, storage: str | None, name: str | None) -> tuple[str, str, str]:
    """Storage, name, and how later commands call it, of a study about to be created."""
    if study is None and storage is not None:
        name = name or _called(predictions)
        return storage, name, shlex.join([name, "--storage", storage])
    file = study or f"{_called(predictions)}.db"
    if is_address(file):
        raise WrongUse("--study takes a file such as march.db; a URL goes into --storage.")
    return SQLITE + file, name or Path(file).stem, shlex.quote(file)


def _called(predictions: str) -> str:
    """What a study is called after its predictions: their file, or of a pattern the folder."""
    path = Path(predictions)
    return path.resolve().parent.name if is_several(path) and not path.is_dir() else path.stem


def refuse_taken(storage: str, name: str, call: str) -> None:
    """Raise where a study of this name is there already."""
    if name in open_storage(storage).names():
        raise WrongUse(
            f"a study named {name!r} is there already; go on with it (fewlabels status {call}), or pass another --name."
        )


def call_of(study: fl.Study, study_argument: str, storage: str | None) -> str:
    """How the shell calls this study in a further command."""
    if storage is None or _is_file(study_argument):
        several = not is_address(study_argument) and len(study_names(SQLITE + study_argument)) > 1
        return shlex.join([study_argument, "--name", study.name] if several else [study_argument])
    return shlex.join([study.name, "--storage", storage])


def labelling_call(study: fl.Study, call: str) -> str:
    """The same for who labels: where several label an item they say who they are."""
    return f"{call} --by NAME" if study.settings.labels_per_item > 1 else call


def _pick(name: str | None, known: list[str], place: str) -> str:
    if name is None and len(known) == 1:
        return known[0]
    listed = ", ".join(known) or "none"
    if not known:
        raise WrongUse(f"{place} holds no study; 'fewlabels new' makes one.")
    if name is None:
        raise WrongUse(f"{place} holds {len(known)} studies ({listed}); say which with --name.")
    if name not in known:
        raise WrongUse(f"no study named {name!r} in {place}; there: {listed}.")
    return name


def is_address(text: str) -> bool:
    """Whether it says how studies are kept (sqlite:///march.db), and is not just a file's name."""
    return re.match(r"[a-z][a-z0-9+]*://", text) is not None


def _is_file(study: str) -> bool:
    return os.path.isfile(study) or study.endswith(_SUFFIXES)
