"""An engine written outside, one class: all works with it, to the last bit as with our own."""

from dataclasses import replace

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.cli.examine import examine
from fewlabels.core.groups import (
    Column,
)
from fewlabels.reporting.data import report_data
from fewlabels.reproduction.base import confusion_counts
from plain_rows import BY_CLASS, CLASSES, MODELS, ROWS, TRUTH, N, PlainRows, label_some, own_pool, strange_pool

pytestmark = pytest.mark.usefixtures("fewer_draws")  # numbers are the same with as many draws or fewer

QUESTIONS = [
    fl.Estimate("accuracy"),
    BY_CLASS,
    fl.Identify("accuracy", by=("side", "predicted_class"), top=2),
    fl.Compare("accuracy", "side", "left", "right"),
    fl.Estimate("calibration_error"),
    fl.Estimate(fl.Reliability(fl.ScoreBins(4, "mass"))),
    fl.Estimate("confusion"),
    fl.Estimate("f1", positive="bee"),
]


@pytest.fixture(scope="module")
def own() -> fl.Pool:
    return own_pool()


@pytest.fixture(scope="module")
def strange() -> fl.Pool:
    return strange_pool()


def test_the_pool_says_the_same_of_itself(own, strange):
    assert repr(strange) == repr(own)
    assert (strange.ids, strange.columns, strange.true_classes) == (own.ids, own.columns, own.true_classes)
    assert strange.known_labels.tolist() == own.known_labels.tolist()


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.describe())
def test_a_study_asks_for_the_same_items_and_answers_in_the_same_numbers(own, strange, question):
    studies = [fl.create_study(pool, question, model="one", seed=3) for pool in (own, strange)]
    first, second = (label_some(study) for study in studies)
    assert first == second
    assert studies[0].answer() == studies[1].answer()
    assert studies[0].progress == studies[1].progress


def test_other_questions_other_models_and_labels_from_outside_too(own, strange):
    studies = [fl.create_study(pool, BY_CLASS, model="one", seed=8) for pool in (own, strange)]
    for study in studies:
        label_some(study, (20,))
        study.tell({f"i{n}": TRUTH[f"i{n}"] for n in range(0, N, 9)}, drawn="uniform")
        with pytest.raises(fl.LabelError, match="not in the pool of 240 items"):
            study.tell({"nobody": "ant"}, drawn="uniform")
    for other in QUESTIONS:
        for model in MODELS:
            assert studies[0].answer(other, model=model) == studies[1].answer(other, model=model)


@pytest.mark.parametrize(
    ("question", "methods"),
    [(BY_CLASS, ["iprior+ts", "uprior"]), (QUESTIONS[2], ["iprior+ts", "auto"]), (QUESTIONS[-1], ["acis", "rand"])],
)
@pytest.mark.parametrize("labels", [None, TRUTH, list(TRUTH.values())], ids=["the pool's", "by item", "in order"])
def test_a_simulation_gives_the_same_values(own, strange, question, methods, labels):
    first, second = (
        fl.simulate(pool, labels, question, methods, [10, 40], 2, model="two", workers=1) for pool in (own, strange)
    )
    np.testing.assert_array_equal(first.values, second.values)


def test_the_report_says_the_same(own, strange):
    said = []
    for pool in (own, strange):
        study = fl.create_study(pool, QUESTIONS[2], model="two", budget=60, until=fl.Probability(0.9))
        label_some(study)
        data = report_data(study)
        own = ("Fingerprint", "Study made", "First and last")  # an engine has its own, and moments are what they are
        facts = tuple(fact for fact in data.facts if not fact[0].startswith(own))
        said.append(replace(data, facts=facts, first="", last="", written=""))
    assert said[0] == said[1]


def test_what_doctor_finds_in_it_is_the_same(own, strange, tmp_path):
    file = tmp_path / "items.csv"
    file.write_text("\n".join(["id,side", *(f"{row['id']},{row['side']}" for row in ROWS)]))
    first, second = (examine(str(file), {}, lambda pool=pool: pool) for pool in (own, strange))
    assert first == second
    assert [facts.model for facts in second.models] == list(MODELS)
    assert (second.labelled, second.text_columns, second.attributes[0].distinct) == (N, ("text",), 2)


def test_reproductions_read_the_same_items(own, strange):
    assert confusion_counts(strange).tolist() == confusion_counts(own).tolist()


def test_it_can_be_joined_with_a_pool_in_memory(own):
    class OnlyOne(PlainRows):
        models = ("one",)

    table = [list(row["two"].values()) for row in ROWS]
    other = fl.Pool.from_arrays(probabilities=table, ids=list(TRUTH), classes=CLASSES)
    joined = fl.Pool.join({"one": fl.Pool(OnlyOne(ROWS)), "two": other})
    for model in MODELS:
        assert joined.engine.fingerprint(model, (Column("side"),)) == own.engine.fingerprint(model, (Column("side"),))
    assert joined.engine.payload_fingerprint == own.engine.payload_fingerprint


def test_items_are_drawn_in_growing_blocks():
    engine = PlainRows(ROWS)
    study = fl.create_study(fl.Pool(engine), fl.Estimate("accuracy"), model="one", strategy="uniform", estimator="beta")
    label_some(study, [1] * 100)
    assert engine.draws <= 7  # blocks of 1, 2, 4, … 64
