"""Options of hash objects: lengths of SHAKE and BLAKE3, keys, salts and trees of BLAKE2, keys of BLAKE3."""

from __future__ import annotations

import copy
import hashlib
import hmac
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import blake3
import hashmill
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

KEY = bytes(range(32))


def outcome(call: Callable[[], Any]) -> Any:
    """Returns the result of a call, or the type of its exception."""
    try:
        return call()
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("name", ["shake_128", "shake_256"])
@settings(max_examples=200)
@given(parts=st.lists(st.binary(max_size=700), max_size=4), length=st.integers(0, 2000))
def test_shake_has_every_length(name: str, parts: list[bytes], length: int) -> None:
    theirs, ours = hashlib.new(name), getattr(hashmill, name)()
    for part in parts:
        theirs.update(part)
        ours.update(part)
    wanted = theirs.digest(length)  # type: ignore[call-arg]
    assert ours.digest(length) == ours.digest(length, seek=0) == wanted
    assert ours.hexdigest(length) == wanted.hex()
    assert ours.digest() == theirs.digest(ours.digest_size)  # type: ignore[call-arg]


@settings(max_examples=200)
@given(
    parts=st.lists(st.binary(max_size=3000), max_size=4),
    length=st.integers(0, 300),
    seek=st.integers(0, 2**40),
    mode=st.sampled_from(["plain", "keyed", "derived"]),
)
def test_blake3_is_that_of_its_package(parts: list[bytes], length: int, seek: int, mode: str) -> None:
    modes: dict[str, dict[str, Any]] = {"plain": {}, "keyed": {"key": KEY}, "derived": {"derive_key_context": "tests 2026 ü"}}
    options = modes[mode]
    theirs, ours = blake3.blake3(**options), hashmill.blake3(**options)
    for part in parts:
        theirs.update(part)
        ours.update(part)
    assert ours.digest() == theirs.digest()
    assert ours.digest(length, seek=seek) == theirs.digest(length, seek=seek)
    assert ours.hexdigest(length=length) == theirs.hexdigest(length=length)
    again = copy.copy(ours)
    ours.update(b"more")
    assert again.digest() == theirs.digest() != ours.digest()


def test_long_output_is_written_without_the_lock() -> None:
    whole = hashlib.shake_128(b"abc").digest(5_000_000)
    assert hashmill.shake128(b"abc").digest(5_000_000) == whole
    assert hashmill.blake3(b"abc").digest(5_000_000) == blake3.blake3(b"abc").digest(5_000_000)


def test_lengths_that_can_not_be() -> None:
    for made in (hashmill.shake128(), hashmill.blake3()):
        with pytest.raises(ValueError, match="negative"):
            made.digest(-1)
        with pytest.raises(MemoryError):
            made.digest(2**62)
        with pytest.raises(OverflowError):
            made.digest(2**70)
    with pytest.raises(ValueError, match="too large"):
        hashmill.blake3().digest(2, seek=2**64 - 1)
    with pytest.raises(ValueError, match="sought"):
        hashmill.shake128().digest(2, seek=2**60)
    plain: Any = hashmill.sha256()
    with pytest.raises(TypeError):
        plain.digest(5)


def test_extendable_ones_are_hash_objects_as_others() -> None:
    made = hashmill.blake3(b"abc")
    assert isinstance(made, hashmill.ExtendableHash) and isinstance(made, hashmill.Hash)
    assert isinstance(hashmill.blake3, hashmill.ExtendableAlgorithm) and isinstance(hashmill.blake3, hashmill.Algorithm)
    assert not isinstance(hashmill.sha256, hashmill.ExtendableAlgorithm)
    assert isinstance(hashmill.new("shake128"), hashmill.ExtendableHash)
    assert (made.name, made.digest_size, made.block_size) == ("blake3", 32, 64)
    row = pickle.loads(pickle.dumps(hashmill.shake256))
    assert type(row) is hashmill.ExtendableAlgorithm and row == hashmill.shake256 == hashmill.algorithm("shake-256")
    assert hash(row) == hash(hashmill.shake256)
    assert hashmill.ExtendableAlgorithm("blake3") == hashmill.blake3 == hashmill.Algorithm("blake3")
    with pytest.raises(ValueError, match="one length"):
        hashmill.ExtendableAlgorithm("sha256")
    assert hmac.new(b"key", b"message", hashmill.blake3).digest_size == 32
    with pytest.raises(TypeError):
        pickle.dumps(made)


