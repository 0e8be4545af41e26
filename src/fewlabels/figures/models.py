"""Model against model, from the same labels."""

from dataclasses import replace

from fewlabels.answers import BestOfModels, ModelComparison, count_of, level_words
from fewlabels.errors import QuestionError
from fewlabels.figures.figure import Figure
from fewlabels.figures.intervals import chart_scale, findings_table, interval_chart, row_of
from fewlabels.study.look import Look


def models(look: Look) -> Figure:
    """The overall figure of every model of the pool; where two are compared, their difference, by groups too; where the
    best is to be found, how far each is from the one named."""
    if isinstance(look.answer, ModelComparison):
        return _differences(look, look.answer)
    if isinstance(look.answer, BestOfModels):
        return _behind(look, look.answer)
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


def _differences(look: Look, answer: ModelComparison) -> Figure:
    """By how much one model is ahead of the other, in all and in each group."""
    whole = [] if answer.difference is None else [replace(answer.difference, group="all items")]
    found = [*whole, *(answer.findings if len(answer.findings) > 1 else ())]
    rows, rope, title = [row_of(f) for f in found], answer.rope, f"{answer.a} − {answer.b}, in points"
    axis = chart_scale(rows, found[0], also=[-1.2 * rope, 1.2 * rope])
    return Figure(
        "models",
        f"{answer.a} against {answer.b}",
        f"Each dot is the difference in {look.question.metric.title}, {answer.a} − {answer.b}, with its "
        f"{level_words(found[0].level)} interval, from {_labels(look, answer, 'the two do not')}; shaded, differences "
        f"of no importance (within {rope:g}).",
        lambda width: interval_chart(rows, width, axis, title, zone=(-rope, rope), line=0.0),
        findings_table(found, "items"),
    )


def _behind(look: Look, answer: BestOfModels) -> Figure:
    """How far each model is from the one named."""
    found = list(answer.findings)
    rows, within, title = [row_of(f) for f in found], answer.within, f"model − {answer.best}, in points"
    axis = chart_scale(rows, found[0], also=[-1.2 * within, 1.2 * within])
    return Figure(
        "models",
        f"Every model against {answer.best}",
        f"Each dot is the difference in {look.question.metric.title}, model − {answer.best}, with its "
        f"{level_words(found[0].level)} interval, from {_labels(look, answer, 'models do not all')}"
        f"{'; of a model that was dropped, from those up to then' if answer.dropped else ''}. Shaded: within "
        f"{within:g}.",
        lambda width: interval_chart(rows, width, axis, title, zone=(-within, within), line=0.0),
        findings_table(found, "model"),
    )


def _labels(look: Look, answer: ModelComparison | BestOfModels, who: str) -> str:
    """How many there are, and of which items: of an F-score others count too."""
    labels, where = count_of(look.evidence.count, "label"), f"items of {answer.items:,} on which {who} say the same"
    if look.assessment.between is None:
        return f"{labels}; there are {answer.differ:,} {where}"
    return f"{labels} of the {answer.differ:,} {where}"
