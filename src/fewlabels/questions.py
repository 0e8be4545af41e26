"""What can be asked of a model: Estimate, Identify, Compare, Below, Above."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

from fewlabels.core.cells import JOIN
from fewlabels.core.groups import Grouping, TrueClass, grouping_to_json, parse_by
from fewlabels.core.verdicts import Control
from fewlabels.errors import QuestionError
from fewlabels.metrics import Metric, metric_to_json, read_metric

Which: TypeAlias = Literal["worst", "best", "highest", "lowest"]


@dataclass(frozen=True, init=False)
class Question:
    """A metric by groups. What the three questions share."""

    metric: Metric
    by: tuple[Grouping, ...]

    kind: ClassVar[str]
    of_models: ClassVar[bool] = False  # it sets several models against one another

    def _set(self, metric: str | Metric | Sequence[str | Metric], by: object, positive: object, **more: Any) -> None:
        metric = read_metric(metric, positive)
        groupings = parse_by(by)
        if TrueClass() in groupings and metric.by_true_class is None:
            raise QuestionError(
                f"by='true_class' is for accuracy and calibration; {metric.title} is asked by groups known beforehand."
            )
        if groupings and not metric.of_groups:
            raise QuestionError(
                f"{metric.title} is asked of the whole pool; leave out by, or ask for fl.FScore by group."
            )
        if (why := metric.no_meaning(groupings)) is not None:
            raise QuestionError(f"{metric.title} {by_words_of(groupings)} has no meaning: {why}")
        self._put({"metric": metric, "by": groupings, **more})

    def _put(self, fields: Mapping[str, Any]) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def kept(cls, **fields: Any) -> Self:
        """A question of these fields as it was asked once, whether it would be accepted today or not."""
        made = object.__new__(cls)
        made._put(fields)
        return made

    @property
    def by_true_class(self) -> bool:
        return TrueClass() in self.by

    @cached_property
    def measured(self) -> Metric:
        """The metric that is computed: accuracy by true class is reached through the confusion matrix."""
        by_class = self.metric.by_true_class if self.by_true_class else None
        return by_class or self.metric

    @property
    def drawn_from_all(self) -> bool:
        """Whether any item of the pool may be drawn for it."""
        return True

    @property
    def models(self) -> tuple[str, ...]:
        """The models set against one another, as far as they are named."""
        return ()

    @property
    def margin(self) -> float:
        """How near to the best model is near enough, where that is to be found."""
        return 0.0

    def on(self, models: tuple[str, ...]) -> "Question":  # noqa: ARG002 - only questions about several ask for them
        """The question of a pool of these models, each of those it is about named; raises where there are none such."""
        return self

    @property
    def in_bins(self) -> bool:
        """Whether it sets models against one another by gaps in bins of each one's scores."""
        return False

    @property
    def weighable(self) -> bool:
        """Whether this is a ratio over the whole pool: what importance sampling is for."""
        return False

    @property
    def plays(self) -> int:
        """How many groups are to be found at once."""
        return 1

    @property
    def one_winner(self) -> bool:
        """Whether one group is to be found."""
        return False

    @property
    def certifiable(self) -> bool:
        """Whether groups are to be found by a figure that is a line in how often they are right: what can be
        certified."""
        return False

    @property
    def proves(self) -> bool:
        """Whether groups are to be found with a proof that holds however often somebody looks."""
        return False

    @cached_property
    def groups(self) -> tuple[Grouping, ...]:
        """The groupings known without labels."""
        return tuple(g for g in self.by if g != TrueClass())

    @cached_property
    def axes(self) -> tuple[Grouping, ...]:
        """The axes whose crossing makes the cells."""
        return (*self.groups, *(axis for axis in self.measured.axes if axis not in self.groups))

    @cached_property
    def by_words(self) -> str:
        return f" {by_words_of(self.by)}" if self.by else ""

    def describe(self) -> str:
        """The question in words."""
        return f"{self.metric.title}{self.by_words}"

    def to_json(self) -> dict[str, Any]:
        by = [grouping_to_json(g) for g in self.by]
        return {"kind": self.kind, "metric": metric_to_json(self.metric), "by": by, **self._more()}

    def _more(self) -> dict[str, Any]:
        return {}


