"""docs/reproduction.md, written from the results kept: what agrees, what does not, why, where, from how many runs."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fewlabels.reproduction.base import Compared, Experiment, Reproduction, count_of_runs
from fewlabels.reproduction.base.claims import HOLDS, UNTOLD, VERDICTS, Judged, Verdict
from fewlabels.reproduction.errata import ERRATA
from fewlabels.reproduction.results import load_results
from fewlabels.reproduction.shapes.figure_pools import INSTEAD

EARLIER = ", before the rules; `make reproduction` does it again"
PICTURES = (".svg", ".png")
PAPERS = (
    ("aaai-table", "AAAI 2021, tables", ""),
    ("aaai-figure", "AAAI 2021, figures", ""),
    ("v1", "The first version (arXiv, 2020)", ""),
    ("workshop", "The workshop paper (ICML 2019)", ""),
    (
        "acis",
        "ACIS (ICCV 2021)",
        "The paper finds that ACIS needs a tenth of its rivals' labels. Rows like `labels GMM needs for ACIS's MSE at "
        "70, over 70` have, beside the paper's 10, how many times as many the best rival needs on that pool; the one "
        "named is whichever needs fewest.\n",
    ),
)
INTRODUCTION = """# The papers' tables and figures, again

Written by `make reproduction`: `fewlabels reproduce --all --keep FOLDER` does what is not kept there yet, `fewlabels
reproduce --document FILE --results FOLDER` writes this page. All runs have seed 0, and none was done again because of
what came out.

## In short

{summary}
### What the papers have wrong

{errata}
## How to read this

**As printed** follows the published code, where it is known to differ from the paper; **as stated** follows the paper.
A printed number *agrees* where |ours − paper| ≤ 3 √(2 se² + r²/3), se being the standard error of ours over the runs
and r half a unit of the last printed digit; where ours is the crossing of an average, where the printed number lies
in its 99 % bootstrap interval, of which an end "?" is one the runs cannot tell. Numbers computed on another pool than
the paper's, and those as stated, have a difference but no verdict.

What a paper claims is quoted and judged by a rule that was written before the runs: a number is *told* where two
standard errors to either side (or its interval) leave no doubt on which side of the claim it is. A claim *holds* where
all that is told says so, *holds in part* where some do and some do not, and *cannot be told here* where less than half
of its numbers are told. Where a pool stands in for the paper's, its name says so; the verdict is then of that pool.

Bands in pictures are two standard errors over the runs to either side, unless a note says otherwise.

Not reproduced, because they show no experiment: Figures 2, 10, 12 and 13 of the AAAI paper (algorithms) and Figure 4
of the workshop paper (notation, with a made-up model).

