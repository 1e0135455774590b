"""Fills a bucket in every way that boto3 knows, and the folder d with what should be there.

Arguments: the endpoint. Prints what the store says of each object, as JSON.
"""

import json
import os
import sys

import boto3
from botocore.config import Config

MIB = 1 << 20
s3 = boto3.client(
    "s3",
    endpoint_url=sys.argv[1],
    region_name="us-east-1",
    config=Config(s3={"addressing_style": "path"}, request_checksum_calculation="when_required"),
)
said = {}


def content(length, seed):
    block = bytes((seed * 31 + place * 7 + place // 251) & 255 for place in range(65521))
    return (block * (length // len(block) + 1))[:length]


def keep(key, body):
    path = os.path.join("d", key)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(body)


def whole(bucket, key, body, **more):
    s3.put_object(Bucket=bucket, Key=key, Body=body, **more)


def parts(bucket, key, body, lengths, algorithm=None):
    more = {"ChecksumAlgorithm": algorithm} if algorithm else {}
    upload = s3.create_multipart_upload(Bucket=bucket, Key=key, **more)["UploadId"]
    done, at = [], 0
    for number, length in enumerate(lengths, 1):
        answer = s3.upload_part(
            Bucket=bucket, Key=key, UploadId=upload, PartNumber=number, Body=body[at : at + length], **more
        )
        part = {"PartNumber": number, "ETag": answer["ETag"]}
        part.update({name: value for name, value in answer.items() if name.startswith("Checksum") and name != "ChecksumType"})
        done.append(part)
        at += length
    s3.complete_multipart_upload(Bucket=bucket, Key=key, UploadId=upload, MultipartUpload={"Parts": done})


def tell(bucket, key):
    answer = s3.head_object(Bucket=bucket, Key=key, ChecksumMode="ENABLED")
    said[key] = {name: str(value) for name, value in answer.items() if "Checksum" in name or name == "ETag"}


if "bucket" not in [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]:
    s3.create_bucket(Bucket="bucket")
for seed, algorithm in enumerate(["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"]):
    key, body = f"whole/{algorithm}", content(1000 + seed, seed)
    whole("bucket", key, body, ChecksumAlgorithm=algorithm)
    keep(key, body)
    tell("bucket", key)
    for name, lengths in [("even", [5 * MIB, 5 * MIB, MIB]), ("uneven", [5 * MIB, 6 * MIB, MIB])]:
        key, body = f"parts/{name}-{algorithm}", content(sum(lengths), seed + 10)
        parts("bucket", key, body, lengths, algorithm)
        keep(key, body)
        tell("bucket", key)
for algorithm in [None, "CRC32", "SHA256"]:
    # The first and the last are as long as in an even upload.
    key, lengths = f"parts/uneven-middle-{algorithm}", [8 * MIB, 9 * MIB, 7 * MIB, MIB]
    body = content(sum(lengths), 77)
    parts("bucket", key, body, lengths, algorithm)
    keep(key, body)
    tell("bucket", key)
for key, lengths in [("parts/even", [5 * MIB, 5 * MIB, MIB]), ("parts/one", [3 * MIB]), ("parts/odd", [7 * MIB, 7 * MIB, 5])]:
    body = content(sum(lengths), 99)
    parts("bucket", key, body, lengths)
    keep(key, body)
    tell("bucket", key)
for key in ["empty", "with space+plus", "gr\u00f6\u00dfe/\u65e5\u672c", "a%20b", "quote\"s'", "tilde~(paren)*!"]:
    body = b"" if key == "empty" else key.encode()
    whole("bucket", key, body)
    keep(key, body)
    tell("bucket", key)
print(json.dumps(said))
