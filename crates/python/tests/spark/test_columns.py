"""Digests of columns, beside those of Spark's own functions."""

from __future__ import annotations

import hashlib
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hashmill
from hashmill.spark import digest_column, digests, register
from hashmill.spark.columns import as_udf

VALUES = [b"", b"abc", None, bytes(1000), *(bytes([number]) * (number * 7) for number in range(200))]


@pytest.fixture
def values(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(value, place) for place, value in enumerate(VALUES)], "data binary, place int")


@pytest.fixture(params=["arrow", "series"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """By Arrow's arrays, and as in versions of PySpark that have only pandas' series."""
    if request.param == "series":
        monkeypatch.delattr(F, "arrow_udf")


@pytest.mark.usefixtures("way")
def test_digests_are_those_of_spark(values: DataFrame) -> None:
    names = ("sha256", "md5", "crc32")
    columns = [as_udf(lambda data, name=name: digests.as_text(data, name), "string")("data").alias(name) for name in names]
    crc = F.lpad(F.lower(F.hex(F.crc32("data"))), 8, "0")
    theirs = [F.sha2("data", 256).alias("sha2"), F.md5("data").alias("md5_"), crc.alias("crc")]
    found = values.select(*columns, *theirs).collect()
    assert [(row.sha256, row.md5, row.crc32) for row in found] == [(row.sha2, row.md5_, row.crc) for row in found]
    assert sum(row.sha256 is None for row in found) == 1


@pytest.mark.usefixtures("way")
def test_binary_digests_and_those_of_text(values: DataFrame) -> None:
    names = ("md5", "sha1", "sha224", "sha-256", "sha384", "sha512", "sha3-256")
    both = [digest_column("data", name, text=text).alias(f"{name} {text}") for name in names for text in (False, True)]
    found = values.select("place", *both).orderBy("place").collect()
    for row, value in zip(found, VALUES, strict=True):
        for name in names:
            plain = None if value is None else hashlib.new(name.replace("sha-", "sha").replace("sha3-", "sha3_"), value).digest()
            assert (row[f"{name} False"], row[f"{name} True"]) == (plain, plain and plain.hex())
    text = values.sparkSession.createDataFrame([("ä",), (None,)], "name string")
    assert [row[0] for row in text.select(digest_column("name", "md5", text=True)).collect()] == [
        hashlib.md5("ä".encode()).hexdigest(), None]  # fmt: skip
    with pytest.raises(ValueError, match="no-such"):
        digest_column("data", "no-such")


@pytest.mark.usefixtures("way")
def test_sql_has_a_function(values: DataFrame) -> None:
    spark = values.sparkSession
    register(spark)
    values.createOrReplaceTempView("buffers")
    found = spark.sql(
        "select place, hashmill_digest(data, 'blake3') as blake3, hashmill_digest(data, 'sha1') = sha1(data) as same, "
        "hashmill_digest(data, if(place % 2 = 0, 'md5', null)) as some, "
        "hashmill_digest(data, concat('sha', 256 * (1 + place % 2))) as two "
        "from buffers order by place"
    ).collect()
    for row, value in zip(found, VALUES, strict=True):
        if value is None:
            assert row.blake3 is row.same is row.some is row.two is None
            continue
        assert row.same and row.blake3 == hashmill.blake3(value).hexdigest()
        assert row.some == (None if row.place % 2 else hashlib.md5(value).hexdigest())
        assert row.two == hashlib.new(f"sha{256 * (1 + row.place % 2)}", value).hexdigest()


def test_digests_of_seed_42_are_those_of_xxhash64() -> None:
    """Spark's xxhash64 has a seed of its own: no digest of hashmill's is compared with it by mistake."""
    assert digests.as_text(pa.array([b"abc"]), "xxh64").to_pylist() == ["44bc2cf5ad770999"]


def test_usual_text_that_is_not_hexadecimal_digits() -> None:
    data = pa.array([b"abc", None, b""])[0:3]
    for name in ("quickxor", "crc32", "s3-etag"):
        wanted = [None if value is None else hashmill.new(name, value).text() for value in data.to_pylist()]
        assert digests.as_text(data, name).to_pylist() == wanted
        plain = [None if value is None else hashmill.new(name, value).digest() for value in data.to_pylist()]
        assert digests.as_bytes(data, name).to_pylist() == plain
    assert digests.as_text(pa.array([], pa.binary()), "md5").to_pylist() == []
    sliced = pa.array([b"x", b"abc", None, b"y"]).slice(1, 2)
    assert digests.as_text(sliced, "md5").to_pylist() == [hashlib.md5(b"abc").hexdigest(), None]
