"""fl.Identify(…, proven=True): what is drawn, what is proven of it, and how that is said."""

import json
import math

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.odds import Odds
from fewlabels.questions_kept import question_from_json
from fewlabels.reading.proven_groups import proof_of
from fewlabels.settings import StudySettings

BY = "predicted_class"
WORST = fl.Identify("accuracy", by=BY, proven=True)
SIZES, ERRORS = {"a": 60, "b": 70, "c": 60}, {"a": 0.05, "b": 0.1, "c": 0.55}
WORDS = "proven at 95%, however often you check"


def pool_and_truth() -> tuple[fl.Pool, dict[int, str]]:
    rng = np.random.default_rng(4)
    predicted = np.repeat(list(SIZES), list(SIZES.values()))
    wrong = rng.random(len(predicted)) < np.array([ERRORS[p] for p in predicted])
    pool = fl.Pool.from_arrays(predicted=predicted, score=rng.uniform(0.5, 1, len(predicted)), other_labels=["other"])
    return pool, {i: "other" if w else str(p) for i, (p, w) in enumerate(zip(predicted, wrong, strict=True))}


def study_of(question: fl.Identify = WORST, **more) -> tuple[fl.Study, dict[int, str]]:
    pool, truth = pool_and_truth()
    return fl.create_study(pool, question, seed=3, **more), truth


