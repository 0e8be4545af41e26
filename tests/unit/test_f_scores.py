"""F-scores of one class through the public names: edge cases in words, consistency, restarts, other models, goals."""

import json
import math
import sys
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from scipy import stats

import fewlabels as fl
from fewlabels.core.events import Planned, Query
from fewlabels.core.keyed import Keyed, item_order
from fewlabels.reporting.data import report_data
from fewlabels.simulation import run_seed
from fewlabels.simulation.methods import presets
from fewlabels.simulation.run import run_draws
from fewlabels.strategies import State

prepare = sys.modules["fewlabels.simulation.simulate"].prepare  # the package has a function of the module's name

F1 = fl.Estimate("f1", positive="fraud")
PRECISION = fl.Estimate("precision", positive="fraud")
RECALL = fl.Estimate("recall", positive="fraud")
N = 400


@cache
def outputs(n: int = N, case: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores and truth: one item in ten is positive, and scores tell so, if badly calibrated."""
    rng = np.random.default_rng(case)
    y = rng.uniform(size=n) < 0.1
    return 1 / (1 + np.exp(-(3.2 * y - 2.2 + rng.normal(size=n)))), y


@cache
def pool(n: int = N, case: int = 0) -> fl.Pool:
    s, y = outputs(n, case)
    labels = np.where(y, "fraud", "not fraud")
    return fl.Pool.from_arrays(positive_score=s, positive="fraud", labels=labels)


def exact(alpha: float, s: np.ndarray, y: np.ndarray, threshold: float = 0.5) -> float:
    hit = s >= threshold
    return float((hit & y).sum() / (alpha * hit.sum() + (1 - alpha) * y.sum()))


def study_of(question=F1, some_pool: fl.Pool | None = None, **more) -> fl.Study:
    return fl.create_study(some_pool or pool(), question, **more)


def tell(study: fl.Study, queries: list[fl.Query], y=None) -> None:
    y = outputs()[1] if y is None else y
    study.tell({query.item: bool(y[query.item]) for query in queries})


def label(study: fl.Study, labels: int, y=None, step: int = 1) -> fl.Study:
    """So many labels more, asked for in steps."""
    goal = len(study.labels) + labels
    while len(study.labels) < goal and (queries := study.ask(min(step, goal - len(study.labels)))):
        tell(study, queries, y)
    return study


def timeless(events: list) -> list:
    return [replace(event, at="") for event in events]


def sound(answer: fl.Answer, *, exact_allowed: bool = False) -> None:
    """What every answer promises: no NaN in words, ends in order, a width."""
    text = str(answer)
    assert "nan" not in text.lower().replace("finance", ""), text
    assert "inf " not in text, text
    for finding in answer.findings:
        assert 0 <= finding.low <= finding.high <= 1, text
        assert math.isnan(finding.value) or finding.low <= finding.value <= finding.high
        if not exact_allowed:
            assert finding.high - finding.low > 1e-4, text


# -- edge cases ----------------------------------------------------------------------------------------------------


def scored(scores, y) -> tuple[fl.Pool, np.ndarray]:
    return fl.Pool.from_arrays(positive_score=scores, positive="fraud"), np.array(y, dtype=bool)


def top_class(rng: np.random.Generator, s: np.ndarray, y: np.ndarray) -> tuple[fl.Pool, np.ndarray]:
    """Two classes, one column of scores: that of the class predicted."""
    predicted = np.where(rng.uniform(size=len(s)) < 0.3, "fraud", "fine")
    return fl.Pool.from_arrays(predicted=predicted, score=0.5 + s, classes=["fine", "fraud"]), y


@cache
def edges() -> dict[str, tuple[fl.Pool, np.ndarray]]:
    """Pools out of the ordinary, and which of their items are positive."""
    rng = np.random.default_rng(5)
    s = rng.uniform(0.05, 0.45, size=60)
    y = rng.uniform(size=60) < 0.2
    y[:2] = True, False
    many = np.arange(60) < 54
    return {
        "no predicted positives": scored(s, y),
        "no predicted and no true positives": scored(s, np.zeros(60)),
        "no true positives": scored(2 * s, np.zeros(60)),
        "all predicted positive": scored(0.5 + s, y),
        "all positive": scored(0.5 + s, np.ones(60)),
        "constant scores": scored([0.7] * 60, y),
        "one score, predicted negative": scored([0.0] * 60, y),
        "one column of two classes": top_class(rng, s, y),
        "ties": scored(np.where(many, 0.2, 0.3 + np.arange(60) / 100), y),
        "ties of predicted positives": scored(np.where(many, 1.0, np.arange(60) / 100), y),
        "smaller than the first batch": scored(2 * s[:4], y[:4]),
        "one item": scored([0.9], y[:1]),
        "scores of 0 and 1": scored(np.arange(60) % 2, y),
    }


def predicted_positive(some_pool: fl.Pool) -> set[int]:
    index = some_pool.engine.models["model"].predicted
    return set(np.flatnonzero(index == some_pool.classes.index("fraud")).tolist())


METHODS = {
    "auto": {},
    "once": {"strategy": fl.Acis(replacement=False)},
    "whole": {"strategy": fl.Acis(reuse=False)},
    "platt": {"strategy": fl.Acis(calibration="platt")},
    "sawade": {"strategy": "sawade"},
    "top_k": {"strategy": "top_k"},
    "gmm": {"strategy": "top_k", "estimator": "gmm"},
    "herding": {"strategy": "herding"},
    "rand": {"strategy": "uniform", "estimator": "weighted"},
    "iso": {"strategy": "uniform", "estimator": "iso"},
    "platt alone": {"strategy": "uniform", "estimator": "platt"},
    "beliefs": {"strategy": "thompson"},
}


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", edges())
@pytest.mark.parametrize("target", ["pool", "population"])
def test_pools_out_of_the_ordinary_are_answered_in_words(name, method, target):
    """From the first label to the last: no NaN shown, no crash, no width of zero before all is labelled."""
    some_pool, y = edges()[name]
    most = 30 if method in ("whole", "sawade") else len(some_pool)  # the last ones take draws without end
    curve = fl.Estimate(fl.FCurve("fraud", (0.1, 0.4, 0.8)))
    for question in (F1, PRECISION, RECALL, curve):
        study = study_of(question, some_pool, target=target, seed=3, **METHODS[method])
        sound(study.answer())
        while len(study.labels) < most and (queries := study.ask(1 if len(study.labels) < 3 else 9)):
            for query in queries:
                study.tell(query, "fraud" if y[query.item] else study.classes[1 - study.classes.index("fraud")])
            asked_about = set(range(len(some_pool))) if question is not PRECISION else predicted_positive(some_pool)
            sound(study.answer(), exact_allowed=target == "pool" and asked_about <= set(study.labels))
            assert study.progress.reason
        assert "nan" not in str(study.answer()).lower()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no predicted positives", "predicts 'fraud' for no item"),
        ("all predicted positive", "predicts 'fraud' for every item"),
        ("constant scores", "same score"),
        ("ties", "90% of the items share one score"),
    ],
)
def test_what_is_odd_about_a_pool_is_said(name, words):
    some_pool, y = edges()[name]
    study = label(study_of(F1, some_pool), 5, y)
    assert words in str(study.answer())


def test_no_positive_found_yet_is_said_and_leaves_the_score_open():
    some_pool, y = edges()["no true positives"]
    study = label(study_of(RECALL, some_pool), 12, y)
    answer = study.answer()
    assert "No item labelled so far is 'fraud'" in str(answer)
    assert (answer.overall.low, answer.overall.high) == (0, 1)
    assert math.isnan(answer.overall.value)


def test_before_the_first_label_nothing_is_claimed():
    answer = study_of().answer()
    assert "no labels yet" in answer.sentence
    assert (answer.overall.low, answer.overall.high) == (0, 1)


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_without_predicted_positives_the_score_is_zero_once_a_positive_is_found(alpha):
    some_pool, y = edges()["no predicted positives"]
    study = label(study_of(fl.Estimate(fl.FScore(alpha, "fraud")), some_pool), 60, y)
    assert (study.answer().overall.value, study.answer().overall.high) == (0, 0)


def test_precision_without_predicted_positives_is_not_said_to_be_reached():
    """Nothing can be labelled and nothing is known: no goal is reached by that, whichever it is."""
    some_pool, _ = edges()["no predicted positives"]
    for until in (fl.Variance(0.005), fl.HalfWidth(0.05)):
        study = study_of(PRECISION, some_pool, until=until)
        assert study.ask(5) == []
        assert "Goal reached" not in study.progress.reason
        sound(study.answer())


def test_a_fully_labelled_pool_without_any_positive_is_not_called_unknown_yet():
    some_pool, y = edges()["no predicted and no true positives"]
    study = label(study_of(F1, some_pool), 60, y, step=20)
    assert len(study.labels) == 60
    assert "not known yet" not in study.answer().sentence
    assert "not defined" in study.answer().sentence


@pytest.mark.parametrize("question", [F1, PRECISION, RECALL, fl.Estimate(fl.FCurve("fraud", (0.5,)))])
@pytest.mark.parametrize("strategy", ["auto", "thompson"])
def test_one_against_the_rest_is_refused_where_only_the_top_score_is_known(question, strategy):
    predicted = ["fraud", "fine", "odd"] * 10
    some_pool = fl.Pool.from_arrays(predicted=predicted, score=np.linspace(0.4, 0.9, 30))
    with pytest.raises(fl.QuestionError, match="score of 'fraud' for every item") as caught:
        study_of(question, some_pool, strategy=strategy)
    assert "one column a class" in str(caught.value)


def test_one_against_the_rest_is_that_of_the_argmax_on_full_probabilities():
    rng = np.random.default_rng(2)
    p = rng.dirichlet([0.5, 0.5, 0.5], size=80)
    y = np.where(rng.uniform(size=80) < 0.7, p.argmax(axis=1), rng.integers(0, 3, 80))
    names = ["fine", "fraud", "odd"]
    study = study_of(F1, fl.Pool.from_arrays(probabilities=p, classes=names))
    while queries := study.ask(20):
        study.tell({q.item: names[y[q.item]] for q in queries})
    hit, true = p.argmax(axis=1) == 1, y == 1
    assert study.answer().overall.value == pytest.approx(2 * (hit & true).sum() / (hit.sum() + true.sum()), abs=1e-14)


# -- consistency ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
def test_the_error_shrinks_with_the_labels_and_ends_at_nothing(alpha):
    """Over 30 seeds, the domain not restricted: the root mean square error at 30, 100 and 250 labels falls, and all
    labels give the score to the last digit. (Precision is about fewer items.)"""
    question = fl.Estimate(fl.FScore(alpha, "fraud"))
    s, y = outputs()
    places = [8, 20, int((s >= 0.5).sum()) - 1] if alpha == 1 else [30, 100, 250]
    found = fl.simulate(
        pool(), None, question, [fl.Method(fl.Acis(top_k=None), name="m")], [*places], runs=30, workers=1,
        measures=["mse", "estimate"],
    )  # fmt: skip
    first, second, third = found.of("m", "mse").mean(axis=0)
    assert first > second > third
    assert third < 0.15 * first
    study = study_of(question, strategy=fl.Acis(top_k=None))
    label(study, N, step=50)
    overall = study.answer().overall
    assert (overall.value, overall.low, overall.high) == pytest.approx((exact(alpha, s, y),) * 3, abs=1e-14)
    assert study.done


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
def test_the_population_stays_uncertain_by_equation_6_over_all_items(alpha):
    """Finite-data variance, Sec. 4.3.2: Eq. 6 with w = v, or Kish's effective sample size, whichever is larger; the
    interval is Wilson's for it. With all labels agreeing it is not of zero width."""
    question = fl.Estimate(fl.FScore(alpha, "fraud"))
    s, y = outputs()
    overall = label(study_of(question, target="population"), N, step=50).answer().overall
    hit = s >= 0.5
    v = [alpha * h + (1 - alpha) * t for h, t in zip(hit, y, strict=True)]
    G = exact(alpha, s, y)
    top = sum(a**2 * ((h == t) - G) ** 2 for a, h, t in zip(v, hit, y, strict=True)) / sum(v) ** 2
    crowd = sum(a**2 for a in v) / sum(v) ** 2
    variance = max(top / (1 - crowd), G * (1 - G) * crowd)
    n, z = G * (1 - G) / variance, stats.norm.ppf(0.975)
    middle = (G + z**2 / 2 / n) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(G * (1 - G) / n + z**2 / 4 / n**2)
    assert overall.value == pytest.approx(G, abs=1e-14)
    assert (overall.low, overall.high) == pytest.approx((middle - half, middle + half), abs=1e-9)


def test_a_perfect_classifier_is_not_certain_for_the_population():
    s = np.where(outputs()[1], 0.9, 0.1) + np.linspace(0, 0.05, N)
    study = study_of(F1, fl.Pool.from_arrays(positive_score=s, positive="fraud"), target="population")
    overall = label(study, N, step=100).answer().overall
    assert overall.value == 1
    assert overall.low < 1 - 0.5 / N


def test_precision_asks_for_predicted_positives_only_and_is_done_with_them():
    s, y = outputs()
    hits = set(np.flatnonzero(s >= 0.5).tolist())
    study = study_of(PRECISION)
    label(study, N, step=7)
    assert set(study.labels) == hits
    assert study.ask(3) == []
    assert study.done
    assert "asks about is labelled" in study.progress.reason
    assert study.answer().overall.value == pytest.approx(exact(1.0, s, y), abs=1e-14)


# -- asking, skipping, correcting, restarting ----------------------------------------------------------------------


@pytest.mark.parametrize("acis", [fl.Acis(), fl.Acis(replacement=False), fl.Acis(reuse=False)])
@pytest.mark.parametrize("question", [F1, PRECISION, fl.Estimate(fl.FCurve("fraud", (0.2, 0.5, 0.7)))])
def test_a_study_taken_up_again_in_the_middle_of_a_round_asks_the_same(acis, question, tmp_path):
    """Told, skipped and corrected on the way; loaded anew before every step."""
    place = f"sqlite:///{tmp_path}/s.db"
    y = outputs()[1]
    whole, broken = study_of(question, strategy=acis), study_of(question, strategy=acis, storage=place, name="s")
    for step in range(16):
        broken = fl.load_study("s", storage=place, pool=pool())
        for study in (whole, broken):
            one, two = study.ask(2)
            study.tell(one, bool(y[one.item]))
            if step % 5 == 4:
                study.skip(two)
            else:
                study.tell(two, bool(y[two.item]))
            if step == 7:
                study.correct(one, not y[one.item])
    assert timeless(broken.events) == timeless(whole.events)
    assert broken.answer() == whole.answer()


def test_one_at_a_time_asks_for_the_same_first_round_as_all_at_once():
    """Labels do not matter inside a round: ten draws are planned at once."""
    together, apart, told = study_of(), study_of(), study_of()
    one = together.ask(9)
    two = [query for _ in range(9) for query in apart.ask(1)]
    three = []
    for _ in range(9):
        three += (queries := told.ask(1))
        tell(told, queries)
    assert timeless(one) == timeless(two) == timeless(three)


@pytest.mark.parametrize("strategy", ["sawade", "top_k", "herding"])
def test_where_labels_do_not_matter_fifty_at_once_are_one_fifty_times(strategy):
    together, apart = study_of(strategy=strategy), study_of(strategy=strategy)
    one = together.ask(50)
    two = []
    for _ in range(50):
        two += (queries := apart.ask(1))
        tell(apart, queries)
    assert [query.item for query in one] == [query.item for query in two]
    assert len({query.item for query in one}) == 50


def test_drawing_an_item_again_costs_no_label_and_counts_as_a_draw():
    study = study_of(strategy="sawade", budget=60)
    while queries := study.ask(10):
        tell(study, queries)
    drawn = [event.item for event in study.events if isinstance(event, Query)]
    assert len(study.labels) == study.spent == 60 < len(drawn)
    answer = study.answer()
    assert answer.extra[0]["draws"] == len(drawn)
    assert answer.overall.labels == 60
    s, y = outputs()
    q = {event.item: event.probability for event in study.events if isinstance(event, Query)}
    v = {j: 0.5 * (s[j] >= 0.5) + 0.5 * y[j] for j in drawn}
    top = sum(v[j] / q[j] for j in drawn if (s[j] >= 0.5) == y[j])
    assert answer.overall.value == pytest.approx(top / sum(v[j] / q[j] for j in drawn), abs=1e-12)


def test_the_rounds_double_and_the_last_is_cut_to_the_budget():
    study = study_of(budget=50, strategy=fl.Acis(replacement=False))
    while queries := study.ask(10):
        tell(study, queries)
    assert [len(e.arms) for e in study.events if isinstance(e, Planned)] == [10, 20, 20]
    assert len(study.labels) == study.spent == 50


@pytest.mark.parametrize("batch", [25, 50, 120])
def test_a_batch_larger_than_the_schedule_is_one_round(batch):
    """Otherwise the rounds after the first would be planned before it has a label."""
    study = study_of()
    assert len(study.ask(batch)) == batch
    (planned,) = [e for e in study.events if isinstance(e, Planned)]
    assert len(planned.arms) >= batch
    tell(study, study.open_queries)
    study.ask(batch)
    assert len([e for e in study.events if isinstance(e, Planned)]) == 2


def test_small_batches_ask_for_the_same_items_as_single_labels_do():
    one, ten = study_of(), study_of()
    first = [query for _ in range(10) for query in one.ask(1)]
    assert [q.item for q in ten.ask(10)] == [q.item for q in first]


def test_recall_read_off_labels_drawn_for_f1_is_wider_than_its_own_and_says_so():
    study = study_of(budget=60)
    while queries := study.ask(10):
        tell(study, queries)
    f1, recall = study.answer(), study.answer(fl.Estimate("recall", positive="fraud"))
    assert any("drawn for the F1" in note and "widened" in note for note in recall.notes)
    assert not any("widened" in note for note in f1.notes)
    assert not any("widened" in note for note in study.answer(fl.Estimate("precision", positive="fraud")).notes)
    own = study_of(budget=60, question=fl.Estimate("recall", positive="fraud"))
    while queries := own.ask(10):
        tell(own, queries)
    assert not any("widened" in note for note in own.answer().notes)


def test_precision_counts_the_labels_of_what_is_predicted_positive():
    study = study_of(question=fl.Estimate("precision", positive="fraud"))
    while queries := study.ask(50):
        tell(study, queries)
    overall = study.answer().overall
    predicted = len({e.item for e in study.events if isinstance(e, fl.Query) and e.predicted == "fraud"})
    assert overall.labels == predicted
    assert overall.left == 0
    assert f"all {predicted:,} labelled" in str(overall)


def test_with_replacement_a_budget_is_spent_to_the_last_label():
    study = study_of(budget=70)
    while queries := study.ask(3):
        tell(study, queries)
    assert len(study.labels) == study.spent == 70
    assert "budget" in study.progress.reason


def test_skipped_items_are_neither_evidence_nor_asked_again():
    study = study_of()
    queries = study.ask(9)
    for query in queries[:3]:
        study.skip(query)
    tell(study, queries[3:])
    later = study.ask(30)
    assert not {q.item for q in queries} & {q.item for q in later}
    answer = study.answer()
    assert answer.overall.labels == 6
    assert "3 items skipped" in str(answer)
    assert study.spent == 6 + 30


def test_a_correction_changes_the_answer_to_what_it_would_have_been():
    right, wrong = study_of(), study_of()
    y = outputs()[1]
    queries = right.ask(8)
    tell(right, queries)
    wrong.ask(8)
    wrong.tell({query.item: bool(y[query.item]) for query in queries[1:]})
    wrong.tell(queries[0], not y[queries[0].item])
    assert wrong.answer().overall != right.answer().overall
    wrong.correct(queries[0], bool(y[queries[0].item]))
    assert wrong.answer().overall == right.answer().overall


def test_labels_from_outside_in_the_middle_of_a_round_leave_the_round_askable():
    """The rest of the plan is drawn among what is left; where nothing is left, nothing is asked."""
    study = study_of()
    y = outputs()[1]
    (query,) = study.ask(1)
    study.tell(query, bool(y[query.item]))
    study.tell({i: bool(y[i]) for i in range(N) if i % 2 and i not in study.labels}, drawn="uniform")
    asked = study.ask(15)
    assert not {q.item for q in asked} & {i for i in range(N) if i % 2}
    tell(study, asked)
    sound(study.answer())
    study.tell({i: bool(y[i]) for i in range(N) if i not in study.labels}, drawn="uniform")
    assert study.ask(1) == []
    assert study.answer().overall.value == pytest.approx(exact(0.5, *outputs()), abs=1e-14)


def test_a_study_may_have_thousands_of_rounds():
    """reuse=False draws known items again, at no cost: with one label left of the budget each round is of one draw, and
    where one draw in a thousand is new there are a thousand rounds before it is spent."""
    study = study_of()
    (sample,) = study._assessment.f_samples(study._history.evidence())
    for number in (60, 1100, 5000):
        unseen = partial(pytest.fail, "no rewards are looked at")
        state = State(sample.size, 1, 1, 1, unseen, lambda: sample, unseen)
        assert len(fl.Acis().choose(state, Keyed(0, number)).arms) == 1


# -- other models, other thresholds ---------------------------------------------------------------------------------


def two_models() -> tuple[fl.Pool, np.ndarray, np.ndarray, np.ndarray]:
    s, y = outputs()
    rng = np.random.default_rng(9)
    other = 1 / (1 + np.exp(-(np.log(s / (1 - s)) + rng.normal(size=N))))
    made = {m: fl.Pool.from_arrays(positive_score=p, positive="fraud") for m, p in (("a", s), ("b", other))}
    return fl.Pool.join(made), s, other, y


def weighted_f(study: fl.Study, score: np.ndarray, y: np.ndarray, alpha: float, threshold: float) -> float:
    """The average of the rounds, by their draws, each from its stored probabilities and what was labelled before."""
    queries = [event for event in study.events if isinstance(event, Query)]
    hit = score >= threshold
    v = alpha * hit + (1 - alpha) * y
    known: set[int] = set()
    values, draws = [], []
    for number in sorted({query.round for query in queries}):
        mine = [query for query in queries if query.round == number]
        weight = [(query.item, 1 / (len(mine) * query.probability)) for query in mine] + [(j, 1.0) for j in known]
        total = sum(w * v[j] for j, w in weight)
        if total > 0:
            values.append(sum(w * v[j] for j, w in weight if hit[j] == y[j]) / total)
            draws.append(len(mine))
        known |= {query.item for query in mine}
    return float(np.average(values, weights=draws))


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("threshold", [0.15, 0.5, 0.7])
def test_labels_for_one_model_and_threshold_answer_for_another_by_their_weights(alpha, threshold):
    both, s, other, y = two_models()
    study = label(study_of(F1, both, model="a", strategy=fl.Acis(top_k=None)), 70, y)
    question = fl.Estimate(fl.FScore(alpha, "fraud", threshold=threshold))
    for model, score in (("a", s), ("b", other)):
        found = study.answer(question, model=model)
        assert found.overall.value == pytest.approx(weighted_f(study, score, y, alpha, threshold), abs=1e-12)
        sound(found)
    assert study.answer(F1, model="b").overall.value == pytest.approx(weighted_f(study, other, y, 0.5, 0.5), abs=1e-12)
    assert study.answer().overall.value == pytest.approx(weighted_f(study, s, y, 0.5, 0.5), abs=1e-12)


def test_a_curve_is_the_f_score_at_each_threshold_from_one_set_of_labels():
    s, y = outputs()
    study = label(study_of(strategy=fl.Acis(top_k=None)), 80)
    thresholds = (0.1, 0.3, 0.5, 0.8)
    answer = study.answer(fl.Estimate(fl.FCurve("fraud", thresholds)))
    for t, finding in zip(thresholds, answer.findings, strict=True):
        assert finding.group == f"threshold {t:g}"
        assert finding.value == pytest.approx(weighted_f(study, s, y, 0.5, t), abs=1e-12)
        alone = study.answer(fl.Estimate(fl.FScore(0.5, "fraud", threshold=t))).overall
        assert (finding.value, finding.low, finding.high) == pytest.approx((alone.value, alone.low, alone.high))
    best = max(answer.findings, key=lambda f: f.value)
    assert best.group in answer.sentence
    assert "each threshold by itself" in answer.sentence


def test_labels_of_the_whole_pool_answer_exactly_for_another_model_and_threshold():
    both, s, other, y = two_models()
    study = label(study_of(F1, both, model="a"), N, y, step=100)
    for model, score in (("a", s), ("b", other)):
        curve = study.answer(fl.Estimate(fl.FCurve("fraud", (0.2, 0.6))), model=model)
        assert [f.value for f in curve.findings] == pytest.approx([exact(0.5, score, y, t) for t in (0.2, 0.6)])


def test_labels_drawn_for_an_f_score_answer_other_questions_too():
    """Accuracy from 150 of 400 labels chosen for F1: within a tenth, and its interval holds the truth."""
    study = label(study_of(), 150, step=25)
    s, y = outputs()
    overall = study.answer(fl.Estimate("accuracy")).overall
    truth = float(((s >= 0.5) == y).mean())
    assert abs(overall.value - truth) < 0.1
    assert overall.low <= truth <= overall.high


# -- stopping ------------------------------------------------------------------------------------------------------


def test_a_study_stops_at_a_half_width_and_says_why():
    study = study_of(until=fl.HalfWidth(0.15))
    assert not study.done
    while not study.done:
        label(study, 5)
    assert "Goal reached" in study.progress.reason
    assert "0.15" in study.progress.reason
    assert study.answer().overall.half_width <= 0.15
    assert len(study.labels) < N


def test_before_a_half_width_is_reached_the_labels_still_needed_are_told():
    study = label(study_of(until=fl.HalfWidth(0.02)), 40)
    progress = study.progress
    assert not progress.done
    assert "Not yet" in progress.reason
    assert f"{progress.labels_left.likely:,} more labels" in progress.reason
    assert 0 < progress.labels_left.likely <= N - 40


def test_a_study_stops_at_a_variance_and_says_why():
    study = study_of(until=fl.Variance(0.003))
    assert "Not yet" in study.progress.reason
    while not study.done:
        label(study, 5)
    assert "variance is" in study.progress.reason
    assert "0.003" in study.progress.reason
    assert study.answer().extra[0]["variance"] <= 0.003
    assert len(study.labels) < N


def test_a_variance_of_zero_because_ten_labels_agree_does_not_stop_a_study():
    """Every prediction is right: Eq. 6 is zero from the first labels on, and knows nothing."""
    s = np.where(outputs()[1], 0.9, 0.1) + np.linspace(0, 0.05, N)
    some_pool = fl.Pool.from_arrays(positive_score=s, positive="fraud")
    study = label(study_of(F1, some_pool, until=fl.Variance(1e-4)), 10)
    assert not study.done, study.progress.reason


# -- settings and arguments ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        fl.StudySettings(F1),
        fl.StudySettings(F1, strategy=fl.Acis(), estimator=fl.Averaged()),
        fl.StudySettings(
            fl.Estimate(fl.FScore(0.3, "fraud", threshold=0.2)),
            strategy=fl.Acis(
                "platt", 0.01, mixing=(0.5,), top_k=None, reuse=True, replacement=False, first=7, growth=1.5
            ),
            estimator=fl.Averaged(2, "weights", "eq6", "printed"),
            until=fl.Variance(0.005),
        ),
        fl.StudySettings(fl.Estimate(fl.FCurve("fraud", (0.1, 0.2), alpha=0.0)), strategy="sawade"),
        fl.StudySettings(PRECISION, strategy="uniform", estimator="iso", until=fl.HalfWidth(0.05)),
        fl.StudySettings(RECALL, strategy="top_k", estimator="gmm"),
        fl.StudySettings(fl.Estimate("f1", by="region", positive="fraud"), strategy="thompson"),
    ],
    ids=lambda s: s.question.describe(),
)
def test_settings_of_f_scores_survive_json_exactly(settings):
    text = json.dumps(settings.to_json())
    again = fl.StudySettings.from_json(json.loads(text))
    assert again == settings
    assert json.dumps(again.to_json()) == text


