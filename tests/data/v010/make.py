"""Studies as version 0.1.0 made them: run with that version, it writes studies.sql and asked.json beside this file.

The paths in the records are replaced by the word FOLDER; tests put theirs in its place.
"""

import json
import os
import sqlite3
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
ITEMS = 24
LATE = 25_000  # rows, more than were looked at to guess the types of columns


def write_files(folder: Path) -> None:
    """The files of predictions the studies are about."""
    scores = [round(0.5 + i / 60, 3) for i in range(ITEMS)]
    csv = {
        "numbers": [(100 + i, ["cat", "dog"][i % 2], scores[i], "NS"[i % 3 == 0]) for i in range(ITEMS)],
        "codes": [(f"i{i}", [0, 2, 5][i % 3], scores[i], "") for i in range(ITEMS)],
        "truth": [(f"i{i}", ["true", "FALSE"][i % 2], scores[i], f"2024-01-0{1 + i % 2}") for i in range(ITEMS)],
        "prices": [(f"i{i}", "ab"[i % 2], scores[i], ["1.10", "1.1", "2.5"][i % 3]) for i in range(ITEMS)],
        "late_scores": [(f"i{i}", "ab"[i % 2], 1 if i < LATE else 0.4, "") for i in range(LATE + 10)],
        "late_ids": [(i if i < LATE else f"00{i}", "ab"[i % 2], 0.5, "") for i in range(LATE + 10)],
        "odd_ids": [(i if i < LATE else i + 0.6, "ab"[i % 2], 0.5, "") for i in range(LATE + 10)],
        "float_ids": [(i if i % 3 else f"{i}.50", "ab"[i % 2], scores[i], "") for i in range(ITEMS)],
    }
    for name, rows in csv.items():
        lines = ["id,predicted,score,group", *(",".join(map(str, row)) for row in rows)]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    lists = ["0.25,0.25,0.5", "0.5,0.25,0.25"]
    rows = [f"i{i},{lists[i % 2]}" for i in range(ITEMS)]
    (folder / "numbered.csv").write_text("\n".join(["id,p_00,p_01,p_02", *rows]) + "\n")
    days = [f"2024-01-0{1 + i % 2}" for i in range(9)]
    objects = [{"id": i, "predicted": "ab"[i % 2], "score": 0.5 + i / 64, "group": day} for i, day in enumerate(days)]
    (folder / "days.jsonl").write_text("".join(json.dumps(row) + "\n" for row in objects))


GROUPS: dict[str, object] = {
    "numbers.csv": "group",
    "codes.csv": "predicted_class",
    "truth.csv": ("predicted_class", "group"),
    "prices.csv": "group",
    "late_scores.csv": "predicted_class",
    "late_ids.csv": "predicted_class",
    "odd_ids.csv": "predicted_class",
    "float_ids.csv": "predicted_class",
    "numbered.csv": "predicted_class",
    "days.jsonl": "group",
}


def main() -> None:
    import fewlabels as fl

    asked = {}
    with TemporaryDirectory() as place:
        folder = Path(place).resolve()
        write_files(folder)
        os.chdir(folder)
        for file, by in GROUPS.items():
            pool, question = fl.open_pool(file), fl.Estimate("accuracy", by=by)
            study = fl.create_study(pool, question, storage="sqlite:///studies.db", name=file, seed=3)
            ahead = fl.create_study(pool, question, seed=3)
            for one in (study, ahead):
                for query in one.ask(4):
                    one.tell(query, query.predicted, by="ann")
            asked[file] = [query.item for query in ahead.ask(6)]
        with sqlite3.connect("studies.db") as database:
            dump = "\n".join(database.iterdump()).replace(str(folder), "FOLDER")
    (HERE / "studies.sql").write_text(dump + "\n")
    (HERE / "asked.json").write_text(json.dumps(asked, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
