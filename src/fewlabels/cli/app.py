"""The command `fewlabels`: its subcommands, and what the shell hears when one of them fails."""

import importlib
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import fewlabels as fl
from fewlabels.cli.answer import answer, status
from fewlabels.cli.change import change, upgrade
from fewlabels.cli.demo import demo
from fewlabels.cli.doctor import doctor
from fewlabels.cli.errors import WrongUse, in_shell_words
from fewlabels.cli.exchange import export_labels, import_labels
from fewlabels.cli.extend import extend
from fewlabels.cli.label import label
from fewlabels.cli.new import list_studies, new, relocate
from fewlabels.cli.options import taking
from fewlabels.cli.passes import passes_shown
from fewlabels.cli.plan import plan
from fewlabels.cli.printing import complain, make_streams_readable
from fewlabels.cli.report import plot, report
from fewlabels.cli.reproduce import JsonToFile, reproduce
from fewlabels.cli.serve import serve
from fewlabels.cli.simulate import simulate
from fewlabels.cli.tell import ask, correct, skip, tell, withdraw
from fewlabels.cli.verify import verify

FAILED, WRONG_USE = 1, 2


class Commands(TyperGroup):
    """Errors raised on purpose become one line on stderr and an exit code; all others keep their traceback."""

    def main(self, *arguments: Any, **more: Any) -> Any:
        make_streams_readable()
        return super().main(*arguments, **more)

    def invoke(self, ctx: Any) -> Any:
        try:
            with passes_shown():
                return super().invoke(ctx)
        except BrokenPipeError:  # `fewlabels answer … | head` is no failure of ours; typer ends quietly
            raise
        except (fl.FewlabelsError, OSError) as error:
            complain(in_shell_words(str(error)))
            wrong = isinstance(error, WrongUse | fl.QuestionError | fl.PoolError | fl.LabelError)
            raise typer.Exit(WRONG_USE if wrong else FAILED) from error

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the signature is typer's
        """The commands in the order of a study's life, not of the alphabet."""
        return list(self.commands)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fewlabels {fl.__version__}")
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    parts: Annotated[
        list[str] | None,
        typer.Option(
            "--parts", envvar="FEWLABELS_PARTS", metavar="MODULE", help="A module that registers parts of your own."
        ),
    ] = None,
) -> None:
    """How good is this classifier, where is it worst, is it fair: from few labels.

    New here? Try: fewlabels demo
    """
    for name in parts or ():
        try:
            sys.path.insert(0, "")  # modules of the current folder, as `python -m` finds them
            importlib.import_module(name.removesuffix(".py"))
        except ImportError as error:
            raise WrongUse(f"--parts {name} cannot be imported: {error}; name a module of yours.") from error


for command in (
    demo,
    doctor,
    plan,
    new,
    list_studies,
    label,
    serve,
    ask,
    tell,
    skip,
    correct,
    withdraw,
    answer,
    status,
    report,
    plot,
    verify,
    change,
    extend,
    export_labels,
    import_labels,
    relocate,
    upgrade,
    simulate,
):
    app.command(command.__name__.removesuffix("_studies").removesuffix("_labels"))(taking(command))
app.command("reproduce", cls=JsonToFile)(reproduce)


def main() -> None:
    """Run the command line."""
    app(prog_name="fewlabels")
