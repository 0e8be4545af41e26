"""A pool: what one or more models said about each item. No labels needed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.answers.notebook import html_of
from fewlabels.answers.words import few_of
from fewlabels.core.events import Item
from fewlabels.core.typed import match_labels
from fewlabels.engines import Engine, MemoryEngine, ModelOutputs, gathered, joined
from fewlabels.errors import PoolError, QuestionError, listed
from fewlabels.pool.checks import (
    ProbabilitiesAre,
    check_classes,
    check_column,
    check_ids,
    check_length,
    check_payload,
    check_predicted,
    check_probabilities,
    check_scores,
)
from fewlabels.tables.values import is_whole_number, plain_list

ONE_MODEL = "model"  # the name of the only model of a pool that names none


@dataclass(frozen=True, eq=False)
class Pool:
    """Items with the outputs of one or more models. Make one with from_arrays, from_sklearn, join or open_pool; with
    Pool(engine) where items lie in an engine of your own (fewlabels.engines.Engine says what it must do)."""

    engine: Engine
    positive: str | None = None
    source: Mapping[str, Any] | None = field(
        default=None, repr=False
    )  # how to open it again, where it came from a file

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that a model can predict."""
        return self.engine.classes

    @property
    def other_labels(self) -> tuple[str, ...]:
        """True classes no model predicts."""
        return self.engine.other_labels

    @property
    def true_classes(self) -> tuple[str, ...]:
        return self.classes + self.other_labels

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self.engine.models)

    def model_named(self, name: str | None) -> str:
        """The model of this name, or else the only one."""
        if name is None and len(self.models) > 1:
            raise QuestionError(f"the pool has several models; say which with model=: {', '.join(self.models)}.")
        chosen = name or self.models[0]
        if chosen not in self.models:
            raise QuestionError(f"the pool has no model {chosen!r}; models are {', '.join(self.models)}.")
        return chosen

    @property
    def columns(self) -> tuple[str, ...]:
        """The attributes that items can be grouped by."""
        return tuple(self.engine.columns)

    @property
    def ids(self) -> list[Item]:
        """The items' ids, in the pool's order."""
        return list(gathered(self.engine.scan(self.models[0])).items.tolist())

    @cached_property
    def known_labels(self) -> npt.NDArray[Any] | None:
        """The true classes in the pool's order, where they are known: for simulation only; studies never look."""
        return gathered(self.engine.scan(self.models[0])).labels

    def __len__(self) -> int:
        return self.engine.count

    def __repr__(self) -> str:
        models = "" if self.models == (ONE_MODEL,) else f", models {', '.join(self.models)}"
        return f"<Pool: {len(self):,} items, {len(self.classes)} classes{models}>"

    def _repr_html_(self) -> str:
        models = [] if self.models == (ONE_MODEL,) else [f"models: {', '.join(self.models)}"]
        about = [f"{len(self):,} items, {len(self.classes):,} classes: {few_of(self.classes, 8)}", *models]
        return html_of("Pool", [*about, *([f"columns: {', '.join(self.columns)}"] if self.columns else [])])

    @classmethod
    def from_arrays(
        cls,
        *,
        probabilities: Any = None,
        predicted: Any = None,
        score: Any = None,
        positive_score: Any = None,
        threshold: float | None = None,
        positive: object = None,
        ids: Any = None,
        classes: Sequence[Any] | None = None,
        columns: Mapping[str, Any] | None = None,
        payload: Mapping[str, Any] | None = None,
        labels: Any = None,
        other_labels: Sequence[Any] = (),
        probabilities_are: ProbabilitiesAre = "exclusive",
    ) -> "Pool":
        """A pool of the given items.

        Exactly one of three forms: `probabilities` (items × classes); `predicted` with `score`, the predicted class's
        own; or `positive_score` with `threshold` (0.5), for the class named `positive`. `labels` are true classes
        already known: for simulation, never read by a study.

        >>> Pool.from_arrays(predicted=["cat", "dog"], score=[0.9, 0.6])
        <Pool: 2 items, 2 classes>
        """
        count = _count(probabilities, predicted, positive_score)
        if count == 0:
            raise PoolError("the pool is empty: there is no item to label. Pass at least one.")
        item_ids = check_ids(ids, count)
        shown = None if ids is None else item_ids
        outputs, names = _outputs(
            probabilities, predicted, score, positive_score, threshold, positive, classes, probabilities_are, shown
        )
        others = check_others(other_labels, names)
        named_positive = positive_named(positive, names)
        attributes = {str(name): check_column(values, name) for name, values in (columns or {}).items()}
        shown_to_people = check_payload(payload or {})
        known = None if labels is None else labels_named(labels, names + others, named_positive)
        for column, length in (
            *((name, len(values)) for name, values in attributes.items()),
            *((name, len(texts)) for name, texts in shown_to_people.items()),
            ("labels", count if known is None else len(known)),
        ):
            check_length(column, length, count)
        models = {ONE_MODEL: outputs}
        return cls(MemoryEngine(item_ids, names, others, models, attributes, shown_to_people, known), named_positive)

    @classmethod
    def from_sklearn(cls, classifier: Any, X: Any, **more: Any) -> "Pool":
        """A pool of a fitted scikit-learn classifier's predictions on X; further arguments as in from_arrays."""
        if not hasattr(classifier, "predict_proba"):
            raise PoolError(
                f"{type(classifier).__name__} has no predict_proba; calibrate it (CalibratedClassifierCV), or pass "
                "predicted= and score= to Pool.from_arrays."
            )
        return cls.from_arrays(probabilities=classifier.predict_proba(X), classes=list(classifier.classes_), **more)

    @classmethod
    def join(cls, pools: Mapping[str, "Pool"]) -> "Pool":
        """One pool of several models over the same ids and classes; columns and payload of all of them."""
        if not pools:
            raise PoolError("Pool.join got no pools; pass {model name: pool, …}.")
        check_classes(list(pools), "models")
        first_name, first = next(iter(pools.items()))
        for name, pool in pools.items():
            if len(pool.models) != 1:
                raise PoolError("Pool.join takes pools of one model each; this one has several already.")
            if set(pool.classes) != set(first.classes):
                odd = sorted(set(pool.classes) ^ set(first.classes))[0]
                raise PoolError(
                    f"models {first_name!r} and {name!r} do not share class {odd!r}; pass the same classes= to both."
                )
        return cls(joined({str(name): pool.engine for name, pool in pools.items()}), first.positive)


