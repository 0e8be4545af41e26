"""What every strategy promises of a study: only items of the question, each asked once, and the same for the same
seed."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from fewlabels.assessment import assess
from fewlabels.core.design import design_named
from fewlabels.core.events import Item
from fewlabels.core.history import History
from fewlabels.errors import QuestionError
from fewlabels.metrics import Cost, FCurve, FScore
from fewlabels.questions import Below, Compare, Estimate, Identify, Question
from fewlabels.settings import StudySettings
from fewlabels.step import ahead, next_event
from fewlabels.storages import MemoryStorage, Storage
from fewlabels.strategies import STRATEGIES, Strategy
from fewlabels.study import Study
from fewlabels.study.creation import create_study, load_study
from fewlabels.testing import choices
from fewlabels.testing.promises import (
    Promise,
    assert_drawn_with,
    check_all,
    known_by_name,
    same_after_it_was_kept,
)
from fewlabels.testing.world import CLASSES, World

ByNameOrItself: TypeAlias = str | Strategy
ITEMS = 40
SEEDS = 400  # so many studies are begun where chances are looked at
COST = ((0, 1, 10, 2), (2, 0, 3, 1), (5, 1, 0, 1), (1, 4, 1, 0))
F_QUESTIONS: Mapping[str, Question] = MappingProxyType(  # of the whole pool
    {
        "F1": Estimate("f1", positive="bee"),
        "precision": Estimate("precision", positive="bee"),
        "recall": Estimate("recall", positive="bee"),
        "F of alpha 0.3": Estimate(FScore(0.3, "bee")),
        "F1 at a threshold": Estimate(FScore(0.5, "bee", threshold=0.2)),
        "F1 by threshold": Estimate(FCurve("bee", (0.2, 0.5))),
        "F1, precision and recall": Estimate(["f1", "precision", "recall"], positive="bee"),
    }
)
QUESTIONS: Mapping[str, Question] = MappingProxyType(
    {
        "accuracy": Estimate("accuracy"),
        "accuracy by class": Estimate("accuracy", by="predicted_class"),
        "accuracy by a crossing": Estimate("accuracy", by=("side", "predicted_class")),
        "calibration error": Estimate("calibration_error"),
        "confusion": Estimate("confusion"),
        "cost": Estimate(Cost(COST, CLASSES)),
        "macro-F1": Estimate("macro_f1"),
        "true-positive rate": Estimate("true_positive_rate", by="side", positive="bee"),
        "least accurate": Identify("accuracy", by="predicted_class"),
        "two least accurate": Identify("accuracy", by="predicted_class", top=2),
        "most biased": Identify("calibration_bias", by="predicted_class"),
        "least calibrated": Identify("calibration_error", by="predicted_class"),
        "most costly": Identify(Cost(COST, CLASSES), by="predicted_class"),
        "hardest true class": Identify("accuracy", by="true_class"),
        "comparison": Compare("accuracy", by="predicted_class", a="ant", b="cat"),
        "comparison of true-positive rates": Compare(
            "true_positive_rate", by="side", a="left", b="right", positive="bee"
        ),
        "below a threshold": Below("accuracy", 0.7, by="predicted_class"),
        "F1 by column": Estimate("f1", by="side", positive="bee"),
        **F_QUESTIONS,
    }
)
WORLD = World(ITEMS, case=3)


def check_strategy(strategy: Strategy, questions: Iterable[Question] | None = None) -> None:
    """Raise where the strategy breaks a promise; without `questions`, in studies of every kind that takes it."""
    with known_by_name(STRATEGIES, strategy):
        asked = [q for q in QUESTIONS.values() if _fits(strategy, q)] if questions is None else list(questions)
        assert asked, f"no question takes the strategy {strategy.name!r}"
        check_all(strategy.name, _promises(strategy, asked))


def _fits(strategy: Strategy, question: Question) -> bool:
    try:
        StudySettings(question, strategy)
    except QuestionError:
        return False
    return True


def _promises(strategy: Strategy, questions: Iterable[Question]) -> Iterator[Promise]:
    yield partial(same_after_it_was_kept, strategy, STRATEGIES)
    yield partial(choices.says_its_name_and_how_it_chooses, strategy)
    yield partial(choices.rounds_of_arms_with_items_left, strategy)
    yield partial(choices.same_key_same_choice, strategy)
    yield partial(choices.drawn_with_the_probabilities_given, strategy)
    for question in questions:
        yield partial(every_item_asked_once, strategy, question)
        yield partial(same_seed_same_queries, strategy, question)
        yield partial(nothing_asked_again, strategy, question)
        yield partial(goes_on_as_if_never_interrupted, strategy, question, MemoryStorage())
        if question in (QUESTIONS["accuracy by class"], QUESTIONS["least accurate"]):
            yield partial(equal_chances_inside_an_arm, strategy, question)


def study_of(strategy: ByNameOrItself, question: Question, **more: Any) -> Study:
    return create_study(WORLD.pool, question, strategy=strategy, **more)


def label(item: Item) -> str:
    """The true class of an item."""
    return WORLD.labels([int(item)])[int(item)]


def frame(strategy: ByNameOrItself, question: Question) -> set[int]:
    """The items a question asks about: of a comparison those of its two groups, of a precision that is read off draws
    those predicted so."""
    settings = StudySettings(question, strategy)
    assessed = assess(settings, question, WORLD.pool, "model")
    cell, _, _ = WORLD.pool.engine.outputs_of("model", assessed.cells.axes, WORLD.pool.ids)
    return set(np.flatnonzero(np.isin(assessed.arms.index[cell], assessed.in_question)).tolist())


# -- one promise each ----------------------------------------------------------------------------------------------


def every_item_asked_once(strategy: ByNameOrItself, question: Question) -> None:
    """Every item of the question is asked once, and then none; never an arm without items, or an item outside.

    Asked in batches of seven, told between. Draws with replacement from the whole pool may end before.
    """
    study, wanted = study_of(strategy, question, seed=1), frame(strategy, question)
    seen: list[int] = []
    while batch := study.ask(7):
        items = [int(query.item) for query in batch]
        assert set(items) <= wanted, f"{sorted(set(items) - wanted)} were asked, and the question is not about them"
        assert len(set(items)) == len(items), f"{items} are not distinct"
        assert not set(items) & set(seen), f"{sorted(set(items) & set(seen))} were asked before"
        whole = design_named(batch[0].design).whole
        left = len(wanted) - len(seen)
        assert whole or len(items) == min(7, left), f"{len(items)} items were asked, 7 wanted and {left} left"
        seen += items
        study.tell({query.item: label(query.item) for query in batch})
    assert seen, "nothing was asked"
    assert whole or set(seen) == wanted, f"{sorted(wanted - set(seen))} were never asked"


def same_seed_same_queries(strategy: ByNameOrItself, question: Question, *, chance: bool | None = None) -> None:
    """The same seed asks the same; another seed something else, where chance is known to have a part."""

    def asked(seed: int) -> list[Item]:
        study, out = study_of(strategy, question, seed=seed), []
        for _ in range(6):
            for query in study.ask(2):
                out.append(query.item)
                study.tell(query, label(query.item))
        return out

    one = asked(1)
    assert one == asked(1), "the same seed asked for other items"
    assert chance is None or (one != asked(2)) == chance, f"another seed asks the same, or not, and chance={chance}"


def nothing_asked_again(strategy: ByNameOrItself, question: Question) -> None:
    """Open and skipped queries are not asked again."""
    study = study_of(strategy, question, seed=2)
    first = study.ask(5)
    study.skip(first[0])
    study.tell(first[1], label(first[1].item))
    second = study.ask(5)
    again = {query.item for query in first} & {query.item for query in second}
    assert not again, f"{again} were asked again"
    still = [query.item for query in (*first[2:], *second)]
    assert [query.item for query in study.open_queries] == still, "open queries are not those without an answer"


def goes_on_as_if_never_interrupted(
    strategy: ByNameOrItself, question: Question, storage: str | Storage, steps: int = 8
) -> None:
    """A study taken up again asks what it would have asked."""
    whole = study_of(strategy, question, seed=4)
    study_of(strategy, question, seed=4, storage=storage, name="s")
    for _ in range(steps):
        broken = load_study("s", storage=storage, pool=WORLD.pool)
        for expected, found in zip(whole.ask(1), broken.ask(1), strict=True):
            for field in ("item", "round", "probability"):
                one, two = getattr(expected, field), getattr(found, field)
                assert one == two, f"{field} is {two} in a study taken up again, and {one} in one never interrupted"
            whole.tell(expected, label(expected.item))
            broken.tell(found, label(found.item))


def _first_items(strategy: ByNameOrItself, question: Question) -> list[int]:
    """What studies of many seeds ask for first: their step, without what is kept of each."""
    assessed = assess(StudySettings(question, strategy).resolved(), question, WORLD.pool, "model")
    axes, classes = assessed.cells.axes, {name: i for i, name in enumerate(assessed.true_classes)}
    found: list[int] = []
    for seed in range(SEEDS):
        history = History(classes, assessed.cells.count)
        item_at = ahead(partial(WORLD.pool.engine.draw, "model", axes, seed))
        while not history.queries:
            event = next_event(assessed, history, item_at, seed=seed, budget=None)
            assert event is not None, "nothing was asked"
            history.apply(event)
        found += [int(item) for item in history.queries]
    return found


def equal_chances_inside_an_arm(strategy: ByNameOrItself, question: Question) -> None:
    """Inside an arm every item is first equally often, by chi-square.

    The first item asked, over many seeds, in each predicted class that is asked often enough.
    """
    first = _first_items(strategy, question)
    tested = 0
    for k in range(len(CLASSES)):
        counts = {i: first.count(i) for i in np.flatnonzero(WORLD.predicted == k).tolist()}
        total = sum(counts.values())
        if total >= 5 * len(counts):
            tested += 1
            assert_drawn_with(counts, dict.fromkeys(counts, 1 / len(counts)), total)
    assert tested, "no class was asked often enough"
