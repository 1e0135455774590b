"""toxiproxy between a task and its store: latency, slow bodies, cut connections. ``scripts/setup-stores`` installs it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

from gateway import ROOT


def _free() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Proxy:
    """A way to an endpoint that can be made bad, until it is closed."""

    def __init__(self, endpoint: str) -> None:
        program = Path(os.environ.get("HASHLOOM_STORES", ROOT / "target" / "stores")) / "bin" / "toxiproxy-server"
        if not program.exists():
            assert "CI" not in os.environ, f"{program} is not installed"
            pytest.skip(f"{program} is not installed (scripts/setup-stores)")
        self._port, port = _free(), _free()
        words = [str(program), "-host", "127.0.0.1", "-port", str(self._port)]
        self._process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.endpoint = f"http://127.0.0.1:{port}"
        end = time.monotonic() + 60
        while True:
            try:
                self._post("proxies", name="store", listen=f"127.0.0.1:{port}", upstream=endpoint.removeprefix("http://"))
                break
            except OSError:
                assert self._process.poll() is None and time.monotonic() < end, "toxiproxy does not answer"
                time.sleep(0.05)

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
        self._process.kill()
        self._process.wait()
