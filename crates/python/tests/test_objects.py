"""Hash objects behave like hashlib's."""

from __future__ import annotations

import copy
import hashlib
import hmac
import inspect
import io
import pickle
import threading
import weakref
from collections.abc import Callable

import hashmill
import pytest
from hypothesis import given
from hypothesis import strategies as st

SHARED = {
    "md5": "md5",
    "sha1": "sha1",
    "sha224": "sha224",
    "sha256": "sha256",
    "sha384": "sha384",
    "sha512": "sha512",
    "sha3_224": "sha3-224",
    "sha3_256": "sha3-256",
    "sha3_384": "sha3-384",
    "sha3_512": "sha3-512",
    "blake2b": "blake2b-512",
    "blake2s": "blake2s-256",
}


@pytest.mark.parametrize("theirs", SHARED)
@given(parts=st.lists(st.binary(max_size=5000), max_size=6))
def test_digests_are_hashlibs(theirs: str, parts: list[bytes]) -> None:
    ours, reference = hashmill.new(theirs), hashlib.new(theirs)
    for part in parts:
        ours.update(part)
        reference.update(part)
        assert ours.digest() == reference.digest()
    assert ours.hexdigest() == reference.hexdigest()
    assert (ours.digest_size, ours.block_size) == (reference.digest_size, reference.block_size)
    assert ours.name == SHARED[theirs]


@pytest.mark.parametrize("name", sorted(hashmill.algorithms_available))
def test_every_algorithm_copies_and_goes_on(name: str) -> None:
    if name == "btih":
        with pytest.raises(ValueError, match="name of a file"):
            hashmill.new(name)
        return
    message = bytes(range(256)) * 40
    whole = hashmill.new(name, message).digest()
    assert len(whole) == hashmill.algorithm(name).digest_size
    for cut in (0, 1, 1000, 4096, 10240):
        first = hashmill.new(name, message[:cut])
        second = copy.copy(first)
        first.digest()
        first.update(message[cut:])
        assert first.digest() == whole
        second.update(b"another")
        assert second.digest() == hashmill.new(name, message[:cut] + b"another").digest()


def test_constructors_take_what_hashlibs_take() -> None:
    expected = hashlib.sha256(b"abc").hexdigest()
    assert hashmill.sha256(b"abc").hexdigest() == expected
    assert hashmill.sha256(string=b"abc").hexdigest() == expected
    assert hashmill.sha256(b"abc", usedforsecurity=False).hexdigest() == expected
    assert hashmill.new("SHA256", b"abc").hexdigest() == expected
    assert hashmill.sha3_256(b"").hexdigest() == hashlib.sha3_256(b"").hexdigest()
    assert hashmill.blake3.__name__ == "blake3"


@pytest.mark.skipif(not hasattr(hashlib, "file_digest"), reason="hashlib.file_digest came with Python 3.11")
def test_hashlib_file_digest_takes_constructors() -> None:
    made = hashlib.file_digest(io.BytesIO(b"abc"), hashmill.blake3)
    assert made.hexdigest() == hashmill.blake3(b"abc").hexdigest()


def test_hmac_takes_constructors() -> None:
    ours = hmac.new(b"key", b"message", hashmill.sha256).hexdigest()
    assert ours == hmac.new(b"key", b"message", "sha256").hexdigest()


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview])
def test_every_kind_of_buffer_is_taken(make: type) -> None:
    assert hashmill.md5(make(b"abc" * 2000)).digest() == hashlib.md5(b"abc" * 2000).digest()


def test_other_buffers_are_taken() -> None:
    import array
    import mmap

    numbers = array.array("I", range(1000))
    assert hashmill.sha1(numbers).digest() == hashlib.sha1(numbers).digest()
    with mmap.mmap(-1, 4096) as mapped:
        assert hashmill.sha1(mapped).digest() == hashlib.sha1(mapped).digest()
    square = memoryview(bytes(36)).cast("B", (6, 6))
    assert hashmill.sha1(square).digest() == hashlib.sha1(bytes(36)).digest()


