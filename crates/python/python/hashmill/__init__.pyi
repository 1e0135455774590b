"""Hashes trees of files as fast as the machine allows, and verifies their contents."""

from hashmill._calls import audit as audit
from hashmill._calls import check as check
from hashmill._calls import convert as convert
from hashmill._calls import diff as diff
from hashmill._calls import digest_many as digest_many
from hashmill._calls import dupes as dupes
from hashmill._calls import file_digest as file_digest
from hashmill._calls import hash as hash
from hashmill._hashmill import Algorithm as Algorithm
from hashmill._hashmill import Changed as Changed
from hashmill._hashmill import Digests as Digests
from hashmill._hashmill import Entry as Entry
from hashmill._hashmill import Error as Error
from hashmill._hashmill import ExtendableAlgorithm as ExtendableAlgorithm
from hashmill._hashmill import ExtendableHash as ExtendableHash
from hashmill._hashmill import Hash as Hash
from hashmill._hashmill import Record as Record
from hashmill._hashmill import Records as Records
from hashmill._hashmill import __version__ as __version__
from hashmill._hashmill import algorithm as algorithm
from hashmill._hashmill import algorithms as algorithms
from hashmill._hashmill import fold as fold
from hashmill._hashmill import new as new
from hashmill._hashmill import part as part
from hashmill._hashmill import part_unit as part_unit
from hashmill._copies import Copied as Copied
from hashmill._copies import copy as copy
from hashmill._proofs import Verified as Verified
from hashmill._proofs import prove as prove
from hashmill._proofs import seal as seal
from hashmill._proofs import sign as sign
from hashmill._proofs import tree as tree
from hashmill._proofs import verify as verify
from hashmill._proofs import verify_proof as verify_proof
from hashmill._proofs import verify_seal as verify_seal
from hashmill._results import Audit as Audit
from hashmill._results import Check as Check
from hashmill._results import Converted as Converted
from hashmill._results import Diff as Diff
from hashmill._results import Duplicates as Duplicates
from hashmill._results import Group as Group

algorithms_available: frozenset[str]
algorithms_guaranteed: frozenset[str]

__all__: list[str]

