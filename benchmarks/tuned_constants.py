"""Which constants were chosen on which pools, as a part of the boards' pages; from tuned_constants.toml beside this."""

import tomllib
from pathlib import Path

LISTED = Path(__file__).with_suffix(".toml")
HEAD = """## Which constants were chosen on which pools

Constants are chosen on some pools and judged on others. A row of a board on a pool that is named here is no judge of
that constant. The pools of `benchmarks/fresh_pools.toml` were written down with their bars before anything was run on
them, and no constant was chosen on them.
"""


def section() -> str:
    """The table, under a heading of its own."""
    with LISTED.open("rb") as file:
        listed = tomllib.load(file)["constant"]
    lines = ["| constant | chosen on | were pools that judge looked at? | decision |", "|---|---|---|---|"]
    lines += [f"| {c['what']} | {c['chosen_on']} | {c['judges_seen']} | {c['record']} |" for c in listed]
    return "\n".join([HEAD, *lines, ""])
