"""Randomness that depends on a key alone: the same (seed, step, index, use) gives the same uniform on every machine.

Resuming, replaying and simulating a study therefore make the same choices, not only equally distributed ones.
The mixer is the finaliser of splitmix64 (Steele, Lea, Flood 2014); an item's own 64 bits are the first eight bytes,
little-endian, of the MD5 of its id, which DuckDB (`md5_number_upper`), Spark and PostgreSQL compute alike.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from fewlabels.core.arrays import Array, Ints, Keys

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
MIXERS = _MIX_1, _MIX_2 = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_27, _30, _31, _12, _TIMES_1, _TIMES_2 = map(np.uint64, (27, 30, 31, 12, _MIX_1, _MIX_2))


class Use(IntEnum):
    """What a random number is for; two uses of one key never share a number."""

    ITEM_ORDER = 1
    ARM_DRAW = 2
    CELL = 3
    COIN = 4
    ARM_PICK = 5
    ANSWER = 6
    REWARD_BOUND = 7
    GAIN = 8
    OVERLAP = 9


def mix(values: Keys) -> Keys:
    """The splitmix64 finaliser of each value.

    >>> hex(int(mix(np.array([1], dtype=np.uint64))[0]))
    '0x5692161d100b05e5'
    """
    z = values.astype(np.uint64)
    z = (z ^ (z >> _30)) * _TIMES_1
    z = (z ^ (z >> _27)) * _TIMES_2
    return z ^ (z >> _31)


def mix_one(value: int) -> int:
    """The same for one Python integer."""
    z = value & _MASK
    z = ((z ^ (z >> 30)) * _MIX_1) & _MASK
    z = ((z ^ (z >> 27)) * _MIX_2) & _MASK
    return z ^ (z >> 31)


def combine(*parts: int) -> int:
    """One 64-bit key from several whole numbers; order matters."""
    key = 0
    for part in parts:
        key = mix_one((key + _GOLDEN) ^ (part & _MASK))
    return key


def item_hash(item: str) -> int:
    """The 64 bits that stand for an item id, whatever the engine."""
    return int.from_bytes(hashlib.md5(item.encode(), usedforsecurity=False).digest()[:8], "little")


def item_hashes(items: Iterable[str]) -> Keys:
    """`item_hash` of each item."""
    digests = b"".join(hashlib.md5(item.encode(), usedforsecurity=False).digest()[:8] for item in items)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def item_order(seed: int, hashes: Keys) -> Keys:
    """The sort key of each item: a sample without replacement from any set of items is a prefix of this order."""
    return mix(hashes ^ np.uint64(combine(seed, Use.ITEM_ORDER)))


def _places(index: Ints) -> Keys:
    return mix(index.astype(np.uint64) * np.uint64(_GOLDEN))


@lru_cache(maxsize=16)
def _first_places(count: int) -> Keys:
    """The same for 0, 1, … count - 1: a study wants them for its arms again and again."""
    return _places(np.arange(count))


class _Key(np.random.bit_generator.ISeedSequence):
    """Makes the generator of Philox(key=…), which would first gather entropy, and leave it: most of what it takes."""

    def __init__(self, key: int) -> None:
        self._key = key

    def generate_state(self, n_words: int, dtype: npt.DTypeLike = np.uint32) -> npt.NDArray[np.uint32 | np.uint64]:
        return np.array([self._key, *[0] * (n_words - 1)], dtype)


@dataclass(frozen=True, slots=True)
class Keyed:
    """The source of randomness of one step of one study."""

    seed: int
    step: int

    def uniforms(self, use: Use, index: Ints | int, attempt: int = 0) -> Array:
        """One number in (0, 1) for each index, or for so many from 0 on; never 0 or 1, so that inverse distribution
        functions stay finite."""
        key = np.uint64(combine(self.seed, self.step, use, attempt))
        bits = mix((_places(index) if isinstance(index, np.ndarray) else _first_places(index)) ^ key)
        return ((bits >> _12).astype(np.float64) + 0.5) * 2.0**-52

    def uniform(self, use: Use, index: int = 0, attempt: int = 0) -> float:
        """The same for one index."""
        bits = mix_one(mix_one(index * _GOLDEN) ^ combine(self.seed, self.step, use, attempt))
        return ((bits >> 12) + 0.5) * 2.0**-52

    def generator(self, use: Use, attempt: int = 0) -> np.random.Generator:
        """A NumPy generator for draws in bulk."""
        key = _Key(combine(self.seed, self.step, use, attempt))
        return np.random.Generator(np.random.Philox(key))  # type: ignore[arg-type]  # numpy's stub
