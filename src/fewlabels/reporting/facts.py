"""What an answer rests on, for somebody who has to defend it: files, fingerprints, people, versions, dates."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from fewlabels.answers import Answer, count_of, describe_target, interval_words
from fewlabels.core.events import Corrected, Extended, Query, Relocated, Told
from fewlabels.core.priors import Prior
from fewlabels.settings import StudySettings
from fewlabels.study.look import Look

_MOST_PEOPLE = 20


def facts(seen: Look) -> tuple[tuple[str, str], ...]:
    """Pairs of what and how, in the order of a cross-examination."""
    return (*_pool(seen), *_labels(seen), *_method(seen.study.settings, seen.answer), *_dates(seen))


def _pool(seen: Look) -> Iterator[tuple[str, str]]:
    about = seen.record.pool
    source = about.get("source") or {}
    moved = next((e for e in reversed(seen.events) if isinstance(e, Relocated) and e.part == 0), None)
    file = moved.source if moved else source.get("source")
    yield "File", names_of_files(file) if file else "none: the pool was made of arrays"
    if items := (moved.items if moved else source.get("items")):
        yield "Texts and attributes", names_of_files(items)
    yield "Fingerprint of the pool", str(about["fingerprint"])
    if not str(about["texts"]).startswith("0-"):
        yield "Fingerprint of what was shown", str(about["texts"])
    yield "Pool", f"{count_of(int(about['count']), 'item')}, {len(about['classes']):,} classes"
    for event in seen.events:
        if isinstance(event, Extended):
            file = (event.pool["source"] or {}).get("source")
            came = f", {names_of_files(file)}" if file else ""
            yield "Extended by", f"{count_of(event.pool['count'], 'item')}, {event.pool['fingerprint']}{came}"
    named = " and ".join(seen.question.models) or about["model"]  # a question of several names them
    yield "Model", "the only one" if named == "model" else str(named)
    if about["positive"] is not None:
        yield "Positive class", str(about["positive"])
    if source.get("positive_score") is not None:
        threshold = source.get("threshold")
        yield "Threshold", f"{0.5 if threshold is None else threshold:g} on {source['positive_score']}"


def names_of_files(files: str | Sequence[str]) -> str:
    """The names of one or several files, without the folders they lie in, which are nobody's business."""
    return ", ".join(Path(file).name for file in ([files] if isinstance(files, str) else files))


def _labels(seen: Look) -> Iterator[tuple[str, str]]:
    people = Counter(event.by or "unnamed" for event in seen.events if isinstance(event, Told | Corrected))
    shown = [f"{name} ({count:,})" for name, count in people.most_common(_MOST_PEOPLE)]
    more = len(people) - len(shown)
    yield "Labellers", ", ".join(shown) + (f" and {more:,} more" if more else "") if shown else "nobody yet"
    outside = Counter(e.drawn for e in seen.events if isinstance(e, Told) and e.drawn is not None)
    if outside:
        yield "Brought along", ", ".join(f"{count_of(n, 'label')} drawn {how}" for how, n in sorted(outside.items()))
    unknown = sum(isinstance(e, Query) and e.probability is None for e in seen.events)
    if any(isinstance(e, Query) for e in seen.events):
        yield "Chances of the draws", f"not known of {unknown:,} queries" if unknown else "known of every query"


def _method(settings: StudySettings, answer: Answer) -> Iterator[tuple[str, str]]:
    name, _, reason = answer.strategy.partition(": ")
    yield "Which items were asked", f"{reason or name} (strategy “{name}”)"
    yield "How numbers were computed", answer.findings[0].method
    if not (settings.estimator_used.reads_draws or settings.question.of_models):
        yield "Prior", _prior(settings)
    yield "Intervals", interval_words(answer.findings[0])
    yield "About", describe_target(settings.target)
    yield "Goal", "none set" if settings.until is None else settings.until.describe()
    yield "Budget", "none set" if settings.budget is None else count_of(settings.budget, "label")
    yield "Seed", str(settings.seed)
    yield "Version", f"fewlabels {version('fewlabels')}"


def _dates(seen: Look) -> Iterator[tuple[str, str]]:
    if seen.record.created:
        yield "Study made", date(seen.record.created)
    if seen.events:
        yield "First and last entry", f"{date(seen.events[0].at)} – {date(seen.events[-1].at)}"


def date(iso: str) -> str:
    """A moment in words; a dash where there was none."""
    return datetime.fromisoformat(iso).strftime("%d %B %Y, %H:%M UTC").lstrip("0") if iso else "–"


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
