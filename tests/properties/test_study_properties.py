"""What holds for every study: order, renaming, replaying, resuming, round trips."""

import math
from dataclasses import dataclass, replace
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fewlabels as fl
from fewlabels.core.cells import Cells
from fewlabels.core.events import Corrected, Planned, Skipped, Told, event_from_json, event_to_json
from fewlabels.core.groups import Column, PredictedClass, ScoreBins
from fewlabels.storages import MemoryStorage

ITEMS = 24
CLASSES = ["a", "b", "c"]
RANDOM = np.random.default_rng(8)
# Scores are multiples of 1/64: sums of them are exact, whatever the order of the items.
TABLE = np.array([RANDOM.multinomial(64, RANDOM.dirichlet([1, 1, 1])) for _ in range(ITEMS)]) / 64
REGION = np.array(["N", "S"])[RANDOM.integers(0, 2, ITEMS)]
TRUTH = np.array(CLASSES)[RANDOM.integers(0, 3, ITEMS)]
IDS = [f"i{n}" for n in range(ITEMS)]

QUESTIONS = {
    "estimate": fl.Estimate("accuracy", by="predicted_class"),
    "crossing": fl.Estimate("accuracy", by=("predicted_class", "region")),
    "confusion": fl.Estimate("confusion"),
    "calibration": fl.Estimate(fl.CalibrationError(fl.ScoreBins(3)), by="region"),
    "worst": fl.Identify("accuracy", by="predicted_class"),
    "two worst": fl.Identify("accuracy", by="predicted_class", top=2),
    "compare": fl.Compare("accuracy", by="region", a="N", b="S"),
}
STRATEGIES = ["auto", "uniform", "uniform_groups", "thompson", "epsilon_greedy"]
quick = settings(derandomize=True, deadline=None, max_examples=25)


def make_pool(order: np.ndarray | None = None) -> fl.Pool:
    order = np.arange(ITEMS) if order is None else order
    return fl.Pool.from_arrays(
        probabilities=TABLE[order],
        ids=[IDS[i] for i in order],
        classes=CLASSES,
        columns={"region": REGION[order]},
        payload={"text": [f"text {i}" for i in order]},
    )


POOL = make_pool()


def make(question: str = "estimate", pool: fl.Pool = POOL, **more) -> fl.Study:
    return fl.create_study(pool, QUESTIONS[question], **more)


def label_of(item: str) -> str:
    return str(TRUTH[IDS.index(item)])


def timeless(events: list) -> list:
    return [replace(event, at="") for event in events]


@dataclass(frozen=True)
class Step:
    """One thing a user does; `which` picks among the items it can be done to."""

    kind: str
    which: int
    label: str


steps = st.lists(
    st.builds(
        Step,
        st.sampled_from(["ask", "ask 3", "tell", "tell", "tell all", "skip", "correct", "uniform", "unknown"]),
        st.integers(0, 50),
        st.sampled_from(CLASSES),
    ),
    max_size=14,
)


def act(study: fl.Study, step: Step) -> None:
    """Do the step, where there is an item to do it to."""

    def pick(items: list) -> object:
        return items[step.which % len(items)]

    queries, labels = study.open_queries, study.labels
    known = {event.item for event in study.events if isinstance(event, fl.Query)} | set(labels)
    free = [item for item in IDS if item not in known]
    match step.kind:
        case "ask":
            study.ask()
        case "ask 3":
            study.ask(3)
        case "tell" if queries:
            study.tell(pick(queries), step.label)
        case "tell all":
            study.tell({query.item: label_of(query.item) for query in queries})
        case "skip" if queries:
            study.skip(pick(queries), reason="unclear")
        case "correct" if labels:
            study.correct(pick(list(labels)), step.label)
        case "uniform" | "unknown" if free:
            study.tell(pick(free), step.label, drawn=step.kind)


# -- order -------------------------------------------------------------------------------------------------------------


@quick
@given(st.sampled_from(sorted(QUESTIONS)), st.permutations(range(12)), st.integers(1, 12))
def test_labels_told_in_any_order_give_the_same_answer(question, order, together):
    first, second = make(question, seed=4), make(question, seed=4)
    queries = first.ask(12)
    assert timeless(second.ask(12)) == timeless(queries)
    for query in queries:
        first.tell(query, label_of(query.item))
    shuffled = [queries[i % len(queries)] for i in order]
    second.tell({query.item: label_of(query.item) for query in shuffled[:together]})
    for query in shuffled[together:]:
        second.tell(query, label_of(query.item))
    assert first.answer() == second.answer()
    assert first.answer(fl.Estimate("accuracy", by="region")) == second.answer(fl.Estimate("accuracy", by="region"))
    assert timeless(first.ask(4)) == timeless(second.ask(4))


