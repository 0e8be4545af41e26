"""Every exception raised on purpose. Each message names the value, what was expected and what to do."""

from collections.abc import Iterable


def listed(names: Iterable[object], most: int = 12) -> str:
    """The first few names, for a message: what is known where something unknown was given.

    >>> listed("abcd", most=2)
    'a, b and 2 more'
    """
    all_names = [str(name) for name in names]
    more = f" and {len(all_names) - most:,} more" if len(all_names) > most else ""
    return (", ".join(all_names[:most]) + more) or "none"


def shortened(value: object, most: int = 60) -> str:
    """A value as a message shows it: written out, but not by the page.

    >>> shortened("a" * 5, most=3)
    "'aaa'… (5 characters)"
    """
    text = value if isinstance(value, str) else repr(value)
    if len(text) <= most:
        return repr(value)
    return f"{text[:most]!r}… ({len(text):,} characters)"


class FewlabelsError(Exception):
    """The base of all errors raised on purpose; catching it catches nothing else."""


class PoolError(FewlabelsError, ValueError):
    """What was handed in as a pool cannot be used as it is."""


class QuestionError(FewlabelsError, ValueError):
    """The question, or a setting of the study, does not fit the pool or is not known."""


class LabelError(FewlabelsError, ValueError):
    """A label was told, skipped or corrected in a way that contradicts what is recorded. Nothing was changed."""


class StudyError(FewlabelsError, RuntimeError):
    """The study, or the place it is kept in, is not in a state that allows this."""


class PoolAwayError(StudyError):
    """The study's pool is needed for this and is not at hand."""


class MissingExtraError(FewlabelsError, ImportError):
    """An optional package is needed for this and is not installed."""
