"""Seals, proofs and redacted manifests, made and verified from docs/seal-format.md alone, for manifests in `jsonl` as
hashmill writes them. Nothing here was taken from hashmill's own source.

    seal_format.py make FIVE SEVEN OUT              the examples of the tests
    seal_format.py seal MANIFEST SEAL [SECRET]      is the manifest what was sealed?
    seal_format.py proof SEAL PROOF                 do these records belong to it?
    seal_format.py redacted SEAL REDACTED           likewise
    seal_format.py consistency OLD SEAL PROOF       does one begin with the other?
"""

import base64
import datetime
import hashlib
import json
import os
import sys

BITS = {
    "sha256": 256, "blake3": 256, "sha512": 512, "sha224": 224, "sha384": 384, "sha3-256": 256, "sha512-256": 256,
    "sha3-512": 512, "sha3-384": 384, "sha3-224": 224, "shake128": 256, "shake256": 512, "blake2b-512": 512,
    "blake2b-256": 256, "blake2s-256": 256, "ripemd160": 160, "tiger": 192, "whirlpool": 512, "sm3": 256,
    "streebog256": 256, "streebog512": 512, "kangarootwelve": 256, "sha256d": 256, "blake3d": 256, "sha1": 160,
    "md5": 128, "xxh128": 128, "xxh64": 64, "xxh3": 64, "crc64": 64, "crc32": 32, "crc32c": 32, "adler32": 32,
    "xxh32": 32, "cksum": 32,
}
LIKENESS = {
    "ssdeep", "ssdeep-long", "tlsh", "tlsh-old", "tlsh-xlen", "sdhash", "sdhash-3.4", "sdhash-fast", "sdhash-stream",
    "sdhash-dd", "mrsh-v2", "mrsh-v2-whole", "mrsh-v2-network",
}
STATUS = {"hashed": 0, "unreadable": 1, "changed-while-reading": 2, "skipped": 3}
OF_FILE, OF_CASE = 2**64 - 1, 2**64 - 2


