"""Every algorithm of Ji et al. 2021 against a slow transcription, step by step, driven by the same keyed uniforms.

Main paper, Algorithm 1 and Table 1; supplement, Algorithms 1 (TS), 2 (TTTS), 3 (MP-TS), and its epsilon-greedy and
Bayesian upper bound. Letters are the papers': k, g groups, theta~ a draw, p_g the share of a group, m arms a round.
"""

import numpy as np
import pytest
from scipy import integrate
from scipy.special import betainc, betaincinv

import fewlabels as fl
from fewlabels.assessment import Assessment, assess
from fewlabels.core.events import Planned, Query
from fewlabels.core.evidence import Evidence
from fewlabels.core.keyed import Keyed, Use, item_hashes, item_order
from strategies_of_the_paper import (
    ALGORITHMS,
    CLASSES,
    LEGAL,
    TASKS,
    Data,
    K,
    Rates,
    groupwise_accuracy,
    least_accurate,
    thompson,
)

# -- through a whole study, until nothing is left ------------------------------------------------------------------


@pytest.mark.parametrize("case", [0, 1])
@pytest.mark.parametrize(("strategy", "task"), LEGAL)
def test_a_study_chooses_the_groups_of_the_paper_until_every_item_is_labelled(strategy, task, case):
    question, make, reward = TASKS[task]
    data = Data(case)
    study = fl.create_study(data.pool(), question, strategy=strategy, seed=10 + case)
    belief = make(data)
    left = [int((data.predicted == g).sum()) for g in range(K)]
    for step in range(1, data.n + 1):
        expected = ALGORITHMS[strategy](belief, reward, left, Keyed(10 + case, step))[0]
        (query,) = study.ask(1)
        assert query.predicted == CLASSES[expected], f"step {step}"
        assert query.round == query.number == step
        study.tell(query, CLASSES[data.true[query.item]])
        belief.update(query.item)
        left[expected] -= 1
    assert study.ask(1) == []


@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize("strategy", ["thompson", "epsilon_greedy", "upper_bound"])
def test_with_several_plays_one_draw_fills_a_round_while_posteriors_are_updated(strategy, m):
    """Supplement, Algorithm 3: the m best arms of one draw are each queried once; arms that ran out are passed over."""
    data, seed = Data(2), 4
    question = fl.Identify("accuracy", by="predicted_class", top=m)
    study = fl.create_study(data.pool(), question, strategy=strategy, seed=seed)
    belief = Rates(data)
    left = list(belief.size)
    asked, round_ = 0, 0
    while asked < data.n:
        round_ += 1
        for expected in ALGORITHMS[strategy](belief, least_accurate, left, Keyed(seed, round_), m):
            (query,) = study.ask(1)
            asked += 1
            assert (query.round, query.group) == (round_, CLASSES[expected])
            study.tell(query, CLASSES[data.true[query.item]])
            belief.update(query.item)
            left[expected] -= 1
    assert study.ask(1) == []


def test_a_round_of_several_plays_is_recorded_before_its_queries():
    data = Data(3)
    question = fl.Identify("accuracy", by="predicted_class", top=3)
    study = fl.create_study(data.pool(), question, strategy="thompson", seed=1)
    study.ask(4)
    events = study.events
    assert [type(e) for e in events] == [Planned, Query, Query, Query, Planned, Query]
    belief = Rates(data)
    assert list(events[0].arms) == thompson(belief, least_accurate, belief.size, Keyed(1, 1), 3)
    assert [e.arm for e in events[1:4]] == list(events[0].arms)
    assert [e.round for e in events] == [1, 1, 1, 1, 2, 2]


@pytest.mark.parametrize("top", [1, 3])
def test_asking_one_by_one_is_asking_for_all_at_once(top):
    question = fl.Identify("accuracy", by="predicted_class", top=top)
    at_once = fl.create_study(Data(3).pool(), question, strategy="thompson", seed=5)
    singly = fl.create_study(Data(3).pool(), question, strategy="thompson", seed=5)
    together = [q.item for q in at_once.ask(10)]
    assert [singly.ask(1)[0].item for _ in range(10)] == together
    assert len(set(together)) == 10


def test_telling_within_a_round_does_not_change_the_rest_of_it():
    data = Data(4)
    question = fl.Identify("accuracy", by="predicted_class", top=3)
    untold = fl.create_study(data.pool(), question, strategy="thompson", seed=6)
    told = fl.create_study(data.pool(), question, strategy="thompson", seed=6)
    expected = [q.item for q in untold.ask(3)]
    found = []
    for _ in range(3):
        (query,) = told.ask(1)
        told.tell(query, CLASSES[data.true[query.item]])
        found.append(query.item)
    assert found == expected


