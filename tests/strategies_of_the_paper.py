"""A slow transcription of every algorithm of Ji et al. 2021, one group at a time."""

from dataclasses import dataclass, field

import numpy as np
from scipy import stats

import fewlabels as fl
from fewlabels.core.dirichlet import dirichlet_draws
from fewlabels.core.keyed import Keyed, Use

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
