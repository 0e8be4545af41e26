"""What rounds reach while their labels come in one by one."""

import numpy as np

import fewlabels as fl
from fewlabels.core.systematic import reach_of
from fewlabels.demo.pool import demo_pool
from fewlabels.demo.run import true_labels


def test_an_interval_does_not_jump_inside_a_batch() -> None:
    """Labels of a round that reaches further come one by one; the first of them stood for all that it takes in."""
    pool = demo_pool()
    known, widths = true_labels(pool), []
    study = fl.create_study(pool, fl.Estimate("f1", positive="card_arrival"), seed=1)
    while len(study.labels) < 100:
        for query in study.ask(20):
            study.tell(query, known[query.item])
            found = study.answer().overall
            assert found is not None
            widths.append(found.half_width)
    after = np.array(widths[20:])  # at first there is next to nothing to go by
    assert (after[1:] / after[:-1]).max() < 1.25


def test_a_round_reaches_as_far_as_it_may_once_half_of_its_draws_are_labelled() -> None:
    rounds, frames, planned = np.repeat([1, 2], [10, 20]), {1: 50, 2: 30}, {1: 10, 2: 20}
    for told, reach in ((1, 50), (9, 50), (10, 50), (11, 50), (19, 50), (20, 30), (30, 30)):
        row = np.where(np.arange(30) < told, np.arange(30), -1)
        assert reach_of(rounds, row, frames, planned) == reach, told
    assert reach_of(rounds, np.full(30, -1), frames, planned) is None
