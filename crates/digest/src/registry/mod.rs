//! Every algorithm, one row each. Parser, help, formats and tests iterate this table.

pub(crate) mod find;
pub(crate) mod guess;
pub(crate) mod size;
pub(crate) mod sized;

use crate::algorithm::parameter::Parameter;
use crate::algorithm::{Algorithm, Class, KeyMode, Lanes, Make, Text};
use crate::algorithms::adler32::{Adler32, Adler32Tree};
use crate::algorithms::blake2;
use crate::algorithms::blake2::{Blake2b, Blake2bLibrary, Blake2s, Blake2sLibrary};
use crate::algorithms::blake3;
use crate::algorithms::blake3::Blake3Tree;
use crate::algorithms::crc::{Castagnoli, Cksum, CksumTree, Crc, CrcTree, Nvme, Posix, Xz, Zip};
use crate::algorithms::edonr::{EdonR256, EdonR512};
use crate::algorithms::git::{blobs, blobs_alone};
use crate::algorithms::gost94::{Gost94, Gost94CryptoPro};
use crate::algorithms::has160::Has160;
use crate::algorithms::kangarootwelve::KangarooTwelve;
use crate::algorithms::keccak::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};
use crate::algorithms::mailru::MailRu;
use crate::algorithms::md4::Md4;
use crate::algorithms::md5::Md5;
use crate::algorithms::quickxor::{QuickXor, QuickXorTree};
use crate::algorithms::ripemd160::Ripemd160;
use crate::algorithms::sha1::Sha1;
use crate::algorithms::sha256::{Sha224, Sha256};
use crate::algorithms::sha512::{Sha384, Sha512, Sha512_256};
use crate::algorithms::sm3::Sm3;
use crate::algorithms::snefru::Snefru;
use crate::algorithms::streebog::Streebog;
use crate::algorithms::tiger::Tiger;
use crate::algorithms::whirlpool::Whirlpool;
use crate::algorithms::xxh::{Xxh3, Xxh3Portable, Xxh32, Xxh64, Xxh128, Xxh128Portable};
use crate::bank::after::{After, doubled};
use crate::bank::{Library, StreamState, library_or, library_or_whole, serial, whole};
use crate::block::{BlockHash, LaneHash};
use crate::lanes::bank::{lanes, planned};
use crate::leaves::{
    Aich, BitTorrent2, Cid, Dropbox, Ed2k, Ed2kBlue, FsVerity256, FsVerity512, Glacier, HiDrive, PART,
    PART_MOST, S3Crc32, S3Crc32c, S3Etag, S3Sha1, S3Sha256, Sha256Tree, Shape, Tth, alone_of, bank_of, btih,
    entries,
};
use crate::stream::Blocks;
use std::marker::PhantomData;

