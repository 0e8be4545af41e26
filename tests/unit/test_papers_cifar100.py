"""The papers' CIFAR-100 network (ResNet-110), all labels told: the numbers printed in the supplement of Ji et al. 2021.

Priors are Beta(1, 1), and the target the population, as there.
"""

from pathlib import Path

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.evidence import Evidence


@pytest.fixture(scope="module")
def network(data_folder: Path) -> dict[str, np.ndarray]:
    file = data_folder / "cifar100_resnet110_paper.npz"
    if not file.exists():
        pytest.skip("the papers' CIFAR-100 predictions are not in the folder of real pools")
    with np.load(file) as arrays:
        return {name: arrays[name] for name in arrays.files}


@pytest.fixture(scope="module")
def pool(network) -> fl.Pool:
    names = [str(n) for n in network["class_names"]]
    return fl.Pool.from_arrays(predicted=network["predicted"], score=network["score"], classes=names)


@pytest.fixture(scope="module")
def by_superclass(network) -> fl.ClassMap:
    names = [str(n) for n in network["superclass_names"]]
    of_class = [names[int(i)] for i in network["superclass_of_class"]]
    return fl.ClassMap({str(c): s for c, s in zip(network["class_names"], of_class, strict=True)})


def all_told(pool: fl.Pool, network, question) -> fl.Study:
    study = fl.create_study(pool, question, prior="flat", target="population", strategy="thompson")
    names = network["class_names"]
    study.tell({i: str(names[label]) for i, label in enumerate(network["label"])}, drawn="uniform")
    return study


def posterior(study: fl.Study) -> dict[str, tuple[float, float]]:
    """Beta parameters by group, rebuilt from the labels told by way of the study's own assessment."""
    assessment = study._assessment
    belief = assessment.belief(study._history.evidence())
    names = assessment.view.groups.labels
    return {names[g]: (float(belief.alpha[g]), float(belief.beta[g])) for g in range(len(names))}


@pytest.fixture(scope="module")
def by_accuracy(pool, network) -> fl.Study:
    return all_told(pool, network, fl.Identify("accuracy", by="predicted_class", within=0))


@pytest.fixture(scope="module")
def identified(by_accuracy) -> fl.Identification:
    return by_accuracy.answer()


def test_people_and_trees_have_the_posteriors_printed_in_the_supplement(pool, network, by_superclass):
    """Supplement, Bayesian Estimation of Accuracy Differences: Beta(280, 203) and Beta(351, 162); 481 and 511 items."""
    study = all_told(pool, network, fl.Estimate("accuracy", by=by_superclass))
    found = posterior(study)
    assert found["people"] == (280, 203)
    assert found["trees"] == (351, 162)
    answer = study.answer()
    assert (answer["people"].labels, answer["trees"].labels) == (481, 511)
    assert answer["people"].value == pytest.approx(280 / 483)
    assert len(answer.findings) == 20


def test_people_are_less_accurate_than_trees_with_the_printed_probability(pool, network, by_superclass):
    """Supplement: 96 %; to three digits 0.963."""
    answer = all_told(pool, network, fl.Compare("accuracy", by=by_superclass, a="people", b="trees")).answer()
    assert round(answer.p_less, 3) == 0.963
    assert answer.p_less + answer.p_equal + answer.p_more == pytest.approx(1)


def test_woman_is_less_accurate_than_man_with_the_printed_probability(pool, network):
    """Supplement: 82 % from 10,000 draws; 60 of 109 and 52 of 78 are right, and the integral is 0.814."""
    study = all_told(pool, network, fl.Compare("accuracy", by="predicted_class", a="woman", b="man"))
    found = posterior(study)
    assert found["woman"] == (61, 50)
    assert found["man"] == (53, 27)
    assert round(study.answer().p_less, 3) == 0.814


def test_lizard_is_least_accurate_with_the_printed_probability(identified):
    """Supplement: 68 % from 10,000 draws (workshop paper: 68.25 %); exactly 0.680."""
    assert identified.groups == ("lizard",)
    assert round(identified.probability, 3) == 0.680


def test_rank_intervals_are_those_of_a_million_draws(by_accuracy, identified):
    """Supplement, Figure 6a draws 10,000 samples. Here a million: each end of the 95 % interval of each class's rank is
    the rank of the draws, except where the draws' cumulative probability at the border in dispute lies within 4
    standard errors of 0.025 or 0.975, so that the draws cannot tell; of 200 ends at most 10 may be such.
    """
    found = {row["group"]: row for row in identified.to_dicts()}
    beta = posterior(by_accuracy)
    names = sorted(beta)
    counts = _rank_counts(np.array([beta[n][0] for n in names]), np.array([beta[n][1] for n in names]), 1_000_000)
    draws = counts[0].sum()
    unsure = 0
    for g, name in enumerate(names):
        cumulative = np.cumsum(counts[g]) / draws
        for tail, end in ((0.025, "rank_low"), (0.975, "rank_high")):
            drawn = int((cumulative >= tail).argmax()) + 1
            if found[name][end] == drawn:
                continue
            unsure += 1
            border = min(found[name][end], drawn)  # the two differ about this cumulative probability
            assert abs(found[name][end] - drawn) == 1
            assert abs(cumulative[border - 1] - tail) < 4 * np.sqrt(tail * (1 - tail) / draws)
    assert unsure <= 10


def _rank_counts(alpha: np.ndarray, beta: np.ndarray, draws: int) -> np.ndarray:
    """How often each group has each rank, lowest rate first."""
    rng, groups = np.random.default_rng(0), len(alpha)
    counts = np.zeros((groups, groups), dtype=np.int64)
    for _ in range(draws // 50_000):
        order = rng.beta(alpha, beta, size=(50_000, groups)).argsort(axis=1)
        for rank in range(groups):
            counts[:, rank] += np.bincount(order[:, rank], minlength=groups)
    return counts


def test_the_order_of_the_labels_does_not_matter(pool, network):
    question = fl.Estimate("accuracy", by="predicted_class")
    study = all_told(pool, network, question)
    evidence = study._history.evidence()
    order = np.random.default_rng(0).permutation(evidence.count)
    shuffled = Evidence(
        [evidence.items[i] for i in order],
        evidence.cell[order],
        evidence.predicted[order],
        evidence.label[order],
        evidence.score[order],
    )
    one, two = (study._assessment.belief(e) for e in (evidence, shuffled))
    np.testing.assert_array_equal(one.alpha, two.alpha)
    np.testing.assert_array_equal(one.beta, two.beta)
