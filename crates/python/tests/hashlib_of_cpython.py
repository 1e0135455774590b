"""CPython's own tests of hashlib, run against our constructors.

A module that has ours in the places of hashlib's takes its name, then test.test_hashlib runs. Tests that can't apply are
listed below with their reason, those of several versions of CPython.

    python hashlib_of_cpython.py [FOLDER OF test_hashlib.py]
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import sys
import types
import unittest
from pathlib import Path

import hashmill

#: Tests that don't apply, and why.
APART = {
    "test_algorithms_available": "compares hashlib's sets with OpenSSL's",
    "test_algorithms_guaranteed": "names of OpenSSL and of CPython",
    "test_unknown_hash": "asks OpenSSL's constructors",
    "test_usedforsecurity_true": "asks hashlib's own modules",
    "test_usedforsecurity_false": "asks hashlib's own modules",
    "test_new_upper_to_lower": "asks OpenSSL's names",
    "test_get_builtin_constructor": "CPython's fallback without OpenSSL",
    "test_blake2b": "wants `string` refused, which later versions take",
    "test_blake2s": "wants `string` refused, which later versions take",
    "test_digest_length_overflow": "a limit of CPython's module _sha3, which OpenSSL's SHAKE has not",
    "test_extra_sha3": "inner state of CPython's Keccak",
    "test_disallow_instantiation": "types of CPython's own modules",
    "test_hash_disallow_instantiation": "types of CPython's own modules",
    "test_readonly_types": "types of CPython's own modules",
    "test_clinic_signature": "messages about arguments of CPython 3.14",
    "test_clinic_signature_errors": "messages about arguments of CPython 3.14",
}

#: hashlib's name of each of its algorithms that we have with the same interface.
NAMES = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512", "blake2b", "blake2s"]
#: Algorithms with digests of any length.
SHAKES = ["shake_128", "shake_256"]
NAMES += SHAKES


class _Named:
    """One of our constructors under hashlib's name."""

    def __init__(self, inner: hashmill.Hash, name: str) -> None:
        self._inner = inner
        self.name = name
        # That of ours is the length where none is asked for.
        self.digest_size = 0 if name in SHAKES else inner.digest_size
        self.block_size = inner.block_size
        self.update = inner.update
        self.digest = inner.digest
        self.hexdigest = inner.hexdigest

    def __repr__(self) -> str:
        return repr(self._inner)

    def copy(self) -> _Named:
        return _Named(self._inner.copy(), self.name)


def _constructor(name: str) -> object:
    row = hashmill.algorithm(name)

    def make(*arguments: object, **options: object) -> _Named:
        return _Named(row(*arguments, **options), name)  # type: ignore[arg-type]

    make.__name__ = make.__qualname__ = name
    return make


def module() -> types.ModuleType:
    """A hashlib that has our constructors."""
    made = types.ModuleType("hashlib")
    made.__dict__.update({key: value for key, value in vars(hashlib).items() if not key.startswith("__")})
    ours = {name: _constructor(name) for name in NAMES}
    made.__dict__.update(ours)

    def new(name: str, data: object = b"", **options: object) -> object:
        make = ours.get(name.lower()) or _constructor(name)
        return make(data, **options)  # type: ignore[operator]

    made.new = new  # type: ignore[attr-defined]
    made.algorithms_guaranteed = set(NAMES)  # type: ignore[attr-defined]
    made.algorithms_available = set(NAMES)  # type: ignore[attr-defined]
    made.__get_builtin_constructor = lambda name: ours[name]  # type: ignore[attr-defined]
    return made


def suite(folder: Path | None) -> unittest.TestSuite:
    """CPython's tests with our module in hashlib's place."""
    sys.modules["hashlib"] = module()
    if folder is None:
        spec = importlib.util.find_spec("test.test_hashlib")
    else:
        spec = importlib.util.spec_from_file_location("test_hashlib", folder / "test_hashlib.py")
    if spec is None or spec.loader is None:
        raise SystemExit("test_hashlib.py is not here: install libpython3.x-testsuite")
    tests = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tests)
    case = tests.HashLibTestCase
    # Ours alone: CPython looks for more than one implementation of each algorithm.
    case.supported_hash_names = tuple(NAMES)

    def begin(self: unittest.TestCase, *arguments: object) -> None:
        unittest.TestCase.__init__(self, *arguments)  # type: ignore[arg-type]
        ours = sys.modules["hashlib"]
        self._hashlib = None  # type: ignore[attr-defined]
        self.constructors_to_test = {  # type: ignore[attr-defined]
            name: {getattr(ours, name), functools.partial(ours.new, name)} for name in NAMES
        }

    case.__init__ = begin
    all_names = unittest.TestLoader().getTestCaseNames(case)
    wanted = [name for name in all_names if name not in APART]
    print(f"{len(wanted)} tests of CPython {sys.version.split()[0]}, {len(all_names) - len(wanted)} that can't apply")
    return unittest.TestSuite(case(name) for name in wanted)


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    result = unittest.TextTestRunner(verbosity=0).run(suite(folder))
    return 0 if result.wasSuccessful() and result.testsRun >= 25 else 1


if __name__ == "__main__":
    sys.exit(main())
