"""The package model_signing as a judge.

sign HOW KEY MODEL SIGNATURE          makes a signature
verify HOW PUBLIC MODEL SIGNATURE...  prints a line for each: "good NAME" or "refused NAME: why"
craft KEY MODEL FOLDER                makes signatures by hand, below FOLDER: what everybody takes in `good`, what
                                      everybody refuses in `refused`, and in `strict` what the package takes

HOW is files:HASH, shards:SIZE:HASH, or guess. Each line of standard input is a request: {"folder": ..., "words": [...]}. It is
carried out there by a process of its own, and answered by a line: {"code": ..., "stdout": ..., "stderr": ...}. To import the
package takes longer than what is asked of it.
"""

import base64
import hashlib
import json
import os
import pathlib
import sys
import tempfile
import traceback

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from model_signing import hashing, signing, verifying
from model_signing._signing import sign_sigstore_pb as dsse

TYPE = "application/vnd.in-toto+json"


def config(how, ignored):
    method, *rest = how.split(":")
    made = hashing.Config()
    if method == "files":
        made.use_file_serialization(hashing_algorithm=rest[0])
    else:
        made.use_shard_serialization(shard_size=int(rest[0]), hashing_algorithm=rest[1])
    return made.set_ignored_paths(paths=ignored)


def sign(how, key, model, signature):
    made = signing.Config().use_elliptic_key_signer(private_key=key)
    made.set_hashing_config(config(how, []))
    made.sign(model, signature)


def verify(how, public, model, signatures):
    for signature in signatures:
        judge = verifying.Config().use_elliptic_key_verifier(public_key=public)
        if how != "guess":
            judge.set_hashing_config(config(how, [pathlib.Path("model.sig")]))
        try:
            judge.verify(pathlib.Path(model), pathlib.Path(signature))
            print("good", signature)
        except Exception as why:
            print(f"refused {signature}: {why!r}"[:300].replace("\n", " "))


class Craft:
    """What a signature is made of; every part can be changed."""

    def __init__(self, key, model):
        self.key = serialization.load_pem_private_key(pathlib.Path(key).read_bytes(), None)
        self.resources = []
        for path in sorted(path for path in pathlib.Path(model).rglob("*") if path.is_file()):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            name = path.relative_to(model).as_posix()
            self.resources.append({"name": name, "algorithm": "sha256", "digest": digest})
        self.serialization = {"method": "files", "hash_type": "sha256", "allow_symlinks": False}
        self.root = None
        self.statement = None
        self.payload = None
        self.type = TYPE
        self.pae = dsse.pae
        self.bundle = lambda bundle: bundle
        self.text = lambda text: text

    def made(self):
        raw = b"".join(bytes.fromhex(each["digest"]) for each in self.resources)
        root = self.root or hashlib.sha256(raw).hexdigest()
        statement = {
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [{"name": "m", "digest": {"sha256": root}}],
            "predicateType": "https://model_signing/signature/v1.0",
            "predicate": {"serialization": self.serialization, "resources": self.resources},
        }
        if self.statement:
            self.statement(statement)
        payload = json.dumps(statement)
        if self.payload:
            payload = self.payload(payload)
        payload = payload.encode()
        signature = self.key.sign(self.pae(payload), ec.ECDSA(hashes.SHA256()))
        public = self.key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        bundle = {
            "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
            "verificationMaterial": {
                "publicKey": {"hint": hashlib.sha256(public).hexdigest()},
                "tlogEntries": [],
            },
            "dsseEnvelope": {
                "payload": base64.b64encode(payload).decode(),
                "payloadType": self.type,
                "signatures": [{"sig": base64.b64encode(signature).decode(), "keyid": ""}],
            },
        }
        self.bundle(bundle)
        return self.text(json.dumps(bundle))


def changed(path, value):
    """Sets what lies at a path of keys; removes it if the value is `...`."""

    def change(place):
        *parts, last = path
        for part in parts:
            place = place[part]
        if value is ...:
            del place[last]
        else:
            place[last] = value

    return change


def old_statement(statement):
    statement["predicateType"] = "https://model_signing/Digests/v0.1"
    resources = statement.pop("predicate")["resources"]
    statement["subject"] = [
        {"name": each["name"], "digest": {"sha256": each["digest"]}} for each in resources
    ]


