//! The hash functions and checksums themselves, one file or folder each.

// The algorithms, and modules that several of them share.
pub(crate) mod adler32;
pub(crate) mod blake2;
pub(crate) mod blake3;
pub(crate) mod crc;
pub(crate) mod edonr;
pub(crate) mod git;
pub(crate) mod gost94;
pub(crate) mod has160;
pub(crate) mod kangarootwelve;
pub(crate) mod keccak;
pub(crate) mod mailru;
pub(crate) mod md4;
pub(crate) mod md5;
pub(crate) mod quickxor;
pub(crate) mod ripemd160;
#[cfg(target_arch = "x86_64")]
pub(crate) mod schedule;
pub(crate) mod sha1;
pub(crate) mod sha256;
pub(crate) mod sha512;
pub(crate) mod sm3;
pub(crate) mod snefru;
pub(crate) mod streebog;
pub(crate) mod tiger;
pub(crate) mod whirlpool;
pub(crate) mod xxh;
