"""Prints the root of the pieces (BEP 52) of each file, by the package torrentfile."""

import sys

from torrentfile.torrent import TorrentFileV2
for path in sys.argv[1:]:
    made = TorrentFileV2(path=path, piece_length=1 << 18, progress=0)
    tree = made.meta["info"]["file tree"]
    (leaf,) = tree.values()
    print(leaf[""].get("pieces root", b"").hex(), path)