/// All algorithms. Of those with the same digest length, the likeliest comes first: digests in untagged lists are
/// guessed in this order.
pub static ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "sha256",
        aliases: &["sha-256", "sha2-256"],
        tag: "SHA256",
        source: "FIPS 180-4",
        ..lane_hash::<Sha256>()
    },
    Algorithm {
        name: "blake3",
        aliases: &["b3", "b3-256", "blake3-256"],
        tag: "BLAKE3",
        bits: 256,
        source: "BLAKE3: one function, fast everywhere (2020)",
        tree: Some(&Blake3Tree),
        extendable: true,
        lanes: Some(Lanes::from_kernel::<blake3::Compress>(blake3::planned)),
        parameter: Parameter::output("blake3", 32, 64, blake3::of_length),
        whole: Some(whole::<blake3::Hasher>),
        own: Some(&blake3::own),
        ..banks(&blake3::lanes, &serial::<blake3::Hasher>)
    },
    Algorithm {
        name: "sha512",
        aliases: &["sha-512", "sha2-512"],
        tag: "SHA512",
        source: "FIPS 180-4",
        ..lane_hash::<Sha512>()
    },
    Algorithm {
        name: "sha1",
        aliases: &["sha-1"],
        tag: "SHA1",
        class: Class::Broken,
        source: "FIPS 180-4",
        ..lane_hash::<Sha1>()
    },
    Algorithm {
        name: "md5",
        aliases: &["md-5"],
        tag: "MD5",
        class: Class::Broken,
        source: "RFC 1321",
        ..lane_hash::<Md5>()
    },
    Algorithm {
        name: "sha224",
        aliases: &["sha-224", "sha2-224"],
        tag: "SHA224",
        source: "FIPS 180-4",
        ..lane_hash::<Sha224>()
    },
    Algorithm {
        name: "sha384",
        aliases: &["sha-384", "sha2-384"],
        tag: "SHA384",
        source: "FIPS 180-4",
        ..lane_hash::<Sha384>()
    },
    Algorithm {
        name: "sha3-256",
        aliases: &["sha3_256", "keccak-sha3-256"],
        tag: "SHA3-256",
        source: "FIPS 202",
        ..lane_hash::<Sha3_256>()
    },
    Algorithm {
        name: "sha512-256",
        aliases: &["sha-512-256", "sha-512/256", "sha512/256", "sha2-512/256", "sha512t256", "sha512_256"],
        tag: "SHA512-256",
        source: "FIPS 180-4",
        ..lane_hash::<Sha512_256>()
    },
    Algorithm {
        name: "sha3-512",
        aliases: &["sha3_512", "sha3"],
        tag: "SHA3-512",
        source: "FIPS 202",
        ..lane_hash::<Sha3_512>()
    },
    Algorithm {
        name: "sha3-384",
        aliases: &["sha3_384"],
        tag: "SHA3-384",
        source: "FIPS 202",
        ..lane_hash::<Sha3_384>()
    },
    Algorithm {
        name: "sha3-224",
        aliases: &["sha3_224"],
        tag: "SHA3-224",
        source: "FIPS 202",
        ..lane_hash::<Sha3_224>()
    },
    Algorithm {
        name: "shake128",
        aliases: &["shake-128", "shake128-256"],
        tag: "SHAKE128",
        source: "FIPS 202, with 256 bits of output",
        ..lane_hash::<Shake128<32>>()
    },
    Algorithm {
        name: "shake256",
        aliases: &["shake-256", "shake256-512"],
        tag: "SHAKE256",
        source: "FIPS 202, with 512 bits of output",
        ..lane_hash::<Shake256<64>>()
    },
    Algorithm {
        name: "blake2b-512",
        aliases: &["blake2b", "b2", "b2b", "blake2b512", "blake2-512", "blake2"],
        tag: "BLAKE2b",
        source: "RFC 7693",
        alone: &library_or::<Blake2bLibrary<64>, Blocks<Blake2b<64>>>,
        parameter: Parameter::output("blake2b", 64, 64, blake2::blake2b),
        ..lane_hash::<Blake2b<64>>()
    },
    Algorithm {
        name: "blake2b-256",
        aliases: &["blake2b256", "b2-256"],
        tag: "BLAKE2b-256",
        source: "RFC 7693",
        alone: &library_or::<Blake2bLibrary<32>, Blocks<Blake2b<32>>>,
        parameter: Parameter::output("blake2b", 32, 64, blake2::blake2b),
        ..lane_hash::<Blake2b<32>>()
    },
    Algorithm {
        name: "blake2s-256",
        aliases: &["blake2s", "blake2s256", "b2s"],
        tag: "BLAKE2s",
        source: "RFC 7693",
        alone: &library_or::<Blake2sLibrary, Blocks<Blake2s<32>>>,
        parameter: Parameter::output("blake2s", 32, 32, blake2::blake2s),
        ..lane_hash::<Blake2s<32>>()
    },
    Algorithm {
        name: "ripemd160",
        aliases: &["ripemd-160", "rmd160", "rmd-160", "ripemd"],
        tag: "RMD160",
        source: "RIPEMD-160: a strengthened version of RIPEMD (1996)",
        ..lane_hash::<Ripemd160>()
    },
    Algorithm {
        name: "tiger",
        aliases: &["tiger192", "tiger-192"],
        tag: "TIGER",
        source: "Tiger: a fast new hash function (1996)",
        ..block_hash::<Tiger>()
    },
    Algorithm {
        name: "whirlpool",
        aliases: &["whirl", "wp"],
        tag: "WHIRLPOOL",
        source: "ISO/IEC 10118-3:2004",
        ..block_hash::<Whirlpool>()
    },
    Algorithm {
        name: "sm3",
        aliases: &["sm-3"],
        tag: "SM3",
        source: "GB/T 32905-2016",
        ..lane_hash::<Sm3>()
    },
    Algorithm {
        name: "streebog256",
        aliases: &["streebog-256", "gost", "gost12-256", "gost2012-256", "md_gost12_256", "stribog256"],
        tag: "GOST12-256",
        bits: 256,
        source: "RFC 6986",
        ..streams::<Streebog<256>>()
    },
    Algorithm {
        name: "streebog512",
        aliases: &["streebog-512", "streebog", "gost12-512", "gost2012-512", "md_gost12_512", "stribog512"],
        tag: "GOST12-512",
        bits: 512,
        source: "RFC 6986",
        ..streams::<Streebog<512>>()
    },
    Algorithm {
        name: "kangarootwelve",
        aliases: &["k12", "kt128", "kangaroo-twelve", "kangaroo12"],
        tag: "KangarooTwelve",
        bits: 256,
        source: "RFC 9861: KT128 with 256 bits of output",
        ..streams::<KangarooTwelve>()
    },
    Algorithm {
        name: "sha256d",
        aliases: &["sha-256d", "sha256sha256", "dsha256", "hash256"],
        tag: "SHA256d",
        bits: 256,
        source: "FIPS 180-4, applied to its own digest",
        ..banks(&|| doubled(lanes::<Sha256>(), serial::<Blocks<Sha256>>), &|| {
            doubled(serial::<Blocks<Sha256>>(), serial::<Blocks<Sha256>>)
        })
    },
    Algorithm {
        name: "blake3d",
        aliases: &["b3d"],
        tag: "BLAKE3d",
        bits: 256,
        source: "BLAKE3, applied to its own digest",
        tree: Some(&After { inner: Blake3Tree, step: blake3::again }),
        own: Some(&|| doubled(blake3::own(), blake3::lanes)),
        ..banks(&|| doubled(blake3::lanes(), blake3::lanes), &|| {
            doubled(serial::<blake3::Hasher>(), blake3::lanes)
        })
    },
    Algorithm {
        name: "xxh128",
        aliases: &["xxh3-128", "xxh3_128", "xxhash128", "xxhash3-128", "xxh128sum"],
        tag: "XXH128",
        bits: 128,
        class: Class::Checksum,
        source: "The xxHash fast digest algorithm, 0.2.0",
        ..library::<Xxh128, Xxh128Portable>()
    },
    Algorithm {
        name: "xxh64",
        aliases: &["xxh-64", "xxhash64", "xxhash"],
        tag: "XXH64",
        bits: 64,
        class: Class::Checksum,
        source: "The xxHash fast digest algorithm, 0.2.0",
        ..streams::<Xxh64>()
    },
    Algorithm {
        name: "xxh3",
        aliases: &["xxh3-64", "xxh3_64", "xxhash3", "xxhash3-64", "xxh3_64bits"],
        tag: "XXH3",
        bits: 64,
        class: Class::Checksum,
        source: "The xxHash fast digest algorithm, 0.2.0",
        ..library::<Xxh3, Xxh3Portable>()
    },
    Algorithm {
        name: "crc64",
        aliases: &["crc-64", "crc64-xz", "crc-64/xz", "crc64xz"],
        tag: "CRC64",
        bits: 64,
        class: Class::Checksum,
        source: "The .xz file format 1.2.1",
        tree: Some(&CrcTree::<Xz>(PhantomData)),
        ..streams::<Crc<Xz>>()
    },
    Algorithm {
        name: "crc32",
        aliases: &["crc-32", "crc32-zlib", "crc32b", "crc"],
        tag: "CRC32",
        bits: 32,
        class: Class::Checksum,
        source: "ISO/IEC 8802-3, RFC 1952",
        tree: Some(&CrcTree::<Zip>(PhantomData)),
        ..streams::<Crc<Zip>>()
    },
    Algorithm {
        name: "crc32c",
        aliases: &["crc-32c", "crc32-c", "crc32-castagnoli", "castagnoli"],
        tag: "CRC32C",
        bits: 32,
        class: Class::Checksum,
        source: "RFC 3720",
        tree: Some(&CrcTree::<Castagnoli>(PhantomData)),
        ..streams::<Crc<Castagnoli>>()
    },
    Algorithm {
        name: "adler32",
        aliases: &["adler-32", "adler"],
        tag: "ADLER32",
        bits: 32,
        class: Class::Checksum,
        source: "RFC 1950",
        tree: Some(&Adler32Tree),
        ..streams::<Adler32>()
    },
    Algorithm {
        name: "xxh32",
        aliases: &["xxh-32", "xxhash32"],
        tag: "XXH32",
        bits: 32,
        class: Class::Checksum,
        source: "The xxHash fast digest algorithm, 0.2.0",
        ..streams::<Xxh32>()
    },
    Algorithm {
        name: "cksum",
        aliases: &["posix-cksum", "crc-posix", "crc32-cksum"],
        tag: "CKSUM",
        bits: 32,
        class: Class::Checksum,
        text: Text::Decimal,
        source: "POSIX.1-2017, cksum",
        tree: Some(&CksumTree),
        ..streams::<Cksum<Crc<Posix>>>()
    },
    Algorithm {
        name: "crc64nvme",
        aliases: &["crc64-nvme", "crc-64/nvme", "crc64_nvme"],
        tag: "CRC64NVME",
        bits: 64,
        class: Class::Checksum,
        source: "NVM Express NVM Command Set 1.0, of S3 and Azure",
        likely: false,
        tree: Some(&CrcTree::<Nvme>(PhantomData)),
        ..streams::<Crc<Nvme>>()
    },
    Algorithm {
        name: "md4",
        aliases: &["md-4"],
        tag: "MD4",
        class: Class::Broken,
        source: "RFC 1320",
        ..lane_hash::<Md4>()
    },
    Algorithm {
        name: "s3-etag",
        aliases: &["s3etag"],
        tag: "S3-ETAG",
        bits: 160,
        class: Class::Broken,
        text: Text::HexParts,
        source: "S3, multipart uploads: MD5 of the MD5s of parts, and their number",
        parameter: Parameter::part("s3-etag", PART, PART_MOST),
        ..leaves::<S3Etag>()
    },
    Algorithm {
        name: "s3-sha256",
        tag: "S3-SHA256",
        bits: 288,
        text: Text::Base64Parts,
        source: "S3, composite checksums: SHA-256 of the SHA-256s of parts, and their number",
        parameter: Parameter::part("s3-sha256", PART, PART_MOST),
        ..leaves::<S3Sha256>()
    },
    Algorithm {
        name: "s3-sha1",
        tag: "S3-SHA1",
        bits: 192,
        class: Class::Broken,
        text: Text::Base64Parts,
        source: "S3, composite checksums: SHA-1 of the SHA-1s of parts, and their number",
        parameter: Parameter::part("s3-sha1", PART, PART_MOST),
        ..leaves::<S3Sha1>()
    },
    Algorithm {
        name: "s3-crc32",
        tag: "S3-CRC32",
        bits: 64,
        class: Class::Checksum,
        text: Text::Base64Parts,
        source: "S3, composite checksums: CRC-32 of the CRC-32s of parts, and their number",
        parameter: Parameter::part("s3-crc32", PART, PART_MOST),
        ..leaves::<S3Crc32>()
    },
    Algorithm {
        name: "s3-crc32c",
        tag: "S3-CRC32C",
        bits: 64,
        class: Class::Checksum,
        text: Text::Base64Parts,
        source: "S3, composite checksums: CRC-32C of the CRC-32Cs of parts, and their number",
        parameter: Parameter::part("s3-crc32c", PART, PART_MOST),
        ..leaves::<S3Crc32c>()
    },
    Algorithm {
        name: "dropbox",
        aliases: &["dropbox-content-hash"],
        tag: "DROPBOX",
        source: "Dropbox content hash: SHA-256 of the SHA-256s of 4 MiB",
        ..leaves::<Dropbox>()
    },
    Algorithm {
        name: "glacier",
        aliases: &["glacier-tree-hash"],
        tag: "GLACIER",
        source: "Amazon S3 Glacier tree hash: SHA-256 of 1 MiB",
        ..leaves::<Glacier>()
    },
    Algorithm {
        name: "hidrive",
        tag: "HIDRIVE",
        class: Class::Broken,
        source: "Strato HiDrive content hash: sums of SHA-1s of 4 KiB",
        of_cloud: true,
        ..leaves::<HiDrive>()
    },
    Algorithm {
        name: "mailru",
        aliases: &["mailru-cloud", "mrhash"],
        tag: "MAILRU",
        bits: 160,
        class: Class::Broken,
        source: "Mail.ru cloud: SHA-1 with the length behind",
        likely: false,
        ..streams::<MailRu>()
    },
    Algorithm {
        name: "quickxor",
        aliases: &["quickxorhash"],
        tag: "QUICKXOR",
        bits: 160,
        class: Class::Checksum,
        text: Text::Base64,
        source: "Microsoft QuickXorHash, of OneDrive and SharePoint",
        tree: Some(&QuickXorTree),
        ..streams::<QuickXor>()
    },
    Algorithm {
        name: "bittorrent-v2",
        aliases: &["btv2"],
        tag: "BITTORRENT-V2",
        source: "BEP 52, pieces root: SHA-256 of 16 KiB",
        ..leaves::<BitTorrent2>()
    },
    Algorithm {
        name: "fs-verity",
        aliases: &["fsverity", "fs-verity-sha256"],
        tag: "FS-VERITY",
        text: Text::Named("sha256"),
        source: "Linux fs-verity: SHA-256 of 4 KiB",
        ..leaves::<FsVerity256>()
    },
    Algorithm {
        name: "fs-verity-sha512",
        aliases: &["fsverity-sha512"],
        tag: "FS-VERITY-SHA512",
        text: Text::Named("sha512"),
        source: "Linux fs-verity: SHA-512 of 4 KiB",
        ..leaves::<FsVerity512>()
    },
    Algorithm {
        name: "sha256tree",
        aliases: &["sha256-tree"],
        tag: "SHA256TREE",
        source: "Bazel Remote Execution API, SHA256TREE: SHA-256 of 1 KiB",
        ..leaves::<Sha256Tree>()
    },
    Algorithm {
        name: "cid",
        aliases: &["ipfs-cid"],
        tag: "CID",
        bits: 288,
        text: Text::Multibase,
        source: "IPFS, profile unixfs-v1-2025 (IPIP-499): SHA-256 of 1 MiB",
        ..leaves::<Cid>()
    },
    Algorithm {
        name: "ed2k",
        aliases: &["edonkey", "emule", "ed2k-red"],
        tag: "ED2K",
        class: Class::Broken,
        source: "eDonkey: MD4 of 9,728,000 bytes, a chunk more behind whole ones",
        ..leaves::<Ed2k>()
    },
    Algorithm {
        name: "ed2k-blue",
        tag: "ED2K-BLUE",
        class: Class::Broken,
        source: "eDonkey: MD4 of 9,728,000 bytes",
        ..leaves::<Ed2kBlue>()
    },
    Algorithm {
        name: "aich",
        tag: "AICH",
        class: Class::Broken,
        text: Text::Base32,
        source: "eMule AICH: SHA-1 of 184,320 bytes",
        ..leaves::<Aich>()
    },
    Algorithm {
        name: "btih",
        aliases: &["bittorrent", "torrent"],
        tag: "BTIH",
        bits: 160,
        class: Class::Broken,
        source: "BEP 3: SHA-1 of a torrent's info, with the file's name; pieces as rhash takes them",
        wants_size: true,
        of_entry: Some(btih::folding),
        likely: false,
        ..banks(&|| entries::bank(btih::folding), &|| entries::alone(btih::folding))
    },
    Algorithm {
        name: "tth",
        aliases: &["tree-tiger", "tiger-tree", "tree:tiger"],
        tag: "TTH",
        text: Text::Base32,
        source: "Tree Hash EXchange format (2003): Tiger of 1 KiB",
        ..leaves::<Tth>()
    },
    Algorithm {
        name: "git-blob",
        aliases: &["git-blob-sha1"],
        tag: "GIT-BLOB",
        bits: 160,
        class: Class::Broken,
        source: "git, gitformat-loose: SHA-1 behind the length",
        wants_size: true,
        likely: false,
        ..banks(&blobs::<Sha1>, &blobs_alone::<Sha1>)
    },
    Algorithm {
        name: "git-blob-sha256",
        tag: "GIT-BLOB-SHA256",
        bits: 256,
        source: "git, hash-function-transition: SHA-256 behind the length",
        wants_size: true,
        likely: false,
        ..banks(&blobs::<Sha256>, &blobs_alone::<Sha256>)
    },
    Algorithm {
        name: "has160",
        aliases: &["has-160"],
        tag: "HAS-160",
        source: "TTAS.KO-12.0011/R1",
        ..block_hash::<Has160>()
    },
    Algorithm {
        name: "edonr256",
        aliases: &["edon-r256", "edonr-256", "edon-r-256"],
        tag: "EDON-R256",
        source: "EDON-R, submission to NIST (2008)",
        ..block_hash::<EdonR256>()
    },
    Algorithm {
        name: "edonr512",
        aliases: &["edon-r512", "edonr-512", "edon-r-512"],
        tag: "EDON-R512",
        source: "EDON-R, submission to NIST (2008)",
        ..block_hash::<EdonR512>()
    },
    Algorithm {
        name: "gost94",
        aliases: &["md_gost94", "gost-94"],
        tag: "GOST94",
        bits: 256,
        source: "GOST R 34.11-94, RFC 5831",
        ..streams::<Gost94>()
    },
    Algorithm {
        name: "gost94-cryptopro",
        aliases: &["gost-cryptopro"],
        tag: "GOST94-CRYPTOPRO",
        bits: 256,
        source: "GOST R 34.11-94, RFC 4357",
        ..streams::<Gost94CryptoPro>()
    },
    Algorithm {
        name: "snefru256",
        aliases: &["snefru-256"],
        tag: "SNEFRU-256",
        bits: 256,
        class: Class::Broken,
        source: "A fast software one-way hash function (1990)",
        ..streams::<Snefru<8>>()
    },
    Algorithm {
        name: "snefru128",
        aliases: &["snefru", "snefru-128"],
        tag: "SNEFRU-128",
        bits: 128,
        class: Class::Broken,
        source: "A fast software one-way hash function (1990)",
        ..streams::<Snefru<4>>()
    },
];

