"""F1 and recall of all items: what is drawn below those searched, what is answered, and what may be assumed."""

import json
import math

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.answers import answer_data
from fewlabels.core.searched import searched_of
from fewlabels.core.systematic import inclusion
from fewlabels.errors import QuestionError
from fewlabels.settings import StudySettings
from fewlabels.strategies.doubt import shared

F1 = fl.Estimate("f1", positive="rare")


def pool_of(items=3000, prevalence=0.02, hidden=0.3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(items) < prevalence
    shows = y & (rng.random(items) >= hidden)
    z = np.where(shows, rng.normal(1, 2, items), rng.normal(-6, 1.6, items))
    return fl.Pool.from_arrays(positive_score=1 / (1 + np.exp(-1.2 * z)), threshold=0.5, positive="rare"), y


def studied(labels=100, question=F1, batch=10, seed=1, pool=None, **more):
    pool, y = pool_of() if pool is None else pool
    study = fl.create_study(pool, question, seed=seed, **more)
    while len(study.labels) < labels and (queries := study.ask(min(batch, labels - len(study.labels)))):
        study.tell({query.item: "rare" if y[query.item] else study.classes[0] for query in queries})
    return study


def part_of(study):
    sample = study._assessment.f_samples(study._history.evidence())[0]
    return sample, searched_of(sample)


def events_below(study):
    """Queries that were drawn below the reach of their round."""
    rounds = {e.round: e.decided for e in study.events if type(e).__name__ == "Planned"}
    sample, _ = part_of(study)
    queries = [e for e in study.events if isinstance(e, fl.Query)]
    return [
        q for q in queries if sample.stratum[q.cell] < rounds[q.round].frame and not sample.said[:, q.cell].any()
    ], queries


# -- draws ------------------------------------------------------------------------------------------------------------


def test_about_a_tenth_of_the_draws_fall_below_the_reach():
    for seed in range(5):
        below, queries = events_below(studied(200, seed=seed))
        assert 14 <= len(below) <= 26
        assert len(queries) == 200


@pytest.mark.parametrize("question", [fl.Estimate("precision", positive="rare"), F1], ids=["precision", "none assumed"])
def test_a_precision_and_a_study_that_assumes_none_draw_nothing_there(question):
    more = {} if question is not F1 else {"hidden": 0}
    below, _ = events_below(studied(100, question, **more))
    assert not below


def test_each_item_below_is_as_likely_as_any_other():
    """In rounds of two reaches: the chance of an item below is the same whatever its score."""
    study = studied(120)
    sample, _ = part_of(study)
    for event in study.events:
        if type(event).__name__ == "Planned":
            out = (sample.stratum < event.decided.frame) & ~sample.said.any(axis=0)
            assert len(np.unique(event.decided.odds.worth[: len(out)][out])) == 1


def test_the_chance_of_each_labelled_item_is_how_often_it_is_labelled():
    """Over 400 studies of 30 labels each, in rounds whose reach grew: labels divided by their chances add up to the
    items of each third of the scores, within four standard errors."""
    pool = pool_of(items=120, prevalence=0.1)
    total, squares, runs = np.zeros(3), np.zeros(3), 400
    for seed in range(runs):
        sample, _ = part_of(studied(30, pool=pool, seed=seed))
        band = np.minimum(3 * sample.stratum[sample.cell] // (sample.stratum.max() + 1), 2)
        each = np.bincount(band, 1 / sample.by_now, 3)
        total, squares = total + each, squares + each**2
    size = np.bincount(np.minimum(3 * sample.stratum // (sample.stratum.max() + 1), 2), sample.size, 3)
    error = np.sqrt(squares / runs - (total / runs) ** 2) / math.sqrt(runs)
    assert (np.abs(total / runs - size) < 4 * error + 1e-9).all()


def test_once_the_items_searched_are_used_up_all_draws_fall_below():
    pool = pool_of(items=600, prevalence=0.01)
    study = studied(400, pool=pool)
    _, part = part_of(study)
    assert part.below.labelled > 100
    assert part.alone.complete
    found = study.answer().overall
    assert found.searched.low == found.searched.high
    assert found.low < found.high


def test_half_of_the_draws_fall_below_once_they_can_decide_a_goal():
    pool = pool_of(prevalence=0.08)
    without, _ = events_below(studied(200, pool=pool))
    towards, _ = events_below(studied(200, pool=pool, until=fl.HalfWidth(0.05)))
    assert len(towards) > 2 * len(without)


def test_draws_are_shared_out_as_is_asked():
    worth, urn = np.array([4.0, 2.0, 1.0, 0.0, 0.0]), np.array([5, 10, 20, 100, 300])
    out = np.array([False, False, False, True, True])
    for n, below in ((10, 1), (20, 10), (10, 9), (30, 3)):
        drawn = inclusion(shared(worth, urn, out, n, below) * urn, urn, n)  # some items above are certain
        assert drawn[out].sum() == pytest.approx(below)
        assert drawn[3] / urn[3] == pytest.approx(drawn[4] / urn[4])
    assert shared(worth, urn, out, 10, 0)[out].sum() == 0
    assert shared(worth, urn, out, 10, 10)[~out].sum() == 0  # all of them
    assert shared(0 * worth, urn, out, 10, 0)[out].tolist() == [1, 1]  # nothing else is left


# -- answers ----------------------------------------------------------------------------------------------------------


def test_the_figure_of_all_has_that_of_the_items_searched_and_of_labels_alone_beside_it():
    found = studied().answer().overall
    assert found.labels_alone.low < found.low < found.searched.low
    assert found.high <= found.searched.high <= found.labels_alone.high + 0.05
    assert found.hidden.assumed == 0.4
    assert found.hidden.searched + found.hidden.below == 3000


def test_several_figures_have_them_each_but_a_precision():
    answer = studied(question=fl.Estimate(["f1", "precision", "recall"], positive="rare")).answer()
    for finding in answer.findings:
        assert (finding.searched is None) == (finding.group == "precision")
    assert answer["recall"].low < answer["recall"].searched.low
    assert "recall likely" in answer.notes[0]


@pytest.mark.parametrize("name", ["average_precision", "precision_recall"])
def test_rankings_and_curves_allow_for_what_hides(name):
    answer = studied(question=fl.Estimate(name, positive="rare")).answer()
    rows = [f for f in answer.findings if f.searched is not None and not math.isnan(f.value)]
    assert rows
    assert all(f.low < f.searched.low or f.searched.low == 0 for f in rows)
    assert "Assumes that at most 40%" in answer.notes[0]


def test_the_keys_are_the_same_in_json_dictionaries_and_the_answer():
    answer = studied().answer()
    data = json.loads(json.dumps(answer_data(answer)))
    for row in (data["overall"], data["findings"][0], answer.to_dicts()[0]):
        assert set(row["searched"]) == set(row["labels_alone"]) == {"value", "low", "high"}
        assert row["searched"]["low"] == answer.overall.searched.low
        assert row["hidden"]["assumed"] == 0.4
    accuracy = studied(question=fl.Estimate("accuracy")).answer()
    assert "searched" not in answer_data(accuracy)["overall"]


def test_it_is_said_what_is_assumed_what_was_checked_and_what_holds_without():
    study = studied()
    note, about = study.answer().notes[0], study.answer().overall.hidden
    assert f"at most 40% of all rare items are among the {about.below:,} that the model scores lowest." in note
    assert f"{about.checked} of those were checked; none was one." in note or "some do hide." in note
    assert f"Among the {about.searched} items searched: likely " in note
    assert "By the labels alone: " in note


def test_another_assumption_is_answered_from_the_same_labels_and_changes_nothing_else():
    study = studied(until=fl.HalfWidth(0.02))
    usual, goal = study.answer().overall, str(study.progress)
    none, few, nothing = (study.answer(hidden=hidden).overall for hidden in (0, 0.1, 1))
    assert usual.low < few.low < none.low
    assert (nothing.low, nothing.high) == (usual.labels_alone.low, usual.labels_alone.high)
    assert none.searched == few.searched == usual.searched
    assert study.answer().overall == usual
    assert str(study.progress) == goal


def test_a_goal_rests_on_the_figure_of_all():
    study = studied(until=fl.HalfWidth(0.01))
    found = study.answer().overall
    between = ((found.searched.high - found.searched.low) / 2 + found.half_width) / 2
    study.change(until=fl.HalfWidth(between))  # short enough among the items searched, and not of all
    assert not study.done
    study.change(hidden=0)
    assert study.done


def test_a_positive_found_below_says_that_some_hide():
    pool, y = pool_of(hidden=0.8, prevalence=0.1)
    study = studied(300, pool=(pool, y))
    found, note = study.answer().overall, study.answer().notes[0]
    assert found.hidden.positive > 0
    assert found.value < found.searched.value
    assert "some do hide." in note


def test_all_items_labelled_leave_nothing_to_assume():
    pool, y = pool_of(items=200, prevalence=0.1)
    study = studied(60, pool=(pool, y))
    rest = {i: "rare" if y[i] else study.classes[0] for i in range(200) if i not in study.labels}
    study.tell(rest, drawn="uniform")
    answer = study.answer()
    assert answer.overall.low == answer.overall.high
    assert not any("Assumes" in note for note in answer.notes)


# -- the setting ------------------------------------------------------------------------------------------------------


def test_the_assumption_is_kept_and_older_settings_have_the_usual_one():
    study = studied(10, hidden=0.1)
    data = study.settings.to_json()
    assert data["hidden"] == 0.1
    del data["hidden"]
    assert StudySettings.from_json(data).hidden == 0.4


def test_it_may_be_changed_and_the_answer_says_so():
    study = studied()
    before = study.answer().overall
    study.change(hidden=0.1)
    assert study.settings.hidden == 0.1
    assert study.answer().overall.low > before.low
    assert any("before, it was 40%" in note for note in study.answer().notes)


@pytest.mark.parametrize("wrong", [-0.1, 1.5, "0.1", True, float("nan")])
def test_a_share_that_is_none_is_refused(wrong):
    with pytest.raises(QuestionError, match="hidden is a share from 0 to 1"):
        fl.create_study(pool_of()[0], F1, hidden=wrong)
    with pytest.raises(QuestionError, match="hidden is a share from 0 to 1"):
        studied(10).answer(hidden=wrong)


@pytest.mark.parametrize("question", [fl.Estimate("accuracy"), fl.Estimate("precision", positive="rare")])
def test_it_has_no_meaning_for_other_questions(question):
    with pytest.raises(QuestionError, match="has a meaning for F1 and recall"):
        fl.create_study(pool_of()[0], question, hidden=0.1)
    with pytest.raises(QuestionError, match="has a meaning for F1 and recall"):
        studied(10, question).answer(hidden=0.1)


def test_a_budget_that_is_too_small_is_said_to_be_before_label_100():
    pool = pool_of(items=20_000, prevalence=0.02, hidden=0)
    study = studied(60, fl.Estimate("recall", positive="rare"), pool=pool, until=fl.HalfWidth(0.05), budget=400)
    assert "400 labels will likely not reach this goal" in study.progress.reason
    assert study.progress.labels_left.likely > 340
