"""What a report says, as plain data: no formatting of numbers, and no text of items unless it is asked for."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fewlabels.answers import Answer, BestOfModels, Comparison, Finding, Handover, Identification
from fewlabels.core.events import Corrected, Query, Skipped, Told, payload_text
from fewlabels.errors import FewlabelsError
from fewlabels.figures import Figure
from fewlabels.figures.groups import in_order
from fewlabels.reporting.doubts import Doubt, doubts
from fewlabels.reporting.facts import facts
from fewlabels.reporting.pictures import LeftOut, pictures, quick_at_every_look
from fewlabels.reporting.projection import uniform_words
from fewlabels.reporting.verdict import Verdict, verdict
from fewlabels.study import Study
from fewlabels.study.look import Look, look

SHARES = (0.05, 0.1, 0.2)  # of the items that people may be able to take
MOST_ITEMS = 500  # labelled items listed with their texts


@dataclass(frozen=True)
class ReportRow:
    """One group: its finding, its place where groups are ranked, and whether the question asked to find it."""

    finding: Finding
    more: Mapping[str, Any]  # rank, rank_low, rank_high, p_top; mean_score; verdict; every_look; positives; as_best
    named: bool


@dataclass(frozen=True)
class LabelledItem:
    """An item with what people were shown of it."""

    item: str
    shown: str
    predicted: str
    score: float
    label: str


@dataclass(frozen=True)
class ReportData:
    """Everything a report shows."""

    study: str
    question: str
    sentence: str
    verdict: Verdict
    projection: str | None  # what a uniform sample would have needed, in words; None where nobody can tell
    doubts: tuple[Doubt, ...]
    rows: tuple[ReportRow, ...]
    overall: Finding | None  # left out where the question is about groups only
    identification: Identification | None
    comparison: Comparison | None
    best: BestOfModels | None
    handovers: tuple[Handover, ...]  # what giving the worst classes to people would yield, where that is known
    facts: tuple[tuple[str, str], ...]  # what, in words
    counts: Mapping[str, int]  # asked, told, corrected, skipped
    labels: int  # that stand behind the answer
    figures: tuple[Figure, ...]
    left_out: tuple[LeftOut, ...]  # figures that are not there, and why
    items: tuple[LabelledItem, ...] | None  # None: no item is spoken of
    first: str  # when the first and the last thing happened, ISO 8601; empty where nothing did
    last: str
    written: str
    confusion: bool = False  # groups are pairs, predicted → true

    @property
    def sample(self) -> Finding:
        """A finding to read level, method and target from; they are the same for all."""
        return self.rows[0].finding

    @property
    def named(self) -> int:
        """How many groups the question asked to find; some of them may have too few labels to be named yet."""
        return 0 if self.identification is None else self.identification.top

    @property
    def expected(self) -> float:
        """How many of the groups named are expected to belong there."""
        return float(sum(row.more["p_top"] for row in self.rows if row.named))


def report_data(study: Study, *, include_text: bool = False) -> ReportData:
    """What the report of a study says now."""
    return data_of(look(study), include_text=include_text)


def data_of(seen: Look, *, include_text: bool = False) -> ReportData:
    """What the report of a study says at this look."""
    answer, events = seen.answer, seen.events
    kinds = Counter(type(event) for event in events)
    asked = len({event.item for event in events if isinstance(event, Query)})  # an item drawn again is not asked again
    figures, left_out = pictures(seen)
    return ReportData(
        study=seen.study.name,
        question=answer.question,
        sentence=answer.sentence,
        verdict=verdict(seen),
        projection=uniform_words(seen),
        doubts=doubts(seen),
        rows=_rows(seen),
        overall=None if isinstance(answer, Identification | Comparison) else answer.overall,
        identification=answer if isinstance(answer, Identification) else None,
        comparison=answer if isinstance(answer, Comparison) else None,
        best=answer if isinstance(answer, BestOfModels) else None,
        handovers=_handovers(answer),
        facts=facts(seen),
        counts={"asked": asked, "told": kinds[Told], "corrected": kinds[Corrected], "skipped": kinds[Skipped]},
        labels=seen.evidence.count if seen.question.of_models else labels_behind(answer),
        figures=figures,
        left_out=left_out,
        items=_items(seen) if include_text else None,
        first=events[0].at if events else "",
        last=events[-1].at if events else "",
        written=datetime.now(UTC).isoformat(timespec="seconds"),
        confusion=seen.question.metric.pairs,
    )


def _handovers(answer: Answer) -> tuple[Handover, ...]:
    """For several shares of the items; before the first label scores alone would say."""
    if not isinstance(answer, Identification) or answer.joint is None or not labels_behind(answer):
        return ()
    found = [answer.handover(share) for share in SHARES]
    return tuple(one for i, one in enumerate(found) if one.groups and one.groups not in [o.groups for o in found[:i]])


def labels_behind(answer: Answer) -> int:
    """The labels behind an answer; those of an F-score stand behind each of its thresholds."""
    if answer.overall is not None:
        return answer.overall.labels
    counts = [finding.labels for finding in answer.findings]
    return max(counts) if answer.shared else sum(counts)


def _rows(seen: Look) -> tuple[ReportRow, ...]:
    answer, positive = seen.answer, seen.question.metric.of_class or seen.study.positive
    named = set(answer.groups) if isinstance(answer, Identification) else set()
    extra = dict(zip((f.group for f in answer.findings), answer.extra or ({},) * len(answer.findings), strict=True))
    always, best = _at_every_look(seen), _as_best(answer)
    hits = {} if positive is None or seen.question.metric.pairs else seen.positives_by_group(positive)
    return tuple(
        ReportRow(
            f,
            dict(extra[f.group])
            | always.get(f.group, {})
            | ({"positives": hits[f.group]} if f.group in hits else {})
            | ({"as_best": best[f.group]} if f.group in best else {}),
            f.group in named,
        )
        for f in in_order(seen.question, answer)
    )


def _as_best(answer: Answer) -> dict[str, list[tuple[str, float | str, str]]]:
    """Of each model, where the best is to be found: heads, numbers and words beside its difference."""
    if not isinstance(answer, BestOfModels):
        return {}
    heads, words = list(answer.columns), list(zip(*answer.columns.values(), strict=True))
    return {
        name: list(zip(heads, (p, answer.expected_loss[name], answer.dropped.get(name, "")), said, strict=True))
        for (name, p), said in zip(answer.p_best.items(), words, strict=True)
    }


def _at_every_look(seen: Look) -> dict[str, dict[str, Any]]:
    """Of each group the interval that holds at every look, where there is one and it is not long in the making."""
    if not quick_at_every_look(seen):
        return {}
    try:
        answer = seen.study.answer(anytime=True)
    except FewlabelsError:  # of this metric, or of labels so drawn, there is none
        return {}
    return {f.group: {"every_look": f} for f in answer.findings}


def _items(seen: Look) -> tuple[LabelledItem, ...]:
    """Labelled items with what labellers were shown of them: mistakes first, then in the order of asking."""
    queries = {event.item: event for event in reversed(seen.events) if isinstance(event, Query)}
    labels = {**seen.study.labels, **{e.item: e.label for e in seen.events if isinstance(e, Corrected)}}
    found = [
        LabelledItem(str(item), _shown(queries[item].payload), queries[item].predicted, queries[item].score, label)
        for item, label in labels.items()
        if item in queries
    ]
    return tuple(sorted(found, key=lambda row: row.predicted == row.label)[:MOST_ITEMS])


def _shown(payload: Mapping[str, Any]) -> str:
    texts = [payload_text(value) for value in payload.values()]
    return " · ".join(text for text in texts if text)
