"""Pools behind Spark Connect: frames of a client that knows the cluster by its address alone."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.tables import large_tables
from pools_in_tables import write

QUESTION, SEED, ROUNDS = fl.Estimate("accuracy", by="predicted_class"), 3, (1, 5, 14)
CLIENT = """
import json, sys
from pyspark.sql import SparkSession
import fewlabels as fl
from services.test_spark_connect import asked

session = SparkSession.builder.remote("local[2]").getOrCreate()
try:
    frame = session.read.parquet(sys.argv[1])
    assert "connect" in type(frame).__module__
    print("asked", json.dumps(asked(fl.open_pool(frame, id="id"))))
finally:
    session.stop()
"""


def asked(pool: fl.Pool) -> list[object]:
    """What a study asks, and what it answers."""
    study = fl.create_study(pool, QUESTION, seed=SEED, strategy="uniform", estimator="beta")
    for size in ROUNDS:
        study.tell({query.item: query.predicted for query in study.ask(size)})
    rows = [[e.item, e.score, e.cell, dict(e.payload)] for e in study.events if hasattr(e, "payload")]
    return [rows, str(study.answer())]


def test_a_study_of_a_frame_of_spark_connect_is_that_of_the_file(tmp_path, monkeypatch):
    pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed (pip install 'fewlabels[spark]')")
    pytest.importorskip("grpc", reason="Spark Connect needs more (pip install 'pyspark[connect]')")
    if shutil.which("java") is None:
        pytest.skip("there is no Java (apt-get install openjdk-17-jre-headless)")
    rng, n = np.random.default_rng(6), 2000
    table = {"id": np.arange(n), "predicted": rng.choice(["ant", "bee"], n), "score": rng.uniform(size=n)}
    file = write(tmp_path / "pool.parquet", {**table, "text": [f"item {i}" for i in range(n)]})
    here = {"SPARK_HOME": str(Path(pyspark.__file__).parent), "SPARK_LOCAL_IP": "127.0.0.1"}
    path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", CLIENT, str(file)],
        check=False, capture_output=True, text=True, env={**os.environ, **here, "PYTHONPATH": path},
    )  # fmt: skip
    said = [line for line in done.stdout.splitlines() if line.startswith("asked ")]
    assert said, done.stderr
    monkeypatch.setattr(large_tables, "LARGE", 0)
    assert json.loads(said[0].removeprefix("asked ")) == asked(fl.open_pool(file))
