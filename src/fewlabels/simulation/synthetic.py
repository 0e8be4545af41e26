"""Pools made to order, with known labels: for scale, and for what no real pool gives."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.core.arrays import Array, Ints
from fewlabels.engines import MemoryEngine, ModelOutputs
from fewlabels.errors import PoolError
from fewlabels.pool import Pool
from fewlabels.pool.checks import check_classes, check_scores
from fewlabels.pool.pool import ONE_MODEL

Curve = Callable[[Array], Array]

_TIED_TOGETHER = 10  # tied items come in bunches of so many
_STEEPEST = 40.0  # how far scores are shifted, in log odds, to reach an accuracy
_HALVINGS = 50


def synthetic_pool(
    items: int,
    classes: int | Sequence[str],
    *,
    accuracy: float | Sequence[float] | Mapping[str, float] | None = None,
    scores: tuple[float, float] | npt.ArrayLike = (5.0, 2.0),
    calibration: Curve | None = None,
    group_sizes: Sequence[float] | None = None,
    ties: float = 0.0,
    columns: Mapping[str, Mapping[str, float] | Sequence[Any]] | None = None,
    probabilities: bool = False,
    seed: int = 0,
) -> Pool:
    """A pool with known labels and the properties asked for, each as exactly as whole items allow.

    `group_sizes` are the shares (or counts) of the predicted classes, equal by default. `accuracy` is that of each
    predicted class: one number, one a class, or {class: number}. `calibration` maps scores to the probability of being
    right; by default scores are calibrated. Both hold at once: the scores of a class are shifted, in log odds, until
    the curve gives its accuracy. Without `accuracy` they stay as they are, and accuracy follows from the curve.
    `scores` are the parameters of a Beta distribution, on the range from 1 / classes to 1, or a score an item.
    `ties` is the share of items whose score another item of their class has too. `columns` are {name: {group: share}},
    independent of all else, or {name: a value an item}. With `probabilities` all classes have one: what the predicted
    class leaves over is spread evenly. A wrong item's true class is any other, with equal chances.

    >>> pool = synthetic_pool(1000, 4, accuracy=[0.9, 0.8, 0.7, 0.6], calibration=lambda s: s**2, seed=1)
    >>> pool
    <Pool: 1,000 items, 4 classes>
    """
    names = check_classes([f"class-{i}" for i in range(classes)] if isinstance(classes, int) else classes)
    if items < len(names) or len(names) < 2:
        raise PoolError(
            f"a pool has two classes or more, and an item for each; got {items} items, {len(names)} classes."
        )
    if not 0 <= ties <= 1:
        raise PoolError(f"ties is the share of items with a score that another has too, from 0 to 1; got {ties!r}.")
    rng = np.random.default_rng(seed)
    n = len(names)
    predicted = _dealt(_counts(group_sizes, items, n, "group_sizes"), rng)
    curve = calibration if calibration is not None else _calibrated
    score = _scores(scores, items, n, predicted, ties, rng)
    if accuracy is not None:
        score = _shifted(score, predicted, _accuracies(accuracy, names), curve, names)
    right = _right(_checked(curve, score), predicted, score, rng)
    label = np.where(right, predicted, (predicted + rng.integers(1, n, items)) % n)
    table = _table(score, predicted, n) if probabilities else None
    models, known = {ONE_MODEL: ModelOutputs(predicted, score, table)}, np.array(names, dtype=object)[label]
    return Pool(MemoryEngine(np.arange(items), names, (), models, _columns(columns, items, rng), {}, known))


def _calibrated(score: Array) -> Array:
    return score


def _counts(shares: Sequence[float] | None, items: int, groups: int, what: str) -> Ints:
    """Whole numbers in proportion to the shares that sum to the items: largest remainders are rounded up."""
    given = np.ones(groups) if shares is None else np.asarray(shares, dtype=np.float64)
    if len(given) != groups or not (given >= 0).all() or not 0 < given.sum() < np.inf:
        raise PoolError(f"{what} has one share for each of the {groups} groups, none negative; got {shares!r}.")
    exact = given / given.sum() * items
    counts: Ints = np.floor(exact + 1e-9).astype(np.int64)
    counts[np.argsort(counts - exact, kind="stable")[: items - counts.sum()]] += 1
    return counts


def _dealt(counts: Ints, rng: np.random.Generator) -> Ints:
    dealt = np.repeat(np.arange(len(counts)), counts)
    rng.shuffle(dealt)
    return dealt


def _scores(scores: Any, items: int, n_classes: int, predicted: Ints, ties: float, rng: np.random.Generator) -> Array:
    if isinstance(scores, tuple):
        if len(scores) != 2 or not min(scores) > 0:
            raise PoolError(f"scores are two positive parameters of a Beta distribution, or an array; got {scores!r}.")
        inner = np.clip(rng.beta(*scores, items), 1e-9, 1 - 1e-9)
        score = 1 / n_classes + (1 - 1 / n_classes) * inner
    else:
        score = check_scores(scores, None, "scores")
        if len(score) != items:
            raise PoolError(f"scores has {len(score):,} entries for {items:,} items; give one an item.")
    return _tied(score, predicted, ties, rng) if ties else score


def _tied(score: Array, predicted: Ints, ties: float, rng: np.random.Generator) -> Array:
    """In each class, the given share of items takes the score of a neighbour in bunches of about ten."""
    order = np.lexsort((rng.random(len(score)), predicted))
    size = np.bincount(predicted)
    rank = np.empty(len(score), dtype=np.int64)
    rank[order] = np.arange(len(score)) - np.repeat(np.cumsum(size) - size, size)
    wanted = np.round(ties * size).astype(np.int64)
    wanted[wanted == 1] = 2 if ties * 2 >= 1 else 0
    chosen = np.flatnonzero(rank < np.minimum(wanted, size)[predicted])
    chosen = chosen[np.lexsort((score[chosen], predicted[chosen]))]
    count = np.bincount(predicted[chosen], minlength=len(size))
    within = np.arange(len(chosen)) - np.repeat(np.cumsum(count) - count, count)
    total = count[predicted[chosen]]
    leader = within // _TIED_TOGETHER * _TIED_TOGETHER
    leader = np.where((total - leader == 1) & (leader > 0), leader - _TIED_TOGETHER, leader)  # nobody ties alone
    out = score.copy()
    out[chosen] = score[chosen[np.arange(len(chosen)) - within + leader]]
    return out


def _accuracies(accuracy: Any, names: tuple[str, ...]) -> Array:
    if isinstance(accuracy, Mapping):
        missing = [name for name in names if name not in accuracy] + [name for name in accuracy if name not in names]
        if missing:
            raise PoolError(f"accuracy and classes do not both have {missing[0]!r}; give one accuracy a class.")
        accuracy = [accuracy[name] for name in names]
    given = np.asarray(accuracy, dtype=np.float64)
    if given.shape not in ((), (len(names),)) or not ((given >= 0) & (given <= 1)).all():
        raise PoolError(f"accuracy is a share, or one for each of the {len(names)} classes; got {accuracy!r}.")
    return np.broadcast_to(given, len(names))


def _shifted(score: Array, predicted: Ints, wanted: Array, curve: Curve, names: tuple[str, ...]) -> Array:
    """Scores moved by a shift in log odds a class, found by bisection, so that the curve's mean is the accuracy.

    The odds are those of the score within its range from 1 / classes to 1, which it never leaves.
    """
    least, size = 1 / len(names), np.bincount(predicted, minlength=len(names))
    inner = np.clip((score - least) / (1 - least), 1e-12, 1 - 1e-12)
    odds = np.log(inner) - np.log1p(-inner)

    def moved(shift: Array) -> Array:
        return least + (1 - least) / (1 + np.exp(-(odds + shift[predicted])))

    def accuracy(shift: Array) -> Array:
        sums = np.bincount(predicted, weights=_checked(curve, moved(shift)), minlength=len(names))
        return np.asarray(sums / np.maximum(size, 1))

    low, high = np.full(len(names), -_STEEPEST), np.full(len(names), _STEEPEST)
    reach = accuracy(low), accuracy(high)
    out_of_reach = (size > 0) & ((wanted < reach[0] - 1e-6) | (wanted > reach[1] + 1e-6))
    if out_of_reach.any():
        k = int(np.flatnonzero(out_of_reach)[0])
        raise PoolError(
            f"no scores give class {names[k]!r} an accuracy of {wanted[k]:g}: on scores from {least:.3g} to 1 the "
            f"calibration curve goes from {reach[0][k]:.3g} to {reach[1][k]:.3g}. Pass another accuracy or curve."
        )
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = accuracy(middle) < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return moved(high)


def _checked(curve: Curve, score: Array) -> Array:
    chance = np.asarray(curve(score), dtype=np.float64)
    if chance.shape != score.shape or not ((chance >= 0) & (chance <= 1)).all():
        raise PoolError("calibration maps an array of scores to as many probabilities of being right, from 0 to 1.")
    return chance


def _right(chance: Array, predicted: Ints, score: Array, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Which items are right: along the scores of each class, as many as the chances add up to, to within an item."""
    order = np.lexsort((rng.random(len(score)), score, predicted))
    total = np.cumsum(chance[order]) + rng.random()
    right = np.empty(len(score), dtype=np.bool_)
    right[order] = np.diff(np.floor(total), prepend=np.floor(total[0] - chance[order[0]])) > 0
    return np.asarray((right | (chance == 1)) & (chance > 0))


def _table(score: Array, predicted: Ints, n_classes: int) -> Array:
    if score.min() * n_classes < 1:
        raise PoolError(
            f"a predicted class has at least 1/{n_classes} of the probability; the least of these scores is "
            f"{score.min():.3g}. Pass higher scores, or leave probabilities out."
        )
    table = np.repeat(((1 - score) / (n_classes - 1))[:, None], n_classes, axis=1)
    table[np.arange(len(score)), predicted] = score
    return table


def _columns(
    columns: Mapping[str, Mapping[str, float] | Sequence[Any]] | None, items: int, rng: np.random.Generator
) -> dict[str, npt.NDArray[Any]]:
    out = {}
    for name, given in (columns or {}).items():
        if isinstance(given, Mapping):
            counts = _counts(list(given.values()), items, len(given), f"column {name!r}")
            out[name] = np.array(list(given), dtype=object)[_dealt(counts, rng)]
        elif len(given) == items:
            out[name] = np.asarray(given, dtype=object)
        else:
            raise PoolError(f"column {name!r} has {len(given):,} values for {items:,} items; give one an item.")
    return out
