"""Makes the container `c` in an emulator of Azure: port, key."""

import base64
import hashlib
import hmac
import http.client
import sys
from email.utils import formatdate

port, key = int(sys.argv[1]), base64.b64decode(sys.argv[2])
account, date = "devstoreaccount1", formatdate(usegmt=True)
headers = {"x-ms-date": date, "x-ms-version": "2021-08-06", "Content-Length": "0"}
lines = ["PUT"] + [""] * 11 + [f"x-ms-date:{date}", "x-ms-version:2021-08-06", f"/{account}/{account}/c", "restype:container"]
signature = base64.b64encode(hmac.new(key, "\n".join(lines).encode(), hashlib.sha256).digest()).decode()
headers["Authorization"] = f"SharedKey {account}:{signature}"
connection = http.client.HTTPConnection("127.0.0.1", port)
connection.request("PUT", f"/{account}/c?restype=container", headers=headers)
sys.exit(0 if connection.getresponse().status == 201 else 1)
