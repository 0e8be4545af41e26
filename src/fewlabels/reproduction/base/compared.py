"""One number of a table or figure: what the paper prints, what came out here, and how far apart they are."""

import math
from dataclasses import dataclass
from typing import Literal

ROUNDING = 0.05  # half a unit of the last digit most of the papers' tables print

Variant = Literal["as printed", "as stated"]


@dataclass(frozen=True)
class Compared:
    """One number of a table: what the paper prints, and what came out here."""

    what: str  # method and budget, in words
    paper: float | None  # None where the paper has no such number
    ours: float
    se: float
    variant: Variant = "as printed"
    low: float | None = None  # ends of a 99 % interval of ours, where a standard error does not serve
    high: float | None = None
    rounding: float = ROUNDING  # half a unit of the last digit the paper prints
    other_pool: bool = False  # computed on another pool than the paper's, so that the two need not agree

    @property
    def _spread(self) -> float:
        """sqrt(2 se^2 + r^2 / 3): both are means of as many runs, and the paper's is rounded to within r."""
        return math.sqrt(2 * self.se**2 + self.rounding**2 / 3)

    @property
    def agrees(self) -> bool | None:
        """Whether the paper's number is compatible with ours; None where there is nothing to compare."""
        if self.paper is None or self.variant == "as stated" or self.other_pool:
            return None
        if self.low is not None and self.high is not None:
            return self.low - self.rounding <= self.paper <= self.high + self.rounding
        return abs(self.ours - self.paper) <= 3 * self._spread

    @property
    def apart(self) -> float | None:
        """The difference in standard errors of a difference."""
        if self.paper is None or not math.isfinite(self.ours) or math.isnan(self.se):
            return None
        return (self.ours - self.paper) / self._spread

    @property
    def verdict(self) -> str:
        """How far apart, and whether that agrees, in words."""
        apart = "" if self.apart is None else f"{self.apart:+.1f} se"
        agreement = "" if self.agrees is None else "agrees" if self.agrees else "does not agree"
        return ", ".join(part for part in (apart, agreement) if part)

    @property
    def shown(self) -> tuple[str, str]:
        """The paper's number and ours, as text; ours with a decimal more than the paper prints."""
        many = max(0, 1 - math.floor(math.log10(2 * self.rounding)))
        few = max(many - 1, 0)
        paper = "–" if self.paper is None else f"{self.paper:,.{few}f}"
        spread = ""
        if self.low is not None and self.high is not None:
            spread = f" ({_number(self.low, few)}–{'?' if math.isinf(self.high) else _number(self.high, few)})"
        elif not math.isnan(self.se):
            spread = f" ± {self.se:,.{many}f}"
        return paper, _number(self.ours, many) + spread


def _number(value: float, digits: int) -> str:
    return "never" if math.isinf(value) else f"{value:,.{digits}f}"
