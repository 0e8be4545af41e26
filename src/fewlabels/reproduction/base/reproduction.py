"""What a reproduction is: the paper's numbers beside ours, its claims judged, and its curves."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from fewlabels.reproduction.base.claims import Judged, Part
from fewlabels.reproduction.base.compared import Compared
from fewlabels.reproduction.base.panels import Panel


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
    judged: tuple[Judged, ...] = ()  # the paper's claims
    across: int | None = None  # panels beside one another
    seconds: float = field(default=0.0, compare=False)

    @property
    def agrees(self) -> bool:
        """Whether every number the paper prints is compatible with ours."""
        return all(row.agrees is not False for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """Plain data: everything shown, and the verdicts; numbers that JSON does not have are null."""
        rows = [{**asdict(row), "agrees": row.agrees, "apart": row.apart} for row in self.rows]
        judged = [{**asdict(one), "verdict": one.verdict} for one in self.judged]
        return dict(_plain({**asdict(self), "rows": rows, "judged": judged, "agrees": self.agrees}))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Reproduction":
        """What `to_json` wrote."""
        rows = tuple(_row(row) for row in data["rows"])
        panels = tuple(Panel.from_json(panel) for panel in data["panels"])
        judged = tuple(_judged(one) for one in data["judged"])
        simple = {key: data[key] for key in ("name", "title", "pool", "runs", "across", "seconds")}
        return cls(**simple, rows=rows, notes=tuple(data["notes"]), panels=panels, judged=judged)

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
        claims = [f"{one.where}: “{one.quote}” {one.verdict} ({one.numbers})" for one in self.judged]
        parts = [*lines, *([""] if self.panels else []), *claims, *([""] if claims else []), *self.notes]
        return "\n".join(parts).rstrip()


def count_of_runs(runs: int) -> str:
    """How many, in words."""
    return "1 run" if runs == 1 else f"{runs:,} runs"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "never" if value > 0 else "-never"
    return value


def _row(data: dict[str, Any]) -> Compared:
    known = {key: value for key, value in data.items() if key not in ("agrees", "apart")}
    never = {key: math.inf for key in ("ours", "se", "low", "high") if data[key] == "never"}
    unknown = {key: math.nan for key in ("ours", "se") if data[key] is None}
    return Compared(**known | never | unknown)


def _judged(data: dict[str, Any]) -> Judged:
    parts = [{key: _number(value) for key, value in part.items()} for part in data["parts"]]
    return Judged(data["quote"], data["where"], data["means"], tuple(Part(**part) for part in parts))


def _number(value: Any) -> Any:
    """What `_plain` made of a number that JSON does not have."""
    return {"never": math.inf, "-never": -math.inf, None: math.nan}.get(value, value)
