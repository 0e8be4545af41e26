"""Other questions, slices, thresholds and models from the same labels."""

from functools import cache

import numpy as np
import pytest

import fewlabels as fl

ITEMS = 240
CLASSES = ["a", "b", "c"]


def make_pool() -> tuple[fl.Pool, dict[int, str]]:
    """Two models over the same items, an attribute, and the truth."""
    rng = np.random.default_rng(11)
    region = np.array(["N", "S", "W"])[rng.integers(0, 3, ITEMS)]
    pools = {
        name: fl.Pool.from_arrays(
            probabilities=rng.dirichlet([1.2, 0.9, 0.6], ITEMS), classes=CLASSES, columns={"region": region}
        )
        for name in ("one", "two")
    }
    truth = [CLASSES[rng.choice(3, p=p)] for p in pools["one"].engine.models["model"].probabilities]
    return fl.Pool.join(pools), dict(enumerate(truth))


POOL, TRUTH = make_pool()
BY_CLASS = fl.Estimate("accuracy", by="predicted_class")
SUPERCLASS = fl.ClassMap({"a": "vowel", "b": "consonant", "c": "consonant"})


def outputs(model: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predicted names, scores, correctness."""
    found = POOL.engine.models[model]
    predicted = np.array(CLASSES)[found.predicted]
    return predicted, found.score, predicted == np.array([TRUTH[i] for i in range(ITEMS)])


def labelled(count: int = ITEMS, **settings) -> fl.Study:
    settings = {"model": "one", **settings}
    study = fl.create_study(POOL, settings.pop("question", BY_CLASS), **settings)
    study.tell({query.item: TRUTH[query.item] for query in study.ask(count)})
    return study


def plain(values: np.ndarray, groups: np.ndarray) -> dict[str, float]:
    return {str(name): float(values[groups == name].mean()) for name in np.unique(groups)}


STUDIES = {
    "uniform": {"strategy": "uniform"},
    "thompson": {},
    "top-two": {"question": fl.Identify("accuracy", by="predicted_class")},
    "uniform groups": {"strategy": "uniform_groups", "question": fl.Estimate("accuracy", by=("region", "score_bin"))},
    "confusion": {"question": fl.Estimate("confusion")},
    "frequency": {"estimator": "frequency"},
}


@cache
def fully_labelled(name: str = "thompson") -> fl.Study:
    """To read only: tests share it."""
    return labelled(**STUDIES[name])


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("model", ["one", "two"])
@pytest.mark.parametrize("name", STUDIES)
def test_with_everything_labelled_other_questions_equal_the_plain_computation(name, model):
    study = fully_labelled(name)
    predicted, score, right = outputs(model)
    region = POOL.engine.columns["region"]
    slices = {
        "region": (fl.Estimate("accuracy", by="region"), region),
        "predicted class": (BY_CLASS, predicted),
        "superclass": (fl.Estimate("accuracy", by=SUPERCLASS), np.where(predicted == "a", "vowel", "consonant")),
        "whole": (fl.Estimate("accuracy"), np.full(ITEMS, "whole pool")),
        "crossing": (
            fl.Estimate("accuracy", by=("predicted_class", "region")),
            np.array([f"{p} × {r}" for p, r in zip(predicted, region, strict=True)]),
        ),
    }
    for by, (question, groups) in slices.items():
        answer = study.answer(question, model=model)
        found = {f.group: f.value for f in answer.findings}
        assert found == pytest.approx(plain(right, groups), abs=1e-9), by
        assert answer.overall.value == pytest.approx(right.mean(), abs=1e-9), by
        assert answer.overall.labels == ITEMS
    bias = study.answer(fl.Estimate("calibration_bias", by="region"), model=model)
    gaps = {f.group: abs(f.value) for f in bias.findings}
    assert gaps == pytest.approx({k: abs(v) for k, v in plain(right - score, region).items()}, abs=1e-9)
    number = np.minimum((score * 10).astype(int), 9)
    gap = sum(abs(right[number == b].mean() - score[number == b].mean()) * (number == b).mean() for b in set(number))
    error = study.answer(fl.Estimate("calibration_error"), model=model).overall
    assert error.value == pytest.approx(gap, abs=1e-9)
    assert error.low == pytest.approx(error.high, abs=1e-9)


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("model", ["one", "two"])
def test_with_everything_labelled_the_confusion_matrix_is_counted(model):
    answer = fully_labelled().answer(fl.Estimate("confusion"), model=model)
    predicted, _, right = outputs(model)
    truth = np.array([TRUTH[i] for i in range(ITEMS)])
    shares = {f"{k} → {j}": (truth[predicted == k] == j).mean() for k in CLASSES for j in CLASSES}
    assert {f.group: f.value for f in answer.findings} == pytest.approx(shares, abs=1e-9)
    assert answer.overall.value == pytest.approx(right.mean(), abs=1e-9)


def test_the_studys_own_question_is_the_default():
    study = labelled(50)
    assert study.answer(BY_CLASS).findings == study.answer().findings
    assert study.answer(model="one").findings == study.answer().findings


def test_identify_and_compare_are_answered_from_the_same_labels():
    study = fully_labelled()
    _, _, right = outputs("one")
    exact = plain(right, POOL.engine.columns["region"])
    worst = study.answer(fl.Identify("accuracy", by="region"))
    assert worst.groups == (min(exact, key=exact.get),)
    assert worst.probability == pytest.approx(1)
    compared = study.answer(fl.Compare("accuracy", by="region", a="N", b="S", rope=0.01))
    assert compared.difference.value == pytest.approx(exact["N"] - exact["S"], abs=1e-9)


@pytest.mark.parametrize("settings", STUDIES.values(), ids=STUDIES.keys())
def test_another_question_counts_every_label_in_its_group(settings):
    study = labelled(60, **settings)
    region = POOL.engine.columns["region"]
    answer = study.answer(fl.Estimate("accuracy", by="region"), model="two")
    counts = {name: sum(region[item] == name for item in study.labels) for name in "NSW"}
    assert {f.group: f.labels for f in answer.findings} == counts
    assert all(f.low <= f.value <= f.high for f in answer.findings if not np.isnan(f.value))


@pytest.mark.usefixtures("fewer_draws")
def test_asking_another_question_changes_nothing_in_the_study():
    study, twin = labelled(30, seed=3), labelled(30, seed=3)
    for question in (fl.Estimate("confusion"), fl.Estimate("accuracy", by="region")):
        study.answer(question, model="two")
    assert len(study.events) == len(twin.events)
    assert [query.item for query in study.ask(5)] == [query.item for query in twin.ask(5)]


def test_corrections_and_earlier_labels_reach_other_questions():
    study = labelled(30)
    extra = [i for i in range(ITEMS) if i not in study.labels][:30]
    study.tell({i: TRUTH[i] for i in extra}, drawn="uniform")
    before = study.answer(fl.Estimate("accuracy", by="region")).overall
    assert before.labels == 60
    predicted, _, _ = outputs("one")
    right = [item for item, label in study.labels.items() if predicted[item] == label][:10]
    for item in right:
        study.correct(item, next(c for c in CLASSES if c != study.labels[item]))
    assert study.answer(fl.Estimate("accuracy", by="region")).overall.value < before.value


def test_a_positive_class_from_a_pool_of_many_classes_can_be_asked_about():
    study = fully_labelled()
    truth = np.array([TRUTH[i] for i in range(ITEMS)])
    for model in ("one", "two"):
        predicted, _, _ = outputs(model)
        answer = study.answer(fl.Estimate("true_positive_rate", positive="b"), model=model)
        exact = ((predicted == "b") & (truth == "b")).sum() / (truth == "b").sum()
        assert answer.overall.value == pytest.approx(exact, abs=1e-9)


# -- labels drawn for one question, read for another -------------------------------------------------------------------


def skewed_pool() -> tuple[fl.Pool, np.ndarray, np.ndarray]:
    """Groups of equal size; one is a coin toss, and asked about far more often. Scores are right on average.

    Region N holds most of the hard group: its plain pooled frequency is dragged down by the many labels there.
    """
    rng = np.random.default_rng(2)
    items = 1200
    group = np.arange(items) % 4
    accuracy = np.array([0.5, 0.97, 0.97, 0.97])[group]
    right = np.zeros(items, dtype=bool)
    for g in range(4):
        members = rng.permutation(np.flatnonzero(group == g))
        right[members[: round(accuracy[members[0]] * len(members))]] = True
    region = np.where(rng.random(items) < np.where(group == 0, 0.5, 0.4), "N", "S")
    pool = fl.Pool.from_arrays(
        predicted=[f"k{g}" for g in group],
        score=accuracy,
        classes=["k0", "k1", "k2", "k3", "no"],
        columns={"region": region},
    )
    return pool, right, region


@pytest.mark.usefixtures("fewer_draws", "compiled_fits")
def test_labels_of_thompson_sampling_give_other_slices_without_bias():
    """200 studies of 150 labels. The standard error of the mean is at most 0.002; the naive frequency, the negative
    control, is off by more than 0.08."""
    pool, right, region = skewed_pool()
    exact = plain(right, region)
    labels = {i: (f"k{i % 4}" if ok else "no") for i, ok in enumerate(right)}
    question = fl.Estimate("accuracy", by="region")
    found, naive = [], []
    for key in range(200):
        study = fl.create_study(pool, BY_CLASS, strategy="thompson", seed=key)
        study.tell({query.item: labels[query.item] for query in study.ask(150)})
        answer = study.answer(question)
        found.append([answer["N"].value, answer["S"].value, answer.overall.value])
        items = np.array(list(study.labels))
        naive.append([right[items][region[items] == r].mean() for r in "NS"] + [right[items].mean()])
    truth = np.array([exact["N"], exact["S"], right.mean()])
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (error < 0.003).all()
    assert (np.abs(np.mean(found, axis=0) - truth) < 4 * error).all()
    assert (np.abs(np.mean(naive, axis=0) - truth) > 0.08).all()


@pytest.mark.usefixtures("fewer_draws", "compiled_fits")
def test_labels_of_thompson_sampling_for_one_model_give_the_other_without_bias():
    """As above; the other model errs in part of an easy group. The naive frequency is off by more than 0.05."""
    pool, right, region = skewed_pool()
    names = np.array([f"k{i % 4}" for i in range(len(right))])
    truth = np.where(right, names, "no")
    other = np.where((region == "N") & (names == "k1"), "k2", names)
    second = fl.Pool.from_arrays(
        predicted=other.tolist(),
        score=pool.engine.models["model"].score,
        classes=list(pool.classes),
        columns={"region": region},
    )
    both = fl.Pool.join({"one": pool, "two": second})
    exact = float((other == truth).mean())
    found, naive = [], []
    for key in range(150):
        study = fl.create_study(both, BY_CLASS, model="one", seed=key, prior_strength=0.1)
        queries = study.ask(200)
        study.tell({query.item: str(truth[query.item]) for query in queries})
        found.append(study.answer(fl.Estimate("accuracy"), model="two").overall.value)
        items = np.array([query.item for query in queries])
        naive.append((other == truth)[items].mean())
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - exact) < 4 * error
    assert abs(np.mean(naive) - exact) > 0.05