def test_open_queries_count_as_labels_come_out_at_the_mean():
    """A departure for batches: while a query is open, its group's posterior has one more label at its mean."""
    data = Data(5)
    study = fl.create_study(data.pool(), TASKS["groupwise accuracy"][0], strategy="thompson", seed=2)
    belief = Rates(data)
    left = list(belief.size)
    for step, query in enumerate(study.ask(20), start=1):
        expected = thompson(belief, groupwise_accuracy, left, Keyed(2, step))[0]
        assert query.group == CLASSES[expected]
        mean = belief.mean()[expected]
        belief.alpha[expected] += mean
        belief.beta[expected] += 1 - mean
        left[expected] -= 1


# -- uniform choice, and what happens inside an arm ----------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["uniform", "uniform_groups"])
def test_uniform_choice_is_proportional_to_items_left_or_equal_over_groups(strategy):
    data, seed = Data(6), 3
    study = fl.create_study(data.pool(), TASKS["groupwise accuracy"][0], strategy=strategy, seed=seed)
    left = [int((data.predicted == g).sum()) for g in range(K)]
    for step in range(1, data.n + 1):
        u = Keyed(seed, step).uniform(Use.ARM_PICK)
        weights = left if strategy == "uniform" else [int(n > 0) for n in left]
        expected, upto = 0, 0.0
        for g in range(K):
            upto += weights[g]
            if u * sum(weights) < upto:
                expected = g
                break
        (query,) = study.ask(1)
        assert query.group == CLASSES[expected]
        share = left[expected] / sum(left) if strategy == "uniform" else 1 / sum(weights)
        assert query.probability == pytest.approx(share / left[expected])
        left[expected] -= 1


@pytest.mark.parametrize("task", ["least accurate", "least calibrated"])
def test_inside_an_arm_cells_come_in_proportion_and_items_in_keyed_order(task):
    question, make, _ = TASKS[task]
    data, seed = Data(7), 8
    study = fl.create_study(data.pool(), question, strategy="thompson", seed=seed)
    cells = make(data)
    keys = item_order(seed, item_hashes(str(i) for i in range(data.n)))
    waiting = {
        c: sorted((i for i in range(data.n) if cells.cell_of_item[i] == c), key=lambda i: keys[i])
        for c in range(len(cells.size))
    }
    for query in study.ask(data.n):
        mine = [c for c in waiting if cells.group[c] == CLASSES.index(query.group) and waiting[c]]
        u = Keyed(seed, query.number).uniform(Use.CELL) * sum(len(waiting[c]) for c in mine)
        for c in mine:
            u -= len(waiting[c])
            if u < 0:
                break
        assert query.cell == c
        assert query.item == waiting[c].pop(0)


# -- one choice at a time, from any state of knowledge -------------------------------------------------------------


def assessed(question, data: Data, strategy: str) -> Assessment:
    return assess(fl.StudySettings(question, strategy=strategy), question, data.pool(), "model")


@pytest.mark.parametrize(("strategy", "task"), LEGAL)
def test_from_any_evidence_the_assessment_chooses_the_arm_of_the_paper(strategy, task):
    """Random labels in random groups, some groups used up, 25 states."""
    question, make, reward = TASKS[task]
    for state in range(25):
        rng = np.random.default_rng(1000 + state)
        data = Data(100 + state % 5, n=60)
        assessment, belief = assessed(question, data, strategy), make(data)
        labelled = rng.permutation(data.n)[: rng.integers(0, 40)].tolist()
        used_up = rng.permutation(K)[: rng.integers(0, K)].tolist()
        labelled += [i for i in range(data.n) if data.predicted[i] in used_up and i not in labelled]
        for item in labelled:
            belief.update(item)
        cell = np.array([belief.cell_of_item[i] for i in labelled], dtype=np.int64)
        evidence = Evidence(labelled, cell, data.predicted[labelled], data.true[labelled], data.score[labelled])
        taken = np.bincount(cell, minlength=len(belief.size))
        left = [int((data.predicted == g).sum()) for g in range(K)]
        for item in labelled:
            left[data.predicted[item]] -= 1
        keyed = Keyed(state, 77)
        found = assessment.choose(evidence, np.zeros(len(taken)), taken, keyed)
        expected = ALGORITHMS[strategy](belief, reward, left, keyed) if any(left) else []
        assert list(found.arms) == expected


