"""Skipped items may be anything: intervals hold those of every label they may have, and what that takes is little."""

import itertools
import json

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.errors import QuestionError
from fewlabels.reading.answer import read
from fewlabels.settings import StudySettings

CLASSES = ["c0", "c1", "c2"]
ITEMS = 300


def pool_of(seed: int = 0, classes: int = 3) -> tuple[fl.Pool, list[str]]:
    rng = np.random.default_rng(seed)
    said, score = rng.integers(0, classes, ITEMS), rng.uniform(0.5, 0.99, ITEMS)
    truth = np.where(rng.random(ITEMS) < score, said, rng.integers(0, classes, ITEMS))
    table = np.repeat((1 - score)[:, None] / (classes - 1), classes, axis=1)
    table[np.arange(ITEMS), said] = score
    parts = ["x" if i % 2 else "y" for i in range(ITEMS)]
    pool = fl.Pool.from_arrays(probabilities=table, classes=CLASSES[:classes], columns={"part": parts})
    return pool, [CLASSES[i] for i in truth]


def labelled(question, skipped: int, labels: int = 40, classes: int = 3, **more) -> fl.Study:
    pool, truth = pool_of(classes=classes)
    study = fl.create_study(pool, question, seed=1, **more)
    every = labels // skipped
    for number in range(labels + skipped):
        (query,) = study.ask(1)
        if number % every == 3 and len(study.skipped) < skipped:
            study.skip(query)
        else:
            study.tell(query, truth[query.item])
    return study


def ends(reading) -> np.ndarray:
    overall = () if reading.overall is None else (reading.overall,)
    return np.array([(f.low, f.high) for f in (*reading.findings, *overall)])


def of_all_labels(study: fl.Study) -> tuple[np.ndarray, np.ndarray]:
    """The ends shown, and the least and the largest of those with each of the labels that skipped items may have."""
    known = study._known()
    made, skips = known.terms.assessment, known.skips
    assert skips is not None
    shown = read(made, known.evidence, 0.95, skips=skips)
    every = itertools.product(range(len(made.true_classes)), repeat=skips.count)
    found = np.array([ends(shown.having(skips.having(np.array(labels)))) for labels in every])
    return ends(shown), np.stack([found[..., 0].min(axis=0), found[..., 1].max(axis=0)], axis=1)


BY_LABEL = {  # how much shorter the interval shown may be than that over all labels, as a share of its width
    "accuracy": (fl.Estimate("accuracy"), 3, 4, 0.0),
    "accuracy by group": (fl.Estimate("accuracy", by="part"), 2, 5, 0.02),
    "calibration bias": (fl.Estimate("calibration_bias"), 2, 5, 0.0),
    "calibration error": (fl.Estimate("calibration_error"), 2, 6, 0.05),
    "expected cost": (fl.Estimate(fl.Cost([[0, 1, 3], [2, 0, 1], [5, 1, 0]], classes=CLASSES)), 3, 3, 0.03),
    "balanced accuracy": (fl.Estimate("balanced_accuracy"), 3, 3, 0.02),
    "macro-F1": (fl.Estimate("macro_f1"), 3, 3, 0.02),
    "true classes": (fl.Estimate("accuracy", by="true_class"), 3, 3, 0.1),
    "pairs of classes": (fl.Estimate("confusion"), 3, 3, 0.05),
    "F1": (fl.Estimate("f1", positive="c0"), 2, 6, 0.0),
    "recall": (fl.Estimate("recall", positive="c0"), 2, 6, 0.0),
    "precision": (fl.Estimate("precision", positive="c0"), 2, 6, 0.0),
    "a curve": (fl.Estimate(fl.FCurve("c0")), 2, 6, 0.02),
    "average precision": (fl.Estimate("average_precision", positive="c0"), 2, 6, 0.02),
    "a group's true positives": (fl.Estimate("true_positive_rate", positive="c0", by="part"), 2, 5, 0.02),
}


@pytest.mark.parametrize("name", BY_LABEL)
def test_the_interval_holds_those_of_all_labels_that_skipped_items_may_have(name):
    question, classes, skips, short = BY_LABEL[name]
    shown, every = of_all_labels(labelled(question, skips, classes=classes))
    room = short * (every[:, 1] - every[:, 0]) + 1e-9
    assert (shown[:, 0] <= every[:, 0] + room).all()
    assert (shown[:, 1] >= every[:, 1] - room).all()


def test_the_interval_without_skipped_items_does_not():
    """The control: what was shown before."""
    study = labelled(fl.Estimate("accuracy"), 5, skips="ignorable")
    known = study._known()
    assert known.skips is None
    plain = ends(read(known.terms.assessment, known.evidence, 0.95))
    _, every = of_all_labels(labelled(fl.Estimate("accuracy"), 5))
    assert (plain[:, 0] > every[:, 0] + 0.02).all()


@pytest.mark.parametrize("question", [fl.Estimate("accuracy", by="part"), fl.Identify("accuracy", by="part")])
def test_without_skipped_items_nothing_is_other(question):
    pool, truth = pool_of()
    one, two = (fl.create_study(pool, question, seed=1, skips=skips) for skips in ("worst", "ignorable"))
    for study in (one, two):
        study.tell({query.item: truth[query.item] for query in study.ask(60)})
    assert str(one.answer()) == str(two.answer())
    assert one.answer().to_dicts() == two.answer().to_dicts()


def test_the_point_estimate_stays_and_is_inside():
    worst, like = (
        labelled(fl.Estimate("accuracy", by="part"), 5, skips=skips).answer() for skips in ("worst", "ignorable")
    )
    for one, other in zip((worst.overall, *worst.findings), (like.overall, *like.findings), strict=True):
        assert one.value == other.value
        assert one.low < other.low < one.value < other.high <= one.high + 0.05
    assert "Assumes that skipped items are like the others. 5 items skipped." in like.notes
    assert not any("Assumes that skipped" in note for note in worst.notes)


