"""An answer as plain data: what `--json` prints, and what a receipt keeps."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from fewlabels.answers.answer import Answer, Identification, Verdicts
from fewlabels.answers.comparison import Comparison
from fewlabels.answers.models import BestOfModels, ModelComparison


def answer_data(answer: Answer) -> dict[str, Any]:
    """The sentences, the figures by group and overall, and what the kind of the question adds to them."""
    data: dict[str, Any] = {
        "question": answer.question,
        "sentence": answer.sentence,
        "stop": answer.stop,
        "holds_together": answer.holds_together,
        "notes": answer.notes,
        "strategy": answer.strategy,
        "overall": asdict(answer.overall) if answer.overall else None,
        "findings": answer.to_dicts(),
    }
    if isinstance(answer, Identification):
        data |= {"groups": answer.groups, "probability": answer.probability, "confirmed": answer.confirmed}
    if isinstance(answer, Comparison):
        data |= {name: getattr(answer, name) for name in ("p_less", "p_equal", "p_more", "rope", "decided")}
        data["difference"] = asdict(answer.difference) if answer.difference else None
        data["proved"] = answer.proved
    if isinstance(answer, ModelComparison):
        data |= {name: getattr(answer, name) for name in ("a", "b", "verdict", "items", "differ")}
    if isinstance(answer, BestOfModels):
        names = ("best", "probability", "p_best", "p_near", "expected_loss", "dropped", "within", "shown", "decided")
        data |= {name: getattr(answer, name) for name in (*names, "items", "differ")}
    if isinstance(answer, Verdicts):
        data |= {name: getattr(answer, name) for name in ("threshold", "within", "control")} | asdict(answer.decided)
    return dict(plain(data))


def plain(data: Any) -> Any:
    """The same in what JSON knows; a number that is not known becomes None."""
    if isinstance(data, Mapping):
        return {str(key): plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [plain(value) for value in data]
    if hasattr(data, "item"):  # a NumPy number
        data = data.item()
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data if isinstance(data, str | int | float | bool | None) else str(data)
