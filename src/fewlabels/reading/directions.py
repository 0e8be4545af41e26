"""The verdict on two groups, or two models: which is higher, how surely, and by how much."""

import math
from dataclasses import dataclass
from typing import cast

from fewlabels.answers import (
    LEAST_FOR_A_VERDICT,
    LEAST_LABELS,
    Finding,
    Proof,
    Region,
    Unit,
    count_of,
    level_words,
    percent_of_draws,
    regions_of,
)
from fewlabels.metrics import Metric

_WIDE = 0.2  # an interval of a difference, in points of a share, from which an early stop is said to overstate it
_REGIONS: tuple[Region, ...] = ("less", "equal", "more")
_POINTS = " points"  # which is not said twice
_NEAR = 0.0005  # what is less rounds to zero points


@dataclass(frozen=True)
class Side:
    """One of the two, and the labels of it that count in the metric."""

    name: str
    labels: int
    every: bool  # whether these are all there are

    @classmethod
    def of(cls, finding: Finding) -> "Side":
        return cls(finding.group, finding.labels, finding.left == 0)

    @property
    def unseen(self) -> bool:
        return self.labels == 0 and not self.every

    def has(self, labels: int) -> bool:
        """Whether it has this many labels, or all there are."""
        return self.labels >= labels or self.every


@dataclass(frozen=True)
class Duel:
    """What the labels show of two things, by the guarantee that the question has.

    A flat verdict takes the level that was asked, by that guarantee. For one look each side needs twenty labels that
    count in the metric, or all there are. A proven bound may rest on ten, as its goal does.
    """

    a: str
    b: str
    metric: Metric
    sides: tuple[Side, ...]
    difference: Finding
    regions: tuple[float, float, float]  # the probabilities of less, about equal and more, with the rope
    signs: tuple[float, float]  # that a is lower at all, and higher
    proof: Proof | None
    rope: float
    of_models: bool = False
    fewest: int = LEAST_FOR_A_VERDICT  # labels that a verdict for one look takes on each side
    early: bool = False  # whether labelling ends as soon as the direction is shown

    @property
    def level(self) -> float:
        return self.difference.level

    @property
    def unseen(self) -> Side | None:
        """A side without labels."""
        return next((side for side in self.sides if side.unseen), None)

    @property
    def few(self) -> tuple[Side, ...]:
        """Sides with fewer labels than a verdict for one look takes."""
        return tuple(side for side in self.sides if not side.has(self.fewest))

    @property
    def shown(self) -> tuple[Region, ...]:
        """The regions that the guarantee shows; none while the question is open."""
        found, labels = self.difference, self.fewest if self.proof is None else LEAST_LABELS
        if self.unseen is not None or not all(side.has(labels) for side in self.sides) or math.isnan(found.value):
            return ()
        if self.proof is not None:
            return self.proof.of(self.level, self.rope)
        by_interval = regions_of(found.low, found.high, self.rope)
        likeliest = max(range(3), key=lambda region: self.regions[region])
        return by_interval or ((_REGIONS[likeliest],) if self.regions[likeliest] >= self.level else ())

    @property
    def decided(self) -> Region | None:
        """The flat verdict; None while there is none."""
        return self.shown[0] if self.shown else None

    # -- in words ----------------------------------------------------------------------------------------------------

    @property
    def sentence(self) -> str:
        """The verdict and what it rests on; or that there is none yet, and which way it leans."""
        if (side := self.unseen) is not None:
            return f"Not decided: {self._none_of(side)}."
        if math.isnan(self.difference.value):
            return f"Not decided: nothing is known of the {self.metric.title} yet."
        if self.decided is None:
            return self._open()
        clause = self._same() if self.decided == "equal" else self.clause(higher=self.decided == "more")
        start = "The " if clause.startswith("the ") else ""  # names of models stay as they are
        return f"{start}{clause.removeprefix(start.lower())}{self._how_far()}"

    def clause(self, *, higher: bool) -> str:
        """Which of the two is higher, in the words of the metric."""
        does, title, more = self.metric.does, self.metric.title, "more" if higher else "less"
        if self.of_models:
            often = f"{self.a} {does} {more} often than {self.b}"
            return often if does else f"{self.a} has a {'higher' if higher else 'lower'} {title} than {self.b}"
        if does:
            return f"the model {does} {more} often for {self.a} than for {self.b}"
        return f"the {title} is {'higher' if higher else 'lower'} for {self.a} than for {self.b}"

    def _same(self) -> str:
        return f"{self.a} and {self.b} have the same {self.metric.title} to within {self._size(self.rope)}"

    def _none_of(self, side: Side) -> str:
        """That nothing that counts was seen on a side."""
        what = self.metric.counted
        if what is None:
            return "no labels yet" if self.of_models else f"no label of {side.name} yet"
        return f"no {what} is labelled yet" if self.of_models else f"no {what} of {side.name} is labelled yet"

    def _open(self) -> str:
        if self.few:
            return f"Not decided yet{self._so_few()}."
        higher = self.signs[1] >= self.signs[0]
        lean = f"{self.clause(higher=higher)} ({percent_of_draws(min(max(self.signs), 1 - 1e-4))})"
        found = self.difference
        size = f"The difference, {self.a} − {self.b}, is about {self._signed(found.value)}"
        likely = f"(likely {self._between(found.low, found.high).removesuffix(_POINTS)})"
        return f"Not decided yet. Leaning: {lean}. {size} {likely}.{self._only()}"

    def _so_few(self) -> str:
        first, what = self.sides[0], self.metric.counted
        if self.of_models:
            return f", from {f'{first.labels} labelled {what}' if what else count_of(first.labels, 'label')}"
        rest = "".join(f", {side.labels} of {side.name}" for side in self.sides[1:])
        if what is None:
            return f": {count_of(first.labels, 'label')} of {first.name}{rest}"
        return f": {first.labels} labelled {what} of {first.name}{rest}"

    def _only(self) -> str:
        """What is proven, where that leaves the direction open."""
        if self.proof is None:
            return ""
        low, high = self.proof.interval(self.level)
        return f" Proven at {self._at}, however often you check, is only that it lies between {self._ends(low, high)}."

    def _how_far(self) -> str:
        """How far apart the two are, and by what guarantee."""
        found = self.difference
        if found.certain:
            far = "" if self.decided == "equal" else f", by {self._size(abs(found.value))}"
            return f"{far}: {found.interval}."
        low, high = found.low, found.high
        about = f"about {self._size(abs(found.value))}"
        likely = f"(likely {self._far(low, high).removesuffix(_POINTS)})"
        if self.proof is None:
            if self.decided == "equal":
                return f"; the difference is likely {self._between(low, high)}."
            return f", by {about} {likely}.{self._overstates()}"
        proven = f". Proven at {self._at}, however often you check{self._proven_far()}."
        few = "".join(f" {side.name}: {count_of(side.labels, 'label')}." for side in self.few if not self.of_models)
        size = "" if self.decided == "equal" else f" The size is less certain: {about} {likely}.{self._overstates()}"
        return f"{proven}{few}{size}"

    def _proven_far(self) -> str:
        low, high = cast(Proof, self.proof).interval(self.level)
        if self.decided == "equal":
            return f": the difference lies between {self._ends(low, high)}"
        least, most = sorted((abs(low), abs(high)))
        if "equal" in self.shown:
            return f": by no more than {self._size(most)}"
        return f": by at least {self._size(least, down=True)}" if least >= _NEAR else ""

    def _overstates(self) -> str:
        found = self.difference
        wide = found.unit == "points" and found.high - found.low > _WIDE
        return " Early stops tend to overstate the size." if self.early and wide else ""

    @property
    def _at(self) -> str:
        return level_words(self.level)

    @property
    def _unit(self) -> Unit:
        return self.difference.unit

    def _size(self, number: float, *, down: bool = False) -> str:
        return size_words(number, self._unit, down=down)

    def _signed(self, number: float) -> str:
        return f"{'−' if number < 0 else '+'}{self._size(abs(number))}"

    def _far(self, low: float, high: float) -> str:
        """An interval of how far apart they are: without signs, where it lies to one side."""
        if low >= 0 or high <= 0:
            least, most = sorted((abs(low), abs(high)))
            return between_words(least, most, self._unit, signed=False)
        return self._between(low, high)

    def _between(self, low: float, high: float) -> str:
        return between_words(low, high, self._unit)

    def _ends(self, low: float, high: float) -> str:
        return between_words(low, high, self._unit, " and ")


