"""Install the built wheel into an environment of its own and run the demo from it: `make dist` calls this."""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main() -> None:
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        bin_folder = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin")
        subprocess.run([bin_folder / "python", "-m", "pip", "install", "--quiet", wheel], check=True)
        subprocess.run([bin_folder / "fewlabels", "demo", "--labels", "50"], check=True, cwd=folder)
        assert (Path(folder) / "report.html").exists()
    print(f"{wheel.name} installs and runs")


if __name__ == "__main__":
    main()
