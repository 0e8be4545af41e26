"""What a report says, as plain data: no text of items, no formatting of numbers."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fewlabels.answers import Answer, Comparison, Finding, Identification, describe_target, level_words
from fewlabels.core.events import Query, event_to_json
from fewlabels.core.groups import ScoreBins
from fewlabels.core.priors import Prior
from fewlabels.errors import QuestionError
from fewlabels.reporting.words import mix_ups_first
from fewlabels.settings import StudySettings
from fewlabels.study import Study


@dataclass(frozen=True)
class ReportRow:
    """One group: its finding, and its place where groups are ranked."""

    finding: Finding
    more: dict[str, Any]  # rank, rank_low, rank_high, p_top; or mean_score
    named: bool  # one of the groups the question asked to find


@dataclass(frozen=True)
class ReportData:
    """Everything a report shows."""

    study: str
    question: str
    sentence: str
    notes: tuple[str, ...]
    progress: str
    stop: str | None  # at a stop: the rule, the label, and what it promises
    rows: tuple[ReportRow, ...]
    overall: Finding | None  # left out where the question is about groups only
    identification: Identification | None
    comparison: Comparison | None
    settings: tuple[tuple[str, str], ...]  # what, in words
    counts: dict[str, int]  # asked, told, corrected, skipped
    labels: int  # that stand behind the answer
    first: str  # when the first and the last thing happened, ISO 8601; empty where nothing did
    last: str
    written: str
    confusion: bool = False  # groups are pairs, predicted → true

    @property
    def sample(self) -> Finding:
        """A finding to read level, method and target from; they are the same for all."""
        return self.rows[0].finding

    @property
    def ranked(self) -> bool:
        return bool(self.rows) and "p_top" in self.rows[0].more

    @property
    def named(self) -> int:
        """How many groups the question asked to find."""
        return sum(row.named for row in self.rows)

    @property
    def expected(self) -> float:
        """How many of the groups named are expected to belong there."""
        return float(sum(row.more["p_top"] for row in self.rows if row.named))


def report_data(study: Study) -> ReportData:
    """What the report of a study says now."""
    answer = study.answer()
    events = study.events
    kinds = Counter(event_to_json(event)[0] for event in events)
    asked = len({event.item for event in events if isinstance(event, Query)})  # an item drawn again is not asked again
    return ReportData(
        study=study.name,
        question=answer.question,
        sentence=answer.sentence,
        notes=answer.notes,
        progress=study.progress.reason,
        stop=answer.stop,
        rows=_rows(study, answer),
        overall=None if isinstance(answer, Identification | Comparison) else answer.overall,
        identification=answer if isinstance(answer, Identification) else None,
        comparison=answer if isinstance(answer, Comparison) else None,
        settings=tuple(_settings(study.settings, answer)),
        counts={"asked": asked, **{kind: kinds[kind] for kind in ("told", "corrected", "skipped")}},
        labels=_labels(answer),
        first=events[0].at if events else "",
        last=events[-1].at if events else "",
        written=datetime.now(UTC).isoformat(timespec="seconds"),
        confusion=study.settings.question.metric.pairs,
    )


def _labels(answer: Answer) -> int:
    """The labels behind an answer; those of an F-score stand behind each of its thresholds."""
    if answer.overall is not None:
        return answer.overall.labels
    counts = [finding.labels for finding in answer.findings]
    return max(counts) if answer.shared else sum(counts)


def _rows(study: Study, answer: Answer) -> tuple[ReportRow, ...]:
    named = set(answer.groups) if isinstance(answer, Identification) else set()
    extra = answer.extra or ({},) * len(answer.findings)
    always = _at_every_look(study)
    rows = [
        ReportRow(f, dict(more) | always.get(f.group, {}), f.group in named)
        for f, more in zip(answer.findings, extra, strict=True)
    ]
    question = study.settings.question
    in_order = isinstance(answer, Identification | Comparison) or not question.metric.one_a_group
    if question.metric.pairs:
        places = {f.group: i for i, f in enumerate(mix_ups_first(answer.findings))}
        rows.sort(key=lambda row: places[row.finding.group])
    if not in_order and not any(isinstance(g, ScoreBins) for g in question.by):
        rows.sort(key=lambda row: (row.finding.value != row.finding.value, row.finding.value))  # nan last
    return tuple(rows)


def _at_every_look(study: Study) -> dict[str, dict[str, Any]]:
    """Of each group the interval that holds at every look, where there is one."""
    try:
        answer = study.answer(anytime=True)
    except QuestionError:  # of this metric, or of labels so drawn, there is none
        return {}
    return {f.group: {"every_look": f} for f in answer.findings}


def _settings(settings: StudySettings, answer: Answer) -> list[tuple[str, str]]:
    name, _, reason = answer.strategy.partition(": ")
    words = [
        ("Which items were asked", f"{reason or name} (strategy “{name}”)"),
        ("How numbers were computed", answer.findings[0].method),
        *([("Beside them", answer.without_a_model)] if answer.without_a_model else []),
        *([] if settings.estimator_used.reads_draws or settings.question.of_models else [("Prior", _prior(settings))]),
        ("Intervals", f"hold the true value with probability {level_words(settings.level)}"),
        ("About", describe_target(settings.target)),
        ("Goal", "none set" if settings.until is None else settings.until.describe()),
        ("Budget", "none set" if settings.budget is None else f"{settings.budget:,} labels"),
        ("Seed", str(settings.seed)),
    ]
    own = settings.question.of_models or settings.model in (None, "model")  # such a question names its models
    return words if own else [("Model", str(settings.model)), *words]


def _prior(settings: StudySettings) -> str:
    if isinstance(settings.prior, Prior):
        return f"figures reported before, worth {settings.prior_strength or settings.prior.strength:g} labels a group"
    if settings.estimator_used.learns_prior and settings.prior == "scores":
        return "the model's own scores, trusted as far as the labels bear them out"
    source = {
        "scores": "the model's own scores",
        "flat": "flat: every rate is as likely as any other",
        "diagonal": "perfect calibration",
    }[settings.prior]
    return source if settings.prior_strength is None else f"{source}, worth {settings.prior_strength:g} labels a group"