def test_a_difference_of_groups_and_a_named_group_allow_for_skipped_items():
    question = fl.Compare("accuracy", by="part", a="x", b="y")
    worst, like = (labelled(question, 6, skips=skips).answer() for skips in ("worst", "ignorable"))
    assert worst.difference.low < like.difference.low
    assert worst.difference.high > like.difference.high
    assert max(worst.p_less, worst.p_more) < max(like.p_less, like.p_more)
    named = fl.Identify("accuracy", by="predicted_class")
    worst, like = (labelled(named, 6, labels=60, skips=skips).answer() for skips in ("worst", "ignorable"))
    assert worst.groups == like.groups
    assert worst.probability < like.probability
    assert worst.findings[0].rank_high >= like.findings[0].rank_high


def test_another_question_allows_for_them_too():
    study = labelled(fl.Estimate("accuracy"), 5, strategy="uniform")
    other = study.answer(fl.Estimate("accuracy", by="part"))
    study.change(skips="ignorable")
    plain = study.answer(fl.Estimate("accuracy", by="part"))
    assert all(one.low < two.low for one, two in zip(other.findings, plain.findings, strict=True))


def test_models_are_compared_whatever_skipped_items_are():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, ITEMS)
    pools = {}
    for name, right in (("old", 0.7), ("new", 0.85)):
        said = np.where(rng.random(ITEMS) < right, truth, 1 - truth)
        pools[name] = fl.Pool.from_arrays(predicted=[CLASSES[i] for i in said], score=np.full(ITEMS, right))
    pool = fl.Pool.join(pools)
    found = {}
    for skips in ("worst", "ignorable"):
        study = fl.create_study(pool, fl.CompareModels("accuracy", a="new", b="old"), seed=2, skips=skips)
        for query in study.ask(40):
            if query.number % 8:
                study.tell(query, CLASSES[truth[query.item]])
            else:
                study.skip(query)
        found[skips] = study.answer()
    worst, like = found["worst"], found["ignorable"]
    assert worst.difference.low < like.difference.low < like.difference.high < worst.difference.high
    low, high = worst.proof.interval(0.95)
    assert low < like.proof.interval(0.95)[0]
    assert high >= like.proof.interval(0.95)[1]


def test_a_goal_rests_on_the_whole_interval_and_says_when_skipped_items_stand_in_its_way():
    study = labelled(fl.Estimate("accuracy"), 10, labels=60, until=fl.HalfWidth(0.05), budget=200)
    assert not study.done
    assert "The 10 skipped items alone leave ±" in study.progress.reason
    study.change(until=fl.HalfWidth(0.12))
    worst = study.progress
    study.change(skips="ignorable")
    assert study.answer().overall.half_width < 0.12
    assert study.done or not worst.done


def test_the_choice_is_an_event_and_older_studies_have_none(tmp_path):
    where = f"sqlite:///{tmp_path}/kept.db"
    pool, _ = pool_of()
    study = fl.create_study(pool, fl.Estimate("accuracy"), storage=where)
    study.change(skips="ignorable", by="ann")
    assert fl.load_study(storage=where).settings.skips == "ignorable"
    assert study.events[-1].settings == {"skips": "ignorable"}
    kept = json.loads(json.dumps(study.settings.to_json()))
    del kept["skips"]
    assert StudySettings.from_json(kept).skips == "worst"
    with pytest.raises(QuestionError, match="just so already"):
        study.change(skips="ignorable")
    with pytest.raises(QuestionError, match="skips is 'worst'"):
        fl.create_study(pool, fl.Estimate("accuracy"), skips="none")


def test_many_items_left_open_count_like_skipped_ones_and_a_few_do_not():
    pool, truth = pool_of()
    for left_open, counted in ((1, 0), (6, 6)):
        study = fl.create_study(pool, fl.Estimate("accuracy"), seed=1)
        first = study.ask(20)
        study.tell({query.item: truth[query.item] for query in first[left_open:]})
        study.tell({query.item: truth[query.item] for query in study.ask(60)})
        skips = study._known().skips
        assert (0 if skips is None else skips.count) == counted
        before = study.answer().overall.half_width
        study.tell({query.item: truth[query.item] for query in first[:left_open]})
        assert (study.answer().overall.half_width < before - 0.01) == bool(counted)


def test_progress_names_an_item_that_others_have_overtaken():
    pool, truth = pool_of()
    study = fl.create_study(pool, fl.Estimate("accuracy"), seed=1, until=fl.HalfWidth(0.01))
    first, *rest = study.ask(10)
    study.tell({query.item: truth[query.item] for query in rest})
    assert "handed out" not in study.progress.reason, "it may be in somebody's hands"
    study.tell({query.item: truth[query.item] for query in study.ask(15)})
    words = f"Item {first.item} was handed out first and has no answer. Label or skip it."
    assert study.progress.reason.endswith(words)
    study.skip(first)
    assert "handed out" not in study.progress.reason


def test_a_comparison_without_a_label_on_one_side_keeps_its_full_range():
    pool, truth = pool_of()
    study = fl.create_study(pool, fl.Compare("accuracy", by="part", a="x", b="y"), seed=1)
    for query in study.ask(30):
        if query.item % 2:
            study.tell(query, truth[query.item])
        else:
            study.skip(query)
    answer = study.answer()
    assert (answer.difference.low, answer.difference.high) == (-1.0, 1.0)
    assert answer.sentence.startswith("Not decided: no label of y tells of its accuracy yet.")
