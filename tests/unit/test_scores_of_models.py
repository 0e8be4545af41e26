"""F-scores of two models by groups, and the best of several by an F-score: against slow loops, and how it is said."""

import json
import math

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.difference import Differences
from fewlabels.core.scores_of_models import ScoresOfModels
from fewlabels.questions_kept import question_from_json

ITEMS = 300
NAMES = ("sharp", "fair", "blunt")


def world(seed: int = 0, items: int = ITEMS, noise: tuple[float, ...] = (0.2, 0.8, 2.0)) -> tuple[fl.Pool, np.ndarray]:
    """Three models of one class, each with more noise than the one before, in two regions; and what is positive."""
    rng = np.random.default_rng(seed)
    y = rng.uniform(size=items) < 0.15
    at = 4.0 * y - 2.5 + 0.7 * rng.normal(size=items)
    region = np.where(np.arange(items) % 4 == 0, "north", "south")
    pools = {}
    for name, spread in zip(NAMES, noise, strict=True):
        score = 1 / (1 + np.exp(-(at + spread * rng.normal(size=items))))
        pools[name] = fl.Pool.from_arrays(positive_score=score, positive="rare", columns={"region": region})
    return fl.Pool.join(pools), y


def told(study: fl.Study, y: np.ndarray, count: int, batch: int = 10) -> fl.Study:
    while len(study.labels) < count and not study.done and (asked := study.ask(min(batch, count - len(study.labels)))):
        study.tell({query.item: "rare" if y[query.item] else study.classes[0] for query in asked})
    return study


def exact(pool: fl.Pool, name: str, y: np.ndarray, alpha: float = 0.5, where: np.ndarray | None = None) -> float:
    where = np.ones(len(y), dtype=bool) if where is None else where
    said = pool.engine.models[name].predicted == pool.classes.index("rare")
    counted = alpha * said[where].sum() + (1 - alpha) * y[where].sum()
    return (said & y)[where].sum() / counted


POOL, Y = world()
NORTH = np.arange(ITEMS) % 4 == 0
BY_REGION = fl.CompareModels("f1", "sharp", "blunt", positive="rare", by="region")
BEST = fl.BestModel("f1", positive="rare")


# -- by groups -------------------------------------------------------------------------------------------------------


def test_a_difference_in_a_group_is_that_of_its_own_items_with_chances_of_all():
    study = told(fl.create_study(POOL, BY_REGION, seed=1), Y, 60)
    samples = study._assessment.f_samples(study._history.evidence())
    whole, groups = samples[:2], study._assessment.view.groups

    known = Differences(whole[0])
    for number, finding in enumerate(study.answer().findings):
        scores = []
        for model in (0, 1):
            predicted, found, missed = whole[model].predicted, 0.0, 0.0
            for cell in np.flatnonzero(groups.index == number):
                rows = [i for i in range(len(whole[0].cell)) if whole[0].cell[i] == cell]
                m = known.expected[cell]
                here = sum(whole[0].positive[i] + (1 / known.chance[i] - 1) * (whole[0].positive[i] - m) for i in rows)
                here += (whole[0].size[cell] - len(rows)) * m if known.in_reach[cell] else 0.0
                found, missed = found + here * predicted[cell], missed + here * (1 - predicted[cell])
            said = sum(whole[0].size[c] * predicted[c] for c in np.flatnonzero(groups.index == number))
            scores.append(found / (0.5 * said + 0.5 * (found + missed)))
        assert finding.value == pytest.approx(scores[0] - scores[1], abs=0.02)  # but for what is not possible


def test_with_all_labels_each_group_has_its_own_exact_difference():
    study = told(fl.create_study(POOL, BY_REGION, seed=1), Y, ITEMS, batch=50)
    answer = study.answer()
    for finding, where in zip(answer.findings, (NORTH, ~NORTH), strict=True):
        true = exact(POOL, "sharp", Y, where=where) - exact(POOL, "blunt", Y, where=where)
        assert finding.value == pytest.approx(true)
        assert finding.low == finding.high == finding.value
    assert [f.group for f in answer.findings] == ["north", "south"]
    assert answer.difference.value == pytest.approx(exact(POOL, "sharp", Y) - exact(POOL, "blunt", Y))


def test_labels_go_to_every_group_and_all_verdicts_are_needed_for_a_stop():
    study = fl.create_study(POOL, BY_REGION, seed=1, until=fl.Probability(0.95))
    told(study, Y, 20)
    assert "groups are open" in study.progress.reason
    told(study, Y, ITEMS)
    assert study.done
    assert "every group has its verdict" in study.progress.reason
    answer = study.answer()
    assert [row["verdict"] for row in answer.to_dicts()] == ["better", "better"]
    assert all(finding.labels >= 10 for finding in answer.findings)
    assert {"p_less", "p_equal", "p_more", "differ", "positives"} <= set(answer.to_dicts()[0])
    assert "sharp" in str(answer)


def test_the_difference_of_all_items_is_the_same_by_groups_or_not_from_a_uniform_sample():
    study = fl.create_study(POOL, fl.Estimate("accuracy"), model="sharp", strategy="uniform", seed=3)
    told(study, Y, 120)
    whole = study.answer(fl.CompareModels("f1", "sharp", "blunt", positive="rare"))
    by = study.answer(BY_REGION)
    assert by.difference.value == pytest.approx(whole.difference.value, abs=0.03)  # cells are split further
    assert len(by.findings) == 2


