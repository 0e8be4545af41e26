"""answer(anytime=True): which intervals it gives, that they say what they are, and that they follow the order of asking
and nothing else."""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.reading.every_look import EveryLook

CLASSES = [f"c{i}" for i in range(4)]


def labelled_pool(n: int = 400, seed: int = 3) -> tuple[fl.Pool, dict[int, str]]:
    rng = np.random.default_rng(seed)
    predicted = rng.integers(0, 4, n)
    score = rng.beta(5, 1, n)
    right = rng.random(n) < 0.9 * score
    truth = np.where(right, predicted, (predicted + 1) % 4)
    pool = fl.Pool.from_arrays(predicted=[CLASSES[i] for i in predicted], score=score)
    return pool, {i: CLASSES[t] for i, t in enumerate(truth)}


BY_CLASS = fl.Estimate("accuracy", by="predicted_class")
WAYS = {
    "auto": {},
    "uniform": {"strategy": "uniform"},
    "thompson": {"strategy": "thompson", "estimator": "beta"},
}


def ends(answer: fl.Answer) -> list[tuple[float, float]]:
    return [(f.low, f.high) for f in (answer.overall, *answer.findings)]


@pytest.mark.parametrize("way", WAYS)
def test_intervals_say_that_they_hold_at_every_look_and_are_wider(way):
    pool, truth = labelled_pool()
    study = fl.create_study(pool, BY_CLASS, **WAYS[way])
    study.tell({q.item: truth[q.item] for q in study.ask(150)})
    once, always = study.answer(), study.answer(anytime=True)
    assert {f.holds for f in once.findings} == {"one look"}
    assert {f.holds for f in (always.overall, *always.findings)} == {"every look"}
    assert "95% intervals, whoever looks after each label" in str(always)
    assert [f.value for f in always.findings] == [f.value for f in once.findings]
    assert always.overall.half_width > once.overall.half_width
    for finding, share in zip(always.findings, true_shares(pool, truth, always), strict=True):
        assert 0 <= finding.low < share < finding.high <= 1
    higher = study.answer(anytime=True, level=0.99)
    assert all(a.low >= b.low and a.high <= b.high for a, b in zip(always.findings, higher.findings, strict=True))


def true_shares(pool: fl.Pool, truth: dict[int, str], answer: fl.Answer) -> list[float]:
    rng = np.random.default_rng(3)
    predicted = [CLASSES[i] for i in rng.integers(0, 4, len(truth))]
    hits = {name: [truth[i] == p for i, p in enumerate(predicted) if p == name] for name in CLASSES}
    return [float(np.mean(hits[f.group])) for f in answer.findings]


@pytest.mark.parametrize("way", WAYS)
def test_the_order_of_telling_does_not_matter(way):
    pool, truth = labelled_pool()
    answers = []
    for turned in (False, True):
        study = fl.create_study(pool, BY_CLASS, **WAYS[way], seed=5)
        for _ in range(3):
            asked = study.ask(20)
            for query in reversed(asked) if turned else asked:
                study.tell(query, truth[query.item])
        answers.append(ends(study.answer(anytime=True)))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("way", ["auto", "uniform"])
def test_what_was_given_up_stays_so(way):
    """Of the whole and of groups, and not of those alone at which somebody looked."""
    pool, truth = labelled_pool()
    study = fl.create_study(pool, BY_CLASS, **WAYS[way], seed=4)
    seen = []
    for _ in range(30):
        study.tell({q.item: truth[q.item] for q in study.ask(5)})
        seen.append(ends(study.answer(anytime=True)))
    low, high = np.array(seen).transpose(2, 0, 1)
    assert (np.diff(low, axis=0) >= -1e-12).all()
    assert (np.diff(high, axis=0) <= 1e-12).all()
    assert (high - low)[-1].max() < 0.6
    straight = fl.create_study(pool, BY_CLASS, **WAYS[way], seed=4)
    for _ in range(30):
        straight.tell({q.item: truth[q.item] for q in straight.ask(5)})
    assert ends(straight.answer(anytime=True)) == seen[-1]


def test_they_are_the_same_after_a_restart(tmp_path):
    pool, truth = labelled_pool()
    where = f"sqlite:///{tmp_path}/kept.db"
    study = fl.create_study(pool, BY_CLASS, storage=where, name="one", seed=2)
    for _ in range(30):
        study.tell({q.item: truth[q.item] for q in study.ask(3)})
    before = ends(study.answer(anytime=True))
    assert ends(fl.load_study("one", storage=where, pool=pool).answer(anytime=True)) == before


@pytest.mark.parametrize("way", ["auto", "uniform"])
def test_an_older_query_that_is_open_costs_its_share(way):
    """Of 130 labels: where the path ended at the first gap, nothing was known any more."""
    pool, truth = labelled_pool()
    study, full = (fl.create_study(pool, fl.Estimate("accuracy"), seed=1, **WAYS[way]) for _ in range(2))
    first, *rest = study.ask(10)
    study.tell({q.item: truth[q.item] for q in rest})
    study.tell({q.item: truth[q.item] for q in study.ask(120)})
    waiting = study.answer(anytime=True)
    assert any("1 older item that was asked has no answer yet" in note for note in waiting.notes)
    full.tell({q.item: truth[q.item] for q in full.ask(130)})
    study.tell(first, truth[first.item])
    (low, high), *_ = ends(study.answer(anytime=True))
    (below, above), *_ = ends(waiting)
    assert below <= low
    assert high <= above
    assert (above - below) - (high - low) < 3 / 130


