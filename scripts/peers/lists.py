"""Lists and digests from the tests of coreutils, in GNU's and in Rust: the tables of cases, and files that are lists."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .hashmill import run
from .verdict import Verdict

# Prints the tables of cases of a test in Perl, instead of running them.
DUMP = """
sub run_tests { my ($name, $program, $tests) = @_; print JSON::PP->new->latin1->encode([map { [$program, @$_] } @$tests]); exit 0 }
sub getlimits { {} }
$0 = $ARGV[0]; do "./$ARGV[0]"; die $@ || $!;
"""
# Options of md5sum and the like, and those of `hashmill check`.
OPTIONS = {"--check": "", "--text": "", "--binary": "", "--untagged": "", "--quiet": "", "--status": "--status", "--strict": "--strict", "--warn": "--warn",
           "--ignore-missing": "--ignore-missing"}  # fmt: skip
ALGORITHMS = {"b2sum": "blake2b-512", "cksum": "cksum"}


def tables(sources: Path) -> Iterator[tuple[str, list[object]]]:
    """Yields the names of the cases of tests in Perl, and their words."""
    for test in sorted((sources / "tests").glob("*/*sum*.pl")):
        # Sums of 16 bits are no digests, and one test has no table.
        if test.name not in ("sum.pl", "md5sum-newline.pl"):
            words = ["perl", "-MJSON::PP", "-e", DUMP, str(test.relative_to(sources))]
            dumped = subprocess.run(words, cwd=sources, capture_output=True, check=True)
            for case in json.loads(dumped.stdout.decode("latin-1")):
                yield f"{test.stem}/{case[1]}", case


def judge_table(hashmill: str, case: list[object]) -> Verdict:
    """Compares the exit code and what is printed with what the table wants."""
    program, words = str(case[0]), " ".join(word for word in case[2:] if isinstance(word, str)).split()
    facts = [fact for fact in case[2:] if isinstance(fact, dict)]
    wanted = "".join(fact.get("OUT", "") for fact in facts)
    fails = any(fact.get("EXIT", 0) for fact in facts)
    algorithm = ALGORITHMS.get(program, program.removesuffix("sum"))
    if "-a" in words:
        at = words.index("-a")
        algorithm = words[at + 1]
        del words[at : at + 2]
    if unknown := set(words) - OPTIONS.keys():
        return Verdict("refused", f"there is no option {' '.join(unknown)}")
    with tempfile.TemporaryDirectory() as name:
        folder, operands = Path(name), []
        for fact in facts:
            for kind in ("IN", "AUX"):
                for file, content in fact.get(kind, {}).items():
                    (folder / file).write_bytes(content.encode("latin-1"))
                    operands += [file] if kind == "IN" else []
        command = ["check" if "--check" in words else "hash", "-c", algorithm, *filter(None, map(OPTIONS.__getitem__, words)), *operands]
        ran = run(hashmill, *command, *([] if "--check" in words else ["-f", "sums"]), folder=folder)
    if ran.crash:
        return Verdict("crash", ran.crash)
    if "--check" not in words:
        return Verdict("ok", "") if ran.out == wanted and (ran.code != 0) == fails else Verdict("WRONG", f"{ran.out!r}, not {wanted!r}")
    if ran.code == 0 and not fails or ran.code and fails:
        return Verdict("ok", "")
    return Verdict("refused" if ran.code else "WRONG", f"exit code {ran.code}: {ran.out.strip()} {ran.err.strip()}")


def judge_list(hashmill: str, file: Path) -> Verdict:
    """A list of the tests of uutils is one of the files beside it, or in the folder above."""
    folder = file.parent if (file.parent / "input.txt").exists() else next(up for up in file.parents if (up / "lorem_ipsum.txt").exists())
    ran = run(hashmill, "check", str(file.relative_to(folder)), folder=folder)
    if ran.crash:
        return Verdict("crash", ran.crash)
    # A verdict is no refusal.
    outcome = {0: "ok", 1: "WRONG"}.get(ran.code, "refused")
    return Verdict(outcome, f"exit code {ran.code}: {ran.err.strip() or ran.out.strip()}")
