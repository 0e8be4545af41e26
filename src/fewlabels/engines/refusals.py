"""What every engine refuses to group by, or to join, in the same words."""

from collections.abc import Collection, Mapping, Sequence

from fewlabels.core.groups import Grouping
from fewlabels.errors import PoolError, QuestionError, listed

MOST_GROUPS = 100_000  # a column of more distinct values is not a grouping but a measurement


def class_place(classes: Sequence[str], name: str) -> int:
    """Where a class stands among those the models predict."""
    if name not in classes:
        raise QuestionError(f"positive={name!r} is not a class the model predicts; those are {listed(classes)}.")
    return classes.index(name)


def check_column_known(name: str, columns: Collection[str]) -> None:
    """Raise where the pool has no such column."""
    if name not in columns:
        raise QuestionError(
            f"the pool has no column {name!r}; by is predicted_class, true_class, score_bin or a column: "
            f"{listed(columns)}."
        )


def check_groups(name: str, count: int) -> None:
    """Raise where a column has too many values to be groups."""
    if count > MOST_GROUPS:
        raise QuestionError(f"column {name!r} has {count:,} distinct values: too many to be groups.")


def no_scores_of(name: str) -> QuestionError:
    """For a pool that knows only the score of the class predicted."""
    return QuestionError(
        f"this needs the score of {name!r} for every item, and the pool has only that of the class predicted; give "
        "one column a class (probabilities=), or the scores of this class (positive_score=)."
    )


def not_known_yet(grouping: Grouping) -> QuestionError:
    """For a grouping by what only labels tell."""
    return QuestionError(f"{grouping.label} is not known before labelling, so items cannot be grouped by it.")


def not_the_same_ids(counts: Mapping[str, int], odd: str, lacking: str) -> PoolError:
    """For two models, with their numbers of items, of which one lacks an id of the other."""
    (one, here), (two, there) = counts.items()
    return PoolError(
        f"models {one!r} ({here:,} items) and {two!r} ({there:,}) are not over the same ids; "
        f"{odd!r} is missing from {lacking!r}. Score the same items with both."
    )
