"""File systems that Hadoop reads and hashmill does not: HDFS, DBFS, Ozone and the like.

The driver uses Spark's own Java virtual machine. Tasks have none that Python can reach, so a task starts one with the same
classes and settings, which lasts as long as the process that the task runs in. Bytes come from it in one stream for each file.
"""

from __future__ import annotations

import glob
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import hashmill
from hashmill import similar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]
Settings = tuple[tuple[str, str], ...]

CHUNK = 1 << 20
"""The bytes that are copied at a time."""

_SECRET = ("password", "secret", "token", "key", "credential")

_REASONS = {
    "FileNotFoundException": "ENOENT",
    "NoSuchFileException": "ENOENT",
    "AccessControlException": "EACCES",
    "AccessDeniedException": "EACCES",
    "SocketTimeoutException": "timeout",
    "ConnectTimeoutException": "timeout",
}

_OPENED: dict[Settings, FileSystems] = {}


class FileSystems:
    """Hadoop's file systems, by a Java virtual machine."""

    def __init__(self, jvm: Any, configuration: Any) -> None:
        self._jvm = jvm
        self._configuration = configuration

    def top(self, location: bytes) -> bytes:
        """Returns a location as Hadoop writes it, which is also the beginning of the locations below it.

        Raises:
            OSError, ValueError: there is none, or no file system of its scheme.
        """
        path, status = self._status(location)
        return os.fsencode(status.getPath().toString())

    def look(self, location: bytes) -> Row | None:
        """Returns the row of a file; none for a directory."""
        _, status = self._status(location)
        return None if status.isDirectory() else _entry(location, status)

    def scan(self, directory: bytes, below: list[bytes]) -> Iterator[Row]:
        """Returns the entries of a directory; directories in it are added to ``below``."""
        from py4j.protocol import Py4JJavaError

        try:
            path = self._path(directory)
            entries = self._system(path).listStatusIterator(path)
            while entries.hasNext():
                status = entries.next()
                location = os.fsencode(status.getPath().toString())
                if status.isDirectory():
                    below.append(location)
                else:
                    yield _entry(location, status)
        except Py4JJavaError as error:
            yield {"location": directory, **_unreadable(error)}

    def facts(self, location: bytes) -> Row:
        """Returns size and time of a file, or why there are none."""
        try:
            _, status = self._status(location)
        except OSError as error:
            return {"status": "unreadable", "reason": error.errno, "error": error.strerror}
        if status.isDirectory():
            return {"status": "unreadable", "reason": "EISDIR", "error": "is a directory"}
        return _facts(status)

    def read(self, location: bytes) -> Iterator[bytes]:
        """Reads the bytes of a file, by a pipe: answers of the Java virtual machine are text, which is slow."""
        path = self._path(location)
        stream = self._system(path).open(path)
        with tempfile.TemporaryDirectory(prefix="hashmill-") as folder, ThreadPoolExecutor(1) as beside:
            place = os.path.join(folder, "pipe")
            os.mkfifo(place, 0o600)
            # Opened first and without blocking, so that neither side waits for one that died.
            end = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
            try:
                out = self._jvm.java.io.FileOutputStream(place)
                os.set_blocking(end, True)
                copied = beside.submit(self._copy, stream, out)
                while chunk := os.read(end, CHUNK):
                    yield chunk
                copied.result()
            finally:
                os.close(end)  # what still writes fails now

    def _copy(self, stream: Any, out: Any) -> None:
        try:
            self._jvm.org.apache.hadoop.io.IOUtils.copyBytes(stream, out, CHUNK)
        finally:
            out.close()
            stream.close()

    def _status(self, location: bytes) -> tuple[Any, Any]:
        from py4j.protocol import Py4JJavaError

        try:
            path = self._path(location)
            return path, self._system(path).getFileStatus(path)
        except Py4JJavaError as error:
            raise _error(location, error) from error

    def _path(self, location: bytes) -> Any:
        try:
            return self._jvm.org.apache.hadoop.fs.Path(location.decode())
        except UnicodeDecodeError as error:
            raise OSError("EINVAL", "Hadoop's names are UTF-8", location.decode(errors="replace")) from error

    def _system(self, path: Any) -> Any:
        return path.getFileSystem(self._configuration)


def hash_rows(rows: Sequence[Row], algorithms: Sequence[str], settings: Settings) -> None:
    """Fills in status, reason and digests of rows. Their objects are read whole, one after another."""
    for row in rows:
        row.update(_or_lost(lambda systems, row=row: _hashed(row, systems, algorithms), settings))


def look_up(rows: Sequence[Row], settings: Settings) -> None:
    """Fills in size and time of rows, or why there are none."""
    for row in rows:
        row.update(_or_lost(lambda systems, row=row: systems.facts(row["location"]), settings))


