"""versitygw: a store of another maker with the interface of S3, over a folder. ``scripts/setup-stores`` installs it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from faulty import KEY, SECRET
from servers import ROOT, Server, free_port, needs, rclone


class Gateway:
    """A bucket ``bucket`` on a free port of loopback, until it is closed."""

    def __init__(self, place: Path) -> None:
        (place / "store" / "bucket").mkdir(parents=True)
        port = free_port()
        self.endpoint = f"http://127.0.0.1:{port}"
        words = [needs("versitygw"), "--access", KEY, "--secret", SECRET, "--quiet", "--port", f"127.0.0.1:{port}"]
        self._server = Server([*words, "posix", str(place / "store")], port, place / "gateway.log")

    def fill(self, folder: Path, prefix: str) -> None:
        """Copies the files of a folder into the bucket."""
        self._rclone("copy", str(folder), f":s3:bucket/{prefix}")

    def put(self, file: Path, key: str) -> None:
        """Writes one object."""
        self._rclone("copyto", str(file), f":s3:bucket/{key}")

    def _rclone(self, *words: str) -> None:
        way = ["--s3-provider", "Other", "--s3-endpoint", self.endpoint, "--s3-access-key-id", KEY, "--s3-secret-access-key", SECRET]
        rclone(*words, *way)

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """The command, with the way to the store in its environment."""
        program = ROOT / "target" / "debug" / "hashmill"
        assert program.exists(), "build the command first: cargo test --workspace --no-run"
        environment = {**os.environ, "AWS_ENDPOINT_URL": self.endpoint, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
        return subprocess.run([str(program), *words], env=environment, capture_output=True, text=True, check=False)

    def __enter__(self) -> Gateway:
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.__exit__()
