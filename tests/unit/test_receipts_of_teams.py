"""Receipts of studies that were changed, and had several labellers: every choice and number is found again."""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.reporting.receipt import receipt_of
from fewlabels.verification import verify

POOL = fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([2, 1], 80))


def label(study: fl.Study, by: str, n: int, error: int) -> None:
    for query in study.ask(n, by=by):
        study.tell(query, str((query.item + (query.item % error == 0)) % 2), by=by)


@pytest.mark.parametrize("strategy", ["auto", "uniform", "thompson"])
def test_a_study_with_all_that_can_happen_is_found_again(tmp_path, strategy):
    question = fl.Estimate("accuracy", by="predicted_class")
    settings = {"labels_per_item": 2, "overlap": 0.4, "budget": 30, "strategy": strategy, "seed": 5}
    study = fl.create_study(POOL, question, **settings)
    study.tell({1: "0", 2: "1", 3: "1"}, drawn="uniform")
    label(study, "ann", 12, 5)
    study.withdraw(2)
    label(study, "ben", 9, 7)
    for one in study.disagreements:
        study.correct(one.item, one.label, by="chief")
    study.withdraw(next(iter(study.labels)), by="ann")
    study.change(budget=60, until=fl.HalfWidth(0.2))
    label(study, "cem", 20, 3)
    if study.open_queries:
        study.skip(study.open_queries[0], "cannot tell")
    label(study, "ann", 6, 5)
    file = tmp_path / "receipt.json"
    file.write_text(receipt_of(study).to_json(), encoding="utf-8")
    found = verify(file, POOL)
    assert found.ok, str(found)
    assert verify(file).ok
