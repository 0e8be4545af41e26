"""The best of several models: who is dropped and when, who is next to the best, and what labels go where."""

import itertools
import json
import math

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.best_of import Race, drawn_means
from fewlabels.core.events import Query
from fewlabels.core.paired import Told
from fewlabels.questions_kept import question_from_json

CLASSES = ["a", "b", "c", "d"]
ITEMS = 500
LEVELS = {"good": 0.9, "fair": 0.9, "poor": 0.65, "bad": 0.45}


def pool_of(levels: dict[str, float], items: int = ITEMS, seed: int = 0) -> fl.Pool:
    """Models that are right so often; those that are wrong say different things."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, items)
    labels = np.array(CLASSES)[truth].tolist()
    said = {
        n: np.where(rng.random(items) < p, truth, (truth + rng.integers(1, 4, items)) % 4) for n, p in levels.items()
    }
    return fl.Pool.join(
        {
            name: fl.Pool.from_arrays(
                predicted=np.array(CLASSES)[k], score=np.full(items, 0.8), classes=CLASSES, labels=labels
            )
            for name, k in said.items()
        }
    )


POOL = pool_of(LEVELS)
TRUTH = dict(zip(POOL.ids, POOL.known_labels, strict=True))
SAID = np.stack([m.predicted for m in POOL.engine.models.values()], axis=1)
RIGHT = np.array([CLASSES.index(label) for label in POOL.known_labels])[:, None] == SAID


def told(count: int, pool: fl.Pool = POOL, batch: int = 10, **more) -> fl.Study:
    study = fl.create_study(pool, fl.BestModel("accuracy"), **more)
    truth = dict(zip(pool.ids, pool.known_labels, strict=True))
    while len(study.labels) < count and not (more.get("until") and study.done) and (asked := study.ask(batch)):
        study.tell({query.item: truth[query.item] for query in asked})
    return study


# -- the race --------------------------------------------------------------------------------------------------------


def slowly(race: Race, i: int, j: int, draws: int, behind: float) -> float:
    """What is won, after so many draws, against model i being behind model j by so much or more."""
    size, x, total = int(race.differ[i, j]), [], 0.0
    for said, value in zip(race.said[:draws], race.value[:draws], strict=True):
        if said[i] != said[j]:
            x.append((value[i] - value[j] + 1) / 2)
    aim = size * (1 - behind * race.items / size) / 2
    for c in (0.03, 0.06, 0.12, 0.2, 0.3, 0.45, 0.65, 0.9):
        won = 1.0
        for t, one in enumerate(x):
            m = min((aim - sum(x[:t])) / (size - t), 1.0)
            if m <= 1e-9:
                return math.inf
            won *= 1 + c * (one - m) / m
        total += won / 8
    return math.inf if aim - sum(x) < -1e-9 else total


def race_of(order: np.ndarray, goal: float = 0.8) -> Race:
    differ = (SAID[:, :, None] != SAID[:, None, :]).sum(axis=0)
    return Race(SAID[order], RIGHT[order].astype(float), differ, ITEMS, 0.03, goal)


def test_models_are_dropped_and_found_when_the_formula_says_so():
    order = np.random.default_rng(1).permutation(np.flatnonzero((SAID[:, :1] != SAID).any(axis=1)))[:250]
    race = race_of(order)
    alive, dropped, near = set(range(4)), {}, {}
    for t in range(1, len(order) + 1):
        beaten = {j for j in alive for i in alive if i != j and slowly(race, i, j, t, 0) >= 3 / 0.2 - 1e-6}
        dropped |= dict.fromkeys(beaten, t)
        alive -= beaten
        for i in alive - set(near):
            if all(slowly(race, i, j, t, 0.03) >= 3 / 0.2 - 1e-6 for j in alive if j != i):
                near[i] = t
    assert {j: t for j, t in enumerate(race.dropped.tolist()) if t} == dropped
    assert {j: t for j, t in enumerate(race.near.tolist()) if t} == near
    assert dropped
    assert near


def test_what_is_won_against_a_model_that_is_not_behind_does_not_grow_on_average():
    """Over all orders of five items on which two models differ, the second being as good as the first or better."""
    value = np.array([[1, 0], [0, 1], [0, 1], [1, 0], [0, 0]], dtype=float)
    won = []
    for order in itertools.permutations(range(5)):
        race = Race(np.tile([0, 1], (5, 1)), value[list(order)], np.array([[0, 5], [5, 0]]), 10, 0.0, 0.9)
        won.append(slowly(race, 0, 1, 3, 0))
    assert np.mean(won) <= 1 + 1e-9


def test_an_item_nobody_could_label_speaks_against_every_claim():
    order = np.flatnonzero((SAID[:, :1] != SAID).any(axis=1))[:60]
    race = race_of(order)
    value = race.value.copy()
    value[:5] = np.nan
    unknown = Race(race.said, value, race.differ, race.items, race.margin, race.goal)
    for known, skipped in ((race.dropped, unknown.dropped), (race.near, unknown.near)):
        assert all(k > 0 and (s == 0 or s >= k) for k, s in zip(known, skipped, strict=True) if s or k)


def test_draws_of_two_models_are_those_of_their_difference():
    rng = np.random.default_rng(0)
    value = np.array([[1.0, 0]] * 9 + [[0, 1]] * 3 + [[0, 0]] * 2)
    drawn = drawn_means(value, 26, 100, 20_000, rng)
    pair = Told(100, 40, np.array([-1.0, 0, 1]), np.array([3.0, 2, 9])).draws(20_000, rng, pool=True)
    apart = drawn[:, 0] - drawn[:, 1]
    assert apart.mean() == pytest.approx(pair.mean(), abs=0.003)
    assert apart.std() == pytest.approx(pair.std(), rel=0.05)


# -- the question ----------------------------------------------------------------------------------------------------


def test_the_question_is_the_same_after_it_was_kept_and_names_the_models_of_its_pool():
    question = fl.BestModel("accuracy", ["good", "bad"], within=0.02)
    assert question_from_json(json.loads(json.dumps(question.to_json()))) == question
    assert told(0).settings.question.models == tuple(LEVELS)
    assert "good, fair, poor, bad" in told(0).settings.question.describe()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fl.BestModel("accuracy", ["x"]), "at least two different models"),
        (lambda: fl.BestModel("accuracy", ["x", "x"]), "at least two different models"),
        (lambda: fl.BestModel("accuracy", within=1), "within"),
        (lambda: fl.BestModel("accuracy", by="region"), "by="),
        (lambda: fl.create_study(POOL, fl.BestModel("accuracy", ["good", "x"])), "no model 'x'"),
        (lambda: told(0, until=fl.HalfWidth(0.1)), "fl.Probability"),
        (lambda: told(0, target="population").answer(), "population"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(make, words):
    with pytest.raises(fl.QuestionError, match=words):
        make()


# -- the study -------------------------------------------------------------------------------------------------------


def test_the_best_is_found_and_those_that_fell_behind_are_named_with_the_label():
    study = told(400, until=fl.Probability(0.95), seed=2)
    answer = study.answer()
    assert study.done
    assert answer.best in ("good", "fair")
    assert answer.dropped["bad"] <= answer.dropped.get("poor", 400)
    assert f"bad (at label {answer.dropped['bad']})" in answer.sentence
    assert sum(answer.p_best.values()) == pytest.approx(1)
    assert answer.p_best["bad"] == 0
    assert answer.expected_loss["bad"] > answer.expected_loss[answer.best]
    rows = {row["group"]: row for row in answer.to_dicts()}
    exact = RIGHT.mean(axis=0)[list(LEVELS).index("bad")] - RIGHT.mean(axis=0)[list(LEVELS).index(answer.best)]
    assert rows["bad"]["low"] - 0.1 < exact < rows["bad"]["high"] + 0.1
    assert rows[answer.best]["value"] == 0
    assert "p(best)" in str(answer)


def test_once_models_are_dropped_labels_go_where_those_left_differ():
    study = told(90, seed=5)
    between, gone = study._assessment.between, study.answer().dropped
    left = np.array([name not in gone for name in LEVELS])
    assert set(gone) == {"poor", "bad"}
    assert max(gone.values()) < 70
    last = [event for event in study.events if isinstance(event, Query)][-10:]
    differ = between.among(left)
    assert all(differ[query.cell] for query in last)


def test_every_item_makes_it_exact():
    study = told(10_000, seed=1)
    answer = study.answer()
    names = list(LEVELS)
    exact = dict(zip(names, RIGHT.mean(axis=0), strict=True))
    assert answer.best == max(exact, key=exact.get)
    assert answer.expected_loss[answer.best] == pytest.approx(0)
    assert answer.shown


def test_models_that_all_say_the_same_need_no_label():
    one = pool_of({"x": 0.8}, 40)
    pool = fl.Pool.join({"x": one, "y": one, "z": one})
    study = told(0, pool, until=fl.Probability(0.95))
    assert "none is better" in study.answer().sentence
    assert (study.done, study.ask(3)) == (True, [])


def test_nothing_is_claimed_without_labels_and_a_restart_changes_nothing(tmp_path):
    storage = f"sqlite:///{tmp_path / 'best.db'}"
    study = fl.create_study(POOL, fl.BestModel("accuracy"), storage=storage, until=fl.Probability(0.95), seed=3)
    assert not study.done
    assert "no labels" in study.answer().sentence
    twin = fl.create_study(POOL, fl.BestModel("accuracy"), until=fl.Probability(0.95), seed=3)
    for _ in range(4):
        first, same = study.ask(15), twin.ask(15)
        assert [q.item for q in first] == [q.item for q in same]
        study.tell({q.item: TRUTH[q.item] for q in first})
        for query in reversed(same):
            twin.tell(query, TRUTH[query.item])
        study = fl.load_study(storage=storage, pool=POOL)
    assert fl.load_study(storage=storage).answer() == twin.answer()


def test_another_goal_takes_another_study():
    study = told(20, until=fl.Probability(0.95))
    study.change(budget=50)
    with pytest.raises(fl.QuestionError, match=r"at a goal of 0\.95"):
        study.change(until=fl.Probability(0.99))


def test_two_of_those_left_are_compared_from_the_same_labels_and_a_dropped_one_is_not():
    study = told(90, seed=5)
    gone = study.answer().dropped
    left = [name for name in LEVELS if name not in gone]
    assert left == ["good", "fair"]
    compared = study.answer(fl.CompareModels("accuracy", left[0], left[1]))
    exact = RIGHT.mean(axis=0)
    assert compared.difference.low - 0.02 < exact[0] - exact[1] < compared.difference.high + 0.02
    with pytest.raises(fl.QuestionError, match="bad was dropped"):
        study.answer(fl.CompareModels("accuracy", left[0], "bad"))


def test_a_simulation_measures_what_choosing_the_model_named_costs():
    found = fl.simulate(POOL, None, fl.BestModel("accuracy"), ["auto"], budgets=[10, 80], runs=6, workers=1).to_dicts()
    early, late = (row["mean"] for row in found)
    assert {row["measure"] for row in found} == {"loss"}
    assert late <= early
    with pytest.raises(fl.QuestionError, match="'loss'"):
        fl.simulate(POOL, None, fl.BestModel("accuracy"), ["auto"], budgets=[10], runs=1, measures=["rmse"])


def test_a_model_is_named_by_twenty_labels_and_the_level_asked():
    few, open_, likely, proven = (told(n).answer() for n in (10, 25, 60, 200))
    assert few.p_near > 0.95  # which ten labels do not bear out
    assert [a.decided for a in (few, open_, likely, proven)] == [False, False, True, True]
    assert few.sentence.startswith("Not decided yet, from 10 labels.")
    assert likely.sentence.startswith("Choose good: 98% sure that no model is more than 1 point better.")
    assert "Proven at 95%, however often you check: no model is more than 1 point better than good." in proven.sentence
    assert told(0).answer().sentence.startswith("Not decided: no labels yet.")


def test_a_report_names_the_best_and_the_dropped(tmp_path):
    fl.report(told(60), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "has the best accuracy of 4 models" in page
    assert "bad (at label" in page


def test_many_models_of_many_classes_have_cells_of_their_own():
    """Fourteen models of a hundred classes: more crossings than a whole number tells apart."""
    rng = np.random.default_rng(2)
    classes, said = [f"c{i}" for i in range(100)], rng.integers(0, 100, (14, 60))
    said[:, :20] = said[0, :20]
    names = np.array(classes)
    pools = {
        f"m{i}": fl.Pool.from_arrays(predicted=names[row], score=np.full(60, 0.5), classes=classes)
        for i, row in enumerate(said)
    }
    study = fl.create_study(fl.Pool.join(pools), fl.BestModel("accuracy"))
    cells = study._assessment.cells
    assert cells.size.sum() == 60
    found = {tuple(row) for row in cells.coordinates.tolist()}
    assert found == {tuple(column) for column in said.T.tolist()}
    assert len({query.item for query in study.ask(60)}) == 40
