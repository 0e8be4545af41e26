"""fewlabels answer and status."""

import json
from pathlib import Path

import pytest

from command_line import MAIL_CLASSES, asked, run, run_json

pytestmark = pytest.mark.usefixtures("fewer_draws")  # what is said is the same with as many draws or fewer


def tell_all(study: str) -> None:
    truth = {f"item-{i}": MAIL_CLASSES[(i + 1) % 3] if i % 5 == 0 else MAIL_CLASSES[i % 3] for i in range(60)}
    Path("all.csv").write_text("id,label\n" + "\n".join(f"{item},{label}" for item, label in truth.items()))
    run("tell", study, "--file", "all.csv", "--drawn", "uniform")


def test_the_answer_is_a_sentence_then_a_table_with_intervals_method_target_and_labels(march: str) -> None:
    tell_all(march)
    printed = run("answer", march).stdout
    assert printed.startswith("Accuracy by region, from 60 labels: overall 80.0%")
    assert "group  value" in printed
    assert "95% intervals; target: the items of this pool" in printed
    north = next(line for line in printed.splitlines() if line.startswith("north"))
    assert north.split()[1:6] == ["80.0%", "all", "30", "labelled", "30"]


def test_the_answer_as_json_carries_every_number_with_its_interval(march: str) -> None:
    tell_all(march)
    answer = run_json("answer", march, "--level", "0.9")
    assert [f["group"] for f in answer["findings"]] == ["north", "south"]
    for finding in [answer["overall"], *answer["findings"]]:
        assert finding["low"] <= finding["value"] <= finding["high"]
        assert {"level", "method", "target", "labels", "prior_share"} <= set(finding)
        assert finding["level"] == 0.9


def test_intervals_that_hold_together_and_a_question_without_meaning(march: str) -> None:
    rows = "\n".join(f"item-{i},{MAIL_CLASSES[i % 3]}" for i in range(20))
    Path("some.csv").write_text(f"id,label\n{rows}")
    run("tell", march, "--file", "some.csv", "--drawn", "uniform")
    alone, together = run_json("answer", march), run_json("answer", march, "--together")
    assert (alone["holds_together"], together["holds_together"]) == (None, 0.95)
    for one, other in zip(alone["findings"], together["findings"], strict=True):
        assert other["low"] <= one["low"]
        assert one["high"] <= other["high"]
    refused = run("answer", march, "--estimate", "balanced_accuracy", "--by", "predicted_class", code=2)
    assert "balanced accuracy by predicted class has no meaning" in refused.stderr


def test_another_question_is_answered_from_the_same_labels(march: str) -> None:
    tell_all(march)
    worst = run_json("answer", march, "--identify", "accuracy", "--top", "2")
    assert len(worst["groups"]) == 2
    assert worst["probability"] >= 0
    fair = run_json("answer", march, "--compare", "accuracy", "--by", "region", "--a", "north", "--b", "south")
    assert fair["p_equal"] == pytest.approx(1.0)
    assert fair["difference"]["value"] == pytest.approx(0.0, abs=1e-9)
    assert run_json("answer", march, "--estimate", "confusion")["findings"]
    assert "predicted class" in run("answer", march, "--by", "predicted_class", "--interval", "highest-density").stdout


def test_a_group_without_labels_is_a_dash_and_null_never_zero(mail: str) -> None:
    run("new", mail, "--study", "s.db", "--estimator", "frequency", "--by", "region")
    printed = run("answer", "s.db").stdout
    assert next(line for line in printed.splitlines() if line.startswith("north")).split()[1] == "–"
    assert run_json("answer", "s.db")["findings"][0]["value"] is None