BLAKE2 = {"blake2b": (64, 64, 16), "blake2s": (32, 32, 8)}


@pytest.mark.parametrize("name", BLAKE2)
@settings(max_examples=300)
@given(data=st.data())
def test_blake2_is_hashlibs(name: str, data: st.DataObject) -> None:
    most, key, salt = BLAKE2[name]
    options: dict[str, Any] = {
        "digest_size": data.draw(st.integers(1, most)),
        "key": data.draw(st.binary(max_size=key)),
        "salt": data.draw(st.binary(max_size=salt)),
        "person": data.draw(st.binary(max_size=salt)),
        "fanout": data.draw(st.integers(0, 255)),
        "depth": data.draw(st.integers(1, 255)),
        "leaf_size": data.draw(st.integers(0, 2**32 - 1)),
        "node_offset": data.draw(st.integers(0, 2**48 - 1)),
        "node_depth": data.draw(st.integers(0, 255)),
        "inner_size": data.draw(st.integers(0, most)),
        "last_node": data.draw(st.booleans()),
    }
    given_options = {option: value for option, value in options.items() if data.draw(st.booleans())}
    message = data.draw(st.binary(max_size=500))
    theirs = getattr(hashlib, name)(message, **given_options)
    ours = getattr(hashmill, name)(message, **given_options)
    assert ours.digest() == theirs.digest()
    assert (ours.digest_size, ours.block_size) == (theirs.digest_size, theirs.block_size)
    assert hashmill.new(name, message, **given_options).digest() == theirs.digest()
    again = ours.copy()
    theirs.update(b"more")
    ours.update(b"more")
    assert ours.digest() == theirs.digest()
    assert again.digest() == getattr(hashlib, name)(message, **given_options).digest()


@pytest.mark.parametrize("name", BLAKE2)
@pytest.mark.parametrize(
    "options",
    [
        {"key": bytes(65)},
        {"key": "text"},
        {"key": None},
        {"salt": bytes(17)},
        {"person": bytes(17)},
        {"digest_size": 0},
        {"digest_size": 65},
        {"digest_size": -1},
        {"digest_size": 2.0},
        {"digest_size": True},
        {"fanout": 256},
        {"fanout": -1},
        {"depth": 0},
        {"depth": 256},
        {"leaf_size": 2**32},
        {"leaf_size": 2**70},
        {"leaf_size": -1},
        {"node_offset": 2**64},
        {"node_offset": -1},
        {"node_depth": 256},
        {"inner_size": 65},
        {"inner_size": -1},
        {"last_node": 5},
        {"nothing": 1},
    ],
    ids=str,
)
def test_what_blake2_refuses_is_what_hashlib_refuses(name: str, options: dict[str, Any]) -> None:
    theirs = outcome(lambda: getattr(hashlib, name)(b"abc", **options).digest())
    assert outcome(lambda: getattr(hashmill, name)(b"abc", **options).digest()) == theirs


def test_limits_have_hashlibs_names() -> None:
    for name in BLAKE2:
        for limit in ("MAX_DIGEST_SIZE", "MAX_KEY_SIZE", "SALT_SIZE", "PERSON_SIZE"):
            assert getattr(getattr(hashmill, name), limit) == getattr(getattr(hashlib, name), limit)
    assert not hasattr(hashmill.sha256, "SALT_SIZE")
    with pytest.raises(OverflowError, match="node_offset"):
        hashmill.blake2s(node_offset=2**48)


@pytest.mark.parametrize(
    "options",
    [
        {"key": bytes(31)},
        {"key": b""},
        {"key": "text"},
        {"key": KEY, "derive_key_context": "context"},
        {"derive_key_context": b"context"},
        {"nothing": 1},
    ],
    ids=str,
)
def test_what_blake3_refuses_is_what_its_package_refuses(options: dict[str, Any]) -> None:
    theirs = outcome(lambda: blake3.blake3(b"abc", **options))
    assert theirs in (ValueError, TypeError)
    assert outcome(lambda: hashmill.blake3(b"abc", **options)) is theirs


