"""Reads a document by the package that defines its kind: `documents.py KIND FILE`. Prints the digest and the name of each
file, and fails if the package finds anything wrong. For ascmhl, FILE lies in the folder `ascmhl` of the tree that it is of,
and is verified as the first generation of a history."""

import hashlib
import json
import os
import sys

kind, path = sys.argv[1:]


def ascmhl():
    from ascmhl import hasher, hashlist_xml_parser
    from ascmhl.commands import verify
    from click.testing import CliRunner

    folder = os.path.dirname(path)
    with open(os.path.join(folder, "ascmhl_chain.xml"), "w") as chain:
        chain.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n<ascmhldirectory xmlns="urn:ASC:MHL:DIRECTORY:v2.0">\n'
            f'<hashlist sequencenr="1"><path>{os.path.basename(path)}</path><c4>{hasher.hash_file(path, "c4")}</c4></hashlist>\n'
            "</ascmhldirectory>\n"
        )
    ran = CliRunner().invoke(verify, [os.path.dirname(folder) or "."])
    assert ran.exit_code == 0, (ran.output, ran.exception)
    files = [media for media in hashlist_xml_parser.parse(path).media_hashes if not media.is_directory]
    for media in files:
        for entry in media.hash_entries:
            assert hasher.hash_file(media.path, entry.hash_format) == entry.hash_string, entry.hash_format
            if entry.hash_format == "md5":
                yield entry.hash_string, media.path


def spdx():
    from spdx_tools.spdx.model import ChecksumAlgorithm
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

    document = parse_file(path)
    wrong = validate_full_spdx_document(document)
    assert not wrong, [message.validation_message for message in wrong]
    for file in document.files:
        yield next(sum.value for sum in file.checksums if sum.algorithm == ChecksumAlgorithm.SHA1), file.name


def in_toto():
    import google.protobuf.json_format as form
    import in_toto_attestation.v1.statement_pb2 as pb
    from in_toto_attestation.v1.statement import Statement

    with open(path) as text:
        statement = form.Parse(text.read(), pb.Statement())
    Statement.copy_from_pb(statement).validate()
    for subject in statement.subject:
        yield subject.digest["sha256"], subject.name


def croissant():
    import mlcroissant

    data = mlcroissant.Dataset(jsonld=path)
    for file in data.metadata.distribution:
        yield file.sha256, file.content_url


def dvc_dir():
    from dvc_data.hashfile.tree import Tree

    with open(path, "rb") as file:
        text = file.read()
    tree = Tree.from_list(json.loads(text), hash_name="md5")
    assert tree.as_bytes() == text, tree.as_bytes()
    for key, _, named in tree:
        yield named.value, "/".join(key)


def dvc():
    import yaml

    with open(path) as file:
        outputs = yaml.safe_load(file)["outs"]
    for output in outputs:
        name = os.path.relpath(os.path.join(os.path.dirname(path), output["path"]))
        with open(name, "rb") as file:
            text = file.read()
        assert output["hash"] == "md5" and output["size"] == len(text)
        assert output["md5"] == hashlib.md5(text).hexdigest()
        yield output["md5"], output["path"]


def stix():
    from stix2 import parse

    with open(path) as file:
        bundle = json.load(file)
    assert parse(bundle, version="2.1").type == "bundle"
    folders = {}
    for named in bundle["objects"]:
        # The identifier of one without an identifier is the one that follows from its properties.
        own = parse({key: value for key, value in named.items() if key != "id"}, version="2.1")
        assert own.id == named["id"], (own.id, named)
        if named["type"] == "directory":
            folders[own.id] = own.path
        else:
            folder = named.get("parent_directory_ref")
            yield own.hashes["MD5"], f"{folders[folder]}/{own.name}" if folder else own.name


for digest, name in globals()[kind]():
    print(digest, name)
