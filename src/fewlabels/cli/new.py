"""fewlabels new, fewlabels list, fewlabels relocate: studies, and the files they are about."""

import shlex
from typing import Annotated, Any, cast

import typer

import fewlabels as fl
from fewlabels.answers import Target
from fewlabels.cli import options as o
from fewlabels.cli.errors import WrongUse
from fewlabels.cli.lines import is_empty, with_lines
from fewlabels.cli.place import find_study, is_address, labelling_call, names_in, new_place, refuse_taken
from fewlabels.cli.printing import count_of, print_json, print_rows, say
from fewlabels.cli.question import read_goal, read_question
from fewlabels.core.hiding import USUAL
from fewlabels.core.priors import PriorName
from fewlabels.questions import DEFAULT
from fewlabels.storages import SQLITE


def as_given(file: o.ColumnsOptions, **more: Any) -> dict[str, Any]:
    """The options of open_pool that a command's are."""
    found = {{"id_": "id", "other_label": "other_labels"}.get(key, key): value for key, value in vars(file).items()}
    return {**found, **more}


def open_several(predictions: list[str], found: dict[str, Any]) -> fl.Pool:
    """The pool in a file, or in several, of a model each."""
    if len(predictions) == 1:
        return open_predictions(predictions[0], found)
    return open_predictions(predictions, found)


def open_predictions(predictions: str | list[str], found: dict[str, Any]) -> fl.Pool:
    """The pool in a file; `found` are the options of open_pool that may have been given."""
    given = {key: value for key, value in found.items() if not (value is None or value is False or value == [])}
    _refuse_strays(given)
    if given.pop("independent", False):
        given["probabilities_are"] = "independent"
    try:
        pool = fl.open_pool(predictions, **given)
    except fl.PoolError as error:
        if isinstance(predictions, list):
            raise
        if is_empty(predictions):
            raise fl.PoolError(
                f"{predictions} is empty: expected a row for each item, below a head line in a CSV file."
            ) from error
        raise fl.PoolError(with_lines(str(error), predictions)) from error
    _refuse_unread(given, pool)
    return pool


def _refuse_strays(given: dict[str, Any]) -> None:
    """Options about one class's score where none is named, and options of two forms of predictions at once."""
    alone = {
        "threshold": "--threshold cuts a positive score: name its column with --positive-score, or leave it out.",
        "positive": "--positive names the class that --positive-score scores: add that column; the class that f1, "
        "precision or recall are about is --positive-class.",
    }
    beside = {
        other: f"--{other} and --positive-score are two forms of predictions; leave one out."
        for other in ("predicted", "score", "independent")
    }
    for name, why in (beside if "positive_score" in given else alone).items():
        if name in given:
            raise WrongUse(why)


def _refuse_unread(given: dict[str, Any], pool: fl.Pool) -> None:
    """Options about a form of predictions that the file does not have, or that was not read."""
    if pool.engine.full_probabilities:
        for name in ("predicted", "score"):
            if name in given and "positive_score" not in given:
                raise WrongUse(
                    f"--{name} is not read: the file has the probabilities of all classes, from which the predicted "
                    "class and its score follow. Leave it out, or take those columns out of the file."
                )
    elif "probabilities_are" in given:
        raise WrongUse("--independent is about the probabilities of all classes, and the file has none; leave it out.")


