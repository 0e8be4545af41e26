"""Asking, skipping, correcting and restarting a study of an F-score."""

from functools import partial

import pytest

import fewlabels as fl
from fewlabels.core.events import Planned, Query
from fewlabels.core.keyed import Keyed
from fewlabels.reporting.data import report_data
from fewlabels.strategies import State
from fraud_studies import F1, PRECISION, N, exact, label, outputs, pool, sound, study_of, tell, timeless


@pytest.mark.parametrize("acis", [fl.Acis(), fl.Acis(replacement=False), fl.Acis(reuse=False)])
@pytest.mark.parametrize("question", [F1, PRECISION, fl.Estimate(fl.FCurve("fraud", (0.2, 0.5, 0.7)))])
def test_a_study_taken_up_again_in_the_middle_of_a_round_asks_the_same(acis, question, tmp_path):
    """Told, skipped and corrected on the way; loaded anew before every step."""
    place = f"sqlite:///{tmp_path}/s.db"
    y = outputs()[1]
    whole, broken = study_of(question, strategy=acis), study_of(question, strategy=acis, storage=place, name="s")
    for step in range(16):
        broken = fl.load_study("s", storage=place, pool=pool())
        for study in (whole, broken):
            one, two = study.ask(2)
            study.tell(one, bool(y[one.item]))
            if step % 5 == 4:
                study.skip(two)
            else:
                study.tell(two, bool(y[two.item]))
            if step == 7:
                study.correct(one, not y[one.item])
    assert timeless(broken.events) == timeless(whole.events)
    assert broken.answer() == whole.answer()


def test_one_at_a_time_asks_for_the_same_first_round_as_all_at_once():
    """Labels do not matter inside a round: ten draws are planned at once."""
    together, apart, told = study_of(), study_of(), study_of()
    one = together.ask(9)
    two = [query for _ in range(9) for query in apart.ask(1)]
    three = []
    for _ in range(9):
        three += (queries := told.ask(1))
        tell(told, queries)
    assert timeless(one) == timeless(two) == timeless(three)


@pytest.mark.parametrize("strategy", ["sawade", "top_k", "herding"])
def test_where_labels_do_not_matter_fifty_at_once_are_one_fifty_times(strategy):
    together, apart = study_of(strategy=strategy), study_of(strategy=strategy)
    one = together.ask(50)
    two = []
    for _ in range(50):
        two += (queries := apart.ask(1))
        tell(apart, queries)
    assert [query.item for query in one] == [query.item for query in two]
    assert len({query.item for query in one}) == 50


def test_drawing_an_item_again_costs_no_label_and_counts_as_a_draw():
    study = study_of(strategy="sawade", budget=60)
    while queries := study.ask(10):
        tell(study, queries)
    drawn = [event.item for event in study.events if isinstance(event, Query)]
    assert len(study.labels) == study.spent == 60 < len(drawn)
    answer = study.answer()
    assert answer.extra[0]["draws"] == len(drawn)
    assert answer.overall.labels == 60
    s, y = outputs()
    q = {event.item: event.probability for event in study.events if isinstance(event, Query)}
    v = {j: 0.5 * (s[j] >= 0.5) + 0.5 * y[j] for j in drawn}
    top = sum(v[j] / q[j] for j in drawn if (s[j] >= 0.5) == y[j])
    assert answer.overall.value == pytest.approx(top / sum(v[j] / q[j] for j in drawn), abs=1e-12)


def test_the_rounds_double_and_the_last_is_cut_to_the_budget():
    study = study_of(budget=50, strategy=fl.Acis(replacement=False))
    while queries := study.ask(10):
        tell(study, queries)
    assert [len(e.arms) for e in study.events if isinstance(e, Planned)] == [10, 20, 20]
    assert len(study.labels) == study.spent == 50


@pytest.mark.parametrize("batch", [25, 50, 120])
def test_a_batch_larger_than_the_schedule_is_one_round(batch):
    """Otherwise the rounds after the first would be planned before it has a label."""
    study = study_of()
    assert len(study.ask(batch)) == batch
    (planned,) = [e for e in study.events if isinstance(e, Planned)]
    assert len(planned.arms) >= batch
    tell(study, study.open_queries)
    study.ask(batch)
    assert len([e for e in study.events if isinstance(e, Planned)]) == 2


