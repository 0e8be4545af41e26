"""What is asked of every pool, by which methods, and after how many labels one looks."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from benchmarks.leaderboard.pools import BoardPool

import fewlabels as fl
from fewlabels.questions import Question

LOOKS = (20, 50, 100, 200, 500, 1000)
A_CLASS = (2, 5, 10)  # labels a class at which classes are compared,
MOST_A_CLASS = 100  # and a third of the sub-pool, or so many a class
MANY = 200  # groups from which on what is dear to read is read less often
TOP = 3  # groups of which the probability of a set is asked

METHODS: dict[str, fl.Method] = {
    "thompson+beta": fl.Method("thompson", "beta"),
    "uniform+frequency": fl.Method("uniform", "frequency", "flat"),
    "gain+hierarchical": fl.Method("gain", "hierarchical"),
    "uniform+hierarchical": fl.Method("uniform", "hierarchical"),
    "auto": fl.Method(),
}
RIVALS = ("thompson+beta", "uniform+frequency")  # these take labels one by one, which is best for them
ABLATION = "uniform+hierarchical"  # tells what the choice of items is worth; not asked of very many groups


@dataclass(frozen=True)
class Study:
    """A question with its looks."""

    name: str
    question: Callable[[BoardPool, fl.Pool], Question]
    looks: Callable[[BoardPool], list[int]]
    methods: tuple[str, ...]


def class_marks(board: BoardPool) -> dict[str, int]:
    """The looks that bars on classes name: so many labels a class, and the last one."""
    groups, half = len(board.groups), board.items // 2
    marks = {f"N/K = {n}": n * groups for n in A_CLASS if n * groups <= half}
    return marks | {"third": min(board.items // 3, MOST_A_CLASS * groups)}


def _usual(board: BoardPool) -> list[int]:
    return [look for look in LOOKS if look <= board.items // 2]


def _of_classes(board: BoardPool) -> list[int]:
    return sorted({*_usual(board), *class_marks(board).values()})


def _of_worst(board: BoardPool) -> list[int]:
    wanted = (200, 1000) if len(board.groups) > MANY else (100, 500, 1000)
    return [look for look in wanted if look <= board.items // 2]


def _of_pair(board: BoardPool) -> list[int]:
    items = board.share * np.sort(board.sizes)[-2:].sum()
    return [look for look in LOOKS if look <= items / 2] or [LOOKS[0]]


def _pair(board: BoardPool, pool: fl.Pool) -> Question:
    """The two largest groups of the sub-pool; of equals the first."""
    cells = pool.engine.summarise("model", fl.Estimate("accuracy", by=board.by).axes, probabilities=False)
    first, second = np.argsort(-cells.size, kind="stable")[:2]
    names = [cells.names[0][cells.coordinates[cell, 0]] for cell in (first, second)]
    return fl.Compare("accuracy", board.by, *names)


_ALL = tuple(METHODS)
_NO_ABLATION = tuple(name for name in METHODS if name != ABLATION)
STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        Study("classes", lambda board, _: fl.Estimate("accuracy", by=board.by), _of_classes, _ALL),
        Study("overall", lambda *_: fl.Estimate("accuracy"), _usual, _ALL),
        Study("calibration", lambda *_: fl.Estimate("calibration_error"), _usual, _ALL),
        Study("worst", lambda board, _: fl.Identify("accuracy", by=board.by), _of_worst, _NO_ABLATION),
        Study("compare", _pair, _of_pair, _NO_ABLATION),
    )
}
# What tells where the gains come from, and what the papers' way would have said; no bar rests on it.
BESIDE = {(study, ABLATION) for study in STUDIES} | {
    (study, rival) for study in ("worst", "compare") for rival in RIVALS
}
