"""Several labellers: leases, overlap, agreement, consensus, and items nobody can tell."""

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

import fewlabels as fl
from fewlabels.core.agreement import agreement
from fewlabels.core.consensus import dawid_skene, majority
from fewlabels.core.events import Leased
from fewlabels.storages import MemoryStorage
from fewlabels.study import clock

ITEMS = 60
POOL = fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1, 1], ITEMS))
ACCURACY = fl.Estimate("accuracy")


def make(**more: object) -> fl.Study:
    return fl.create_study(POOL, ACCURACY, **more)


def items(queries: list[fl.Query]) -> list:
    return [query.item for query in queries]


# -- leases ------------------------------------------------------------------------------------------------------------


def test_two_labellers_never_get_one_item():
    storage = MemoryStorage()
    ann, ben = make(storage=storage), make(storage=storage, load_if_exists=True)
    got = items(ann.ask(5, by="ann")) + items(ben.ask(5, by="ben")) + items(ann.ask(5, by="ann")) + items(ben.ask(5))
    assert len(set(got)) == 20
    assert items(ann.leased_to("ann")) == got[:5] + got[10:15]


def test_a_lease_that_ended_goes_to_the_next_who_asks_before_anything_new(monkeypatch):
    study = make()
    first = study.ask(3, by="ann", lease=10)
    study.tell(first[0], 0, by="ann")
    assert not set(items(study.ask(2, by="ben"))) & set(items(first))
    monkeypatch.setattr(clock, "now", lambda: clock.later(11))
    assert study.leased_to("ann") == []
    assert items(study.ask(3, by="cem"))[:2] == items(first)[1:]
    study.tell(first[1], 0, by="ann")  # late, but nobody told it yet
    assert study.labels[first[1].item] == "0"


def test_what_is_given_back_goes_to_another_at_once():
    study = make()
    (query,) = study.ask(1, by="ann")
    study.release(query, by="ann")
    assert items(study.ask(1, by="ben")) == [query.item]
    with pytest.raises(fl.LabelError, match="not leased to 'ann'"):
        study.release(query, by="ann")


def test_what_was_asked_in_nobodys_name_is_handed_to_nobody_else():
    study = make()
    asked = study.ask(2)
    assert not set(items(study.ask(5, by="ann"))) & set(items(asked))


def test_who_asks_changes_nothing_about_what_is_asked():
    one, other = make(seed=4), make(seed=4)
    for n in (3, 2, 4):
        named, nameless = one.ask(n, by="ann"), other.ask(n)
        assert items(named) == items(nameless)
        for study in (one, other):
            study.tell({query.item: 1 for query in named}, by="ann")
    assert one.answer() == other.answer()
    assert sum(isinstance(event, Leased) for event in one.events) == 9


def test_a_lease_of_no_time_is_refused():
    with pytest.raises(fl.QuestionError, match="lease is for how many seconds"):
        make().ask(1, by="ann", lease=0)


# -- overlap -----------------------------------------------------------------------------------------------------------


def test_an_item_that_wants_two_labels_stays_open_until_it_has_those_of_two():
    study = make(labels_per_item=2)
    (query,) = study.ask(1, by="ann")
    study.tell(query, 0, by="ann")
    study.tell(query, 0, by="ann")  # again: nothing new
    assert study.labels == {}
    assert items(study.ask(1, by="ann")) != [query.item]
    assert items(study.ask(1, by="ben")) == [query.item]
    assert items(study.ask(1, by="cem")) != [query.item]  # ann's label and ben's lease are two
    study.tell(query, 0, by="ben")
    assert study.labels == {query.item: "0"}
    assert study.spent == 4  # two labels each of two items


def test_who_says_so_has_to_be_said_where_several_are_asked():
    study = make(labels_per_item=2)
    with pytest.raises(fl.QuestionError, match="who asks"):
        study.ask(1)
    (query,) = study.ask(1, by="ann")
    with pytest.raises(fl.LabelError, match="say whose this is"):
        study.tell(query, 0)
    study.tell(query, 0, by="ann")
    with pytest.raises(fl.LabelError, match=r"was told '0' by 'ann' before and is now told '1'"):
        study.tell(query, 1, by="ann")
    study.withdraw(query, by="ann")
    study.tell(query, 1, by="ann")