# Constructors, one for each algorithm and each of its other names.
adler: Algorithm
adler32: Algorithm
adler_32: Algorithm
aich: Algorithm
b2: Algorithm
b2_256: Algorithm
b2b: Algorithm
b2s: Algorithm
b3: ExtendableAlgorithm
b3_256: ExtendableAlgorithm
b3d: Algorithm
bittorrent: Algorithm
bittorrent_v2: Algorithm
blake2: Algorithm
blake2_512: Algorithm
blake2b: Algorithm
blake2b256: Algorithm
blake2b512: Algorithm
blake2b_256: Algorithm
blake2b_512: Algorithm
blake2s: Algorithm
blake2s256: Algorithm
blake2s_256: Algorithm
blake3: ExtendableAlgorithm
blake3_256: ExtendableAlgorithm
blake3d: Algorithm
btih: Algorithm
btv2: Algorithm
castagnoli: Algorithm
cid: Algorithm
cksum: Algorithm
crc: Algorithm
crc32: Algorithm
crc32_c: Algorithm
crc32_castagnoli: Algorithm
crc32_cksum: Algorithm
crc32_zlib: Algorithm
crc32b: Algorithm
crc32c: Algorithm
crc64: Algorithm
crc64_nvme: Algorithm
crc64_xz: Algorithm
crc64nvme: Algorithm
crc64xz: Algorithm
crc_32: Algorithm
crc_32c: Algorithm
crc_64: Algorithm
crc_posix: Algorithm
dropbox: Algorithm
dropbox_content_hash: Algorithm
dsha256: Algorithm
ed2k: Algorithm
ed2k_blue: Algorithm
ed2k_red: Algorithm
edon_r256: Algorithm
edon_r512: Algorithm
edon_r_256: Algorithm
edon_r_512: Algorithm
edonkey: Algorithm
edonr256: Algorithm
edonr512: Algorithm
edonr_256: Algorithm
edonr_512: Algorithm
emule: Algorithm
fs_verity: Algorithm
fs_verity_sha256: Algorithm
fs_verity_sha512: Algorithm
fsverity: Algorithm
fsverity_sha512: Algorithm
git_blob: Algorithm
git_blob_sha1: Algorithm
git_blob_sha256: Algorithm
glacier: Algorithm
glacier_tree_hash: Algorithm
gost: Algorithm
gost12_256: Algorithm
gost12_512: Algorithm
gost2012_256: Algorithm
gost2012_512: Algorithm
gost94: Algorithm
gost94_cryptopro: Algorithm
gost_94: Algorithm
gost_cryptopro: Algorithm
has160: Algorithm
has_160: Algorithm
hash256: Algorithm
hidrive: Algorithm
ipfs_cid: Algorithm
k12: Algorithm
kangaroo12: Algorithm
kangaroo_twelve: Algorithm
kangarootwelve: Algorithm
keccak_sha3_256: Algorithm
kt128: Algorithm
mailru: Algorithm
mailru_cloud: Algorithm
md4: Algorithm
md5: Algorithm
md_4: Algorithm
md_5: Algorithm
md_gost12_256: Algorithm
md_gost12_512: Algorithm
md_gost94: Algorithm
mrhash: Algorithm
posix_cksum: Algorithm
quickxor: Algorithm
quickxorhash: Algorithm
ripemd: Algorithm
ripemd160: Algorithm
ripemd_160: Algorithm
rmd160: Algorithm
rmd_160: Algorithm
s3_crc32: Algorithm
s3_crc32c: Algorithm
s3_etag: Algorithm
s3_sha1: Algorithm
s3_sha256: Algorithm
s3etag: Algorithm
sha1: Algorithm
sha224: Algorithm
sha256: Algorithm
sha256_tree: Algorithm
sha256d: Algorithm
sha256sha256: Algorithm
sha256tree: Algorithm
sha2_224: Algorithm
sha2_256: Algorithm
sha2_384: Algorithm
sha2_512: Algorithm
sha3: Algorithm
sha384: Algorithm
sha3_224: Algorithm
sha3_256: Algorithm
sha3_384: Algorithm
sha3_512: Algorithm
sha512: Algorithm
sha512_256: Algorithm
sha512t256: Algorithm
sha_1: Algorithm
sha_224: Algorithm
sha_256: Algorithm
sha_256d: Algorithm
sha_384: Algorithm
sha_512: Algorithm
sha_512_256: Algorithm
shake128: ExtendableAlgorithm
shake128_256: ExtendableAlgorithm
shake256: ExtendableAlgorithm
shake256_512: ExtendableAlgorithm
shake_128: ExtendableAlgorithm
shake_256: ExtendableAlgorithm
sm3: Algorithm
sm_3: Algorithm
snefru: Algorithm
snefru128: Algorithm
snefru256: Algorithm
snefru_128: Algorithm
snefru_256: Algorithm
streebog: Algorithm
streebog256: Algorithm
streebog512: Algorithm
streebog_256: Algorithm
streebog_512: Algorithm
stribog256: Algorithm
stribog512: Algorithm
tiger: Algorithm
tiger192: Algorithm
tiger_192: Algorithm
tiger_tree: Algorithm
torrent: Algorithm
tree_tiger: Algorithm
tth: Algorithm
whirl: Algorithm
whirlpool: Algorithm
wp: Algorithm
xxh128: Algorithm
xxh128sum: Algorithm
xxh3: Algorithm
xxh32: Algorithm
xxh3_128: Algorithm
xxh3_64: Algorithm
xxh3_64bits: Algorithm
xxh64: Algorithm
xxh_32: Algorithm
xxh_64: Algorithm
xxhash: Algorithm
xxhash128: Algorithm
xxhash3: Algorithm
xxhash32: Algorithm
xxhash3_128: Algorithm
xxhash3_64: Algorithm
xxhash64: Algorithm
