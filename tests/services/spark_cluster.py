"""A cluster of Spark on this machine: a driver and two workers, each a process of its own."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

QUICK = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"  # queries so short are not worth better code
SETTINGS = {
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.extraJavaOptions": QUICK,
    "spark.driver.maxResultSize": "4m",
    "spark.log.level": "FATAL",
    "spark.sql.adaptive.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "512m",
}


@contextmanager
def running() -> Iterator[Any]:
    """A session on a cluster of two workers; when it ends, so do they."""
    import pyspark
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(Path(pyspark.__file__).parent))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("fewlabels")
        for name, value in {**SETTINGS, "spark.sql.warehouse.dir": folder}.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        try:
            yield session
        finally:
            session.stop()


@contextmanager
def interpreted(session: Any) -> Iterator[None]:
    """No code is generated and compiled for each query, which takes longer than to run it on a few rows."""
    ways = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
    for name, value in ways.items():
        session.conf.set(name, value)
    try:
        yield
    finally:
        for name in ways:
            session.conf.unset(name)


def executors() -> list[int]:
    """The processes that do the work, of those that this one started."""
    folders = [folder for folder in Path("/proc").iterdir() if folder.name.isdigit() and _is_executor(folder)]
    return sorted(int(folder.name) for folder in folders if os.getpid() in _ancestors(folder))


def _is_executor(folder: Path) -> bool:
    try:
        return b"CoarseGrainedExecutorBackend" in (folder / "cmdline").read_bytes()
    except OSError:  # gone since
        return False


def _ancestors(folder: Path) -> list[int]:
    found: list[int] = []
    while folder.name not in ("0", "1"):
        try:
            parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[1]
        except OSError:
            break
        found.append(int(parent))
        folder = folder.parent / parent
    return found