WRONG = {
    "alpha": (lambda: fl.FScore(1.5, "fraud"), "1.5"),
    "alpha as text": (lambda: fl.FScore("half", "fraud"), "'half'"),
    "alpha nan": (lambda: fl.FScore(float("nan"), "fraud"), "nan"),
    "threshold": (lambda: fl.FScore(0.5, "fraud", threshold=1.2), "1.2"),
    "thresholds falling": (lambda: fl.FCurve("fraud", (0.5, 0.2)), "(0.5, 0.2)"),
    "no thresholds": (lambda: fl.FCurve("fraud", ()), "()"),
    "threshold nan": (lambda: fl.FCurve("fraud", (float("nan"),)), "nan"),
    "no positive class": (lambda: fl.Estimate("f1"), "positive="),
    "curve by group": (lambda: fl.Estimate(fl.FCurve("fraud"), by="region"), "whole pool"),
    "curve to identify": (lambda: fl.Identify(fl.FCurve("fraud"), by="region"), "threshold"),
    "epsilon": (lambda: fl.Acis(epsilon=0.0), "0.0"),
    "epsilon too large": (lambda: fl.Acis(epsilon=0.5), "0.5"),
    "calibration": (lambda: fl.Acis(calibration="beta"), "'beta'"),
    "first": (lambda: fl.Acis(first=0), "first=0"),
    "growth": (lambda: fl.Acis(growth=0.5), "growth=0.5"),
    "mixing": (lambda: fl.Acis(mixing=(1.2,)), "1.2"),
    "top_k": (lambda: fl.Acis(top_k=-3), "-3"),
    "caution": (lambda: fl.Acis(caution=-1), "-1"),
    "neither reuse nor replacement": (lambda: fl.Acis(reuse=False, replacement=False), "replacement=True"),
    "window": (lambda: fl.Averaged(window=0), "0"),
    "average_by": (lambda: fl.Averaged(average_by="labels"), "'labels'"),
    "interval": (lambda: fl.Averaged(interval="wide"), "'wide'"),
    "reuse": (lambda: fl.Averaged(reuse="never"), "'never'"),
    "variance": (lambda: fl.Variance(0), "0"),
    "variance nan": (lambda: fl.Variance(float("nan")), "nan"),
    "positive not a class": (lambda: study_of(fl.Estimate("f1", positive="frod")), "'frod'"),
    "a strategy of F-scores for accuracy": (lambda: study_of(fl.Estimate("accuracy"), strategy="acis"), "'acis'"),
    "an object of F-scores for accuracy": (lambda: study_of(fl.Estimate("accuracy"), strategy=fl.Acis()), "'acis'"),
    "an estimator of F-scores for accuracy": (lambda: study_of(fl.Estimate("accuracy"), estimator="iso"), "'iso'"),
    "acis with beliefs": (lambda: study_of(strategy="acis", estimator="beta"), "'beta'"),
    "thompson with draws": (lambda: study_of(strategy="thompson", estimator="iso"), "'thompson'"),
    "a strategy of another kind": (lambda: study_of(strategy=3), "3"),
    "an estimator of another kind": (lambda: study_of(estimator=3), "3"),
    "a variance for accuracy": (lambda: study_of(fl.Estimate("accuracy"), until=fl.Variance(0.01)), "Variance"),
}


