"""The interval of the whole pool holds when a study stops at its width, though scores tell nothing and one looks after
every ten labels. By as many runs as tell: a true share of 95 % is refused once in 50, one of 89 % accepted as seldom.
The control, an interval that does not allow for errors that come late, must fail. And it is as wide as other draws say
after the same labels; the control, as few draws at a stop as at other looks, is shorter."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from benchmarks.stops import widths
from benchmarks.stops.pools import cases

import fewlabels as fl
from fewlabels.core.intervals import AT_ONE_LOOK
from fewlabels.reading.answer import answer_to_goal
from fewlabels.simulation.compiled import fast
from sequential import held_often

SIZED = {"good": 0.95, "bad": 0.89, "refused": 1 / 50, "accepted": 1 / 50}


def holds() -> Iterator[bool]:
    """Of run after run, whether it does at the stop."""
    (case,) = (case for case in cases() if case.name == "saturated")
    for run in count(5000):
        with fast():
            yield widths.run_all(case, "auto", run, 10)["covered"] == 1


@pytest.mark.slow
def test_the_whole_pool_s_interval_holds_at_a_stop():
    assert held_often(holds(), **SIZED)


@pytest.mark.slow
def test_an_interval_that_trusts_the_model_does_not(monkeypatch):
    monkeypatch.setattr("fewlabels.reading.whole_pool.AT_A_STOP", AT_ONE_LOOK._replace(distrust=0.0))
    assert not held_often(holds(), **SIZED)


def over_other_draws(runs: int) -> float:
    """The width at a stop over that of 4,000 other draws after the same labels, on average."""
    (case,), found = (case for case in cases() if case.name == "one_group_at_zero"), []
    for run in range(5000, 5000 + runs):
        with fast():
            at = widths.study_of_all(case, "auto", run, 1)
            evidence = at.take(int(str(widths.run_all(case, "auto", run, 1)["labels"])))
            own, _ = at.answer(evidence)
            goal = fl.HalfWidth(0.4, of="overall")  # which any is short enough for
            another = replace(at.assessment.settings, seed=at.seed + 1, until=goal)
            other = answer_to_goal(replace(at.assessment, settings=another), evidence, 0.95, goal, {})
        found.append(own.overall.half_width / other.overall.half_width)
    return float(np.mean(found))


@pytest.mark.slow
def test_no_study_stops_where_its_draws_happen_to_lie_close_together():
    assert over_other_draws(150) > 0.985


@pytest.mark.slow
def test_with_few_draws_it_does(monkeypatch):
    monkeypatch.setattr("fewlabels.reading.whole_pool._DRAWS_AT_A_STOP", 500)
    assert over_other_draws(150) < 0.985
