"""Model against model, from the same labels."""

from dataclasses import replace

from fewlabels.answers import count_of, level_words
from fewlabels.errors import QuestionError
from fewlabels.figures.figure import Figure
from fewlabels.figures.intervals import chart_scale, findings_table, interval_chart, row_of
from fewlabels.study.look import Look


def models(look: Look) -> Figure:
    """The overall figure of every model of the pool."""
    names = look.study.pool.models
    if len(names) < 2:
        raise QuestionError("the pool has one model; fl.Pool.join({name: pool, …}) makes one of several.")
    overall = {name: look.other(model=name).overall for name in names}
    found = [replace(f, group=name) for name, f in overall.items() if f is not None]
    if not found:
        raise QuestionError("this question has no overall figure to compare models by.")
    found.sort(key=lambda f: (f.value != f.value, f.value))
    rows, own = [row_of(f) for f in found], look.record.pool["model"]
    title, axis = look.question.metric.title, chart_scale([row_of(f) for f in found], found[0])
    return Figure(
        "models",
        "Model against model",
        f"The overall {title} of each model with its {level_words(found[0].level)} interval, from the same "
        f"{count_of(look.evidence.count, 'label')}, which were chosen for {own}: intervals are each model's own, and "
        "that two of them overlap does not say that the models are alike.",
        lambda width: interval_chart(rows, width, axis, title),
        findings_table(found, "model"),
    )
