"""The whole pool's interval at a stop: draws are doubled while it is short enough, so that none is short by luck."""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.recalibration import RecalibratedRates, model_of
from fewlabels.reading.whole_pool import WholePool

SIZE = np.array([400, 300, 200, 500, 300])
LABELS = np.array([20.0, 12, 30, 25, 10])


def belief() -> RecalibratedRates:
    score, group = np.array([0.6, 0.9, 0.97, 0.7, 0.95]), np.array([0, 0, 0, 1, 1])
    hits = np.array([12.0, 11, 29, 18, 9])
    return RecalibratedRates(model_of(score, SIZE, group), hits, LABELS - hits, SIZE)


def at_a_stop(goal: float, monkeypatch: pytest.MonkeyPatch, seed: int = 3) -> tuple[WholePool, list[Keyed]]:
    """The interval of 500 draws, or of more, and the keys of those that were further drawn."""
    asked: list[Keyed] = []
    joint = RecalibratedRates.joint

    def counted(self, count, keyed, **how):
        asked.append(keyed)
        return joint(self, count, keyed, **how)

    monkeypatch.setattr(RecalibratedRates, "joint", counted)
    rates = belief().draws(500, Keyed(seed, 0).generator(Use.ANSWER), pool=True)
    return WholePool.at_a_stop(belief(), rates, 0.95, "equal-tailed", Keyed(seed, 0), goal, 0.0), asked


def test_an_interval_that_is_too_wide_is_read_off_the_draws_there_are(monkeypatch):
    found, asked = at_a_stop(0.01, monkeypatch)
    assert found.ends[1] - found.ends[0] > 0.02
    assert asked == []


def test_one_that_is_short_enough_is_read_off_4000_draws_all_different(monkeypatch):
    found, asked = at_a_stop(0.5, monkeypatch)
    assert [keyed.step for keyed in asked] == [1, 2, 3, 4, 5, 6, 7]
    draws = np.concatenate([belief().draws(500, Keyed(3, k).generator(Use.ANSWER), pool=True) for k in range(8)])
    assert found.drawn == pytest.approx(np.quantile(draws @ SIZE / SIZE.sum(), [0.025, 0.975]))


def test_drawing_ends_as_soon_as_it_turns_out_to_be_too_wide(monkeypatch):
    """Just as long as the first draws have it: some more say that it is longer, for some seeds, and then that is it."""
    few = 0
    for seed in range(10):
        first, _ = at_a_stop(1e-9, monkeypatch, seed)
        half = (first.ends[1] - first.ends[0]) / 2
        found, asked = at_a_stop(half, monkeypatch, seed)
        assert len(asked) in (1, 3, 7)
        assert len(asked) == 7 or (found.ends[1] - found.ends[0]) / 2 > half
        few += len(asked) < 7
    assert 0 < few < 10


@pytest.mark.parametrize(
    ("question", "goal", "blocks"),
    [
        (fl.Estimate("accuracy"), fl.HalfWidth(0.4, of="overall"), 8),
        (fl.Estimate("accuracy"), fl.HalfWidth(0.4), 8),
        (fl.Estimate("accuracy", by="predicted_class"), fl.HalfWidth(0.4, of="overall"), 8),
        (fl.Estimate("accuracy", by="predicted_class"), fl.HalfWidth(0.4), 1),  # which ends by groups, not by this
        (fl.Estimate("accuracy"), None, 1),
    ],
)
def test_an_answer_has_more_draws_only_where_the_whole_pool_s_width_ends_the_study(question, goal, blocks, monkeypatch):
    pool = fl.synthetic_pool(400, ["cat", "dog"], accuracy=[0.9, 0.8], seed=3)
    truth = dict(zip(pool.ids, pool.known_labels, strict=True))
    study = fl.create_study(pool, question, until=goal, seed=0)
    study.tell({query.item: truth[query.item] for query in study.ask(60)})
    joint, asked = RecalibratedRates.joint, []
    monkeypatch.setattr(RecalibratedRates, "joint", lambda *given, **how: asked.append(given) or joint(*given, **how))
    assert study.answer().overall is not None
    assert len(asked) == blocks