def labelled(study: fl.Study, truth: dict[int, str], labels: int, batch: int = 10) -> None:
    for _ in range(labels // batch):
        study.tell({query.item: truth[query.item] for query in study.ask(batch)})


# -- settings ----------------------------------------------------------------------------------------------------------


def test_it_is_kept_where_it_is_asked_for_and_questions_of_before_have_none():
    kept = json.loads(json.dumps(WORST.to_json()))
    assert kept["proven"] is True
    assert question_from_json(kept) == WORST
    usual = fl.Identify("accuracy", by=BY).to_json()
    assert "proven" not in usual
    assert question_from_json(usual).proven is False
    assert StudySettings.from_json(StudySettings(WORST).resolved().to_json()).question == WORST


def test_it_has_draws_of_its_own():
    settings = StudySettings(WORST)
    assert (settings.strategy_used.name, settings.estimator_used.name) == ("prove", "stratified")
    assert StudySettings(WORST, strategy="uniform").estimator_used.name == "stratified"


@pytest.mark.parametrize("more", [{"strategy": "settle"}, {"target": "population"}, {"estimator": "beta"}])
def test_what_nothing_can_be_proven_with_is_refused(more):
    with pytest.raises(fl.QuestionError, match="proven=True"):
        StudySettings(WORST, **more)


@pytest.mark.parametrize("asked", [{"metric": "accuracy", "by": "true_class"}, {"metric": fl.Cost(), "by": BY}])
def test_figures_of_which_nothing_is_proven_are_refused(asked):
    with pytest.raises(fl.QuestionError, match="proven=True is for accuracy"):
        fl.Identify(proven=True, **asked)


def test_whether_it_is_to_be_proven_is_true_or_false():
    with pytest.raises(fl.QuestionError, match="True or False"):
        fl.Identify("accuracy", by=BY, proven="yes")


# -- what is drawn, and what that proves -------------------------------------------------------------------------------


def slow_proof(study: fl.Study, named: int) -> list[float]:
    """The formulas of core/proven and of the decision, loop by loop, on one named group and two others."""
    gaps, u_s = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32], [i / 1000 for i in range(1001)]
    known = study._known()
    made, evidence = known.terms.assessment, known.evidence
    path_order, group = evidence.in_order, made.view.groups.index.tolist()
    stratum, size = made.certifying.layout.stratum.tolist(), made.cells.size.tolist()
    cells, hit = path_order.cell.tolist(), (evidence.label == evidence.predicted)[path_order.row].astype(int).tolist()
    items = [sum(n for n, g in zip(size, group, strict=True) if g == k) for k in range(3)]
    ups = [[[1.0] * len(u_s) for _ in gaps] for _ in range(3)]
    downs = [[(0.25 / 3, [[1.0] * len(u_s) for _ in gaps])] for _ in range(3)]
    kept, chosen, best = 0.75, set(), [-math.inf] * 3
    labels, hits = [0] * len(size), [0] * len(size)

    def rate(cell: int) -> float:
        of = [c for c in range(len(size)) if stratum[c] == stratum[cell]]
        level = (sum(hits[c] for c in of) + 1.6) / (sum(labels[c] for c in of) + 2)
        return min(max((hits[cell] + 4 * level) / (labels[cell] + 4), 0.002), 0.998)

    for t, (cell, y) in enumerate(zip(cells, hit, strict=True)):
        g = group[cell]
        mine = [c for c in range(len(size)) if group[c] == g]
        if t in [3 * k for k in (4, 8, 16, 32)]:
            mean = []
            for k in range(3):
                of = [c for c in range(len(size)) if group[c] == k]
                mean.append(sum(hits[c] + (size[c] - labels[c]) * rate(c) for c in of) / items[k])
            first = mean.index(min(mean))
            if first not in chosen:
                chosen.add(first)
                downs[first].append((kept / 2, [[1.0] * len(u_s) for _ in gaps]))
                kept /= 2
        odds: Odds = evidence.order.odds[int(path_order.round[t])]
        mass = {c: odds.worth[c] if size[c] > labels[c] else 0.0 for c in mine}
        total = sum(mass[c] * (size[c] - labels[c]) for c in mine)
        there, sure = [c for c in mine if size[c] > labels[c]], sum(hits[c] for c in mine)
        middle = (sure + sum((size[c] - labels[c]) * rate(c) for c in there)) / items[g]
        step = {c: total / (mass[c] * items[g]) for c in there}
        ends = [middle + (v - rate(c)) * step[c] for c in there for v in (0, 1)]
        variance = sum((size[c] - labels[c]) * rate(c) * (1 - rate(c)) * step[c] for c in there) / items[g]
        x, low, high = middle + (y - rate(cell)) * step[cell], min(ends), max(ends)
        hits[cell] += y
        labels[cell] += 1
        least = sum(hits[c] for c in mine) / items[g]
        most = least + sum(size[c] - labels[c] for c in mine) / items[g]
        for capital, way in [(ups[g], 1), *((down, -1) for _, down in downs[g])]:
            bound = low if way > 0 else high
            for k, gap in enumerate(gaps):
                stake = gap / (variance + gap * 0.5 * max(way * (middle - bound), 0) + 1e-12)
                for i, u in enumerate(u_s):
                    v = u if way > 0 else u + 0.01
                    room = way * (v - bound)
                    capital[k][i] *= 1 + (min(stake, 0.9 / room) if room > 0 else 0) * way * (x - v)
                    if way * (v - (max(low, least) if way > 0 else min(high, most))) < -1e-12:
                        capital[k][i] = 1e120
        for other in {0, 1, 2} - {named}:
            if g in (named, other):
                won = math.inf
                for i in range(len(u_s) - 1):
                    down = kept + sum(w * sum(c[i] for c in each) / 6 for w, each in downs[named])
                    won = min(won, down * (0.1 + 0.9 * sum(c[i + 1] for c in ups[other]) / 6))
                best[other] = max(best[other], math.log(won))
    return [value for k, value in enumerate(best) if k != named]


def test_what_is_proven_is_what_the_formulas_say():
    study, truth = study_of()
    labelled(study, truth, 30, batch=5)
    found = study.answer().proof
    assert found.named == ("c",)
    np.testing.assert_allclose(found.log_won[0], slow_proof(study, 2), rtol=1e-6)


def test_every_draw_has_a_known_chance_and_every_item_may_come():
    study, truth = study_of()
    labelled(study, truth, 40)
    known = study._known()
    assert all(0 < query.probability <= 1 for query in study.ask(5))
    worth = [odds.worth for odds in known.evidence.order.odds.values()]
    group = known.terms.assessment.view.groups.index
    for each in worth:  # a group that is drawn from is drawn from in all its cells
        assert all((each[group == g] > 0).all() or not (each[group == g] > 0).any() for g in range(3))


