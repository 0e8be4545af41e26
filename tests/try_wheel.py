"""Install the built wheel into an environment of its own and run the demo from it: `make dist` calls this."""

import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
NO_OTHER = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # fewlabels is the wheel's


@contextmanager
def installed(*more: str) -> Iterator[Path]:
    """The folder of programs of an environment with the wheel and these requirements, as long as it is needed."""
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        programs = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin")
        subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", wheel, *more], check=True)
        yield programs
    print(f"{wheel.name} installs and runs{' with ' if more else ''}{', '.join(more)}")


def main() -> None:
    with installed() as programs:
        folder = programs.parent
        subprocess.run([programs / "fewlabels", "demo", "--labels", "50"], check=True, cwd=folder, env=NO_OTHER)
        assert (folder / "report.html").exists()


if __name__ == "__main__":
    main()