/// Algorithms that need a key. They are found only by name, because code that iterates all algorithms has no key for
/// them.
static KEYED: &[Algorithm] = &[
    Algorithm {
        name: KeyMode::Keyed.family(),
        tag: "BLAKE3-KEYED",
        bits: 256,
        source: "BLAKE3, section 2.3: keyed_hash",
        tree: Some(&const { blake3::KeyedTree::without_key(KeyMode::Keyed) }),
        likely: false,
        parameter: Parameter::output(KeyMode::Keyed.family(), 32, 64, blake3::keyed_of_length),
        key_mode: Some(KeyMode::Keyed),
        lacks_key: true,
        ..banks(&blake3::by_no_key, &blake3::by_no_key)
    },
    Algorithm {
        name: KeyMode::DeriveKey.family(),
        tag: "BLAKE3-DERIVE-KEY",
        bits: 256,
        source: "BLAKE3, section 2.3: derive_key",
        tree: Some(&const { blake3::KeyedTree::without_key(KeyMode::DeriveKey) }),
        likely: false,
        parameter: Parameter::output(KeyMode::DeriveKey.family(), 32, 64, blake3::keyed_of_length),
        key_mode: Some(KeyMode::DeriveKey),
        lacks_key: true,
        ..banks(&blake3::by_no_context, &blake3::by_no_context)
    },
];

