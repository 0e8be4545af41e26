"""How findings are read to people, in figures, reports and on the command line."""

from collections.abc import Iterable

from fewlabels.answers import Finding
from fewlabels.core.cells import JOIN

ARROW = " → "  # between predicted and true class, in the group names of a confusion matrix


def is_mix_up(group: str) -> bool:
    """Whether an entry of a confusion matrix is off its diagonal: predicted one class, truly another."""
    predicted, _, true = group.rpartition(ARROW)
    return predicted != true and true not in predicted.split(JOIN)


def mix_ups_first(findings: Iterable[Finding]) -> list[Finding]:
    """The entries of a confusion matrix: mix-ups first, the most frequent of them at the top; unknown ones last."""

    def place(finding: Finding) -> tuple[bool, bool, float]:
        unknown = finding.value != finding.value
        return unknown, not is_mix_up(finding.group), 0.0 if unknown else -finding.value

    return sorted(findings, key=place)