class Refused(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Refused(what)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def eight(number):
    return number.to_bytes(8, "big")


# The tree, RFC 6962.


def split(count):
    power = 1
    while power * 2 < count:
        power *= 2
    return power


def root(leaves):
    if not leaves:
        return sha256()
    if len(leaves) == 1:
        return leaves[0]
    k = split(len(leaves))
    return sha256(b"\1", root(leaves[:k]), root(leaves[k:]))


def path(index, leaves):
    if len(leaves) <= 1:
        return []
    k = split(len(leaves))
    if index < k:
        return path(index, leaves[:k]) + [root(leaves[k:])]
    return path(index - k, leaves[k:]) + [root(leaves[:k])]


def growth(first, leaves, whole=True):
    if first == len(leaves):
        return [] if whole else [root(leaves)]
    k = split(len(leaves))
    if first <= k:
        return growth(first, leaves[:k], whole) + [root(leaves[k:])]
    return growth(first - k, leaves[k:], False) + [root(leaves[:k])]


def climb(leaf, index, count, siblings):
    """RFC 6962's recursion, from the top down."""
    if count == 1:
        need(not siblings, "a sibling too many")
        return leaf
    need(siblings, "a sibling is missing")
    k, last = split(count), siblings[-1]
    if index < k:
        return sha256(b"\1", climb(leaf, index, k, siblings[:-1]), last)
    return sha256(b"\1", last, climb(leaf, index - k, count - k, siblings[:-1]))


def grown(first, count, siblings, known):
    """The roots of the first and of all leaves; `known` is the first's, where that is a node of the tree."""
    if first == count:
        if known is not None:
            need(not siblings, "a hash too many")
            return known, known
        need(len(siblings) == 1, "a hash is missing or too many")
        return siblings[0], siblings[0]
    need(siblings, "a hash is missing")
    k, last = split(count), siblings[-1]
    if first <= k:
        old, new = grown(first, k, siblings[:-1], known)
        return old, sha256(b"\1", new, last)
    old, new = grown(first - k, count - k, siblings[:-1], None)
    return sha256(b"\1", last, old), sha256(b"\1", last, new)


# Leaves.


def field(tag, *parts):
    data = b"".join(parts)
    return bytes([tag]) + len(data).to_bytes(4, "big") + data


def named(tag, name, data):
    return field(tag, bytes([len(name)]), name.encode(), data)


def time(text):
    head, _, fraction = text.rstrip("Z").partition(".")
    epoch = datetime.datetime(1970, 1, 1)
    delta = datetime.datetime.strptime(head, "%Y-%m-%dT%H:%M:%S") - epoch
    seconds = delta.days * 86400 + delta.seconds
    return seconds.to_bytes(8, "big", signed=True) + int((fraction or "0").ljust(9, "0")).to_bytes(4, "big")


def fields(record, guessed):
    name = base64.b64decode(record["path_b64"]) if "path_b64" in record else record["path"].encode()
    out = field(1, name) + field(2, bytes([STATUS[record["status"]]]))
    if "size" in record:
        out += field(3, eight(record["size"]))
    if "offset" in record:
        out += field(4, eight(record["offset"]), eight(record["length"]))
    if "mtime" in record:
        out += field(5, time(record["mtime"]))
    for key, value in record.items():
        if key in BITS:
            digest = int(value).to_bytes(4, "big") if key == "cksum" else bytes.fromhex(value)
            need(len(digest) * 8 == BITS[key], "a digest of another length")
            out += named(7 if guessed else 6, key, digest)
    for key, value in record.items():
        if key in LIKENESS:
            if value is not None:
                out += named(8, key, value.encode())
            if key + "_status" in record:
                out += named(9, key, record[key + "_status"].encode())
    if "bad_blocks" in record:
        out += field(10, *[eight(number) for pair in record["bad_blocks"] for number in pair])
    if "category" in record:
        out += field(11, record["category"].encode())
        if record.get("set"):
            out += field(12, record["set"].encode())
    if "reason" in record:
        out += field(13, record["reason"].encode())
    return out


def leaf(record, salt, guessed=False):
    head = b"\0\0" if salt is None else b"\0\x20" + salt
    return sha256(head, fields(record, guessed))


# Salts.


def salt(secret, nonces, index):
    if not nonces:
        return None
    nonce = [nonce for start, nonce in nonces if start <= index][-1]
    return sha256(b"\3", sha256(b"\2", secret, nonce), eight(index))


def hidden(secret, nonces, index, digest):
    return sha256(b"\4", salt(secret, nonces, index), digest) if nonces else digest


# Manifests and seals.


class Manifest:
    """A manifest in `jsonl` as hashmill writes it."""

    def __init__(self, data):
        self.data = data
        lines = data.splitlines(keepends=True)
        is_case = lambda line: line.startswith((b'{"case_start"', b'{"case_end"'))
        self.case = b"".join(line for line in lines if is_case(line))
        self.lines = [line for line in lines if not is_case(line)]
        self.records = [json.loads(line) for line in self.lines]

    def leaves(self, secret, nonces):
        salts = [salt(secret, nonces, index) for index in range(len(self.records))]
        return [leaf(record, salt) for record, salt in zip(self.records, salts)]

    def seal(self, origin, secret=None, nonces=()):
        tree = base64.b64encode(root(self.leaves(secret, nonces))).decode()
        lines = [origin, str(len(self.records)), tree, "hashmill-seal 2", "tree sha256", "format jsonl"]
        lines.append("manifest " + hidden(secret, nonces, OF_FILE, sha256(self.data)).hex())
        if self.case:
            lines.append("case " + hidden(secret, nonces, OF_CASE, sha256(self.case)).hex())
        lines += [f"nonce {start} {nonce.hex()}" for start, nonce in nonces]
        return "".join(line + "\n" for line in lines)


class Seal:
    def __init__(self, text):
        self.text = text
        lines = text.split("\n")
        need(lines.pop() == "", "the seal has no end")
        self.origin, count, tree, version, algorithm, kind, manifest, *more = lines
        need(1 <= len(self.origin) <= 255, "origin")
        need(all("!" <= letter <= "~" and letter != "+" for letter in self.origin), "origin")
        self.records = decimal(count)
        self.root = base64.b64decode(tree, validate=True)
        need(base64.b64encode(self.root).decode() == tree and len(self.root) == 32, "root")
        need(version == "hashmill-seal 2", "version")
        need(algorithm == "tree sha256", "only SHA-256 here")
        need(kind.startswith("format ") and manifest.startswith("manifest "), "lines")
        self.manifest = digest(manifest.removeprefix("manifest "))
        self.case = digest(more.pop(0).removeprefix("case ")) if more and more[0].startswith("case ") else None
        self.nonces = []
        for line in more:
            word, start, nonce = line.split(" ")
            start = decimal(start)
            before = self.nonces[-1][0] if self.nonces else 0
            need(word == "nonce" and before <= start <= self.records, "nonce")
            need(self.nonces or start == 0, "the first nonce is of leaf 0")
            self.nonces.append((start, digest(nonce)))


def decimal(text):
    need(text.isascii() and text.isdigit() and str(int(text)) == text and int(text) < 2**64, "number")
    return int(text)


def digest(text):
    need(len(text) == 64 and all(letter in "0123456789abcdef" for letter in text), "hash")
    return bytes.fromhex(text)


# Files.


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def head(line, kind):
    value = json.loads(line)
    need(compact(value).encode() == line and list(value) == [kind, "seal"] and value[kind] == 2, "head")
    return Seal(value["seal"])


def shown(salt):
    return {} if salt is None else {"salt": salt.hex()}


def make_proof(manifest, seal, secret, indices):
    nonces = Seal(seal).nonces
    leaves = manifest.leaves(secret, nonces)
    lines = [compact({"hashmill_proof": 2, "seal": seal}).encode() + b"\n"]
    for index in indices:
        siblings = [sibling.hex() for sibling in path(index, leaves)]
        way = {"index": index} | shown(salt(secret, nonces, index)) | {"siblings": siblings}
        lines += [compact(way).encode() + b"\n", manifest.lines[index]]
    return b"".join(lines)


def make_redacted(manifest, seal, secret, hides):
    nonces = Seal(seal).nonces
    lines = [compact({"hashmill_redacted": 2, "seal": seal}).encode() + b"\n"]
    for index, leaf in enumerate(manifest.leaves(secret, nonces)):
        if hides(index):
            lines.append(compact({"hidden": leaf.hex()}).encode() + b"\n")
        else:
            way = {"shown": shown(salt(secret, nonces, index))}
            lines += [compact(way).encode() + b"\n", manifest.lines[index]]
    return b"".join(lines)


def check_proof(trusted, data):
    lines = data.split(b"\n")
    need(lines.pop() == b"" and len(lines) % 2 == 1 and len(lines) > 1, "cut short")
    seal = head(lines[0], "hashmill_proof")
    need(seal.text == trusted.text, "another seal")
    for way, record in zip(lines[1::2], lines[2::2]):
        way = json.loads(way)
        found = bytes.fromhex(way["salt"]) if "salt" in way else None
        need((found is not None) == bool(seal.nonces), "salts")
        need(way["index"] < seal.records, "number")
        hash = leaf(json.loads(record), found, way.get("guessed", False))
        siblings = [digest(sibling) for sibling in way["siblings"]]
        need(climb(hash, way["index"], seal.records, siblings) == seal.root, "does not lead to the root")


def check_redacted(trusted, data):
    lines = data.removesuffix(b"\n").split(b"\n")
    seal = head(lines[0], "hashmill_redacted")
    need(seal.text == trusted.text, "another seal")
    leaves, lines = [], iter(lines[1:])
    for line in lines:
        line = json.loads(line)
        if "hidden" in line:
            leaves.append(digest(line["hidden"]))
            continue
        found = bytes.fromhex(line["shown"]["salt"]) if "salt" in line["shown"] else None
        need((found is not None) == bool(seal.nonces), "salts")
        leaves.append(leaf(json.loads(next(lines)), found, line["shown"].get("guessed", False)))
    need(len(leaves) == seal.records, "number of records")
    need(root(leaves) == seal.root, "do not lead to the root")


def check_consistency(old, new, data):
    need(data.endswith(b"\n"), "cut short")
    value = json.loads(data)
    need(list(value) == ["hashmill_consistency", "old", "seal", "siblings"], "keys")
    need(compact(value).encode() + b"\n" == data and value["hashmill_consistency"] == 2, "not as it was written")
    need(value["old"] == old.text and value["seal"] == new.text, "another seal")
    need(old.origin == new.origin and old.records <= new.records, "origin or number")
    siblings = [digest(sibling) for sibling in value["siblings"]]
    if old.records == 0:
        need(not siblings and old.root == sha256(), "a tree without leaves")
        return
    need(grown(old.records, new.records, siblings, old.root) == (old.root, new.root), "does not lead to the roots")


def make(five, seven, out):
    five, seven = Manifest(read(five)), Manifest(read(seven))
    secret = bytes(range(32))
    for kind, nonces in [("plain", []), ("salted", [(0, b"\xa5" * 32)])]:
        seal = five.seal("example.org/lab", secret, nonces)
        write(out, "seal", kind, seal.encode())
        write(out, "proof", kind, make_proof(five, seal, secret, [1, 4]))
        write(out, "redacted", kind, make_redacted(five, seal, secret, lambda index: index % 2 == 1))
        more = nonces + [(5, b"\x5a" * 32)] if nonces else []
        new = seven.seal("example.org/lab", secret, more)
        write(out, "seal", kind + "-next", new.encode())
        siblings = [sibling.hex() for sibling in growth(5, seven.leaves(secret, more))]
        line = {"hashmill_consistency": 2, "old": seal, "seal": new, "siblings": siblings}
        write(out, "consistency", kind, compact(line).encode() + b"\n")


def read(name):
    with open(name, "rb") as file:
        return file.read()


def write(out, folder, name, data):
    os.makedirs(os.path.join(out, folder), exist_ok=True)
    with open(os.path.join(out, folder, name), "wb") as file:
        file.write(data)


def main(command, *names):
    if command == "make":
        return make(*names)
    if command == "seal":
        manifest, seal, *secret = names
        seal = Seal(read(seal).decode())
        secret = bytes.fromhex(read(secret[0]).decode().strip()) if secret else None
        found = Manifest(read(manifest)).seal(seal.origin, secret, seal.nonces)
        return need(found == seal.text, "the manifest is not what was sealed")
    *seals, proof = names
    seals = [Seal(read(name).decode()) for name in seals]
    {"proof": check_proof, "redacted": check_redacted, "consistency": check_consistency}[command](*seals, read(proof))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (Refused, ValueError, KeyError, StopIteration, UnicodeError) as error:
        sys.exit(f"refused: {error!r}")
