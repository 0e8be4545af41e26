"""What every goal promises: never reached on the prior's word, content once all is known, blind to order."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Any, get_args

import numpy as np

from fewlabels.answers import Progress, Target
from fewlabels.errors import QuestionError
from fewlabels.questions import Compare, Estimate, Identify, Question
from fewlabels.stopping import STOPPING, Figures, Stopping
from fewlabels.stopping.base import Reads
from fewlabels.study import Study
from fewlabels.study.creation import create_study
from fewlabels.testing.folded import folded
from fewlabels.testing.promises import Promise, check_all, known_by_name, same_after_it_was_kept
from fewlabels.testing.world import World

ITEMS = 120
STRONG = 1000.0  # pseudo-labels of a prior that is sure of everything
QUESTIONS: Mapping[str, Question] = MappingProxyType(
    {
        "accuracy": Estimate("accuracy"),
        "accuracy by class": Estimate("accuracy", by="predicted_class"),
        "calibration error": Estimate("calibration_error"),
        "least accurate": Identify("accuracy", by="predicted_class"),
        "comparison": Compare("accuracy", by="predicted_class", a="ant", b="cat"),
        "F1": Estimate("f1", positive="bee"),
    }
)
WORLD = World(ITEMS)
_ASKED = 70  # labels whose order is turned


def check_stopping(goal: Stopping, questions: Iterable[Question] | None = None) -> None:
    """Raise where the goal breaks a promise; without `questions`, in studies of every kind it fits."""
    with known_by_name(STOPPING, goal):
        asked = [q for q in QUESTIONS.values() if fits(goal, q)] if questions is None else list(questions)
        assert asked, f"no question has the goal {goal.name!r}"
        check_all(goal.name, _promises(goal, asked))


def _promises(goal: Stopping, questions: Iterable[Question]) -> Iterator[Promise]:
    yield partial(same_after_it_was_kept, goal, STOPPING)
    yield partial(says_itself_in_words, goal)
    yield partial(refuses_in_words, goal)
    for question in questions:
        yield partial(not_on_the_priors_word, goal, question)
        yield partial(nothing_more_wanted_once_all_is_labelled, goal, question)
        yield partial(wants_no_more_than_there_is, goal, question)
        yield partial(blind_to_the_order_of_labels, goal, question)
        yield partial(reads_what_it_says, goal, question)


def fits(goal: Stopping, question: Question) -> bool:
    """Whether a study of the question takes the goal."""
    try:
        create_study(WORLD.pool, question, until=goal)
    except QuestionError:
        return False
    return True


def _study(goal: Stopping, question: Question, items: Iterable[int], **more: Any) -> Study:
    study = create_study(WORLD.pool, question, until=goal, **more)
    if told := WORLD.labels(items):
        study.tell(told, drawn="uniform")
    return study


def progress_of(goal: Stopping, study: Study) -> tuple[Progress, int]:
    """What the goal says of a study, and how many items its question could still learn from."""
    assessed, history = folded(study)
    remaining = int(assessed.remaining(history.taken).sum())
    return goal.progress(study.answer(), remaining, history.evidence()), remaining


def _some(count: int) -> list[int]:
    chosen: list[int] = np.random.default_rng(15).permutation(ITEMS)[:count].tolist()
    return chosen


# -- one promise each ----------------------------------------------------------------------------------------------


def not_on_the_priors_word(goal: Stopping, question: Question) -> None:
    """No goal is reached on the prior's word: before every group has labels of its own, however strong the prior."""
    ants = np.flatnonzero(WORLD.predicted == 0).tolist()
    of_one_group = [ants[:1], ants] if question.groups and goal.reads != "overall" else []
    for strength, target, items in product((None, STRONG), get_args(Target), ([], *of_one_group)):
        study = _study(goal, question, items, prior_strength=strength, target=target)
        progress, _ = progress_of(goal, study)
        where = f"with {len(items)} labels, all of one group," if items else "without a label"
        assert not progress.done, f"done {where} under a prior worth {strength or 'two'}: {progress}"
        assert not study.done, f"the study is done {where}: {study.progress}"


def nothing_more_wanted_once_all_is_labelled(goal: Stopping, question: Question) -> None:
    """Once every item is labelled the goal is reached, or wants no more labels, and the study is done."""
    study = _study(goal, question, range(ITEMS))
    progress, remaining = progress_of(goal, study)
    assert remaining == 0
    assert progress.done or not progress.labels_left or not progress.labels_left.high, (
        f"all is labelled, and it says: {progress}"
    )
    assert study.done, f"all is labelled, and the study says: {study.progress}"


def wants_no_more_than_there_is(goal: Stopping, question: Question) -> None:
    """The labels it still wants are as many as there are items left, at most; none once it is reached."""
    for count in (0, 1, 12, 60, ITEMS - 1, ITEMS):
        progress, remaining = progress_of(goal, _study(goal, question, _some(count)))
        left = progress.labels_left
        if left is not None:
            assert 0 <= left.low <= left.likely <= left.high, f"{left.likely} labels are likely, of {left}"
            assert left.high <= remaining, f"{left} are wanted, and {remaining} items left"
            assert not (progress.done and left.high), f"done, and {left} wanted"
        assert str(progress).strip(), "progress says nothing"


def blind_to_the_order_of_labels(goal: Stopping, question: Question) -> None:
    """The order of the labels does not matter: that in which items were asked for is not the one they come back in.
    Looking twice shows the same."""
    seen: list[Progress] = []
    for by, turn in product((WORLD.true == WORLD.predicted, WORLD.true, WORLD.score), (1, -1)):
        study = create_study(WORLD.pool, question, until=goal)
        asked = sorted((int(query.item) for query in study.ask(_ASKED)), key=lambda item: turn * float(by[item]))
        study.tell(WORLD.labels(asked))
        seen.append(progress_of(goal, study)[0])
        assert progress_of(goal, study)[0] == seen[-1], "looking again shows something else"
        assert seen[-1] == seen[0], f"{seen[0]} in one order, {seen[-1]} in another"


def reads_what_it_says(goal: Stopping, question: Question) -> None:
    """It reads no more of an answer than it says: a study works out that much for it."""
    for count in (0, 30, 90, ITEMS - 1):
        study = _study(goal, question, _some(count))
        (whole, remaining), part = progress_of(goal, study), study.progress
        same = not remaining or whole.done == part.done  # a study is done too when nothing is left
        assert same, f"of the whole answer it says: {whole} Of what it says it reads: {part}"


def says_itself_in_words(goal: Stopping) -> None:
    """A goal says itself in words, and what it reads is one of what there is."""
    assert goal.describe().strip(), "the goal does not say itself in words"
    assert goal.reads in get_args(Reads), f"reads is {goal.reads!r}; it is one of {', '.join(get_args(Reads))}"


def refuses_in_words(goal: Stopping) -> None:
    """Questions it is not for are refused by a QuestionError that says why, and by no other error."""
    shares = Figures("estimate", overall=True, range=1.0, share=True)
    figures = [shares, replace(shares, overall=False), replace(shares, range=7.0, share=False)]
    for kind, draws in (("estimate", False), ("estimate", True), ("identify", False), ("compare", False)):
        for one in figures:
            try:
                goal.fits(kind, draws=draws)
                goal.check(replace(one, kind=kind))
            except QuestionError as refused:
                assert len(str(refused)) > 10, f"{str(refused)!r} does not say why"  # noqa: PT017 - any may refuse
