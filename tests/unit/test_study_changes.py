"""Skipping, correcting, labels one already had; and that no error changes the state of a study."""

import pytest

import fewlabels as fl
from card_studies import TRUTH, make_study, tell_all, timeless

# -- skipping and correcting -------------------------------------------------------------------------------------------


def test_a_skipped_item_is_not_asked_again_and_has_no_label():
    study = make_study()
    query = study.ask()[0]
    study.skip(query, reason="unreadable", by="ann")
    assert study.open_queries == []
    assert study.labels == {}
    assert study.answer().overall.labels == 0
    assert (study.events[-1].reason, study.events[-1].by) == ("unreadable", "ann")
    assert query.item not in {q.item for q in study.ask(60)}
    assert any("skipped" in note for note in study.answer().notes)


def test_a_skipped_item_can_be_labelled_after_all_by_correcting():
    study = make_study()
    query = study.ask()[0]
    study.skip(query)
    study.correct(query, "refund")
    assert study.labels == {query.item: "refund"}
    assert study.answer().overall.labels == 1
    assert not any("skipped" in note for note in study.answer().notes)


def test_a_correction_gives_the_answer_the_right_label_would_have_given():
    wrong, right = make_study(), make_study()
    first, second = wrong.ask(20), right.ask(20)
    tell_all(right, second)
    wrong.tell({query.item: "refund" for query in first})
    before = str(wrong.answer())
    for query in first:
        wrong.correct(query.item, TRUTH[query.item], by="ann")
    assert str(wrong.answer()) != before
    assert wrong.answer() == right.answer()
    assert wrong.labels == right.labels
    assert timeless(wrong.ask(5)) == timeless(right.ask(5))


def test_a_label_can_be_corrected_twice():
    study = make_study()
    query = study.ask()[0]
    study.tell(query, "refund")
    study.correct(query, "lost_card")
    study.correct(query, "card_arrival")
    assert study.labels == {query.item: "card_arrival"}
    assert len([event for event in study.events if hasattr(event, "label")]) == 3


# -- labels one already had --------------------------------------------------------------------------------------------


def test_a_uniform_sample_from_before_counts_at_once_and_is_not_asked():
    study = make_study()
    known = {f"i{n}": TRUTH[f"i{n}"] for n in range(20)}
    study.tell(known, drawn="uniform", by="last year")
    assert study.answer().overall.labels == 20
    assert study.labels == known
    assert not set(known) & {query.item for query in study.ask(60)}


def test_labels_of_unknown_origin_are_kept_apart_until_their_item_is_drawn():
    study, plain = make_study(), make_study()
    known = {f"i{n}": TRUTH[f"i{n}"] for n in range(20)}
    study.tell(known, drawn="unknown")
    assert study.answer().overall == plain.answer().overall
    assert study.labels == known
    assert any("20 labels of unknown origin" in note for note in study.answer().notes)
    asked = study.ask(60)
    assert {query.item for query in asked} == set(TRUTH) - set(known)
    assert study.answer().overall.labels == 20
    tell_all(study, asked)
    tell_all(plain, plain.ask(60))
    assert study.answer().findings == plain.answer().findings


def test_an_item_of_unknown_origin_counts_as_if_told_when_it_is_drawn():
    """The same items are drawn as without the earlier labels, in the same order."""
    study, plain = make_study(seed=5), make_study(seed=5)
    known = {f"i{n}": TRUTH[f"i{n}"] for n in range(0, 60, 2)}
    study.tell(known, drawn="unknown")
    for _ in range(10):
        query = study.ask(1)[0]
        while True:
            other = plain.ask(1)[0]
            plain.tell(other, TRUTH[other.item])
            if other.item == query.item:
                break
        study.tell(query, TRUTH[query.item])
    assert study.answer().findings == plain.answer().findings


def test_a_label_of_unknown_origin_can_be_corrected_before_it_counts():
    study = make_study()
    study.tell({"i3": "refund"}, drawn="unknown")
    study.correct("i3", "lost_card")
    assert study.labels == {"i3": "lost_card"}
    assert study.answer().overall.labels == 0
    tell_all(study, study.ask(60))
    assert study.labels["i3"] == "lost_card"
    assert study.answer().overall.labels == 60


def test_an_open_item_told_with_drawn_counts_as_the_answer_to_its_query():
    study, plain = make_study(), make_study()
    query = study.ask()[0]
    plain.tell(plain.ask()[0], "refund")
    study.tell(query, "refund", drawn="unknown")
    assert study.answer() == plain.answer()


# -- errors change nothing ---------------------------------------------------------------------------------------------


def after_some_steps(study: fl.Study) -> dict[str, fl.Query]:
    """Two items open, one told, one skipped, one labelled from before, one kept apart."""
    told, skipped, one, two = study.ask(4)
    study.tell(told, "refund")
    study.skip(skipped)
    free = [item for item in TRUTH if item not in {told.item, skipped.item, one.item, two.item}]
    study.tell({free[0]: "refund"}, drawn="uniform")
    study.tell({free[1]: "refund"}, drawn="unknown")
    return {"told": told.item, "skipped": skipped.item, "open": one.item, "open2": two.item, "free": free[2]} | {
        "uniform": free[0],
        "apart": free[1],
    }


