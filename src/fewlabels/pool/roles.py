"""What columns mean by their names."""

from collections.abc import Collection, Sequence
from typing import Any

from fewlabels.errors import PoolError, listed

PAYLOAD = ("text", "image_url", "url")  # shown to the labeller
MODEL = "model"  # the column that names the models, where there are several
PREFIX = "p_"  # of the columns of classes' probabilities


def needed(columns: Collection[str], name: str, role: str) -> None:
    """Raise where a column that was named is not there."""
    if name not in columns:
        raise PoolError(f"no column {name!r} for {role}; columns are {listed(columns)}.")


def no_predictions(columns: Collection[str]) -> PoolError:
    """For a table without any."""
    return PoolError(
        "no predictions found. Expected a column per class (p_<class>), a list column 'probabilities', 'predicted' "
        f"with 'score', or positive_score= naming a column; columns are {listed(columns)}."
    )


def split_are_attributes(split: Collection[str], predicted: Collection[str], names: Sequence[str] | None) -> bool:
    """Whether columns called p_… are something else beside `predicted` and `score`: none is a predicted class."""
    suffixes = {column.removeprefix(PREFIX) for column in split}
    return not suffixes & (set(predicted) | set(names or ())) and not all(s.isdigit() for s in suffixes)


def class_columns(split: Sequence[str], names: Sequence[Any] | None) -> tuple[list[str], list[Any]]:
    """Columns of classes in order, and the classes: what stands behind p_, letter by letter.

    With a list of classes, columns that are numbered (p_0, p_1, … or p_000, …) go with it in the order of the numbers.
    """
    ordered = list(split)
    suffixes = [c.removeprefix(PREFIX) for c in ordered]
    numbered = all(s.isdecimal() and s.isascii() for s in suffixes)
    if numbered:
        ordered.sort(key=lambda c: int(c.removeprefix(PREFIX)))
        suffixes = [c.removeprefix(PREFIX) for c in ordered]
    if names is None:
        return ordered, suffixes
    if set(names) == set(suffixes):
        ordered = [PREFIX + name for name in names]
    elif not numbered:
        odd = sorted(set(names) ^ set(suffixes))[0]
        raise PoolError(
            f"classes and the columns p_… do not agree on {odd!r}; leave classes out, or name the same ones."
        )
    return ordered, list(names)
