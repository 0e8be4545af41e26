"""What a reproduction is: the paper's numbers beside ours, with the difference in standard errors."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

ROUNDING = 0.05  # half a unit of the last digit the papers print


@dataclass(frozen=True)
class Row:
    """One number of a table: what the paper prints, and what came out here."""

    what: str  # method and budget, in words
    paper: float | None  # None where the paper has no such number
    ours: float
    se: float
    variant: Literal["as printed", "as stated"] = "as printed"
    low: float | None = None  # ends of a 99 % interval of ours, where a standard error does not serve
    high: float | None = None

    @property
    def tolerance(self) -> float:
        """3 sqrt(2 se^2 + 0.05^2 / 3): both are means of as many runs, and the paper's is rounded."""
        return 3 * math.sqrt(2 * self.se**2 + ROUNDING**2 / 3)

    @property
    def agrees(self) -> bool | None:
        """Whether the paper's number is compatible with ours; None where there is nothing to compare."""
        if self.paper is None or self.variant == "as stated":
            return None
        if self.low is not None and self.high is not None:
            return self.low - ROUNDING <= self.paper <= self.high + ROUNDING
        return abs(self.ours - self.paper) <= self.tolerance

    @property
    def apart(self) -> float | None:
        """The difference in standard errors of a difference."""
        if self.paper is None or math.isnan(self.se):
            return None
        return (self.ours - self.paper) / math.sqrt(2 * self.se**2 + ROUNDING**2 / 3)


@dataclass(frozen=True)
class Reproduction:
    """A table or figure, again."""

    name: str
    title: str
    pool: str
    runs: int
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def agrees(self) -> bool:
        """Whether every number the paper prints is compatible with ours."""
        return all(row.agrees is not False for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """Plain data: everything shown, and the verdicts."""
        rows = [{**asdict(row), "agrees": row.agrees, "apart": row.apart} for row in self.rows]
        return {**asdict(self), "rows": rows, "agrees": self.agrees}

    def __str__(self) -> str:
        lines = [f"{self.title}", f"{self.pool}; {self.runs:,} runs; {self.seconds:.0f} s", ""]
        width = max(len(row.what) for row in self.rows)
        for variant in ("as printed", "as stated"):
            rows = [row for row in self.rows if row.variant == variant]
            if rows:
                lines.append(f"{variant:<{width}}  {'paper':>8}  {'ours':>16}  difference")
                lines += [_line(row, width) for row in rows] + [""]
        return "\n".join([*lines, *self.notes]).rstrip()


def _line(row: Row, width: int) -> str:
    paper = "–" if row.paper is None else f"{row.paper:.1f}"
    spread = f"± {row.se:.2f}" if row.low is None else f"({row.low:.1f}–{row.high:.1f})"
    verdict = "" if row.agrees is None else "agrees" if row.agrees else "does not agree"
    apart = "" if row.apart is None or row.agrees is None else f"{row.apart:+.1f} se, "
    return f"{row.what:<{width}}  {paper:>8}  {f'{row.ours:.2f} {spread}':>16}  {apart}{verdict}".rstrip()
