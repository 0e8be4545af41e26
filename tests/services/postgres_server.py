"""A PostgreSQL server of the tests' own: started where Debian puts its programs, in a folder that is thrown away."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CEILING = 600  # seconds after which one gives up waiting for the server


def programs() -> Path | None:
    """The folder of PostgreSQL's programs; None where it is not installed."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    places += [Path(found).parent for name in ("initdb", "postgres") if (found := shutil.which(name))]
    wanted = ("initdb", "postgres", "psql")
    return next((place for place in places if all((place / name).exists() for name in wanted)), None)


class Server:
    """Runs, can be killed and started again, and has any number of databases."""

    def __init__(self, bin_: Path, folder: Path, port: int) -> None:
        self._bin, self._folder, self.port = bin_, folder, port
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0
        self._run("initdb", "-D", str(folder / "data"), "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8")

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start, and wait until it answers."""
        command = [str(self._bin / "postgres"), "-D", str(self._folder / "data"), "-p", str(self.port), "-h",
                   "127.0.0.1", "-k", str(self._folder), "-c", "fsync=off", "-c", "max_connections=200"]  # fmt: skip
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, **_as_other())
        until = time.monotonic() + CEILING
        while self._psql("select 1", check=False) != 0:
            assert self._process.poll() is None, (self._folder / "log").read_text()
            assert time.monotonic() < until, "the server does not answer"
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """End it; by default at once, without a word to those who are connected."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def new_database(self) -> str:
        """The address of a new and empty database."""
        self._databases += 1
        name = f"db_{os.getpid()}_{self._databases}"
        self._psql(f"create database {name}")
        return self.url(name)

    def _psql(self, command: str, *, check: bool = True) -> int:
        args = [str(self._bin / "psql"), "-q", "-X", "-d", self.url(), "-c", command]
        return subprocess.run(args, check=check, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._bin / program), *arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True, **_as_other())
        assert done.returncode == 0, done.stderr


def _as_other() -> dict[str, object]:
    """PostgreSQL refuses to run as root, so that it runs as the user Debian made for it."""
    if os.geteuid() != 0:
        return {}
    other = pwd.getpwnam("postgres")
    return {"user": other.pw_uid, "group": other.pw_gid, "extra_groups": [], "cwd": "/"}


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def running() -> Iterator[Server]:
    """A server for as long as the block lasts."""
    found = programs()
    assert found is not None
    with tempfile.TemporaryDirectory(prefix="fewlabels-pg-") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        server = Server(found, folder, _free_port())
        try:
            server.start()
            yield server
        finally:
            server.stop()
