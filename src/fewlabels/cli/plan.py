"""fewlabels plan: how many labels it will take, before labelling any."""

import fewlabels as fl
from fewlabels.cli import options as o
from fewlabels.cli.errors import WrongUse
from fewlabels.cli.new import as_given, open_predictions
from fewlabels.cli.printing import print_json, say
from fewlabels.cli.question import read_goal, read_question
from fewlabels.questions import DEFAULT


def plan(
    *,
    predictions: o.PredictionsArgument,
    asked: o.QuestionOptions,
    file: o.FileOptions,
    model: o.ModelOption = None,
    goal: o.GoalOptions,
    level: o.LevelOption = None,
    as_json: o.JsonOption = False,
) -> None:
    """How many labels for this goal, before labelling any, and how many a uniform sample would take."""
    until = read_goal(goal)
    if until is None:
        raise WrongUse("say what is to be reached: --until-half-width 0.05, --until-overall 0.03, say.")
    question = read_question(asked, file.positive) or DEFAULT
    pool = open_predictions(predictions, as_given(file))
    made = fl.plan(pool, question, until=until, level=0.95 if level is None else level, model=model)
    if as_json:
        spans = {name: getattr(made, name)._asdict() for name in ("labels", "uniform")}
        print_json({"question": made.question, "goal": made.goal, "items": made.items, **spans})
        return
    first, second = str(made).split("\n")
    say(first, "bold")
    say(second, "dim")