def test_items_just_asked_cost_nothing():
    pool, truth = labelled_pool()
    study = fl.create_study(pool, BY_CLASS, seed=1)
    study.tell({q.item: truth[q.item] for q in study.ask(60)})
    before = ends(study.answer(anytime=True))
    _, *rest = study.ask(40)
    assert ends(study.answer(anytime=True)) == before
    study.tell(rest[-1], truth[rest[-1].item])
    assert ends(study.answer(anytime=True)) == before, "most of the batch waits: the path ends before it"
    study.tell({q.item: truth[q.item] for q in rest[:-1]})
    path = EveryLook(study._assessment, study._known().evidence).path
    assert (len(path), int(path.known.sum())) == (100, 99)


def test_what_was_skipped_may_be_right_or_wrong():
    pool, truth = labelled_pool()
    told, skipping = (fl.create_study(pool, fl.Estimate("accuracy"), strategy="uniform", seed=1) for _ in range(2))
    told.tell({q.item: truth[q.item] for q in told.ask(60)})
    for query in skipping.ask(60):
        if query.number % 10:
            skipping.tell(query, truth[query.item])
        else:
            skipping.skip(query)
    (low, high), *_ = ends(told.answer(anytime=True))
    (below, above), *_ = ends(skipping.answer(anytime=True))
    assert below <= low
    assert high <= above


def test_labels_from_outside_count_where_they_were_drawn_uniformly():
    pool, truth = labelled_pool()
    study = fl.create_study(pool, BY_CLASS, seed=1)
    study.tell({q.item: truth[q.item] for q in study.ask(12)})
    free = [i for i in truth if i not in study.labels and i not in {q.item for q in study.open_queries}][:40]
    study.tell({i: truth[i] for i in free}, drawn="uniform")
    study.tell({q.item: truth[q.item] for q in study.ask(30)})
    path = EveryLook(study._assessment, study._known().evidence).path
    assert path.outside.sum() == 40
    assert len(path) == 82
    for found, share in zip((f := study.answer(anytime=True)).findings, true_shares(pool, truth, f), strict=True):
        assert found.low <= share <= found.high


@pytest.mark.parametrize(
    ("question", "more", "why"),
    [
        (fl.Estimate("calibration_error"), {}, "not of"),
        (fl.Estimate("f1", positive="c1"), {"pool": "binary"}, "not of F1"),
        (fl.Estimate("accuracy"), {"target": "population"}, "items of this pool"),
    ],
)
def test_where_there_are_none_that_is_said(question, more, why):
    pool, _ = labelled_pool()
    if more.pop("pool", None):
        pool = fl.Pool.from_arrays(predicted=["c1", "c0"] * 20, score=[0.8] * 40, positive="c1")
    study = fl.create_study(pool, question, **more)
    with pytest.raises(fl.QuestionError, match="no intervals for every look here"):
        study.answer(anytime=True)


def test_of_another_question_they_are_known_only_where_chances_were_equal():
    pool, truth = labelled_pool()
    evenly, unevenly = (fl.create_study(pool, fl.Estimate("accuracy"), strategy=s) for s in ("uniform", "auto"))
    for study in (evenly, unevenly):
        study.tell({q.item: truth[q.item] for q in study.ask(100)})
    assert {f.holds for f in evenly.answer(BY_CLASS, anytime=True).findings} == {"every look"}
    with pytest.raises(fl.QuestionError, match="drawn for another question"):
        unevenly.answer(BY_CLASS, anytime=True)


@pytest.mark.parametrize("way", WAYS)
def test_differences_and_groups_to_be_found_have_them_too(way):
    pool, truth = labelled_pool()
    for question in (fl.Compare("accuracy", by="predicted_class", a="c0", b="c1"),
                     fl.Identify("calibration_bias", by="predicted_class")):  # fmt: skip
        study = fl.create_study(pool, question, **WAYS[way])
        study.tell({q.item: truth[q.item] for q in study.ask(60)})
        answer = study.answer(anytime=True)
        found = answer.difference if isinstance(question, fl.Compare) else answer.findings[0]
        assert found.holds == "every look"
        assert -1 <= found.low < found.value < found.high <= 1


@pytest.mark.parametrize("question", [BY_CLASS, fl.Compare("accuracy", by="predicted_class", a="c0", b="c1")])
def test_the_chance_of_every_draw_is_the_one_that_was_kept(question):
    pool, truth = labelled_pool()
    study = fl.create_study(pool, question, seed=4)
    for size in (1, 7, 30, 2, 25):
        study.tell({q.item: truth[q.item] for q in study.ask(size)})
    known = study._known().evidence
    path, kept = EveryLook(study._assessment, known).path, known.probability[np.argsort(known.order.number)]
    left, cells = path.size.astype(float), np.arange(len(path.size))
    for t, cell in enumerate(path.cell):
        mass = path._mass(t, cells, left)
        assert mass[cell] == pytest.approx(kept[t], rel=1e-9)
        assert (mass * left)[path.reach].sum() == pytest.approx(1)
        left[cell] -= 1
