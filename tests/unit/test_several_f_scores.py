"""Several F-scores from one set of labels."""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.questions_kept import question_from_json

SEVERAL = fl.Estimate(["f1", "precision", "recall"], positive="rare")


def pool_of(n=600, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.uniform(size=n) < 0.06
    s = 1 / (1 + np.exp(-(3.0 * y + rng.normal(size=n) - 2.5)))
    return fl.Pool.from_arrays(positive_score=s, threshold=0.5, positive="rare"), y


def told(pool, y, question, n, **more):
    study = fl.create_study(pool, question, seed=3, **more)
    while len(study.labels) < n and (queries := study.ask(10)):
        study.tell({query.item: "rare" if y[query.item] else study.classes[0] for query in queries})
    return study


def test_each_figure_is_what_it_is_alone_from_the_same_labels():
    pool, y = pool_of()
    study = told(pool, y, SEVERAL, 60, strategy="doubt")
    together = study.answer()
    for name in ("f1", "precision", "recall"):
        alone = study.answer(fl.Estimate(name, positive="rare")).overall
        found = together["F1" if name == "f1" else name]
        assert (found.value, found.low, found.high) == pytest.approx((alone.value, alone.low, alone.high), abs=1e-12)
    assert str(together).startswith("F1, precision, recall of 'rare', from 60 labels: F1 ")


def test_a_list_of_scores_is_kept_as_it_was_asked():
    assert question_from_json(SEVERAL.to_json()) == SEVERAL
    own = [fl.FScore(0.3, "rare", threshold=0.2), fl.FScore(0.0, "rare", threshold=0.2)]
    assert fl.Estimate(own).metric == fl.FScores("rare", (0.3, 0.0), 0.2)
    assert fl.Estimate(own).describe() == "F-score (alpha 0.3), recall of 'rare' at threshold 0.2"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: fl.Estimate(["f1", "accuracy"], positive="rare"),
        lambda: fl.Estimate([fl.FScore(0.5, "a"), fl.FScore(1.0, "b")]),
        lambda: fl.Estimate([], positive="rare"),
        lambda: fl.Estimate(["f1", "f1"], positive="rare"),
        lambda: fl.Estimate(["f1", "recall"], by="side", positive="rare"),
    ],
)
def test_lists_that_make_no_sense_together_are_refused(wrong):
    with pytest.raises(fl.QuestionError):
        wrong()


def test_labels_for_all_of_them_look_for_misses_too():
    """Drawn for precision alone no item predicted negative is asked for; drawn for all, some are, and none only."""
    pool, y = pool_of()
    hit = pool.classes.index("rare")
    predicted = pool.engine.models["model"].predicted == hit
    alone = told(pool, y, fl.Estimate("precision", positive="rare"), 20, strategy="doubt")
    both = told(pool, y, SEVERAL, 20, strategy="doubt")
    assert predicted[list(alone.labels)].all()
    assert 3 <= predicted[list(both.labels)].sum() <= 17
