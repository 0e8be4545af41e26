"""A pool that grows: what new items must be so that they may join it, and the pool as all of its parts."""

from collections.abc import Mapping, Sequence
from typing import Any

from fewlabels.assessment import Assessment
from fewlabels.core.cells import Cells
from fewlabels.core.events import Extended, Item
from fewlabels.core.groups import Grouping, ScoreBins
from fewlabels.core.joined import without_part
from fewlabels.engines import Engine, GrownEngine
from fewlabels.errors import PoolError, QuestionError, listed
from fewlabels.pool import Pool
from fewlabels.pool.classes import with_classes
from fewlabels.study.pools_of_0_1_0 import AS_WRITTEN


def about_pool(pool: Pool, model: str, axes: tuple[Grouping, ...]) -> dict[str, Any]:
    """What a study keeps of a pool to know it again."""
    return {
        "count": len(pool),
        "fingerprint": pool.engine.fingerprint(model, axes),
        "texts": pool.engine.payload_fingerprint,
        "source": pool.source,
        "read": AS_WRITTEN,
    }


def check_may_grow(assessment: Assessment) -> None:
    """Raise where labels drawn from a smaller pool cannot be read beside those of a larger one."""
    question, axes = assessment.question, assessment.cells.axes
    if assessment.estimator.reads_draws:
        raise QuestionError(
            f"a study of {question.describe()} cannot be extended: its draws are weighed by the chances they had in "
            "the pool they were drawn from, and by ranks of all its scores. Make a study of the new items, or of both "
            "together, and tell it these labels with drawn='unknown'."
        )
    if question.proves:
        raise QuestionError(
            f"a study of {question.describe()} with proven=True cannot be extended: what is proven is of the items it "
            "was drawn from. Make a study of the new items, or of both together."
        )
    if question.of_models:
        raise QuestionError(
            f"a study of {question.describe()} cannot be extended: its labels are a simple random sample of the items "
            "on which the models differed then. Make a study of the new items."
        )
    if any(isinstance(axis, ScoreBins) and axis.by == "mass" for axis in axes):
        raise QuestionError(
            "a study by score bins of equal mass cannot be extended: with other items the bins would be others. Make a "
            "study of the new items, or ask by bins of equal width."
        )


def of_the_same_model(pool: Pool, about: Mapping[str, Any], had: Engine) -> Pool:
    """The new items, with the classes of the study; raises where they are not of its model and kind."""
    if about["model"] not in pool.models:
        raise PoolError(
            f"this study is about model {about['model']!r}; the new items have {', '.join(pool.models)}. Name it alike."
        )
    classes, others = tuple(about["classes"]), tuple(about["other_labels"])
    odd = [name for name in pool.true_classes if name not in (*classes, *others)]
    wider = None if odd else with_classes(pool, classes, others)
    if wider is None:
        what = f"class {odd[0]!r} is not among those of the study" if odd else "its classes are not those of the study"
        raise PoolError(f"new items must be of the same model: {what} ({listed(classes)}); pass classes= as it was.")
    if had.full_probabilities and not pool.engine.full_probabilities:
        raise PoolError("the study's pool has every class's probability, the new items only that of the one predicted.")
    if pool.engine.whole_ids != about["whole_ids"]:
        kinds = ("whole numbers", "text") if about["whole_ids"] else ("text", "whole numbers")
        raise PoolError(f"ids are {kinds[0]} in the study's pool and {kinds[1]} here; write them alike.")
    return wider


def check_new(pool: Pool, had: Engine, model: str, axes: tuple[Grouping, ...]) -> None:
    """Raise where an item is in the pool already."""
    known: list[Item] = []
    for chunk in pool.engine.scan(model):
        items: list[Item] = chunk.items.tolist()
        known += [item for item, row in zip(items, had.find(model, axes, items), strict=True) if row is not None]
    if known:
        more = f" (and {len(known) - 1:,} more)" if len(known) > 1 else ""
        raise PoolError(
            f"item {known[0]!r}{more} is in the study's pool already; extend takes new items only. Leave out those it "
            "has; if their predictions changed, it is another model, and takes a study of its own."
        )


def extension(pool: Pool, about: Mapping[str, Any], cells: Cells, by: str | None, at: str) -> Extended:
    """The event of new items."""
    model, axes = about["model"], without_part(cells.axes)
    own = pool.engine.summarise(model, axes, probabilities=cells.probability_sum is not None)
    return Extended.by_cells(about_pool(pool, model, axes), own, by, at)


def whole_pool(parts: Sequence[Pool]) -> Pool:
    """All parts as one pool."""
    first = parts[0]
    return first if len(parts) == 1 else Pool(GrownEngine(tuple(p.engine for p in parts)), first.positive, first.source)
