"""A first run in an environment that is not activated: it works, or one line says what to do, and Java says nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK_")}
    there = {**plain, "SPARK_LOCAL_IP": "127.0.0.1", **environment}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=there)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A ``python3`` that has no hashmill, for the front of the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python3").write_text(f"#!/bin/sh\nunset PYTHONPATH\nexec {sys.executable} -S -E \"$@\"\n")
    (folder / "python3").chmod(0o755)
    return folder


@pytest.mark.long
def test_the_job_runs_in_its_own_interpreter_and_java_is_silent(tree: Path, other: Path, tmp_path: Path) -> None:
    words = ["-m", "hashmill.spark", "hash", "--input", str(tree), "--output", str(tmp_path / "lake"), "-c", "md5"]
    done = run(*words, PATH=f"{other}:{os.environ['PATH']}")
    assert done.returncode == 0, done.stderr
    assert "hashed: 42" in done.stdout
    assert "\tat " not in done.stderr and "Exception" not in done.stderr, done.stderr


@pytest.mark.long
def test_an_interpreter_without_hashmill_is_told(tree: Path, other: Path, tmp_path: Path) -> None:
    words = ["-m", "hashmill.spark", "hash", "--input", str(tree), "--output", str(tmp_path / "lake")]
    done = run(*words, PYSPARK_PYTHON=str(other / "python3"))
    assert done.returncode == 64
    assert f"hashmill.spark: tasks can't run hashmill in {other}/python3" in done.stderr and "set PYSPARK_PYTHON" in done.stderr


@pytest.mark.long
def test_the_data_source_is_found_without_a_call(tree: Path) -> None:
    text = (
        "import sys\nfrom pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.master('local[1]').getOrCreate()\n"
        "print(spark.read.format('hashmill').load(sys.argv[1]).where(\"status = 'hashed'\").count())\n"
    )
    done = run("-c", text, str(tree), PYSPARK_PYTHON=sys.executable)
    assert done.stdout == "42\n" and "\tat " not in done.stderr, done.stderr
