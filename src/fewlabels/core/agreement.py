"""How far labellers agree who labelled the same items: raw, and beyond what chance would make."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np

from fewlabels.core.arrays import Array

Opinions: TypeAlias = Mapping[str, str]  # of one item: what each labeller said


@dataclass(frozen=True)
class Agreement:
    """Of items with two labels or more; nan where there are none, or where chance alone would agree always."""

    items: int
    raw: float  # the share of pairs of labels that agree
    cohen: Mapping[tuple[str, str], float]  # of each two labellers
    fleiss: float
    krippendorff: float


def agreement(opinions: Iterable[Opinions]) -> Agreement:
    """How far labellers agree.

    >>> found = agreement([{"ann": "a", "ben": "a"}, {"ann": "a", "ben": "b"}])
    >>> found.items, found.raw
    (2, 0.5)
    """
    several = [given for given in opinions if len(given) > 1]
    counts = _counts(several)
    return Agreement(len(several), _raw(counts), _cohen(several), _fleiss(counts), _krippendorff(counts))


def _counts(several: Sequence[Opinions]) -> Array:
    """How many labels of each class each item has, (n_items, n_classes)."""
    classes = sorted({label for given in several for label in given.values()})
    out = np.zeros((len(several), max(len(classes), 1)))
    for row, given in enumerate(several):
        for label, count in Counter(given.values()).items():
            out[row, classes.index(label)] = count
    return out


def _raw(counts: Array) -> float:
    n = counts.sum(axis=1)
    pairs = (n * (n - 1)).sum()
    return float((counts * (counts - 1)).sum() / pairs) if pairs else math.nan


def _beyond_chance(observed: float, expected: float) -> float:
    return (observed - expected) / (1 - expected) if expected < 1 else math.nan


def _cohen(several: Sequence[Opinions]) -> dict[tuple[str, str], float]:
    """kappa = (p_o - p_e) / (1 - p_e), p_e from each one's own shares: Cohen 1960, Equation 1."""
    labels: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for given in several:
        for pair in combinations(sorted(given), 2):
            labels.setdefault(pair, []).append((given[pair[0]], given[pair[1]]))
    return {pair: _kappa(both) for pair, both in sorted(labels.items())}


def _kappa(both: Sequence[tuple[str, str]]) -> float:
    n, one, two = len(both), Counter(a for a, _ in both), Counter(b for _, b in both)
    expected = sum(one[label] * two[label] for label in one) / n**2
    return _beyond_chance(sum(a == b for a, b in both) / n, expected)


def _fleiss(counts: Array) -> float:
    """kappa of many labellers, anybody's shares alike: Fleiss 1971, Equations 1 to 7.

    There every item has n labels; where numbers differ, P_i is each item's own and labels count alike in p_j.
    """
    n = counts.sum(axis=1)
    if not len(n) or not n.all():
        return math.nan
    P = ((counts**2).sum(axis=1) - n) / (n * (n - 1))
    p = counts.sum(axis=0) / counts.sum()
    return _beyond_chance(float(P.mean()), float((p**2).sum()))


def _krippendorff(counts: Array) -> float:
    """alpha = 1 - D_o / D_e of names, by coincidences: Krippendorff 2011, "Computing Krippendorff's
    alpha-reliability", section C."""
    m = counts.sum(axis=1)
    if not len(m) or not m.all():
        return math.nan
    per = counts / (m - 1)[:, None]
    o = counts.T @ per - np.diag(per.sum(axis=0))  # o_ck: pairs of labels c, k inside items
    n_c = o.sum(axis=1)
    n = n_c.sum()
    expected = n**2 - (n_c**2).sum()
    return float(1 - (n - 1) * (o.sum() - np.trace(o)) / expected) if expected else math.nan
