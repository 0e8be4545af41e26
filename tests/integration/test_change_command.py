"""fewlabels change and withdraw."""

import fewlabels as fl
from command_line import refused, run, run_json


def test_a_budget_and_a_goal_are_changed_and_the_progress_is_said(march):
    said = run("change", march, "--budget", "12", "--until-half-width", "0.1", "--by", "ann").stdout
    assert "budget 12 labels; goal every interval at most ±0.1" in said
    assert run_json("change", march, "--budget", "15", "--no-goal") == {"study": "march", "budget": 15, "until": None}
    assert fl.load_study("march", storage=f"sqlite:///{march}").settings.budget == 15
    assert run_json("change", march, "--no-budget")["budget"] is None


def test_a_change_of_nothing_or_of_both_is_refused(march):
    assert "say what is to be different" in refused("change", march)
    assert "contradict each other" in refused("change", march, "--budget", "3", "--no-budget")
    assert "just so already" in refused("change", march, "--no-goal")


def test_a_label_is_taken_back_and_the_item_waits_again(march):
    (query,) = run_json("ask", march, "-n", "1")
    run("tell", march, query["item"], "refund")
    assert f"{query['item']} (was refund) is to be labelled again" in run("withdraw", march, query["item"]).stdout
    assert [q["item"] for q in run_json("ask", march, "-n", "1")] == [query["item"]]
    run("skip", march, query["item"])
    assert run_json("withdraw", march, query["item"]) == {"item": query["item"], "before": None, "open": True}
    assert "no label and no skip to take back" in refused("withdraw", march, query["item"])
