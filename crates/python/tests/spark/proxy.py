"""toxiproxy between a task and its store: latency, slow bodies, cut connections. ``scripts/setup-stores`` installs it."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path

from servers import Server, free_port, needs


class Proxy:
    """A way to an endpoint that can be made bad, until it is closed."""

    def __init__(self, endpoint: str, place: Path) -> None:
        self._port, port = free_port(), free_port()
        words = [needs("toxiproxy-server"), "-host", "127.0.0.1", "-port", str(self._port)]
        self._server = Server(words, self._port, place / "proxy.log")
        self.endpoint = f"http://127.0.0.1:{port}"
        self._post("proxies", name="store", listen=f"127.0.0.1:{port}", upstream=endpoint.removeprefix("http://"))

    def toxic(self, kind: str, **attributes: int) -> None:
        """Makes the way from the store bad: `latency` (milliseconds), `bandwidth` (KB a second), `limit_data` (bytes until the
        connection is cut)."""
        self._post("proxies/store/toxics", name=kind, type=kind, stream="downstream", attributes=attributes)

    def _post(self, place: str, **body: object) -> None:
        url = f"http://127.0.0.1:{self._port}/{place}"
        urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode()), timeout=10).close()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.__exit__()
