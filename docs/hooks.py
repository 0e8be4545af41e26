"""Worked reports, made while the site is built, by the code as it is."""

import re
from pathlib import Path

import fewlabels as fl
from fewlabels.demo import demo_pool

BLOCK = re.compile(r"```python\n(.*?)```", flags=re.DOTALL)


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
    exec(compile(BLOCK.search((Path(__file__).parent / name).read_text(encoding="utf-8"))[1], name, "exec"), defined)
    return defined["study"]


def _demo() -> fl.Study:
    pool = demo_pool()
    truth = dict(zip(pool.ids, pool.known_labels, strict=True))
    study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), budget=300, name="demo")
    while queries := study.ask(50):
        study.tell({query.item: truth[query.item] for query in queries}, by="demo")
    return study
