"""Making a study, and finding one again."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from fewlabels.answers import Target
from fewlabels.assessment import Assessment, assess
from fewlabels.core.priors import Prior, PriorName
from fewlabels.errors import QuestionError, StudyError
from fewlabels.estimators import Averaged
from fewlabels.old_reading import AS_WRITTEN
from fewlabels.pool import Pool
from fewlabels.questions import Compare, Question
from fewlabels.settings import StudySettings
from fewlabels.stopping import HalfWidth, Stopping, Variance
from fewlabels.storages import Storage, StudyRecord, open_storage
from fewlabels.strategies import Acis
from fewlabels.study import Study

WIDEST = 0.5  # half the range of a share: no interval of one is wider, and no standard deviation larger


def create_study(
    pool: Pool,
    question: Question,
    *,
    strategy: str | Acis = "auto",
    estimator: str | Averaged = "auto",
    prior: PriorName | Prior = "scores",
    prior_strength: float | None = None,
    target: Target = "pool",
    until: Stopping | None = None,
    budget: int | None = None,
    seed: int = 0,
    level: float = 0.95,
    model: str | None = None,
    storage: str | Storage | None = None,
    name: str = "study",
    load_if_exists: bool = False,
) -> Study:
    """A new study of the pool, kept in `storage` (memory by default, or "sqlite:///study.db")."""
    if not isinstance(pool, Pool):
        raise QuestionError(f"a study needs a pool, got {pool!r}; open a file with fl.open_pool(…) first.")
    if model is None and len(pool.models) > 1:
        raise QuestionError(f"the pool has several models; say which with model=: {', '.join(pool.models)}.")
    chosen = model or pool.models[0]
    if chosen not in pool.models:
        raise QuestionError(f"the pool has no model {chosen!r}; models are {', '.join(pool.models)}.")
    seed, budget = (int(n) if isinstance(n, np.integer) else n for n in (seed, budget))  # type: ignore[assignment]
    settings = StudySettings(
        question, strategy, estimator, prior, prior_strength, target, until, budget, seed, level, chosen
    )
    assessment = assess(settings, question, pool, chosen)
    _check_goal(assessment)
    cells = assessment.cells
    place = open_storage(storage)
    if load_if_exists and name in place.names():
        return _same_settings(Study(place.load(name), place, pool), settings)
    about = {
        "classes": list(pool.classes),
        "other_labels": list(pool.other_labels),
        "positive": pool.positive,
        "model": chosen,
        "whole_ids": pool.whole_ids,
        "count": len(pool),
        "fingerprint": pool.engine.fingerprint(chosen, cells.axes),
        "texts": pool.engine.payload_fingerprint,
        "source": pool.source,
        "read": AS_WRITTEN,
    }
    record = StudyRecord(
        name, settings.to_json(), about, cells.to_bytes(), datetime.now(UTC).isoformat(timespec="milliseconds")
    )
    try:
        place.create(record)
    except StudyError:  # somebody else was quicker
        if not load_if_exists:
            raise
        return _same_settings(Study(place.load(name), place, pool), settings)
    return Study(record, place, pool)


def _check_goal(assessment: Assessment) -> None:
    """Raise where a goal is reached by any interval, or speaks of a figure there is not; older studies keep theirs."""
    until, question, metric = assessment.settings.until, assessment.question, assessment.metric
    if isinstance(until, Variance) and until.goal >= WIDEST**2:
        raise QuestionError(
            f"any F-score has a variance below {WIDEST**2:g}, so the goal {until.goal:g} is reached by anything; set a "
            "smaller one, such as 0.005."
        )
    if not isinstance(until, HalfWidth):
        return
    overall = until.of == "overall"
    if overall and isinstance(question, Compare):
        raise QuestionError("a comparison has no overall figure; use HalfWidth(…, of='groups') for its difference.")
    if overall and metric.overall is None:
        raise QuestionError("a curve has no overall figure; use HalfWidth(…, of='groups').")
    low, high = metric.bounds(assessment.view)
    share = metric.shown_as == "share"
    widest = (high - low) * (2 * WIDEST if isinstance(question, Compare) else WIDEST) if share else math.inf
    if until.goal >= widest:
        what = f"no interval is wider than ±{widest:g}, so the goal" if share else "the goal"
        raise QuestionError(f"{what} ±{until.goal:g} is reached by anything; set a smaller one, such as 0.05.")


def _same_settings(study: Study, settings: StudySettings) -> Study:
    then, now = study.settings.to_json(), settings.to_json()
    differing = [key for key in now if now[key] != then[key]]
    if differing:
        first = differing[0]
        was, is_ = (
            s.question.describe() if first == "question" else s.to_json()[first] for s in (study.settings, settings)
        )
        raise StudyError(
            f"study {study.name!r} exists with other settings ({', '.join(differing)}: {was!r} then, {is_!r} now); "
            "load it with load_study, or choose another name."
        )
    return study


def load_study(name: str = "study", *, storage: str | Storage, pool: Pool | None = None) -> Study:
    """The study of this name. The pool is needed only to ask for more labels or other questions; when it came from a
    file it is opened again by itself."""
    place = open_storage(storage, must_exist=True)
    return Study(place.load(name), place, pool)


def study_names(storage: str | Storage) -> Sequence[str]:
    """The studies kept in a storage, oldest first."""
    return open_storage(storage, must_exist=True).names()
