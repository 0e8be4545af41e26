"""Stopping rules by name."""

from typing import Any

from fewlabels.stopping.base import Stopping
from fewlabels.stopping.half_width import HalfWidth
from fewlabels.stopping.probability import Probability
from fewlabels.stopping.variance import Variance

STOPPING: dict[str, Any] = {"half_width": HalfWidth, "probability": Probability, "variance": Variance}


def stopping_to_json(rule: Stopping | None) -> dict[str, Any] | None:
    return None if rule is None else {"name": rule.name, **rule.to_json()}


def stopping_from_json(data: dict[str, Any] | None) -> Stopping | None:
    if data is None:
        return None
    made: Stopping = STOPPING[data["name"]](**{key: value for key, value in data.items() if key != "name"})
    return made


__all__ = ["STOPPING", "HalfWidth", "Probability", "Stopping", "Variance", "stopping_from_json", "stopping_to_json"]
