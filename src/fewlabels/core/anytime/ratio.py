"""Bets against the number of hits in a part of the pool whose labels are drawn uniformly, without replacement.

A part has `size` items, C of them hits; when one of its items is drawn may depend on all that was seen before. What is
won by betting against a count C is

    E(C) = [ (1 - w) P(kappa c, kappa (1 - c)) + w P(lambda s, lambda (1 - s)) ] / L(C),    c = C / size,

where L(C) is the chance of these labels in their order if C is true, P(a, b) the same if they came from Polya's urn,
and s the mean score. If C is true, E(C) starts at one and does not grow on average. Centred at the count it bets
against [Robbins 1970], the urn does not pay for how far a prior lies from the truth; the part at the scores helps the
first labels.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from scipy.special import betaln, gammaln

from fewlabels.core.anytime.capital import Capital
from fewlabels.core.arrays import Array, Bools

KAPPA, AT_SCORES, LAMBDA = 10.0, 0.2, 20.0
MOST_VALUES = 2001  # of a figure that bets are made against
EDGE, SCORE_EDGE = 1e-9, 0.005  # nearest to none and all that an urn is centred
_SLOPES = np.concatenate([[0.0], np.geomspace(0.01, 1e5, 400)])  # of the lines below a sum's capital, per unit of value
_LINES_AT_ONCE = 50  # so few stay in the processor's cache


def log_chance(size: Array, labels: Array, hits: Array, count: Array) -> Array:
    """log L: of so many hits among labels, in their order, if `count` of the items are hits; -inf if they cannot be."""
    size, labels, hits, count = np.broadcast_arrays(size, labels, hits, count)
    misses = labels - hits
    possible = (count >= hits) & (count <= size - misses)
    c = np.where(possible, count, hits)
    ways = gammaln(c + 1) - gammaln(c - hits + 1) + gammaln(size - c + 1) - gammaln(size - c - misses + 1)
    return np.where(possible, ways + gammaln(size - labels + 1) - gammaln(size + 1), -np.inf)


def _log_urn(labels: Array, hits: Array, mean: Array, strength: float) -> Array:
    """log P, of an urn with this mean that is worth so many labels."""
    a, b = strength * mean, strength * (1 - mean)
    return np.asarray(betaln(a + hits, b + labels - hits) - betaln(a, b))


def log_won(size: Array, labels: Array, hits: Array, count: Array, score: Array) -> Array:
    """log E: what was won by betting against this count; inf if it cannot be."""
    centre, at = np.clip(count / size, EDGE, 1 - EDGE), np.clip(score, SCORE_EDGE, 1 - SCORE_EDGE)
    own = np.log(1 - AT_SCORES) + _log_urn(labels, hits, centre, KAPPA)
    scored = np.log(AT_SCORES) + _log_urn(labels, hits, at, LAMBDA)
    return np.asarray(np.logaddexp(own, scored) - log_chance(size, labels, hits, count))


def counts_of(size: int) -> Array:
    """The counts that bets are made against: all there are, or so many of them."""
    return np.unique(np.rint(np.linspace(0, size, min(size + 1, MOST_VALUES))))


def of_share(size: int, labels: int, hits: int, score: float, missing: int = 0) -> Capital:
    """Against each share of hits of a part. Where the labels of some of the draws are missing, the least that is won
    whichever of these are hits: only their number matters."""
    count = counts_of(size)
    items, told, right, at = (np.asarray(float(x)) for x in (size, labels, hits, score))
    won = log_won(items, told, right, count, at)
    for more in range(1, missing + 1):
        won = np.minimum(won, log_won(items, told, right + more, count, at))
    return Capital(count / size, won, len(count) == size + 1)


def along_share(size: int, hit: Array, score: float, known: Bools | None = None) -> Capital:
    """The same after these labels, 1 for a hit and else 0, with the most that was won after any of them: E is a product
    over the labels in their order. Where some are missing: the most that was won before the first of these, or now."""
    if known is not None and not known.all():
        earlier = along_share(size, hit[: int(known.argmin())], score).most_won
        now = of_share(size, len(hit), int(hit[known].sum()), score, int((~known).sum()))
        return replace(now, most_won=np.maximum(now.log_won, cast(Array, earlier)))
    now = of_share(size, len(hit), int(hit.sum()), score)
    count = counts_of(size)
    centre, at = np.clip(count / size, EDGE, 1 - EDGE), float(np.clip(score, SCORE_EDGE, 1 - SCORE_EDGE))
    own, scored, chance = np.full(len(count), np.log(1 - AT_SCORES)), float(np.log(AT_SCORES)), np.zeros(len(count))
    most, seen = np.zeros(len(count)), [0.0, 0.0]  # misses and hits before
    for label in hit.astype(np.int64).tolist():
        before, there = sum(seen), count if label else size - count
        mean, expected = (centre, at) if label else (1 - centre, 1 - at)
        own += np.log((KAPPA * mean + seen[label]) / (KAPPA + before))
        scored += float(np.log((LAMBDA * expected + seen[label]) / (LAMBDA + before)))
        with np.errstate(divide="ignore"):
            chance += np.log(np.maximum(there - seen[label], 0.0) / (size - before))
        np.maximum(most, np.logaddexp(own, scored) - chance, out=most)
        seen[label] += 1
    return replace(now, most_won=most)


def of_sum(parts: Sequence[Capital], weights: Sequence[float]) -> Capital:
    """Against each value of a weighted sum of the shares of parts that are drawn from in turn: what is won against all
    shares together is the product, and against a sum the least of that over all shares that add up to it. Lines below
    that are found for each slope by itself, so that parts need not be crossed; it is never more than that."""
    least = sum(min(w * c.values[0], w * c.values[-1]) for c, w in zip(parts, weights, strict=True))
    most = sum(max(w * c.values[0], w * c.values[-1]) for c, w in zip(parts, weights, strict=True))
    values = np.linspace(least, most, MOST_VALUES)
    slopes = np.concatenate([-_SLOPES[:0:-1], _SLOPES])
    below = np.zeros(len(slopes))
    for part, weight in zip(parts, weights, strict=True):
        possible = np.isfinite(part.log_won)
        won, at = part.log_won[possible], weight * part.values[possible]
        below += (won - slopes[:, None] * at).min(axis=1)
    highest = np.full(len(values), -np.inf)
    for start in range(0, len(slopes), _LINES_AT_ONCE):
        some = slice(start, start + _LINES_AT_ONCE)
        lines = slopes[some, None] * values
        lines += below[some, None]
        np.maximum(highest, lines.max(axis=0), out=highest)
    return Capital(values, highest, all_there_are=False)
