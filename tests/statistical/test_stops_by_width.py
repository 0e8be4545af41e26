"""The interval of the whole pool holds when a study stops at its width, though scores tell nothing and one looks after
every ten labels. By as many runs as tell: a true share of 95 % is refused once in 50, one of 89 % accepted as seldom.
The control, an interval that does not allow for errors that come late, must fail."""

from collections.abc import Iterator
from itertools import count

import pytest
from benchmarks.stops import widths
from benchmarks.stops.pools import cases

from fewlabels.core.intervals import AT_ONE_LOOK
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
