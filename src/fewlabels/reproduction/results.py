"""Results kept as files: one JSON file a table or figure, with all it takes to draw it, and its picture beside it."""

import json
from pathlib import Path

from fewlabels.errors import StudyError
from fewlabels.reproduction.base import Reproduction
from fewlabels.reproduction.drawing import draw


def save_result(found: Reproduction, file: str | Path) -> None:
    """Write a reproduction; one line a row and a panel, so that changes can be read."""
    data = found.to_json()
    lines = []
    for key, value in data.items():
        if isinstance(value, list) and value:
            parts = ",\n    ".join(_compact(part) for part in value)
            lines.append(f'  "{key}": [\n    {parts}\n  ]')
        else:
            lines.append(f'  "{key}": {_compact(value)}')
    Path(file).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _compact(value: object) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def keep_result(found: Reproduction, folder: str | Path) -> None:
    """Keep what the page shows: numbers and curves as NAME.json, the picture as NAME.png."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    save_result(found, folder / f"{found.name}.json")
    if found.panels:
        draw(found, folder / f"{found.name}.png")


def load_results(folder: str | Path) -> dict[str, Reproduction]:
    """The reproductions kept in a folder, by name."""
    files = sorted(Path(folder).glob("*.json"))
    if not files:
        raise StudyError(f"no results in {str(folder)!r}; fewlabels reproduce NAME --keep {folder} writes one.")
    found = [Reproduction.from_json(json.loads(file.read_text(encoding="utf-8"))) for file in files]
    return {result.name: result for result in found}
