"""Between which ranks each group lies, and how likely it is the worst, or the best ([Ji21] Fig. 9)."""

from collections.abc import Sequence
from typing import cast

from fewlabels.answers import Identification, RankedFinding, count_of, level_words, percent
from fewlabels.errors import QuestionError
from fewlabels.figures.axes import Scale, counts, scale
from fewlabels.figures.bars import Bar, bar_chart
from fewlabels.figures.figure import NARROW, Figure, Number, table
from fewlabels.figures.intervals import Row, interval_chart
from fewlabels.figures.marks import Drawing, beside, stacked
from fewlabels.questions import Identify
from fewlabels.study.look import Look

_MOST = 10  # groups that may be the worst, or the best


def ranks(look: Look) -> Figure:
    """The rank of each group by the metric of the study's question."""
    asked = look.question
    if not asked.by or not asked.metric.one_a_group:
        raise QuestionError(f"{asked.describe()} has no groups to rank; ask by='predicted_class', say.")
    if look.evidence.count == 0:
        raise QuestionError("no labels yet: ranks would be those of the scores.")
    worst, best = (
        cast(Identification, look.other(Identify(asked.metric, asked.by, which=end))) for end in ("worst", "best")
    )
    found = [f for f in worst.findings if f.rank is not None]
    if not found:
        raise QuestionError("no group has enough own labels for a rank yet.")
    last = {f.group: f.p_top for f in best.findings if f.rank is not None}
    few = len(worst.findings) - len(found)
    named = look.answer.groups if isinstance(look.answer, Identification) else ()
    level, first = level_words(worst.findings[0].level), "least" if asked.metric.worst == "lowest" else "highest"
    return Figure(
        "ranks",
        f"Ranks by {asked.metric.title}",
        f"Each bar is the {level} interval of a group's rank, 1 being the {first} {asked.metric.title}, the dot its "
        f"place by the estimates, from {count_of(look.evidence.count, 'label')}; on the right how likely it is the "
        f"worst of all.{' In colour: the groups named above.' if named else ''} Below: the groups that may be the "
        "worst, and the best."
        + (f" {few:,} more have too few labels for a rank." if few else ""),
        lambda width: _drawn(found, last, named, width),
        table(
            ("group", "rank", "low", "high", "P(worst)", "P(best)"),
            [
                (f.group, *(Number(n, f"{n:,}") for n in _ranks(f)),
                 Number(f.p_top, percent(f.p_top)), Number(last[f.group], percent(last[f.group])))
                for f in found
            ],
            1000,
        ),
    )  # fmt: skip


def _ranks(finding: RankedFinding) -> tuple[int, int, int]:
    """The rank and its interval, of a group that has one."""
    return cast(int, finding.rank), cast(int, finding.rank_low), cast(int, finding.rank_high)


def _drawn(found: Sequence[RankedFinding], last: dict[str, float], named: Sequence[str], width: float) -> Drawing:
    rows = [
        Row(f.group, *_ranks(f), percent(f.p_top),
            f"{f.group}: rank {f.rank}, from {f.rank_low} to {f.rank_high}; the worst with probability "
            f"{percent(f.p_top)}, the best with {percent(last[f.group])}", f.group in named)
        for f in found
    ]  # fmt: skip
    ticks = (1.0, *(t for t in counts(len(found)).ticks if 1 < t <= len(found)))
    axis = Scale(ticks, "number", 0.5, len(found) + 0.5)
    top = interval_chart(rows, width, axis, "rank", right="P(worst)")
    half = width if width <= NARROW else (width - 24) / 2
    ends = [
        _likely(half, "probability of being the worst", {f.group: f.p_top for f in found}),
        _likely(half, "probability of being the best", last),
    ]
    return stacked([top, stacked(ends) if width <= NARROW else beside(ends)])


def _likely(width: float, title: str, chance: dict[str, float]) -> Drawing:
    most = sorted(chance.items(), key=lambda pair: -pair[1])[:_MOST]
    shown = [(name, p) for name, p in most if p >= 0.005] or most[:1]
    bars = [Bar(name, p, percent(p), f"{name}: {percent(p)}") for name, p in shown]
    return bar_chart(bars, width, scale([0.0, *(p for _, p in shown)], about=3, bounds=(0.0, 1.0)), title)
