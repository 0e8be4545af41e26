"""fewlabels change, upgrade."""

from typing import Annotated, Any

import typer

from fewlabels.cli import options as o
from fewlabels.cli.errors import WrongUse
from fewlabels.cli.place import find_study, is_address, names_in
from fewlabels.cli.printing import count_of, print_json, say
from fewlabels.cli.question import read_goal
from fewlabels.settings import RULES, VERSION_OF_RULES
from fewlabels.storages import SQLITE
from fewlabels.study.rules import upgrade as upgraded


def change(
    *,
    study: o.StudyArgument,
    budget: o.BudgetOption = None,
    no_budget: Annotated[bool, o.of_method("--no-budget", help="Ask without a limit.")] = False,
    goal: o.GoalOptions,
    no_goal: Annotated[bool, o.of_method("--no-goal", help="Ask whatever is reached.")] = False,
    hidden: o.HiddenOption = None,
    skips: Annotated[
        str | None, o.of_method("--skips", help="Take skipped items to be like the others (ignorable), or not (worst).")
    ] = None,
    by: o.ByOption = None,
    place: o.PlaceOptions,
) -> None:
    """Set another budget, goal or assumption from here on; what was asked and told stays as it is."""
    until = read_goal(goal)
    for given, none, name in ((budget, no_budget, "budget"), (until, no_goal, "goal")):
        if given is not None and none:
            raise WrongUse(f"a new {name} and --no-{name} contradict each other; leave one of them out.")
    new: dict[str, Any] = {}
    if budget is not None or no_budget:
        new["budget"] = budget
    if until is not None or no_goal:
        new["until"] = until
    if hidden is not None:
        new["hidden"] = hidden
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
        named = ("budget", "until", "skips", *(["hidden"] if hidden is not None else []))
        print_json({"study": found.name, **{name: kept[name] for name in named}})
        return
    limit = "no budget" if settings.budget is None else f"budget {count_of(settings.budget, 'label')}"
    aim = "no goal" if settings.until is None else f"goal {settings.until.describe()}"
    assumed = "" if hidden is None else f"; at most {100 * hidden:.3g}% of the class among the items scored lowest"
    assumed += "; skipped items are taken to be like the others" if settings.skips == "ignorable" else ""
    say(f"Study '{found.name}' from here on: {limit}; {aim}{assumed}.")
    say(str(found.progress))


def upgrade(
    *,
    context: typer.Context,
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="A file of studies, such as march.db.")] = None,
    storage: o.StorageOption = None,
    as_json: o.JsonOption = False,
) -> None:
    """Bring studies that an older version made up to date: their tables, and the rules they follow."""
    if file is not None and o.is_given(context, "storage"):
        raise WrongUse("a file and --storage are two places; name one of them.")
    if file is None and storage is None:
        raise WrongUse("say where the studies are: a file (fewlabels upgrade march.db) or --storage URL.")
    address = str(storage) if file is None else file if is_address(file) else SQLITE + file
    found = upgraded(address)
    studies = names_in(address)
    if as_json:
        moved = {"rules": RULES, "studies_moved": list(found.moved)}
        print_json({"from": found.before, "to": found.now, "studies": studies} | moved)
        return
    what = f"{count_of(len(studies), 'study', 'studies')} in {file or storage}"
    if found.before == found.now and not found.moved:
        say(f"{what}: up to date already.")
    if found.before != found.now:
        say(f"{what}: brought from version {found.before} to {found.now}.")
    if found.moved:
        say(
            f"{count_of(len(found.moved), 'study', 'studies')} from here on by the rules of fewlabels "
            f"{VERSION_OF_RULES[RULES]}. Every label and every recorded chance is as it was; intervals may be wider."
        )
