"""A store with the interface of S3 in memory, which fails as a test requires.

It knows listings with and without a delimiter, HEAD, GET with ranges, ``If-Match`` and versions. Of signatures only the name
of the key is checked.
"""

from __future__ import annotations

import hashlib
import threading
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

KEY = "testkey"
SECRET = "wJalrXUtnFEMIsecret"


@dataclass
class Asked:
    """A request."""

    method: str
    key: str
    query: dict[str, str]
    headers: dict[str, str]


@dataclass
class Bucket:
    """Objects by key, old versions by key and version. ``before`` is called with each request, and its number from 0: it may change
    objects, and gives a status and a word to refuse it."""

    objects: dict[str, bytes]
    versions: dict[tuple[str, str], bytes] = field(default_factory=dict)
    before: Callable[[Asked, int], tuple[int, str] | None] = lambda asked, number: None
    page: int = 1000
    asked: list[Asked] = field(default_factory=list)
    key: str = KEY

    def count(self, method: str) -> int:
        """How many requests for objects have this method."""
        return sum(1 for asked in self.asked if asked.method == method and asked.key)


class Store:
    """A bucket ``bucket`` on a free port of loopback, until it is closed."""

    def __init__(self, bucket: Bucket) -> None:
        lock = threading.Lock()

        class Handler(_Handler):
            def refused(self, asked: Asked) -> tuple[int, str] | None:
                with lock:
                    bucket.asked.append(asked)
                    number = len(bucket.asked) - 1
                    return bucket.before(asked, number)

        Handler.bucket = bucket
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bucket: Bucket

    def refused(self, asked: Asked) -> tuple[int, str] | None:
        raise NotImplementedError

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._serve()

    def do_GET(self) -> None:
        self._serve()

    def _serve(self) -> None:
        path, _, query = self.path.partition("?")
        _, name, key = (urllib.parse.unquote(path) + "/").split("/", 2)
        asked = Asked(
            self.command,
            key.removesuffix("/"),
            dict(urllib.parse.parse_qsl(query, keep_blank_values=True)),
            {name.lower(): value for name, value in self.headers.items()},
        )
        refused = self.refused(asked)
        if refused is None and self.bucket.key not in asked.headers.get("authorization", ""):
            refused = (403, "InvalidAccessKeyId")
        if refused is None and name != "bucket":
            refused = (404, "NoSuchBucket")
        if refused:
            self._error(*refused)
        elif asked.key:
            self._object(asked)
        else:
            self._list(asked.query)

    def _object(self, asked: Asked) -> None:
        version = asked.query.get("versionId")
        data = self.bucket.objects.get(asked.key) if version is None else self.bucket.versions.get((asked.key, version))
        if data is None:
            return self._error(404, "NoSuchKey")
        tag = etag(data)
        if asked.headers.get("if-match", tag) != tag:
            return self._error(412, "PreconditionFailed")
        headers = {"ETag": tag, "Last-Modified": "Sun, 22 Nov 2026 20:00:00 GMT"}
        wanted = asked.headers.get("range")
        if wanted is None:
            return self._answer(200, data, headers)
        start, end = wanted.removeprefix("bytes=").split("-")
        part = data[int(start) : int(end) + 1]
        headers["Content-Range"] = f"bytes {start}-{int(start) + len(part) - 1}/{len(data)}"
        return self._answer(206, part, headers)

    def _list(self, query: dict[str, str]) -> None:
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter")

        def cut(key: str) -> str:
            name, slash, _ = key[len(prefix) :].partition("/")
            return prefix + name + slash if delimiter else key

        names = sorted({cut(key) for key in self.bucket.objects if key.startswith(prefix)})
        names = [name for name in names if name > query.get("continuation-token", "")]
        page, more = names[: self.bucket.page], len(names) > self.bucket.page
        text = f"<ListBucketResult><Name>bucket</Name><IsTruncated>{str(more).lower()}</IsTruncated>"
        # A marker of a folder is no object of the level above.
        found = [name for name in page if not (delimiter and name.endswith("/") and name != prefix)]
        for name in found:
            data = self.bucket.objects[name]
            text += f"<Contents><Key>{escape(name)}</Key><Size>{len(data)}</Size><ETag>{escape(etag(data))}</ETag></Contents>"
        text += "".join(f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>" for name in page if name not in found)
        if more:
            text += f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>"
        self._answer(200, (text + "</ListBucketResult>").encode(), {"Content-Type": "application/xml"})

    def _error(self, status: int, word: str) -> None:
        self._answer(status, f"<Error><Code>{word}</Code></Error>".encode(), {})

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def etag(data: bytes) -> str:
    """The entity tag of an object that was written whole."""
    return f'"{hashlib.md5(data).hexdigest()}"'