@pytest.mark.parametrize(("make", "word"), WRONG.values(), ids=WRONG.keys())
def test_wrong_arguments_are_refused_with_the_value(make, word):
    with pytest.raises(fl.QuestionError) as caught:
        make()
    assert word in str(caught.value), str(caught.value)
    assert str(caught.value).endswith(".")


# -- simulations ---------------------------------------------------------------------------------------------------

SIMULATED = [name for name, method in presets().items() if method.strategy != "top_two"]
BY_DRAWS = [
    name
    for name in SIMULATED
    if fl.StudySettings(
        F1, strategy=presets()[name].strategy, estimator=presets()[name].estimator
    ).estimator_used.reads_draws
]


@pytest.mark.parametrize("method", BY_DRAWS)
@pytest.mark.parametrize("question", [F1, PRECISION, fl.Estimate(fl.FCurve("fraud", (0.2, 0.5)))])
def test_a_simulated_run_is_a_live_study_of_its_seed(method, question):
    """Query by query where labels cost something, and in every estimate on the way."""
    named, labels = presets()[method], 26
    job = prepare(pool(), None, question, [named], np.arange(1, labels + 1), 5, None, ("pool", 0.95, None))
    seed, known, assessment = run_seed(5, 2), job.known[0], job.assessments[0]
    noted = run_draws(assessment, known.deal(seed), job.budgets, seed)
    order = np.lexsort((item_order(seed, known.hashes), known.cell))
    live = study_of(question, strategy=named.strategy, estimator=named.estimator, seed=seed, budget=labels)
    for upto, evidence in enumerate(noted, 1):
        tell(live, live.ask(1))
        mine = live._history.evidence()
        assert evidence.count == mine.count == upto
        assert [int(order[place]) for place in evidence.items[:upto]] == list(mine.items)
        assert (evidence.label == mine.label).all()
        np.testing.assert_array_equal(evidence.draws.row, mine.draws.row)
        np.testing.assert_array_equal(evidence.draws.round, mine.draws.round)
        np.testing.assert_allclose(evidence.draws.probability, mine.draws.probability, rtol=1e-14)


