"""What compiled runs share: the keyed numbers of `core.keyed`.

Numba's cache on disk looks for changes in the file of the function called from Python only. Tests therefore keep a
cache of their own for every state of these files; whoever edits one of them and simulates by hand removes
`__pycache__` first. An installation brings new files, and so a new cache.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.core.compiling import inlined
from fewlabels.core.keyed import _GOLDEN, _MIX_1, _MIX_2

Record = Any  # one row of a structured array, which compiled code reads and writes by attribute
Records = npt.NDArray[np.void]


GOLDEN, _M1, _M2 = np.uint64(_GOLDEN), np.uint64(_MIX_1), np.uint64(_MIX_2)
_S12, _S27, _S30, _S31 = np.uint64(12), np.uint64(27), np.uint64(30), np.uint64(31)


@inlined
def mix(z: np.uint64) -> np.uint64:
    """The splitmix64 finaliser, as `core.keyed.mix`."""
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@inlined
def key_of(seed: np.uint64, step: int, use: np.uint64, attempt: int) -> np.uint64:
    """`core.keyed.combine` of the four."""
    key = mix(GOLDEN ^ seed)
    key = mix((key + GOLDEN) ^ np.uint64(step))
    key = mix((key + GOLDEN) ^ use)
    return mix((key + GOLDEN) ^ np.uint64(attempt))


@inlined
def hash_of(index: int) -> np.uint64:
    """The part of a keyed number that depends on the index alone."""
    return mix(np.uint64(index) * GOLDEN)


@inlined
def uniform_of(bits: np.uint64) -> float:
    """64 bits as a number in (0, 1)."""
    return (np.float64(bits >> _S12) + 0.5) * 2.0**-52


@inlined
def one_uniform(seed: np.uint64, step: int, use: np.uint64) -> float:
    """`Keyed(seed, step).uniform(use)`."""
    return uniform_of(mix(hash_of(0) ^ key_of(seed, step, use, 0)))