Pools. {instead} Their files are not part of this project; where each came from is said with each result.
"""


def document(folder: str | Path, experiments: Mapping[str, Experiment], file: str | Path) -> str:
    """The page, as text. `file` is where it will lie, so that pictures are found from there."""
    results = load_results(folder)
    judged = {name: _judged(found, experiments.get(name)) for name, found in results.items()}
    opening = INTRODUCTION.format(instead=INSTEAD, summary=_summary(results, judged, experiments), errata=_errata())
    parts = [opening, _overview(results, experiments)]
    for prefix, title, comment in PAPERS:
        names = [name for name in (*experiments, *results) if name.startswith(prefix) and name in results]
        if names:
            parts += [f"## {title}\n", *([comment] if comment else [])]
            parts += [
                _section(results[name], judged.get(name, ()), Path(folder), Path(file)) for name in dict.fromkeys(names)
            ]
    return "\n".join(parts).rstrip() + "\n"


def _judged(found: Reproduction, experiment: Experiment | None) -> tuple[Judged, ...]:
    """The claims judged by the rules as they are; none where the runs are older than the rules."""
    return () if experiment is None or experiment.is_earlier(found) else experiment.judged(found.rows)


def _summary(
    results: Mapping[str, Reproduction], judged: Mapping[str, Sequence[Judged]], experiments: Mapping[str, Experiment]
) -> str:
    """How many printed numbers come out, how many claims hold by paper, and the claims by verdict."""
    earlier = [n for n, e in experiments.items() if e.claims and (n not in results or e.is_earlier(results[n]))]
    agree = [row.agrees for found in results.values() for row in found.rows if row.agrees is not None]
    lines = [
        f"Of {len(agree)} numbers that the papers print for predictions we have too, {sum(agree)} come out; the others "
        "are listed with their reasons below the table of results. What the papers claim is judged by rules:",
        "",
        "| claims | " + " | ".join(_WORDS[verdict] for verdict in VERDICTS) + " |",
        "| --- |" + " ---: |" * len(VERDICTS),
    ]
    for prefix, title, _ in PAPERS:
        found = [c.verdict for name, claims in judged.items() if name.startswith(prefix) for c in claims]
        lines.append(f"| {title} | " + " | ".join(str(found.count(verdict)) for verdict in VERDICTS) + " |")
    lines.append("")
    if earlier:
        names = ", ".join(f"`{name}`" for name in earlier)
        lines += [f"Not judged yet, since their last runs are older than the rules: {names}.", ""]
    for verdict in VERDICTS:
        claims = [(name, c) for name, found in judged.items() for c in found if c.verdict == verdict]
        if claims:
            lines += [f"### Claims that {_WORDS[verdict]}", "", *_claim_lines(verdict, claims), ""]
    return "\n".join(lines)


def _claim_lines(verdict: Verdict, claims: Sequence[tuple[str, Judged]]) -> list[str]:
    """Those that hold, or cannot be told, in running text; the others a line each, with what speaks against them."""
    often = Counter((name, c.quote) for name, c in claims)
    meant = [f": {c.means}" if often[name, c.quote] > 1 else "" for name, c in claims]
    quoted = [f"“{c.quote}” ([{c.where}](#{name}){m})" for m, (name, c) in zip(meant, claims, strict=True)]
    if verdict in (HOLDS, UNTOLD):
        return ["; ".join(dict.fromkeys(quoted)) + "."]
    return [f"- {words}: {c.against}" for words, (_, c) in zip(quoted, claims, strict=True)]


_WORDS: dict[Verdict, str] = {
    "holds": "hold here",
    "holds in part": "hold in part",
    "does not hold": "do not hold here",
    "cannot be told here": "cannot be told here",
}


def _errata() -> str:
    return "\n".join(f"- **{what}**: {why}" for what, why in ERRATA) + "\n"


def _overview(results: Mapping[str, Reproduction], experiments: Mapping[str, Experiment]) -> str:
    lines = ["| Name | Runs | Printed numbers that agree |", "| --- | --- | --- |"]
    for name in dict.fromkeys((*experiments, *results)):
        found = results.get(name)
        if found is None:
            lines.append(f"| `{name}` | not run | |")
            continue
        few = name in experiments and found.runs < experiments[name].runs
        runs = f"{found.runs:,}" + (f" of the paper's {experiments[name].runs:,}" if few else "")
        if name in experiments and experiments[name].is_earlier(found):
            runs += EARLIER
        lines.append(f"| [`{name}`](#{name}) | {runs} | {_agreement(found.rows)} |")
    apart = [f"- `{name}`: {'; '.join(_apart(found.rows))}" for name, found in results.items() if _apart(found.rows)]
    lines += ["", "Printed numbers that do not agree; why is said with each:", "", *apart] if apart else []
    return "\n".join(lines) + "\n"


def _apart(rows: Iterable[Compared]) -> list[str]:
    return [f"{row.what}: {row.shown[0]} printed, {row.shown[1]} here" for row in rows if row.agrees is False]


def _agreement(rows: Iterable[Compared]) -> str:
    verdicts = [row.agrees for row in rows if row.agrees is not None]
    return f"{sum(verdicts)} of {len(verdicts)}" if verdicts else "none to compare"


def _section(found: Reproduction, judged: Sequence[Judged], folder: Path, file: Path) -> str:
    lines = [f"### {found.name}", "", f"{found.title}. {count_of_runs(found.runs)}. Pool: {found.pool}.", ""]
    for variant in ("as printed", "as stated"):
        rows = [row for row in found.rows if row.variant == variant]
        if any(row.paper is not None for row in rows):
            lines += [f"| {variant} | paper | ours | difference |", "| --- | ---: | ---: | --- |"]
            lines += ["| " + " | ".join((_cell(row.what), *row.shown, row.verdict)) + " |" for row in rows] + [""]
        elif rows:
            lines += ["| found | ours |", "| --- | ---: |"]
            lines += [f"| {_cell(row.what)} | {row.shown[1]} |" for row in rows] + [""]
    lines += [*_differing(found.rows), *_claims(judged)]
    lines += [line for note in found.notes if note != INSTEAD for line in (note, "")]  # that is said once, above
    picture = next((p for p in (folder / f"{found.name}{end}" for end in PICTURES) if p.exists()), None)
    if picture is not None:
        lines += [f"![{found.title}]({Path(os.path.relpath(picture, file.parent)).as_posix()})", ""]
    return "\n".join(lines)


def _claims(judged: Sequence[Judged]) -> list[str]:
    """The paper's claims with what they mean, the verdict, and its numbers."""
    lines = [
        f"| “{_cell(one.quote)}” ({one.where}) | {_cell(one.means)} | **{one.verdict}** | {_cell(one.numbers)} |"
        for one in judged
    ]
    return ["| claim | in numbers | here | numbers |", "| --- | --- | --- | --- |", *lines, ""] if lines else []


def _cell(text: str) -> str:
    """Text for a cell of a table."""
    return text.replace("|", "\\|")


def _differing(rows: Sequence[Compared]) -> list[str]:
    verdicts = [row for row in rows if row.agrees is not None]
    apart = [row.what for row in verdicts if not row.agrees]
    if apart:
        agree = f"{len(verdicts) - len(apart)} of {len(verdicts)}"
        return [f"{agree} printed numbers agree; apart are: {'; '.join(apart)}.", ""]
    which = " with a verdict" if any(row.paper is not None and row.agrees is None for row in rows) else ""
    one, several = f"The printed number{which} agrees.", f"All printed numbers{which} agree."
    return [one if len(verdicts) == 1 else several, ""] if verdicts else []
