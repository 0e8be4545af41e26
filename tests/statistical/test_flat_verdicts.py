"""How often a flat verdict is wrong, where two groups are served alike: a verdict for one look, from a true-positive
rate.

Sizes: 150 studies of 250 labels drawn uniformly. With one study in twenty wrong at most, 14 or more are wrong with
probability 0.02; every verdict that names a direction is wrong, for the two rates are equal to the last item.
"""

import numpy as np
import pytest

import fewlabels as fl

STUDIES, LABELS, MOST_WRONG = 150, 250, 13
NO_LONGER = 0.75  # a probability from which verdicts were flat in 0.1
GROUPS = {"east": 1400, "west": 600}


@pytest.fixture(scope="module")
def pool():
    """In each group 40 % are positive, and 80 % of those are found."""
    group, true, predicted, score = [], [], [], []
    rng = np.random.default_rng(0)
    for name, size in GROUPS.items():
        positives = size * 2 // 5
        found = positives * 4 // 5
        group += [name] * size
        true += ["yes"] * positives + ["no"] * (size - positives)
        predicted += ["yes"] * found + ["no"] * (positives - found) + ["no"] * (size - positives)
        score += np.round(rng.uniform(0.6, 0.99, size), 3).tolist()
    return fl.Pool.from_arrays(predicted=predicted, score=score, columns={"side": group}), true


@pytest.fixture(scope="module")
def answers(pool):
    items, true = pool
    question = fl.Compare("true_positive_rate", by="side", a="west", b="east", positive="yes")
    found = []
    for seed in range(STUDIES):
        study = fl.create_study(items, question, strategy="uniform", seed=seed)
        chosen = np.random.default_rng(1000 + seed).choice(len(true), LABELS, replace=False).tolist()
        study.tell({item: true[item] for item in chosen}, drawn="uniform")
        found.append(study.answer())
    return found


def wrong(answers, decided) -> int:
    return sum(decided(answer) in ("less", "more") for answer in answers)


def test_flat_verdicts_are_wrong_in_at_most_one_study_of_twenty(answers):
    assert wrong(answers, lambda answer: answer.decided) <= MOST_WRONG


def test_some_studies_have_enough_labels_for_a_verdict(answers):
    enough = [min(finding.labels for finding in answer.findings) >= 20 for answer in answers]
    assert np.mean(enough) > 0.9


def test_verdicts_from_three_chances_in_four_are_wrong_more_often(answers):
    """The negative control: the rule of 0.1."""
    old = lambda answer: answer.region if answer.probability >= NO_LONGER else None  # noqa: E731
    assert wrong(answers, old) > MOST_WRONG
