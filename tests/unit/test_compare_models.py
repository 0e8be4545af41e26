"""Two models on the same items: labels where they differ, the difference with its interval, and what is shown of it."""

import itertools
import json
import math

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.anytime import of_mean
from fewlabels.core.events import Query
from fewlabels.core.paired import Told
from fewlabels.questions_kept import question_from_json

CLASSES = ["a", "b", "c"]
ITEMS = 600


def pool_of(right: tuple[float, float] = (0.9, 0.7), items: int = ITEMS, **models: np.ndarray) -> fl.Pool:
    """Two models, right so often, over items of two regions; or these predictions."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, items)
    said = models or {
        name: np.where(rng.random(items) < share, truth, (truth + 1) % 3)
        for name, share in zip(("new", "old"), right, strict=True)
    }
    return fl.Pool.join(
        {
            name: fl.Pool.from_arrays(
                predicted=np.array(CLASSES)[predicted],
                score=rng.uniform(0.4, 1, items),
                classes=CLASSES,
                columns={"region": np.where(np.arange(items) % 3 == 0, "west", "east")},
                labels=np.array(CLASSES)[truth].tolist(),
            )
            for name, predicted in said.items()
        }
    )


POOL = pool_of()
TRUTH = dict(zip(POOL.ids, POOL.known_labels, strict=True))
MODELS = POOL.engine.models
DIFFER = set(np.flatnonzero(MODELS["new"].predicted != MODELS["old"].predicted).tolist())
RIGHT = {n: np.array(CLASSES)[m.predicted] == np.array(POOL.known_labels) for n, m in MODELS.items()}
EXACT = float(RIGHT["new"].mean() - RIGHT["old"].mean())
QUESTION = fl.CompareModels("accuracy", a="new", b="old")


def told(count: int, question: fl.CompareModels = QUESTION, pool: fl.Pool = POOL, batch: int = 10, **more) -> fl.Study:
    study = fl.create_study(pool, question, **more)
    truth = dict(zip(pool.ids, pool.known_labels, strict=True))
    while len(study.labels) < count and (asked := study.ask(min(batch, count - len(study.labels)))):
        study.tell({query.item: truth[query.item] for query in asked})
    return study


# -- bets against means ----------------------------------------------------------------------------------------------


def slowly(drawn: list[float], size: int, m: float) -> float:
    """The capital against a mean of values in [0, 1], straight from the formula."""
    total = 0.0
    for c in (0.03, 0.06, 0.12, 0.2, 0.3, 0.45, 0.65, 0.9):
        up = down = 1.0
        for t, x in enumerate(drawn):
            left = (size * m - sum(drawn[:t])) / (size - t)
            up *= 1 + (c * (x - left) / left if left > 1e-9 else 0)
            down *= 1 + (c * (left - x) / (1 - left) if left < 1 - 1e-9 else 0)
        total += (up + down) / 2
    return total / 8


def test_bets_against_a_mean_are_those_of_the_formula():
    drawn = [1.0, 0.0, 0.5, 1.0]
    found = of_mean(np.array(drawn) * 2 - 1, 12, -1, 1, 2)
    assert found.all_there_are
    for value, won in zip(found.values, found.log_won, strict=True):
        m = (value + 1) / 2
        possible = 2.5 - 1e-9 <= 12 * m <= 2.5 + 8 + 1e-9
        assert math.isinf(won) if not possible else won == pytest.approx(math.log(slowly(drawn, 12, m)), abs=1e-6)


def test_what_is_won_against_the_truth_does_not_grow_on_average():
    """Over all orders in which these values can be drawn, at every look."""
    values = [1.0, 1.0, -1.0, 0.0, 1.0]
    for looks in range(1, 5):
        won = []
        for order in itertools.permutations(values):
            capital = of_mean(np.array(order[:looks]), len(values), -1, 1, 2)
            won.append(np.exp(capital.log_won[np.abs(capital.values - np.mean(values)).argmin()]))
        assert np.mean(won) == pytest.approx(1, abs=1e-6)


def test_draws_of_a_difference_have_the_mean_that_is_shown_and_are_exact_at_the_end():
    some = Told(100, 40, np.array([-1.0, 0, 1]), np.array([3.0, 2, 9]))
    drawn = some.draws(20_000, np.random.default_rng(0), pool=True)
    assert drawn.mean() == pytest.approx(some.mean, abs=3 * drawn.std() / 140)
    assert some.widest == pytest.approx(((6 - 26) / 100, (6 + 26) / 100))
    population = some.draws(20_000, np.random.default_rng(0), pool=False)
    assert population.std() > drawn.std()
    every = Told(100, 14, np.array([-1.0, 0, 1]), np.array([3.0, 2, 9]))
    assert set(every.draws(50, np.random.default_rng(0), pool=True)) == {0.06}
    assert every.prior_share == 0


# -- the question ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", [QUESTION, fl.CompareModels("accuracy", "new", "old", 0.02, by="region")])
def test_the_question_is_the_same_after_it_was_kept(question):
    assert question_from_json(json.loads(json.dumps(question.to_json()))) == question


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fl.CompareModels("accuracy", "new", "new"), ["'new' twice"]),
        (lambda: fl.CompareModels("accuracy", rope=2), ["rope"]),
        (lambda: fl.CompareModels("macro_f1"), ["macro", "accuracy, cost, calibration error, or F1"]),
        (lambda: fl.CompareModels("accuracy", by="predicted_class"), ["column", "predicted class"]),
        (lambda: told(0, fl.CompareModels("accuracy", "newer", "old")), ["'newer'", "new, old"]),
        (lambda: told(0, model="new"), ["leave out model='new'"]),
        (lambda: told(0, strategy="thompson"), ["'thompson'", "'uniform'"]),
        (lambda: told(0, estimator="beta"), ["'beta'"]),
        (lambda: fl.create_study(POOL, fl.Estimate("accuracy"), model="new", strategy="influence"), ["'influence'"]),
        (lambda: fl.create_study(POOL, fl.Estimate("accuracy"), model="new", estimator="paired"), ["'paired'"]),
        (
            lambda: fl.create_study(fl.Pool.from_arrays(predicted=["a"], score=[1]), fl.CompareModels("accuracy")),
            ["two models", "Pool.join"],
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_words(make, words):
    with pytest.raises(fl.QuestionError) as caught:
        make()
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_two_models_of_a_pool_need_not_be_named():
    assert told(0, fl.CompareModels("accuracy")).settings.question == QUESTION
    other = told(0, fl.CompareModels("accuracy", a="old")).settings.question
    assert (other.a, other.b) == ("old", "new")


# -- the study -------------------------------------------------------------------------------------------------------


def test_only_items_on_which_the_models_differ_are_asked_each_with_its_chance():
    study = told(40)
    asked = [event for event in study.events if isinstance(event, Query)]
    assert {query.item for query in asked} <= DIFFER
    left = len(DIFFER) - np.arange(len(asked))
    assert [query.probability for query in asked] == pytest.approx(1 / left)


def test_every_item_on_which_they_differ_makes_it_exact():
    answer = told(10_000).answer()
    assert answer.difference.value == answer.difference.low == answer.difference.high == pytest.approx(EXACT)
    assert (answer.differ, answer.items, answer.difference.labels) == (len(DIFFER), ITEMS, len(DIFFER))
    assert answer.verdict == "better"
    assert answer.p_more == 1


def test_the_difference_has_an_interval_and_probabilities_and_the_other_way_round_is_the_mirror():
    study = told(30, seed=2)
    answer, mirror = study.answer(), study.answer(fl.CompareModels("accuracy", "old", "new"))
    assert answer.difference.low < answer.difference.value < answer.difference.high
    assert answer.p_less + answer.p_equal + answer.p_more == pytest.approx(1)
    assert mirror.difference.value == pytest.approx(-answer.difference.value)
    assert mirror.proof.interval(0.95) == pytest.approx([-end for end in answer.proof.interval(0.95)[::-1]])
    assert (answer.verdict, mirror.verdict) in [("better", "worse"), ("open", "open")]


def test_before_the_first_label_anything_is_possible_and_nothing_is_done():
    study = told(0, until=fl.Probability(0.95))
    answer, share = study.answer(), len(DIFFER) / ITEMS
    assert math.isnan(answer.difference.value)
    assert (answer.difference.low, answer.difference.high) == pytest.approx((-share, share))
    assert "no labels" in answer.sentence
    assert (answer.verdict, study.done) == ("open", False)


def test_a_study_ends_with_a_verdict_shown_at_every_look():
    study = fl.create_study(POOL, QUESTION, until=fl.Probability(0.95), seed=4)
    while not study.done:
        study.tell({query.item: TRUTH[query.item] for query in study.ask(10)})
    answer = study.answer()
    assert answer.verdict == "better"
    assert answer.difference.labels < len(DIFFER)
    assert "new is higher than old" in study.progress.reason
    assert "at most 5% of such stops are wrong" in str(answer)


def test_models_that_say_the_same_of_every_item_are_tied_without_a_label():
    said = np.random.default_rng(1).integers(0, 3, 50)
    study = told(0, fl.CompareModels("accuracy"), pool_of(items=50, one=said, two=said), until=fl.Probability(0.95))
    answer = study.answer()
    assert (answer.difference.value, answer.difference.low, answer.difference.high) == (0, 0, 0)
    assert "say the same of all 50 items" in answer.sentence
    assert (answer.verdict, study.done, study.ask(5)) == ("tied", True, [])


def test_models_that_agree_on_nearly_all_items_are_told_apart_by_the_few():
    rng = np.random.default_rng(3)
    one = rng.integers(0, 3, 2000)
    two = one.copy()
    two[:2] = (two[:2] + 1) % 3
    study = told(2, fl.CompareModels("accuracy"), pool_of(items=2000, one=one, two=two), until=fl.Probability(0.95))
    assert study.done
    assert study.ask(5) == []
    assert study.answer().verdict == "tied"
    assert study.answer().difference.fully_labelled


def test_models_that_differ_everywhere_are_compared_by_a_uniform_sample():
    rng = np.random.default_rng(5)
    one = rng.integers(0, 3, 300)
    pool = pool_of(items=300, one=one, two=(one + 1) % 3)
    study = told(60, fl.CompareModels("accuracy"), pool)
    answer = study.answer()
    assert answer.differ == 300
    assert answer.difference.high - answer.difference.low > 0.15
    accuracy = study.answer(fl.Estimate("accuracy"), model="one").overall  # all items could have been drawn
    assert accuracy.labels == 60


def test_groups_have_verdicts_of_their_own_that_hold_together():
    rng = np.random.default_rng(6)
    pool = pool_of()
    truth, west = rng.integers(0, 3, ITEMS), np.arange(ITEMS) % 3 == 0
    new = np.where(rng.random(ITEMS) < 0.8, truth, (truth + 1) % 3)
    old = np.where(west & (rng.random(ITEMS) < 0.7), (truth + 1) % 3, new)
    parts = {
        name: fl.Pool.from_arrays(
            predicted=np.array(CLASSES)[said], score=np.full(ITEMS, 0.9), classes=CLASSES,
            columns={"region": pool.engine.columns["region"]}, labels=np.array(CLASSES)[truth].tolist(),
        )
        for name, said in (("new", new), ("old", old))
    }  # fmt: skip
    question = fl.CompareModels("accuracy", "new", "old", by="region")
    study = told(60, question, fl.Pool.join(parts), until=fl.Probability(0.95))
    answer = study.answer()
    east, rest = (dict(row) for row in answer.to_dicts())
    assert (east["group"], east["verdict"], east["differ"], east["value"]) == ("east", "tied", 0, 0)
    assert (rest["group"], rest["verdict"], rest["labels"]) == ("west", "better", 60)
    assert answer.overall.value == pytest.approx(rest["value"] / 3)
    assert "every group has its verdict" in study.progress.reason
    assert "better" in str(answer)


def test_a_skipped_item_makes_what_is_shown_wider_and_nothing_else():
    study, twin = (fl.create_study(POOL, QUESTION, seed=8) for _ in range(2))
    for one, skips in ((study, 3), (twin, 0)):
        asked = one.ask(40)
        for query in asked[:skips]:
            one.skip(query)
        one.tell({query.item: TRUTH[query.item] for query in asked[skips:]})
    low, high = study.answer().proof.interval(0.95)
    plain = twin.answer().proof.interval(0.95)
    assert low < plain[0]
    assert high > plain[1] - 0.02
    assert study.answer().difference.labels == 37


def test_the_order_of_telling_does_not_matter_and_a_restart_changes_nothing(tmp_path):
    storage = f"sqlite:///{tmp_path / 'models.db'}"
    study = fl.create_study(POOL, QUESTION, storage=storage, seed=3)
    twin = fl.create_study(POOL, QUESTION, seed=3)
    first, same = study.ask(12), twin.ask(12)
    assert [q.item for q in first] == [q.item for q in same]
    study.tell({q.item: TRUTH[q.item] for q in first})
    for query in reversed(same):
        twin.tell(query, TRUTH[query.item])
    again = fl.load_study(storage=storage)  # without the pool: an answer needs none
    assert again.answer() == study.answer() == twin.answer()
    with_pool = fl.load_study(storage=storage, pool=POOL)
    assert [q.item for q in with_pool.ask(15)] == [q.item for q in twin.ask(15)]


def test_intervals_for_every_look_are_wider_and_not_of_a_population():
    study = told(40)
    now, always = study.answer().difference, study.answer(anytime=True).difference
    assert always.low < now.low
    assert always.high > now.high
    assert always.holds == "every look"
    with pytest.raises(fl.QuestionError, match="population"):
        told(40, target="population").answer(anytime=True)
    assert told(40, target="population").answer().verdict == "open"


def test_progress_forecasts_labels_and_a_plan_says_what_a_uniform_sample_would_take():
    study = told(20, until=fl.Probability(0.95), seed=7)
    left = study.progress.labels_left
    assert 1 <= left.low <= left.likely <= left.high <= len(DIFFER)
    plan = fl.plan(POOL, QUESTION, until=fl.Probability(0.95))
    assert plan.labels.likely < plan.uniform.likely


def test_a_width_can_be_the_goal():
    study = fl.create_study(POOL, QUESTION, until=fl.HalfWidth(0.04, of="overall"), seed=1)
    while not study.done:
        study.tell({query.item: TRUTH[query.item] for query in study.ask(10)})
    assert study.answer().difference.half_width <= 0.04


def test_costs_are_compared_where_they_differ_and_less_is_better():
    """To take b for c, or c for b, costs nothing: where the models differ in that alone nothing is to be found out."""
    table = np.array([[0, 4, 4], [1, 0, 0], [1, 0, 0]], dtype=float)
    cost, truth = fl.Cost(table, classes=CLASSES), np.array([CLASSES.index(label) for label in POOL.known_labels])
    spent = {name: table[truth, said.predicted] for name, said in MODELS.items()}
    question = fl.CompareModels(cost, "new", "old")
    study = told(10_000, question, until=fl.Probability(0.95))
    same = {i for i in DIFFER if {MODELS[m].predicted[i] for m in MODELS} == {1, 2}}
    assert same
    assert set(study.labels) == DIFFER - same
    answer = study.answer()
    assert answer.difference.value == pytest.approx(float((spent["new"] - spent["old"]).mean()))
    assert answer.difference.unit == "number"
    assert answer.verdict == "better"
    some = told(60, question, seed=1).answer()
    assert some.difference.low < answer.difference.value < some.difference.high
    with pytest.raises(fl.QuestionError, match="by accuracy"):
        fl.BestModel(cost)


# -- other questions -------------------------------------------------------------------------------------------------


def test_questions_about_one_model_are_refused_where_labels_tell_nothing_of_most_items():
    study = told(30)
    with pytest.raises(fl.QuestionError, match=r"drawn only where new and old differ; .*strategy='uniform'"):
        study.answer(fl.Estimate("accuracy"), model="new")
    with pytest.raises(fl.QuestionError, match="leave out model='old'"):
        study.answer(model="old")


def test_a_uniform_sample_answers_both():
    study = told(200, strategy="uniform")
    accuracy = study.answer(fl.Estimate("accuracy"), model="new").overall
    assert accuracy.low <= RIGHT["new"].mean() <= accuracy.high
    among = sum(item in DIFFER for item in study.labels)
    assert study.answer().difference.labels == among
    by_region = study.answer(fl.CompareModels("accuracy", "new", "old", by="region"))
    assert sum(f.labels for f in by_region.findings) == among
    assert by_region.overall == study.answer().overall


def test_labels_drawn_evenly_for_one_model_compare_it_with_another():
    study = fl.create_study(POOL, fl.Estimate("accuracy"), model="new", strategy="uniform")
    study.tell({query.item: TRUTH[query.item] for query in study.ask(150)})
    answer = study.answer(QUESTION)
    assert answer.difference.low <= EXACT <= answer.difference.high
    chosen = fl.create_study(POOL, fl.Estimate("accuracy"), model="new")
    chosen.tell({query.item: TRUTH[query.item] for query in chosen.ask(20)})
    with pytest.raises(fl.QuestionError, match="drawn for another question"):
        chosen.answer(QUESTION)


def test_a_simulation_measures_the_error_of_the_difference():
    found = fl.simulate(POOL, None, QUESTION, budgets=[20, 60], runs=12, workers=1)
    rmse = {(row["method"], row["labels"]): row["mean"] for row in found.to_dicts() if row["measure"] == "rmse"}
    assert rmse["auto", 60] < rmse["paired_uniform", 60]
    assert rmse["auto", 60] < rmse["auto", 20]
    held = [row["mean"] for row in found.to_dicts() if row["measure"] == "coverage"]
    assert min(held) > 0.7


def test_a_report_speaks_of_models_by_name(tmp_path):
    fl.report(told(30), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "new is right more often than old" in page
    assert "new − old" in page
    assert "accuracy of new against old" in page
    assert "Prior" not in page
