"""Makes AFF4 volumes of the files N.raw in a folder with pyaff4, and reads them, and volumes N.aff4 that are there, back."""

import os
import random
import sys
import types
import warnings

warnings.simplefilter("ignore")
# pyaff4 needs it for encryption alone.
sys.modules["CryptoPlus"] = types.ModuleType("CryptoPlus")
sys.modules["CryptoPlus.Cipher"] = types.ModuleType("CryptoPlus.Cipher")
sys.modules["CryptoPlus.Cipher"].python_AES = None

from pyaff4 import aff4_image, aff4_map, container, data_store, lexicon, rdfvalue, zip

METHODS = [
    lexicon.AFF4_IMAGE_COMPRESSION_STORED,
    lexicon.AFF4_IMAGE_COMPRESSION_SNAPPY,
    lexicon.AFF4_IMAGE_COMPRESSION_LZ4,
    lexicon.AFF4_IMAGE_COMPRESSION_ZLIB,
]


def make(number, raw, path):
    """Writes a volume whose map has parts of the raw bytes, in the order of a seed, and symbolic streams."""
    chance = random.Random(number)
    urn = rdfvalue.URN.FromFileName(path)
    with data_store.MemoryDataStore() as resolver:
        resolver.Set(lexicon.transient_graph, urn, lexicon.AFF4_STREAM_WRITE_MODE, rdfvalue.XSDString("truncate"))
        with zip.ZipFile.NewZipFile(resolver, container.Version(0, 1, "pyaff4"), urn) as volume:
            name = volume.urn.Append("image.dd")
            with aff4_map.AFF4Map.NewAFF4Map(resolver, name, volume.urn) as image:
                data = name.Append("data")
                with aff4_image.AFF4Image.NewAFF4Image(resolver, data, volume.urn) as stream:
                    stream.chunk_size = chance.choice([512, 1000, 4096, 32768])
                    stream.chunks_per_segment = chance.choice([1, 3, 16])
                    stream.setCompressionMethod(METHODS[number % len(METHODS)])
                    stream.Write(raw)
                at, media = 0, bytearray()
                for _ in range(chance.randrange(1, 12)):
                    length = chance.randrange(1, len(raw) + 1)
                    kind = chance.randrange(5)
                    media.extend(bytes(at - len(media)))
                    if kind < 3:
                        start = chance.randrange(0, len(raw) - length + 1)
                        image.AddRange(at, start, length, data)
                        media.extend(raw[start : start + length])
                    elif kind == 3:
                        image.AddRange(at, 0, length, rdfvalue.URN("http://aff4.org/Schema#SymbolicStream61"))
                        media.extend(b"a" * length)
                    else:
                        image.AddRange(at, 0, length, rdfvalue.URN("http://aff4.org/Schema#Zero"))
                        media.extend(bytes(length))
                    # A byte at least is between two runs, as pyaff4 merges touching ones even if they differ.
                    at += length + chance.choice([2, 3, 700])
            # It can't read back its own blocks of LZ4, before which it writes a length; and of a stream with several bevies
            # and an odd size it takes the last chunk for one of the first bevy.
            lz4 = stream.compression == lexicon.AFF4_IMAGE_COMPRESSION_LZ4
            several = len(raw) > stream.chunk_size * stream.chunks_per_segment
            readable = not lz4 and not (several and len(raw) % stream.chunk_size)
            return name.SerializeToString(), bytes(media), readable


def read(path, name):
    """Returns all bytes of a map."""
    with data_store.MemoryDataStore() as resolver:
        urn = rdfvalue.URN.FromFileName(path)
        with zip.ZipFile.NewZipFile(resolver, container.Version(1, 0, "pyaff4"), urn):
            with resolver.AFF4FactoryOpen(rdfvalue.URN(name)) as image:
                size = image.Size()
                found = b""
                while len(found) < size:
                    part = image.Read(min(1 << 20, size - len(found)))
                    if not part:
                        break
                    found += part
                return found


folder = sys.argv[1]
for file in sorted(os.listdir(folder)):
    number, kind = os.path.splitext(file)
    path = os.path.join(folder, number)
    if kind == ".raw":
        with open(path + ".raw", "rb") as raw:
            name, media, readable = make(int(number), raw.read(), path + ".aff4")
        if readable:
            assert read(path + ".aff4", name) == media, number
    elif kind == ".aff4":
        media = read(path + ".aff4", "aff4://map")
    else:
        continue
    with open(path + ".read", "wb") as out:
        out.write(media)