/// Returns every algorithm with its own name.
pub(crate) fn named() -> impl Iterator<Item = &'static Algorithm> {
    ALGORITHMS.iter().chain(KEYED)
}

/// Returns the common part of rows: a cryptographic hash, written in hexadecimal, with these makers of banks.
const fn banks(bank: Make, alone: Make) -> Algorithm {
    Algorithm {
        name: "",
        aliases: &[],
        tag: "",
        bits: 0,
        class: Class::Cryptographic,
        text: Text::Hex,
        source: "",
        bank,
        alone,
        whole: None,
        tree: None,
        leaves: None,
        parameter: None,
        wants_size: false,
        of_entry: None,
        own: None,
        extendable: false,
        likely: true,
        of_cloud: false,
        key_mode: None,
        lacks_key: false,
        lanes: None,
    }
}

/// A hash folded from leaves. Digests of one leaf may equal those of the leaf algorithm, so none is guessed.
const fn leaves<S: Shape>() -> Algorithm {
    let bits = 8 * S::LEAVES.digest as u32;
    Algorithm { bits, leaves: Some(S::LEAVES), likely: false, ..banks(&bank_of::<S>, &alone_of::<S>) }
}

/// A hash with one stream after another.
const fn streams<S: StreamState>() -> Algorithm {
    Algorithm { whole: Some(whole::<S>), ..banks(&serial::<S>, &serial::<S>) }
}

