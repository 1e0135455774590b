//! Shared by several tests of this crate.

use hashmill_digest::{Algorithm, find};

/// Returns an algorithm with digests of this many bytes.
pub fn algorithm(bytes: usize) -> &'static Algorithm {
    let name = match bytes {
        8 => "xxh64",
        16 => "md5",
        20 => "sha1",
        28 => "sha224",
        32 => "sha256",
        48 => "sha384",
        _ => "sha512",
    };
    find(name).unwrap()
}
