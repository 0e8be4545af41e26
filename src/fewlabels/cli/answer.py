"""fewlabels answer, fewlabels status."""

import math
import shlex
from typing import Annotated, Any, cast

import typer

import fewlabels as fl
from fewlabels.answers import answer_data
from fewlabels.cli import options as o
from fewlabels.cli.errors import WrongUse
from fewlabels.cli.place import call_of, find_study, labelling_call
from fewlabels.cli.printing import MOST_ROWS, count_of, print_answer, print_json, say
from fewlabels.cli.question import read_question
from fewlabels.core.events import Query, Told
from fewlabels.core.intervals import IntervalKind


def answer(
    *,
    study: o.StudyArgument,
    asked: o.QuestionOptions,
    model: o.ModelOption = None,
    level: o.LevelOption = None,
    interval: Annotated[str, typer.Option("--interval", help="equal-tailed or highest-density.")] = "equal-tailed",
    anytime: Annotated[
        bool, typer.Option("--anytime", help="Intervals that hold whoever looks after each label.")
    ] = False,
    check: o.CheckOption = False,
    everything: Annotated[bool, typer.Option("--all", help="Show every group, not the first 20.")] = False,
    place: o.PlaceOptions,
) -> None:
    """Answer from the labels so far: the study's question, or another one."""
    if interval not in ("equal-tailed", "highest-density"):
        raise WrongUse(f"--interval is equal-tailed or highest-density; got {interval!r}.")
    found = find_study(study, place.storage, place.name)
    # the class an F-score is about where none is named: that of the study's own question, or of its pool
    question = read_question(asked, found.settings.question.metric.of_class or found.positive)
    kind = cast(IntervalKind, interval)
    answered = found.answer(question, model=model, level=level, interval=kind, anytime=anytime)
    if place.as_json:
        print_json({"study": found.name, **answer_data(answered)})
    else:
        metric = (question or found.settings.question).metric
        print_answer(answered, rows=None if everything else MOST_ROWS, confusion=metric.pairs)
    if check and not goal_reached(found):
        raise typer.Exit(1)


def status(
    *,
    study: o.StudyArgument,
    check: o.CheckOption = False,
    place: o.PlaceOptions,
) -> None:
    """Say how far a study is."""
    found = find_study(study, place.storage, place.name)
    progress, counts = found.progress, _counts(found)
    budget, spent = found.settings.budget, found.spent
    if place.as_json:
        print_json(
            {
                "study": found.name,
                "question": found.settings.question.describe(),
                "done": progress.done,
                "reached": goal_reached(found),
                "progress": str(progress),
                "labels_left": None if progress.labels_left is None else progress.labels_left._asdict(),
                "budget": budget,
                "spent": spent,
                "oldest_open": next((query.item for query in found.open_queries), None),
                **counts,
                **_between_labellers(found),
            }
        )
    else:
        say(f"Study '{found.name}': {found.settings.question.describe()}", "bold")
        say(str(progress))
        always = ("asked", "labelled", "waiting")
        shown = {what.replace("_", " "): number for what, number in counts.items() if number or what in always}
        say(", ".join(f"{number:,} {what}" for what, number in shown.items()) + ".")
        if found.opinions:
            say(_agreement_words(found))
        if budget is not None:
            say(f"{spent:,} of the budget of {count_of(budget, 'label')} spent.")
        call = call_of(found, study, place.storage)
        if "has no answer" in str(progress):
            say(f"To skip it: fewlabels skip {call} {shlex.quote(str(found.open_queries[0].item))}")
        step = f"answer {call}" if progress.done else f"label {labelling_call(found, call)}"
        say(f"Next: fewlabels {step}", "dim")
    if check and not goal_reached(found):
        raise typer.Exit(1)


def goal_reached(study: fl.Study) -> bool:
    """Whether the study's goal is reached; without a goal, whether it has spent its budget or its pool."""
    if study.settings.until is None:
        return study.progress.done
    return study.settings.until.progress(study.answer(), remaining=0).done


def _counts(study: fl.Study) -> dict[str, int]:
    events, labels = study.events, study.labels
    return {
        "asked": len({event.item for event in events if isinstance(event, Query)}),  # drawn again is not asked again
        "labelled": len(labels),
        "waiting": len(study.open_queries),
        "skipped": len(study.skipped),
        "brought_along": sum(isinstance(event, Told) and event.drawn is not None for event in events),
    }


def _between_labellers(study: fl.Study) -> dict[str, Any]:
    """What machines are told of agreement, where several labelled the same items."""
    if not study.opinions:
        return {}
    found = study.agreement
    kappas = {" and ".join(pair): value for pair, value in found.cohen.items()}
    figures = {"items": found.items, "raw": found.raw, "cohen": kappas, "fleiss": found.fleiss}
    differing = [{"item": one.item, "labels": dict(one.opinions)} for one in study.disagreements]
    return {"agreement": {**figures, "krippendorff": found.krippendorff}, "disagreements": differing}


def _agreement_words(study: fl.Study) -> str:
    found, differing = study.agreement, study.disagreements
    if found.items == 0:
        return "No item has labels of two labellers yet."
    words = f"{count_of(found.items, 'item')} labelled by several: {found.raw:.0%} of pairs agree"
    words += "" if math.isnan(found.krippendorff) else f" (Krippendorff's alpha {found.krippendorff:.2f})"
    names = ", ".join(f"{one.item} ({' or '.join(sorted(set(one.opinions.values())))})" for one in differing[:5])
    more = f" and {len(differing) - 5} more" if len(differing) > 5 else ""
    return f"{words}. " + (f"To be decided with correct: {names}{more}." if differing else "None is to be decided.")