def craft(key, model, folder):
    other = hashlib.sha256(b"other").hexdigest()
    material, envelope = "verificationMaterial", "dsseEnvelope"

    def resources(change):
        return lambda made: change(made.resources)

    def put(part, value):
        return lambda made: setattr(made, part, value)

    def text(old, new):
        return put("text", lambda text: text.replace(old, new, 1))

    def flipped(bundle):
        payload = bytearray(base64.b64decode(bundle[envelope]["payload"]))
        payload[-1:] = b" }"
        bundle[envelope]["payload"] = base64.b64encode(payload).decode()

    def twice(bundle):
        bundle[envelope]["signatures"] *= 2

    def no_pae(payload):
        return dsse.pae(payload).replace(TYPE.encode(), b"text/plain+json-in-toto-type")

    cases = {
        "good": {
            "plain": lambda made: None,
            "other-order": resources(lambda all: all.reverse()),
            "unknown-predicate-field": put(
                "statement", lambda statement: statement["predicate"].update(more={"a": 1})
            ),
            "no-hint": put("bundle", changed([material, "publicKey", "hint"], ...)),
            "raw-key": put("bundle", changed([material, "publicKey", "rawBytes"], "AAAA")),
            "no-log": put("bundle", changed([material, "tlogEntries"], ...)),
            "no-key-id": put("bundle", changed([envelope, "signatures", 0, "keyid"], ...)),
            "ignored": lambda made: made.serialization.update(ignore_paths=["nothing", "/else", "../x"]),
            "old": lambda made: (put("statement", old_statement)(made), put("pae", dsse.pae_compat)(made)),
            "old-encoding": put("pae", dsse.pae_compat),
        },
        "refused": {
            "predicate-type": put("statement", changed(["predicateType"], "https://slsa.dev/provenance/v1")),
            "statement-type": put("statement", changed(["_type"], "https://in-toto.io/Statement/v0.1")),
            "two-subjects": put("statement", lambda statement: statement["subject"].append(statement["subject"][0])),
            "no-subject": put("statement", changed(["subject"], [])),
            "root": put("root", other),
            "root-upper-case": put("statement", lambda statement: statement["subject"][0]["digest"].update(sha256=statement["subject"][0]["digest"]["sha256"].upper())),
            "method": lambda made: made.serialization.update(method="tensors"),
            "hash-type": lambda made: made.serialization.update(hash_type="md5"),
            "no-links-field": lambda made: made.serialization.pop("allow_symlinks"),
            "algorithm": resources(lambda all: all[0].update(algorithm="sha512")),
            "missing": resources(lambda all: all.append({"name": "zz", "algorithm": "sha256", "digest": other})),
            "unsigned": resources(lambda all: all.pop()),
            "changed": resources(lambda all: all[0].update(digest=other)),
            "short": resources(lambda all: all[0].update(digest=other[:40])),
            "outside": resources(lambda all: all[0].update(name="../" + all[0]["name"])),
            "absolute": resources(lambda all: all[0].update(name="/" + all[0]["name"])),
            "swapped": resources(lambda all: (all[0].update(name=all[1]["name"]), all[1].update(name="a"))),
            "payload-type": put("type", "text/plain"),
            "payload-type-signed": lambda made: (put("type", "text/plain")(made), put("pae", no_pae)(made)),
            "payload": put("bundle", flipped),
            "other-hint": put("bundle", changed([material, "publicKey", "hint"], other)),
            "media-type": put("bundle", changed(["mediaType"], "application/vnd.dev.sigstore.bundle+json;version=0.2")),
            "no-key": put("bundle", changed([material, "publicKey"], ...)),
            "certificate": put("bundle", changed([material], {"certificate": {"rawBytes": "AAAA"}, "tlogEntries": []})),
            "unknown-field": put("bundle", changed(["more"], 1)),
            "no-signature": put("bundle", changed([envelope, "signatures"], [])),
            "message-signature": put("bundle", changed(["messageSignature"], {"signature": "AAAA"})),
            "no-envelope": put("bundle", changed([envelope], ...)),
            "cut": put("text", lambda text: text[:-1]),
            "more-behind": put("text", lambda text: text + "{}"),
            "ignores-a-signed-one": lambda made: made.serialization.update(ignore_paths=[made.resources[0]["name"]]),
        },
        "strict": {
            "two-signatures": put("bundle", twice),
            "bundle-key-twice": text('"mediaType"', '"mediaType": "x", "mediaType"'),
            "hint-twice": text('"hint"', '"hint": "", "hint"'),
            "statement-key-twice": put("payload", lambda text: text.replace('"subject"', '"subject": [], "subject"', 1)),
            "method-twice": put("payload", lambda text: text.replace('"method"', '"method": "shards", "method"', 1)),
            "resource-twice": resources(lambda all: all.append(all[0])),
            "name-not-plain": resources(lambda all: all[0].update(name="./" + all[0]["name"])),
            "not-base64": put("bundle", lambda bundle: bundle[envelope].update(payload="*" + bundle[envelope]["payload"])),
        },
    }
    for kind, named in cases.items():
        place = pathlib.Path(folder) / kind
        place.mkdir(parents=True)
        for name, change in named.items():
            made = Craft(key, model)
            change(made)
            (place / f"{name}.sig").write_text(made.made())


def carry_out(words):
    match words:
        case ["sign", how, key, model, signature]:
            sign(how, key, model, signature)
        case ["verify", how, public, model, *signatures]:
            verify(how, public, model, signatures)
        case ["craft", key, model, folder]:
            craft(key, model, folder)
        case _:
            sys.exit(__doc__)


def answer(folder, words):
    """Runs a request in a process that is a copy of this one, and returns what it printed and its exit code."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            os.chdir(folder)
            code = 0
            try:
                carry_out(words)
            except BaseException:
                traceback.print_exc()
                code = 1
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = [(file.seek(0), file.read().decode())[1] for file in (out, err)]
    return {"code": code, "stdout": texts[0], "stderr": texts[1]}


for line in sys.stdin:
    print(json.dumps(answer(**json.loads(line))), flush=True)
