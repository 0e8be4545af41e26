"""Every algorithm of Ji et al. 2021 against a slow transcription, step by step, driven by the same keyed uniforms.

Main paper, Algorithm 1 and Table 1; supplement, Algorithms 1 (TS), 2 (TTTS), 3 (MP-TS), and its epsilon-greedy and
Bayesian upper bound. Letters are the papers': k, g groups, theta~ a draw, p_g the share of a group, m arms a round.
"""

from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy import integrate, stats

import fewlabels as fl
from fewlabels.assessment import Assessment, assess
from fewlabels.core.dirichlet import dirichlet_draws
from fewlabels.core.events import Planned, Query
from fewlabels.core.evidence import Evidence
from fewlabels.core.keyed import Keyed, Use, item_hashes, item_order

CLASSES = ("ant", "bee", "cat", "dog")
K = len(CLASSES)
B = 4  # score bins
COST = np.array([[0.0, 1, 10, 2], [2, 0, 3, 1], [5, 1, 0, 1], [1, 4, 1, 0]])  # c[true j, predicted k]


@dataclass
class Data:
    """A small random pool with its true classes."""

    case: int
    n: int = 36
    probabilities: np.ndarray = field(init=False)
    true: np.ndarray = field(init=False)

    def __post_init__(self):
        rng = np.random.default_rng(self.case)
        self.probabilities = rng.dirichlet([0.7, 0.5, 0.6, 0.25], size=self.n)
        self.probabilities[:K] = np.eye(K) * 0.6 + 0.1  # every class is predicted at least once
        right = rng.uniform(size=self.n) < np.array([0.9, 0.5, 0.7, 0.4])[self.predicted]
        self.true = np.where(right, self.predicted, rng.integers(0, K, size=self.n))

    @property
    def predicted(self):
        return self.probabilities.argmax(axis=1)

    @property
    def score(self):
        return self.probabilities.max(axis=1)

    @property
    def bin(self):
        return np.array([min(int(s * B), B - 1) for s in self.score])

    def pool(self) -> fl.Pool:
        return fl.Pool.from_arrays(probabilities=self.probabilities, classes=CLASSES)


# -- what is believed, and the rewards, one group at a time --------------------------------------------------------


class Rates:
    """Beta beliefs about the accuracy of each group (or of each group's bins), prior Beta(2 s_g, 2 (1 - s_g))."""

    def __init__(self, data: Data, *, binned: bool = False):
        self.data = data
        pairs = [(g, b) for g in range(K) for b in (range(B) if binned else (0,))]
        bins = data.bin if binned else np.zeros(data.n, dtype=int)
        members = {c: np.flatnonzero((data.predicted == c[0]) & (bins == c[1])) for c in pairs}
        self.cells = [c for c in pairs if len(members[c])]
        self.cell_of_item = {int(i): n for n, c in enumerate(self.cells) for i in members[c]}
        self.group = [g for g, _ in self.cells]
        self.size = [len(members[c]) for c in self.cells]
        self.s = [data.score[members[c]].mean() for c in self.cells]
        self.alpha = [2 * s for s in self.s]
        self.beta = [2 * (1 - s) for s in self.s]

    def update(self, item: int) -> None:
        c = self.cell_of_item[item]
        if self.data.predicted[item] == self.data.true[item]:
            self.alpha[c] += 1
        else:
            self.beta[c] += 1

    def draw(self, keyed: Keyed, attempt: int) -> list[float]:
        u = [keyed.uniform(Use.ARM_DRAW, c, attempt) for c in range(len(self.cells))]
        return stats.beta.ppf(u, self.alpha, self.beta).tolist()

    def mean(self) -> list[float]:
        return [a / (a + b) for a, b in zip(self.alpha, self.beta, strict=True)]

    def quantile(self, p: float) -> list[float]:
        return stats.beta.ppf(p, self.alpha, self.beta).tolist()


class Shares:
    """Dirichlet beliefs about the true class in each predicted class; alpha_jk as the sums of scores, N0 = 1."""

    def __init__(self, data: Data):
        self.data = data
        self.group = list(range(K))
        self.cell_of_item = {i: int(k) for i, k in enumerate(data.predicted)}
        self.size = [int((data.predicted == k).sum()) for k in range(K)]
        sums = [data.probabilities[data.predicted == k].sum(axis=0) for k in range(K)]
        self.alpha = [x / x.sum() for x in sums]

    def update(self, item: int) -> None:
        self.alpha[self.data.predicted[item]][self.data.true[item]] += 1

    def draw(self, keyed: Keyed, attempt: int) -> np.ndarray:
        return dirichlet_draws(np.array(self.alpha), 1, keyed.generator(Use.ARM_DRAW, attempt))[0]

    def mean(self) -> list[np.ndarray]:
        return [a / a.sum() for a in self.alpha]


def least_accurate(belief: Rates, theta) -> list[float]:
    return [-t for t in theta]


def most_biased(belief: Rates, theta) -> list[float]:
    return [s - t for s, t in zip(belief.s, theta, strict=True)]


