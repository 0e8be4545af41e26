"""Studies as version 0.1.1 made them: run with that version, it writes studies.sql and then.json beside this file.

Every kind of question and of entry that it had. The path of the predictions is replaced by the word FOLDER; tests put
theirs in its place.
"""

import json
import os
import sqlite3
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).parent
ITEMS = 40


def write_file(folder: Path) -> None:
    """The predictions the studies are about."""
    rows = [(f"i{i}", round(0.03 + 0.94 * (i * 7 % ITEMS) / ITEMS, 3), "NS"[i % 3 == 0]) for i in range(ITEMS)]
    lines = ["id,p_ham,p_spam,region", *(f"{id_},{p},{round(1 - p, 3)},{where}" for id_, p, where in rows)]
    (folder / "mail.csv").write_text("\n".join(lines) + "\n")


def studies(fl: Any) -> dict[str, tuple[Any, dict[str, Any]]]:
    """What they ask, and how."""
    return {
        "accuracy": (fl.Estimate("accuracy", by="predicted_class"), {"budget": 30, "until": fl.HalfWidth(0.2)}),
        "bins": (fl.Estimate("calibration_error", by="score_bin"), {"prior": "flat", "target": "population"}),
        "f1": (fl.Estimate("f1", positive="spam"), {}),
        "worst": (fl.Identify("accuracy", by="region"), {"strategy": "top_two"}),
        "fair": (fl.Compare("accuracy", by="region", a="N", b="S", rope=0.05), {"strategy": "thompson"}),
        "confusion": (fl.Estimate("confusion"), {"estimator": "beta"}),
    }


def told(study: Any) -> None:
    """A sitting: labels, one that is corrected, one skipped, and some that were there before."""
    queries = study.ask(8)
    for query in queries[:6]:
        study.tell(query, "spam" if int(query.item[1:]) % 2 else "ham", by="ann")
    study.skip(queries[6], reason="unreadable", by="ben")
    study.correct(queries[0].item, "ham", by="ben")
    asked = {query.item for query in queries}
    study.tell({next(f"i{i}" for i in range(ITEMS) if f"i{i}" not in asked): "ham"}, drawn="unknown")


def main() -> None:
    import fewlabels as fl

    then = {}
    with TemporaryDirectory() as place:
        folder = Path(place).resolve()
        os.chdir(folder)
        write_file(folder)
        for name, (question, settings) in studies(fl).items():
            pool = fl.open_pool("mail.csv")
            kept = fl.create_study(pool, question, storage="sqlite:///studies.db", name=name, seed=3, **settings)
            ahead = fl.create_study(pool, question, seed=3, **settings)
            for study in (kept, ahead):
                told(study)
            then[name] = {
                "labels": kept.labels,
                "open": [query.item for query in kept.open_queries],
                "asked next": [query.item for query in ahead.ask(5)],
            }
        with sqlite3.connect("studies.db") as database:
            dump = "\n".join(database.iterdump()).replace(str(folder), "FOLDER")
    (HERE / "studies.sql").write_text(dump + "\n")
    (HERE / "then.json").write_text(json.dumps(then, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
