"""At one fixed truth, a real pool: does the overall figure of an adaptive study cover?

60 seeds on the demo pool, whose classifier is over-confident. A true coverage of 92 % falls below 80 % once in 1,500;
one of 60 % reaches 80 % once in 1,500. The negative control sums the papers' independent posteriors instead.
"""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.demo import demo_pool

SEEDS, LEAST = 60, 0.8


def coverage(estimator: str, question: object, labels: int) -> float:
    pool = demo_pool()
    known = dict(zip(pool.ids, pool.known_labels, strict=True))
    outputs = pool.engine.models["model"]
    truth = np.mean(np.array(pool.classes)[outputs.predicted] == pool.known_labels)
    hits = []
    for seed in range(SEEDS):
        study = fl.create_study(pool, question, seed=seed, budget=labels, estimator=estimator)
        while queries := study.ask(20):
            study.tell({query.item: known[query.item] for query in queries})
        overall = study.answer(fl.Estimate("accuracy")).overall
        hits.append(overall.low <= truth <= overall.high)
    return float(np.mean(hits))


BY_CLASS = fl.Estimate("accuracy", by="predicted_class")


@pytest.mark.parametrize(
    "question", [BY_CLASS, fl.Identify("accuracy", by="predicted_class", top=10)], ids=["estimate", "identify"]
)
def test_overall_accuracy_covers_whatever_the_labels_were_drawn_for(question):
    assert coverage("auto", question, 100) >= LEAST


def test_independent_posteriors_summed_up_are_caught():
    assert coverage("beta", BY_CLASS, 200) < LEAST
