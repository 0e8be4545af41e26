"""What the code as it is says, put into the site while that is built: what examples print, and worked reports."""

import contextlib
import io
import re
import textwrap
from pathlib import Path

import fewlabels as fl
from fewlabels.demo import demo_pool

BLOCK = re.compile(r"```python\n(.*?)```", flags=re.DOTALL)


NOT_RUN = ("tutorial-parts.md",)  # its parts would stay registered
MOST_LINES = 30
WIDTH = 100  # of lines, longer ones are sentences


def on_page_markdown(markdown: str, page, **_: object) -> str:
    """A page with, below each example, what it prints."""
    if page.file.src_uri in NOT_RUN:
        return markdown
    defined: dict[str, object] = {}

    def with_output(found: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(found[1], page.file.src_uri, "exec"), defined)
        lines = [part for line in printed.getvalue().rstrip().splitlines() for part in _wrapped(line)]
        more = ["…"] if len(lines) > MOST_LINES else []
        shown = "\n".join([*lines[:MOST_LINES], *more])
        return f"{found[0]}\n\n```text\n{shown}\n```\n" if shown else found[0]

    return BLOCK.sub(with_output, markdown)


def on_post_build(config) -> None:
    """Write the reports that pages point to; every such link must lead to one."""
    folder = Path(config["site_dir"]) / "reports"
    folder.mkdir(exist_ok=True)
    fl.report(_of_page("adult.md"), folder / "adult.html")
    fl.report(_demo(), folder / "demo.html")
    for page in Path(config["docs_dir"]).rglob("*.md"):
        for link in re.findall(r'href="(reports/[^"]*)"', page.read_text(encoding="utf-8")):
            assert (folder.parent / link).is_file(), f"{page.name} points to {link}, which nobody writes"


def _of_page(name: str) -> fl.Study:
    """The study that a page makes."""
    defined: dict[str, object] = {}
    first = BLOCK.search((Path(__file__).parent / name).read_text(encoding="utf-8"))[1]
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(first, name, "exec"), defined)
    return defined["study"]


def _demo() -> fl.Study:
    pool = demo_pool()
    truth = dict(zip(pool.ids, pool.known_labels, strict=True))
    study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), budget=300, name="demo")
    while queries := study.ask(50):
        study.tell({query.item: truth[query.item] for query in queries}, by="demo")
    return study


def _wrapped(line: str) -> list[str]:
    """A sentence in lines that fit; tables as they are."""
    return textwrap.wrap(line, WIDTH) if len(line) > WIDTH and "   " not in line else [line]
