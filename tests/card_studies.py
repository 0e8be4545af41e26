"""Small studies of 60 questions about cards, in memory unless told otherwise."""

from dataclasses import replace

import numpy as np

import fewlabels as fl

CLASSES = ["card_arrival", "lost_card", "refund"]
BY_CLASS = fl.Estimate("accuracy", by="predicted_class")


def make_pool(items: int = 60, **more) -> fl.Pool:
    rng = np.random.default_rng(3)
    return fl.Pool.from_arrays(
        probabilities=rng.dirichlet([1, 1, 1], items),
        ids=[f"i{n}" for n in range(items)],
        classes=CLASSES,
        columns={"region": [("N", "S")[n % 2] for n in range(items)]},
        payload={"text": [f"text {n}" for n in range(items)]},
        **more,
    )


POOL = make_pool()
TRUTH = {f"i{n}": CLASSES[c] for n, c in enumerate(np.random.default_rng(4).integers(0, 3, 60))}


def make_study(question: object = BY_CLASS, pool: fl.Pool = POOL, **more) -> fl.Study:
    return fl.create_study(pool, question, **more)


def tell_all(study: fl.Study, queries: list[fl.Query], truth: dict = TRUTH) -> None:
    study.tell({query.item: truth[query.item] for query in queries})


def timeless(events: list) -> list:
    return [replace(event, at="") for event in events]