def test_data_has_the_name_that_hashlib_gives_it() -> None:
    assert hashmill.sha256(data=b"abc").digest() == hashmill.sha256(b"abc").digest()
    assert hashmill.blake3(data=b"abc").digest() == hashmill.new("blake3", data=b"abc").digest()
    twice: Any = hashmill.sha256
    with pytest.raises(TypeError):
        twice(b"a", data=b"b")


LONG = bytes(range(256)) * 2
"""The last length of XXH3 for which it has a way of its own is 240 bytes."""


@pytest.mark.parametrize(
    ("name", "seed", "digests"),
    [
        ("xxh32", 1, (0x0B2CB792, 0xAA3DA8FF, 0xAE4AAADD)),
        ("xxh64", 2**32 - 1, (0x39554C1E3DB747E7, 0x453354140EE73869, 0xCC202FABD3B104EF)),
        ("xxh3", 1, (0x4DC5B0CC826F6703, 0x6B4467B443C76228, 0xF3B8D192B389272)),
        ("xxh128", 1, (0xD9265CC53BB2B9AE6131B78F753823CD, 0x7577B06FAE9EE3ED6B4467B443C76228, 0x54BFAD3ECEF685A10F3B8D192B389272)),
    ],
)
def test_seeds_are_those_of_xxhash(name: str, seed: int, digests: tuple[int, ...]) -> None:
    for message, wanted in zip((b"", b"abc", LONG), digests):
        assert hashmill.new(name, message, seed=seed).intdigest() == wanted
        by_parts = hashmill.new(name, seed=seed)
        for part in range(0, len(message), 100):
            by_parts.update(message[part : part + 100])
        assert by_parts.copy().intdigest() == wanted
        assert hashmill.new(name, message, seed=0).digest() == hashmill.new(name, message).digest()
    with pytest.raises(OverflowError, match="too (large|big)"):
        hashmill.new(name, seed=2**32 if name == "xxh32" else 2**64)
    with pytest.raises(ValueError, match="negative"):
        hashmill.new(name, seed=-1)
    with pytest.raises(TypeError, match="'seed'"):
        hashmill.new("crc32", seed=1)


def test_options_of_one_are_none_of_others() -> None:
    refused: Any = hashmill.sha256
    with pytest.raises(TypeError, match="unexpected keyword argument 'key'"):
        refused(key=KEY)
    with pytest.raises(TypeError, match="'salt'"):
        hashmill.new("blake3", salt=b"")
    assert hashmill.blake3(b"abc", key=None, derive_key_context=None).digest() == hashmill.blake3(b"abc").digest()


def test_two_keys_at_once_make_digests_of_their_own() -> None:
    messages = [bytes([number]) * 5000 for number in range(50)]

    def digests(key: bytes) -> list[bytes]:
        return [hashmill.blake3(message, key=key).digest() for message in messages]

    keys = [KEY, bytes(32)]
    with ThreadPoolExecutor(len(keys)) as threads:
        for key, found in zip(keys, threads.map(digests, keys), strict=True):
            assert found == [blake3.blake3(message, key=key).digest() for message in messages]


def test_algorithms_that_need_a_key_are_refused_without() -> None:
    calls: list[Any] = [hashmill.new, lambda name: hashmill.digest_many([b""], name), lambda name: hashmill.file_digest(__file__, name)]
    for call in calls:
        for name in ("blake3-keyed", "blake3-derive-key"):
            with pytest.raises(ValueError, match="key"):
                call(name)


def test_none_is_no_message() -> None:
    nothing: Any = None
    makers: list[Any] = [hashmill.sha256, hashmill.blake3, hashmill.shake128, hashmill.blake2b, lambda data: hashmill.new("md5", data)]
    for make in makers:
        with pytest.raises(TypeError, match="buffer"):
            make(nothing)
    with pytest.raises(TypeError, match="buffer"):
        hashmill.sha256(string=nothing)
    with pytest.raises(TypeError, match="buffer"):
        hashmill.sha256().update(nothing)
