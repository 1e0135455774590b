"""Which PySpark there is, and its session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LEAST, BELOW = (4, 0), (4, 2)
"""Versions of PySpark that this package is tested with: from the first to before the second."""


def require_pyspark() -> None:
    """Checks that PySpark and PyArrow are there, in versions that fit.

    Raises:
        ImportError: it says what to install.
    """
    wanted = "install them with: pip install 'hashloom[spark]'"
    try:
        import pyarrow  # noqa: F401
        import pyspark
    except ImportError as error:
        raise ImportError(f"hashloom.spark needs pyspark and pyarrow ({error}); {wanted}") from error
    version = tuple(int(part) for part in pyspark.__version__.split(".")[:2])
    if not LEAST <= version < BELOW:
        raise ImportError(f"hashloom.spark needs pyspark >=4.0,<4.2, and {pyspark.__version__} is installed; {wanted}")


def active(spark: SparkSession | None = None) -> SparkSession:
    """The session that was given, or the active one.

    Raises:
        ValueError: there is none.
    """
    from pyspark.sql import SparkSession

    found = spark or SparkSession.getActiveSession()
    if found is None:
        raise ValueError("no Spark session is active; pass one: spark=SparkSession.builder.getOrCreate()")
    return found
