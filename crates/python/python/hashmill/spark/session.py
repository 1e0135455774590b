"""The installed PySpark, its session, and the interpreter of its tasks."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark import SparkContext
    from pyspark.sql import SparkSession

LEAST, BELOW = (4, 0), (4, 2)
"""Versions of PySpark that this package is tested with: from the first to before the second."""

_CHECKED: set[tuple[str, str]] = set()
"""Applications whose tasks were seen to run hashmill, each with their interpreter."""


def require_pyspark() -> None:
    """Checks that PySpark and PyArrow are installed, in suitable versions.

    Raises:
        ImportError: with what to install.
    """
    wanted = "install them with: pip install 'hashmill[spark]'"
    try:
        import pyarrow  # noqa: F401
        import pyspark
    except ImportError as error:
        raise ImportError(f"hashmill.spark needs pyspark and pyarrow ({error}); {wanted}") from error
    version = tuple(int(part) for part in pyspark.__version__.split(".")[:2])
    if not LEAST <= version < BELOW:
        raise ImportError(f"hashmill.spark needs pyspark >=4.0,<4.2, and {pyspark.__version__} is installed; {wanted}")


def active(spark: SparkSession | None = None) -> SparkSession:
    """Returns the session that was given, or the active one.

    Raises:
        ValueError: there is none.
    """
    from pyspark.sql import SparkSession

    found = spark or SparkSession.getActiveSession()
    if found is None:
        raise ValueError("no Spark session is active; pass one: spark=SparkSession.builder.getOrCreate()")
    return found


def use_interpreter(spark: SparkSession | None = None) -> None:
    """Makes tasks on this machine run in this interpreter unless another one was chosen, and checks that tasks can run hashmill.

    Spark's own choice is the first ``python3`` in the path. In a virtual environment that is not activated that is another one.

    Raises:
        ImportError: tasks can't run hashmill. It names the interpreter, and what to do.
    """
    from pyspark.sql.utils import is_remote

    if is_remote():
        return  # the server has chosen
    context = active(spark).sparkContext
    if "PYSPARK_PYTHON" not in os.environ and context.master.startswith("local"):
        context.pythonExec = sys.executable
    key = (context.applicationId, context.pythonExec)
    if key not in _CHECKED:
        _check_tasks(context)
        _CHECKED.add(key)


def _check_tasks(context: SparkContext) -> None:
    """Runs a task that imports hashmill, so that its absence is one message and not a Java trace."""

    def absent(_: Iterable[int]) -> Iterator[str]:  # local, so that it is sent as code and not by the name of this module
        try:
            import pyarrow  # noqa: F401

            import hashmill  # noqa: F401
        except ImportError as error:
            yield str(error)

    try:
        told = context.parallelize([0], 1).mapPartitions(absent).collect()
    except Exception as error:  # another version of Python, no such program
        told = [str(error).strip().splitlines()[-1]]
    if told:
        raise ImportError(
            f"tasks can't run hashmill in {context.pythonExec}: {told[0]}; set PYSPARK_PYTHON, before the session starts, to an "
            "interpreter on every worker that has hashmill and pyarrow, of the driver's version of Python"
        )
