"""A slow transcription of ACIS (Poms et al., ICCV 2021), item by item.

Letters are the paper's: s scores, ŷ predictions, y labels, c calibrated scores, q the distribution drawn from,
p = 1/|X|, w = p/q v, v = alpha ŷ + (1 - alpha) y, l = 1 where ŷ = y, G the F-score, W the importance weights, L what is
labelled.
Where the paper leaves something open, or the library departs from it, the transcription says so.
"""

import math
from dataclasses import dataclass, field
from itertools import pairwise

ALPHAS = [0.0, 0.3, 0.5, 1.0]
EPSILON, G_0, CAUTION, MIXING = 1e-3, 0.5, 2.0, (1.0, 2 / 3, 1 / 3)  # the settings' defaults


def pool_adjacent_violators(x: list[float], y: list[float]) -> list[tuple[float, float]]:
    """Isotonic regression: (x, fitted) in rising order of x, equal x taken together."""
    blocks: list[list] = []  # of [sum, count, xs]
    for value in sorted(set(x)):
        inside = [b for a, b in zip(x, y, strict=True) if a == value]
        blocks.append([sum(inside), len(inside), [value]])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            total, count, xs = blocks.pop()
            blocks[-1] = [blocks[-1][0] + total, blocks[-1][1] + count, blocks[-1][2] + xs]
    return [(a, total / count) for total, count, xs in blocks for a in xs]


def read_map(fitted: list[tuple[float, float]], s: float) -> float:
    """Linear between the scores fitted on, constant beyond them."""
    if s <= fitted[0][0]:
        return fitted[0][1]
    for (a, low), (b, high) in pairwise(fitted):
        if s <= b:
            return low + (high - low) * (s - a) / (b - a)
    return fitted[-1][1]


@dataclass
class Paper:
    """Algorithm 1, its state after each round."""

    alpha: float
    s: list[float]
    hat: list[int]  # ŷ
    top_k: float | None = 3.0
    caution: float = CAUTION
    mixing: tuple[float, ...] = MIXING
    printed: bool = False  # the weight |L|/|X| of Sec. 3.3, as printed
    labels: dict[int, int] = field(default_factory=dict)  # L: item -> y
    rounds: list[dict] = field(default_factory=list)

    @property
    def n_items(self) -> int:
        return len(self.s)

    def distribution(self, draws: int, in_question: set[int]) -> dict[int, float]:
        """q of the next round, Eq. 4; over what is not labelled yet, the labelled ones being certain."""
        i = len(self.rounds) + 1
        c_0 = pool_adjacent_violators(self.s, self.hat)
        c = [read_map(c_0, s) for s in self.s]
        if self.labels:
            learnt = pool_adjacent_violators([self.s[j] for j in self.labels], list(self.labels.values()))
            beta = self.mixing[i - 1] if i <= len(self.mixing) else 0.0
            c = [beta * c[j] + (1 - beta) * read_map(learnt, self.s[j]) for j in range(self.n_items)]
        c = [EPSILON + (1 - 2 * EPSILON) * value for value in c]
        g = min(max(self.guess(), EPSILON), 1 - EPSILON)
        left = [j for j in in_question if j not in self.labels]
        mass = {}
        for j in self.domain(left, i, draws):
            if self.hat[j]:
                mass[j] = math.sqrt(c[j] * (1 - g) ** 2 + self.alpha**2 * (1 - c[j]) * g**2)
            else:
                mass[j] = (1 - self.alpha) * math.sqrt(c[j] * g**2)
        mass = {j: m for j, m in mass.items() if m > 0}
        return {j: m / sum(mass.values()) for j, m in mass.items()}

    def guess(self) -> float:
        """Ĝ_{i-1}; the library mixes it with Ĝ_0 as if `caution` draws had made that, the paper does not."""
        known = [r for r in self.rounds if r["G"] is not None]
        if not known:
            return G_0
        n = len(known[-1]["drawn"])
        return (n * known[-1]["G"] + self.caution * G_0) / (n + self.caution)

    def domain(self, left: list[int], i: int, draws: int) -> list[int]:
        """The 3 (i+1) npos highest scores; all, once these hold no full round."""
        if self.top_k is None:
            return left
        most = self.top_k * (i + 1) * sum(self.hat)
        ranked = sorted(range(self.n_items), key=lambda j: -self.s[j])
        top = {j for rank, j in enumerate(ranked) if rank + 1 <= most}
        inside = [j for j in left if j in top]
        return inside if top and len(inside) >= draws else left

    def v(self, j: int) -> float:
        return self.alpha * self.hat[j] + (1 - self.alpha) * self.labels[j]

    def hit(self, j: int) -> float:
        return 1.0 if self.hat[j] == self.labels[j] else 0.0

    def add_round(self, drawn: list[int], q: dict[int, float], y: dict[int, int], beyond: float = 0.0) -> None:
        """Eq. 2 and Eq. 6 of one round; `beyond` is what predicted positives out of its reach count, all of them false
        by the restriction."""
        before = list(self.labels)
        self.labels |= {j: y[j] for j in drawn}
        n, p = len(drawn), 1 / self.n_items
        W = [p / q[j] for j in drawn]
        # Sec. 3.3 prints |L|/|X|; an item that counts for itself beside n draws that stand for all others weighs n/|X|.
        W_known = [len(before) / self.n_items if self.printed else n / self.n_items for _ in before]
        w = [weight * self.v(j) for weight, j in zip(W, drawn, strict=True)]
        w_known = [weight * self.v(j) for weight, j in zip(W_known, before, strict=True)]
        total = sum(w) + sum(w_known) + beyond * n / self.n_items
        made = {"drawn": drawn, "W": sum(W) + sum(W_known), "w": w, "G": None, "S2": None, "shares": None}
        self.rounds.append(made)
        if sum(w) + sum(w_known) == 0:
            return
        hits = [self.hit(j) for j in drawn]
        G = sum(a * b for a, b in zip(w, hits, strict=True))
        G += sum(a * self.hit(j) for a, j in zip(w_known, before, strict=True))
        G /= total
        if self.printed:  # then the earlier labels are draws like others
            w, hits = w + w_known, hits + [self.hit(j) for j in before]
        made["G"] = G
        # Eq. 6: S² is the variance of √n Ĝ.
        C = 1 - sum(a**2 for a in w) / total**2
        S2 = sum(a**2 * (b - G) ** 2 for a, b in zip(w, hits, strict=True)) / C / (total**2 / n) if C > 0 else None
        made["S2"] = None if S2 is None else S2 / n
        made["shares"] = sum(a**2 for a in w) / total**2

    def averaged(self, window: int | None, by: str) -> tuple[float, float, float]:
        """Eq. 5 over the last `window` rounds, its variance without covariance and in the worst case; a last round that
        is under way, and so smaller than the one before, is not among those of a window."""
        known = [r for r in self.rounds if r["G"] is not None]
        if window is not None:
            if len(known) > 1 and len(known[-1]["drawn"]) < len(known[-2]["drawn"]):
                known = known[:-1]
            known = known[-window:]
        a = [r["W"] if by == "weights" else len(r["drawn"]) for r in known]
        a = [x / sum(a) for x in a]
        S2 = [0.25 if r["S2"] is None else r["S2"] for r in known]  # one label alone tells no variance: the largest
        G = sum(x * r["G"] for x, r in zip(a, known, strict=True))
        variance = sum(x**2 * v for x, v in zip(a, S2, strict=True))
        worst = sum(x * math.sqrt(v) for x, v in zip(a, S2, strict=True)) ** 2
        return min(max(G, 0.0), 1.0), variance, worst