def new(
    *,
    context: typer.Context,
    predictions: o.SeveralArgument,
    study: Annotated[
        str | None, typer.Option("--study", metavar="FILE", help="Where to keep it; PREDICTIONS.db by default.")
    ] = None,
    storage: o.StorageOption = None,
    name: Annotated[
        str | None, typer.Option("--name", callback=o.whole_text, help="The study's name; the file's by default.")
    ] = None,
    asked: o.QuestionOptions,
    file: o.FileOptions,
    model: o.ModelOption = None,
    strategy: o.StrategyOption = "auto",
    estimator: o.EstimatorOption = "auto",
    prior: o.PriorOption = "scores",
    prior_strength: o.PriorStrengthOption = None,
    target: o.TargetOption = "pool",
    goal: o.GoalOptions,
    budget: o.BudgetOption = None,
    level: o.LevelOption = None,
    seed: o.SeedOption = 0,
    labellers: o.LabellerOptions,
    hidden: o.HiddenOption = None,
    as_json: o.JsonOption = False,
) -> None:
    """Create a study: a question about the predictions in a file; of several models, in a file each.

    Without a question it estimates accuracy by predicted class.
    """
    if study is not None and o.is_given(context, "storage"):
        raise WrongUse("--study and --storage are two places; keep the study in one of them.")
    if estimator == "frequency" and (o.is_given(context, "prior") or prior_strength is not None):
        raise WrongUse("--estimator frequency has no prior; leave --prior and --prior-strength out, or the estimator.")
    place, chosen_name, call = new_place(predictions[0], study, storage, name)
    refuse_taken(place, chosen_name, call)
    question = read_question(asked, file.positive)
    pool = open_several(predictions, as_given(file))
    made = fl.create_study(
        pool, question or DEFAULT, strategy=strategy, estimator=estimator, prior=cast(PriorName, prior),
        prior_strength=prior_strength, target=cast(Target, target),
        until=read_goal(goal), budget=budget, seed=seed,
        level=0.95 if level is None else level, model=model, storage=place, name=chosen_name,
        **vars(labellers), hidden=USUAL if hidden is None else hidden,
    )  # fmt: skip
    if (study is not None or storage is None) and len(names_in(place)) > 1:
        call = f"{call} --name {shlex.quote(chosen_name)}"
    _announce(made, pool, call, as_json)


def _announce(study: fl.Study, pool: fl.Pool, call: str, as_json: bool) -> None:
    question = study.settings.question.describe()
    if as_json:
        settings = study.settings.to_json()
        print_json({"study": study.name, "question": question, "items": len(pool), "settings": settings})
        return
    size = f"{count_of(len(pool), 'item')}, {count_of(len(pool.classes), 'class', 'classes')}"
    say(f"Created study '{study.name}': {question}; {size}.", "bold")
    if study.settings.until is None and study.settings.budget is None:
        say("No goal and no budget are set: it asks for as long as you like, and answers at any time.")
    else:
        say(study.progress.reason)
    say()
    who = labelling_call(study, call)
    ways = {
        f"label {who}": "label here in the terminal",
        f"serve {call}": "or in the browser, alone or with others",
        f"ask {who} -n 20": "or take the items elsewhere, and bring labels back with tell",
        f"answer {call}": "what is known so far",
    }
    for way, words in ways.items():
        say(f"  fewlabels {way:{max(map(len, ways))}}   {words}")


def list_studies(
    context: typer.Context,
    place: Annotated[str | None, typer.Argument(metavar="[FILE]", help="A file of studies, such as march.db.")] = None,
    storage: o.StorageOption = None,
    as_json: o.JsonOption = False,
) -> None:
    """List the studies of a file or storage."""
    if place is not None and o.is_given(context, "storage"):
        raise WrongUse("a file and --storage are two places to look; name one of them.")
    if place is None and storage is None:
        raise WrongUse("say where to look: a file (fewlabels list march.db) or --storage URL.")
    address = str(storage) if place is None else place if is_address(place) else SQLITE + place
    studies = [_about(fl.load_study(name, storage=address)) for name in names_in(address)]
    if as_json:
        print_json(studies)
        return
    if not studies:
        say(f"No studies in {place or storage} yet; 'fewlabels new' makes one.")
        return
    rows = [(s["study"], f"{s['labels']:,}", f"{s['open']:,}", s["last"][:10] or "–", s["question"]) for s in studies]
    print_rows(("study", "labels", "open", "last entry", "question"), rows, left=("question",))


def _about(study: fl.Study) -> dict[str, Any]:
    events = study.events
    return {
        "study": study.name,
        "question": study.settings.question.describe(),
        "labels": len(study.labels),
        "open": len(study.open_queries),
        "last": events[-1].at if events else "",
    }


def relocate(
    *,
    study: o.StudyArgument,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where the file of predictions is now.")],
    items: Annotated[
        str | None, typer.Option("--items", metavar="FILE", help="Where the file of texts and attributes is now.")
    ] = None,
    by: o.ByOption = None,
    place: o.PlaceOptions,
) -> None:
    """Point a study at its predictions again, when their file has moved. Another file is refused."""
    found = find_study(study, place.storage, place.name)
    moved = found.relocate(file, items, by=by)
    if place.as_json:
        print_json({"study": found.name, "source": moved.source, "items": moved.items})
        return
    beside = f" and {moved.items}" if moved.items is not None else ""
    say(f"Study '{found.name}' reads its {count_of(len(found.pool), 'item')} from {moved.source}{beside} now.")