/// A hash of streams by a library, or by our code if the library's choice of instructions is forbidden.
const fn library<L: Library, Ours: StreamState>() -> Algorithm {
    Algorithm {
        whole: Some(library_or_whole::<L, Ours>),
        own: Some(&serial::<Ours>),
        ..banks(&library_or::<L, Ours>, &library_or::<L, Ours>)
    }
}

/// A block hash without lanes.
const fn block_hash<A: BlockHash>() -> Algorithm {
    Algorithm { bits: 8 * A::BYTES as u32, ..streams::<Blocks<A>>() }
}

/// A block hash with lanes.
const fn lane_hash<A: LaneHash>() -> Algorithm {
    let lanes_of = Lanes::from_kernel::<A::Kernel>(planned::<A>);
    Algorithm {
        bits: 8 * A::BYTES as u32,
        lanes: Some(lanes_of),
        extendable: A::EXTENDABLE,
        whole: Some(whole::<Blocks<A>>),
        ..banks(&lanes::<A>, &serial::<Blocks<A>>)
    }
}

#[cfg(test)]
mod tests {
    use super::ALGORITHMS;
    use crate::find;
    use crate::{Class, StreamPart, guesses, hash, of_bits};
    use std::collections::HashMap;

    #[test]
    fn a_name_alias_or_tag_means_one_row() {
        let mut owners = HashMap::new();
        for row in ALGORITHMS {
            for name in row.aliases.iter().chain([&row.name, &row.tag]) {
                let owner = *owners.entry(name.to_ascii_lowercase()).or_insert(row.name);
                assert_eq!(owner, row.name, "{name}");
            }
        }
    }

