"""A DataFrame that is planned when it is used."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pyspark.sql.classic.dataframe import DataFrame

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType


class Later(DataFrame):
    """Rows of which only the columns are known: they are planned when the first action or transformation needs them, and
    planning them may take jobs."""

    def __new__(cls, *_: Any) -> Later:
        return object.__new__(cls)

    def __init__(self, session: SparkSession, shape: StructType, plan: Callable[[], DataFrame]) -> None:
        self._session, self._sc = session, session.sparkContext
        self.is_cached = self._support_repr_html = False
        self._shape, self._plan = shape, plan

    @cached_property
    def _jdf(self) -> Any:
        try:
            return self._plan()._jdf
        except AttributeError as error:  # it would be taken for a missing column
            raise RuntimeError(f"the plan failed: {error}") from error

    @property
    def schema(self) -> StructType:
        return self._shape

    @property
    def columns(self) -> list[str]:
        return self._shape.names
