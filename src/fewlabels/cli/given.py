"""Which options somebody typed: those that would have no effect are refused rather than ignored."""

import typer

from fewlabels.cli.errors import WrongUse


def is_given(context: typer.Context, name: str) -> bool:
    """Whether an option was typed; defaults and the environment do not count."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse_beside(context: typer.Context, what: str, *names: str) -> None:
    """Raise where one of these options was typed beside `what`, which leaves it without effect."""
    flags = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    for name in names:
        if is_given(context, name):
            shown = flags[name] if flags[name].startswith("-") else flags[name].upper()
            raise WrongUse(f"{shown} has no effect beside {what}; leave one of them out.")
