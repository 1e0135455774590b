"""Servers of stores on free ports of loopback. ``scripts/setup-stores`` installs them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Sequence
from email.utils import formatdate
from pathlib import Path
from urllib.parse import quote

from missing import not_compared

ROOT = Path(__file__).parents[4]
PROGRAMS = Path(os.environ.get("HASHMILL_STORES", ROOT / "target" / "stores")) / "bin"

ACCOUNT = "devstoreaccount1"
AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""The key of the account that every emulator has."""


def needs(program: str) -> str:
    """The path of a program; the test is left out where it isn't there, which in CI is a failure."""
    found = shutil.which(program, path=f"{PROGRAMS}:{os.environ['PATH']}")
    if not found:
        not_compared(program)
    return str(found)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def rclone(*words: str) -> None:
    """Runs rclone, which knows no remote but those in its words."""
    environment = {**os.environ, "RCLONE_CONFIG": "/dev/null"}
    environment.pop("AWS_CA_BUNDLE", None)  # which rclone reads also where there is no TLS
    made = subprocess.run([needs("rclone"), *words], env=environment, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


class Server:
    """A process that answers at a port, until it is closed."""

    def __init__(self, words: Sequence[str], port: int, log: Path) -> None:
        with open(log, "wb") as output:
            self._process = subprocess.Popen(words, stdout=output, stderr=output)
        end = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert self._process.poll() is None and time.monotonic() < end, log.read_text()
                time.sleep(0.05)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.kill()
        self._process.wait()


def google(place: Path, data: Path) -> tuple[Server, dict[str, str]]:
    """fake-gcs-server with the folders of ``data`` as buckets, and the environment for it."""
    port = free_port()
    words = [needs("fake-gcs-server"), "-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-backend", "memory"]
    server = Server([*words, "-data", str(data)], port, place / "google.log")
    return server, {"STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{port}"}


def azure(place: Path, data: Path) -> tuple[Server, dict[str, str]]:
    """Azurite with the files below ``data`` in its container ``things``, and the environment for it."""
    port = free_port()
    words = [needs("azurite-blob"), "--blobPort", str(port), "--silent", "--skipApiVersionCheck", "--disableTelemetry"]
    server = Server([*words, "--location", str(place / "azurite")], port, place / "azure.log")
    _azure_put(port, "things", b"", {}, "restype:container")
    for file in filter(Path.is_file, data.rglob("*")):
        _azure_put(port, quote(str(file.relative_to(data))), file.read_bytes(), {"x-ms-blob-type": "BlockBlob"})
    endpoint = f"http://127.0.0.1:{port}/{ACCOUNT}"
    return server, {"AZURE_STORAGE_CONNECTION_STRING": f"AccountName={ACCOUNT};AccountKey={AZURE_KEY};BlobEndpoint={endpoint};"}


def _azure_put(port: int, place: str, data: bytes, more: dict[str, str], query: str = "") -> None:
    """One signed request, as "Authorize with Shared Key" of Microsoft's REST reference has it."""
    stamped = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-08-06", **more}
    length = str(len(data)) if data else ""
    lines = ["PUT", "", "", length, *[""] * 8, *(f"{name}:{stamped[name]}" for name in sorted(stamped))]
    lines.append(f"/{ACCOUNT}/{ACCOUNT}/{place}" + (f"\n{query}" if query else ""))
    signature = hmac.new(base64.b64decode(AZURE_KEY), "\n".join(lines).encode(), hashlib.sha256).digest()
    headers = {"Authorization": f"SharedKey {ACCOUNT}:{base64.b64encode(signature).decode()}", **stamped}
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("PUT", f"/{ACCOUNT}/{place}?{query.replace(':', '=')}".rstrip("?"), data, headers)
    answer = connection.getresponse()
    assert answer.status == 201, answer.read()