    #[test]
    fn names_are_lower_case_and_no_alias_repeats_one() {
        for row in ALGORITHMS {
            let mut names: Vec<_> = row.aliases.iter().chain([&row.name]).collect();
            assert!(names.iter().all(|name| **name == name.to_ascii_lowercase()), "{}", row.name);
            names.sort();
            names.dedup();
            assert_eq!(names.len(), row.aliases.len() + 1, "{}", row.name);
        }
    }

    #[test]
    fn extendable_rows_give_output_of_any_length_from_any_byte_on() {
        let names: Vec<_> = ALGORITHMS.iter().filter(|row| row.extendable).map(|row| row.name).collect();
        assert_eq!(names, ["blake3", "shake128", "shake256"]);
        for row in ALGORITHMS {
            let mut bank = (row.alone)();
            let slot = bank.open();
            bank.update(&[StreamPart { slot, bytes: &[7; 300], last: false }]);
            let mut whole = [0; 1000];
            assert_eq!(bank.extend(slot, 0, &mut whole), row.extendable, "{}", row.name);
            for (from, to) in [(0, 0), (0, 5), (1, 64), (135, 137), (168, 169), (500, 1000)] {
                let mut part = vec![0; to - from];
                bank.extend(slot, from as u64, &mut part);
                assert_eq!(part, whole[from..to], "{} {from}", row.name);
            }
            bank.update(&[StreamPart { slot, bytes: b"more", last: true }]);
            let digest = bank.close(slot);
            assert_eq!(digest, hash(row, &[&[7; 300], b"more".as_slice()].concat()), "{}", row.name);
        }
    }

