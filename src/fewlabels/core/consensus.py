"""Several labels of an item: one class, and how likely it is."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from fewlabels.core.agreement import Opinions
from fewlabels.core.arrays import Array
from fewlabels.core.events import Item

_ROUNDS, _SMALL = 200, 1e-8  # of the algorithm, and the change at which it ends
_PSEUDO = 0.01  # labels added to each cell of a labeller's confusions: with few labels none is impossible


def majority(given: Opinions) -> str:
    """The class most labels name; of several named equally often, the one named first.

    >>> majority({"ann": "b", "ben": "a", "cem": "a"})
    'a'
    """
    return Counter(given.values()).most_common(1)[0][0]


def unanimous(given: Opinions) -> bool:
    """Whether all labels are the same."""
    return len(set(given.values())) == 1


def dawid_skene(opinions: Mapping[Item, Opinions], classes: Sequence[str]) -> dict[Item, dict[str, float]]:
    """The probability of each class of each item, by how reliable each labeller shows to be.

    The EM algorithm of Dawid and Skene 1979, Equations 2.3 to 2.5. Departure: a hundredth of a label is added to each
    count of 2.3, since with few labels a labeller would be sure never to err.
    """
    items, labellers = list(opinions), sorted({by for given in opinions.values() for by in given})
    n = np.zeros((len(items), len(labellers), len(classes)))  # n_il^(k): 1 where labeller k called item i l
    for row, item in enumerate(items):
        for by, label in opinions[item].items():
            n[row, labellers.index(by), classes.index(label)] = 1
    T = _em(n)
    return {item: dict(zip(classes, row, strict=True)) for item, row in zip(items, T.tolist(), strict=True)}


def _em(n: Array) -> Array:
    """T_ij, the probability that item i is of class j."""
    T: Array = n.sum(axis=1) / np.maximum(n.sum(axis=(1, 2)), 1)[:, None]
    for _ in range(_ROUNDS):
        p = T.mean(axis=0)  # Equation 2.4
        pi = np.einsum("ij,ikl->kjl", T, n) + _PSEUDO  # Equation 2.3
        pi /= pi.sum(axis=2, keepdims=True)
        with np.errstate(divide="ignore"):
            log = np.log(p) + np.einsum("ikl,kjl->ij", n, np.log(pi))  # Equation 2.5
        log -= log.max(axis=1, keepdims=True)
        new: Array = np.exp(log)
        new /= new.sum(axis=1, keepdims=True)
        if np.abs(new - T).max(initial=0) < _SMALL:
            return new
        T = new
    return T
