"""fewlabels change and withdraw."""

import fewlabels as fl
from command_line import refused, run, run_json


def test_a_budget_and_a_goal_are_changed_and_the_progress_is_said(march):
    said = run("change", march, "--budget", "12", "--until-half-width", "0.1", "--by", "ann").stdout
    assert "budget 12 labels; goal every interval at most ±0.1" in said
    assert run_json("change", march, "--budget", "15", "--no-goal") == {
        "study": "march", "budget": 15, "until": None, "skips": "worst",
    }  # fmt: skip
    assert fl.load_study("march", storage=f"sqlite:///{march}").settings.budget == 15
    assert run_json("change", march, "--no-budget")["budget"] is None


def test_a_change_of_nothing_or_of_both_is_refused(march):
    assert "say what is to be different" in refused("change", march)
    assert "contradict each other" in refused("change", march, "--budget", "3", "--no-budget")
    assert "just so already" in refused("change", march, "--no-goal")


def test_skipped_items_are_taken_to_be_like_the_others_where_the_owner_says_so(march):
    (query,) = run_json("ask", march, "-n", "1")
    run("skip", march, query["item"])
    assert "100% of items were skipped." in run("answer", march).stdout
    said = run("change", march, "--skips", "ignorable", "--by", "ann").stdout
    assert "skipped items are taken to be like the others" in said
    answer = " ".join(run("answer", march).stdout.split())
    assert "Assumes that skipped items are like the others." in answer
    assert "What is assumed of skipped items was changed after" in answer
    assert run_json("change", march, "--skips", "worst")["skips"] == "worst"
    assert "skips is 'worst'" in refused("change", march, "--skips", "none")


def test_status_names_an_item_that_others_have_overtaken_and_how_to_skip_it(march):
    first, *rest = run_json("ask", march, "-n", "25")
    for query in rest:
        run("tell", march, query["item"], query["predicted"])
    said = " ".join(run("status", march).stdout.split())
    assert f"Item {first['item']} was handed out first and has no answer. Label or skip it." in said
    assert f"To skip it: fewlabels skip {march} {first['item']}" in said
    assert run_json("status", march)["oldest_open"] == first["item"]
    run("skip", march, first["item"])
    assert "has no answer" not in run("status", march).stdout


def test_a_label_is_taken_back_and_the_item_waits_again(march):
    (query,) = run_json("ask", march, "-n", "1")
    run("tell", march, query["item"], "refund")
    assert f"{query['item']} (was refund) is to be labelled again" in run("withdraw", march, query["item"]).stdout
    assert [q["item"] for q in run_json("ask", march, "-n", "1")] == [query["item"]]
    run("skip", march, query["item"])
    assert run_json("withdraw", march, query["item"]) == {"item": query["item"], "before": None, "open": True}
    assert "no label and no skip to take back" in refused("withdraw", march, query["item"])