# -- comparison ----------------------------------------------------------------------------------------------------


def confidence(alpha, beta, epsilon: float) -> float:
    """lambda = max(mu) for Delta = theta_1 - theta_2, by quadrature over the quantiles of theta_2."""

    def below(t: float) -> float:
        def integrand(u: float) -> float:
            return betainc(alpha[0], beta[0], min(max(betaincinv(alpha[1], beta[1], u) + t, 0.0), 1.0))

        kinks = [u for u in betainc(alpha[1], beta[1], np.clip([-t, 1 - t], 0, 1)) if 0 < u < 1]
        return integrate.quad(integrand, 0, 1, points=kinks, epsabs=1e-9, limit=200)[0]

    less, not_more = below(-epsilon), below(epsilon)
    return max(less, not_more - less, 1 - not_more)


def expected_confidence(alpha, beta, theta, epsilon: float) -> list[float]:
    """E[lambda | L, (g, z)], z ~ Bern(theta~_g), for either group."""
    out = []
    for g in (0, 1):
        gain = 0.0
        for z, q in ((1, theta[g]), (0, 1 - theta[g])):
            a, b = list(alpha), list(beta)
            a[g] += z
            b[g] += 1 - z
            gain += q * confidence(a, b, epsilon)
        out.append(gain)
    return out


@pytest.mark.parametrize(("a", "b"), [("ant", "cat"), ("cat", "bee")])
def test_a_comparison_asks_the_group_whose_label_raises_confidence_most(a, b):
    """Only the two groups compared are asked; once one is used up, the other; then nothing."""
    data, seed, epsilon = Data(9), 5, 0.05
    question = fl.Compare("accuracy", by="predicted_class", a=a, b=b, rope=epsilon)
    study = fl.create_study(data.pool(), question, strategy="thompson", seed=seed)
    belief = Rates(data)
    pair = sorted((CLASSES.index(a), CLASSES.index(b)))
    left = {g: belief.size[g] for g in pair}
    step = 0
    while any(left.values()):
        step += 1
        (query,) = study.ask(1)
        g = CLASSES.index(query.group)
        assert left[g] > 0
        if all(left.values()) and step <= 5:
            theta = belief.draw(Keyed(seed, step), 0)
            alpha, beta = [belief.alpha[i] for i in pair], [belief.beta[i] for i in pair]
            gains = expected_confidence(alpha, beta, [theta[i] for i in pair], epsilon)
            assert gains[pair.index(g)] >= max(gains) - 1e-7
        study.tell(query, CLASSES[data.true[query.item]])
        belief.update(query.item)
        left[g] -= 1
    assert study.ask(1) == []


def test_top_two_resamples_half_the_time():
    """Over 400 rounds of one belief; the share of rounds whose arm is not the first draw's winner, 4.5 se."""
    data = Data(11)
    question, make, reward = TASKS["least accurate"]
    assessment, belief = assessed(question, data, "top_two"), make(data)
    nothing = np.zeros(0, dtype=np.int64)
    evidence = Evidence([], nothing, nothing, nothing, np.zeros(0))
    other = 0
    for step in range(400):
        keyed = Keyed(0, step)
        found = assessment.choose(evidence, np.zeros(K), np.zeros(K, dtype=np.int64), keyed).arms[0]
        other += found != thompson(belief, reward, belief.size, keyed)[0]
    assert abs(other / 400 - 0.5) < 4.5 * 0.5 / np.sqrt(400)


def test_top_two_takes_the_runner_up_when_no_other_arm_ever_wins():
    """A leader that wins every draw: half the rounds go to the runner-up, none hangs."""
    predicted = ["bad"] * 300 + ["good"] * 300 + ["better"] * 300
    pool = fl.Pool.from_arrays(predicted=predicted, score=[0.5] * 900, classes=["bad", "good", "better"])
    question = fl.Identify("accuracy", by="predicted_class")
    study = fl.create_study(pool, question, strategy="top_two", prior="flat", seed=0)
    study.tell(dict.fromkeys(range(250), "good"), drawn="uniform")
    study.tell({i: predicted[i] for i in [*range(300, 550), *range(600, 850)]}, drawn="uniform")
    groups = [study.ask(1)[0].group for _ in range(30)]
    assert 5 <= groups.count("bad") <= 25
    assert len(set(groups)) == 3
