"""How many own labels a group needs, for what.

docs/decisions/0027-groups-unlike-the-rest.md has the figures. Groups of a user's column may be unlike the others, so
that five labels come before a rank. Classes are many and alike: their intervals hold from three on, and not below.
"""

from fewlabels.core.groups import Grouping, of_a_column

FLOOR = 5  # labels that each group of a user's column gets first,
SHARE, GROUPS = 0.5, 20  # by this share of the draws; by less where there are more groups than that
OF_OTHERS = 3  # labels from which on groups of other kinds have intervals and ranks


def share_of_draws(groups: int) -> float:
    """The share of the draws by gain that goes to groups with fewer labels than the floor, while there are any.

    >>> share_of_draws(5), share_of_draws(100)
    (0.5, 0.1)
    """
    return SHARE * min(1.0, GROUPS / groups)


def ranked_from(by: tuple[Grouping, ...]) -> int:
    """The labels from which on a group may be said to be lowest or highest."""
    return FLOOR if of_a_column(by) else OF_OTHERS


def interval_from(by: tuple[Grouping, ...]) -> int:
    """The labels from which on a group has an interval."""
    return 1 if of_a_column(by) else OF_OTHERS
