//! The algorithms that most programs need, by name. [`digest::find`](hashmill_digest::find) finds all others.

use hashmill_digest::{ALGORITHMS, Algorithm};

/// BLAKE3: the fastest one that nobody can forge, and the default of the command.
pub const BLAKE3: &Algorithm = row("blake3");
/// SHA-256, as most lists of downloads have it.
pub const SHA256: &Algorithm = row("sha256");
/// SHA-512.
pub const SHA512: &Algorithm = row("sha512");
/// SHA3-256.
pub const SHA3_256: &Algorithm = row("sha3-256");
/// SHA-1, which can be forged.
pub const SHA1: &Algorithm = row("sha1");
/// MD5, which can be forged.
pub const MD5: &Algorithm = row("md5");
/// XXH128: it finds damage, and anybody can forge it.
pub const XXH128: &Algorithm = row("xxh128");

/// Returns the row of this name, when this crate is compiled.
const fn row(name: &str) -> &'static Algorithm {
    let mut at = 0;
    while !is_same(ALGORITHMS[at].name, name) {
        at += 1;
    }
    &ALGORITHMS[at]
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