def test_the_measures_of_a_simulation_are_those_of_live_studies():
    measures = ["mse", "bias", "estimate", "coverage", "width", "variance"]
    found = fl.simulate(pool(), None, F1, ["acis"], [25, 60], runs=2, seed=5, measures=measures, workers=1)
    truth = exact(0.5, *outputs())
    for number in range(2):
        live = study_of(seed=run_seed(5, number), budget=60)
        for place, labels in enumerate((25, 60)):
            label(live, labels - len(live.labels))
            answer = live.answer()
            overall = answer.overall
            expected = {
                "mse": (overall.value - truth) ** 2,
                "bias": overall.value - truth,
                "estimate": overall.value,
                "coverage": float(overall.low <= truth <= overall.high),
                "width": overall.high - overall.low,
                "variance": answer.extra[0]["variance"],
            }
            for name, value in expected.items():
                assert found.of("acis", name)[number, place] == pytest.approx(value, abs=1e-12), name


def test_every_measure_for_estimates_works_for_f_scores():
    for measure in ("rmse", "mse", "bias", "variance", "estimate", "coverage", "width", "scaled_rmse"):
        found = fl.simulate(pool(), None, F1, ["acis", "rand"], [20], runs=2, measures=[measure], workers=1)
        assert np.isfinite(found.values).all(), measure


def test_an_item_drawn_again_is_not_said_to_be_asked_again():
    study = label(study_of(), 60)
    queries = [event for event in study.events if isinstance(event, Query)]
    assert len(queries) > len({query.item for query in queries})  # some were drawn again
    assert report_data(study).counts["asked"] == len({query.item for query in queries})