@quick
@given(st.permutations(range(10)), st.sampled_from(["uniform", "unknown"]))
def test_labels_from_before_told_in_any_order_give_the_same_answer(order, drawn):
    first, second = make(), make()
    for i in range(10):
        first.tell(IDS[i], label_of(IDS[i]), drawn=drawn)
    second.tell({IDS[i]: label_of(IDS[i]) for i in order}, drawn=drawn)
    assert first.answer() == second.answer()
    assert timeless(first.ask(4)) == timeless(second.ask(4))


@quick
@given(st.sampled_from(sorted(QUESTIONS)), st.sampled_from(STRATEGIES), st.permutations(range(ITEMS)), steps)
def test_the_order_of_the_items_in_the_pool_does_not_matter(question, strategy, order, script):
    plain = make(question, strategy=strategy)
    shuffled = make(question, make_pool(np.array(order)), strategy=strategy)
    for step in script:
        act(plain, step)
        act(shuffled, step)
    assert timeless(shuffled.events) == timeless(plain.events)
    assert shuffled.answer() == plain.answer()


@quick
@given(st.permutations(range(3)), st.integers(0, ITEMS))
def test_permuting_the_classes_permutes_the_answer(order, labels):
    """Told the same labels, the study gives each group the same figures under its new place."""
    moved = fl.Pool.from_arrays(probabilities=TABLE[:, order], ids=IDS, classes=[CLASSES[j] for j in order])
    # of two equal probabilities the first counts: keep to items where no two are equal
    clear = [i for i in range(ITEMS) if np.sort(TABLE[i])[-1] > np.sort(TABLE[i])[-2]]
    parts = [
        fl.Pool.from_arrays(
            probabilities=pool.engine.models["model"].probabilities[clear],
            ids=[IDS[i] for i in clear],
            classes=pool.classes,
        )
        for pool in (POOL, moved)
    ]
    answers = []
    for pool in parts:
        study = make(pool=pool)
        study.tell({IDS[i]: str(TRUTH[i]) for i in clear[:labels]}, drawn="uniform")
        answers.append({f.group: f for f in study.answer().findings})
    assert answers[0].keys() == answers[1].keys()
    for group, finding in answers[0].items():
        for name in ("value", "low", "high"):
            same = pytest.approx(getattr(finding, name), abs=1e-12, nan_ok=True)
            assert getattr(answers[1][group], name) == same
        assert answers[1][group].labels == finding.labels


@quick
@given(st.integers(0, ITEMS))
def test_renaming_the_groups_renames_the_answer(labels):
    renamed = fl.Pool.from_arrays(
        probabilities=TABLE, ids=IDS, classes=CLASSES, columns={"region": np.where(REGION == "N", "zzz", "aaa")}
    )
    question = fl.Estimate("accuracy", by="region")
    answers = []
    for pool in (POOL, renamed):
        study = fl.create_study(pool, question)
        study.tell({IDS[i]: str(TRUTH[i]) for i in range(labels)}, drawn="uniform")
        answers.append({f.group: f for f in study.answer().findings})
    for old, new in (("N", "zzz"), ("S", "aaa")):
        assert answers[0][old] == replace(answers[1][new], group=old)


# -- replaying and resuming --------------------------------------------------------------------------------------------


@quick
@given(st.sampled_from(sorted(QUESTIONS)), st.sampled_from(STRATEGIES), steps)
def test_replaying_the_events_gives_the_same_state_and_the_same_next_query(question, strategy, script):
    storage = MemoryStorage()
    study = make(question, strategy=strategy, storage=storage)
    for step in script:
        act(study, step)
    copy = MemoryStorage()
    copy.create(storage.load("study"))
    with copy.locked("study") as log:
        log.append(study.events)
    again = fl.load_study(storage=copy, pool=POOL)
    assert again.labels == study.labels
    assert again.open_queries == study.open_queries
    assert again.answer() == study.answer()
    assert again.progress == study.progress
    assert timeless(again.ask(3)) == timeless(study.ask(3))


@settings(derandomize=True, deadline=None, max_examples=15)
@given(st.sampled_from(sorted(QUESTIONS)), st.sampled_from(STRATEGIES), steps)
def test_resuming_from_the_file_between_all_steps_is_the_same_as_going_on(question, strategy, script):
    with TemporaryDirectory() as folder:
        where = f"sqlite:///{folder}/s.db"
        uninterrupted = make(question, strategy=strategy, budget=20)
        make(question, strategy=strategy, budget=20, storage=where)
        for step in script:
            act(uninterrupted, step)
            act(fl.load_study(storage=where, pool=POOL), step)
        resumed = fl.load_study(storage=where, pool=POOL)
        assert timeless(resumed.events) == timeless(uninterrupted.events)
        assert resumed.answer() == uninterrupted.answer()
        assert resumed.progress == uninterrupted.progress
        assert timeless(resumed.ask(3)) == timeless(uninterrupted.ask(3))