    #[test]
    fn a_tag_in_any_case_is_found() {
        for row in ALGORITHMS {
            assert_eq!(find(row.tag), Ok(row));
        }
    }

    #[test]
    fn the_likeliest_of_a_length_comes_first() {
        for (bits, names) in [
            (32, "crc32"),
            (64, "xxh64"),
            (128, "md5"),
            (160, "sha1"),
            (224, "sha224"),
            (256, "sha256"),
            (384, "sha384"),
            (512, "sha512"),
        ] {
            assert_eq!(of_bits(bits).next().unwrap().name, names);
        }
        assert!(of_bits(32).all(|row| row.name != "cksum"), "decimal text is not guessed by length");
    }

    #[test]
    fn nothing_that_can_be_forged_is_guessed() {
        for bits in ALGORITHMS.iter().map(|row| row.bits) {
            for row in guesses(bits) {
                let sound = row.class == Class::Cryptographic || ["md5", "sha1"].contains(&row.name);
                assert!(sound && row.leaves.is_none() && row.of_entry.is_none(), "{}", row.name);
            }
        }
        assert!(guesses(32).is_empty() && guesses(64).is_empty());
        let names = |bits| guesses(bits).iter().map(|row| row.name).collect::<Vec<_>>();
        assert_eq!(names(128), ["md5"]);
        assert_eq!(names(160)[0], "sha1");
        assert!(!names(160).contains(&"hidrive") && !names(256).contains(&"dropbox"));
    }

    #[test]
    fn digests_have_the_length_that_the_row_states() {
        for row in ALGORITHMS {
            assert_eq!(crate::hash(row, b"abc").bits(), row.bits, "{}", row.name);
        }
    }
}