def test_wrong_arguments_are_told() -> None:
    with pytest.raises(TypeError, match="must be encoded"):
        hashmill.sha256("text")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="buffer API"):
        hashmill.sha256(1)  # type: ignore[arg-type]
    with pytest.raises(BufferError, match="not contiguous"):
        hashmill.sha256(memoryview(b"abcdef")[::2])
    with pytest.raises(ValueError, match="did you mean 'sha256'"):
        hashmill.new("sha265")
    for call in (hashmill.new, hashmill.algorithm):
        with pytest.raises(TypeError, match="the name of an algorithm is text, not int"):
            call(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        hashmill.sha256(b"", string=b"")


def test_constructors_say_what_they_are() -> None:
    for name, parameters in (
        ("sha256", "(data=b'', *, usedforsecurity=True)"),
        ("md5", "(data=b'', *, usedforsecurity=True)"),
        ("xxh64", "(data=b'', *, usedforsecurity=True, seed=0)"),
        ("blake3", "(data=b'', *, usedforsecurity=True, key=None, derive_key_context=None)"),
    ):
        call = getattr(hashmill, name)
        assert str(inspect.signature(call)) == parameters


def test_digests_may_be_numbers() -> None:
    assert hashmill.sha256(b"abc").intdigest() == int(hashlib.sha256(b"abc").hexdigest(), 16)
    assert hashmill.xxh64(b"").intdigest() == 0xEF46DB3751D8E999


def _outcome(call: Callable[[], object]) -> object:
    try:
        made = call()
    except Exception as error:
        return type(error)
    hexdigest = getattr(made, "hexdigest", None)
    return hexdigest() if hexdigest else made


@pytest.mark.parametrize("wrong", [None, 1, 1.5, "text", [], object(), [b"abc"]], ids=repr)
def test_what_is_no_message_is_refused_as_by_hashlib(wrong: object) -> None:
    calls: list[tuple[Callable[[], object], Callable[[], object]]] = [
        (lambda: hashmill.sha256(wrong), lambda: hashlib.sha256(wrong)),  # type: ignore[arg-type]
        (lambda: hashmill.sha256(string=wrong), lambda: hashlib.sha256(string=wrong)),  # type: ignore[arg-type]
        (lambda: hashmill.new("md5", wrong), lambda: hashlib.new("md5", wrong)),  # type: ignore[arg-type]
        (lambda: hashmill.new("md5", data=wrong), lambda: hashlib.new("md5", wrong)),  # type: ignore[arg-type]
        (lambda: hashmill.md5().update(wrong), lambda: hashlib.md5().update(wrong)),  # type: ignore[arg-type]
        (lambda: hashmill.new(wrong), lambda: hashlib.new(wrong)),  # type: ignore[arg-type]
    ]
    for ours, theirs in calls[:5]:
        assert _outcome(ours) == _outcome(theirs) == TypeError
    assert _outcome(calls[5][0]) in (TypeError, ValueError)
    with pytest.raises((TypeError, ValueError, OSError)):
        hashmill.file_digest(wrong, "md5")  # type: ignore[arg-type]
    if wrong is not None:
        with pytest.raises(TypeError):
            hashmill.digest_many([wrong], "md5")
    with pytest.raises((TypeError, ValueError)):
        hashmill.digest_many(wrong if wrong not in ([], [b"abc"]) else [1], "md5")  # type: ignore[arg-type]
    if not isinstance(wrong, (str, list)):
        with pytest.raises(TypeError):
            hashmill.hash(wrong)  # type: ignore[arg-type]


def test_objects_are_not_pickled_but_constructors_are() -> None:
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(hashmill.sha256())
    assert pickle.loads(pickle.dumps(hashmill.sha256)) == hashmill.sha256
    assert pickle.loads(pickle.dumps(hashmill.algorithm("s3-etag:5M"))).name == "s3-etag:5M"


def test_objects_have_weak_references() -> None:
    made = hashmill.sha256()
    reference = weakref.ref(made)
    del made
    assert reference() is None


def test_text_is_the_usual_form() -> None:
    etag = hashmill.new("s3-etag:1K", bytes(3000))
    assert etag.text().endswith("-3")
    assert hashmill.sha256(b"").text() == hashlib.sha256(b"").hexdigest()


def test_threads_may_share_an_object() -> None:
    shared = hashmill.sha256()
    part = bytes(100_000)

    def work() -> None:
        for _ in range(50):
            shared.update(part)
            shared.digest()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert shared.digest() == hashlib.sha256(part * 400).digest()


def test_names_in_the_module_are_the_registry() -> None:
    for row in hashmill.algorithms():
        spelled = row.name.replace("-", "_")
        assert getattr(hashmill, spelled) == row
