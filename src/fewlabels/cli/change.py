"""fewlabels change, upgrade."""

from typing import Annotated, Any

import typer

from fewlabels.cli import options as o
from fewlabels.cli.errors import WrongUse
from fewlabels.cli.place import find_study, is_address, names_in
from fewlabels.cli.printing import count_of, print_json, say
from fewlabels.cli.question import read_goal
from fewlabels.storages import SQLITE, upgrade_storage


def change(
    *,
    study: o.StudyArgument,
    budget: o.BudgetOption = None,
    no_budget: Annotated[bool, o.of_method("--no-budget", help="Ask without a limit.")] = False,
    goal: o.GoalOptions,
    no_goal: Annotated[bool, o.of_method("--no-goal", help="Ask whatever is reached.")] = False,
    skips: Annotated[
        str | None, o.of_method("--skips", help="Take skipped items to be like the others (ignorable), or not (worst).")
    ] = None,
    by: o.ByOption = None,
    place: o.PlaceOptions,
) -> None:
    """Set another budget or goal, or take skipped items in another way; what was asked and told stays as it is."""
    until = read_goal(goal)
    for given, none, name in ((budget, no_budget, "budget"), (until, no_goal, "goal")):
        if given is not None and none:
            raise WrongUse(f"a new {name} and --no-{name} contradict each other; leave one of them out.")
    new: dict[str, Any] = {}
    if budget is not None or no_budget:
        new["budget"] = budget
    if until is not None or no_goal:
        new["until"] = until
    if skips is not None:
        new["skips"] = skips
    if not new:
        raise WrongUse(
            "say what is to be different: --budget 800, --until-half-width 0.03, --no-budget, --no-goal, "
            "--skips ignorable, …"
        )
    found = find_study(study, place.storage, place.name)
    settings = found.change(**new, by=by)
    if place.as_json:
        kept = settings.to_json()
        print_json({"study": found.name, "budget": kept["budget"], "until": kept["until"], "skips": kept["skips"]})
        return
    limit = "no budget" if settings.budget is None else f"budget {count_of(settings.budget, 'label')}"
    aim = "no goal" if settings.until is None else f"goal {settings.until.describe()}"
    assumed = "; skipped items are taken to be like the others" if settings.skips == "ignorable" else ""
    say(f"Study '{found.name}' from here on: {limit}; {aim}{assumed}.")
    say(str(found.progress))


def upgrade(
    *,
    context: typer.Context,
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="A file of studies, such as march.db.")] = None,
    storage: o.StorageOption = None,
    as_json: o.JsonOption = False,
) -> None:
    """Bring studies that an older version made up to date: all of a file's or storage's, or none."""
    if file is not None and o.is_given(context, "storage"):
        raise WrongUse("a file and --storage are two places; name one of them.")
    if file is None and storage is None:
        raise WrongUse("say where the studies are: a file (fewlabels upgrade march.db) or --storage URL.")
    address = str(storage) if file is None else file if is_address(file) else SQLITE + file
    before, now = upgrade_storage(address)
    studies = names_in(address)
    if as_json:
        print_json({"from": before, "to": now, "studies": studies})
        return
    what = f"{count_of(len(studies), 'study', 'studies')} in {file or storage}"
    say(f"{what}: up to date already." if before == now else f"{what}: brought from version {before} to {now}.")