def size_words(number: float, unit: Unit, *, down: bool = False) -> str:
    """How far apart two figures are.

    >>> size_words(0.334, "points"), size_words(0.01, "points"), size_words(0.0042, "points"), size_words(1.5, "number")
    ('33 points', '1 point', '0.4 points', '1.5')
    >>> size_words(0.0199, "points", down=True)
    '1.9 points'
    """
    if unit == "number":
        return f"{number:.3g}"
    points = round(100 * number, 9)
    digits = 0 if points >= 10 or points == int(points) else 1
    if down:
        points = math.floor(points * 10**digits) / 10**digits
    text = f"{points:.{digits}f}".removesuffix(".0")
    return f"{text} point{'' if text == '1' else 's'}"


def between_words(low: float, high: float, unit: Unit, joined: str = " to ", *, signed: bool = True) -> str:
    """An interval of a difference, rounded outward.

    >>> between_words(-0.301, 0.0121, "points"), between_words(0.0043, 0.19, "points", signed=False)
    ('−31 to +2 points', '0 to 19 points')
    >>> between_words(0.012, 0.034, "points")
    '+1.2 to +3.4 points'
    """
    if unit == "number":
        return f"{low:+.3g}{joined}{high:+.3g}" if signed else f"{low:.3g}{joined}{high:.3g}"
    digits = 0 if high - low > 0.05 else 1
    scale = 10**digits
    ends = (math.floor(round(100 * low * scale, 6)) / scale, math.ceil(round(100 * high * scale, 6)) / scale)
    first, last = (_number(end, digits, signed=signed) for end in ends)
    return f"{first}{joined}{last} points"


def _number(end: float, digits: int, *, signed: bool) -> str:
    sign = ("−" if end < 0 else "+" if end > 0 else "") if signed else ""
    return f"{sign}{abs(end):.{digits}f}"
