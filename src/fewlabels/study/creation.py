"""Making a study, and finding one again."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fewlabels.answers import Target
from fewlabels.assessment import assess
from fewlabels.between_models import asked_of
from fewlabels.core.priors import Prior, PriorName
from fewlabels.engines.kept_passes import kept_in
from fewlabels.errors import QuestionError, StudyError
from fewlabels.estimators import Estimator
from fewlabels.pool import Pool
from fewlabels.questions import Question
from fewlabels.settings import Consensus, Skipping, StudySettings
from fewlabels.stopping import Stopping
from fewlabels.storages import SQLITE, Storage, StudyRecord, file_of, open_storage
from fewlabels.strategies import Strategy
from fewlabels.study import clock
from fewlabels.study.growing import about_pool
from fewlabels.study.study import Study
from fewlabels.study.terms import check_goal


def create_study(
    pool: Pool,
    question: Question,
    *,
    strategy: str | Strategy = "auto",
    estimator: str | Estimator = "auto",
    prior: PriorName | Prior = "scores",
    prior_strength: float | None = None,
    target: Target = "pool",
    until: Stopping | None = None,
    budget: int | None = None,
    seed: int = 0,
    level: float = 0.95,
    model: str | None = None,
    labels_per_item: int = 1,
    overlap: float = 1.0,
    consensus: Consensus = "majority",
    label_error: float | None = None,
    skips: Skipping = "worst",
    storage: str | Storage | None = None,
    name: str = "study",
    load_if_exists: bool = False,
) -> Study:
    """A new study of the pool, kept in `storage` (memory by default, or "sqlite:///study.db").

    With `labels_per_item` items get labels of that many labellers, or with `overlap` a share of them; `consensus` is
    what these come to. How often labels are wrong is then known and allowed for, or `label_error` says it.

    Intervals hold whatever skipped items are; with skips="ignorable" they assume that these are like the others.
    """
    if not isinstance(pool, Pool):
        raise QuestionError(f"a study needs a pool, got {pool!r}; open a file with fl.open_pool(…) first.")
    question, chosen = asked_of(question, pool, model)
    seed, budget = (int(n) if isinstance(n, np.integer) else n for n in (seed, budget))  # type: ignore[assignment]
    given = StudySettings(
        question, strategy, estimator, prior, prior_strength, target, until, budget, seed, level, chosen,
        labels_per_item, overlap, consensus, label_error, skips,
    )  # fmt: skip
    with kept_in(_beside(storage)):
        return _created(given, pool, question, chosen, storage, name, load_if_exists)


def _beside(storage: str | Storage | None) -> Path | None:
    """Where to keep what passes over a large pool find until the study is made: a folder beside its file."""
    in_file = isinstance(storage, str) and storage.startswith(SQLITE)
    return Path(f"{file_of(str(storage))}-passes") if in_file else None


def _created(
    given: StudySettings, pool: Pool, question: Question, model: str, storage: str | Storage | None, name: str,
    load: bool,
) -> Study:  # fmt: skip
    StudySettings.from_json(given.resolved().to_json())  # a part that cannot be kept is refused before a pass
    assessment = assess(given, question, pool, model)
    settings = assessment.settings.resolved()
    check_goal(assessment)
    cells = assessment.cells
    place = open_storage(storage)
    if load and name in place.names():
        return _same_settings(place.load(name), place, pool, given)
    about = {
        "classes": list(pool.classes),
        "other_labels": list(pool.other_labels),
        "positive": pool.positive,
        "model": model,
        "whole_ids": pool.engine.whole_ids,
        **about_pool(pool, model, cells.axes),
    }
    record = StudyRecord(name, settings.to_json(), about, cells.to_bytes(), clock.now())
    study = Study(record, place, pool)
    first = study.first_items()  # all that takes long is done before anything is written
    try:
        place.create(record)
    except StudyError:  # somebody else was quicker
        if not load:
            raise
        return _same_settings(place.load(name), place, pool, given)
    study.keep_first_items(first)
    return study


def _same_settings(record: StudyRecord, place: Storage, pool: Pool, given: StudySettings) -> Study:
    """The study, where its settings are those given, as it was made or as it was changed since; what is left to "auto"
    is what it was when the study was made."""
    study = Study(record, place, pool)
    made, changed = StudySettings.from_json(record.settings).as_kept(), study.settings
    then, since, now = (settings.to_json() for settings in (made, changed, given.resolved()))
    left = [key for key in ("strategy", "estimator") if getattr(given, key) == "auto"]
    differing = [key for key in now if now[key] not in (then[key], since[key]) and key not in left]
    if differing:
        first = differing[0]
        was, is_ = (s.question.describe() if first == "question" else s.to_json()[first] for s in (changed, given))
        raise StudyError(
            f"study {study.name!r} exists with other settings ({', '.join(differing)}: {was!r} then, {is_!r} now); "
            "load it with load_study, or choose another name."
        )
    return study


def load_study(name: str = "study", *, storage: str | Storage, pool: Pool | Sequence[Pool] | None = None) -> Study:
    """The study of this name. The pool is needed only to ask for more labels or other questions; when it came from a
    file it is opened again by itself. Of a study that was extended: all its pools, in the order they came."""
    place = open_storage(storage, must_exist=True)
    return Study(place.load(name), place, pool)


def study_names(storage: str | Storage) -> Sequence[str]:
    """The studies kept in a storage, oldest first."""
    return open_storage(storage, must_exist=True).names()