def test_long_answers_show_twenty_groups_unless_all_are_asked_for(here: Path) -> None:
    rows = [{"id": i, "predicted": f"class {i % 30}", "score": 0.5} for i in range(90)]
    (here / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("new", "many.jsonl")
    assert "and 10 more groups: --all or --json" in run("answer", "many.db").stdout
    assert "class 29" in run("answer", "many.db", "--all").stdout


def test_status_tells_progress_and_check_turns_an_unreached_goal_into_exit_1(mail: str) -> None:
    run("new", mail, "--study", "s.db", "--by", "region", "--until-half-width", "0.01", "--budget", "60")
    assert "Not yet" in run("status", "s.db").stdout
    run("status", "s.db", "--check", code=1)
    run("answer", "s.db", "--check", code=1)
    tell_all("s.db")
    assert "Goal reached" in run("status", "s.db", "--check").stdout
    about = run_json("status", "s.db", "--check")
    assert (about["done"], about["reached"], about["labelled"]) == (True, True, 60)


def test_a_spent_budget_is_done_but_a_goal_it_missed_is_not_reached(mail: str) -> None:
    run("new", mail, "--study", "s.db", "--until-half-width", "0.01", "--budget", "2")
    for item in asked("s.db", 2):
        run("tell", "s.db", item, "other")
    about = run_json("status", "s.db", "--check", code=1)
    assert (about["done"], about["reached"]) == (True, False)


def test_status_at_the_goal_leads_to_the_answer_and_before_it_to_labelling(mail: str) -> None:
    run("new", mail, "--study", "s.db", "--by", "region", "--until-half-width", "0.01")
    assert "Next: fewlabels label s.db" in run("status", "s.db").stdout
    tell_all("s.db")
    printed = run("status", "s.db").stdout
    assert "Next: fewlabels answer s.db" in printed
    assert "fewlabels label" not in printed


def test_status_says_how_much_of_the_budget_is_spent(mail: str) -> None:
    run("new", mail, "--study", "s.db", "--budget", "3")
    first, second = asked("s.db", 2)
    run("tell", "s.db", first, "other")
    run("skip", "s.db", second)
    assert "1 of the budget of 3 labels spent." in run("status", "s.db").stdout
    about = run_json("status", "s.db")
    assert (about["budget"], about["spent"]) == (3, 1)


def test_a_fully_labelled_group_says_so_in_place_of_an_interval(march: str) -> None:
    for item in [f"item-{i}" for i in range(0, 60, 2)]:  # the whole south
        run("tell", march, item, "other", "--drawn", "uniform")
    lines = {line.split()[0]: line for line in run("answer", march).stdout.splitlines() if line}
    assert "all 30 labelled" in lines["south"]
    assert "labelled" not in lines["north"]
    population = run("answer", march, "--estimate", "accuracy", "--by", "region").stdout
    assert "all 30 labelled" in population


def test_a_fully_labelled_group_of_a_population_keeps_its_interval(mail: str) -> None:
    run("new", mail, "--study", "s.db", "--by", "region", "--target", "population")
    tell_all("s.db")
    assert "all 30 labelled" not in run("answer", "s.db").stdout


def test_a_confusion_matrix_shows_its_largest_mix_ups_first(here: Path) -> None:
    names = [f"c{i:02}" for i in range(12)]
    rows = [{"id": i, "predicted": names[i % 12], "score": 0.9} for i in range(240)]
    (here / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("new", "many.jsonl", "--estimate", "confusion", "--prior", "flat")
    truth = {i: "c03" if i % 12 == 11 else names[i % 12] for i in range(240)}  # every c11 is truly c03
    (here / "l.csv").write_text("id,label\n" + "".join(f"{i},{t}\n" for i, t in truth.items()))
    run("tell", "many.db", "--file", "l.csv", "--drawn", "uniform")
    table = run("answer", "many.db").stdout.split("\n\n")[1].splitlines()
    assert table[0].startswith("predicted → true")
    assert table[1].startswith("c11 → c03")
    assert any(line.startswith("predicted → true: how often") for line in table[-3:])
    every = run("answer", "many.db", "--all").stdout
    assert "c00 → c00" in every
    assert every.index("c11 → c03") < every.index("c00 → c01") < every.index("c00 → c00")


def test_ranks_are_shown_as_their_interval_under_its_level(march: str) -> None:
    asked_for = ("answer", march, "--identify", "accuracy", "--by", "predicted_class")
    heads, row = run(*asked_for).stdout.split("\n\n")[1].splitlines()[:2]
    assert "rank (95%)" in heads
    assert "1–3" in row.split()
    assert "rank (90%)" in run(*asked_for, "--level", "0.9").stdout
