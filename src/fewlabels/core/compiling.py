"""How loops are compiled. Whoever imports this has Numba."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])
_OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy"}


def compiled(function: F) -> F:
    """The function, compiled when first called and kept on disk; sums and products stay in the order written."""
    made: F = njit(**_OPTIONS)(function)
    return made


def inner(function: F) -> F:
    """The same, for functions that compiled ones alone call: without what Python would call them by, of which there is
    much where they take many arrays, and which takes long to compile."""
    made: F = njit(**_OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    return made


def part(function: F) -> F:
    """The same, for one that is called in one place only: compiled as if it were written there."""
    made: F = njit(**_OPTIONS, inline="always")(function)
    return made


def inlined(function: F) -> F:
    """The same, always put into its callers: a call that passes arrays costs more than these functions do."""
    made: F = njit(**_OPTIONS, forceinline=True)(function)
    return made


def summing(function: F) -> F:
    """Compiled, with sums in whichever order is fastest, several terms at a time."""
    made: F = njit(**_OPTIONS, fastmath={"reassoc", "contract"})(function)
    return made