WRONG_STEPS = {
    "a label misspelt": (lambda s, i: s.tell(i["open"], "lost_crad"), ["'lost_crad'", "did you mean 'lost_card'"]),
    "an unknown label": (
        lambda s, i: s.tell(i["open"], "zzz"),
        ["'zzz'", "card_arrival, lost_card, refund", "other_labels"],
    ),
    "no label": (lambda s, i: s.tell(i["open"]), ["label"]),
    "a missing label": (lambda s, i: s.tell(i["open"], float("nan")), ["nan"]),
    "a number of no class": (lambda s, i: s.tell(i["open"], 3), ["3", "card_arrival"]),
    "a negative number": (lambda s, i: s.tell(i["open"], -1), ["-1", "card_arrival"]),
    "one bad label of many": (lambda s, i: s.tell({i["open"]: "refund", i["open2"]: "x"}), ["'x'"]),
    "one bad item of many": (lambda s, i: s.tell({i["open"]: "refund", i["free"]: "refund"}), ["never asked"]),
    "one contradiction of many": (
        lambda s, i: s.tell({i["open"]: "refund", i["told"]: "lost_card"}),
        ["'refund'", "'lost_card'", "correct()"],
    ),
    "told twice": (
        lambda s, i: s.tell(i["told"], "lost_card"),
        ["told 'refund' before", "now told 'lost_card'", "correct()"],
    ),
    "told twice from before": (lambda s, i: s.tell(i["uniform"], "lost_card", drawn="uniform"), ["correct()"]),
    "told twice apart": (lambda s, i: s.tell(i["apart"], "lost_card", drawn="unknown"), ["correct()"]),
    "told after a skip": (lambda s, i: s.tell(i["skipped"], "refund"), ["was skipped", "correct()"]),
    "never asked": (
        lambda s, i: s.tell(i["free"], "refund"),
        ["never asked", "drawn='uniform'", "drawn='unknown'"],
    ),
    "an unknown way of drawing": (lambda s, i: s.tell(i["free"], "refund", drawn="random"), ["'uniform'", "'unknown'"]),
    "not in the pool": (
        lambda s, _: s.tell("i999", "refund", drawn="uniform"),
        ["'i999'", "not in the pool", "60 items"],
    ),
    "skipped though told": (lambda s, i: s.skip(i["told"]), ["not open"]),
    "skipped twice": (lambda s, i: s.skip(i["skipped"]), ["not open"]),
    "skipped though never asked": (lambda s, i: s.skip(i["free"]), ["not open", "open are"]),
    "corrected though open": (lambda s, i: s.correct(i["open"], "refund"), ["no label to correct", "tell()"]),
    "corrected though never asked": (lambda s, i: s.correct(i["free"], "refund"), ["no label to correct", "tell()"]),
    "corrected to no class": (lambda s, i: s.correct(i["told"], "refnd"), ["did you mean 'refund'"]),
    "a list of pairs told": (lambda s, i: s.tell([(i["open"], "refund")]), ["{item: label"]),
    "another question on no column": (
        lambda s, _: s.answer(fl.Estimate("accuracy", by="regio")),
        ["'regio'", "region"],
    ),
    "another question that is none": (lambda s, _: s.answer("accuracy"), ["fl.Estimate"]),
    "another model": (lambda s, _: s.answer(model="gpt"), ["'gpt'", "models are model"]),
    "a level in percent": (lambda s, _: s.answer(level=95), ["level", "95"]),
    "a level of nothing": (lambda s, _: s.answer(level=0), ["level", "0"]),
    "an unknown interval": (lambda s, _: s.answer(interval="tailed"), ["'tailed'", "equal-tailed"]),
}


@pytest.mark.parametrize("kept", ["memory", "file"])
@pytest.mark.parametrize(("step", "words"), WRONG_STEPS.values(), ids=WRONG_STEPS.keys())
def test_a_wrong_step_is_refused_with_advice_and_changes_nothing(tmp_path, kept, step, words):
    where = None if kept == "memory" else f"sqlite:///{tmp_path}/s.db"
    study, twin = make_study(storage=where, seed=9), make_study(seed=9)
    items = after_some_steps(study)
    after_some_steps(twin)
    before = study.events, study.labels, study.open_queries, study.answer()
    with pytest.raises(fl.FewlabelsError) as caught:
        step(study, items)
    message = str(caught.value)
    assert all(word in message for word in words), message
    assert message[-1] in ".?", message
    assert (study.events, study.labels, study.open_queries, study.answer()) == before
    assert timeless(study.ask(3)) == timeless(twin.ask(3))
    if where is not None:
        assert fl.load_study(storage=where).events == study.events


def test_a_wrong_item_is_named_before_how_it_was_drawn():
    """An id with a typing slip is more likely than a label from elsewhere."""
    study = make_study()
    study.ask()
    with pytest.raises(fl.LabelError, match=r"'i999'.*not in the pool"):
        study.tell("i999", "refund")
