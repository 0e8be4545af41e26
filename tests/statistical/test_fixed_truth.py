"""At one fixed truth, a real pool: does the overall figure of an adaptive study cover?

As many seeds as tell, on the demo pool, whose classifier is over-confident: a true coverage of 92 % is refused once in
1,500, one of 70 % accepted once in 1,500. The negative control sums the papers' independent posteriors instead.
"""

from collections.abc import Iterator
from itertools import count

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.demo import demo_pool
from sequential import held_often

ERRORS = {"good": 0.92, "bad": 0.7, "refused": 1 / 1500, "accepted": 1 / 1500}

pytestmark = pytest.mark.usefixtures("fewer_draws", "compiled_fits")


def covers(estimator: str, question: object, labels: int) -> Iterator[bool]:
    """Seed after seed, whether the interval of the overall accuracy holds the truth."""
    pool = demo_pool()
    known = dict(zip(pool.ids, pool.known_labels, strict=True))
    outputs = pool.engine.models["model"]
    truth = np.mean(np.array(pool.classes)[outputs.predicted] == pool.known_labels)
    for seed in count():
        study = fl.create_study(pool, question, seed=seed, budget=labels, estimator=estimator)
        while queries := study.ask(20):
            study.tell({query.item: known[query.item] for query in queries})
        overall = study.answer(fl.Estimate("accuracy")).overall
        yield overall.low <= truth <= overall.high


BY_CLASS = fl.Estimate("accuracy", by="predicted_class")


@pytest.mark.parametrize(
    "question", [BY_CLASS, fl.Identify("accuracy", by="predicted_class", top=10)], ids=["estimate", "identify"]
)
def test_overall_accuracy_covers_whatever_the_labels_were_drawn_for(question):
    assert held_often(covers("auto", question, 100), **ERRORS)


def test_independent_posteriors_summed_up_are_caught():
    assert not held_often(covers("beta", BY_CLASS, 200), **ERRORS)
