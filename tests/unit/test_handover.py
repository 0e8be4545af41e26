"""Giving the worst classes to people: which are handed over, and the accuracy that would result."""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.demo.run import true_labels


@pytest.fixture(scope="module")
def pool() -> fl.Pool:
    """Five classes of 200, 100, 100, 60 and 40 items, the rarer the worse."""
    rng = np.random.default_rng(3)
    names, sizes, right = list("abcde"), [200, 100, 100, 60, 40], [0.95, 0.9, 0.7, 0.5, 0.2]
    predicted = np.repeat(names, sizes)
    hit = rng.random(500) < np.repeat(right, sizes)
    truth = np.where(hit, predicted, np.where(predicted == "a", "b", "a"))
    return fl.Pool.from_arrays(predicted=predicted, score=rng.uniform(0.5, 1, 500), labels=truth, classes=names)


def told(pool: fl.Pool, n: int, **settings: object) -> fl.Identification:
    study = fl.create_study(pool, fl.Identify("accuracy", by="predicted_class", top=2), **settings)  # type: ignore[arg-type]
    known = true_labels(pool)
    items = np.random.default_rng(1).permutation(500)[:n].tolist()
    study.tell({item: known[item] for item in items}, drawn="uniform")
    return study.answer()  # type: ignore[return-value]


def by_hand(pool: fl.Pool, groups: tuple[str, ...], human: float) -> float:
    """[Ji20] Sec. 4.2, item by item: people decide where the model predicts one of these groups."""
    known, right = true_labels(pool), 0.0
    for item, row in zip(pool.ids, pool.engine.find("model", (), pool.ids), strict=True):
        right += human if row.predicted in groups else row.predicted == known[item]  # type: ignore[union-attr]
    return right / len(pool)


@pytest.mark.parametrize(
    ("share", "human", "groups"), [(0.1, 1.0, "e"), (0.2, 1.0, "ed"), (0.4, 0.92, "edc"), (0.12, 0.5, "e")]
)
def test_with_every_label_it_is_what_counting_says(pool: fl.Pool, share: float, human: float, groups: str) -> None:
    found = told(pool, 500).handover(share, human)
    assert found.groups == tuple(groups)
    assert found.after.value == pytest.approx(by_hand(pool, found.groups, human), abs=1e-9)
    assert found.after.certain
    assert found.share == pytest.approx({"e": 0.08, "ed": 0.2, "edc": 0.4}[groups])


def test_a_class_that_does_not_fit_is_passed_over_and_none_that_people_do_worse_at(pool: fl.Pool) -> None:
    answer = told(pool, 500)
    assert answer.handover(0.13).groups == ("e",)  # d would make it 20 %
    assert answer.handover(1.0, human=0.8).groups == ("e", "d", "c")
    none = answer.handover(0.05)
    assert none.groups == ()
    assert none.after.value == pytest.approx(none.before.value)
    assert str(none).startswith("No group fits")


def test_its_mean_and_interval_are_those_of_independent_betas(pool: fl.Pool) -> None:
    """A slow transcription: posterior draws of each class, added up by share."""
    answer = told(pool, 150, estimator="beta", prior="flat", target="population")
    found = answer.handover(0.2, human=0.9)
    rng = np.random.default_rng(0)
    total = np.zeros(40_000)
    for f in answer.findings:
        n = f.labels
        hits = round(f.value * (n + 2) - 1)
        total += f.weight * (0.9 if f.group in found.groups else rng.beta(hits + 1, n - hits + 1, 40_000))
    low, high = np.quantile(total, (0.025, 0.975))
    assert found.after.value == pytest.approx(np.median(total), abs=0.004)
    assert found.after.low <= low + 0.006
    assert found.after.high >= high - 0.006
    assert found.after.half_width < 2 * (high - low) / 2


def test_people_who_were_themselves_assessed_add_their_uncertainty(pool: fl.Pool) -> None:
    answer = told(pool, 300)
    people = fl.create_study(pool, fl.Estimate("accuracy"), name="people")
    known = true_labels(pool)
    people.tell({item: known[item] for item in range(60)}, drawn="uniform")
    overall = people.answer().overall
    assert overall is not None
    sure, unsure = answer.handover(0.2, overall.value), answer.handover(0.2, overall)
    assert unsure.groups == sure.groups
    assert unsure.after.half_width > sure.after.half_width > 0
    assert "as estimated" in unsure.human


def test_intervals_hold_the_truth_about_as_often_as_they_say(pool: fl.Pool) -> None:
    """Twenty samples; a negative control that is half as wide is noticed."""
    known, held, narrow = true_labels(pool), 0, 0
    for seed in range(20):
        study = fl.create_study(pool, fl.Identify("accuracy", by="predicted_class"), estimator="beta", seed=seed)
        items = np.random.default_rng(seed).permutation(500)[:100].tolist()
        study.tell({item: known[item] for item in items}, drawn="uniform")
        found = study.answer().handover(0.2)  # type: ignore[attr-defined]
        off = abs(by_hand(pool, found.groups, 1.0) - found.after.value)
        held += found.after.low <= by_hand(pool, found.groups, 1.0) <= found.after.high
        narrow += off <= found.after.half_width / 4
    assert held >= 17  # of 95 % intervals, fewer have a chance of 2 in 100
    assert narrow < 17


def test_other_questions_and_shares_that_are_none_are_refused(pool: fl.Pool) -> None:
    answer = told(pool, 50)
    for share in (0, 1.2, "much", True):
        with pytest.raises(fl.QuestionError, match="share is how much"):
            answer.handover(share)  # type: ignore[arg-type]
    with pytest.raises(fl.QuestionError, match="human is how often"):
        answer.handover(0.1, human=3)
    study = fl.create_study(pool, fl.Identify("calibration_bias", by="predicted_class"))
    with pytest.raises(fl.QuestionError, match="least accurate"):
        study.answer().handover(0.1)  # type: ignore[attr-defined]
