"""The words with which what is no pool is refused."""

from typing import Any

import pytest

import fewlabels as fl

PLAIN: dict[str, list[Any]] = {"id": ["a", "b", "c"], "predicted": ["x", "y", "x"], "score": [0.5, 0.25, 1.0]}
HALF = "\ud800"  # half of a surrogate pair


def refusal(source: Any, **options: Any) -> str:
    """The words with which the source is refused."""
    with pytest.raises(fl.FewlabelsError) as caught:
        fl.open_pool(source, **options)
    message = str(caught.value)
    assert message.rstrip()[-1] in ".?)", message
    return message
