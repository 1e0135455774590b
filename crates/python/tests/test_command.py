"""The command in the module: it is a program like any other."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import hashmill
import pytest

PACKAGES = str(Path(hashmill.__file__).parent.parent)


def run(*words: str | bytes, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "hashmill", *words]
    # From wherever it is run, the package is this one.
    options["env"] = {**os.environ, "PYTHONPATH": PACKAGES}
    return subprocess.run(command, capture_output=True, timeout=60, check=False, **options)  # type: ignore[call-overload, no-any-return]


def test_it_says_its_version() -> None:
    said = run("--version")
    assert (said.returncode, said.stdout) == (0, f"hashmill {hashmill.__version__}\n".encode())
    assert b"\nfeatures  images " in run("--version", "-v").stdout


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such name")
def test_names_of_any_bytes_come_through(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff\\"
    Path(os.fsdecode(name)).write_bytes(b"abc")
    said = run("hash", "-c", "md5", "-f", "sums", name)
    line = b"\\" + hashlib.md5(b"abc").hexdigest().encode() + b"  " + name.replace(b"\\", b"\\\\") + b"\n"
    assert (said.returncode, said.stdout, said.stderr) == (0, line, b"")


def test_it_reads_standard_input_and_writes_all() -> None:
    said = run("hash", "-c", "md5", "-f", "sums", "-", input=b"abc")
    assert said.stdout == hashlib.md5(b"abc").hexdigest().encode() + b"  -\n"


def test_exit_codes_are_the_commands(tree: Path, tmp_path: Path) -> None:
    assert run("hash", tree.name, cwd=tmp_path).returncode == 0
    missing = run("hash", "missing", cwd=tmp_path)
    assert missing.returncode == 2 and missing.stderr.startswith(b"hashmill: missing: ")
    assert run("hash", "--no-such-option").returncode == 64
    assert run("hash", tree.name, "-f", "jsonl", "-o", "list.jsonl", cwd=tmp_path).returncode == 0
    (tree / "d1" / "f1").write_bytes(b"changed")
    assert run("audit", "-k", "list.jsonl", tree.name, cwd=tmp_path).returncode == 1


TWICE = """
import sys
from hashmill._hashmill import command
first = command(["hashmill", "check", "--status", "wrong"], None)
second = command(["hashmill", "hash", "-c", "md5", "-f", "sums", "tree/file"], None)
print(first, second)
"""


def test_one_command_after_another_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file").write_bytes(b"abc")
    (tmp_path / "wrong").write_text("0" * 32 + "  tree/file\n")
    env = {**os.environ, "PYTHONPATH": PACKAGES}
    said = subprocess.run([sys.executable, "-c", TWICE], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert said.stdout.splitlines() == [f"{hashlib.md5(b'abc').hexdigest()}  tree/file", "1 0"], said


def test_it_has_the_commands_of_hashdeep(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    said = run("hashdeep", "-c", "md5", "file", cwd=tmp_path)
    assert said.stdout.startswith(b"%%%% HASHDEEP-1.0" + os.linesep.encode()), said


@pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFOs")
def test_ctrl_c_ends_it_as_it_ends_a_program(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    command = [sys.executable, "-m", "hashmill", "hash", "fifo"]
    env = {**os.environ, "PYTHONPATH": PACKAGES}
    process = subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.PIPE)
    # It has opened the file, so it runs.
    with open(tmp_path / "fifo", "wb"):
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.startswith(b"hashmill: interrupted"), said
    assert b"Traceback" not in said


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_reader_that_goes_away_ends_it(tree: Path) -> None:
    command = [sys.executable, "-m", "hashmill", "hash", *[str(tree)] * 500]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=60) == -signal.SIGPIPE
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
