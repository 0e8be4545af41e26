"""Several sittings, and several labellers, in the terminal."""

import fewlabels as fl
from command_line import run


def sit(*lines: str, by: str | None = None) -> str:
    """What is printed while somebody types these lines."""
    flags = () if by is None else ("--by", by)
    return run("label", "march.db", *flags, stdin="".join(f"{line}\n" for line in lines)).stdout


def study() -> fl.Study:
    return fl.load_study("march", storage="sqlite:///march.db")


def test_undo_reaches_into_an_earlier_sitting_of_the_same_labeller(march):
    sit("refund", "other", "q", by="ann")
    sit("invoice", "q", by="ben")
    assert "[again; now other]" in sit("u", "refund", "q", by="ann")
    assert list(study().labels.values()) == ["refund", "refund", "invoice"]


def test_without_a_name_undo_says_that_one_would_help(march):
    sit("refund", "q", by="ann")
    assert "with --by it would be known what you did before" in sit("u", "q")


def test_a_wrong_label_can_be_turned_into_a_skip(march):
    sit("refund", "u", "s", "cannot tell", "q")
    assert study().labels == {}
    assert list(study().skipped.values()) == ["cannot tell"]


def test_two_who_label_at_once_see_different_items(march):
    (ann,) = study().ask(1, by="ann")
    sit("refund", "q", by="ben")
    sit("refund", "q")
    assert ann.item not in study().labels
    assert len(study().labels) == 2


def test_an_item_that_wants_two_labels_is_shown_to_two(mail):
    run("new", mail, "--study", "march.db", "--labels-per-item", "2")
    first = sit("refund", "q", by="ann")
    assert "1 label recorded" in first
    second = sit("other", "q", by="ben")
    assert "1 label recorded" in second
    (one,) = study().disagreements
    assert dict(one.opinions) == {"ann": "refund", "ben": "other"}


def test_where_several_label_an_item_every_command_that_is_proposed_says_by_whom(mail):
    made = run("new", mail, "--study", "march.db", "--labels-per-item", "2").stdout
    assert "fewlabels label march.db --by NAME " in made
    assert "fewlabels ask march.db --by NAME -n 20 " in made
    assert "Next: fewlabels label march.db --by NAME\n" in run("status", "march.db").stdout
    assert " LABEL --by 'ann b'\n" in run("ask", "march.db", "--by", "ann b", "-n", "1").stdout


def test_undo_takes_back_ones_own_label_and_leaves_those_of_others(mail):
    run("new", mail, "--study", "march.db", "--labels-per-item", "2")
    assert "[2] " in sit("refund", "u", "invoice", "q", by="ann")  # an item that still waits for another's label
    (item,) = study().opinions
    assert study().opinions == {item: {"ann": "invoice"}}
    sit("other", "q", by="ben")
    said = sit("u", "refund", "q", by="ann")  # in another sitting, of an item that has all its labels
    assert "[again; now invoice]" in said
    assert "1 item labelled so far" in said
    assert study().opinions == {item: {"ann": "refund", "ben": "other"}}
    assert [one.item for one in study().disagreements] == [item], "nobody has decided"
