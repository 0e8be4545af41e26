"""Which figures a report has: those that fit the question, and of large studies those that are quickly made."""

from dataclasses import dataclass

from fewlabels.errors import FewlabelsError
from fewlabels.figures import FIGURES, Figure
from fewlabels.study.look import Look

_MOST = 150_000  # groups times labels up to which other questions are read for figures: a fit takes that long


@dataclass(frozen=True)
class LeftOut:
    """A figure that is not in the report, and why."""

    name: str
    why: str


def small(seen: Look) -> bool:
    """Whether a further reading of the labels takes well under a second."""
    return len(seen.answer.findings) * max(seen.evidence.count, 1) <= _MOST


def pictures(seen: Look) -> tuple[tuple[Figure, ...], tuple[LeftOut, ...]]:
    """The figures, in the order of their dictionary, and those that there are not."""
    found, missing = [], []
    for name, kind in FIGURES.items():
        if not kind.fits(seen):
            continue
        if kind.reads_again and not small(seen):
            missing.append(
                LeftOut(name, f"left out for time in so large a study; fewlabels plot STUDY {name} draws it")
            )
            continue
        try:
            found.append(kind.make(seen))
        except FewlabelsError as error:
            missing.append(LeftOut(name, str(error)))
    return tuple(found), tuple(missing)
