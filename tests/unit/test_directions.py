"""What a sentence may claim of two groups or two models."""

import dataclasses
import math

import pytest

import fewlabels as fl
from fewlabels.answers import Finding, answer_data
from fewlabels.metrics import metric_by_name
from fewlabels.reading.directions import Duel, Side

ABOUT = {"level": 0.95, "method": "", "target": "pool", "prior_share": 0.0, "unit": "points"}


@dataclasses.dataclass(frozen=True)
class Ends:
    """Bets that were won against all but what lies between these."""

    low: float
    high: float

    def interval(self, level: float) -> tuple[float, float]:  # noqa: ARG002
        return self.low, self.high

    def of(self, level: float, rope: float):  # noqa: ARG002
        from fewlabels.answers import regions_of

        return regions_of(self.low, self.high, rope)


def duel(
    value=-0.19, low=-0.37, high=-0.02, labels=(25, 50), proof=None, regions=(0.9, 0.09, 0.01), signs=(0.97, 0.03),
    metric="accuracy", left=100, **more,
) -> Duel:  # fmt: skip
    of = metric_by_name(metric, "fraud" if metric in ("recall", "true_positive_rate") else None)
    sides = tuple(Side(name, n, left == 0) for name, n in zip(("NL", "DE"), labels, strict=True))
    found = Finding(value=value, low=low, high=high, labels=sum(labels), left=left, **ABOUT)
    return Duel("NL", "DE", of, sides, found, regions, signs, proof, 0.05, **more)


def test_a_verdict_for_one_look_takes_an_interval_that_leaves_nought_out():
    assert duel().decided == "less"
    assert duel().sentence == "The model is right less often for NL than for DE, by about 19 points (likely 2 to 37)."
    assert duel(high=0.01).decided is None


def test_it_takes_twenty_labels_on_each_side():
    assert duel(labels=(19, 500)).decided is None
    assert duel(labels=(19, 500)).sentence == "Not decided yet: 19 labels of NL, 500 of DE."
    assert duel(labels=(20, 500)).decided == "less"


def test_or_all_there_are():
    assert duel(labels=(3, 4), left=0).decided == "less"


def test_three_chances_in_four_are_no_verdict():
    open_ = duel(high=0.05, regions=(0.8, 0.15, 0.05), signs=(0.94, 0.06))
    assert open_.decided is None
    assert open_.sentence == (
        "Not decided yet. Leaning: the model is right less often for NL than for DE (94%). "
        "The difference, NL − DE, is about −19 points (likely −37 to +5)."
    )


def test_a_probability_at_the_level_is_one():
    assert duel(high=0.01, regions=(0.96, 0.03, 0.01)).decided == "less"
    assert duel(value=0.0, low=-0.06, high=0.06, regions=(0.02, 0.96, 0.02)).decided == "equal"


def test_a_side_without_labels_has_no_probability_no_difference_and_no_lean():
    seen = duel(labels=(0, 50), metric="true_positive_rate")
    assert seen.sentence == "Not decided: no 'fraud' of NL is labelled yet."
    assert seen.decided is None
    assert duel(labels=(50, 0)).sentence == "Not decided: no label of DE yet."


def test_what_is_proven_may_rest_on_fewer_and_says_so():
    proven = duel(labels=(11, 29), proof=Ends(-0.6, -0.012), value=-0.33, low=-0.56, high=-0.06)
    assert proven.decided == "less"
    assert proven.sentence == (
        "The model is right less often for NL than for DE. Proven at 95%, however often you check: by at least 1.2 "
        "points. NL: 11 labels. The size is less certain: about 33 points (likely 6 to 56)."
    )
    assert duel(labels=(9, 29), proof=Ends(-0.6, -0.012)).decided is None


def test_what_is_not_proven_is_open_however_likely_it_is_at_one_look():
    open_ = duel(proof=Ends(-0.3, 0.004), regions=(1.0, 0.0, 0.0), signs=(0.9999, 0.0001))
    assert open_.decided is None
    assert open_.sentence.endswith(
        "Proven at 95%, however often you check, is only that it lies between −30 and +1 points."
    )
    assert "Leaning: " in open_.sentence
    assert "100%" not in open_.sentence


def test_a_size_is_said_as_far_as_it_is_proven():
    assert "by at least 6 points" in duel(proof=Ends(-0.4, -0.06)).sentence
    assert "by no more than 4 points" in duel(proof=Ends(-0.04, -0.01)).sentence
    assert "by more than" not in duel(proof=Ends(-0.4, -0.06)).sentence


