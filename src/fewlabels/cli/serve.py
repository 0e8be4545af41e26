"""fewlabels serve: labels given in a browser."""

from pathlib import Path
from typing import Annotated

import typer

from fewlabels.cli import options as o
from fewlabels.cli.errors import WrongUse
from fewlabels.cli.place import is_address, names_in
from fewlabels.cli.printing import say
from fewlabels.errors import MissingExtraError
from fewlabels.storages import SQLITE


def serve(
    *,
    study: Annotated[
        str | None, typer.Argument(metavar="[STUDY]", help="A study's file (march.db), or its name with --storage.")
    ] = None,
    storage: o.StorageOption = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on; others than this need --token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes one that is free.")] = 8000,
    token: Annotated[
        str | None, typer.Option("--token", envvar="FEWLABELS_TOKEN", help="The owner's; links are signed with it.")
    ] = None,
    pools: Annotated[
        Path | None, typer.Option("--pools", metavar="DIR", help="New studies are made from files in this folder.")
    ] = None,
    show_guess: Annotated[
        bool, typer.Option("--show-guess", help="Labellers see what the model says and the group, which may sway them.")
    ] = False,
) -> None:
    """Label in the browser: serves every study of a file or storage until it is stopped."""
    try:
        from fewlabels.service.run import run  # noqa: PLC0415 - the extra is needed by this command alone
        from fewlabels.service.settings import ServiceSettings  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(
            f"serving needs a package more ({error.name}): pip install 'fewlabels[serve]'."
        ) from error
    address, name = _place(study, storage)
    settings = ServiceSettings(address, host, port, token, pools, show_guess)
    known = names_in(address) if study is not None or pools is None else []
    if name is not None and name not in known:
        raise WrongUse(f"no study named {name!r} in {address}; there: {', '.join(known) or 'none'}.")
    if pools is not None and not pools.is_dir():
        raise WrongUse(f"--pools {pools} is no folder; name the one in which files of predictions are.")
    only = name or (known[0] if len(known) == 1 else None)
    run(settings, only, say)


def _place(study: str | None, storage: str | None) -> tuple[str, str | None]:
    """Where the studies are, and which one is meant, if one is."""
    if study is None:
        if storage is None:
            raise WrongUse("say which studies: a file (fewlabels serve march.db) or --storage URL.")
        return storage, None
    if is_address(study):
        return study, None
    if storage is not None and not Path(study).is_file():
        return storage, study
    return SQLITE + study, None