def by_words_of(by: tuple[Grouping, ...]) -> str:
    """Groupings in words."""
    return f"by {' × '.join(g.label for g in by)}"


def _one_number_a_group(metric: Metric) -> None:
    if not metric.one_a_group:
        raise QuestionError(f"the {metric.title} is not one number a group; ask fl.Estimate for it.")


def check_rope(rope: float) -> None:
    """Raise where it is none."""
    if not (isinstance(rope, int | float) and 0 <= rope < 1):
        raise QuestionError(f"rope is the largest difference of no practical importance, such as 0.05; got {rope!r}.")


@dataclass(frozen=True, init=False)
class Estimate(Question):
    """How good is it, overall and in each group?

    >>> Estimate("accuracy", by="predicted_class").describe()
    'accuracy by predicted class'
    """

    kind: ClassVar[str] = "estimate"

    def __init__(
        self, metric: str | Metric | Sequence[str | Metric], by: object = None, *, positive: object = None
    ) -> None:
        self._set(metric, by, positive)

    @property
    def weighable(self) -> bool:
        return self.metric.ratio and not self.by


@dataclass(frozen=True, init=False)
class Identify(Question):
    """Which groups are worst (or best, highest, lowest)?

    `within` is how far the groups named may be from the true ones: by .01, a group is as good a find as another whose
    figure is one point worse. At 0 it is to be exactly these, which groups that all but tie may never let anyone say.

    With `proven` a study stops when that is proven, however often somebody looks: by bets on draws of its own. It takes
    more labels than the usual rule, which is measured and not proven; fl.plan says about how many.

    >>> Identify("accuracy", by="predicted_class", proven=True).proven
    True
    """

    top: int
    which: Which
    within: float
    proven: bool

    kind: ClassVar[str] = "identify"

    def __init__(
        self,
        metric: str | Metric,
        by: object = None,
        top: int = 1,
        which: Which = "worst",
        *,
        within: float = 0.01,
        proven: bool = False,
        positive: object = None,
    ) -> None:
        if not (isinstance(within, int | float) and 0 <= within < 1):
            raise QuestionError(
                f"within is how far a group named may be from the true ones, from 0 to below 1 (0.01, say); "
                f"got {within!r}."
            )
        if not isinstance(top, int) or top < 1:
            raise QuestionError(f"top is how many groups to find, at least 1; got {top!r}.")
        if which not in ("worst", "best", "highest", "lowest"):
            raise QuestionError(f"which is 'worst', 'best', 'highest' or 'lowest'; got {which!r}.")
        if by is None:
            raise QuestionError("Identify needs groups to choose among; pass by='predicted_class' or a column's name.")
        if not isinstance(proven, bool):
            raise QuestionError(f"proven is True or False: whether the groups are to be proven; got {proven!r}.")
        self._set(metric, by, positive, top=top, which=which, within=float(within), proven=proven)
        _one_number_a_group(self.metric)
        if proven and not (self.certifiable and abs(self.measured.scale or 0.0) == 1):
            raise QuestionError(
                f"proven=True is for accuracy and calibration bias by groups known beforehand, not for "
                f"{super().describe()}; leave it out."
            )

    @property
    def plays(self) -> int:
        return self.top

    @property
    def one_winner(self) -> bool:
        return self.top == 1

    @property
    def certifiable(self) -> bool:
        return self.measured.of_correctness and self.measured.scale is not None

    @property
    def proves(self) -> bool:
        return self.proven

    @property
    def lowest_first(self) -> bool:
        return self.which == "lowest" or (
            self.which in ("worst", "best") and (self.which == "worst") == (self.metric.worst == "lowest")
        )

    def describe(self) -> str:
        end = "lowest" if self.lowest_first else "highest"
        return f"{'group' if self.top == 1 else f'{self.top} groups'} of {end} {super().describe()}"

    def _more(self) -> dict[str, Any]:
        proven = {"proven": True} if self.proven else {}  # kept where it is asked for: others stay as they were
        return {"top": self.top, "which": self.which, "within": self.within, **proven}