def test_small_batches_ask_for_the_same_items_as_single_labels_do():
    one, ten = study_of(), study_of()
    first = [query for _ in range(10) for query in one.ask(1)]
    assert [q.item for q in ten.ask(10)] == [q.item for q in first]


def test_recall_read_off_labels_drawn_for_f1_is_wider_than_its_own_and_says_so():
    study = study_of(budget=60)
    while queries := study.ask(10):
        tell(study, queries)
    f1, recall = study.answer(), study.answer(fl.Estimate("recall", positive="fraud"))
    assert any("drawn for the F1" in note and "may hide" in note for note in recall.notes)
    assert not any("may hide" in note for note in f1.notes)
    assert not any("may hide" in note for note in study.answer(fl.Estimate("precision", positive="fraud")).notes)
    own = study_of(budget=60, question=fl.Estimate("recall", positive="fraud"))
    while queries := own.ask(10):
        tell(own, queries)
    assert not any("may hide" in note for note in own.answer().notes)


def test_precision_counts_the_labels_of_what_is_predicted_positive():
    study = study_of(question=fl.Estimate("precision", positive="fraud"))
    while queries := study.ask(50):
        tell(study, queries)
    overall = study.answer().overall
    predicted = len({e.item for e in study.events if isinstance(e, fl.Query) and e.predicted == "fraud"})
    assert overall.labels == predicted
    assert overall.left == 0
    assert f"all {predicted:,} labelled" in str(overall)


def test_with_replacement_a_budget_is_spent_to_the_last_label():
    study = study_of(budget=70, strategy="acis")
    while queries := study.ask(3):
        tell(study, queries)
    assert len(study.labels) == study.spent == 70
    assert "budget" in study.progress.reason


def test_skipped_items_are_neither_evidence_nor_asked_again():
    study = study_of()
    queries = study.ask(9)
    for query in queries[:3]:
        study.skip(query)
    tell(study, queries[3:])
    later = study.ask(30)
    assert not {q.item for q in queries} & {q.item for q in later}
    answer = study.answer()
    assert answer.overall.labels == 6
    assert "33% of items were skipped." in str(answer)
    assert study.spent == 6 + 30


def test_a_correction_changes_the_answer_to_what_it_would_have_been():
    right, wrong = study_of(), study_of()
    y = outputs()[1]
    queries = right.ask(8)
    tell(right, queries)
    wrong.ask(8)
    wrong.tell({query.item: bool(y[query.item]) for query in queries[1:]})
    wrong.tell(queries[0], not y[queries[0].item])
    assert wrong.answer().overall != right.answer().overall
    wrong.correct(queries[0], bool(y[queries[0].item]))
    assert wrong.answer().overall == right.answer().overall


def test_labels_from_outside_in_the_middle_of_a_round_leave_the_round_askable():
    """The rest of the plan is drawn among what is left; where nothing is left, nothing is asked."""
    study = study_of()
    y = outputs()[1]
    (query,) = study.ask(1)
    study.tell(query, bool(y[query.item]))
    study.tell({i: bool(y[i]) for i in range(N) if i % 2 and i not in study.labels}, drawn="uniform")
    asked = study.ask(15)
    assert not {q.item for q in asked} & {i for i in range(N) if i % 2}
    tell(study, asked)
    sound(study.answer())
    study.tell({i: bool(y[i]) for i in range(N) if i not in study.labels}, drawn="uniform")
    assert study.ask(1) == []
    assert study.answer().overall.value == pytest.approx(exact(0.5, *outputs()), abs=1e-14)


def test_a_study_may_have_thousands_of_rounds():
    """reuse=False draws known items again, at no cost: with one label left of the budget each round is of one draw, and
    where one draw in a thousand is new there are a thousand rounds before it is spent."""
    study = study_of()
    (sample,) = study._assessment.f_samples(study._history.evidence())
    for number in (60, 1100, 5000):
        unseen = partial(pytest.fail, "no rewards are looked at")
        state = State(sample.size, 1, 1, 1, unseen, lambda: sample, unseen)
        assert len(fl.Acis().choose(state, Keyed(0, number)).arms) == 1


def test_an_item_drawn_again_is_not_said_to_be_asked_again():
    study = label(study_of(strategy="acis"), 60)
    queries = [event for event in study.events if isinstance(event, Query)]
    assert len(queries) > len({query.item for query in queries})  # some were drawn again
    assert report_data(study).counts["asked"] == len({query.item for query in queries})
