"""What asking costs does not grow with what was asked already, and what is asked did not change with that."""

import hashlib
import sys

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.events import Corrected, Query, Told
from fewlabels.core.history import History

POSITIVE, NEGATIVE = "rare", "not rare"


def make_pool(items: int = 20_000) -> tuple[fl.Pool, np.ndarray]:
    rng = np.random.default_rng(0)
    true = rng.uniform(size=items) < 0.05
    score = 1 / (1 + np.exp(-np.where(true, rng.normal(1.5, 2.0, items), rng.normal(-4.0, 2.0, items))))
    return fl.Pool.from_arrays(positive_score=score.round(3), positive=POSITIVE), true


def label_up_to(study: fl.Study, true: np.ndarray, draws: int) -> None:
    while study._history.draws < draws:
        for query in study.ask(min(10, draws - study._history.draws)):
            study.tell(query, bool(true[query.item]))


def instructions(work) -> int:
    """How many bytecode instructions run, in every function called."""
    count, tracer = 0, sys.gettrace()

    def trace(frame, event, _argument):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(tracer)
    return count


def test_a_query_costs_the_same_however_many_draws_there_were():
    pool, true = make_pool()
    study = fl.create_study(pool, fl.Estimate("f1", positive=POSITIVE), seed=1)
    costs = []
    for draws in (320, 2600):  # both in the first part of a round, which has as many draws as all before it
        label_up_to(study, true, draws)
        found: list[fl.Query] = []
        costs.append(instructions(lambda found=found: [found.extend(study.ask(1)) for _ in range(20)]))
        study.tell({query.item: bool(true[query.item]) for query in found})
    assert costs[1] < 1.5 * costs[0]


# The first eight bytes of the SHA-256 of the items asked, as version 0.1.0 asked for them.
ASKED_BEFORE = {
    "f1": "0aa660f9da82af29",
    "f1, once": "7309d4c80fe1c4a3",
    "f1, whole": "6ee66cf413593e9c",
    "groups": "4a9bcf81b4459b80",
}


def studies() -> dict[str, tuple[object, dict]]:
    f1 = fl.Estimate("f1", positive=POSITIVE)
    return {
        "f1": (f1, {"strategy": "acis"}),
        "f1, once": (f1, {"strategy": fl.Acis(replacement=False)}),
        "f1, whole": (f1, {"strategy": fl.Acis(reuse=False)}),
        "groups": (fl.Estimate("accuracy", by=fl.ScoreBins(20)), {"strategy": "thompson"}),
    }


@pytest.mark.parametrize("name", ASKED_BEFORE)
def test_the_same_items_are_asked_as_before(name):
    pool, true = make_pool(2000)
    question, more = studies()[name]
    study, items = fl.create_study(pool, question, seed=5, **more), []
    for step in range(30):
        asked = study.ask(1 + step)
        items += [query.item for query in asked]
        for query in asked[::-1]:
            study.tell(query, bool(true[query.item]))
    assert hashlib.sha256(repr(items).encode()).hexdigest()[:16] == ASKED_BEFORE[name]


def draws_by_search(study: fl.Study) -> list[tuple[object, int, float]]:
    """Item, round and probability of each draw whose item has a label."""
    told = {event.item for event in study.events if isinstance(event, Told | Corrected)}
    return [(e.item, e.round, e.probability) for e in study.events if isinstance(e, Query) and e.item in told]


def test_the_draws_are_those_a_search_through_all_events_finds():
    pool, true = make_pool(300)
    study = fl.create_study(pool, fl.Estimate("f1", positive=POSITIVE), strategy="acis", seed=2)
    rng, skipped = np.random.default_rng(1), []
    for step in range(25):
        for query in study.ask(8):
            if rng.random() < 0.1:
                study.skip(query)
                skipped.append(query)
            elif rng.random() < 0.7:
                study.tell(query, bool(true[query.item]))
        if step % 3 == 0 and study.open_queries:  # late, and out of order
            study.tell(study.open_queries[-1], True)
        if step % 5 == 0 and skipped:
            study.correct(skipped.pop(), False)
        evidence = study._history.evidence()
        draws = evidence.draws
        found = [
            (evidence.items[row], int(n), float(p))
            for row, n, p in zip(draws.row, draws.round, draws.probability, strict=True)
        ]
        assert found == draws_by_search(study)
    assert len(found) > 100
    assert len({item for item, _, _ in found}) < len(found)  # some were drawn again


def test_the_evidence_is_made_once_until_something_changes():
    pool, true = make_pool(300)
    study = fl.create_study(pool, fl.Estimate("f1", positive=POSITIVE), seed=2)
    history: History = study._history
    (query,) = study.ask(1)
    before = history.evidence()
    assert history.evidence() is before
    study.tell(query, bool(true[query.item]))
    told = history.evidence()
    assert (before.count, told.count) == (0, 1)
    study.correct(query, not true[query.item])
    assert history.evidence().label[0] != told.label[0]
    study.ask(30)
    assert len(history.evidence().draws.frames) > len(told.draws.frames)


@pytest.mark.parametrize(
    "question",
    [
        fl.Estimate("f1", positive=POSITIVE),
        fl.Estimate("precision", positive=POSITIVE),
        fl.Estimate("accuracy", by="predicted_class"),
        fl.Identify("calibration_error", by="predicted_class"),
        fl.Compare("accuracy", "predicted_class", POSITIVE, NEGATIVE),
    ],
    ids=str,
)
def test_the_items_left_in_one_arm_are_those_left_in_all_of_them(question):
    pool, _ = make_pool(300)
    study = fl.create_study(pool, question)
    study.ask(120)
    assessment, taken = study._assessment, study._history.taken
    left = [assessment.remaining_in(arm, taken) for arm in range(assessment.arms.count)]
    assert left == assessment.remaining(taken).tolist()