def test_with_overlap_a_share_of_the_items_gets_several_labels_and_the_budget_counts_them():
    study = make(labels_per_item=2, overlap=0.3, budget=40)
    queries = study.ask(ITEMS, by="ann")
    twice = [query for query in queries if query.labels == 2]
    assert 4 <= len(twice) <= 20
    assert sum(query.labels for query in queries) == study.spent == 40
    assert {query.item for query in study.ask(ITEMS, by="ben")} == {query.item for query in twice}


def test_to_take_back_ones_own_label_leaves_that_of_the_other():
    study = make(labels_per_item=2)
    (query,) = study.ask(1, by="ann")
    for by in ("ann", "ben"):
        study.tell(query, 0, by=by)
    study.withdraw(query, by="ann")
    assert study.labels == {}
    study.tell(query, 1, by="ann")
    (one,) = study.disagreements
    assert dict(one.opinions) == {"ben": "0", "ann": "1"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"labels_per_item": 0}, "labels_per_item is a whole number"),
        ({"overlap": 0.1}, r"overlap=0.1 needs labels_per_item=2"),
        ({"labels_per_item": 2, "overlap": 0}, "overlap is the share"),
        ({"label_error": 0.7}, "label_error is the share of labels that are wrong"),
        ({"consensus": "loudest"}, "consensus is 'majority' or 'dawid_skene'"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, words):
    with pytest.raises(fl.QuestionError, match=words):
        make(**settings)


def test_disagreements_are_listed_until_somebody_decides():
    study = make(labels_per_item=2)
    queries = study.ask(4, by="ann")
    for number, query in enumerate(queries):
        study.tell(query, 0, by="ann")
        study.tell(query, int(number == 2), by="ben")
    (found,) = study.disagreements
    assert (found.item, found.label) == (queries[2].item, "0")
    assert study.agreement.raw == 0.75
    study.correct(queries[2], 1, by="chief")
    assert study.disagreements == []
    assert study.labels[queries[2].item] == "1"
    assert study.agreement.raw == 0.75


# -- agreement, against what is printed elsewhere and slow transcriptions ---------------------------------------------


def test_cohens_kappa_is_scikit_learns():
    rng = np.random.default_rng(0)
    given = [{"ann": str(a), "ben": str(a if rng.random() < 0.7 else rng.integers(3))} for a in rng.integers(0, 3, 80)]
    (found,) = agreement(given).cohen.values()
    assert found == pytest.approx(cohen_kappa_score([g["ann"] for g in given], [g["ben"] for g in given]))