def _or_lost(ask: Callable[[FileSystems], Row], settings: Settings) -> Row:
    """Calls the file systems of this process; if their Java virtual machine died meanwhile, the row can't be read."""
    from py4j.protocol import Py4JNetworkError

    try:
        return ask(of_worker(settings))
    except (Py4JNetworkError, ConnectionError):
        _OPENED.clear()
        return {"status": "unreadable", "reason": "error", "error": "the Java virtual machine that reads for this task ended"}


def _hashed(row: Row, systems: FileSystems, algorithms: Sequence[str]) -> Row:
    from py4j.protocol import Py4JJavaError

    changed = {"status": "changed-while-reading", "reason": "changed"}
    likeness = [name for name in algorithms if name in similar.algorithms]
    if likeness:
        why = f"{', '.join(likeness)}: not computed for files that Hadoop reads"
        return {"status": "unreadable", "reason": "error", "error": why}
    before = systems.facts(row["location"])
    if "size" not in before:
        return before
    if any(row[name] not in (None, before[name]) for name in ("size", "modified")):
        return changed
    hashers = [hashmill.new(name) for name in algorithms]
    length = 0
    try:
        for chunk in systems.read(row["location"]):
            length += len(chunk)
            for hasher in hashers:
                hasher.update(chunk)
    except Py4JJavaError as error:
        return _unreadable(error)
    if length != before["size"] or systems.facts(row["location"]) != before:
        return changed
    return {"status": "hashed", "size": length, "digests": [hasher.text() for hasher in hashers]}


def _entry(location: bytes, status: Any) -> Row:
    return {"location": location, **_facts(status)}


def _facts(status: Any) -> Row:
    if status.isSymlink():
        return {"status": "skipped", "reason": "symlink"}
    return {"size": status.getLen(), "modified": status.getModificationTime() * 1_000_000}


def _reason(error: Any) -> str:
    """Returns the word that records use for a Java exception."""
    name = error.java_exception.getClass().getSimpleName()
    return _REASONS.get(name, "error")


def _unreadable(error: Any) -> Row:
    return {"status": "unreadable", "reason": _reason(error), "error": _said(error)}


def _said(error: Any) -> str:
    """Returns the first line of the message of a Java exception."""
    return next(iter(str(error.java_exception.getMessage()).strip().splitlines()), _reason(error))


def _error(location: bytes, error: Any) -> OSError:
    place = location.decode(errors="replace")
    reason, said = _reason(error), _said(error)
    if reason == "ENOENT":
        return FileNotFoundError(reason, said, place)
    return PermissionError(reason, said, place) if reason == "EACCES" else OSError(reason, said, place)


def settings_of(spark: SparkSession) -> Settings:
    """Returns the settings of this session that tasks need to reach the same file systems. Secrets are never part of a plan:
    workers have them from their environment and from Hadoop's own files."""
    configuration = spark.sparkContext.getConf().getAll()
    named = ((name.removeprefix("spark.hadoop."), value) for name, value in configuration if name.startswith("spark.hadoop."))
    return tuple(sorted((name, value) for name, value in named if not any(word in name.lower() for word in _SECRET)))


def of_driver(spark: SparkSession) -> FileSystems:
    """Returns the file systems of the driver."""
    return FileSystems(spark._jvm, spark.sparkContext._jsc.hadoopConfiguration())


def of_worker(settings: Settings) -> FileSystems:
    """Returns the file systems of this process, which starts a Java virtual machine for them once."""
    if settings not in _OPENED:
        jvm = _start()
        configuration = jvm.org.apache.hadoop.conf.Configuration()
        for name, value in settings:
            configuration.set(name, value)
        _OPENED[settings] = FileSystems(jvm, configuration)
    return _OPENED[settings]


def _start() -> Any:
    """Starts a Java virtual machine with the classes of Spark, which ends with this process."""
    from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
    from pyspark.find_spark_home import _find_spark_home

    jars = os.path.join(_find_spark_home(), "jars")
    java = os.environ.get("JAVA_HOME")
    more = [os.environ[name] for name in ("HADOOP_CONF_DIR", "SPARK_DIST_CLASSPATH") if os.environ.get(name)]
    port, token = launch_gateway(
        jarpath=next(iter(glob.glob(os.path.join(jars, "py4j-*.jar"))), ""),
        classpath=os.pathsep.join([*more, os.path.join(jars, "*")]),
        javaopts=["-Xmx512m"],
        java_path=os.path.join(java, "bin", "java") if java else "java",
        die_on_exit=True,
        enable_auth=True,
    )
    return JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token)).jvm
