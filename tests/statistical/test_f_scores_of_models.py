"""F-scores of models at fixed truths: differences by groups, and the best of three.

Pools of 400 items, 12 % of them positive, a study each. By groups: 60 studies of two groups each; a true coverage of
92 % falls below 84 % at one of two looks once in 370 (groups of a study taken for independent). The best: 40 studies
that stop; if 98 % of such stops are right, fewer than 90 % are once in 900.
"""

import numpy as np

import fewlabels as fl
from fewlabels import weighed
from fewlabels.reading.best_score import BestScoreReading

STUDIES, ITEMS, LOOKS = 60, 400, (40, 80)
STOPPED, STOPS = 40, (20, 40, 80, 160, ITEMS)
LEAST, RIGHT, WITHIN = 0.84, 0.9, 0.01


def world(seed: int, noise: tuple[float, ...]) -> tuple[fl.Pool, np.ndarray, np.ndarray]:
    """Models of one class, some with more noise than others and all of them with more in the north; which items are
    positive, and which are in the north."""
    rng = np.random.default_rng(seed)
    y, north = rng.uniform(size=ITEMS) < 0.12, rng.uniform(size=ITEMS) < 0.3
    at = 3.5 * y - 2.3 + 0.8 * rng.normal(size=ITEMS)
    region = np.where(north, "north", "south")
    pools = {}
    for name, spread in zip("abc", noise, strict=False):
        score = 1 / (1 + np.exp(-(at + spread * np.where(north, 2.0, 0.7) * rng.normal(size=ITEMS))))
        pools[name] = fl.Pool.from_arrays(positive_score=score, positive="rare", columns={"region": region})
    return fl.Pool.join(pools), y, north


def f1(pool: fl.Pool, name: str, y: np.ndarray, where: np.ndarray) -> float:
    said = pool.engine.models[name].predicted == pool.classes.index("rare")
    counted = said[where].sum() + y[where].sum()
    return 2 * (said & y)[where].sum() / counted if counted else np.nan


def tell(study: fl.Study, y: np.ndarray, count: int) -> None:
    queries = study.ask(count - len(study.labels))
    study.tell({query.item: "rare" if y[query.item] else study.classes[0] for query in queries})


def coverage() -> np.ndarray:
    """Of the differences in both groups, at each look."""
    held: list[list[bool]] = [[] for _ in LOOKS]
    for seed in range(STUDIES):
        pool, y, north = world(seed, (0.3, 1.2))
        study = fl.create_study(pool, fl.CompareModels("f1", "a", "b", positive="rare", by="region"), seed=seed)
        for place, look in enumerate(LOOKS):
            tell(study, y, look)
            for finding, where in zip(study.answer().findings, (north, ~north), strict=True):
                true = f1(pool, "a", y, where) - f1(pool, "b", y, where)
                held[place].append(bool(np.isnan(true) or finding.low - 1e-9 <= true <= finding.high + 1e-9))
    return np.mean(held, axis=1)


def test_differences_in_groups_are_held_as_often_as_they_say():
    found = coverage()
    print(found)
    assert found.min() >= LEAST


def test_giving_each_group_the_difference_of_all_items_is_caught(monkeypatch):
    monkeypatch.setattr(weighed, "part_of", lambda sample, _: sample)
    found = coverage()
    print(found)
    assert found.min() < LEAST


def right_at_a_stop() -> float:
    """How often the model named at the first look that is sure enough is within the margin of the best."""
    right = []
    for seed in range(STOPPED):
        pool, y, north = world(seed, (0.5, 0.9, 1.3))
        question = fl.BestModel("f1", positive="rare", within=WITHIN)
        study = fl.create_study(pool, question, seed=seed, until=fl.Probability(0.95))
        for look in STOPS:
            tell(study, y, look)
            if study.done:
                break
        true = {name: f1(pool, name, y, north | ~north) for name in pool.models}
        right.append(true[study.answer().best] >= max(true.values()) - WITHIN - 1e-9)
    return float(np.mean(right))


def test_the_model_named_at_a_stop_is_next_to_the_best():
    found = right_at_a_stop()
    print(found)
    assert found >= RIGHT


def test_stopping_as_if_all_were_certain_is_caught(monkeypatch):
    monkeypatch.setattr(BestScoreReading, "p_near", property(lambda self: (self.p_best == self.p_best.max()) * 1.0))
    found = right_at_a_stop()
    print(found)
    assert found < RIGHT