def _count(probabilities: Any, predicted: Any, positive_score: Any) -> int:
    given = [x for x in (probabilities, predicted, positive_score) if x is not None]
    if len(given) != 1:
        raise PoolError(
            "pass exactly one of: probabilities (items × classes); predicted with score; positive_score with positive. "
            f"Got {len(given)} of them."
        )
    if not hasattr(given[0], "__len__") or (isinstance(given[0], np.ndarray) and given[0].ndim == 0):
        raise PoolError(
            f"probabilities, predicted and scores are lists or arrays, one entry an item; got {given[0]!r}."
        )
    return len(given[0])


def _outputs(
    probabilities: Any,
    predicted: Any,
    score: Any,
    positive_score: Any,
    threshold: float | None,
    positive: object,
    classes: Sequence[Any] | None,
    kind: ProbabilitiesAre,
    ids: npt.NDArray[Any] | None,
) -> tuple[ModelOutputs, tuple[str, ...]]:
    """The three forms a model's outputs come in, as one."""
    if threshold is not None and positive_score is None:
        raise PoolError(f"threshold={threshold!r} cuts a positive_score, and none is given; pass both or neither.")
    if probabilities is not None:
        table = check_probabilities(probabilities, ids, kind)
        named = getattr(probabilities, "columns", range(table.shape[1]))  # a data frame names its classes
        names = check_classes(classes if classes is not None else list(named))
        if len(names) != table.shape[1]:
            raise PoolError(
                f"classes has {len(names)} names and probabilities {table.shape[1]} columns; give one name a column."
            )
        top = table.argmax(axis=1)
        return ModelOutputs(top.astype(np.int64), table[np.arange(len(top)), top].astype(np.float64), table), names
    if predicted is not None:
        if score is None:
            raise PoolError("predicted needs score, the model's score for the class it predicts; pass both.")
        index, names = check_predicted(predicted, classes, ids)
        scores = check_scores(score, ids)
        check_length("score", len(scores), len(index))
        return ModelOutputs(index, scores, None), names
    return _binary(positive_score, threshold, positive, classes, ids)