def test_a_proof_is_the_same_whoever_looked_and_in_whichever_order_labels_came():
    study, truth = study_of()
    other, _ = study_of()
    for _ in range(6):
        queries = study.ask(10)
        study.tell({query.item: truth[query.item] for query in queries})
        study.answer()
        for query in reversed(other.ask(10)):
            other.tell(query, truth[query.item])
    np.testing.assert_array_equal(study.answer().proof.log_won, other.answer().proof.log_won)


def test_it_stops_when_it_is_proven_and_says_so():
    study, truth = study_of(until=fl.Probability(0.95))
    assert not study.done
    while not study.done:
        labelled(study, truth, 10)
    answer = study.answer()
    assert answer.groups == answer.proof.named == ("c",)
    assert answer.proved
    assert f"It is {WORDS}." in answer.sentence
    assert WORDS in study.progress.reason
    assert f"This is {WORDS}: at most 5 in 100 studies that stop like this are wrong." in answer.stop
    assert answer.proof.open(0.95) == ()
    assert len(study.labels) < 190


def test_before_that_it_says_what_is_not_ruled_out_and_how_many_labels_it_may_take():
    study, truth = study_of(until=fl.Probability(0.95))
    labelled(study, truth, 20)
    answer = study.answer()
    assert not answer.proved
    assert f"It is not yet {WORDS}. Not ruled out: " in answer.sentence
    assert "Not ruled out: " in study.progress.reason
    assert study.progress.labels_left.likely > 0


def test_it_is_said_before_the_first_label_what_a_proof_costs():
    pool, _ = pool_and_truth()
    usual, proven = (
        fl.plan(pool, question, until=fl.Probability(0.95)) for question in (fl.Identify("accuracy", by=BY), WORST)
    )
    assert proven.labels.likely > usual.labels.likely


@pytest.mark.parametrize(
    "question",
    [
        fl.Identify("accuracy", by=BY, top=2, proven=True),
        fl.Identify("accuracy", by=BY, which="best", within=0.2, proven=True),
        fl.Identify("calibration_bias", by=BY, within=0.05, proven=True),
    ],
    ids=str,
)
def test_several_groups_the_best_and_the_most_biased_are_proven_too(question):
    study, truth = study_of(question, until=fl.Probability(0.9))
    while not study.done:
        labelled(study, truth, 10)
    value = {finding.group: finding.value for finding in study.answer(fl.Identify(question.metric, by=BY)).findings}
    named = study.answer().proof.named
    assert len(named) == question.top
    assert set(named) <= set(value)
    if question.top == 2:
        assert "c" in named


def test_all_labelled_is_proven_even_where_groups_tie():
    pool = fl.Pool.from_arrays(predicted=["a", "b", "c"] * 10, score=[0.9] * 30, other_labels=["other"])
    question = fl.Identify("accuracy", by=BY, within=0, proven=True)
    study = fl.create_study(pool, question, until=fl.Probability(0.99))
    study.tell({i: "other" if i < 6 else "abc"[i % 3] for i in range(30)}, drawn="uniform")
    assert study.done


def test_items_that_nobody_could_label_count_as_whatever_speaks_against_it():
    """A miss of the group that is named, or a hit of another, is worth less for having been skipped."""
    won = []
    for skips in (False, True):
        study, truth = study_of(strategy="uniform")
        queries = study.ask(60)
        speaks_for = [q for q in queries if (truth[q.item] == q.predicted) == (q.predicted != "c")][:8]
        for query in queries:
            if skips and query in speaks_for:
                study.skip(query)
            else:
                study.tell(query, truth[query.item])
        known = study._known()
        won.append(proof_of(known.terms.assessment, known.evidence, np.array([2, 0, 1]), 1).log_won)
    assert np.isfinite(won[1]).all()
    assert (won[1] < won[0]).all()


def test_nothing_is_proven_by_draws_whose_chances_nobody_knows():
    study, truth = study_of(fl.Identify("accuracy", by=BY))
    labelled(study, truth, 60)
    answer = study.answer(WORST)
    assert answer.proof is None
    assert not answer.proved
    assert "drawn with chances that are not known" in answer.sentence


def test_a_uniform_sample_proves_as_well():
    study, truth = study_of(strategy="uniform", until=fl.Probability(0.5))
    while not study.done:
        labelled(study, truth, 10)
    assert study.answer().groups == ("c",)
