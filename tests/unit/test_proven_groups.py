"""fl.Identify(…, proven=True): what is drawn, what is proven of it, and how that is said."""

import json
import math

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.answers.as_data import answer_data
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


def test_a_service_takes_it_too():
    pytest.importorskip("fastapi", reason="the extra 'service' is not installed")
    from fewlabels.service.bodies import Asking
    from fewlabels.service.questions import question_of

    assert question_of(Asking(kind="identify", metric="accuracy", by=[BY], proven=True)) == WORST


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


class Slowly:
    """The formulas of core/proven, loop by loop: one group is named, of three."""

    gaps, values = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32), [i / 1000 for i in range(1001)]

    def __init__(self, study: fl.Study, named: int) -> None:
        known = study._known()
        made, self.evidence, self.named = known.terms.assessment, known.evidence, named
        self.group = made.view.groups.index.tolist()
        self.stratum, self.size = made.certifying.layout.stratum.tolist(), made.cells.size.tolist()
        self.cells = range(len(self.size))
        self.items = [sum(self.size[c] for c in self.of(g)) for g in range(3)]
        self.ups, self.downs = [self.ones() for _ in range(3)], [[(0.25 / 3, self.ones())] for _ in range(3)]
        self.kept, self.chosen = 0.75, set()
        self.labels, self.hits = [0] * len(self.size), [0] * len(self.size)
        self.best = [-math.inf] * 3

    def ones(self) -> list[list[float]]:
        return [[1.0] * len(self.values) for _ in self.gaps]

    def of(self, g: int) -> list[int]:
        return [c for c in self.cells if self.group[c] == g]

    def left(self, cell: int) -> int:
        return self.size[cell] - self.labels[cell]

    def rate(self, cell: int) -> float:
        of = [c for c in self.cells if self.stratum[c] == self.stratum[cell]]
        level = (sum(self.hits[c] for c in of) + 1.6) / (sum(self.labels[c] for c in of) + 2)
        return min(max((self.hits[cell] + 4 * level) / (self.labels[cell] + 4), 0.002), 0.998)

    def stake_on_the_first(self) -> None:
        mean = [sum(self.hits[c] + self.left(c) * self.rate(c) for c in self.of(g)) / self.items[g] for g in range(3)]
        first = mean.index(min(mean))
        if first not in self.chosen:
            self.chosen.add(first)
            self.downs[first].append((self.kept / 2, self.ones()))
            self.kept /= 2

    def draw(self, cell: int, hit: int, odds: Odds) -> None:
        g, there = self.group[cell], [c for c in self.of(self.group[cell]) if self.left(c) > 0]
        total = sum(odds.worth[c] * self.left(c) for c in there)
        step = {c: total / (odds.worth[c] * self.items[g]) for c in there}  # 1 / (q N)
        middle = (sum(self.hits[c] + self.left(c) * self.rate(c) for c in self.of(g))) / self.items[g]
        ends = [middle + (v - self.rate(c)) * step[c] for c in there for v in (0, 1)]
        variance = sum(self.left(c) * self.rate(c) * (1 - self.rate(c)) * step[c] for c in there) / self.items[g]
        x = middle + (hit - self.rate(cell)) * step[cell]
        self.hits[cell] += hit
        self.labels[cell] += 1
        least = sum(self.hits[c] for c in self.of(g)) / self.items[g]
        most = least + sum(self.left(c) for c in self.of(g)) / self.items[g]
        self.bet(self.ups[g], 1, x, middle, variance, (min(ends), max(min(ends), least)))
        for _, capital in self.downs[g]:
            self.bet(capital, -1, x, middle, variance, (max(ends), min(max(ends), most)))
        self.compare(g)

    def bet(self, capital, way, x, middle, variance, bounds) -> None:
        for k, gap in enumerate(self.gaps):
            stake = gap / (variance + gap * 0.5 * max(way * (middle - bounds[0]), 0) + 1e-12)
            for i, u in enumerate(self.values):
                v = u if way > 0 else u + 0.01
                room = way * (v - bounds[0])
                capital[k][i] *= 1 + (min(stake, 0.9 / room) if room > 0 else 0) * way * (x - v)
                if way * (v - bounds[1]) < -1e-12:
                    capital[k][i] = 1e120

    def compare(self, g: int) -> None:
        for other in {0, 1, 2} - {self.named}:
            won = math.inf
            for i in range(len(self.values) - 1):
                down = self.kept + sum(w * sum(c[i] for c in each) / 6 for w, each in self.downs[self.named])
                won = min(won, down * (0.1 + 0.9 * sum(c[i + 1] for c in self.ups[other]) / 6))
            if g in (self.named, other):
                self.best[other] = max(self.best[other], math.log(won))

    def proof(self) -> list[float]:
        drawn, right = self.evidence.in_order, self.evidence.label == self.evidence.predicted
        for t, (cell, row, number) in enumerate(zip(drawn.cell, drawn.row, drawn.round, strict=True)):
            if t in (12, 24, 48, 96):
                self.stake_on_the_first()
            self.draw(int(cell), int(right[row]), self.evidence.order.odds[int(number)])
        return [value for g, value in enumerate(self.best) if g != self.named]


def test_what_is_proven_is_what_the_formulas_say():
    study, truth = study_of()
    labelled(study, truth, 30, batch=1)
    found = study.answer().proof
    assert found.named == ("c",)
    np.testing.assert_allclose(found.log_won[0], Slowly(study, 2).proof(), rtol=1e-6)


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
    assert answer_data(answer)["proved"] is True
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
    assert "these labels were not drawn for a proof" in answer.sentence


def test_a_study_with_a_proof_is_not_extended():
    study, _ = study_of()
    pool = fl.Pool.from_arrays(ids=[1000, 1001], predicted=["a", "b"], score=[0.9, 0.8], other_labels=["other", "c"])
    with pytest.raises(fl.QuestionError, match="proven=True cannot be extended"):
        study.extend(pool)


def test_a_simulation_measures_it_by_the_draws_of_a_live_study():
    pool, truth = pool_and_truth()
    found = fl.simulate(pool, [truth[i] for i in range(190)], WORST, budgets=[30, 60], runs=2, workers=1)
    assert np.isfinite(found.values).all()


def test_its_report_verifies(tmp_path):
    study, truth = study_of(until=fl.Probability(0.9))
    labelled(study, truth, 40)
    page = fl.report(study, tmp_path / "report.html")
    assert "nothing differs" in str(fl.verify(page, study.pool))


def test_a_uniform_sample_proves_as_well():
    study, truth = study_of(strategy="uniform", until=fl.Probability(0.5))
    while not study.done:
        labelled(study, truth, 10)
    assert study.answer().groups == ("c",)