def groupwise_accuracy(belief: Rates, theta) -> list[float]:
    """p_g (Var(theta_g | L) - E_z Var(theta_g | L, z)), z ~ Bern(theta~_g)."""
    out = []
    for size, a, b, t in zip(belief.size, belief.alpha, belief.beta, theta, strict=True):
        after = t * stats.beta.var(a + 1, b) + (1 - t) * stats.beta.var(a, b + 1)
        out.append(size / belief.data.n * (stats.beta.var(a, b) - after))
    return out


def least_calibrated(belief: Rates, theta) -> list[float]:
    """sum_b p_gb |theta~_gb - s_gb|."""
    out = []
    for g in range(K):
        mine = [c for c in range(len(belief.cells)) if belief.group[c] == g]
        total = sum(belief.size[c] for c in mine)
        out.append(sum(belief.size[c] / total * abs(theta[c] - belief.s[c]) for c in mine))
    return out


def most_costly(belief: Shares, theta) -> list[float]:
    return [sum(COST[j, k] * theta[k][j] for j in range(K)) for k in range(K)]


def confusion(belief: Shares, theta) -> list[float]:
    """p_k (Var(theta_k | L) - E_z Var(theta_k | L, z)), z ~ Multi(theta~_k), the outcome added to alpha_.k."""
    out = []
    for k in range(K):
        now, after = stats.dirichlet.var(belief.alpha[k]).sum(), 0.0
        for z in range(K):
            updated = belief.alpha[k].copy()
            updated[z] += 1
            after += theta[k][z] * stats.dirichlet.var(updated).sum()
        out.append(belief.size[k] / belief.data.n * (now - after))
    return out


TASKS = {
    "least accurate": (fl.Identify("accuracy", by="predicted_class"), Rates, least_accurate),
    "most biased": (fl.Identify("calibration_bias", by="predicted_class"), Rates, most_biased),
    "groupwise accuracy": (fl.Estimate("accuracy", by="predicted_class"), Rates, groupwise_accuracy),
    "least calibrated": (
        fl.Identify(fl.CalibrationError(fl.ScoreBins(B)), by="predicted_class"),
        lambda data: Rates(data, binned=True),
        least_calibrated,
    ),
    "most costly": (fl.Identify(fl.Cost(COST, CLASSES), by="predicted_class"), Shares, most_costly),
    "confusion": (fl.Estimate("confusion"), Shares, confusion),
}


# -- the algorithms ------------------------------------------------------------------------------------------------


def first_of(rewards, left, m: int = 1) -> list[int]:
    """The m arms of highest reward among those with items left."""
    return sorted((g for g in range(len(left)) if left[g] > 0), key=lambda g: (-rewards[g], g))[:m]


def thompson(belief, reward, left, keyed, m=1):
    return first_of(reward(belief, belief.draw(keyed, 0)), left, m)


def top_two(belief, reward, left, keyed, m=1):
    winner = first_of(reward(belief, belief.draw(keyed, 0)), left)[0]
    resample = keyed.uniform(Use.COIN) < 0.5  # "with probability beta the algorithm re-samples", beta = 1/2
    if not resample or sum(n > 0 for n in left) == 1:
        return [winner]
    for attempt in range(1, 201):
        ranked = first_of(reward(belief, belief.draw(keyed, attempt)), left, 2)
        if ranked[0] != winner:
            return [ranked[0]]
    return [ranked[1]]


def epsilon_greedy(belief, reward, left, keyed, m=1):
    if keyed.uniform(Use.COIN) < 0.1:
        return first_of([keyed.uniform(Use.ARM_PICK, g) for g in range(len(left))], left, m)
    return first_of(reward(belief, belief.mean()), left, m)


def upper_bound(belief, reward, left, keyed, m=1):
    """The reward is monotone in theta here, so its 97.5 % quantile is at one of theta's own."""
    one, two = reward(belief, belief.quantile(0.025)), reward(belief, belief.quantile(0.975))
    return first_of([max(pair) for pair in zip(one, two, strict=True)], left, m)


ALGORITHMS = {
    "thompson": thompson,
    "top_two": top_two,
    "epsilon_greedy": epsilon_greedy,
    "upper_bound": upper_bound,
}
LEGAL = [
    *(("thompson", task) for task in TASKS),
    *(("top_two", task) for task in ("least accurate", "most biased", "least calibrated", "most costly")),
    *(
        ("epsilon_greedy", t)
        for t in ("least accurate", "most biased", "groupwise accuracy", "most costly", "confusion")
    ),
    *(("upper_bound", t) for t in ("least accurate", "most biased", "groupwise accuracy")),
]


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
    one, two = stats.beta(alpha[0], beta[0]), stats.beta(alpha[1], beta[1])

    def below(t: float) -> float:
        kinks = [u for u in two.cdf([-t, 1 - t]) if 0 < u < 1]
        return integrate.quad(lambda u: one.cdf(two.ppf(u) + t), 0, 1, points=kinks, epsabs=1e-9, limit=200)[0]

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