def test_fleiss_kappa_is_that_of_the_textbook_table():
    """Ten subjects, fourteen raters, five classes; kappa 0.210."""
    table = [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
             [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]  # fmt: skip
    given = []
    for row in table:
        labels = [str(c) for c, count in enumerate(row) for _ in range(count)]
        given.append({f"r{k}": label for k, label in enumerate(labels)})
    assert agreement(given).fleiss == pytest.approx(0.210, abs=5e-4)


def slow_alpha(given: list[dict[str, str]]) -> float:
    """1 - D_o / D_e, pair by pair: inside items each pair weighs 1 / (m_u - 1); beyond, all pairs of labels alike."""
    inside = weight = 0.0
    for opinions in given:
        for one, other in permutations(opinions.values(), 2):
            inside += (one != other) / (len(opinions) - 1)
    labels = [label for opinions in given for label in opinions.values()]
    weight = len(labels)
    beyond = sum(a != b for a, b in combinations(labels, 2)) / (weight * (weight - 1) / 2)
    return 1 - inside / weight / beyond


def test_krippendorffs_alpha_is_that_of_pairs():
    rng = np.random.default_rng(1)
    given = [{f"r{k}": str(rng.integers(3)) for k in range(rng.integers(2, 5))} for _ in range(40)]
    assert agreement([*given, {"r0": "1"}]).krippendorff == pytest.approx(slow_alpha(given))


def test_without_overlap_nothing_is_known_of_agreement():
    found = agreement([{"ann": "a"}])
    assert found.items == 0
    assert all(math.isnan(value) for value in (found.raw, found.fleiss, found.krippendorff))
    assert math.isnan(agreement([{"ann": "a", "ben": "a"}]).fleiss)  # chance alone would agree always


# -- consensus ---------------------------------------------------------------------------------------------------------


def slow_dawid_skene(given, classes):
    """Equations 2.3 to 2.5, sum by sum."""
    raters = sorted({by for opinions in given for by in opinions})
    T = [[sum(la == j for la in o.values()) / len(o) for j in classes] for o in given]
    for _ in range(200):
        p = [sum(row[j] for row in T) / len(T) for j in range(len(classes))]
        pi = {}
        for k in raters:
            for j in range(len(classes)):
                counts = [sum(T[i][j] for i, o in enumerate(given) if o.get(k) == la) + 0.01 for la in classes]
                pi[k, j] = {la: c / sum(counts) for la, c in zip(classes, counts, strict=True)}
        T = []
        for opinions in given:
            row = [p[j] * math.prod(pi[k, j][la] for k, la in opinions.items()) for j in range(len(classes))]
            T.append([value / sum(row) for value in row])
    return T


def test_dawid_skene_is_its_equations_and_knows_who_is_reliable():
    rng, classes = np.random.default_rng(2), ("a", "b", "c")
    truth = rng.integers(0, 3, 60)
    rates = {"good": 0.95, "fair": 0.8, "bad": 0.4}
    given = [
        {who: classes[t if rng.random() < rate else rng.integers(3)] for who, rate in rates.items()} for t in truth
    ]
    found = dawid_skene(dict(enumerate(given)), classes)
    expected = slow_dawid_skene(given, classes)
    for row, shares in enumerate(expected):
        assert list(found[row].values()) == pytest.approx(shares, abs=1e-6)
    right = {
        "consensus": np.mean([max(found[i], key=found[i].get) == classes[t] for i, t in enumerate(truth)]),
        "majority": np.mean([majority(given[i]) == classes[t] for i, t in enumerate(truth)]),
    }
    assert right["consensus"] >= right["majority"]


def test_the_consensus_asked_for_is_what_counts():
    rng, opinions = np.random.default_rng(3), {}
    studies = [make(labels_per_item=3, consensus=consensus, strategy="uniform") for consensus in
               ("majority", "dawid_skene")]  # fmt: skip
    (queries, _) = (study.ask(40, by="one") for study in studies)
    for query in queries:
        given = {who: str(query.item % 3 if rng.random() < 0.5 else rng.integers(3)) for who in ("one", "two", "three")}
        opinions[query.item] = given
        for study in studies:
            for who, label in given.items():
                study.tell(query, label, by=who)
    likely = {item: max(shares, key=shares.get) for item, shares in dawid_skene(opinions, ("0", "1", "2")).items()}
    most = {item: majority(given) for item, given in opinions.items()}
    assert likely != most
    for study, expected in zip(studies, (most, likely), strict=True):
        evidence = study._known().evidence
        assert {i: str(la) for i, la in zip(evidence.items, evidence.label, strict=True)} == expected


# -- skipped items -----------------------------------------------------------------------------------------------------


def test_the_answer_says_between_what_it_lies_whatever_the_skipped_items_are():
    study = make(strategy="uniform", estimator="frequency")
    queries = study.ask(20)
    study.tell({query.item: query.predicted for query in queries[:12]})
    study.tell({query.item: str((int(query.predicted) + 1) % 3) for query in queries[12:16]})
    for query in queries[16:]:
        study.skip(query, "cannot tell")
    assert study.answer().overall.value == pytest.approx(12 / 16)
    answer = study.answer()
    assert answer.overall.low < 12 / 20, "all of them wrong"
    assert answer.overall.high > 16 / 20, "all of them right"
    (note,) = (note for note in answer.notes if "skipped" in note)
    assert note == (
        f"20% of items were skipped. If skipped items are harder, accuracy could be as low as {answer.overall.low:.1%}."
    )


def test_to_suppose_labels_leaves_the_history_as_it_was():
    study = make()
    queries = study.ask(6)
    study.tell({query.item: 0 for query in queries[:3]})
    study.skip(queries[3])
    before = study._history.evidence()
    supposed = study._history.supposing({queries[3].item: "1"})
    assert supposed.count == before.count + 1
    assert study._history.evidence() is before
    assert list(study._history.skipped) == [queries[3].item]
