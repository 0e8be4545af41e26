"""Figures of a study: each one a module, a name and a line in FIGURES."""

from pathlib import Path

from fewlabels.errors import QuestionError
from fewlabels.figures.figure import NARROW, WIDE, Figure, Number, Table
from fewlabels.figures.groups import groups
from fewlabels.figures.kinds import Kind
from fewlabels.study import Study
from fewlabels.study.look import Look, look

__all__ = ["FIGURES", "NARROW", "WIDE", "Figure", "Kind", "Number", "Table", "plot"]


def _several(seen: Look) -> bool:
    return len(seen.answer.findings) > 1


FIGURES: dict[str, Kind] = {
    "groups": Kind(groups, "each group with its interval", _several),
}


def plot(study: Study, name: str = "groups", path: str | Path | None = None) -> Figure:
    """A figure of the study, written to `path` where one is given (.svg, or .png with the extra `plots`).

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"))
    >>> fl.plot(study, "groups")
    <Figure groups: Accuracy by predicted class>
    """
    if name not in FIGURES:
        raise QuestionError(f"no figure {name!r}; there are {', '.join(FIGURES)}.")
    figure = FIGURES[name].make(look(study))
    if path is not None:
        figure.save(path)
    return figure
