"""The one error that is the command line's own."""

from fewlabels.errors import FewlabelsError


class WrongUse(FewlabelsError):  # noqa: N818 - it is said to a person, not caught by programs
    """The command was called in a way that means nothing; exit code 2."""