@dataclass(frozen=True, init=False)
class Compare(Question):
    """Is group a treated worse than group b, by more than the region of practical equivalence?"""

    a: str
    b: str
    rope: float

    kind: ClassVar[str] = "compare"

    def __init__(
        self, metric: str | Metric, by: object, a: object, b: object, rope: float = 0.05, *, positive: object = None
    ) -> None:
        check_rope(rope)
        names = [JOIN.join(str(p) for p in g) if isinstance(g, tuple) else str(g) for g in (a, b)]
        if names[0] == names[1]:
            raise QuestionError(f"Compare needs two different groups; got {names[0]!r} twice.")
        if by is None:
            raise QuestionError("Compare needs groups to compare; pass by='predicted_class' or a column's name.")
        self._set(metric, by, positive, a=names[0], b=names[1], rope=float(rope))
        _one_number_a_group(self.metric)

    @property
    def drawn_from_all(self) -> bool:
        return self.by_true_class

    def describe(self) -> str:
        return f"{self.metric.title} of {self.a} against {self.b}{self.by_words}"

    def _more(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "rope": self.rope}


@dataclass(frozen=True, init=False)
class Against(Question):
    """Which groups lie below a threshold, and which above? A verdict on a group that is nearer to it than `within` is
    right whichever it is. Of all verdicts no more than the level allows are expected to be wrong (control
    "discoveries"), or any at all is with no more than that chance ("family"), whoever looks after each label."""

    threshold: float
    within: float
    control: Control

    def __init__(
        self, metric: str | Metric, threshold: float, by: object = None, *, within: float = 0.01,
        control: Control = "discoveries", positive: object = None,
    ) -> None:  # fmt: skip
        if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not -1 < threshold < 1:
            raise QuestionError(f"threshold is a number such as 0.8; got {threshold!r}.")
        if not (isinstance(within, int | float) and 0 <= within < 1):
            raise QuestionError(
                f"within is how near to the threshold either verdict is right, 0.01 say; got {within!r}."
            )
        if control not in get_args(Control):
            raise QuestionError(f"control is {' or '.join(map(repr, get_args(Control)))}; got {control!r}.")
        self._set(metric, by, positive, threshold=float(threshold), within=float(within), control=control)
        if self.metric.scale is None or self.by_true_class:
            raise QuestionError(f"a threshold is for accuracy and calibration bias, not for {super().describe()}.")
        if self.metric.scale > 0 and not within < threshold < 1 - within:
            raise QuestionError(
                f"between {within:g} and {1 - within:g} there is something to find out; got threshold={threshold:g}."
            )

    def enough(self, level: float, groups: int) -> float:
        """The logarithm of what a verdict takes at most, once all have theirs."""
        return math.log((groups if self.control == "family" else 1) / (1 - level))

    def describe(self) -> str:
        return f"{super().describe()}, {self.kind} {self.threshold:g}"

    def _more(self) -> dict[str, Any]:
        return {"threshold": self.threshold, "within": self.within, "control": self.control}


class Below(Against):
    """Which groups lie below a threshold?

    >>> Below("accuracy", 0.8, by="predicted_class").describe()
    'accuracy by predicted class, below 0.8'
    """

    kind: ClassVar[str] = "below"


class Above(Against):
    """Which groups lie above a threshold, and do all of them?"""

    kind: ClassVar[str] = "above"


DEFAULT = Estimate("accuracy", by="predicted_class")  # what a study asks when nobody says otherwise
