#!/usr/bin/env python3
"""Measures objects in a store beside rclone: medians of turns that alternate, in one run, against versitygw on loopback.

    benches/stores/bench.py [--command PATH] [--count N] [--large MIB] [--turns N] [--latency MS] [--json FILE] [NAME ...]

hash     all objects of 4 KiB are read and hashed by MD5; rclone: hashsum --download
audit    they are compared with a folder by their ETags; rclone: check
medium   256 objects of 1 MiB are hashed by MD5; rclone: hashsum --download
parts    64 objects of 16 MiB, likewise
large    one object is read and hashed by SHA-256; rclone: cat, piped into sha256sum

versitygw keeps connections open, as stores do. Of each turn the wall time is told, and the processor time of the client alone. The store shares the processor with both.
scripts/setup-stores installs versitygw; HASHMILL_STORES names another folder than target/stores.
--latency holds each answer back by so many milliseconds, by toxiproxy.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KEY, SECRET = "testkey", "wJalrXUtnFEMIsecret"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def program(name: str) -> Path:
    return Path(os.environ.get("HASHMILL_STORES", ROOT / "target/stores")) / "bin" / name


def serve(place: Path, port: int) -> subprocess.Popen[bytes]:
    """Starts a store over a folder, and waits until it listens."""
    (place / "store/bucket").mkdir(parents=True)
    words = [program("versitygw"), "--access", KEY, "--secret", SECRET, "--quiet", "--keep-alive", "--port", f"127.0.0.1:{port}", "posix", place / "store"]
    return started(words, port)


def started(words: list[str | Path], port: int) -> subprocess.Popen[bytes]:
    """Starts a server, and waits until it listens."""
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(500):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return server
        time.sleep(0.02)
    sys.exit(f"{words[0]} does not listen")


def delay(store: int, port: int, latency: int) -> subprocess.Popen[bytes]:
    """Starts a proxy in front of the store that holds its answers back by `latency` milliseconds."""
    control = free_port()
    proxy = started([program("toxiproxy-server"), "-port", str(control)], control)
    for path, body in (
        ("proxies", {"name": "store", "listen": f"127.0.0.1:{port}", "upstream": f"127.0.0.1:{store}"}),
        ("proxies/store/toxics", {"type": "latency", "attributes": {"latency": latency}}),
    ):
        request = urllib.request.Request(f"http://127.0.0.1:{control}/{path}", json.dumps(body).encode(), method="POST")
        urllib.request.urlopen(request).close()
    return proxy


def make(folder: Path, count: int, large: int) -> None:
    """Files of random bytes: many small ones, and one large one."""
    draw = random.Random(1)
    folder.mkdir()
    for number in range(count):
        path = folder / f"small/d{number // 500}/f{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(draw.randbytes(4096))
    for name, number, size in (("medium", 256, 1 << 20), ("parts", 64, 16 << 20)):
        (folder / name).mkdir()
        for at in range(number):
            (folder / name / f"f{at}").write_bytes(draw.randbytes(size))
    with open(folder / "large", "wb") as file:
        for _ in range(large):
            file.write(draw.randbytes(1 << 20))


def timed(words: str, environment: dict[str, str]) -> tuple[float, float]:
    """Wall time, and processor time of the program and its children."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(["bash", "-c", f"set -o pipefail; {words}"], env=environment, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=str(ROOT / "target/dist/hashmill"))
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--large", type=int, default=1024)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--latency", type=int, default=0)
    parser.add_argument("--json")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place, port = Path(folder), free_port()
        make(place / "d", options.count, options.large)
        servers = [serve(place, port)]
        if options.latency:
            servers.append(delay(port, port := free_port(), options.latency))
        try:
            results = measure(options, place, f"http://127.0.0.1:{port}")
        finally:
            for server in servers:
                server.terminate()
                server.wait()
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1) + "\n")


def measure(options: argparse.Namespace, place: Path, endpoint: str) -> list[dict[str, object]]:
    environment = {
        **os.environ,
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_REGION": "us-east-1",
        "RCLONE_CONFIG": "/dev/null",
        "RCLONE_CONFIG_B_TYPE": "s3",
        "RCLONE_CONFIG_B_PROVIDER": "Other",
        "RCLONE_CONFIG_B_ENDPOINT": endpoint,
        "RCLONE_CONFIG_B_ENV_AUTH": "true",
    }
    environment.pop("AWS_CA_BUNDLE", None)
    ours, files = options.command, place / "d"
    many = "--transfers 64 --checkers 64"
    timed(f"rclone copy {files} b:bucket/ {many} --s3-chunk-size 8M", environment)
    pairs = {
        "hash": (
            f"{ours} hash -c md5 -f sums s3://bucket/small/ -o {place}/sums",
            f"rclone hashsum md5 --download b:bucket/small {many} --output-file {place}/theirs",
        ),
        "audit": (
            f"{ours} audit s3://bucket/small/ --against {files}/small",
            f"rclone check {files}/small b:bucket/small {many} 2>/dev/null",
        ),
        **{
            name: (
                f"{ours} hash -c md5 -f sums s3://bucket/{name}/ -o {place}/sums-{name}",
                f"rclone hashsum md5 --download b:bucket/{name} {many} --output-file {place}/theirs",
            )
            for name in ("medium", "parts")
        },
        "large": (
            f"{ours} hash -c sha256 s3://bucket/large",
            "rclone cat b:bucket/large --buffer-size 64M | sha256sum",
        ),
    }
    results: list[dict[str, object]] = []
    for name in options.names or pairs:
        spent: list[list[tuple[float, float]]] = [[], []]
        for turn in range(options.turns + 1):
            for times, words in zip(spent, pairs[name]):
                took = timed(words, environment)
                if turn:
                    times.append(took)
        medians = [[statistics.median(took[kind] for took in times) for kind in (0, 1)] for times in spent]
        (wall, busy), (their_wall, their_busy) = medians
        results.append({"name": name, "wall": wall, "busy": busy, "their_wall": their_wall, "their_busy": their_busy})
        print(
            f"{name:6} {wall:7.3f} s, rclone {their_wall:7.3f} s: {their_wall / wall:5.2f}x;"
            f" processor {busy:7.3f} s, rclone {their_busy:7.3f} s: {their_busy / busy:5.2f}x",
            flush=True,
        )
    return results


if __name__ == "__main__":
    main()
