"""The figure of the question itself: each group with its interval, in order, the ends marked."""

import math
from collections.abc import Sequence

from fewlabels.answers import Answer, Finding, Identification, Verdicts, describe_target, level_words
from fewlabels.core.groups import ScoreBins
from fewlabels.figures.figure import Figure
from fewlabels.figures.intervals import MOST_ROWS, chart_scale, findings_table, interval_chart, row_of
from fewlabels.figures.words import mix_ups_first
from fewlabels.questions import Question
from fewlabels.study.look import Look


def groups(look: Look) -> Figure:
    """Every group of the study's question."""
    return of_answer("groups", look.question, look.answer)


def of_answer(name: str, question: Question, answer: Answer) -> Figure:
    """Every group of an answer with its interval: those asked for first, or lowest first."""
    findings = in_order(question, answer)
    sample, ends = findings[0], _ends(question, answer, findings)
    rows = [row_of(f, named=f.group in ends) for f in findings]
    whole = None if question.metric.pairs or isinstance(answer, Identification) else answer.overall
    line = None if whole is None or len(rows) == 1 or math.isnan(whole.value) else whole.value
    goal = answer.threshold if isinstance(answer, Verdicts) else None
    axis = chart_scale(rows, sample, also=[n for n in (line, goal) if n is not None])
    title = question.metric.title
    return Figure(
        name,
        f"{title[:1].upper()}{title[1:]}{question.by_words}",
        _caption(question, answer, findings, line=line is not None, goal=goal),
        lambda width: interval_chart(rows, width, axis, title, line=line, goal=goal),
        findings_table(findings, "predicted → true" if question.metric.pairs else "group"),
    )


def in_order(question: Question, answer: Answer) -> list[Finding]:
    """As a reader wants them: as asked for, mix-ups first, scores rising, or lowest first and unknown ones last."""
    findings: Sequence[Finding] = answer.findings
    if question.metric.pairs:
        return mix_ups_first(findings)
    kept = isinstance(answer, Identification) or question.kind == "compare" or not question.metric.one_a_group
    if kept or any(isinstance(g, ScoreBins) for g in question.by):
        return list(findings)
    return sorted(findings, key=lambda f: (math.isnan(f.value), f.value))


def _ends(question: Question, answer: Answer, findings: Sequence[Finding]) -> set[str]:
    """The groups that are marked: those asked for, or the worst and the best."""
    if isinstance(answer, Identification):
        return set(answer.groups)
    known = [f for f in findings if f.ranked and f.labels > 0]
    if len(known) < 3 or not question.metric.one_a_group:
        return set()
    rising = sorted(known, key=lambda f: f.value)  # of equals the same as in the answer's sentence
    return {rising[0].group, rising[-1].group}


def _caption(question: Question, answer: Answer, findings: Sequence[Finding], *, line: bool, goal: float | None) -> str:
    sample, told = findings[0], _labels(answer)
    texts = [
        f"Each dot is an estimate of the {question.metric.title}, the bar its {level_words(sample.level)} interval, "
        f"from {told:,} labels, for {describe_target(sample.target)}; the number on the right is how many labels the "
        "group has of its own."
    ]
    if isinstance(answer, Identification):
        texts.append("In colour: the groups named above.")
    elif _ends(question, answer, findings):
        texts.append("In colour: the lowest and the highest.")
    if question.metric.pairs:
        texts.append("How often what is predicted as the first is truly the second, mix-ups first.")
    if line:
        texts.append("The dashed line is the overall figure.")
    if goal is not None:
        texts.append(f"The line in colour is the threshold, {goal:g}.")
    if any(f.not_its_own > 0.5 for f in findings[:MOST_ROWS]):
        what = "the scores and other groups' labels" if sample.borrowed is not None else "the prior"
        texts.append(f"A hollow dot rests more on {what} than on labels of its own.")
    if any(f.unlabelled for f in findings):
        texts.append("A row with neither: not labelled yet.")
    if any(math.isnan(f.value) and not f.unlabelled for f in findings):
        texts.append("A dotted bar without a dot: no label tells yet.")
    if any(math.isnan(f.low) and not math.isnan(f.value) for f in findings):
        texts.append("A dot without a bar: one or two labels, too few for an interval.")
    if len(findings) > MOST_ROWS:
        texts.append(f"{MOST_ROWS} of {len(findings):,} groups are drawn, those at both ends.")
    return " ".join(texts)


def _labels(answer: Answer) -> int:
    if answer.overall is not None:
        return answer.overall.labels
    told = [finding.labels for finding in answer.findings]
    return max(told) if answer.shared else sum(told)