def test_the_same_takes_the_whole_interval():
    same = duel(proof=Ends(-0.03, 0.04), value=0.0, low=-0.01, high=0.01)
    assert same.decided == "equal"
    assert same.sentence == (
        "NL and DE have the same accuracy to within 5 points. Proven at 95%, however often you check: the difference "
        "lies between −3 and +4 points."
    )
    assert duel(proof=Ends(-0.03, 0.06), value=0.0, low=-0.01, high=0.01).decided is None


def test_a_study_that_ends_on_a_direction_says_that_its_size_is_too_large():
    assert "Early stops tend to overstate the size." in duel(early=True).sentence
    assert "overstate" not in duel().sentence
    assert "overstate" not in duel(low=-0.2, high=-0.1, early=True).sentence


def test_metrics_have_words_of_their_own():
    assert "finds 'fraud' less often for NL than for DE" in duel(metric="recall").sentence
    assert duel(metric="calibration_error").sentence.startswith("The calibration error is lower for NL than for DE")
    of_models = duel(of_models=True, labels=(25, 25))
    assert of_models.sentence.startswith("NL is right less often than DE")
    assert duel(of_models=True, labels=(3, 3)).sentence == "Not decided yet, from 3 labels."


@pytest.mark.parametrize("proof", [None, Ends(-0.3, 0.004), Ends(-0.4, -0.06), Ends(-0.03, 0.04)])
def test_no_sentence_is_long(proof):
    for made in (duel(proof=proof), duel(proof=proof, high=0.1), duel(proof=proof, labels=(3, 30))):
        sentences = made.sentence.replace("(94%).", "").split(". ")
        assert max(len(one.split()) for one in sentences) <= 22


# -- in a study --------------------------------------------------------------------------------------------------------


def rates(labels: dict[int, str]) -> fl.Answer:
    pool = fl.Pool.from_arrays(
        predicted=["yes", "no"] * 100, score=[0.8] * 200, columns={"side": ["east"] * 100 + ["west"] * 100}
    )
    question = fl.Compare("true_positive_rate", by="side", a="west", b="east", positive="yes")
    study = fl.create_study(pool, question, strategy="uniform", until=fl.Probability(0.9))
    study.tell(labels, drawn="uniform")
    return study.answer()


def test_a_group_without_positives_leaves_the_difference_open_from_end_to_end():
    answer = rates(dict.fromkeys(range(30), "yes") | dict.fromkeys(range(100, 130), "no"))
    found = answer_data(answer)
    assert answer.sentence == "Not decided: no 'yes' of west is labelled yet."
    assert (answer.difference.low, answer.difference.high) == (-1.0, 1.0)
    assert math.isnan(answer.p_less)
    assert [found[name] for name in ("p_less", "p_equal", "p_more", "decided")] == [None] * 4
    assert found["difference"]["value"] is None


def test_the_goal_and_the_sentence_agree():
    pool = fl.Pool.from_arrays(
        predicted=["yes", "no"] * 300, score=[0.8] * 600, columns={"side": ["east"] * 300 + ["west"] * 300}
    )
    true = ["yes" if i < 300 else ("no" if i % 4 == 0 else "yes") for i in range(600)]
    question = fl.Compare("true_positive_rate", by="side", a="west", b="east", positive="yes")
    study = fl.create_study(pool, question, until=fl.Probability(0.95))
    while not study.done and len(study.labels) < 600:
        study.tell({query.item: true[query.item] for query in study.ask(10)})
        if study.progress.reason.startswith("Goal reached"):
            assert study.answer().decided is not None


def test_the_report_shows_no_probability_of_what_nobody_saw(tmp_path):
    pool = fl.Pool.from_arrays(
        predicted=["yes", "no"] * 100, score=[0.8] * 200, columns={"side": ["east"] * 100 + ["west"] * 100}
    )
    study = fl.create_study(pool, fl.Compare("accuracy", by="side", a="west", b="east"), strategy="uniform")
    study.tell(dict.fromkeys(range(30), "yes"), drawn="uniform")
    out = tmp_path / "report.html"
    fl.report(study, out)
    text = out.read_text()
    assert "nan%" not in text
    assert "Which way, and how sure" not in text


def test_a_verdict_against_a_threshold_says_how_many_labels_it_has():
    pool = fl.Pool.from_arrays(
        predicted=["yes", "no"] * 100, score=[0.8] * 200, columns={"side": ["east"] * 180 + ["west"] * 20}
    )
    study = fl.create_study(pool, fl.Below("accuracy", 0.9, by="side"), strategy="uniform")
    wrong = {i: "no" if i % 2 == 0 else "yes" for i in (*range(60), *range(180, 192))}
    study.tell(wrong, drawn="uniform")
    answer = study.answer()
    assert set(answer.below) == {"east", "west"}
    assert " Few labels: west: 12 labels." in answer.sentence
    assert "east: 60" not in answer.sentence
