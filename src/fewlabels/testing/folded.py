"""A study's labels as its parts see them."""

from fewlabels.assessment import Assessment, assess
from fewlabels.core.history import History
from fewlabels.study import Study


def folded(study: Study) -> tuple[Assessment, History]:
    """A study's question on its pool, and all that happened."""
    assessed = assess(study.settings, study.settings.question, study.pool, study.pool.models[0])
    history = History({name: i for i, name in enumerate(study.classes)}, assessed.cells.count)
    for event in study.events:
        history.apply(event)
    return assessed, history