def _binary(
    positive_score: Any,
    threshold: float | None,
    positive: object,
    classes: Sequence[Any] | None,
    ids: npt.NDArray[Any] | None,
) -> tuple[ModelOutputs, tuple[str, ...]]:
    names, threshold = two_classes(threshold, positive, classes)
    scores = check_scores(positive_score, ids, "positive_score")
    which = names.index(str(positive))
    table = np.empty((len(scores), 2))
    table[:, which], table[:, 1 - which] = scores, 1 - scores
    predicted = np.where(scores >= threshold, which, 1 - which).astype(np.int64)
    return ModelOutputs(predicted, table[np.arange(len(scores)), predicted], table), names


def two_classes(
    threshold: float | None, positive: object, classes: Sequence[Any] | None
) -> tuple[tuple[str, ...], float]:
    """The classes of a positive score, and the threshold that parts them."""
    if positive is None:
        raise PoolError("positive_score needs the name of the class it scores; pass positive='fraud', say.")
    threshold = 0.5 if threshold is None else threshold
    if not 0 <= threshold <= 1:
        raise PoolError(f"threshold is a score in [0, 1]; got {threshold!r}.")
    names = check_classes(classes if classes is not None else (f"not {positive}", positive))
    if len(names) != 2 or str(positive) not in names:
        raise PoolError(
            f"a positive_score goes with two classes, one of them positive={positive!r}; got {list(names)}."
        )
    return names, threshold


def check_others(other_labels: Sequence[Any], names: tuple[str, ...]) -> tuple[str, ...]:
    """True classes no model predicts."""
    others = check_classes(other_labels, "other_labels")
    for name in others:
        if name in names:
            raise PoolError(f"other_labels names {name!r}, which a model does predict; leave it out.")
    return others


def positive_named(positive: object, names: tuple[str, ...]) -> str | None:
    if positive is not None and str(positive) not in names:
        raise PoolError(f"positive={positive!r} is not a class the models predict; those are {listed(names)}.")
    return None if positive is None else str(positive)


def labels_named(labels: Any, names: tuple[str, ...], positive: str | None) -> npt.NDArray[Any]:
    """Known labels as class names, as `Study.tell` would read them; text of a file without types also as numbers."""
    given = plain_list(labels, "labels")
    kinds = set(map(type, given))
    keys = given if kinds == {str} else list(zip(map(type, given), map(str, given), strict=True))  # 1 is not True
    distinct = dict(zip(keys, given, strict=True))
    typed = _typed([value for value in distinct.values() if isinstance(value, str)], names)
    told = [typed.get(value, value) if isinstance(value, str) else value for value in distinct.values()]
    by_number = {int(name): name for name in names if name.isdecimal()}  # 7 is class 007, where none is called 7
    read = {
        key: name or by_number.get(int(value) if is_whole_number(value) else -1) or str(value)
        for (key, value), name in zip(distinct.items(), match_labels(told, names, positive), strict=True)
    }
    return np.array(list(map(read.__getitem__, keys)), dtype=object)


def _typed(texts: Collection[str], names: Collection[str]) -> dict[str, object]:
    """Labels that stand as text in a file without types, as what all of them may be: whole numbers or truth values."""
    if all(text in names for text in texts):
        return {}
    if all(map(is_whole_number, texts)):
        return {text: int(text) for text in texts}
    if all(text.lower() in ("true", "false") for text in texts):
        return {text: text.capitalize() for text in texts}
    return {}