@settings(derandomize=True, deadline=None, max_examples=15)
@given(st.sampled_from(sorted(QUESTIONS)), steps)
def test_memory_and_file_give_identical_studies(question, script):
    with TemporaryDirectory() as folder:
        pair = make(question), make(question, storage=f"sqlite:///{folder}/s.db")
        for step in script:
            for study in pair:
                act(study, step)
        one, two = pair
        assert timeless(one.events) == timeless(two.events)
        assert one.labels == two.labels
        assert one.answer() == two.answer()
        assert one.settings == two.settings


@quick
@given(st.sampled_from(sorted(QUESTIONS)), st.sampled_from(STRATEGIES), steps)
def test_at_every_step_queries_are_distinct_and_intervals_hold_their_value(question, strategy, script):
    study = make(question, strategy=strategy)
    for step in script:
        act(study, step)
        asked = [event.item for event in study.events if isinstance(event, fl.Query)]
        assert len(set(asked)) == len(asked)
        assert all(query.item not in study.labels for query in study.open_queries)
    answer = study.answer()
    for finding in (*answer.findings, answer.overall):
        assert math.isnan(finding.low) or finding.low <= finding.value <= finding.high
        assert 0 <= finding.prior_share <= 1
    assert sum(f.labels for f in answer.findings) >= 0


@quick
@given(st.sampled_from(STRATEGIES), st.permutations(range(ITEMS)))
def test_labelling_everything_gives_the_exact_accuracy_however_it_came_about(strategy, order):
    study = make(strategy=strategy)
    half = {IDS[i]: label_of(IDS[i]) for i in order[: ITEMS // 2]}
    study.tell(dict(list(half.items())[::2]), drawn="uniform")
    study.tell(dict(list(half.items())[1::2]), drawn="unknown")
    while queries := study.ask(5):
        study.tell({query.item: label_of(query.item) for query in queries})
    exact = (np.array(CLASSES)[TABLE.argmax(axis=1)] == TRUTH).mean()
    overall = study.answer().overall
    assert overall.value == pytest.approx(exact, abs=1e-12)
    assert overall.low == pytest.approx(overall.high, abs=1e-12)
    assert overall.labels == ITEMS


# -- round trips -------------------------------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
items = st.one_of(texts, st.integers(-(2**63), 2**63 - 1))
floats = st.floats(0, 1)
counts = st.integers(0, 10**6)
people = st.none() | texts
designs = st.sampled_from(["uniform", "uniform_groups", "adaptive"])
payloads = st.dictionaries(texts, st.none() | texts | st.integers() | st.booleans() | st.floats(allow_nan=False))
any_event = st.one_of(
    st.builds(
        fl.Query,
        items,
        texts,
        counts,
        counts,
        texts,
        floats,
        counts,
        counts,
        designs,
        st.none() | floats,
        payloads,
        texts,
    ),
    st.builds(Planned, counts, st.lists(counts).map(tuple), designs, texts),
    st.builds(
        Told,
        items,
        texts,
        people,
        st.sampled_from([None, "uniform", "unknown"]),
        st.none() | counts,
        people,
        st.none() | floats,
        texts,
    ),
    st.builds(Corrected, items, texts, people, texts),
    st.builds(Skipped, items, people, people, texts),
)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(any_event)
def test_events_survive_plain_data_exactly(event):
    import json

    kind, data = event_to_json(event)
    assert event_from_json(kind, json.loads(json.dumps(data))) == event


@settings(derandomize=True, deadline=None, max_examples=20)
@given(st.lists(any_event, max_size=10), st.dictionaries(texts, payloads), st.binary(), st.text("abcß", min_size=1))
def test_a_file_gives_back_exactly_what_went_in(events, content, cells, name):
    from fewlabels.storages import StudyRecord, open_storage

    with TemporaryDirectory() as folder:
        record = StudyRecord(name, content, {"classes": list(content)}, cells, "now")
        storage = open_storage(f"sqlite:///{folder}/s.db")
        storage.create(record)
        with storage.locked(name) as log:
            log.append(events)
        again = open_storage(f"sqlite:///{folder}/s.db")
        assert again.load(name) == record
        assert list(again.events(name)) == events


@quick
@given(
    st.sets(st.sampled_from([PredictedClass(), Column("region"), ScoreBins(3), ScoreBins(4, "mass")])), st.booleans()
)
def test_cells_survive_bytes_exactly(axes, probabilities):
    cells = POOL.engine.summarise("model", tuple(axes), probabilities=probabilities)
    again = Cells.from_bytes(cells.to_bytes())
    assert (again.axes, again.names) == (cells.axes, cells.names)
    for name in ("coordinates", "size", "score_sum", "probability_sum"):
        one, two = getattr(cells, name), getattr(again, name)
        if one is None:
            assert two is None
        else:
            np.testing.assert_array_equal(one, two, strict=True)
