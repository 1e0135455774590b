"""versitygw: a store of another maker with the interface of S3, over a folder. ``scripts/setup-stores`` installs it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from faulty import KEY, SECRET

ROOT = Path(__file__).parents[4]


class Gateway:
    """A bucket ``bucket`` on a free port of loopback, until it is closed."""

    def __init__(self, place: Path) -> None:
        folder = Path(os.environ.get("HASHLOOM_STORES", ROOT / "target" / "stores"))
        program = folder / "bin" / "versitygw"
        for needed in (program, shutil.which("rclone")):
            if not needed or not Path(needed).exists():
                assert "CI" not in os.environ, f"{needed or 'rclone'} is not installed"
                pytest.skip(f"{needed or 'rclone'} is not installed (scripts/setup-stores)")
        (place / "store" / "bucket").mkdir(parents=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.endpoint = f"http://127.0.0.1:{port}"
        words = [str(program), "--access", KEY, "--secret", SECRET, "--quiet", "--port", f"127.0.0.1:{port}"]
        with open(place / "gateway.log", "wb") as log:
            self._process = subprocess.Popen([*words, "posix", str(place / "store")], stdout=log, stderr=log)
        end = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert self._process.poll() is None and time.monotonic() < end, (place / "gateway.log").read_text()
                time.sleep(0.05)

    def fill(self, folder: Path, prefix: str) -> None:
        """Copies the files of a folder into the bucket."""
        self._rclone("copy", str(folder), f":s3:bucket/{prefix}")

    def put(self, file: Path, key: str) -> None:
        """Writes one object."""
        self._rclone("copyto", str(file), f":s3:bucket/{key}")

    def _rclone(self, *words: str) -> None:
        way = ["--s3-provider", "Other", "--s3-endpoint", self.endpoint, "--s3-access-key-id", KEY, "--s3-secret-access-key", SECRET]
        environment = {**os.environ, "RCLONE_CONFIG": "/dev/null"}
        environment.pop("AWS_CA_BUNDLE", None)  # which rclone reads also where there is no TLS
        made = subprocess.run(["rclone", *words, *way], env=environment, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """The command, with the way to the store in its environment."""
        program = ROOT / "target" / "debug" / "hashloom"
        assert program.exists(), "build the command first: cargo test --workspace --no-run"
        environment = {**os.environ, "AWS_ENDPOINT_URL": self.endpoint, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
        return subprocess.run([str(program), *words], env=environment, capture_output=True, text=True, check=False)

    def __enter__(self) -> Gateway:
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.kill()
        self._process.wait()
