"""What no rule changes in the answer of a study that follows older rules: how many labels stand behind each figure."""

from collections.abc import Mapping
from typing import Any

from fewlabels.verification.replay import Difference


def compared_counts(stated: Mapping[str, Any], due: Mapping[str, Any]) -> list[Difference | None]:
    """The labels behind each figure of an answer, against those that the study's events give: one entry for each
    figure that both have, None where they agree."""
    one, other = _labels_by_group(stated), _labels_by_group(due)
    return [
        None
        if one[group] == other[group]
        else Difference(
            f"the answer, {group!r}", f"it says {one[group]:,} labels, and the study has {other[group]:,} of them"
        )
        for group in one
        if group in other
    ]


def _labels_by_group(answer: Mapping[str, Any]) -> dict[str, int]:
    """By the name of each figure; the order of figures may follow their values, which rules change."""
    figures = [answer.get("overall"), *answer.get("findings", [])]
    return {str(figure["group"]): int(figure["labels"]) for figure in figures if figure and "group" in figure}
