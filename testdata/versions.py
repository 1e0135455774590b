"""Fills a bucket that keeps versions: objects that were written twice, deleted, and written before versions were kept.

Arguments: the endpoint. Prints the latest version of each object that has one, and the first of `twice` as `first`, as JSON.
"""

import json
import sys

import boto3
from botocore.config import Config

s3 = boto3.client(
    "s3",
    endpoint_url=sys.argv[1],
    region_name="us-east-1",
    config=Config(s3={"addressing_style": "path"}, request_checksum_calculation="when_required"),
)
if "bucket" not in [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]:
    s3.create_bucket(Bucket="bucket")
s3.put_object(Bucket="bucket", Key="old", Body=b"old")
s3.put_bucket_versioning(Bucket="bucket", VersioningConfiguration={"Status": "Enabled"})
said = {}
for key, body in [("twice", b"first"), ("twice", b"second"), ("gone", b"gone"), ("large", b"7" * (9 << 20))]:
    said[key] = s3.put_object(Bucket="bucket", Key=key, Body=body)["VersionId"]
    said.setdefault("first", said[key])
s3.delete_object(Bucket="bucket", Key="gone")
print(json.dumps(said))