def test_labels_drawn_for_all_items_are_not_read_by_groups():
    study = told(fl.create_study(POOL, fl.CompareModels("f1", "sharp", "blunt", positive="rare"), seed=1), Y, 30)
    with pytest.raises(fl.QuestionError, match="say little of anything else"):
        study.answer(BY_REGION)
    assert told(fl.create_study(POOL, BY_REGION, seed=1), Y, 30).answer(
        fl.CompareModels("recall", "sharp", "blunt", positive="rare", by="region")
    )


def test_groups_that_no_column_makes_are_refused():
    with pytest.raises(fl.QuestionError, match="by a column"):
        fl.CompareModels("f1", "sharp", "blunt", positive="rare", by="predicted_class")


# -- the best of several ---------------------------------------------------------------------------------------------


def test_errors_of_two_models_add_up_to_that_of_their_difference():
    question = fl.BestModel("f1", models=["sharp", "blunt"], positive="rare")
    study = told(fl.create_study(POOL, question, seed=1), Y, 50)
    scores = ScoresOfModels(tuple(study._assessment.f_samples(study._history.evidence())))
    v, pair = scores.covariance, scores.pair(0, 1)
    assert v[0, 0] + v[1, 1] - 2 * v[0, 1] == pytest.approx(pair.spread.variance + pair.hidden, rel=1e-9)
    drawn = scores.draws(40_000, np.random.default_rng(0))
    assert np.median(drawn[:, 0] - drawn[:, 1]) == pytest.approx(pair.value, abs=0.04)  # none is above one


@pytest.mark.parametrize(("metric", "alpha"), [("f1", 0.5), ("recall", 0.0), ("precision", 1.0)])
def test_with_all_labels_the_best_is_known(metric, alpha):
    study = told(fl.create_study(POOL, fl.BestModel(metric, positive="rare"), seed=1), Y, ITEMS, batch=50)
    answer, true = study.answer(), {name: exact(POOL, name, Y, alpha) for name in NAMES}
    assert true[answer.best] == max(true.values())
    assert answer.shown
    for finding in answer.findings:
        assert finding.value == pytest.approx(true[finding.group] - true[answer.best])
        assert answer.expected_loss[finding.group] == pytest.approx(max(true.values()) - true[finding.group])


def test_the_best_is_found_with_few_labels_and_said_in_words():
    study = told(fl.create_study(POOL, BEST, seed=1, until=fl.Probability(0.95)), Y, ITEMS)
    answer = study.answer()
    assert study.done
    assert len(study.labels) < ITEMS
    assert answer.best == "sharp"
    assert sum(answer.p_best.values()) == pytest.approx(1)
    assert not answer.dropped
    assert not answer.shown
    assert "sharp is within 0.01 of the best with probability" in study.progress.reason
    assert answer.sentence.startswith("Choose sharp: ")
    assert "has the best F1 of 'rare' of 3 models" in answer.sentence
    assert "no model is dropped" in answer.sentence


def test_before_a_label_nobody_is_the_best():
    study = fl.create_study(POOL, BEST)
    answer = study.answer()
    assert answer.sentence.startswith("Not decided: no labels yet.")
    assert not answer.decided
    assert max(answer.p_best.values()) < 0.4
    assert all(math.isnan(f.value) or f.group == answer.best for f in answer.findings)


def test_models_that_say_the_same_need_no_labels():
    score = np.linspace(0, 1, 60)
    same = {name: fl.Pool.from_arrays(positive_score=score, positive="rare") for name in NAMES}
    study = fl.create_study(fl.Pool.join(same), BEST, until=fl.Probability(0.95))
    assert "say the same of all 60 items" in study.answer().sentence
    assert study.done
    assert study.ask(5) == []


def test_other_scores_of_the_same_models_are_read_off_the_labels_and_pairs_are_not():
    study = told(fl.create_study(POOL, BEST, seed=1), Y, 60)
    assert study.answer(fl.BestModel("recall", positive="rare")).best in NAMES
    with pytest.raises(fl.QuestionError, match="say little of anything else"):
        study.answer(fl.CompareModels("f1", "sharp", "fair", positive="rare"))


def test_what_is_refused_of_the_best():
    study = told(fl.create_study(POOL, BEST, seed=1), Y, 20)
    with pytest.raises(fl.QuestionError, match="every look"):
        study.answer(anytime=True)
    with pytest.raises(fl.QuestionError, match="population"):
        fl.create_study(POOL, BEST, target="population").answer()


def test_a_kept_question_is_the_same_again():
    kept = json.loads(json.dumps(BEST.to_json()))
    assert question_from_json(kept) == BEST
    assert question_from_json(json.loads(json.dumps(BY_REGION.to_json()))) == BY_REGION


def test_simulations_tell_how_far_the_model_named_is_behind():
    labels = np.where(Y, "rare", POOL.classes[0])
    found = fl.simulate(POOL, labels, question=BEST, budgets=[20, 60], runs=2)
    assert found.values.min() >= 0
    assert found.values.max() <= 1
