"""The files that new studies may be made of: those in one folder, by their names."""

from pathlib import Path

from fewlabels.errors import PoolError, listed


class Pools:
    """A folder of predictions. What clients say is compared with the names in it, and never part of a path."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def files(self) -> dict[str, Path]:
        """Each file, or folder of Parquet files, by its name; hidden ones are left out."""
        if self._folder is None:
            return {}
        return {path.name: path for path in sorted(self._folder.iterdir()) if not path.name.startswith(".")}

    def file(self, name: str) -> Path:
        """The file of this name; an error that lists those there are."""
        files = self.files()
        if name not in files:
            raise PoolError(
                f"there is no pool named {name!r}; there are {listed(files)}. The service takes them from the folder "
                "that --pools names."
            )
        return files[name]
