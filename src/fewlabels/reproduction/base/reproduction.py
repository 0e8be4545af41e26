"""What a reproduction is: the paper's numbers beside ours, with the difference in standard errors, and its curves."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from fewlabels.reproduction.base.panels import Panel

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


@dataclass(frozen=True)
class Reproduction:
    """A table or figure, again."""

    name: str
    title: str
    pool: str
    runs: int
    rows: tuple[Compared, ...] = ()
    notes: tuple[str, ...] = ()
    panels: tuple[Panel, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def agrees(self) -> bool:
        """Whether every number the paper prints is compatible with ours."""
        return all(row.agrees is not False for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """Plain data: everything shown, and the verdicts; numbers that JSON does not have are null."""
        rows = [{**asdict(row), "agrees": row.agrees, "apart": row.apart} for row in self.rows]
        return dict(_plain({**asdict(self), "rows": rows, "agrees": self.agrees}))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Reproduction":
        """What `to_json` wrote."""
        rows = tuple(_row(row) for row in data["rows"])
        panels = tuple(Panel.from_json(panel) for panel in data["panels"])
        simple = {key: data[key] for key in ("name", "title", "pool", "runs", "seconds")}
        return cls(**simple, rows=rows, notes=tuple(data["notes"]), panels=panels)

    def __str__(self) -> str:
        lines = [f"{self.title}", f"{self.pool}; {count_of_runs(self.runs)}; {self.seconds:.0f} s", ""]
        width = max((len(row.what) for row in self.rows), default=0)
        for variant in ("as printed", "as stated"):
            rows = [row for row in self.rows if row.variant == variant]
            if rows:
                lines.append(f"{variant:<{width}}  {'paper':>9}  {'ours':>22}  difference")
                shown = "{:<{width}}  {:>9}  {:>22}  {}"
                lines += [shown.format(row.what, *row.shown, row.verdict, width=width).rstrip() for row in rows] + [""]
        lines += [f"{panel.title}: {', '.join(panel.names_of_curves)}" for panel in self.panels]
        return "\n".join([*lines, *([""] if self.panels else []), *self.notes]).rstrip()


def count_of_runs(runs: int) -> str:
    """How many, in words."""
    return "1 run" if runs == 1 else f"{runs:,} runs"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "never"
    return value


def _row(data: dict[str, Any]) -> Compared:
    known = {key: value for key, value in data.items() if key not in ("agrees", "apart")}
    never = {key: math.inf for key in ("ours", "se", "low", "high") if data[key] == "never"}
    unknown = {key: math.nan for key in ("ours", "se") if data[key] is None}
    return Compared(**known | never | unknown)
