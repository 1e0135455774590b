"""Makes the container `things` in an emulator of Azure, and an object `dots/../m` in it: port, key."""

import base64
import hashlib
import hmac
import http.client
import sys
from email.utils import formatdate

port, key = int(sys.argv[1]), base64.b64decode(sys.argv[2])
account = "devstoreaccount1"


def put(path, query, body, **more):
    """Sends a request that is signed with the key; whether something was made."""
    headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-08-06", **more}
    length = str(len(body)) if body else ""
    named = [f"{name}:{headers[name]}" for name in sorted(headers)]
    lines = ["PUT", "", "", length] + [""] * 8 + named + [f"/{account}/{account}{path}"] + query
    signature = base64.b64encode(hmac.new(key, "\n".join(lines).encode(), hashlib.sha256).digest()).decode()
    headers["Authorization"] = f"SharedKey {account}:{signature}"
    address = f"/{account}{path}" + "".join("?" + pair.replace(":", "=") for pair in query)
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.putrequest("PUT", address)
    for name, value in {**headers, "Content-Length": str(len(body))}.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    return connection.getresponse().status == 201


made = put("/things", ["restype:container"], b"")
dotted = put("/things/dots%2F..%2Fm", [], b"abc", **{"x-ms-blob-type": "BlockBlob"})
sys.exit(0 if made and dotted else 1)
