"""What a strategy says of its draws: facts, kept in events under a word, from which all else follows."""

import itertools
import json
from typing import get_args

import pytest

import fewlabels as fl
from fewlabels.core.design import DESIGNS, Chances, Replacement, design_named
from fewlabels.core.events import Planned, event_from_json, event_to_json
from fewlabels.strategies import Design, Round

WORDS = {"uniform", "uniform_groups", "adaptive", "once", "round", "whole", "fixed"}


def test_every_combination_of_facts_that_can_be_has_one_word_and_every_other_is_refused():
    words = set()
    for replacement, chances in itertools.product(get_args(Replacement), get_args(Chances)):
        if replacement == "never" or chances == "weights":
            words.add(Design(replacement, chances).word)
            assert design_named(Design(replacement, chances).word) == Design(replacement, chances)
        else:
            with pytest.raises(fl.QuestionError, match=f"{replacement!r} with {chances!r}"):
                Design(replacement, chances)
    assert words == WORDS == set(DESIGNS)


@pytest.mark.parametrize("facts", [("now and then", "weights"), ("never", "some")])
def test_facts_there_are_not_are_refused(facts):
    with pytest.raises(fl.QuestionError, match=facts[0 if facts[0] != "never" else 1]):
        Design(*facts)


def test_a_word_nobody_wrote_is_refused():
    with pytest.raises(fl.StudyError, match=r"'pps'; known are uniform,.*fixed"):
        design_named("pps")


def test_what_follows_from_the_facts():
    follows = {
        fact: {word for word, design in DESIGNS.items() if getattr(design, fact)}
        for fact in ("equal", "weighs", "weighable", "repeats", "whole")
    }
    assert follows == {
        "equal": {"uniform"},
        "weighs": {"once", "round", "whole"},
        "weighable": {"uniform", "once", "round", "whole", "fixed"},
        "repeats": {"round", "whole"},
        "whole": {"whole"},
    }


def test_a_round_has_a_probability_for_each_arm_or_for_none_and_draws_that_are_weighed_for_each():
    assert Round((4, 2)).probability(1) is None
    assert Round((4, 2), (0.5, 0.25)).probability(1) == 0.25
    with pytest.raises(fl.QuestionError, match=r"2 arms has 1 probabilities.*or none"):
        Round((4, 2), (0.5,))
    with pytest.raises(fl.QuestionError, match=r"1 arms has 0 probabilities.*weighed"):
        Round((4,), design=Design(chances="weights"))


def test_a_round_is_noted_before_its_first_query_where_later_ones_were_decided_with_it():
    assert not Round((4,), (0.5,)).planned
    assert Round((4, 2)).planned
    assert Round((4,), (0.5,), Design(chances="weights")).planned


def test_a_planned_round_is_kept_under_the_names_it_always_had():
    event = Planned(3, (5, 5), "round", "now", (0.5, 0.5), frame=7)
    kind, data = event_to_json(event)
    assert (kind, json.loads(json.dumps(data))) == (
        "planned",
        {"round": 3, "arms": [5, 5], "design": "round", "at": "now", "probabilities": [0.5, 0.5], "floor": 7},
    )
    assert event_from_json(kind, data) == event
    assert event.decided == Round((5, 5), (0.5, 0.5), Design("in the round", "weights"), 7)
    old = {"round": 1, "arms": [2, 0], "design": "adaptive", "at": ""}  # as 0.1.0 wrote a round without probabilities
    assert event_from_json("planned", old) == Planned(1, (2, 0), "adaptive")
